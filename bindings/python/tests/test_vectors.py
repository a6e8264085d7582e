"""Every vector of the repository through Python, byte for byte, by the runner that the comparison of all doors calls."""

import json
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
import vectors

FIXTURES = pathlib.Path(__file__).parents[3] / "fixtures"
FILES = sorted(FIXTURES.glob("vectors/*.jsonl")) + sorted(FIXTURES.glob("regressions/*.jsonl"))


def members(line: str) -> dict[str, str]:
    """The members of an object, each as it is written: numbers and doubled keys would not survive reading."""
    found: dict[str, str] = {}
    decoder = json.JSONDecoder()
    at = line.index("{") + 1
    while (at := skip(line, at)) < len(line) and line[at] != "}":
        key, at = decoder.raw_decode(line, at)
        start = skip(line, line.index(":", at) + 1)
        _, at = decoder.raw_decode(line, start)
        found[key] = line[start:at]
        at = skip(line, at)
        if line[at] == ",":
            at += 1
    return found


def skip(line: str, at: int) -> int:
    while at < len(line) and line[at] in " \t":
        at += 1
    return at


def source(raw: str) -> str:
    """The text within a JSON string; any other value as it is written."""
    value = json.loads(raw)
    return value if isinstance(value, str) else raw


def view(raw: str | None) -> dict[str, Any]:
    asked = {} if raw is None else {key: json.loads(value) for key, value in members(raw).items()}
    flow, temporal = asked.get("flow"), asked.get("temporal")
    window = None if temporal is True or not raw else members(raw).get("temporal")
    return {
        "profile": asked.get("profile", "raw"),
        "offsets": asked.get("offsets"),
        "flow": None if flow is None or flow is False else {"primary": None if flow is True else flow},
        "temporal": None if temporal is None or temporal is False else {"window": window},
    }


def cases(file: pathlib.Path) -> Iterator[tuple[dict[str, Any], str | None, dict[str, str] | None]]:
    defined: dict[str, str] = {}
    shelf: list[str] = []
    for line in file.read_text(encoding="utf-8").split("\n"):
        if not line.strip():
            continue
        parts = members(line)
        kind = next(kind for kind in ("protocol", "metric", "blueprint") if kind in parts)
        target = source(parts[kind])
        if "define" in parts:
            defined[json.loads(parts["define"])] = target
            shelf.append(target)
            continue
        if kind == "protocol" and parts[kind].startswith('"'):
            target = defined[target]
        other = parts.get("interaction_b")
        case = {
            "name": json.loads(parts["name"]),
            "target": target,
            "shelf": [] if kind == "protocol" else list(shelf),
            "interaction": source(parts["interaction"]),
            "interaction_b": None if other is None else source(other),
            "view": view(parts.get("view")),
            "feed": "whole",
        }
        expect, error = parts.get("expect"), parts.get("error")
        yield case, None if expect is None else json.loads(expect), None if error is None else json.loads(error)


@pytest.mark.parametrize("feed", ["whole", "byte", "token", "segment"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_gives_the_bytes_that_every_door_gives(file: pathlib.Path, feed: str) -> None:
    ran = 0
    for case, expect, error in cases(file):
        line = vectors.run({**case, "feed": feed})
        if expect is not None:
            assert line == expect, case["name"]
        else:
            told = json.loads(line)
            assert error == {"code": told["code"], "place": told["place"]}, (case["name"], told["message"])
        ran += 1
    assert ran


@pytest.mark.parametrize("file", sorted(FIXTURES.glob("dives/*.jsonl")), ids=lambda file: file.stem)
def test_dives_and_cards_give_the_bytes_that_every_door_gives(file: pathlib.Path) -> None:
    lines = [line for line in file.read_text(encoding="utf-8").split("\n") if line]
    assert len(lines) >= 20
    for line in lines:
        case = json.loads(line)
        assert vectors.run(case) == case["expect"], case["name"]


def test_there_are_vectors() -> None:
    assert sum(1 for file in FILES for _ in cases(file)) >= 500
