"""Code as people write it, for type checkers only: each line must have the type that stands there."""

import pathlib
from collections.abc import AsyncIterator
from typing import assert_type

import sonometer
from sonometer import (
    Blueprint,
    Dive,
    DiveEnv,
    Exchange,
    Extract,
    FitReport,
    Guard,
    Interaction,
    Metric,
    ModelGuard,
    Places,
    Reading,
    Readings,
    Report,
    Sensor,
    Session,
    SigningKey,
    SonometerError,
    Stage,
    StageCard,
    Stream,
    Table,
)
from sonometer.diving import DiveStep
from sonometer.files import Piece, Place, Sound
from sonometer.guarding import open_guard
from sonometer.model import Event, Evidence, EvidenceFound, Ledger, Part, Signal, Step


def of_protocols(sensor: Sensor, texts: list[str]) -> None:
    reading = sensor.sense([("agent", "Hello."), ("customer", "Hi.", 2.5)])
    assert_type(reading, Reading)
    assert_type(reading.evidence, tuple[Evidence, ...])
    assert_type(reading.evidence[0].start, int)
    assert_type(reading.places, Places)
    assert_type(sensor.table(texts), Table)
    assert_type(sensor.table(texts, errors="return").places.scores, memoryview[float])
    assert_type(reading.signal, Signal | None)
    assert_type(reading.ledger, Ledger)
    assert_type(reading.json(profile="detailed", offsets="chars", flow="agent", temporal=60), str)
    assert_type(sensor.batch(texts), list[Reading])
    assert_type(sensor.batch(texts, errors="return"), list[Reading | SonometerError])
    assert_type(sensor.map(iter(texts)), Readings[Reading])
    for one in sensor.map(texts, errors="return"):
        assert_type(one, Reading | SonometerError)
    assert_type({reading: 1}, dict[Reading, int])


def of_stages(name: str) -> None:
    stage = Stage(name, shelf=["porter.yaml"])
    assert_type(stage.envelope.max_turns, int)
    assert_type(stage.walkthroughs["reference"].say, tuple[str, ...])
    dive = stage.open(seed=7)
    assert_type(dive, Dive)
    step = dive.act("Hello.")
    assert_type(step, DiveStep)
    assert_type(step.evidence, tuple[Evidence, ...])
    assert_type(stage.resume(dive.save()).log(), str)
    card = dive.close(agent=("kelp", "0.3")).sign(SigningKey(bytes(32)))
    assert_type(card, StageCard)
    assert_type(card.verdict.passed, bool)
    StageCard.read(card.json()).replay(["Hello."], stage=stage)
    env = DiveEnv(stage, reward=lambda step: step.score)
    observation, reward, terminated, truncated, _ = env.step("Hello.")
    assert_type((observation, reward, terminated, truncated), tuple[str, float, bool, bool])


def of_compositions(whole: Metric | Blueprint) -> None:
    assert_type(whole.sense(Interaction("Hello.")), Reading)
    assert_type(whole.sense({"content": "Hello."}).parts[0].score, float | None)
    assert_type(whole.batch(["Hello."]), list[Reading])


def of_anything(name: str) -> None:
    target = sonometer.load(name)
    assert_type(target, Sensor | Metric | Blueprint)
    assert_type(target.sense("Hello."), Reading)
    assert_type(target.compare("a", "b").score_change, float)
    reading = target.sense("Hello.")
    assert_type((reading.parts, reading.ledgers), tuple[tuple[Part, ...], dict[str, Ledger]])
    reading.explain()


def of_the_names_from_before(reading: sonometer.CompositionReading) -> sonometer.BaseReading:
    return reading


async def of_streams(sensor: Sensor, tokens: list[str], live: AsyncIterator[str]) -> None:
    session = sensor.session()
    assert_type(session, Session[Reading])
    assert_type(session.push("Hello."), Step)
    assert_type(session.finish(), Reading)
    stream = sensor.stream(live)
    assert_type(stream, Stream[Reading])
    async for step in stream:
        for event in step.events:
            assert_type(event, Event)
            if event.event == "evidence":
                assert_type(event, EvidenceFound)
    assert_type(stream.reading, Reading)
    guard = sensor.guard(tokens)
    assert_type(guard, Guard[Reading])
    for text in guard:
        assert_type(text, str)


def hears(wav: str, *, channel: int | None, seconds: float, language: str | None) -> dict[str, object]:
    return {"segments": [{"start": 0, "end": seconds, "text": f"{wav} {channel} {language}"}]}


def of_files(sensor: Sensor, path: pathlib.Path, kept: bytes) -> None:
    read = sonometer.extract(path, kind="pdf", turns=True, roles={"Ann": "agent"}, seconds=5)
    assert_type(read, Extract)
    assert_type(read.interaction, Interaction)
    assert_type(read.pieces, tuple[Piece, ...])
    assert_type(read.sound, Sound | None)
    assert_type(read.place(0, 3), Place)
    for found in sensor.sense(read).evidence:
        assert_type(read.place(found).page, int | None)
        assert_type(read.place(found).time, float | None)
    assert_type(sensor.sense(sonometer.extract(kept, name="talk.txt", quoted="keep")), Reading)
    sonometer.extract("call.mp3", transcriber=hears, channels=["agent", "customer"], language="en")
    sonometer.extract("call.mp3", transcriber="asr {wav}", channels="mixed", speakers=path)
    sonometer.extract(bytearray(kept), transcript="call.vtt", apart=False)
    try:
        sonometer.extract(kept)
    except SonometerError as error:
        assert_type(error.reason, str)


def of_labelled_data(rows: list[dict[str, object]], columns: dict[str, list[object]]) -> None:
    report = sonometer.evaluate("courtesy@1.5", rows, label="polite", positive=["yes", True], where={"lang": "en"}, threshold=0.4)
    assert_type(report, Report)
    assert_type(report.figures["f1"].value, float | None)
    assert_type(report.counts, dict[str, int])
    assert_type(report.html(), str)
    fitted = sonometer.fit(columns, marker="kindness", label="kind", progress=lambda done, of: print(done, of))
    assert_type(fitted, FitReport)
    assert_type(fitted.sensor(), Sensor)
    assert_type(fitted.held_out, dict[str, float])
    assert_type(fitted.languages, dict[str, FitReport])


class Client:
    """A client of a provider."""


def of_guards(sensor: Sensor) -> None:
    guard = open_guard(mask=["personal-data", sensor], placeholders=True, unknown="drop", limits={"lanes": 3})
    assert_type(guard, ModelGuard)
    assert_type(guard.request("POST", "/v1/messages", b"{}"), Exchange | None)
    assert_type(sonometer.guard(Client(), guard), Client)
    assert_type(sonometer.guard(Client(), "guard.toml", on="request", show="label"), Client)
