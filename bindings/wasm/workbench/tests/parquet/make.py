"""Makes the files of this folder: `python make.py`, with pyarrow 21 or later."""

import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent
SAID = ["I apologize for the long delay of your order.", "You should have called us about your order, really."]

turns = [
    {"conversation": f"c{at}", "role": role, "text": text, "satisfied": at % 2 == 0, "number": at}
    for at in range(40)
    for role, text in [("customer", f"Where is order {at}? I have waited since Friday, \"really\"."), ("agent", SAID[at % 2])]
]
pq.write_table(pa.Table.from_pylist(turns), HERE / "turns-snappy.parquet", compression="snappy")
talks = [
    {
        "id": f"t{at}",
        "segments": [{"role": "customer", "content": f"Where is order {at}?"}, {"role": "agent", "content": SAID[at % 2]}],
        "labels": {"satisfied": at % 2 == 0},
    }
    for at in range(40)
]
pq.write_table(pa.Table.from_pylist(talks), HERE / "talks-zstd.parquet", compression="zstd")
pq.write_table(pa.Table.from_pylist(turns), HERE / "turns-gzip.parquet", compression="gzip")
