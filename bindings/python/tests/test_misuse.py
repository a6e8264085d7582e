"""What can be done wrong gives an exception of Python: never a crash, a hang, or a panic in disguise."""

import asyncio
import copy
import gc
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import pytest
from conftest import CARD, KIND

import sonometer
from sonometer import Blueprint, Interaction, InvalidRequestError, Metric, Sensor, SonometerError, WrongTypeError

BIG = 10**5000
ODD: list[Any] = [None, 7, -1, 2**64, BIG, 1.5, float("nan"), float("inf"), 1j, True, b"\xff", "\ud800", "", "x", (), [], {}, object(), int, len]
ODD += [[None], [[]], {1: 2}, {"content": None}, memoryview(b"a"), bytearray(b"a"), io.StringIO("a"), range(3), Ellipsis]


def tried(call: Callable[[], object]) -> Exception | None:
    """What a call raises: never what is no `Exception`, as the panics of Rust are."""
    try:
        call()
    except Exception as error:
        assert type(error).__name__ != "PanicException"
        assert not isinstance(error, sonometer.InternalError), error
        return error
    return None


def refused(call: Callable[[], object]) -> None:
    assert tried(call) is not None


def test_a_wrong_argument_is_named_in_the_one_error_shape(courtesy: Sensor) -> None:
    def given(odd: Any) -> Any:
        """Where None is the default."""
        return 1.5 if odd is None else odd

    talk = Interaction(KIND)
    reading, stage, guard = courtesy.sense(KIND), sonometer.Stage("billing-dispute"), sonometer.guarding.open_guard()
    calls: list[tuple[Callable[[Any], object], str, str]] = [
        (lambda odd: courtesy.batch([KIND], errors=odd), "errors", "give a str"),
        (lambda odd: courtesy.table([KIND], offsets=odd), "offsets", "give a str"),
        (lambda odd: courtesy.sense(KIND, mask=given(odd)), "mask", "give a str"),
        (lambda odd: courtesy.sense(KIND, ignore_fidelity=odd), "ignore_fidelity", "give True or False"),
        (lambda odd: courtesy.session(release=odd), "release", "give True or False"),
        (lambda odd: courtesy.map([KIND], chunk=odd), "chunk", "give an int"),
        (lambda odd: courtesy.estimate(odd), "length", "give an int"),
        (lambda odd: courtesy.estimate(7, odd), "modality", "give a str"),
        (lambda odd: courtesy.session().begin_segment(odd), "role", "give a str"),
        (lambda odd: reading.json(profile=odd), "profile", "give a str"),
        (lambda odd: reading.flow_from(odd), "primary", "give a str"),
        (lambda odd: reading.masked_characters(odd), "segment", "give an int"),
        (lambda odd: reading.html(explain=odd), "explain", "give True or False"),
        (lambda odd: reading.report(odd), "name", "give a str"),
        (lambda odd: talk.with_label(odd), "label", "give a str"),
        (lambda odd: Sensor.from_source(odd), "source", "give a str"),
        (lambda odd: Sensor.from_source("{}", files=given(odd)), "files", "give a dict of texts"),
        (lambda odd: Sensor.from_source("{}", files={"a": odd}), 'files["a"]', "give a str"),
        (lambda odd: Metric("reply-quality", catalog=odd), "catalog", "give True or False"),
        (lambda odd: stage.resume(odd), "saved", "give a str"),
        (lambda odd: stage.open().close(summary=given(odd)), "summary", "give a str"),
        (lambda odd: stage.open().close().sign(odd), "key", "give a SigningKey"),
        (lambda odd: guard.request("POST", "/v1/chat/completions", odd), "body", "give bytes"),
        (lambda odd: sonometer.extract(b"a", quoted=odd), "quoted", "give a str"),
        (lambda odd: sonometer.extract(b"a", turns=odd), "turns", "give True or False"),
        (lambda odd: sonometer.extract(b"a", seconds=given(odd)), "seconds", "give an int"),
    ]
    for call, name, fix in calls:
        for odd in (None, 1.5, [], object()):
            with pytest.raises(WrongTypeError) as told:
                call(odd)
            assert (told.value.place, told.value.fix) == (name, fix)
            assert told.value.message.startswith(f"`{name}` is ")
    with pytest.raises(InvalidRequestError, match="lone surrogate") as lone:
        courtesy.batch([KIND], errors="\ud800")  # type: ignore[call-overload]
    assert lone.value.place == "errors"


def test_a_number_out_of_bounds_is_named(courtesy: Sensor) -> None:
    reading, seconds = courtesy.sense(KIND), "604800"
    calls: list[tuple[Callable[[int], object], str, int, str]] = [
        (lambda number: courtesy.batch([KIND], threads=number), "threads", -1, "give 1 to 1024"),
        (lambda number: courtesy.map([KIND], chunk=number), "chunk", 0, "give 1 or more"),
        (lambda number: courtesy.map([KIND], chunk=number), "chunk", 2**64, "give a smaller number"),
        (lambda number: courtesy.estimate(number), "length", -1, "give 0 or more"),
        (lambda number: reading.masked_characters(number), "segment", -1, "give 0 or more"),
        (lambda number: sonometer.extract(b"a", seconds=number), "seconds", -1, f"give 1 to {seconds}"),
        (lambda number: sonometer.extract(b"a", memory_bytes=number), "memory_bytes", -1, "give 1 or more"),
    ]
    for call, name, number, fix in calls:
        with pytest.raises(InvalidRequestError) as told:
            call(number)
        assert (told.value.message, told.value.place) == (f"`{name}` is {number}; {fix}", name)

    class Wrong:
        def __index__(self) -> int:
            raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        courtesy.batch([KIND], threads=Wrong())  # type: ignore[call-overload]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_anything_in_any_place_gives_a_result_or_an_exception(odd: Any, courtesy: Sensor) -> None:
    reading, talk = courtesy.sense(KIND), Interaction(KIND)
    classes: list[Any] = [Sensor, Metric, Blueprint, Interaction, sonometer.load, sonometer.check]
    for of in [*classes, Sensor.from_source, Sensor.from_file, Interaction.from_json]:
        # A number would be the file of that descriptor.
        if not (of is Sensor.from_file and isinstance(odd, int)):
            tried(lambda of=of: of(odd))  # type: ignore[misc]
    for method in ("sense", "fidelity", "batch", "map", "stream", "guard", "estimate"):
        tried(lambda method=method: list(getattr(courtesy, method)(odd)))  # type: ignore[misc]
    tried(lambda: courtesy.compare(odd, talk))
    tried(lambda: courtesy.compare(talk, odd))
    for name in ("usd_per_ics", "ignore_fidelity"):
        tried(lambda name=name: courtesy.sense(KIND, **{name: odd}))  # type: ignore[misc]
    for name in ("errors", "threads", "chunk"):
        tried(lambda name=name: list(courtesy.map([KIND], **{name: odd})))  # type: ignore[misc]
    for name in ("profile", "offsets", "flow", "temporal"):
        tried(lambda name=name: reading.json(**{name: odd}))  # type: ignore[misc]
        tried(lambda name=name: reading.to_dict(**{name: odd}))  # type: ignore[misc]
    tried(lambda: Metric("reply-quality", shelf=odd))
    tried(lambda: Interaction(KIND, label=odd))
    tried(lambda: courtesy.session(offsets=odd, release=odd))
    for feed in ("push", "push_segment", "begin_segment"):
        tried(lambda feed=feed: getattr(courtesy.session(), feed)(odd))  # type: ignore[misc]
    tried(lambda: courtesy.session().begin_segment("agent", odd))
    for of in (sonometer._sonometer._restore_reading, sonometer._sonometer._restore_target):
        tried(lambda of=of: of(odd, odd))  # type: ignore[misc]
    assert courtesy != odd and reading != odd and talk != odd
    assert courtesy.sense(KIND) == reading


def test_used_up_handles(courtesy: Sensor, private: Sensor) -> None:
    session = courtesy.session()
    session.push(KIND)
    session.finish()
    for call in (session.finish, session.end, session.so_far, lambda: session.push("a"), lambda: session.begin_segment("a"), lambda: copy.copy(session)):
        with pytest.raises(InvalidRequestError, match="the session has ended; start a new one"):
            call()
    for over in (courtesy.map([KIND]), courtesy.stream([KIND]), private.guard([KIND])):
        assert len(list(over)) >= 1 and list(over) == [] and next(over, None) is None


def test_what_runs_is_not_pickled(courtesy: Sensor) -> None:
    for running in (courtesy.session(), courtesy.map([KIND])):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(WrongTypeError, match="cannot be pickled; pickle "):
                pickle.dumps(running, protocol)


def test_bytes_that_are_no_text(courtesy: Sensor) -> None:
    for wrong in (b"\xff", b"a\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x28"):
        refused(lambda wrong=wrong: Interaction.from_json(b'{"content": "' + wrong + b'"}'))  # type: ignore[misc]
        session = courtesy.session()
        session.push("ok ")
        refused(lambda wrong=wrong, session=session: (session.push(wrong), session.finish()))  # type: ignore[misc]
        assert session.so_far().interaction.content is not None
    cut = courtesy.session()
    cut.push("😀".encode()[:3])
    refused(cut.finish)
    refused(lambda: cut.push("text in the middle of a character"))
    cut.push("😀".encode()[3:])
    assert cut.finish().interaction.content == "😀"


def test_fifty_megabytes(courtesy: Sensor) -> None:
    text = "Thank you so much, it is 😀 here. " * (50_000_000 // 37)
    assert courtesy.fidelity(text).sufficient
    session = courtesy.session()
    for at in range(0, len(text), 1 << 22):
        session.push(text[at : at + (1 << 22)])
    session.push(b"\xf0\x9f")
    refused(session.finish)
    refused(lambda: session.push_segment(("agent", text)))
    refused(lambda: [session.push(b"\x98\x80" + text.encode()) for _ in range(3)])
    refused(lambda: Sensor(text + "\n"))
    refused(lambda: Interaction.from_json(text))
    refused(lambda: courtesy.sense([("agent", text)] * 2))


def test_sixteen_threads_at_once(courtesy: Sensor, private: Sensor) -> None:
    barrier, wrong, shared = threading.Barrier(16), list[BaseException](), private.session()
    expected, texts = courtesy.sense(KIND).json(), [KIND, CARD] * 40
    all_of_them = courtesy.batch(texts)

    def work(number: int) -> None:
        try:
            barrier.wait(60)
            for _ in range(5):
                assert courtesy.sense(KIND).json() == expected
                assert courtesy.batch(texts, threads=1 + number % 3) == all_of_them
                assert "".join(private.guard(CARD)) == private.sense(CARD).masked[0]
                shared.push(f"{CARD} " * 60)
                assert shared.so_far().sufficient
                assert Sensor("courtesy@1.0") == courtesy
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert wrong == [] and not any(thread.is_alive() for thread in threads)
    assert shared.finish() == private.sense(f"{CARD} " * 60 * 5 * 16)


class Strange(BaseException):
    """No `Exception`: still somebody else's, and handed on."""


class Raising:
    """Raises whatever it is asked."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def fail(self, *_: object) -> Any:
        raise self.error

    __iter__ = __next__ = __fspath__ = __float__ = __str__ = __repr__ = fail
    __aiter__ = fail


class Items(Mapping[str, Any], Raising):
    __getitem__ = __len__ = keys = items = Raising.fail
    __iter__ = Raising.fail


@pytest.mark.parametrize("error", [ConnectionError("gone"), Strange(), KeyboardInterrupt(), SystemExit(3), RecursionError(), StopAsyncIteration()])
def test_exceptions_of_other_peoples_objects_pass_unharmed(error: BaseException, courtesy: Sensor) -> None:
    def broken(*first: Any) -> Iterator[Any]:
        yield from first
        raise error

    raising, items = Raising(error), Items(error)
    calls: list[Callable[[], object]] = [
        lambda: courtesy.batch(broken(KIND)),
        lambda: courtesy.batch(broken(), errors="return"),
        lambda: list(courtesy.map(broken(KIND))),
        lambda: list(courtesy.stream(broken("Thank "))),
        lambda: list(courtesy.guard(broken("Thank "))),
        lambda: courtesy.sense(items),
        lambda: courtesy.sense([("agent", KIND), items]),
        lambda: courtesy.batch([KIND, items]),
        lambda: courtesy.session().push_segment(items),
        lambda: Sensor({"markers": [items]}),
        lambda: Sensor(raising),
        lambda: Metric("reply-quality", shelf=broken("courtesy")),
    ]
    for call in calls:
        with pytest.raises(type(error)) as raised:
            call()
        assert raised.value is error
    assert courtesy.sense(KIND).sufficient


def test_exceptions_thrown_into_an_async_loop(private: Sensor) -> None:
    closed: list[str] = []

    async def source() -> AsyncIterator[str]:
        try:
            yield "That is all. My card"
            await asyncio.sleep(60)
            yield " never comes"
        finally:
            closed.append("source")

    async def run() -> None:
        guard = private.guard(source())

        async def read() -> None:
            async for _ in guard:
                pass

        task = asyncio.create_task(read())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert closed == ["source"] and not guard.has_ended
        assert guard.session.so_far().interaction.content == "That is all. My card"
        other = private.guard(source())
        assert (await anext(other)).startswith("That is all. ")
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(anext(other), 0.01)

    asyncio.run(run())


def test_what_is_left_early_is_freed(private: Sensor) -> None:
    closed: list[int] = []

    def source() -> Iterator[str]:
        try:
            while True:
                yield "It is done! "
        finally:
            closed.append(1)

    before = sys.getrefcount(private)
    guard = private.guard(source())
    assert next(guard) and next(guard)
    del guard
    assert closed == [1]
    readings = private.map(source(), chunk=1)
    next(readings)
    del readings
    assert closed == [1, 1] and sys.getrefcount(private) == before

    class Held:
        pass

    def circle() -> Iterator[str]:
        held.readings = readings  # type: ignore[attr-defined]
        yield KIND
        yield str(held)

    held = Held()
    seen = weakref.ref(held)
    readings = private.map(circle(), chunk=1)
    next(readings)
    del readings, held, circle
    gc.collect()
    assert seen() is None


def test_objects_that_change_while_they_are_read(courtesy: Sensor) -> None:
    class Growing(Mapping[str, Any]):
        def items(self) -> Any:
            outer.update({f"more{at}": at for at in range(1000)})
            return [("role", "agent"), ("content", KIND)]

        __getitem__ = __len__ = __iter__ = Raising.fail

    outer: dict[str, Any] = {"segments": [Growing()]}
    assert courtesy.sense(outer).sufficient
    refused(lambda: courtesy.sense(outer))

    class Shrinking(Growing):
        def items(self) -> Any:
            turns.clear()
            return [("role", "agent"), ("content", KIND)]

    turns: list[Any] = [Shrinking(), ("agent", "gone")]
    assert len(courtesy.sense(turns).interaction.segments) == 1


def test_deep_and_endless_structures(courtesy: Sensor) -> None:
    deep: Any = {}
    endless: Any = []
    endless.append(endless)
    around: dict[str, Any] = {}
    around["content"] = around
    for _ in range(100_000):
        deep = {"a": [deep]}
    for wrong in (deep, around, {"markers": endless}):
        for call in (Sensor, Interaction, courtesy.sense, sonometer.check, courtesy.session().push_segment):
            refused(lambda call=call, wrong=wrong: call(wrong))  # type: ignore[misc]
    refused(lambda: courtesy.sense(endless))
    for text in ("[" * 200_000, '{"a":' * 200_000, "a:\n" + "- " * 200_000, "{" * 200_000 + "\n", "a: &a [*a]\n"):
        refused(lambda text=text: Sensor.from_source(text))  # type: ignore[misc]
        refused(lambda text=text: Interaction.from_json(text))  # type: ignore[misc]
    # Freed a level at a time: Python's own way with deep structures is not what is looked at.
    while deep:
        deep = deep["a"].pop()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e300, -1e300, 2**63, 2**64, 2**64 + 1, -(2**64), BIG, -BIG], ids=lambda number: f"{type(number).__name__}{hash(number)}")
def test_numbers_beyond_all_bounds(number: Any, courtesy: Sensor) -> None:
    refused(lambda: courtesy.sense([("agent", KIND, number)]))
    refused(lambda: courtesy.sense([{"role": "agent", "content": KIND, "timestamp": number}]))
    refused(lambda: courtesy.sense(KIND, usd_per_ics=number))
    refused(lambda: courtesy.session().begin_segment("agent", number))
    refused(lambda: courtesy.session().push_segment(("agent", KIND, number)))
    refused(lambda: Sensor({"sonometer": number}))
    refused(lambda: Sensor("courtesy@1.5").sense(KIND).json(temporal=number))
    refused(lambda: courtesy.map([KIND], threads=number))
    if number != 2**63:
        refused(lambda: courtesy.map([KIND], chunk=number))
        refused(lambda: courtesy.estimate(number))


def test_lies_about_classes(courtesy: Sensor) -> None:
    class Liar:
        __class__ = str  # type: ignore[assignment]

    class Text(str):
        def __str__(self) -> str:
            raise ConnectionError

        encode = __iter__ = __len__ = Raising.fail  # type: ignore[assignment]

    class Number(int):
        def __repr__(self) -> str:
            return "0], evil"

        __str__ = __index__ = __int__ = __repr__  # type: ignore[assignment]

    refused(lambda: courtesy.sense(Liar()))  # type: ignore[arg-type]
    refused(lambda: courtesy.session().push(Liar()))  # type: ignore[arg-type]
    assert courtesy.sense(Text(KIND)) == courtesy.sense(KIND)
    turn = {"role": "agent", "content": KIND, "timestamp": Number(7)}
    assert courtesy.sense([turn]) == courtesy.sense([("agent", KIND, 7)])
    for name in ("Sensor", "Session", "Reading", "Readings", "Comparison", "Interaction"):
        with pytest.raises(TypeError):
            type("Own", (getattr(sonometer, name),), {})
    for name in ("Session", "Reading", "Readings", "Comparison", "Target"):
        with pytest.raises(TypeError):
            getattr(sonometer, name)()
        with pytest.raises(TypeError):
            object.__new__(getattr(sonometer, name))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_another_thread_works_with_the_session(courtesy: Sensor) -> None:
    chunk = "Thank you so much for your help! " * 100_000
    answers = set[bytes]()
    for _ in range(40):
        session = courtesy.session()
        thread = threading.Thread(target=session.push, args=(chunk,))
        thread.start()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            answer = b"?"
            try:
                session.push("a")
                answer = b"taken"
            except SonometerError as error:
                answer = b"left" if "forked" in error.message else b"?"
            finally:
                os.write(writer, answer)
                os._exit(0)
        os.close(writer)
        answers.add(os.read(reader, 9))
        os.close(reader)
        assert os.waitpid(child, 0)[1] == 0
        thread.join()
        assert session.finish().sufficient
        if b"left" in answers:
            break
        time.sleep(0.01)
    assert b"left" in answers and answers <= {b"left", b"taken"}


def run(program: str) -> "subprocess.CompletedProcess[str]":
    """A program in an interpreter of its own."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)


SHUTDOWN = """
import atexit, threading, time, sonometer
sensor = sonometer.Sensor("courtesy@1.0")
text = "Thank you so much for your help! " * 200
def work():
    while True:
        sensor.sense(text).evidence
        sensor.batch([text] * 20)
        session = sensor.session()
        session.push(text)
        session.finish()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
class Last:
    def __init__(self):
        self.session = sensor.session()
    def __del__(self):
        try:
            self.session.push("Thank you!")
            self.session.finish().evidence
            list(sensor.guard(["Thank you!"]))
        except Exception as error:
            print(type(error).__name__)
last = Last()
ring = [last]
ring.append(ring)
atexit.register(lambda: print(sensor.sense(text).sufficient))
time.sleep(0.2)
"""


def test_threads_and_finalizers_when_the_interpreter_ends() -> None:
    for _ in range(3):
        ended = run(SHUTDOWN)
        assert ended.returncode == 0 and ended.stdout.startswith("True"), ended
        assert "panicked" not in ended.stderr, ended.stderr


SUBINTERPRETERS = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
if FIRST:
    import sonometer
program = '''
try:
    import sonometer
    print(sonometer.Sensor("courtesy@1.0").sense("Thank you so much for your help!").score, flush=True)
except ImportError as error:
    print("ImportError", error, flush=True)
'''
for _ in range(3):
    other = interpreters.create()
    getattr(interpreters, "exec", getattr(interpreters, "run_string", None))(other, program)
    interpreters.destroy(other)
import sonometer
"""


@pytest.mark.parametrize("first", [True, False])
def test_other_interpreters_in_the_process(first: bool) -> None:
    """They have it, or are told that they cannot."""
    ended = run(SUBINTERPRETERS.replace("FIRST", repr(first)))
    assert ended.returncode == 0 and "panicked" not in ended.stderr, ended
    lines = ended.stdout.split("\n")[:-1]
    assert len(lines) == 3 and all(line == "0.494769" or line.startswith("ImportError") for line in lines), ended
