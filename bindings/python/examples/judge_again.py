"""The same answers judged again and again: `judge_again.py TARGET IN.jsonl [ANSWERS [ROUNDS]]`.

Each round is a process of its own that takes the answers in another order and by another way: one by one, many over threads, in pieces as a
stream would bring them. It says how many different values each answer got. Labels are not needed.
"""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
from typing import Any

import sonometer

# What a round does, by its number.
WAYS = ("one by one", "over threads", "in pieces")


def answers(path: str, most: int) -> list[Any]:
    """The first interactions of a file of JSON lines."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.strip()]
    return [line.get("interaction", line) for line in lines[:most]]


def judge(target: str, path: str, most: int, number: int) -> list[str]:
    """The digest of each answer's reading, in the order of the file."""
    sensor, talks = sonometer.load(target), answers(path, most)
    order = list(range(len(talks)))
    random.Random(number).shuffle(order)
    match WAYS[number % len(WAYS)]:
        case "one by one":
            read = [sensor.sense(talks[at]) for at in order]
        case "over threads":
            read = list(sensor.map((talks[at] for at in order), threads=2))
        case _:
            read = [in_pieces(sensor, talks[at], 1 + number) for at in order]
    digests = {at: hashlib.sha256(reading.json().encode()).hexdigest() for at, reading in zip(order, read, strict=True)}
    return [digests[at] for at in range(len(talks))]


def in_pieces(sensor: Any, talk: Any, length: int) -> Any:
    """A reading of what comes in pieces of so many characters."""
    session = sensor.session()
    for segment in sonometer.Interaction(talk).segments:
        if segment.role is not None:
            session.begin_segment(segment.role)
        for start in range(0, len(segment.content), length):
            session.push(segment.content[start : start + length])
    return session.finish()


def main() -> None:
    """Judges in rounds, each in a process of its own, and prints what they came to."""
    target, path = sys.argv[1], sys.argv[2]
    most, rounds = int((sys.argv[3:4] or ["200"])[0]), int((sys.argv[4:5] or ["10"])[0])
    if sys.argv[5:6] == ["--round"]:
        print(json.dumps(judge(target, path, most, int(sys.argv[6]))))
        return
    values: list[set[str]] = []
    for number in range(rounds):
        command = [sys.executable, __file__, target, path, str(most), str(rounds), "--round", str(number)]
        digests = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        values = values or [set() for _ in digests]
        for seen, digest in zip(values, digests, strict=True):
            seen.add(digest)
    flipped = sum(len(seen) > 1 for seen in values)
    print(f"{len(values)} answers, {rounds} rounds: {len(values) - flipped} with one value, {flipped} with more")


if __name__ == "__main__":
    main()
