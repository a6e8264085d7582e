"""Ray with two nodes on one machine: the bytes of each row beside those of one by one, in order, and one node taken away.

`python on_ray.py [--quick] [--most ROWS]`, by `benches/clusters/run`.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pyarrow
import ray
import ray.data
import sonometer.ray
from ray.cluster_utils import Cluster
from sonometer._rows import Sensed
from work import TARGET, Bare, markdown, same, table

HEAD = [
    "engine",
    "rows",
    "seconds",
    "CPU µs a row: bare engine",
    "sensing in the workers",
    "in order",
    "same bytes",
]


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
        return pyarrow.table({"rows": [rows], "sensing": [time.process_time() - begin]})


def collected(dataset: Any) -> Any:
    return pyarrow.concat_tables([part for part in ray.get(dataset.to_arrow_refs()) if part.num_rows])


def blocks(rows: int, count: int = 8) -> tuple[Any, Any]:
    column = table(range(rows))
    share = -(-rows // count)
    return column, ray.data.from_arrow([column.slice(part * share, share) for part in range(count)])


def rates(sizes: list[int]) -> Iterator[list[str]]:
    bare = Bare()
    for rows in sizes:
        column, dataset = blocks(rows)
        alone = bare.seconds(column["text"])
        begin = time.perf_counter()
        found = collected(sonometer.ray.with_readings(dataset, "text", TARGET, "json", order="row"))
        took = time.perf_counter() - begin
        watched = Watched(Sensed("text", TARGET, "score", "", False, {"threads": 1}))
        told = collected(dataset.map_batches(watched.__call__, batch_format="pyarrow", batch_size=1024))
        yield [
            "Ray, 2 nodes",
            f"{rows:,}",
            f"{took:.1f}",
            f"{alone / rows * 1e6:.1f}",
            f"{sum(told['sensing'].to_pylist()) / rows * 1e6:.1f}",
            "yes" if found["row"].to_pylist() == list(range(rows)) else "no",
            same(found, bare.json(column["text"]), rows),
        ]


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
    parse.add_argument("--quick", action="store_true")
    parse.add_argument("--most", type=int, default=1_000_000)
    asked = parse.parse_args()
    most = 10_000 if asked.quick else asked.most
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    node = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    cluster.wait_for_nodes()
    ray.data.DataContext.get_current().enable_progress_bars = False
    told = list(rates([rows for rows in (10_000, 100_000, 1_000_000) if rows <= most]))
    markdown(HEAD, told)
    kill = [killed(cluster, node, 24_000)]
    markdown(["in Ray", "rows", "when", "seconds", "each row once, same bytes"], kill)
    ray.shutdown()
    cluster.shutdown()
    if any(row[-1] != "yes" for row in [*told, *kill]):
        sys.exit("bytes differ")


if __name__ == "__main__":
    main()
