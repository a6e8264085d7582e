"""Sonometer in PySpark: `sonometer.spark.with_readings(frame, "text", "courtesy")`, columns such as `score("text", "courtesy")`, and functions
for SQL.

A target is sent to the workers as its source and digest, and each worker process compiles it once. Sonometer is installed on every worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import Target
from ._optional import need
from ._rows import Masked, Sensed, check
from ._sql import Functions, signed
from ._targets import Carried

__all__ = ["fidelity", "mask", "register", "score", "sense", "with_masked", "with_readings"]


def with_readings(
    frame: Any,
    column: str,
    target: str | Target[Any],
    columns: str | Iterable[str] = ("score", "sufficient"),
    *,
    prefix: str = "",
    **options: Any,
) -> Any:
    """The rows of a DataFrame with the columns that `Target.frame` gives behind theirs, by `mapInArrow`.

    `column` holds texts, or conversations as `array<struct<role, content, timestamp?>>`. `prefix` stands before the names of the new columns.
    Spark runs a task on each core, so each senses on one thread, unless `threads` says otherwise. Places and counts are signed.
    """
    _needed()
    sensed = Sensed(column, target, columns, prefix, True, {"threads": 1, **options})
    fields = sensed.fields()
    check(column, frame.columns, [field.name for field in fields])
    sensed.expect(_arrow_type(frame, column))
    types = need("pyspark.sql.types", "spark")
    added = [types.StructField(field.name, _spark_type(field.type), True) for field in fields]
    return frame.mapInArrow(sensed.batches, types.StructType([*frame.schema.fields, *added]))


def with_masked(frame: Any, column: str, target: str | Target[Any], **options: Any) -> Any:
    """The rows of a DataFrame with what the target masks hidden in a column, which holds texts or conversations."""
    _needed()
    check(column, frame.columns)
    masked = Masked(column, target, {"threads": 1, **options})
    masked.expect(_arrow_type(frame, column))
    types = need("pyspark.sql.types", "spark")
    # What cannot be read is null, so the column may be.
    fields = [
        types.StructField(field.name, field.dataType, True) if field.name == column else field for field in frame.schema.fields
    ]
    return frame.mapInArrow(masked.batches, types.StructType(fields))


def sense(column: Any, target: str | Target[Any], columns: str | Iterable[str] = ("score", "sufficient"), **options: Any) -> Any:
    """A column of structs of the columns that `Target.frame` gives. `column` is a name or a `Column`."""
    arrow = _needed()
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    carried, options = Carried(target), {"threads": 1, **options}
    schema = carried.target().frame(arrow.array([], arrow.string()), columns=names, **options).schema
    kind = signed(arrow.struct(list(schema)))

    def sensed(texts: Any) -> Any:
        found = carried.target().frame(texts, columns=names, **options)
        batches = [arrow.StructArray.from_arrays(batch.columns, fields=list(batch.schema)).cast(kind) for batch in found.to_batches()]
        return arrow.concat_arrays(batches)

    return _function(sensed, kind, "sense")(column)


def score(column: Any, target: str | Target[Any], **options: Any) -> Any:
    """A column of scores; null where the row is null, cannot be read, or has too little to measure."""
    return _number(column, target, "score", options)


def fidelity(column: Any, target: str | Target[Any], **options: Any) -> Any:
    """A column of the fidelity: how much there is to measure, 0 to 1."""
    return _number(column, target, "fidelity", options)


def mask(column: Any, target: str | Target[Any], **options: Any) -> Any:
    """A column of texts with what the target masks hidden; `with_masked` also masks conversations."""
    arrow = _needed()
    carried, options = Carried(target), {"threads": 1, **options}

    def masked(texts: Any) -> Any:
        return carried.target().mask_column(texts, **options).cast(arrow.string())

    return _function(masked, arrow.string(), "mask")(column)


def register(
    session: Any, targets: Mapping[str, str | Target[Any]] | None = None, *, prefix: str = "", input: str = "text"
) -> None:
    """Gives a session the functions `score`, `fidelity`, `masked` and `sense` for SQL, as `sonometer.duckdb.register` does.

    A name of `targets` is sent with the function; other names are of the catalogue.
    """
    _needed()
    functions = Functions(targets, input=input, threads=1, signed=True, extra="spark").functions()
    for name, (function, kind) in functions.items():
        session.udf.register(prefix + name, _function(_of_two(function), kind, name, 2))


def _of_two(function: Any) -> Any:
    """A method as a function, whose annotations may be set."""

    def called(names: Any, texts: Any) -> Any:
        return function(names, texts)

    return called


def _number(column: Any, target: str | Target[Any], what: str, options: dict[str, Any]) -> Any:
    arrow = _needed()
    carried, options = Carried(target), {"threads": 1, **options}

    def number(texts: Any) -> Any:
        found = carried.target().frame(texts, columns=what, **options)[what]
        return found.combine_chunks()

    return _function(number, arrow.float64(), what)(column)


def _function(function: Any, kind: Any, name: str, count: int = 1) -> Any:
    """A function over Arrow arrays. Spark reads its kind from annotations, and these name pyarrow, which is imported only here."""
    arrow = need("pyarrow", "spark")
    arguments = function.__code__.co_varnames[:count]
    function.__annotations__ = {**dict.fromkeys(arguments, arrow.Array), "return": arrow.Array}
    function.__name__ = name
    return need("pyspark.sql.functions", "spark").arrow_udf(function, _spark_type(kind))


def _needed() -> Any:
    need("pyspark", "spark")
    return need("pyarrow", "spark")


def _arrow_type(frame: Any, column: str) -> Any:
    """The type in which workers get a column."""
    return need("pyspark.sql.pandas.types", "spark").to_arrow_type(frame.schema[column].dataType)


def _spark_type(kind: Any) -> Any:
    return need("pyspark.sql.pandas.types", "spark").from_arrow_type(kind)
