"""Sonometer in DataFusion: `sonometer.datafusion.register(context)`, then `select score('courtesy', text) from talks`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import Target
from ._optional import need
from ._sql import Functions

__all__ = ["register"]


def register(
    context: Any,
    targets: Mapping[str, str | Target[Any]] | None = None,
    *,
    prefix: str = "",
    input: str = "text",
    threads: int | None = 1,
) -> None:
    """Gives a `SessionContext` the functions `score`, `fidelity`, `masked` and `sense`, as `sonometer.duckdb.register` does."""
    arrow, datafusion = need("pyarrow", "datafusion"), need("datafusion", "datafusion")
    functions = Functions(targets, input=input, threads=threads, extra="datafusion").functions()
    for name, (function, kind) in functions.items():
        # Immutable: the same text gives the same bytes, so what is constant is computed once.
        context.register_udf(datafusion.udf(function, [arrow.string(), arrow.string()], kind, "immutable", prefix + name))
