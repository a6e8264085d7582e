"""What the tables of clusters share: conversations made from numbers, the bare engine, and Markdown."""

from __future__ import annotations

import hashlib
import multiprocessing
import pathlib
import random
import shutil
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.parquet
import sonometer

TARGET = "courtesy@2.0"
SAYINGS = (
    "Good morning, and thank you for getting back to me so quickly.",
    "I have restarted the router twice since yesterday, but the line still drops.",
    "Could you please have a look at the settings on your side?",
    "Nobody has called me back, and this is the third time that I write.",
    "I am so sorry about that, let me check the line for you.",
    "We work from home, so this is rather urgent for us.",
    "That is useless, you never listen.",
    "All right, that works now.",
)


def text(row: int) -> str | None:
    """The message of a row: one to six sentences, and none in one row of ten."""
    chance = random.Random(row)
    if row % 10 == 9:
        return None
    return " ".join(chance.choices(SAYINGS, k=chance.randint(1, 6)) + [f"My number is {row}."])


def table(rows: Iterable[int]) -> Any:
    """Rows with their numbers."""
    numbers = list(rows)
    return pyarrow.table({"row": pyarrow.array(numbers, pyarrow.int64()), "text": pyarrow.array(map(text, numbers), pyarrow.string())})


def files_of(folder: pathlib.Path, rows: int, count: int = 8) -> list[pathlib.Path]:
    """Rows in files of Parquet, as tables of that size have them; made once for all that read them."""
    whole, making = folder / f"rows-{rows}", folder / f"making-{rows}"
    if not whole.exists():
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        share = -(-rows // count)
        files = [making / f"{part}.parquet" for part in range(count)]
        begins = range(0, rows, share)
        with multiprocessing.get_context("spawn").Pool() as pool:
            pool.starmap(part_of, [(file, begin, min(rows, begin + share)) for file, begin in zip(files, begins, strict=True)])
        making.rename(whole)
    return sorted(whole.glob("*.parquet"))


def part_of(file: pathlib.Path, begin: int, end: int) -> None:
    """Writes some rows, a row group after the other."""
    with pyarrow.parquet.ParquetWriter(file, table([0]).schema) as writer:
        for at in range(begin, end, 100_000):
            writer.write_table(table(range(at, min(end, at + 100_000))))


def turns(count: int, seed: int) -> list[dict[str, object]]:
    """A conversation of so many turns."""
    chance = random.Random(seed)
    return [{"role": ("agent", "customer")[turn % 2], "content": chance.choice(SAYINGS)} for turn in range(count)]


def talks() -> Any:
    """Two thousand conversations of ten turns, and one of a hundred thousand in their midst."""
    kind = pyarrow.list_(pyarrow.struct([("role", pyarrow.string()), ("content", pyarrow.string())]))
    column = [turns(100_000 if talk == 1_000 else 10, talk) for talk in range(2_000)]
    return pyarrow.table({"row": list(range(2_000)), "talk": pyarrow.array(column, kind)})


# Above so many rows the bare engine is timed on so many and taken as often, and what is compared of each row is its score: the JSON of ten million
# would be 20 GB.
MANY = 1_000_000


class Bare:
    """Each row sensed alone, one after the other on one thread: what every engine is compared with."""

    def __init__(self) -> None:
        self.sensor = sonometer.Sensor(TARGET)

    def json(self, column: Any) -> list[str | None]:
        """The bytes of each reading."""
        return [None if said is None else self.sensor.sense(said).json(profile="detailed") for said in column.to_pylist()]

    def seconds(self, column: Any) -> float:
        """CPU seconds that sensing takes, without what comes before and after."""
        said = [each for each in column.to_pylist() if each is not None]
        begin = time.process_time()
        for each in said:
            self.sensor.sense(each)
        return time.process_time() - begin


    def seconds_of(self, files: list[pathlib.Path], rows: int) -> float:
        """The CPU seconds of all rows of files."""
        seconds, done = 0.0, 0
        for file in files:
            for batch in pyarrow.parquet.ParquetFile(file).iter_batches(columns=["text"]):
                if done >= MANY:
                    return seconds / done * rows
                seconds += self.seconds(batch.column("text"))
                done += batch.num_rows
        return seconds

    def scores(self, files: list[pathlib.Path]) -> str:
        """The name of the scores of all rows of files, which is kept beside them."""
        kept = files[0].parent.with_suffix(".scores")
        if kept.exists():
            return kept.read_text()
        found = []
        for file in files:
            for batch in pyarrow.parquet.ParquetFile(file).iter_batches():
                said = batch.column("text").to_pylist()
                told = [None if each is None else self.sensor.sense(each).score for each in said]
                found.append(pyarrow.table({"row": batch.column("row"), "score": pyarrow.array(told, pyarrow.float64())}))
        kept.write_text(scores(pyarrow.concat_tables(found)))
        return kept.read_text()


def verdict(equal: bool) -> str:
    """As a table says it."""
    return "yes" if equal else "no"


def same(found: Any, expected: list[str | None], rows: int, column: str = "json") -> str:
    """Whether a table holds each row once, with these bytes."""
    told = sorted(zip(found["row"].to_pylist(), found[column].to_pylist(), strict=True), key=lambda pair: pair[0])
    if [row for row, _ in told] != list(range(rows)):
        kept = {row for row, _ in told}
        return f"no: {len(told)} rows, {rows - len(kept)} lost, {len(told) - len(kept)} doubled"
    differing = sum(one != two for (_, one), two in zip(told, expected, strict=True))
    return f"no: {differing} rows differ" if differing else "yes"


def scores(found: Any) -> str:
    """One name for the scores of all rows, each once and in the order of their numbers; null is none of 0 to 1."""
    ordered = found.select(["row", "score"]).sort_by("row")
    whole = hashlib.sha256()
    for column in (ordered["row"], pyarrow.compute.fill_null(ordered["score"], -1.0)):
        for chunk in column.chunks:
            whole.update(chunk.to_numpy())
    return whole.hexdigest()[:16]


def markdown(head: list[str], rows: Iterator[list[str]] | list[list[str]]) -> None:
    """A table whose rows appear as they are measured."""
    print("|", " | ".join(head), "|", flush=True)
    print("|---|" + "---:|" * (len(head) - 1), flush=True)
    for row in rows:
        print("|", " | ".join(row), "|", flush=True)
    print(flush=True)
