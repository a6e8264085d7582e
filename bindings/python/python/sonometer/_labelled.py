"""Labelled rows as people have them, in tables, lists and files, and as the native half takes them."""

from __future__ import annotations

import datetime
import enum
import os
import uuid
from collections.abc import Mapping
from decimal import Decimal
from pathlib import PurePath
from typing import Any

from ._sonometer import Interaction
from .errors import InvalidRequestError, WrongTypeError

__all__ = ["Columns", "labelled", "ordinary", "plain"]

# The column of the interactions, or the two of pairs. A table without a header has numbers for names.
Columns = str | int | tuple[str | int, str | int]
# Columns that hold chats as other programs write them, or their JSON.
_CHATS = ("messages", "contents", "conversations")
# The columns of an interaction, the first that is there.
_OWN = ("interaction", "text", "content", "segments", *_CHATS)
# How tables are read that are files; the native half reads lines of JSON.
_TABLES = {
    ".csv": "pandas.read_csv({})",
    ".tsv": "pandas.read_csv({}, sep='\\t')",
    ".parquet": "pandas.read_parquet({})",
    ".feather": "pandas.read_feather({})",
    ".arrow": "pandas.read_feather({})",
    ".xlsx": "pandas.read_excel({})",
}

# Files that are no lines, by how they begin.
_WHOLE = (
    (b"[", "one list of JSON", "json.loads(pathlib.Path({}).read_text())"),
    (b"\x1f\x8b", "compressed", "pandas.read_json({}, lines=True)"),
)


def labelled(items: Any, text: Columns | None, ids: str | int | None) -> Any:
    """Rows of id, interaction and second interaction with their columns, and labels; of a file its name, bytes and columns, which the
    native half reads as the command does."""
    if not _is_file(items):
        return _prepared(_rows(items), text, ids)
    names = [] if text is None else [str(name) for name in (text if isinstance(text, (tuple, list)) else (text,))]
    return os.fspath(items), _read(items, "items"), names, None if ids is None else str(ids)


def _prepared(rows: list[Mapping[Any, Any]], text: Columns | None, ids: str | int | None) -> list[Any]:
    if not rows:
        return []
    columns = _columns(rows[0], text)
    return [_row(at, row, columns, ids) for at, row in enumerate(rows)]


def ordinary(background: Any, text: Columns | None) -> Any:
    """Ordinary interactions: names and bytes of files with a column, or interactions. `text` is the column of the items, which rows may
    have too."""
    if background is None:
        return None
    paths = background if isinstance(background, (list, tuple)) else [background]
    if paths and all(map(_is_file, paths)):
        files = [(os.fspath(path), _read(path, "background")) for path in paths]
        return files, text if isinstance(text, str) else None
    if isinstance(background, (str, bytes)) or not hasattr(background, "__iter__"):
        fix = "give a list of texts or interactions, rows, or the path of a .jsonl file"
        raise WrongTypeError(f"{type(background).__name__} is not a list of interactions; {fix}", place="background", fix=fix)
    if not isinstance(background, Mapping) and not hasattr(background, "columns"):
        background = list(background)
        if not any(isinstance(one, Mapping) and "segments" not in one for one in background):
            return background
    try:
        rows = _rows(background)
        column = text if isinstance(text, str) and rows and text in rows[0] else None
        return [row[1][1] for row in _prepared(rows, column, None)]
    except (InvalidRequestError, WrongTypeError) as error:
        error.place = error.place.replace("items", "background", 1)
        raise


def _is_file(source: Any) -> bool:
    """Whether this is the path of a file. A text that names none that is known may be anything."""
    return isinstance(source, os.PathLike) or (
        isinstance(source, str) and "\n" not in source and PurePath(source).suffix.lower() in (".jsonl", ".ndjson", ".json", ".gz", *_TABLES)
    )


def _read(path: Any, place: str) -> bytes:
    name = os.fspath(path)
    if (reader := _TABLES.get(PurePath(name).suffix.lower())) is not None:
        fix = f"give its rows, such as {reader.format(repr(name))}"
        raise InvalidRequestError(f"{name} is a table; {fix}", place=place, fix=fix)
    with open(path, "rb") as file:
        data = file.read()
    for start, kind, reader in _WHOLE:
        if data.lstrip().startswith(start):
            fix = f"give its rows, such as {reader.format(repr(name))}"
            raise InvalidRequestError(f"{name} is {kind}; {fix}", place=place, fix=fix)
    return data


def _rows(items: Any) -> list[Mapping[Any, Any]]:
    if hasattr(items, "to_dicts"):
        return list(items.to_dicts())
    if hasattr(items, "to_dict") and hasattr(items, "columns"):
        return list(items.to_dict("records"))
    if hasattr(items, "to_pylist") and hasattr(items, "column_names"):
        return list(items.to_pylist())
    if isinstance(items, Mapping):
        columns = {name: list(column) for name, column in items.items()}
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"`{name}` has {length}" for name, length in lengths.items())
            fix = "give each column a value for every row"
            raise InvalidRequestError(f"the columns differ in length: {told}; {fix}", place="items", fix=fix)
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    fix = "give a list of dicts, a dict of columns, a DataFrame, or the path of a .jsonl file"
    if hasattr(items, "collect") and not hasattr(items, "__iter__"):
        fix = "collect it first: frame.collect()"
    if isinstance(items, (str, bytes)) or not hasattr(items, "__iter__"):
        raise WrongTypeError(f"{type(items).__name__} is not a list of labelled rows; {fix}", place="items", fix=fix)
    rows = list(items)
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            what = f"{type(row).__name__} is not a row"
            raise WrongTypeError(f"{what}; {fix}", place=f"items[{at}]", fix=fix)
    return rows


def _columns(first: Mapping[Any, Any], text: Columns | None) -> tuple[str | int, ...]:
    """The columns of the interactions."""
    if text is not None:
        return tuple(text) if isinstance(text, (tuple, list)) else (text,)
    if "interaction_a" in first or "interaction_b" in first:
        return ("interaction_a", "interaction_b")
    for name in _OWN:
        if name in first:
            return (name,)
    fix = "give the column of the texts as `text`; the columns are " + ", ".join(str(name) for name in first)
    raise InvalidRequestError(f"there is no column interaction, text or content; {fix}", place="items[0]", fix=fix)


def _row(at: int, row: Mapping[Any, Any], columns: tuple[str | int, ...], ids: str | int | None) -> tuple[Any, ...]:
    for name in (*columns, *([] if ids is None else [ids])):
        if name not in row:
            fix = "the columns are " + ", ".join(str(column) for column in row)
            raise InvalidRequestError(f"the row has no `{name}`; {fix}", place=f"items[{at}]", fix=fix)
    own = "id" if ids is None else ids
    labels = row.get("labels")
    if not isinstance(labels, Mapping):
        labels = {name: value for name, value in row.items() if name not in columns and name != own}
    first, *second = ((str(name), _said(at, str(name), _listed(row[name]))) for name in columns)
    identity = plain(row.get(own))
    return (None if identity is None else str(identity), first, second[0] if second else None, plain(labels))


def _said(at: int, name: str, value: Any) -> Any:
    """What is said in a column that holds chats as other programs write them; of any other column its value."""
    is_chat = isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) or hasattr(one, "model_dump") for one in value)
    if name not in _CHATS or not (is_chat or isinstance(value, (str, bytes)) and value.lstrip()[:1] in ("[", "{", b"[", b"{")):
        return value
    try:
        return Interaction.from_messages({name: value} if is_chat else value)
    except InvalidRequestError as error:
        error.place = f"items[{at}].{error.place}"
        raise


def _listed(value: Any) -> Any:
    """An array of a table as a list; all else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def plain(value: Any) -> Any:
    """A value of a table as JSON has it: what is missing is None."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return None if value != value else value
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, (set, frozenset)):
        # In an order that is the same in every process.
        return sorted(map(plain, value), key=lambda inner: (type(inner).__name__, inner))
    if isinstance(value, Decimal):
        return float(value)
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (uuid.UUID, PurePath)) or type(value).__name__ in ("Interval", "Period"):
        return str(value)
    for method in ("tolist", "to_list"):
        if hasattr(value, method):
            return plain(getattr(value, method)())
    return value
