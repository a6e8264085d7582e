"""Sessions, streams and guards."""

import asyncio
import contextlib
import copy
import json
import pickle
import random
import re
import threading
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from typing import Any

import pytest
from conftest import CARD, KIND, TALK

import sonometer
from sonometer import InvalidRequestError, Metric, Sensor, WrongTypeError
from sonometer.model import EvidenceFound, Masked, Place

LONG = f"{KIND} 😀 {CARD} I am sorry, Dr. Müller. Could you please help me? No thanks. {CARD} Bye."


def cut(text: str, seed: int) -> list[bytes]:
    """Pieces of random lengths, cut within characters too."""
    data, pieces, choice = text.encode(), [], random.Random(seed)
    while data:
        length = choice.randint(1, 9)
        pieces.append(data[:length])
        data = data[length:]
    return pieces


@pytest.mark.parametrize("name", ["courtesy", "personal-data", "reply-quality"])
@pytest.mark.parametrize("seed", range(5))
def test_however_it_is_cut_the_reading_is_that_of_the_whole(name: str, seed: int) -> None:
    target = sonometer.load(name)
    session, whole = target.session(), target.sense(LONG)
    told: list[Any] = []
    for piece in cut(LONG, seed):
        told += session.push(piece).events
    told += session.end().events
    reading = session.finish()
    assert reading == whole and reading.json(profile="detailed", offsets="chars") == whole.json(profile="detailed", offsets="chars")
    found = [(e.metamarker, e.source, e.start, e.end) for e in told if isinstance(e, EvidenceFound)]
    assert sorted(found) == sorted((e.metamarker, e.source, e.start, e.end) for e in whole.evidence)
    for event in told:
        if isinstance(event, EvidenceFound) and "*" not in event.source:
            assert LONG[event.start : event.end] == event.source


def test_a_transcript_comes_segment_by_segment(courtesy: Sensor) -> None:
    session = courtesy.session()
    session.begin_segment("agent")
    session.push(str(TALK[0][1]))
    session.push_segment(TALK[1])
    session.push_segment({"role": "agent", "content": TALK[2][1], "timestamp": 20})
    assert session.finish() == courtesy.sense(TALK)
    timed = courtesy.session()
    timed.begin_segment("customer", 12.5)
    timed.push(str(TALK[1][1]))
    assert timed.finish() == courtesy.sense([TALK[1]])


def test_steps_say_the_same_as_their_json(private: Sensor) -> None:
    session = private.session(release=True)
    step = session.push(f"{CARD} Then more")
    told = step.to_dict()
    assert told == json.loads(step.json())
    assert told["settled_to"] == step.settled_to._asdict() == session.settled_to._asdict()
    assert told["released_to"] == step.released_to._asdict() == session.released_to._asdict()
    assert step.released_to >= step.settled_to
    later = session.push(", so much more")
    assert later.released_to > later.settled_to == step.settled_to
    assert [event["event"] for event in told["events"]] == [event.event for event in step.events]
    assert [part["text"] for part in told["released"]] == [part.text for part in step.released]
    mask = next(event for event in step.events if isinstance(event, Masked))
    assert (CARD[mask.start : mask.end], mask.shown) == ("4111 1111 1111 1111", "**** **** **** 1111")
    assert step == copy.copy(step) == pickle.loads(pickle.dumps(step))


def test_settled_to_is_a_place_in_the_unit_of_the_session(courtesy: Sensor) -> None:
    text = "😀 Thank you. And"
    for unit, offset in (("chars", 13), ("utf16", 14), ("bytes", 16)):
        session = courtesy.session(offsets=unit)  # type: ignore[arg-type]
        assert session.push(text).settled_to == session.settled_to == session.released_to == Place(0, offset)


def test_so_far_and_copies_leave_a_session_as_it_is(courtesy: Sensor) -> None:
    session = courtesy.session()
    session.push("Good morning, thank you so much ")
    other = copy.copy(session)
    assert session.so_far() == courtesy.sense("Good morning, thank you so much ")
    session.push("for your help!")
    other.push("for nothing at all.")
    assert session.finish() == courtesy.sense(KIND)
    assert other.finish() == courtesy.sense("Good morning, thank you so much for nothing at all.")


def test_what_is_refused_is_not_taken(courtesy: Sensor) -> None:
    session = courtesy.session()
    session.push("Good morning, ")
    for wrong, kind in (("\ud800", InvalidRequestError), (b"\xff", InvalidRequestError), (7, WrongTypeError), ([], WrongTypeError)):
        with pytest.raises(kind):
            session.push(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequestError, match="a text or segments, not both"):
        session.begin_segment("agent")
    session.push(b"\xf0\x9f")
    with pytest.raises(InvalidRequestError, match="in the middle of a character"):
        session.finish()
    session.push(b"\x98\x80 thank you so much for your help!")
    assert session.finish() == courtesy.sense("Good morning, 😀 thank you so much for your help!")
    for call in (session.finish, session.so_far, session.end, lambda: session.push("x"), lambda: session.settled_to):
        with pytest.raises(InvalidRequestError, match="the session has ended"):
            call()
    assert repr(session) == "<Session 'courtesy@1.0' finished>"


def test_segments_are_checked(courtesy: Sensor) -> None:
    session = courtesy.session()
    with pytest.raises(InvalidRequestError):
        session.begin_segment(" ")
    with pytest.raises(WrongTypeError):
        session.push_segment("agent: Hello.")  # type: ignore[arg-type]
    with pytest.raises(InvalidRequestError):
        session.push_segment(("agent",))
    with pytest.raises(WrongTypeError):
        session.begin_segment("agent", "soon")  # type: ignore[arg-type]
    with pytest.raises(InvalidRequestError):
        courtesy.session(offsets="words")  # type: ignore[arg-type]


def test_a_session_cannot_be_pickled(courtesy: Sensor) -> None:
    with pytest.raises(TypeError):
        pickle.dumps(courtesy.session())


def test_threads_may_share_a_session(courtesy: Sensor) -> None:
    session, sentence = courtesy.session(), "Thank you so much for your help! " * 100
    threads = [threading.Thread(target=lambda: [session.push(sentence) for _ in range(10)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.finish() == courtesy.sense(sentence * 60)


def test_a_stream_gives_a_step_for_each_chunk_and_one_more(courtesy: Sensor) -> None:
    stream = courtesy.stream(cut(KIND, 1))
    assert stream.settled_to is None and stream.released_to is None
    with pytest.raises(InvalidRequestError, match="has not ended"):
        _ = stream.reading
    steps = list(stream)
    assert len(steps) == len(cut(KIND, 1)) + 1 and stream.has_ended
    assert stream.reading == courtesy.sense(KIND)
    assert list(stream) == []
    talk = courtesy.stream(iter(TALK))
    assert [step.settled_to.segment for step in talk][-1] == 3
    assert talk.reading == courtesy.sense(TALK)
    assert Metric("reply-quality").stream([KIND]).session.so_far() == Metric("reply-quality").sense("")


# What the deltas of a chat interface hold: nothing in the first and the last, and now and then an empty text.
DELTAS: list[str | bytes | None] = [None, "", *cut(CARD, 3), None, b"", "", None]


def test_empty_chunks_are_skipped(courtesy: Sensor, private: Sensor) -> None:
    stream = private.stream(DELTAS)
    assert len(list(stream)) == len(cut(CARD, 3)) + 1 and stream.reading == private.sense(CARD)
    assert "".join(private.guard(DELTAS)) == private.sense(CARD).masked[0]
    assert list(private.guard([None, "", None])) == []

    async def run() -> None:
        stream = private.stream(live(DELTAS))
        assert len([step async for step in stream]) == len(cut(CARD, 3)) + 1 and stream.reading == private.sense(CARD)
        assert "".join([text async for text in private.guard(live(DELTAS))]) == private.sense(CARD).masked[0]

    asyncio.run(run())
    session = courtesy.session()
    assert session.push(None).events == ()
    for turn in TALK:
        session.push_segment(turn)
        step = session.push(None)
        assert (step.settled_to, step.events) == (session.settled_to, ())
    assert session.finish() == courtesy.sense(TALK)


async def live(chunks: list[Any], fail: bool = False) -> AsyncIterator[Any]:
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk
    if fail:
        raise ConnectionError


def test_a_stream_may_be_async(courtesy: Sensor, private: Sensor) -> None:
    async def run() -> None:
        stream = courtesy.stream(live([KIND[:20], KIND[20:]]))
        assert len([step async for step in stream]) == 3
        assert stream.reading == courtesy.sense(KIND)
        guard = private.guard(live([CARD[:15], CARD[15:]]))
        assert "".join([text async for text in guard]) == private.sense(CARD).masked[0]
        # A source that does not wait does too.
        assert "".join([text async for text in private.guard([CARD])]) == private.sense(CARD).masked[0]
        with pytest.raises(TypeError, match="use `async for`"):
            next(courtesy.stream(live([KIND])))

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(10))
def test_a_guard_gives_out_what_may_be_shown_and_nothing_else(private: Sensor, seed: int) -> None:
    guard, shown = private.guard(cut(LONG, seed)), ""
    assert re.fullmatch(r"<Guard of <Session '.+' settled_to=0:0>, open>", repr(guard))
    for text in guard:
        assert text
        shown += text
        assert "4111 1111" not in shown and private.sense(LONG).masked[0].startswith(shown)
    assert shown == private.sense(LONG).masked[0] == guard.reading.masked[0]
    assert repr(guard).endswith(", ended>")


def test_a_source_that_breaks_gives_nothing_away_and_loses_nothing(private: Sensor) -> None:
    def broken() -> Iterator[str]:
        yield "That is all. My card is 4111 1111"
        yield " 1111 11"
        raise ConnectionError

    shown: list[str] = []
    guard = private.guard(broken())
    with pytest.raises(ConnectionError):
        shown += guard
    assert "That is all. My card is ".startswith("".join(shown)) and not guard.has_ended
    assert guard.session.so_far() == private.sense("That is all. My card is 4111 1111 1111 11")
    # The generator is over, the text is not: what was held back stays so.
    assert list(guard) == [] and not guard.has_ended

    async def run() -> None:
        stream = private.stream(live(["That is all. "], fail=True))
        with pytest.raises(ConnectionError):
            async for _ in stream:
                pass
        assert stream.session.so_far().interaction.content == "That is all. "

    asyncio.run(run())


def test_a_source_that_is_not_waited_for_any_longer_is_no_end(private: Sensor) -> None:
    class Slow:
        """An iterator that goes on after it was given up once, as generators do not."""

        def __init__(self) -> None:
            self.left = ["That is ", None, "all."]

        def __aiter__(self) -> "Slow":
            return self

        async def __anext__(self) -> str:
            if not self.left:
                raise StopAsyncIteration
            if (chunk := self.left.pop(0)) is None:
                await asyncio.sleep(60)
            return chunk or ""

    async def generated() -> AsyncIterator[str]:
        yield "That is "
        await asyncio.sleep(60)
        yield "all."

    async def run(chunks: AsyncIterable[str]) -> tuple[str, bool]:
        shown, guard = "", private.guard(chunks)
        for _ in range(8):
            try:
                shown += await asyncio.wait_for(anext(guard), 0.01)
            except TimeoutError:
                continue
            except StopAsyncIteration:
                break
        return shown, guard.has_ended

    assert asyncio.run(run(Slow())) == ("That is all.", True)
    shown, has_ended = asyncio.run(run(generated()))
    assert "That is".startswith(shown.rstrip()) and not has_ended


def test_a_guard_may_be_closed_before_its_end(private: Sensor) -> None:
    closed: list[str] = []

    def tokens() -> Iterator[str]:
        try:
            yield from ("Hello there, my card is ", CARD, " and more.")
        finally:
            closed.append("generator")

    async def live() -> AsyncIterator[str]:
        try:
            for token in ("Hello there, my card is ", CARD, " and more."):
                yield token
        finally:
            closed.append("async generator")

    class Answer:
        """A stream of a package: it iterates by a generator, and has a connection besides."""

        def __aiter__(self) -> AsyncIterator[str]:
            return live()

        async def close(self) -> None:
            closed.append("connection")

    with contextlib.closing(private.guard(tokens())) as guard:
        assert next(guard).startswith("Hello there")
    assert closed.pop() == "generator" and list(guard) == [] and "closed" in repr(guard) and not guard.has_ended
    assert guard.session.so_far().evidence == ()
    with pytest.raises(InvalidRequestError):
        _ = guard.reading
    with contextlib.closing(private.stream(["a"])) as stream:
        assert len(list(stream)) == 2
    assert stream.has_ended and stream.reading is not None

    async def waits() -> None:
        async with contextlib.aclosing(private.guard(live())) as own:
            await anext(own)
        assert closed.pop() == "async generator" and [text async for text in own] == []
        with pytest.raises(TypeError, match=r"await aclose\(\)"):
            own.close()
        async with contextlib.aclosing(private.guard(Answer())) as answer:
            await anext(answer)
        assert closed == ["async generator", "connection"]
        closed.clear()
        # A source that does not wait.
        async with contextlib.aclosing(private.guard(tokens())) as other:
            await anext(other)
        assert closed.pop() == "generator"

    asyncio.run(waits())


def test_sources_and_chunks_are_checked(private: Sensor) -> None:
    with pytest.raises(WrongTypeError, match="^an int is not a source of chunks"):
        private.stream(7)  # type: ignore[arg-type]
    for feed in (private.stream, private.guard):
        with pytest.raises(WrongTypeError, match="^a dict is not a source of chunks; give a list of chunks"):
            feed({"role": "agent", "content": CARD})
    with pytest.raises(WrongTypeError):
        list(private.stream([7]))  # type: ignore[list-item]
    with pytest.raises(WrongTypeError, match="^an int is not a chunk of text; a guard takes one text"):
        list(private.guard([7]))  # type: ignore[list-item]
    with pytest.raises(WrongTypeError, match="a guard takes one text"):
        list(private.guard([("agent", CARD)]))  # type: ignore[list-item]
    with pytest.raises(WrongTypeError):
        list(private.guard(b"bytes"))  # type: ignore[arg-type]
    assert list(private.guard([])) == [] and "".join(private.guard(CARD)) == private.sense(CARD).masked[0]


def test_a_chunk_of_a_package_is_told_where_its_text_is(courtesy: Sensor) -> None:
    class Chunk:
        def model_dump(self) -> dict[str, object]:
            return {}

    chunks: Any = [Chunk()]
    for chunked in (courtesy.guard(chunks), courtesy.stream(chunks)):
        with pytest.raises(WrongTypeError, match=r"a Chunk is not a chunk of text; give the text in it, such as chunk\.choices"):
            list(chunked)
