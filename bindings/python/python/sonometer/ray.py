"""Sonometer in Ray: `sonometer.ray.with_readings(dataset, "text", "courtesy", order="row")`.

A target is sent to the workers as its source and digest, and each worker process compiles it once. Sonometer is installed on every node.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import Target
from ._optional import need
from ._rows import Masked, Sensed, check

__all__ = ["Mask", "Sense", "with_masked", "with_readings"]


class Sense:
    """A class for `Dataset.map_batches` with `batch_format="pyarrow"`: adds the columns that `Target.frame` gives.

    >>> import pyarrow, sonometer.ray
    >>> sense = sonometer.ray.Sense("text", "courtesy@1.0", ["score"])
    >>> sense(pyarrow.table({"text": ["Thank you so much for your help!"]}))["score"].to_pylist()
    [0.494769]
    """

    def __init__(
        self,
        column: str,
        target: str | Target[Any],
        columns: str | Iterable[str] = ("score", "sufficient"),
        *,
        prefix: str = "",
        **options: Any,
    ) -> None:
        self._sensed = Sensed(column, target, columns, prefix, False, {"threads": 1, **options})
        self._column = column
        self._added = [field.name for field in self._sensed.fields()]

    def __call__(self, batch: Any) -> Any:
        arrow = need("pyarrow", "ray")
        check(self._column, batch.column_names, self._added)
        # A batch of Ray may have its rows in several chunks; each is sensed as it is.
        pieces = [piece for rows in batch.to_batches() for piece in self._sensed.batch(rows)]
        return arrow.Table.from_batches(pieces) if pieces else arrow.Table.from_batches(list(self._sensed.batch(_empty(batch))))


class Mask:
    """A class for `Dataset.map_batches` with `batch_format="pyarrow"`: hides in a column what the target masks."""

    def __init__(self, column: str, target: str | Target[Any], **options: Any) -> None:
        self._masked = Masked(column, target, {"threads": 1, **options})
        self._column = column

    def __call__(self, batch: Any) -> Any:
        check(self._column, batch.column_names)
        return self._masked.batch(batch)


def with_readings(
    dataset: Any,
    column: str,
    target: str | Target[Any],
    columns: str | Iterable[str] = ("score", "sufficient"),
    *,
    prefix: str = "",
    order: str | None = None,
    workers: int | tuple[int, int] | None = None,
    batch_size: int = 1024,
    **options: Any,
) -> Any:
    """The rows of a dataset with the columns that `Target.frame` gives behind theirs.

    Ray gives rows out in the order in which they are finished. `order` names a column of numbers by which the result is sorted; without it
    the order is any. `workers` is how many processes sense, each with a core; without it Ray starts tasks as it has cores.
    """
    need("ray.data", "ray")
    sense = Sense(column, target, columns, prefix=prefix, **options)
    check(column, _names(dataset, column), sense._added)
    return _mapped(dataset, sense, order, workers, batch_size)


def with_masked(
    dataset: Any,
    column: str,
    target: str | Target[Any],
    *,
    order: str | None = None,
    workers: int | tuple[int, int] | None = None,
    batch_size: int = 1024,
    **options: Any,
) -> Any:
    """The rows of a dataset with what the target masks hidden in a column, which holds texts or conversations."""
    need("ray.data", "ray")
    check(column, _names(dataset, column))
    return _mapped(dataset, Mask(column, target, **options), order, workers, batch_size)


class _Sent:
    """What an actor runs: made on the driver, so that targets are compiled and mistakes told there."""

    def __init__(self, work: Any) -> None:
        self._work = work

    def __call__(self, batch: Any) -> Any:
        return self._work(batch)


def _mapped(
    dataset: Any,
    work: Any,
    order: str | None,
    workers: int | tuple[int, int] | None,
    batch_size: int,
) -> Any:
    how: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": batch_size, "zero_copy_batch": True}
    if order is not None:
        check(order, _names(dataset, order))
    if workers is None:
        done = dataset.map_batches(work.__call__, **how)
    else:
        data = need("ray.data", "ray")
        least, most = workers if isinstance(workers, tuple) else (workers, workers)
        pool = data.ActorPoolStrategy(min_size=least, max_size=most)
        done = dataset.map_batches(_Sent, fn_constructor_args=(work,), compute=pool, num_cpus=1, **how)
    return done.sort(order) if order is not None else done


def _names(dataset: Any, wanted: str) -> list[str]:
    """The names of the columns, as far as Ray knows them before it reads."""
    schema = dataset.schema()
    return list(schema.names) if schema is not None else [wanted]


def _empty(table: Any) -> Any:
    return need("pyarrow", "ray").RecordBatch.from_pylist([], schema=table.schema)
