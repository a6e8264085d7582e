"""Sonometer in DuckDB: `sonometer.duckdb.register(connection)`, then `select score('courtesy', text) from talks`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import Target
from ._optional import need
from ._sql import Functions

__all__ = ["register"]


def register(
    connection: Any,
    targets: Mapping[str, str | Target[Any]] | None = None,
    *,
    prefix: str = "",
    input: str = "text",
    threads: int | None = 1,
) -> None:
    """Gives a connection the functions `score`, `fidelity` and `masked`, and `sense`, a struct of `score`, `sufficient`, `fidelity`,
    `triggered`, `evidence` and `error`. Each takes the name of a target and a text.

    Names are those of `targets`, then those of the catalogue. `prefix` stands before the names of the functions. With `input="json"`, texts
    are interactions as JSON, such as `to_json({'segments': talk})`, and there is no `masked`. DuckDB hands over 2,048 rows at once and calls
    from its own threads, so `threads` is 1.
    """
    need("duckdb", "duckdb")
    functions = Functions(targets, input=input, threads=threads, extra="duckdb").functions()
    for name, (function, kind) in functions.items():
        # `special`: without it DuckDB refuses a null that is no null of the input, such as the score of a text with too little in it.
        connection.create_function(
            prefix + name, function, ["VARCHAR", "VARCHAR"], _type(kind), type="arrow", null_handling="special"
        )


def _type(kind: Any) -> str:
    """A type of pyarrow in the words of DuckDB."""
    types = need("pyarrow", "duckdb").types
    if types.is_list(kind):
        return f"{_type(kind.value_type)}[]"
    if types.is_struct(kind):
        return "STRUCT({})".format(", ".join(f'"{field.name}" {_type(field.type)}' for field in kind))
    return {"double": "DOUBLE", "bool": "BOOLEAN", "string": "VARCHAR", "uint32": "UINTEGER"}[str(kind)]
