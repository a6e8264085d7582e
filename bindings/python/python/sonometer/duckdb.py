"""Sonometer in DuckDB: `sonometer.duckdb.register(connection)`, then `select score('courtesy', text) from talks`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from . import InvalidRequestError, Target
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
    from its own threads, so `threads` is 1. Called again, it replaces the functions of these names.
    """
    duckdb = need("duckdb", "duckdb")
    functions = Functions(targets, input=input, threads=threads, extra="duckdb").functions()
    for name, (function, kind) in functions.items():
        with suppress(duckdb.InvalidInputException):  # There is none yet.
            connection.remove_function(prefix + name)
        # `special`: without it DuckDB refuses a null that is no null of the input, such as the score of a text with too little in it.
        try:
            connection.create_function(
                prefix + name, function, ["VARCHAR", "VARCHAR"], _type(kind), type="arrow", null_handling="special"
            )
        except duckdb.CatalogException as error:
            # A macro, or a function that another cursor registered, which only that one can take away.
            fix = 'give a prefix, such as prefix="snm_"'
            message = f"the database has something else called `{prefix + name}`; {fix}"
            raise InvalidRequestError(message, place="prefix", fix=fix) from error


def _type(kind: Any) -> str:
    """A type of pyarrow in the words of DuckDB."""
    types = need("pyarrow", "duckdb").types
    if types.is_list(kind):
        return f"{_type(kind.value_type)}[]"
    if types.is_struct(kind):
        return "STRUCT({})".format(", ".join(f'"{field.name}" {_type(field.type)}' for field in kind))
    return {"double": "DOUBLE", "bool": "BOOLEAN", "string": "VARCHAR", "uint32": "UINTEGER"}[str(kind)]
