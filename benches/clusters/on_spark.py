"""Spark in local-cluster mode: the bytes of each row beside those of one by one, a killed executor, one long conversation.

`python on_spark.py [rates|skew|kill]… --files FOLDER [--quick] [--most ROWS]`, by `benches/clusters/run`.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

import pyarrow
import pyarrow.parquet
import sonometer
import sonometer.spark
from pyspark.sql import SparkSession
from sonometer._rows import Sensed
from work import MANY, TARGET, Bare, files_of, markdown, same, scores, table, talks, verdict


HEAD = [
    "engine",
    "rows",
    "seconds",
    "CPU µs a row: bare engine",
    "sensing in the workers",
    "all of the workers' Python",
    "same bytes",
]


def session(workers: int) -> Any:
    """A session with so many executors of one core: each is a process of its own with a Python process of its own."""
    found = importlib.util.find_spec("pyspark")
    assert found is not None and found.origin is not None
    # `local-cluster` starts its workers by the scripts of this folder, and they take the Python of that name.
    os.environ.setdefault("SPARK_HOME", str(pathlib.Path(found.origin).parent))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local-cluster[{workers},1,1024]").appName("sonometer")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "3g",
        "spark.executor.memory": "1g",
        "spark.sql.shuffle.partitions": str(workers),
        # Each file is a task: what it costs to open one fills it.
        "spark.sql.files.maxPartitionBytes": "4m",
        "spark.sql.files.openCostInBytes": "4m",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
    }.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


class Watched:
    """The CPU time of a worker: for sensing, and for all that its Python does with the rows. Not the time of the wall: other work on the
    machine does not count, nor does Spark's own, which runs in Java."""

    def __init__(self, sensed: Sensed) -> None:
        self.sensed = sensed

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        begin, rows, sensing = time.process_time(), 0, 0.0
        for batch in batches:
            before = time.process_time()
            rows += sum(found.num_rows for found in self.sensed.batch(batch))
            sensing += time.process_time() - before
        yield pyarrow.RecordBatch.from_pydict({"rows": [rows], "sensing": [sensing], "all": [time.process_time() - begin]})


def wall(work: Any) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def executors(application: str) -> list[int]:
    """The processes of the executors of this session, and of no other."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            if any(word.endswith("CoarseGrainedExecutorBackend") for word in words) and application in words:
                found.append(int(entry.name))
    return sorted(found)


def rates(spark: Any, workers: int, folder: pathlib.Path, kept: pathlib.Path, sizes: list[int]) -> Iterator[list[str]]:
    bare = Bare()
    for rows in sizes:
        files, out = files_of(kept, rows), folder / f"out-{rows}-{workers}"
        # A partition is a file, or a piece of one.
        frame = spark.read.parquet(str(files[0].parent))
        # The first pass starts the Python processes and compiles the sensor in each.
        sonometer.spark.with_readings(frame.limit(16), "text", TARGET, "json").write.format("noop").mode("overwrite").save()
        alone = bare.seconds_of(files, rows)
        scored = sonometer.spark.with_readings(frame, "text", TARGET, "score")
        took = wall(lambda: scored.write.format("noop").mode("overwrite").save())
        watched = Watched(Sensed("text", TARGET, "score", "", True, {"threads": 1}))
        watches = frame.mapInArrow(watched.__call__, "rows long, sensing double, all double").toArrow()
        spent = {name: sum(watches[name].to_pylist()) / rows * 1e6 for name in ("sensing", "all")}
        assert sum(watches["rows"].to_pylist()) == rows
        column = "score" if rows > MANY else "json"
        sonometer.spark.with_readings(frame, "text", TARGET, column).write.mode("overwrite").parquet(str(out))
        found = pyarrow.parquet.read_table(out, columns=["row", column])
        if rows > MANY:
            told = verdict(scores(found) == bare.scores(files)) + ", scores"
        else:
            told = same(found, bare.json(pyarrow.parquet.read_table(files)["text"]), rows)
        del found
        shutil.rmtree(out)
        yield [
            f"Spark, {workers} executor{'s' * (workers > 1)}",
            f"{rows:,}",
            f"{took:.1f}",
            f"{alone / rows * 1e6:.1f}",
            f"{spent['sensing']:.1f}",
            f"{spent['all']:.1f}",
            told,
        ]


def killed(spark: Any, folder: pathlib.Path, rows: int) -> list[str]:
    """One executor is killed (SIGKILL) while a stage runs."""
    out = folder / "killed"
    column = table(range(rows))
    file = folder / "kill-in"
    file.mkdir()
    for part in range(24):
        share = -(-rows // 24)
        pyarrow.parquet.write_table(column.slice(part * share, share), file / f"{part}.parquet")
    frame = sonometer.spark.with_readings(spark.read.parquet(str(file)), "text", TARGET, "json")
    victims = executors(spark.sparkContext.applicationId)
    at: list[str] = []

    def kill() -> None:
        tracker = spark.sparkContext.statusTracker()
        while True:
            for stage in tracker.getActiveStageIds():
                about = tracker.getStageInfo(stage)
                if about is not None and about.numCompletedTasks >= 3:
                    os.kill(victims[0], signal.SIGKILL)
                    at.append(f"{about.numCompletedTasks} of {about.numTasks} tasks")
                    return
            time.sleep(0.01)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    took = wall(lambda: frame.write.mode("overwrite").parquet(str(out)))
    told = same(pyarrow.parquet.read_table(out, columns=["row", "json"]), Bare().json(column["text"]), rows)
    gone = victims[0] not in executors(spark.sparkContext.applicationId)
    when = f"after {at[0]}" if at and gone else "not killed: the stage was over before"
    return ["Spark, 2 executors, one killed", f"{rows:,}", when, f"{took:.1f}", told]


def skewed(spark: Any, folder: pathlib.Path, times: int) -> list[list[str]]:
    """One conversation of 100,000 turns among 2,000 of ten."""
    column = talks()
    file = folder / "skew-in"
    file.mkdir()
    for part in range(8):
        pyarrow.parquet.write_table(column.slice(part * 250, 250), file / f"{part}.parquet")
    sensor = sonometer.Sensor(TARGET)
    begin = time.process_time()
    alone = sensor.frame(column["talk"].slice(1_000, 1), columns="score", threads=1)
    long = time.process_time() - begin
    whole = sensor.frame(column["talk"], columns=["score"], threads=1)
    frame = spark.read.parquet(str(file))
    scored = sonometer.spark.with_readings(frame, "talk", TARGET, "score")
    others = frame.filter("row != 1000")
    rest = sonometer.spark.with_readings(others, "talk", TARGET, "score")
    # The first pass starts the processes; those after it take turns.
    rest.write.format("noop").mode("overwrite").save()
    took, without = [], []
    for _ in range(times):
        without.append(wall(lambda: rest.write.format("noop").mode("overwrite").save()))
        took.append(wall(lambda: scored.write.format("noop").mode("overwrite").save()))
    found = scored.select("row", "score").toArrow().sort_by("row")
    equal = found["score"].to_pylist() == whole["score"].to_pylist() and alone["score"][0] == whole["score"][1_000]
    return [["2,000 of 10 turns, one of 100,000", f"{min(took):.2f}", f"{min(without):.2f}", f"{long:.2f}", verdict(equal)]]


def main() -> None:
    parse = argparse.ArgumentParser()
    parse.add_argument("parts", nargs="*", help="rates, skew, kill; all without one")
    parse.add_argument("--files", type=pathlib.Path, required=True, help="the folder of the rows, made once")
    parse.add_argument("--quick", action="store_true")
    parse.add_argument("--least", type=int, default=0)
    parse.add_argument("--most", type=int, default=1_000_000)
    parse.add_argument("--workers", type=int, choices=[1, 2], action="append", help="of the rates")
    asked = parse.parse_args()
    most = 10_000 if asked.quick else asked.most
    sizes = [rows for rows in (10_000, 100_000, 1_000_000, 10_000_000) if asked.least <= rows <= most]
    workers = asked.workers or [1, 2]
    parts = asked.parts or ["rates", "skew", "kill"]
    told: list[list[str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if "rates" in parts and 1 in workers:
            spark = session(1)
            told += rates(spark, 1, folder, asked.files, sizes)
            spark.stop()
        spark = session(2)
        if "rates" in parts and 2 in workers:
            told += rates(spark, 2, folder, asked.files, sizes)
        if "rates" in parts:
            markdown(HEAD, told)
        if "skew" in parts:
            long = skewed(spark, folder, 2 if asked.quick else 5)
            markdown(["conversations", "seconds of the stage", "without the long one", "sensing the long one alone", "same scores"], long)
            told += long
        if "kill" in parts:
            # The last: what comes after it would wait for the executor that takes the place.
            kill = [killed(spark, folder, 24_000 if asked.quick else 120_000)]
            markdown(["what happens", "rows", "when", "seconds", "each row once, same bytes"], kill)
            told += kill
        spark.stop()
    if any(not row[-1].startswith("yes") for row in told):
        sys.exit("bytes differ")


if __name__ == "__main__":
    main()
