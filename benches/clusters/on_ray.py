"""Ray with two nodes on one machine: the bytes of each row beside those of one by one, in order, one long conversation, one node taken away.

`python on_ray.py [rates|skew|kill]… --files FOLDER [--quick] [--most ROWS]`, by `benches/clusters/run`.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pyarrow
import pyarrow.parquet
import ray
import ray.data
import sonometer.ray
from ray.cluster_utils import Cluster
from sonometer._rows import Sensed
from work import TARGET, Bare, files_of, markdown, same, scores, table, talks, verdict

HEAD = [
    "engine",
    "rows",
    "seconds",
    "sorted",
    "a function that does nothing",
    "CPU µs a row: bare engine",
    "sensing in the workers",
    "in order",
    "same bytes",
]
# So many bytes of blocks are in the memory of each node.
STORE = 1 << 30
# Of so many rows the JSON is compared; of more the score.
JSON_ROWS = 100_000


class Slow:
    """As the class that senses, with a pause for each batch: there must be time to take a node away."""

    def __init__(self, sense: Any) -> None:
        self.sense = sense

    def __call__(self, batch: Any) -> Any:
        time.sleep(0.3)
        return self.sense(batch)


class Watched:
    """The CPU time of a worker for sensing."""

    def __init__(self, sensed: Sensed) -> None:
        self.sensed = sensed

    def __call__(self, batch: Any) -> Any:
        begin = time.process_time()
        rows = sum(found.num_rows for part in batch.to_batches() for found in self.sensed.batch(part))
        # What Ray does beside in other threads of the process is in it, too.
        return pyarrow.table({"rows": [rows], "sensing": [time.process_time() - begin]})


def collected(dataset: Any) -> Any:
    return pyarrow.concat_tables([part for part in ray.get(dataset.to_arrow_refs()) if part.num_rows])


def blocks(rows: int, count: int = 8) -> tuple[Any, Any]:
    column = table(range(rows))
    share = -(-rows // count)
    return column, ray.data.from_arrow([column.slice(part * share, share) for part in range(count)])


def drained(dataset: Any) -> float:
    """The seconds in which all of it is made; nothing is kept."""
    begin = time.perf_counter()
    rows = sum(batch.num_rows for batch in dataset.iter_batches(batch_size=None, batch_format="pyarrow"))
    assert rows > 0
    return time.perf_counter() - begin


def nothing(batch: Any) -> Any:
    """What a batch costs in Ray alone."""
    return batch


def rates(folder: pathlib.Path, sizes: list[int]) -> Iterator[list[str]]:
    bare = Bare()
    for rows in sizes:
        files = files_of(folder, rows)
        dataset = ray.data.read_parquet([str(file) for file in files])
        alone = bare.seconds_of(files, rows)
        # The first pass starts the processes and compiles the sensor in each.
        drained(sonometer.ray.with_readings(ray.data.read_parquet(str(files_of(folder, 1_000)[0].parent)), "text", TARGET, "score"))
        control = drained(dataset.map_batches(nothing, batch_format="pyarrow", batch_size=4096, zero_copy_batch=True))
        took = drained(sonometer.ray.with_readings(dataset, "text", TARGET, "score"))
        # What is sorted has to be in memory.
        column = "json" if rows <= JSON_ROWS else "score"
        begin = time.perf_counter()
        found = collected(sonometer.ray.with_readings(dataset, "text", TARGET, column, order="row").select_columns(["row", column]))
        ordered = time.perf_counter() - begin
        watched = Watched(Sensed("text", TARGET, "score", "", False, {"threads": 1}))
        told = collected(dataset.map_batches(watched.__call__, batch_format="pyarrow", batch_size=4096, zero_copy_batch=True))
        in_order = found["row"].to_pylist() == list(range(rows))
        if column == "json":
            equal = same(found, bare.json(pyarrow.parquet.read_table(files)["text"]), rows)
        else:
            equal = verdict(scores(found) == bare.scores(files)) + ", scores"
        yield [
            "Ray, 2 nodes",
            f"{rows:,}",
            f"{took:.1f}",
            f"{ordered:.1f}",
            f"{control:.1f}",
            f"{alone / rows * 1e6:.1f}",
            f"{sum(told['sensing'].to_pylist()) / rows * 1e6:.1f}",
            verdict(in_order),
            equal,
        ]


def skewed(times: int) -> list[str]:
    """One conversation of 100,000 turns among 2,000 of ten."""
    column = talks()
    sensor = sonometer.Sensor(TARGET)
    begin = time.process_time()
    sensor.frame(column["talk"].slice(1_000, 1), columns="score", threads=1)
    long = time.process_time() - begin
    whole = sensor.frame(column["talk"], columns=["score"], threads=1)["score"].to_pylist()
    parts = [column.slice(at, 250) for at in range(0, 2_000, 250)]
    short = column.slice(0, 1_000), column.slice(1_001)
    rest = [part.slice(at, 250) for part in short for at in range(0, part.num_rows, 250)]
    took, without = [], []
    for _ in range(times + 1):
        for blocks, found in ((rest, without), (parts, took)):
            found.append(drained(sonometer.ray.with_readings(ray.data.from_arrow(blocks), "talk", TARGET, "score")))
    # The first pass starts the processes.
    took, without = took[1:], without[1:]
    found = collected(sonometer.ray.with_readings(ray.data.from_arrow(parts), "talk", TARGET, "score", order="row"))
    equal = found["row"].to_pylist() == list(range(2_000)) and found["score"].to_pylist() == whole
    return ["2,000 of 10 turns, one of 100,000", f"{min(took):.2f}", f"{min(without):.2f}", f"{long:.2f}", verdict(equal)]


def killed(cluster: Cluster, node: Any, rows: int) -> list[str]:
    """The second node is taken away without grace while rows are sensed."""
    column, dataset = blocks(rows, 24)
    gone: list[float] = []
    begin = time.perf_counter()

    def take_away() -> None:
        time.sleep(4)
        cluster.remove_node(node, allow_graceful=False)
        gone.append(time.perf_counter() - begin)

    taker = threading.Thread(target=take_away)
    taker.start()
    sense = sonometer.ray.Sense("text", TARGET, "json")
    found = collected(dataset.map_batches(Slow(sense).__call__, batch_format="pyarrow", batch_size=1024))
    took = time.perf_counter() - begin
    taker.join()
    when = f"after {gone[0]:.1f} s" if gone[0] < took else "not taken away: it was over before"
    return ["Ray, 2 nodes, one taken away", f"{rows:,}", when, f"{took:.1f}", same(found, Bare().json(column["text"]), rows)]


def main() -> None:
    parse = argparse.ArgumentParser()
    parse.add_argument("parts", nargs="*", help="rates, skew, kill; all without one")
    parse.add_argument("--files", type=pathlib.Path, required=True, help="the folder of the rows, made once")
    parse.add_argument("--quick", action="store_true")
    parse.add_argument("--least", type=int, default=0)
    parse.add_argument("--most", type=int, default=1_000_000)
    asked = parse.parse_args()
    most = 10_000 if asked.quick else asked.most
    own = asked.parts or ["rates", "skew", "kill"]
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, "object_store_memory": STORE}
    )
    node = cluster.add_node(num_cpus=1, object_store_memory=STORE)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    cluster.wait_for_nodes()
    ray.data.DataContext.get_current().enable_progress_bars = False
    told: list[list[str]] = []
    if "rates" in own:
        told += rates(asked.files, [rows for rows in (10_000, 100_000, 1_000_000, 10_000_000) if asked.least <= rows <= most])
        markdown(HEAD, told)
    if "skew" in own:
        long = [skewed(2 if asked.quick else 5)]
        markdown(["conversations", "seconds", "without the long one", "sensing the long one alone", "same scores"], long)
        told += long
    if "kill" in own:
        # The last: there is one node less behind it.
        kill = [killed(cluster, node, 24_000)]
        markdown(["in Ray", "rows", "when", "seconds", "each row once, same bytes"], kill)
        told += kill
    ray.shutdown()
    cluster.shutdown()
    if any(not row[-1].startswith("yes") for row in told):
        sys.exit("bytes differ")


if __name__ == "__main__":
    main()
