"""Many interactions: order, threads, errors, iterators that misbehave, forks."""

import concurrent.futures
import json
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from conftest import KIND, TALK

import sonometer
from sonometer import InvalidRequestError, Metric, Sensor, SonometerError, WrongTypeError

TEXTS = [f"Message {n}: thank you so much for your {'help' * (n % 7)}!" for n in range(1_000)]


@pytest.mark.parametrize("name", ["courtesy", "reply-quality"])
@pytest.mark.parametrize("threads", [None, 1, 2, 7])
def test_many_are_one_after_the_other(name: str, threads: int | None) -> None:
    target = sonometer.load(name)
    alone = [target.sense(text).json() for text in TEXTS[:300]]
    assert [reading.json() for reading in target.batch(TEXTS[:300], threads=threads)] == alone
    assert [reading.json() for reading in target.map(iter(TEXTS[:300]), threads=threads, chunk=37)] == alone


def test_any_iterable_of_any_shapes(courtesy: Sensor) -> None:
    shapes: list[Any] = [KIND, TALK, {"content": KIND}, sonometer.Interaction(KIND)]
    readings = courtesy.batch(iter(shapes))
    assert [reading.interaction for reading in readings] == [sonometer.Interaction(shape) for shape in shapes]
    assert courtesy.batch([]) == [] and list(courtesy.map(())) == []
    assert courtesy.batch({KIND}) == [courtesy.sense(KIND)]


def test_more_than_a_chunk(courtesy: Sensor) -> None:
    count = 10_000
    readings = courtesy.batch(f"Thank you so much, number {n}, for all of your help!" for n in range(count))
    assert len(readings) == count
    assert all(f"number {n}," in str(r.interaction.content) for n, r in enumerate(readings))


def test_errors_stand_in_their_place(courtesy: Sensor) -> None:
    items: list[Any] = [KIND, 7, [("agent", KIND), ("", "b")], "\ud800", KIND]
    outcomes = courtesy.batch(items, errors="return")
    assert [type(outcome).__name__ for outcome in outcomes] == [
        "Reading",
        "WrongTypeError",
        "InvalidRequestError",
        "InvalidRequestError",
        "Reading",
    ]
    places = [outcome.place for outcome in outcomes if isinstance(outcome, SonometerError)]
    assert places == ["interactions[1]", "interactions[2].segments[1].role", "interactions[3].content"]
    with pytest.raises(WrongTypeError) as raised:
        courtesy.batch(items)
    assert raised.value.place == "interactions[1]"
    far: list[Any] = [KIND] * 5_000 + [{"contents": "?"}]
    with pytest.raises(InvalidRequestError) as late:
        courtesy.batch(far)
    assert late.value.place == "interactions[5000].contents"
    walk = courtesy.map(far, chunk=100)
    assert sum(1 for _ in zip(range(5_000), walk, strict=False)) == 5_000
    with pytest.raises(InvalidRequestError):
        next(walk)


def test_modalities_that_do_not_fit_are_errors_of_their_item(courtesy: Sensor) -> None:
    only_text = Sensor({**json.loads(courtesy.source), "modalities": ["text"]})
    outcomes = only_text.batch([KIND, TALK], errors="return")
    assert isinstance(outcomes[1], InvalidRequestError) and outcomes[1].place == "interactions[1]"


def test_one_interaction_is_not_many(courtesy: Sensor) -> None:
    for one in (KIND, b"x", {"content": KIND}, sonometer.Interaction(KIND), 7, None):
        with pytest.raises(WrongTypeError, match="is not a list of interactions"):
            courtesy.batch(one)  # type: ignore[arg-type]
        with pytest.raises(WrongTypeError):
            courtesy.map(one)  # type: ignore[arg-type]


def test_what_comes_in_over_time_is_taken_in_first(courtesy: Sensor) -> None:
    async def texts() -> AsyncIterator[str]:
        yield KIND

    with pytest.raises(WrongTypeError, match=r"an async_generator is not a list of interactions; take it in first: \[one async for"):
        courtesy.batch(texts())  # type: ignore[call-overload]


def test_arguments_are_checked(courtesy: Sensor) -> None:
    for wrong in ({"errors": "ignore"}, {"threads": 0}, {"threads": 10**6}):
        with pytest.raises(InvalidRequestError):
            courtesy.batch([KIND], **wrong)
    with pytest.raises(InvalidRequestError):
        courtesy.map([KIND], chunk=0)
    with pytest.raises(InvalidRequestError, match="^`threads` is -1; give 1 to 1024"):
        courtesy.batch([KIND], threads=-1)


class Broken(Exception):
    pass


def breaks(after: int) -> Iterator[str]:
    for text in TEXTS[:after]:
        yield text
    raise Broken(after)


def test_an_exception_of_the_iterable_is_raised_and_nothing_before_it_is_lost(courtesy: Sensor) -> None:
    for errors in ("raise", "return"):
        with pytest.raises(Broken):
            courtesy.batch(breaks(100), errors=errors)
    got = []
    with pytest.raises(Broken):
        for reading in courtesy.map(breaks(100), chunk=64):
            got.append(reading)
    assert got == courtesy.batch(TEXTS[:100])


def test_map_ends_for_good(courtesy: Sensor) -> None:
    walk = courtesy.map(breaks(3))
    assert len([next(walk), next(walk), next(walk)]) == 3
    with pytest.raises(Broken):
        next(walk)
    assert list(walk) == []


def test_map_takes_no_more_than_it_must(courtesy: Sensor) -> None:
    taken: list[int] = []

    def items() -> Iterator[str]:
        for number in range(10):
            taken.append(number)
            yield KIND

    walk = courtesy.map(items(), chunk=1)
    assert taken == []
    next(walk)
    assert taken == [0]
    next(walk)
    assert taken == [0, 1]


def test_an_iterable_that_calls_back_is_an_error_not_a_deadlock(courtesy: Sensor) -> None:
    def items() -> Iterator[str]:
        yield KIND
        next(walk)

    walk = courtesy.map(items(), chunk=1)
    next(walk)
    with pytest.raises(RuntimeError, match="in use by another thread"):
        next(walk)


class Strange:
    def __float__(self) -> float:
        raise Broken


def test_exceptions_of_odd_objects_pass_through(courtesy: Sensor) -> None:
    class Mapping(dict[str, object]):
        def items(self) -> Any:
            raise Broken

    # A dict's own items are read, whatever a subclass makes of them.
    assert courtesy.sense(Mapping(content=KIND)) == courtesy.sense(KIND)
    with pytest.raises((Broken, WrongTypeError)):
        courtesy.sense([("agent", KIND, Strange())])  # type: ignore[list-item]


def test_threads_share_a_sensor(courtesy: Sensor) -> None:
    expected = [courtesy.sense(text).json() for text in TEXTS[:200]]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: courtesy.sense(text).json(), TEXTS[:200])) == expected
        jobs = [pool.submit(courtesy.batch, TEXTS[:200]) for _ in range(8)]
        assert all([reading.json() for reading in job.result()] == expected for job in jobs)


def test_a_reading_is_looked_at_by_many_threads(courtesy: Sensor) -> None:
    readings = courtesy.batch([KIND] * 50)
    seen: list[object] = []
    barrier = threading.Barrier(8)

    def look() -> None:
        barrier.wait()
        seen.append([(reading.evidence, reading.resonance, hash(reading)) for reading in readings])

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and all(entry == seen[0] for entry in seen)


def test_the_interpreter_is_free_while_many_are_measured(courtesy: Sensor) -> None:
    texts = ["Thank you so much for your help! " * 3_000] * 40
    ticks, done = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    courtesy.batch(texts)
    done.set()
    thread.join()
    assert ticks >= 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_works_on(courtesy: Sensor) -> None:
    expected = courtesy.batch(TEXTS)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        code = 0 if courtesy.batch(TEXTS) == expected else 1
        os.write(writer, bytes([code]))
        os._exit(0)
    os.close(writer)
    assert os.read(reader, 1) == b"\0"
    os.close(reader)
    os.waitpid(child, 0)


def json_of(reading: sonometer.Reading) -> str:
    return reading.json()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_get_readings(courtesy: Sensor, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    readings = courtesy.batch(TEXTS[:20])
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert list(pool.map(json_of, readings)) == [reading.json() for reading in readings]
        assert list(pool.map(courtesy.sense, TEXTS[:20])) == readings


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to oneself here")
def test_batch_can_be_interrupted(courtesy: Sensor) -> None:
    def endless() -> Iterator[str]:
        while True:
            yield KIND

    # A shell starts what runs in its background with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            for _ in courtesy.map(endless(), chunk=100_000):
                pass
    finally:
        signal.signal(signal.SIGINT, before)


def test_metrics_too() -> None:
    metric = Metric("reply-quality")
    readings = pickle.loads(pickle.dumps(metric.batch([KIND, TALK], errors="return")))
    assert readings == [metric.sense(KIND), metric.sense(TALK)]


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_a_table_is_no_list_of_interactions(package: str, courtesy: Sensor) -> None:
    library = pytest.importorskip(package, reason=f"{package} cannot be installed")
    columns = {"text": ["Thank you so much for your help!", "Hm."], "id": [1, 2]}
    table = library.table(columns) if package == "pyarrow" else library.DataFrame(columns)
    for call in (courtesy.batch, courtesy.table, lambda items: list(courtesy.map(items))):
        with pytest.raises(WrongTypeError, match=r'is not a list of interactions; give one of its columns, such as frame\["text"\]'):
            call(table)
    assert len(courtesy.batch(table["text"])) == 2


def test_cells_of_tables_are_interactions(courtesy: Sensor) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas cannot be installed")
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow cannot be installed")
    turns = [{"role": "agent", "content": KIND}]
    # As parquet gives conversations to pandas: an array of numpy in each cell.
    columns = pyarrow.table({"turns": [turns, turns], "text": [KIND, None]})
    frame = columns.to_pandas()
    assert type(frame["turns"][0]).__name__ == "ndarray"
    expected = courtesy.sense(turns)
    assert isinstance(frame, pandas.DataFrame) and courtesy.batch(frame["turns"]) == courtesy.batch(columns["turns"]) == [expected, expected]
    first, second = courtesy.batch(columns["text"], errors="return")
    assert first == courtesy.sense(KIND) and isinstance(second, WrongTypeError) and "the value is missing" in str(second)
