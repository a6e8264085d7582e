"""Corpora of ConvoKit as conversations: its folder with `utterances.jsonl`, that file alone, or a `Corpus`. ConvoKit itself is not needed.

>>> import sonometer.convokit
>>> lines = '{"id": "1", "conversation_id": "1", "speaker": "ann", "text": "Hello.", "timestamp": null}'
>>> [talk.segments for talk in sonometer.convokit.conversations(lines.splitlines())]
[[{'role': 'ann', 'content': 'Hello.'}]]
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._optional import need
from .errors import InvalidRequestError

__all__ = ["Conversation", "conversations", "table"]

# An utterance with the names that ConvoKit gives its parts: `id`, `text`, `speaker`, `timestamp`, `meta`.
Role = Callable[[dict[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of a corpus."""

    id: str
    """Its id in the corpus."""
    segments: list[dict[str, Any]]
    """Its turns, with `role`, `content` and, where all have one, `timestamp`: in seconds from the first."""
    meta: dict[str, Any]
    """What the corpus says about it."""

    @property
    def interaction(self) -> dict[str, Any]:
        """As `Target.sense` takes it."""
        return {"segments": self.segments}


def conversations(source: Any, *, role: str | Role | None = None) -> Iterator[Conversation]:
    """The conversations of a corpus, in the order in which they begin.

    `source` is the path of a corpus or of its `utterances.jsonl`, lines of that, or a `Corpus`. Roles are the ids of speakers; `role` is the
    name of an entry in the `meta` of utterances, or a function that gives the role of an utterance. Turns are in the order of their
    timestamps where all of a conversation have one, otherwise in that of the file. Utterances without text are left out. The utterances of
    one conversation need not stand together, so all are read before the first conversation comes.
    """
    about, utterances = _read(source)
    name = role if callable(role) else _role(role)
    talks: dict[str, list[dict[str, Any]]] = {}
    for utterance in utterances:
        talks.setdefault(utterance["conversation"], []).append(utterance)
    for identity, turns in talks.items():
        if all(isinstance(turn["timestamp"], (int, float)) for turn in turns):
            turns.sort(key=lambda turn: turn["timestamp"])
            begin = turns[0]["timestamp"]
            times = [{"timestamp": turn["timestamp"] - begin} for turn in turns]
        else:
            times = [{} for _ in turns]
        segments = [
            {"role": name(turn), "content": turn["text"], **time} for turn, time in zip(turns, times, strict=True) if turn["text"].strip()
        ]
        yield Conversation(identity, segments, about.get(identity, {}))


def table(source: Any, *, role: str | Role | None = None) -> Any:
    """The same as a table of pyarrow with `id`, `conversation` (for `Target.frame`) and `meta` as JSON."""
    arrow = need("pyarrow", "pandas")
    turn = arrow.struct([("role", arrow.string()), ("content", arrow.string()), ("timestamp", arrow.float64())])
    schema = arrow.schema([("id", arrow.string()), ("conversation", arrow.list_(turn)), ("meta", arrow.string())])
    talks = list(conversations(source, role=role))
    columns = [
        [talk.id for talk in talks],
        [talk.segments for talk in talks],
        [json.dumps(talk.meta, ensure_ascii=False, sort_keys=True, default=str) for talk in talks],
    ]
    arrays = [arrow.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return arrow.Table.from_arrays(arrays, schema=schema)


def _read(source: Any) -> tuple[dict[str, dict[str, Any]], Iterator[dict[str, Any]]]:
    """What is known about conversations, and the utterances."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        folder = path if path.is_dir() else path.parent
        file = path / "utterances.jsonl" if path.is_dir() else path
        if not file.is_file():
            message = f"{source} is no corpus of ConvoKit; give a folder with an utterances.jsonl, or that file"
            raise InvalidRequestError(message, place="source")
        about = folder / "conversations.json"
        known = json.loads(about.read_text(encoding="utf-8")) if about.is_file() else {}
        # Older corpora have the meta itself, newer ones `{"meta": …, "vectors": …}`.
        metas = {key: value["meta"] if isinstance(value.get("meta"), dict) else value for key, value in known.items()}
        return metas, _of_file(file)
    if hasattr(source, "iter_utterances"):
        metas = {talk.id: dict(talk.meta) for talk in source.iter_conversations()}
        return metas, (_of_object(utterance) for utterance in source.iter_utterances())
    return {}, _of_lines(source, "line")


def _of_file(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from _of_lines(lines, file.name + ", line")


def _of_lines(lines: Iterable[str], where: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{where} {number}"
        try:
            found = json.loads(line)
        except ValueError as error:
            raise InvalidRequestError(f"this is no JSON: {error}", place=place) from None
        if not isinstance(found, dict):
            raise InvalidRequestError("an utterance is an object", place=place)
        # Corpora of before 2020 name the first utterance `root` and the speaker `user`.
        conversation = found.get("conversation_id", found.get("root"))
        speaker = found.get("speaker", found.get("user"))
        if conversation is None or speaker is None or not isinstance(found.get("text", ""), (str, type(None))):
            raise InvalidRequestError("an utterance needs `conversation_id`, `speaker` and `text`", place=place)
        yield {
            "id": found.get("id"),
            "conversation": str(conversation),
            "speaker": str(speaker),
            "text": found.get("text") or "",
            "timestamp": _time(found.get("timestamp")),
            "meta": found.get("meta") or {},
        }


def _of_object(utterance: Any) -> dict[str, Any]:
    return {
        "id": utterance.id,
        "conversation": utterance.conversation_id,
        "speaker": utterance.speaker.id,
        "text": utterance.text or "",
        "timestamp": _time(utterance.timestamp),
        "meta": dict(utterance.meta),
    }


def _time(value: Any) -> float | None:
    """Seconds. Some corpora have them as text, such as "1322706222.0"; others have dates in words, which are not read."""
    try:
        return None if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def _role(name: str | None) -> Role:
    def of(utterance: dict[str, Any]) -> str:
        if name is None:
            return str(utterance["speaker"])
        if name not in utterance["meta"]:
            names = ", ".join(sorted(utterance["meta"])) or "nothing"
            message = f"utterance {utterance['id']} has no `{name}` in its meta, which has {names}"
            raise InvalidRequestError(message, place="role")
        return str(utterance["meta"][name])

    return of
