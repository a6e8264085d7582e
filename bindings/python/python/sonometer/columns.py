"""Frames as what the caller's library calls a table. No library is imported that is not in use already."""

from __future__ import annotations

import importlib
from typing import Any

from ._optional import need

__all__ = ["alike", "alike_column"]


def _library(column: object) -> str:
    """The library that a column is of, by the name of its package."""
    return type(column).__module__.partition(".")[0]


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
