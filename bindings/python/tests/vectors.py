"""Runs vector cases through Python: `vectors.py CASES.jsonl OUT`.

Each case gives one line: the bytes of the reading, comparison or dive as the door gives them, or the error as JSON. It judges
nothing: the caller compares the lines with what is expected.
"""

from __future__ import annotations

import functools
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
        if "dive" in case:
            return dived(case["dive"])
        return checked(case["card"]) if "card" in case else answer(case)
    except SonometerError as error:
        return told(error)


def told(error: SonometerError) -> str:
    """An error as a line."""
    line = {"code": error.code, "message": error.message, "place": error.place}
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


@functools.cache
def stage_of(stage: str, shelf: tuple[str, ...]) -> sonometer.Stage:
    """Kept for the cases that follow: reading a stage takes longer than diving it."""
    return sonometer.Stage(stage, shelf=[in_lines(text) for text in shelf])


def dived(case: dict[str, Any]) -> str:
    """A dive from its opening to its card, put together from the texts of the engine."""
    stage = stage_of(case["stage"], tuple(case["shelf"]))
    key = None if case["key"] is None else sonometer.SigningKey(case["key"])

    def paused(dive: sonometer.Dive) -> sonometer.Dive:
        return stage.resume(dive.save()) if case["pause"] else dive

    dive = stage.open(seed=int(case["seed"]))
    opened = dive.observation.json()
    dive = paused(dive)
    steps: list[str] = []
    log: list[str] = []
    for action in case["actions"]:
        try:
            step = dive.act(action)
            steps.append(step.json())
            log.append(step.log_line)
        except SonometerError as error:
            steps.append(told(error))
        dive = paused(dive)
    if dive.log() != "".join(f"{line}\n" for line in log):
        return "the log has other lines than the steps"
    closing = case["closing"]
    agent = closing["agent"] and (closing["agent"]["id"], closing["agent"]["version"])
    card = dive.close(dive_id=closing["dive_id"], agent=agent, summary=closing["summary"])
    if key is not None:
        card = card.sign(key)
    parts = f'"steps":[{",".join(steps)}],"log":[{",".join(log)}],"chain":"{dive.chain}","card":{card.json()}'
    return f'{{"opened":{opened},{parts}}}'


def checked(case: dict[str, Any]) -> str:
    """Whether a card holds."""
    card = sonometer.StageCard.read(case["text"])
    if case["keys"] is not None:
        card.verify(case["keys"])
    if case["log"] is not None:
        stage = None if case["stage"] is None else stage_of(case["stage"], tuple(case["shelf"]))
        card.replay(case["log"], stage=stage)
    return '{"holds":true}'


def answer(case: dict[str, Any]) -> str:
    # A source may look like the name of something: `load` would take it for one.
    source = case["target"]
    target = sonometer.load(in_lines(source), shelf=[in_lines(text) for text in case["shelf"]], catalog=False)
    # The other interaction first, as the engine's own runner does: both must report the same one of two errors.
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


def measured(target: Target, interaction: Interaction, feed: str) -> sonometer.Reading:
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
