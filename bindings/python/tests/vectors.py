"""Runs vector cases through Python: `vectors.py CASES.jsonl OUT`.

Each case gives one line: the bytes of the reading or comparison as the door gives them, or the error as JSON. It judges
nothing: whoever calls it compares the lines with what is expected.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import sonometer
from sonometer import Interaction, SonometerError

Target = sonometer.Sensor | sonometer.Metric | sonometer.Blueprint


def run(case: dict[str, Any]) -> str:
    """The line of a case."""
    try:
        return answer(case)
    except SonometerError as error:
        line = {"code": error.code, "message": error.message, "place": error.place}
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def answer(case: dict[str, Any]) -> str:
    # A source may look like the name of something: `load` would take it for one.
    source = case["target"]
    target = sonometer.load(in_lines(source), shelf=[in_lines(text) for text in case["shelf"]], catalog=False)
    # The other interaction first, as the engine's own runner does: which of two errors is told must not differ.
    other = None if case["interaction_b"] is None else Interaction.from_json(case["interaction_b"])
    interaction = Interaction.from_json(case["interaction"])
    if other is not None:
        return target.compare(interaction, other).json()
    view = case["view"]
    show: dict[str, Any] = {"profile": view["profile"], "offsets": view["offsets"]}
    if view["flow"] is not None:
        primary = view["flow"]["primary"]
        show["flow"] = True if primary is None else primary
    if view["temporal"] is not None:
        window = view["temporal"]["window"]
        show["temporal"] = True if window is None else Decimal(window)
    return measured(target, interaction, case["feed"]).json(**show)


def in_lines(source: str) -> str:
    """A source of more than one line, which no id or path is."""
    return source if "\n" in source else source + "\n"


def measured(target: Target, interaction: Interaction, feed: str) -> sonometer.Reading | sonometer.CompositionReading:
    """The reading, of the whole or through a session that gets it in pieces."""
    if feed == "whole":
        return target.sense(interaction)
    session = target.session()
    # The times as they were read: a float has not all digits of the largest.
    _, (_, segments, _) = interaction.__reduce__()
    for role, content, millionths in segments:
        seconds = None if millionths is None else Decimal(millionths) / 1_000_000
        if feed == "segment" and role is not None:
            session.push_segment((role, content, seconds))
            continue
        if role is not None:
            session.begin_segment(role, seconds)
        for piece in pieces(content, feed):
            session.push(piece)
    return session.finish()


def pieces(content: str, feed: str) -> Iterator[str | bytes]:
    match feed:
        case "byte":
            for byte in content.encode():
                yield bytes([byte])
        case "token":
            # As language models give them: a word with the space before it.
            yield from re.findall(r"\s?\w+|\s?[^\w\s]|\s", content)
        case "segment":
            yield content
        case _:
            raise SystemExit(f"unknown feed {feed!r}")


def main() -> None:
    cases, out = sys.argv[1:]
    with open(cases, encoding="utf-8") as lines, open(out, "w", encoding="utf-8", newline="\n") as written:
        for line in lines:
            if line.strip():
                written.write(run(json.loads(line)) + "\n")


if __name__ == "__main__":
    main()
