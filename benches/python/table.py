"""One message of 1 KB, set a (30 markers, 300 phrases): what Python programs use, beside Sonometer from Python.

`python table.py SET.json`, by `benches/python/run`. All engines read all messages in turns, in CPU time of this thread; a figure is the
median of the rounds, a ratio the median of the ratios of neighbouring rounds. Spans are compared with ours; what differs is counted by its reason.
"""

from __future__ import annotations

import importlib
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

Spans = set[tuple[int, int, int]]
# A message to the spans found in it: marker, first character, one past the last.
Find = Callable[[str], Any]
ROUNDS = 5
ARRAYS = "Sonometer, places as arrays"


def sonometer(markers: list[list[str]], protocol: str) -> tuple[Find, Find]:
    sensor = importlib.import_module("sonometer").Sensor.from_source(protocol)
    labels = {f"marker_a_{number}": number for number in range(len(markers))}
    return (
        lambda text: sensor.sense(text).evidence,
        lambda text: {(labels[found.metamarker], found.start, found.end) for found in sensor.sense(text).evidence},
    )


def arrays(markers: list[list[str]], protocol: str) -> tuple[Find, Find]:
    """Sonometer without an object for each piece of evidence."""
    sensor = importlib.import_module("sonometer").Sensor.from_source(protocol)
    numbers = [int(marker.label.removeprefix("marker_a_")) for marker in sensor.metamarkers]

    def find(text: str) -> tuple[Any, Any, Any, Any]:
        places = sensor.sense(text).places
        return places.markers, places.scores, places.starts, places.ends

    def spans(text: str) -> Spans:
        found, _, starts, ends = find(text)
        return {(numbers[marker], start, end) for marker, start, end in zip(found, starts, ends, strict=True)}

    return find, spans


def vectorscan(markers: list[list[str]], _: str) -> tuple[Find, Find]:
    hyperscan = importlib.import_module("hyperscan")
    lines = [(number, phrase) for number, phrases in enumerate(markers) for phrase in phrases]
    flags = hyperscan.HS_FLAG_CASELESS | hyperscan.HS_FLAG_SOM_LEFTMOST
    database = hyperscan.Database()
    database.compile(
        expressions=[rf"\b{re.escape(phrase)}\b".encode() for _, phrase in lines],
        ids=list(range(len(lines))),
        elements=len(lines),
        flags=[flags] * len(lines),
    )
    found: list[tuple[int, int, int]] = []

    def keep(line: int, start: int, end: int, _flags: int, _context: object) -> None:
        found.append((line, start, end))

    def find(text: str) -> list[tuple[int, int, int]]:
        found.clear()
        database.scan(text.encode(), match_event_handler=keep)
        return found

    return find, lambda text: {(lines[line][0], start, end) for line, start, end in find(text)}


def yara(markers: list[list[str]], _: str) -> tuple[Find, Find]:
    yara_x = importlib.import_module("yara_x")
    rules = "\n".join(
        f"rule m{number} {{ strings: "
        + " ".join(f"$p{at} = {json.dumps(phrase)} nocase fullword" for at, phrase in enumerate(phrases))
        + " condition: any of them }"
        for number, phrases in enumerate(markers)
    )
    scanner = yara_x.Scanner(yara_x.compile(rules))

    def spans(text: str) -> Iterator[tuple[int, int, int]]:
        for rule in scanner.scan(text.encode()).matching_rules:
            for pattern in rule.patterns:
                for match in pattern.matches:
                    yield int(rule.identifier[1:]), match.offset, match.offset + match.length

    return lambda text: list(spans(text)), lambda text: set(spans(text))


def presidio(markers: list[list[str]], _: str) -> tuple[Find, Find]:
    analyzer = importlib.import_module("presidio_analyzer")
    recognizers = [
        analyzer.PatternRecognizer(
            supported_entity=f"M{number}", patterns=[analyzer.Pattern("phrases", alternation(phrases), 0.5)]
        )
        for number, phrases in enumerate(markers)
    ]

    def find(text: str) -> list[tuple[int, int, int]]:
        return [
            (number, result.start, result.end)
            for number, recognizer in enumerate(recognizers)
            for result in recognizer.analyze(text, [f"M{number}"], None)
        ]

    return find, lambda text: set(find(text))


def spacy(markers: list[list[str]], _: str) -> tuple[Find, Find]:
    nlp = importlib.import_module("spacy").blank("en")
    matcher = importlib.import_module("spacy.matcher").PhraseMatcher(nlp.vocab, attr="LOWER")
    for number, phrases in enumerate(markers):
        matcher.add(str(number), [nlp.make_doc(phrase) for phrase in phrases])

    def find(text: str) -> list[Any]:
        return matcher(nlp.make_doc(text), as_spans=True)

    return find, lambda text: {(int(span.label_), span.start_char, span.end_char) for span in find(text)}


def expressions(markers: list[list[str]], _: str) -> tuple[Find, Find]:
    compiled = [re.compile(alternation(phrases), re.IGNORECASE) for phrases in markers]

    def find(text: str) -> list[tuple[int, int, int]]:
        return [(number, m.start(), m.end()) for number, one in enumerate(compiled) for m in one.finditer(text)]

    return find, lambda text: set(find(text))


def alternation(phrases: list[str]) -> str:
    return rf"\b(?:{'|'.join(map(re.escape, phrases))})\b"


def in_turns(finds: dict[str, Find], messages: list[str], rounds: int) -> dict[str, list[float]]:
    """Microseconds a message, by round."""
    times: dict[str, list[float]] = {name: [] for name in finds}
    for _ in range(rounds + 1):
        for name, find in finds.items():
            begin = time.thread_time()
            for message in messages:
                find(message)
            times[name].append((time.thread_time() - begin) / len(messages) * 1e6)
    # The first round warms up.
    return {name: figures[1:] for name, figures in times.items()}


def compared(ours: Spans, theirs: Spans, messages: list[str], markers: list[list[str]]) -> str:
    """How many spans are equal, and why the others are not."""
    why: dict[str, int] = {}
    for side, alone, others in (("ours", ours - theirs, theirs), ("peer's", theirs - ours, ours)):
        for span in alone:
            reason = f"{side} {reason_of(span, others, messages, markers)}"
            why[reason] = why.get(reason, 0) + 1
    return "; ".join([str(len(ours & theirs)), *(f"{reason} {count}" for reason, count in sorted(why.items()))])


def reason_of(span: tuple[int, int, int], others: Spans, messages: list[str], markers: list[list[str]]) -> str:
    marker, start, end = span
    text, phrases = messages[marker // len(markers)], markers[marker % len(markers)]
    if text[start:end].lower() not in phrases:
        return "written otherwise"
    if re.match(r"['’]?\w", text[end:]) or re.search(r"\w['’]?$", text[:start]):
        return "inside a word"
    if any(other[0] == marker and other[1] < end and start < other[2] for other in others):
        return "overlaps another"
    return "other"


def row(what: str, ours: float, peer: str, theirs: float, ratio: float, spans: str, aim: str = "-", met: str = "-") -> None:
    print(f"| {what} | {figure(ours)} | {peer} | {figure(theirs)} | {figure(ratio)} | {spans} | {aim} | {met} |")


def figure(value: float) -> str:
    """Three figures, and no more than the measurement bears."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def sentiment(messages: list[str], rust: float) -> None:
    """The protocol `affect` beside a lexicon of sentiment: other questions about the same text, so no spans are compared."""
    finds: dict[str, Find] = {}
    try:
        sensor = importlib.import_module("sonometer").Sensor("affect")
        finds["ours"] = lambda text: sensor.sense(text).evidence
        analyzer = importlib.import_module("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
        finds["theirs"] = analyzer.polarity_scores
    except ImportError as error:
        print(f"skipped: affect beside vaderSentiment ({error})")
        return
    times = in_turns(finds, messages, ROUNDS)
    ours, theirs = statistics.median(times["ours"]), statistics.median(times["theirs"])
    ratio = statistics.median(b / a for a, b in zip(times["ours"], times["theirs"], strict=True))
    row("`affect`, 1 KB, µs", ours, "vaderSentiment (one score)", theirs, ratio, "-")
    beside_rust("`affect`, 1 KB, µs", ours, rust)


def beside_rust(what: str, ours: float, rust: float) -> None:
    met = "yes" if ours <= 1.3 * rust else "**no**"
    row(what, ours, "Sonometer in Rust", rust, rust / ours, "-", "ratio ≥ 0.77", met)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    markers, messages = data["markers"], data["messages"]
    engines = {
        "Sonometer": sonometer,
        ARRAYS: arrays,
        "hyperscan": vectorscan,
        "yara-x": yara,
        "presidio-analyzer, patterns": presidio,
        "spaCy, PhraseMatcher": spacy,
        "`re`, one expression a marker": expressions,
    }
    finds: dict[str, Find] = {}
    spans: dict[str, Spans] = {}
    for name, make in engines.items():
        try:
            finds[name], collect = make(markers, data["protocol"])
        except ImportError as error:
            print(f"skipped: {name} ({error})")
            continue
        # The number of the message is put before that of the marker.
        spans[name] = {
            (at * len(markers) + number, start, end)
            for at, text in enumerate(messages)
            for number, start, end in collect(text)
        }
    print("| set a from Python | ours | peer | peer's | ratio | spans of both; and why others are not | aim | met |")
    print("|---|---:|---|---:|---:|---|---|---|")
    times = in_turns(finds, messages, ROUNDS)
    ours = times.get("Sonometer")
    for name, figures in times.items():
        if ours is None or name == "Sonometer":
            continue
        ratio = statistics.median(b / a for a, b in zip(ours, figures, strict=True))
        found = compared(spans["Sonometer"], spans[name], messages, markers)
        row("a message of 1 KB, µs", statistics.median(ours), name, statistics.median(figures), ratio, found)
    if ours is not None:
        beside_rust("a message of 1 KB, evidence as objects, µs", statistics.median(ours), data["rust"][0])
        beside_rust("a message of 1 KB, places as arrays, µs", statistics.median(times[ARRAYS]), data["rust"][0])
    sentiment(messages, data["rust"][1])


if __name__ == "__main__":
    main()
