"""Frames as what the caller's library calls a table. No library is imported that is not in use already."""

from __future__ import annotations

import importlib
from typing import Any

from ._optional import need

__all__ = ["alike", "alike_column", "readable"]


def _library(column: object) -> str:
    """The library that a column is of, by the name of its package."""
    return type(column).__module__.partition(".")[0]


def readable(column: Any) -> Any:
    """The column, in types that can be taken over. Where a field inside of Polars' values is null in every row (a `timestamp` that nobody has), its
    type is `Null`, which Polars hands out with a buffer that Arrow's interface does not allow. As texts or numbers the nulls are the same.
    """
    if _library(column) != "polars" or not hasattr(column, "dtype"):
        return column
    kind = _without_null(importlib.import_module("polars"), column.dtype)
    return column if kind == column.dtype else column.cast(kind)


def _without_null(polars: Any, kind: Any) -> Any:
    """A type of Polars in which values that are all null have the type that Sonometer reads there."""
    if isinstance(kind, polars.List):
        turn = polars.Struct({"role": polars.String, "content": polars.String})
        return polars.List(turn if kind.inner == polars.Null else _without_null(polars, kind.inner))
    if isinstance(kind, polars.Struct):
        filled = {"timestamp": polars.Float64}
        of = {field.name: filled.get(field.name, polars.String) if field.dtype == polars.Null else field.dtype for field in kind.fields}
        return polars.Struct({name: _without_null(polars, inner) for name, inner in of.items()})
    return kind


def alike(column: Any, frame: Any) -> Any:
    """A frame as a table of the library that the column is of; the frame itself where that is none of those known."""
    match _library(column):
        case "polars":
            return importlib.import_module("polars").DataFrame(frame)
        case "pyarrow":
            return importlib.import_module("pyarrow").table(frame)
        case "pandas":
            table = need("pyarrow", "pandas").table(frame).to_pandas()
            table.index = column.index
            return table
        case _:
            return frame


def alike_column(column: Any, frame: Any) -> Any:
    """The only column of a frame, as a column of that library."""
    match _library(column):
        case "polars":
            return importlib.import_module("polars").DataFrame(frame)["masked"].rename(column.name)
        case "pyarrow":
            masked = importlib.import_module("pyarrow").table(frame)["masked"]
            # One array in, one out; of several chunks, as they came.
            return masked.combine_chunks() if hasattr(column, "buffers") else masked
        case "pandas":
            table = alike(column, frame)
            return table["masked"].rename(column.name)
        case _:
            return frame
