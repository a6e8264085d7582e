"""Scores a data set of Hugging Face: `hugging_face_map.py FILE.parquet [TARGET]`, with `datasets` and pyarrow installed.

`Dataset.map` hands over tables of Arrow, so no row becomes an object of Python, and its cache holds the result: the sensor is pickled as its
source, which names what was measured with.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import sonometer


class Score:
    """What `Dataset.map` calls with a table."""

    def __init__(self, target: str, column: str = "text") -> None:
        self.sensor = sonometer.load(target)
        self.column = column

    def __call__(self, table: Any) -> Any:
        found = self.sensor.frame(table[self.column], columns=["score", "triggered"])
        for name in ("score", "triggered"):
            table = table.append_column(name, found[name])
        return table


def scored(dataset: Any, target: str = "courtesy", workers: int | None = None) -> Any:
    """The data set with the columns `score` and `triggered`, in its order."""
    return dataset.with_format("arrow").map(Score(target), batched=True, num_proc=workers).with_format(None)


def main(file: str, target: str = "courtesy") -> None:
    datasets = importlib.import_module("datasets")
    print(scored(datasets.Dataset.from_parquet(file), target).to_pandas().head())


if __name__ == "__main__":
    main(*sys.argv[1:])
