"""Engines over files of Parquet, from ten thousand rows to ten million, on one core and on two, beside the bare engine.

`python engines.py COMMAND [--quick] [--most ROWS] [--only NAME]…`, by `benches/clusters/run`. Each run is a process of its own that is bound to
its cores. It reads the files, makes a score of each text and keeps rows and scores; starting it, importing what it needs and compiling the
sensor are not in the time, but for the command, where all of it is.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import sonometer
from work import TARGET, Bare, files_of, markdown, scores, verdict

HEAD = ["engine", "rows", "one core: seconds", "CPU µs a row", "beside the bare engine", "two cores: seconds", "times one core", "rows/s", "same scores"]
ENGINES = ["the command", "pyarrow", "Polars", "DuckDB", "DataFusion"]


def by_pyarrow(files: list[str], cores: int) -> Any:
    pyarrow.set_cpu_count(cores)
    sensor = sonometer.Sensor(TARGET)
    sensor.sense("warm")
    rows, scores = [], []
    for batch in pyarrow.dataset.dataset(files).to_batches():
        rows.append(batch.column("row"))
        scores += sensor.frame(batch.column("text"), columns="score", threads=cores)["score"].chunks
    return pyarrow.table({"row": pyarrow.chunked_array(rows), "score": pyarrow.chunked_array(scores)})


def by_polars(files: list[str], cores: int) -> Any:
    import polars
    import sonometer.polars

    score = polars.col("text").sonometer.score(sonometer.Sensor(TARGET), threads=1)
    return polars.scan_parquet(files).select("row", score).collect(engine="streaming").to_arrow()


def by_duckdb(files: list[str], cores: int) -> Any:
    import duckdb
    import sonometer.duckdb

    connection = duckdb.connect()
    connection.execute(f"set threads to {cores}")
    sonometer.duckdb.register(connection, {"own": sonometer.Sensor(TARGET)})
    return connection.sql(f"select row, score('own', text) as score from read_parquet({files})").to_arrow_table()


def by_datafusion(files: list[str], cores: int) -> Any:
    import datafusion
    import sonometer.datafusion

    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(cores))
    sonometer.datafusion.register(context, {"own": sonometer.Sensor(TARGET)})
    context.register_parquet("talks", str(pathlib.Path(files[0]).parent))
    return context.sql("select row, score('own', text) as score from talks").to_arrow_table()


WAYS: dict[str, Callable[[list[str], int], Any]] = {
    "pyarrow": by_pyarrow,
    "Polars": by_polars,
    "DuckDB": by_duckdb,
    "DataFusion": by_datafusion,
}


def one(engine: str, cores: int, warm: str, files: list[str]) -> None:
    """A run in this process, and what it took as JSON."""
    way = WAYS[engine]
    way([warm], cores)
    before, begin = time.process_time(), time.perf_counter()
    found = way(files, cores)
    took = {"seconds": time.perf_counter() - begin, "cpu": time.process_time() - before}
    print(json.dumps(took | {"scores": scores(found)}))


def bound(cores: int) -> Callable[[], None]:
    """What binds a child to its cores."""
    return lambda: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def run(command: str, engine: str, cores: int, warm: pathlib.Path, files: list[pathlib.Path]) -> dict[str, Any]:
    if engine != "the command":
        own = [sys.executable, __file__, command, "--files", str(files[0].parent), "--one", engine, str(cores), str(warm), *map(str, files)]
        environment = {**os.environ, "POLARS_MAX_THREADS": str(cores), "RAYON_NUM_THREADS": str(cores)}
        ended = subprocess.run(own, preexec_fn=bound(cores), env=environment, stdout=subprocess.PIPE, check=True)
        found: dict[str, Any] = json.loads(ended.stdout)
        return found
    with tempfile.TemporaryDirectory(dir=files[0].parent.parent) as name:
        out = pathlib.Path(name) / "out.parquet"
        asked = [command, "batch", TARGET, str(files[0].parent), "--columns", "score", "--threads", str(cores), "-o", str(out)]
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(asked, preexec_fn=bound(cores), check=True, stderr=subprocess.DEVNULL)
        seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"seconds": seconds, "cpu": cpu, "scores": scores(pyarrow.parquet.read_table(out))}


def measure(command: str, sizes: list[int], engines: list[str], folder: pathlib.Path) -> Iterator[list[str]]:
    warm = files_of(folder, 1_000)[0]
    for rows in sizes:
        files = files_of(folder, rows)
        bare = Bare()
        alone, wanted = bare.seconds_of(files, rows), bare.scores(files)
        yield ["one by one", f"{rows:,}", f"{alone:.2f}", f"{alone / rows * 1e6:.1f}", "", "", "", f"{rows / alone:,.0f}", ""]
        for engine in engines:
            first, second = (run(command, engine, cores, warm, files) for cores in (1, 2))
            yield [
                engine,
                f"{rows:,}",
                f"{first['seconds']:.2f}",
                f"{first['cpu'] / rows * 1e6:.1f}",
                f"{100 * (first['cpu'] / alone - 1):+.0f} %",
                f"{second['seconds']:.2f}",
                f"{first['seconds'] / second['seconds']:.2f}",
                f"{rows / second['seconds']:,.0f}",
                verdict(first["scores"] == second["scores"] == wanted),
            ]


def main() -> None:
    parse = argparse.ArgumentParser()
    parse.add_argument("command", help="the program `sonometer`")
    parse.add_argument("--files", type=pathlib.Path, required=True, help="the folder of the rows, made once")
    parse.add_argument("--quick", action="store_true")
    parse.add_argument("--least", type=int, default=0)
    parse.add_argument("--most", type=int, default=1_000_000)
    parse.add_argument("--only", action="append", choices=ENGINES)
    parse.add_argument("--one", nargs="+", help="by itself: engine, cores, a small file, files")
    asked = parse.parse_args()
    if asked.one:
        engine, cores, warm, *files = asked.one
        return one(engine, int(cores), warm, files)
    most = 10_000 if asked.quick else asked.most
    sizes = [rows for rows in (10_000, 100_000, 1_000_000, 10_000_000) if asked.least <= rows <= most]
    told = []

    def kept() -> Iterator[list[str]]:
        for row in measure(asked.command, sizes, asked.only or ENGINES, asked.files):
            told.append(row)
            yield row

    markdown(HEAD, kept())
    if any(row[-1] == "no" for row in told):
        sys.exit("scores differ")


if __name__ == "__main__":
    main()
