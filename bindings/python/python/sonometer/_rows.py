"""Rows with readings or masks beside them: what workers of Spark and Ray run. One object is sent to all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from . import Target
from ._optional import need
from ._sql import signed
from ._targets import Carried
from .errors import InvalidRequestError

__all__ = ["Masked", "Sensed"]


class Sensed:
    """Adds columns of readings to batches of pyarrow."""

    def __init__(
        self,
        column: str,
        target: str | Target[Any],
        columns: str | Iterable[str],
        prefix: str,
        no_unsigned: bool,
        options: dict[str, Any],
    ) -> None:
        self._column = column
        self._carried = Carried(target)
        self._columns = (columns,) if isinstance(columns, str) else tuple(columns)
        self._prefix = prefix
        self._no_unsigned = no_unsigned
        self._options = options

    def fields(self) -> list[Any]:
        """The fields that are added. Called before the work is sent out, so a wrong name fails here and not in a worker."""
        arrow = need("pyarrow", "spark")
        schema = self._frame(arrow.array([], arrow.string())).schema
        return [self._field(field) for field in schema]

    def expect(self, kind: Any) -> None:
        """Whether a column of this type of pyarrow is read: what is not is refused here and not in a worker."""
        self._frame(need("pyarrow", "spark").array([], kind))

    def batches(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Record batches with the columns behind theirs, cut anew where they are long."""
        for batch in batches:
            yield from self.batch(batch)

    def batch(self, batch: Any) -> Iterator[Any]:
        """One batch or table, in record batches."""
        arrow = need("pyarrow", "spark")
        at = 0
        for found in self._frame(batch.column(self._column)).to_batches():
            rows = batch.slice(at, found.num_rows)
            at += found.num_rows
            fields = [self._field(field) for field in found.schema]
            columns = [column.cast(field.type) for column, field in zip(found.columns, fields, strict=True)]
            # What measured stays in the metadata, where the engine of the table keeps it.
            metadata = {**(rows.schema.metadata or {}), **(found.schema.metadata or {})}
            schema = arrow.schema([*rows.schema, *fields], metadata=metadata)
            yield arrow.RecordBatch.from_arrays([*rows.columns, *columns], schema=schema)

    def _frame(self, column: Any) -> Any:
        return self._carried.target().frame(column, columns=self._columns, **self._options)

    def _field(self, field: Any) -> Any:
        named = field.with_name(self._prefix + field.name)
        return named.with_type(signed(field.type)) if self._no_unsigned else named


class Masked:
    """Puts a column as it may be shown in the place of what it was."""

    def __init__(self, column: str, target: str | Target[Any], options: dict[str, Any]) -> None:
        self._column = column
        self._carried = Carried(target)
        self._options = options

    def expect(self, kind: Any) -> None:
        """Whether a column of this type of pyarrow is read: what is not is refused here and not in a worker."""
        self._carried.target().mask_column(need("pyarrow", "spark").array([], kind), **self._options)

    def batches(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Record batches, masked."""
        for batch in batches:
            yield self.batch(batch)

    def batch(self, batch: Any) -> Any:
        """One batch or table, masked."""
        at = batch.schema.get_field_index(self._column)
        column = batch.column(at)
        masked = self._carried.target().mask_column(column, **self._options).cast(column.type)
        return batch.set_column(at, batch.schema.field(at), masked)


def check(column: str, present: Iterable[str], added: Iterable[str] = ()) -> None:
    """Whether a column is there, and what is added is not."""
    names = list(present)
    if column not in names:
        message = f"there is no column `{column}`; columns are {', '.join(names)}"
        raise InvalidRequestError(message, place="column")
    twice = [name for name in added if name in names]
    if twice:
        message = f"there is a column `{twice[0]}` already; give a prefix, such as prefix=\"courtesy_\""
        raise InvalidRequestError(message, place="columns", fix="give a prefix")
