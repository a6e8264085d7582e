#!/usr/bin/env python3
"""What a request costs the database that nodes of the service share: one node and two, one organization and eight.

usage: crates/sonometer-server/tests/postgres.sh benches/nodes/measure.py SONOMETER [SECONDS]

SONOMETER is the command, built with `serve`. CPU times are those of the processes, so they hold on a machine where other things run; rates
do not. Only the standard library is needed.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

DATABASE = os.environ.get("SONOMETER_TEST_POSTGRES", "")
PSQL = os.environ.get("SONOMETER_TEST_PSQL", "psql")
CLIENTS = 16
TEXT = "Thank you so much for your patience today, I really appreciate it. " * 4


def sql(query: str) -> str:
    done = subprocess.run([PSQL, DATABASE, "-Atc", query], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def stat(pid: str) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()


def cpu_of(pid: int) -> float:
    """Seconds of a process."""
    fields = stat(str(pid))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_of_database(first: int) -> float:
    """Seconds of all processes of PostgreSQL, with those that have ended."""
    fields = stat(str(first))
    ticks = sum(map(int, fields[11:15]))
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                own = stat(entry.name)
            except OSError:
                continue
            if own[1] == str(first):
                ticks += int(own[11]) + int(own[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def start(command: str, folder: Path, name: str) -> tuple[subprocess.Popen[bytes], int]:
    log = folder / f"{name}.log"
    arguments = [command, "serve", "--listen", "127.0.0.1:0", "--database", DATABASE, "--first-token", str(folder / name)]
    process = subprocess.Popen(arguments, stdout=log.open("wb"), stderr=subprocess.STDOUT)
    for _ in range(600):
        for word in log.read_text(encoding="utf-8", errors="replace").split():
            if "127.0.0.1:" in word:
                return process, int("".join(filter(str.isdigit, word.rpartition(":")[2])))
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise SystemExit(f"the node does not start:\n{log.read_text(encoding='utf-8', errors='replace')}")


def admin(command: str, *arguments: str) -> str:
    done = subprocess.run([command, "admin", "--database", DATABASE, *arguments], check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{arguments}: {done.stderr}")
    return done.stdout


def ask(port: int, token: str, until: float, times: list[float]) -> None:
    body = json.dumps({"target": {"type": "protocol", "id": "courtesy"}, "interaction": {"content": TEXT}})
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while time.monotonic() < until:
        began = time.monotonic()
        connection.request("POST", "/api/v1/sense", body, headers)
        answer = connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{answer.status}: {said.decode(errors='replace')}")
        times.append(time.monotonic() - began)


def measure(nodes: list[tuple[subprocess.Popen[bytes], int]], tokens: list[str], seconds: float, first: int) -> list[str]:
    def counters() -> list[float]:
        commits, log = sql("select xact_commit, pg_current_wal_lsn() - '0/0' from pg_stat_database where datname = current_database()").split("|")
        return [cpu_of_database(first), sum(cpu_of(node.pid) for node, _ in nodes), float(commits), float(log)]

    sql("select pg_stat_force_next_flush()")
    before, times = counters(), []
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=ask, args=(nodes[at % len(nodes)][1], tokens[at % len(tokens)], until, times)) for at in range(CLIENTS)
    ]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    # Backends report what they counted once they are idle.
    time.sleep(1.5)
    database, own, commits, log = (after - start for after, start in zip(counters(), before, strict=True))
    count = len(times)
    return [
        str(len(nodes)),
        str(len(tokens)),
        f"{count:,}",
        f"{count / took:.0f}",
        f"{statistics.median(times) * 1e3:.1f}",
        f"{database / count * 1e6:.0f}",
        f"{own / count * 1e6:.0f}",
        f"{commits / count:.2f}",
        f"{log / count:.0f}",
    ]


def main() -> None:
    if not DATABASE:
        raise SystemExit(__doc__)
    command = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10.0
    sql("select 1")
    first = int(Path(sql("show data_directory"), "postmaster.pid").read_text(encoding="utf-8").splitlines()[0])
    with tempfile.TemporaryDirectory() as folder:
        nodes = [start(command, Path(folder), "one"), start(command, Path(folder), "two")]
        try:
            tokens = []
            for number in range(8):
                name = f"org-{number}"
                admin(command, "create-org", name)
                admin(command, "account", name, "--quota", "100000000", "--per-minute", "100000000")
                words = admin(command, "create-token", name).split()
                tokens.append(next(word for word in words if word.startswith("sono_")))
            print("| nodes | organizations | answers | a second | p50, ms | database: CPU µs an answer | nodes: CPU µs | commits | bytes of log |")
            print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
            measure(nodes, tokens, 2.0, first)
            for used in (nodes[:1], nodes):
                for some in (tokens[:1], tokens):
                    print(f"| {' | '.join(measure(used, some, seconds, first))} |", flush=True)
            print(f"\n{admin(command, 'check').strip()}")
        finally:
            for node, _ in nodes:
                node.terminate()
            for node, _ in nodes:
                node.wait(30)


main()
