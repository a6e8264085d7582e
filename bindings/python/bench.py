"""How much the way through Python costs: one message of 1 KB, and 10,000 in one call.

Run with the installed wheel: `python bench.py [BARE]`, where BARE is the program of `bare.rs`
(`cargo build --release -p sonometer-python --features extension-module --example bare`). It measures the engine alone with the same
message, its rounds in turn with those of Python, so that what disturbs the machine disturbs both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

from sonometer import Places, Sensor

TARGET = "courtesy@1.0"
MANY = 10_000
SENTENCES = (
    "Good morning, and thank you for getting back to me so quickly. ",
    "I have restarted the router twice since yesterday, but the line still drops every few minutes. ",
    "Could you please have a look at the settings on your side? ",
    "The light in the middle keeps blinking in red, and nothing that the manual says about it has helped so far. ",
    "We work from home, so this is rather urgent for us. ",
)


def message(length: int = 1024) -> str:
    """A message of so many bytes."""
    text = ""
    while len(text) < length:
        text += SENTENCES[len(text) % len(SENTENCES)]
    return text[:length]


def round_of(work: Callable[[], object], times: int) -> Callable[[], float]:
    """Microseconds of one of so many times."""

    def run() -> float:
        begin = time.perf_counter()
        for _ in range(times):
            work()
        return (time.perf_counter() - begin) / times * 1e6

    return run


def arrays(places: Places) -> tuple[object, ...]:
    """All that says where evidence stands and what it is."""
    return places.markers, places.scores, places.segments, places.starts, places.ends


class Bare:
    """The engine without Python, asked for rounds over a pipe."""

    def __init__(self, program: str, text: str, threads: int) -> None:
        self.process = subprocess.Popen(
            [program, TARGET],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "RAYON_NUM_THREADS": str(threads)},
        )
        self.say(text)

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def round(self, what: str, times: int) -> float:
        self.say(f"{what} {times}")
        assert self.process.stdout is not None
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate()


def best(rounds: dict[str, Callable[[], float]], times: int) -> dict[str, float]:
    """The fastest round of each, in turn: what disturbs a machine only makes it slower."""
    fastest = dict.fromkeys(rounds, float("inf"))
    for _ in range(times):
        for name, run in rounds.items():
            fastest[name] = min(fastest[name], run())
    return fastest


def main() -> None:
    text, sensor = message(), Sensor(TARGET)
    many = [text] * MANY
    bare = {threads: Bare(sys.argv[1], text, threads) for threads in (1, 2)} if len(sys.argv) > 1 else {}

    def through_session() -> None:
        session = sensor.session()
        for at in range(0, len(text), 4):
            session.push(text[at : at + 4])
        session.finish()

    one = {
        "reading": round_of(lambda: sensor.sense(text), 500),
        "reading and its JSON": round_of(lambda: sensor.sense(text).json(), 500),
        "reading, evidence as arrays": round_of(lambda: arrays(sensor.sense(text).places), 500),
        "reading, evidence as objects": round_of(lambda: sensor.sense(text).evidence, 500),
        "session of 256 chunks": round_of(through_session, 20),
    }
    batches: dict[str, Callable[[], float]] = {}
    for threads in (1, 2):
        plural = "s" * (threads > 1)
        for name, work in (
            ("batch", lambda threads=threads: sensor.batch(many, threads=threads)),
            ("table", lambda threads=threads: arrays(sensor.table(many, threads=threads).places)),
        ):
            batches[f"{name}, {threads} thread{plural}"] = lambda work=work: round_of(work, 1)() / MANY  # type: ignore[misc]
    if bare:
        one["bare engine, with its evidence"] = lambda: bare[1].round("evidence", 500)
        one["bare engine, with its JSON"] = lambda: bare[1].round("one", 500)
        one["bare engine, session"] = lambda: bare[1].round("session", 20)
        for threads, engine in bare.items():
            batches[f"bare engine, {threads}"] = lambda engine=engine: engine.round("many", MANY)  # type: ignore[misc]
    for title, rounds, times in ((f"one message of {len(text)} bytes", one, 15), (f"{MANY:,} in one batch, each", batches, 5)):
        print(f"{title}, microseconds")
        for name, microseconds in best(rounds, times).items():
            print(f"  {name:<30} {microseconds:8.2f}")
    for engine in bare.values():
        engine.close()


if __name__ == "__main__":
    main()
