"""How much the way through Python costs: one message of 1 KB, and 10,000 in one call.

Run with the installed wheel: `python bench.py [BARE_MICROSECONDS]`. The argument is what the engine takes alone for the same
message and its JSON (`cargo bench -p sonometer-bench`); without it, `Sensor.batch` on one thread stands for it, which has
nothing of Python in its inner loop but the making of the objects.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from sonometer import Sensor

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


def best(work: Callable[[], object], times: int, rounds: int = 15) -> float:
    """Microseconds of the fastest of several rounds: what disturbs a machine only makes it slower."""
    fastest = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(times):
            work()
        fastest = min(fastest, (time.perf_counter() - begin) / times)
    return fastest * 1e6


def main() -> None:
    text, sensor = message(), Sensor("courtesy@1.0")
    many = [text] * 10_000
    one = best(lambda: sensor.sense(text).json(), 500)
    sensed = best(lambda: sensor.sense(text), 500)
    batch = {threads: best(lambda: sensor.batch(many, threads=threads), 1, 5) / len(many) for threads in (1, 2)}  # noqa: B023
    bare = float(sys.argv[1]) if len(sys.argv) > 1 else batch[1]
    print(f"one message of {len(text)} bytes, reading and JSON   {one:8.2f} us   {one / bare:.2f} of bare")
    print(f"one message, reading only                     {sensed:8.2f} us")
    print(f"10,000 in one batch, 1 thread, each           {batch[1]:8.2f} us")
    print(f"10,000 in one batch, 2 threads, each          {batch[2]:8.2f} us   {10_000 * batch[2] / 1e3:.0f} ms in all")


if __name__ == "__main__":
    main()
