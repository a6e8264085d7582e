"""The command over files: time beside the bare engine, and memory beside the size of the input."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

import pyarrow
import pyarrow.parquet
from work import TARGET, Bare, markdown, text


def run(command: list[str], feed: list[bytes] | None = None, times: int = 0) -> tuple[float, float, int]:
    """Seconds of the wall and of the CPU, and the most memory in MiB, of a command that is fed some blocks so many times."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdin=None if feed is None else subprocess.PIPE, stderr=subprocess.PIPE)
    most = [0]
    watcher = threading.Thread(target=watch, args=(process.pid, most))
    watcher.start()
    if feed is not None:
        assert process.stdin is not None
        for at in range(times):
            process.stdin.write(feed[at % len(feed)])
        process.stdin.close()
    assert process.stderr is not None
    said = process.stderr.read().decode()
    watcher.join()
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: {said}")
    return time.perf_counter() - begin, used.ru_utime + used.ru_stime, most[0] >> 10


def watch(process: int, most: list[int]) -> None:
    """The high-water mark of a process, until it ends. That of `wait4` would be of Python, out of which the process was made."""
    while True:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
        mark = re.search(r"VmHWM:\s+(\d+) kB", status)
        if mark is None:
            return
        most[0] = int(mark[1])
        time.sleep(0.01)


def speed(command: str, folder: pathlib.Path, rows: int) -> list[list[str]]:
    """Parquet to Parquet. The bare engine is Python's loop on a tenth of the texts, ten times: what calling it costs is in it."""
    texts = pyarrow.array([text(row) or "All right, that works now." for row in range(rows)])
    pyarrow.parquet.write_table(pyarrow.table({"text": texts}), folder / "in.parquet", compression="zstd")
    bare = min(Bare().seconds(texts.slice(0, rows // 10)) for _ in range(3)) * 10
    told = [["one by one, 1 thread", f"{rows:,}", f"{bare:.2f}", f"{bare:.2f}", "1.00", ""]]
    for threads in ("1", "2"):
        best: tuple[float, float, int] | None = None
        for _ in range(3):
            (folder / "out.parquet").unlink(missing_ok=True)
            once = run([command, "batch", TARGET, str(folder / "in.parquet"), "--threads", threads, "-o", str(folder / "out.parquet")])
            best = once if best is None or once[0] < best[0] else best
        assert best is not None
        wall, spent, memory = best
        told.append([f"`batch --threads {threads}`", f"{rows:,}", f"{wall:.2f}", f"{spent:.2f}", f"{wall / bare:.2f}", f"{memory} MiB"])
    return told


def memory(command: str, folder: pathlib.Path, sizes: list[int]) -> list[list[str]]:
    """Lines of JSON from a pipe, made on the way: nothing of the input is on the disk."""
    lines = [json.dumps({"text": " ".join(filter(None, map(text, range(row, row + 6))))}) + "\n" for row in range(20_000)]
    blocks = ["".join(lines[at : at + 2_000]).encode() for at in range(0, len(lines), 2_000)]
    mean = sum(map(len, blocks)) // len(blocks)
    told = []
    for size in sizes:
        out = folder / "out.parquet"
        out.unlink(missing_ok=True)
        times = max(1, size // mean)
        wall, _, most = run([command, "batch", TARGET, "-", "--input-format", "jsonl", "-o", str(out)], blocks, times)
        rows = pyarrow.parquet.ParquetFile(out).metadata.num_rows
        assert rows == times * 2_000, f"{rows} rows of {times * 2_000}"
        told.append([f"{times * mean / 1e9:.2f} GB", f"{rows:,}", f"{wall:.0f}", f"{most} MiB"])
    return told


def main() -> None:
    parse = argparse.ArgumentParser()
    parse.add_argument("command", help="the program `sonometer`")
    parse.add_argument("--quick", action="store_true")
    asked = parse.parse_args()
    rows, sizes = (100_000, [10**8, 4 * 10**8]) if asked.quick else (1_000_000, [10**8, 10**9, 10**10])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        head = ["Parquet to Parquet, `score`", "rows", "seconds", "CPU seconds", "beside one by one", "most memory"]
        markdown(head, speed(asked.command, folder, rows))
        markdown(["lines of JSON from a pipe", "rows", "seconds", "most memory"], memory(asked.command, folder, sizes))


if __name__ == "__main__":
    main()
