"""What columns cost beside the bare engine: `python columns.py [--quick]`, by `benches/clusters/run`.

8,000 rows of 1 KB, each another text. All ways are measured in one process, in turns, by its CPU time on one thread; a figure is the median of
the rounds. What runs beside on the machine does not count.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable
from typing import Any

import polars
import pyarrow
import sonometer.polars
from work import SAYINGS, TARGET, markdown


def message(row: int, length: int = 1024) -> str:
    said, at = f"This is message {row}. ", row
    while len(said) < length:
        said += SAYINGS[at % len(SAYINGS)] + " "
        at += 1
    return said[:length]


def lengths(texts: polars.Series) -> polars.Series:
    return texts.str.len_bytes().cast(polars.Float64)


def main() -> None:
    parse = argparse.ArgumentParser()
    parse.add_argument("--quick", action="store_true")
    rounds, rows = (3, 2_000) if parse.parse_args().quick else (11, 8_000)
    sensor = sonometer.Sensor(TARGET)
    texts = [message(row) for row in range(rows)]
    column, series = pyarrow.array(texts), polars.Series("text", texts)
    frame = polars.DataFrame({"text": series})
    scored = polars.col("text").sonometer.score(sensor, threads=1)
    # What streaming costs without sensing.
    idle = polars.col("text").map_batches(lengths, return_dtype=polars.Float64, is_elementwise=True)
    findings = ["score", "triggered", "evidence"]

    def one_by_one() -> list[float | None]:
        return [sensor.sense(text).score for text in texts]

    ways: dict[str, Callable[[], Any]] = {
        "one by one, `sense(text).score`": one_by_one,
        "pyarrow, `score`": lambda: sensor.frame(column, columns="score", threads=1),
        "pyarrow, `score`, `triggered`, `evidence`": lambda: sensor.frame(column, columns=findings, threads=1),
        "pyarrow, `json`": lambda: sensor.frame(column, columns="json", threads=1),
        "pyarrow, `mask_column`": lambda: sensor.mask_column(column, threads=1),
        "Polars expression, `score`": lambda: frame.select(scored),
        "Polars expression, `score`, streaming": lambda: frame.lazy().select(scored).collect(engine="streaming"),
        "Polars streaming, a function that does not sense": lambda: frame.lazy().select(idle).collect(engine="streaming"),
        "one by one, evidence read": lambda: [sensor.sense(text).evidence for text in texts],
        "one by one, `json()`": lambda: [sensor.sense(text).json(profile="detailed") for text in texts],
    }
    if importlib.util.find_spec("pandas"):
        pandas = importlib.import_module("pandas")
        importlib.import_module("sonometer.pandas")
        own = pandas.Series(texts)
        ways["pandas accessor, `score`"] = lambda: own.sonometer.score(sensor, threads=1)
    if importlib.util.find_spec("duckdb"):
        connection = importlib.import_module("duckdb").connect()
        connection.execute("set threads to 1")
        importlib.import_module("sonometer.duckdb").register(connection, {"own": sensor})
        connection.register("talks", pyarrow.table({"text": column}))
        ways["DuckDB, `score('own', text)`"] = lambda: connection.sql("select score('own', text) from talks").to_arrow_table()
    if importlib.util.find_spec("datafusion"):
        datafusion = importlib.import_module("datafusion")
        context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))
        importlib.import_module("sonometer.datafusion").register(context, {"own": sensor})
        context.from_arrow(pyarrow.table({"text": column}), name="talks")
        ways["DataFusion, `score('own', text)`"] = lambda: context.sql("select score('own', text) from talks").to_arrow_table()

    expected = one_by_one()
    assert ways["pyarrow, `score`"]()["score"].to_pylist() == ways["Polars expression, `score`"]()["score"].to_list() == expected
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            begin = time.process_time()
            work()
            spent[name].append((time.process_time() - begin) / rows * 1e6)
    bare = statistics.median(spent["one by one, `sense(text).score`"])
    told = []
    for name, times in spent.items():
        middle = statistics.median(times)
        told.append([name, f"{middle:.1f}", f"{min(times):.1f} to {max(times):.1f}", f"{100 * (middle / bare - 1):+.0f} %"])
    markdown(["way", "CPU µs a row", "least to most", "beside one by one"], told)


if __name__ == "__main__":
    main()
