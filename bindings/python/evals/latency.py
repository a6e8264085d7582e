"""What a guard adds in time: a plain client and a guarded one in turns, before a provider in a process of its own.

    python bindings/python/evals/latency.py [ROUNDS]

The time of the processor counts this process only, so that what else runs on the machine does not count.
"""

import pathlib
import statistics
import subprocess
import sys
import time
from typing import Any

import openai

import sonometer

PROVIDER = pathlib.Path(__file__).with_name("provider.py")
TALK = "My name is Ann Miller, my address is ann.miller@example.org, and my card is 4111 1111 1111 1111. Please write a short letter to the bank."


def ask(client: Any, text: str) -> tuple[float, float]:
    """The time that a request took, and that of the processor."""
    begin, worked = time.perf_counter_ns(), time.process_time_ns()
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])
    return (time.perf_counter_ns() - begin) / 1000, (time.process_time_ns() - worked) / 1000


def events(client: Any) -> list[float]:
    """From the moment in which the provider sends an event to that in which the program has it."""
    stream = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "timed"}], stream=True)
    return [time.monotonic_ns() / 1000 - chunk.created for chunk in stream if chunk.choices[0].finish_reason is None]


def row(name: str, plain: list[float], guarded: list[float]) -> None:
    one, other = statistics.median(plain), statistics.median(guarded)
    print(f"| {name} | {one:.0f} µs | {other:.0f} µs | {other - one:.0f} µs | {len(plain)} |")


def main(rounds: int) -> None:
    process = subprocess.Popen([sys.executable, PROVIDER], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        plain = openai.OpenAI(base_url=f"{address}/v1", api_key="k")
        guarded = sonometer.guard(openai.OpenAI(base_url=f"{address}/v1", api_key="k"), mask="personal-data", placeholders=True)
        print(f"openai {openai.__version__}\n\n| | plain, p50 | guarded, p50 | added, p50 | times |\n|---|---:|---:|---:|---:|")
        for name, text in (("a request of one message and its answer", TALK), ("a request of 40 messages' length and its answer", TALK * 40)):
            # The first ones build what the package builds once.
            for client in (plain, guarded):
                ask(client, text)
            both = [(ask(plain, text), ask(guarded, text)) for _ in range(rounds)]
            for at, what in enumerate((name, f"{name}, time of the processor")):
                row(what, [one[at] for one, _ in both], [other[at] for _, other in both])
        found: tuple[list[float], list[float]] = ([], [])
        for _ in range(max(1, rounds // 100)):
            for client, took in zip((plain, guarded), found, strict=True):
                took += events(client)
        row("one event of a stream, 5 ms apart", *found)
    finally:
        process.kill()


main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
