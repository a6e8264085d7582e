"""Scores a JSON-lines file: `score_jsonl.py TARGET IN.jsonl OUT.jsonl`.

A line is an interaction (`{"content": …}` or `{"segments": […]}`), or an object with an `interaction` key and an `id`. Every line
that is not blank gives one line, in the same order: the bytes of its reading, or what is wrong with it. Memory does not grow.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, cast

import sonometer
from sonometer import SonometerError


def lines(path: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line


def interaction(line: str) -> Any:
    """What stands in a line; what is no JSON is handed on as it is, for the engine to say what is wrong with it."""
    try:
        read: Any = json.loads(line)
    except ValueError:
        return {"line": line.strip()[:80]}
    if isinstance(read, dict):
        members = cast("dict[str, Any]", read)
        return members.get("interaction", members)
    return read


def score(target: str, source: str, out: str) -> tuple[int, int]:
    """Writes one line for each; gives the number of readings and of errors."""
    sensor, readings, errors = sonometer.load(target), 0, 0
    numbered = ((number, interaction(line)) for number, line in lines(source))
    numbers: list[int] = []

    def interactions() -> Iterator[Any]:
        for number, read in numbered:
            numbers.append(number)
            yield read

    with open(out, "w", encoding="utf-8", newline="\n") as written:
        for outcome in sensor.map(interactions(), errors="return"):
            number = numbers.pop(0)
            if isinstance(outcome, SonometerError):
                errors += 1
                error = json.dumps({"code": outcome.code, "message": outcome.message, "details": outcome.details})
                written.write(f'{{"line":{number},"error":{error}}}\n')
            else:
                readings += 1
                written.write(f'{{"line":{number},"result":{outcome.json()}}}\n')
    return readings, errors


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    done, wrong = score(*sys.argv[1:])
    print(f"{done} readings, {wrong} errors")
