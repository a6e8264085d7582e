#!/usr/bin/env python3
"""Load with random kills, pauses and jumps of the clock; in the end the answers of clients are compared with the ledger.

usage: soak.py SONOMETER [SECONDS [SEED]]

SONOMETER is the command, built with `serve`. One node on SQLite; with SONOMETER_TEST_POSTGRES, which postgres.sh sets, two on that
server, which is crashed now and then. SOAK_PAUSE is how many seconds a client waits between two requests (0), SOAK_CALM how many
there are between two troubles at most (2.5): both keep a long run from taking a machine for itself. Clocks jump where libfaketime is
(Debian's package libfaketime), else this is skipped by name. Only the standard library is needed. The last line is the sum.
"""

import datetime
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

SERVER = os.environ.get("SONOMETER_TEST_POSTGRES", "")
CRASH = os.environ.get("SONOMETER_TEST_CRASH", "")
FAKETIME = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
CLIENTS = 4
PAUSE = float(os.environ.get("SOAK_PAUSE", "0"))
CALM = float(os.environ.get("SOAK_CALM", "2.5"))
# Further than that no clock is set, in either direction.
FURTHEST = 2 * 86_400
# How long one request may be asked again and again, a job may take once all nodes are up, and a node to start or to stop.
PATIENCE = 180
TARGET = {"type": "protocol", "id": "courtesy"}
TEXTS = [
    "Good morning! Thank you so much for your help, I really appreciate it.",
    "The train to the city leaves at nine from the other platform, and the ticket is on the table.",
    "I am so sorry for the delay, and thank you for your patience today.",
]


class Node:
    """A process of the service with a clock of its own, which is killed and started again."""

    def __init__(self, command: str, folder: Path, name: str, database: str) -> None:
        self.command, self.folder, self.name, self.database = command, folder, name, database
        self.clock = folder / f"{name}.clock"
        self.offset = 0
        self.set_clock(0)
        self.starts = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.port = 0

    def set_clock(self, offset: int) -> None:
        self.offset = max(-FURTHEST, min(FURTHEST, offset))
        beside = self.clock.with_suffix(".new")
        beside.write_text(f"{self.offset:+d}\n", encoding="utf-8")
        beside.replace(self.clock)

    def start(self) -> None:
        surroundings = dict(os.environ)
        if FAKETIME:
            surroundings |= {"LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1"}
            surroundings |= {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"}
        self.starts += 1
        log = self.folder / f"{self.name}.{self.starts}.log"
        # Keys are repeated after jumps of days, and must still be known then.
        settings = ["--set", "retention.answers_days=60", "--set", "retention.results_days=60"]
        arguments = [self.command, "serve", "--listen", "127.0.0.1:0", "--database", self.database, *settings]
        arguments += ["--first-token", str(self.folder / "token")]
        with log.open("wb") as file:
            self.process = subprocess.Popen(arguments, stdout=file, stderr=subprocess.STDOUT, cwd=self.folder, env=surroundings)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            text = log.read_text(encoding="utf-8", errors="replace")
            if "listening on http://127.0.0.1:" in text:
                self.port = int(text.partition("listening on http://127.0.0.1:")[2].split()[0])
                return
            time.sleep(0.02)
        raise SystemExit(f"{self.name} does not start:\n{log.read_text(encoding='utf-8', errors='replace')[-2000:]}")

    def end(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        self.process.wait(PATIENCE)


class Load:
    """Clients, and the answers they got."""

    def __init__(self, nodes: list[Node], token: str, seed: int) -> None:
        self.nodes, self.token, self.seed = nodes, token, seed
        self.over = threading.Event()
        self.lock = threading.Lock()
        # What a key costs, by what was answered; jobs that are not known to have ended; what was sent without a key.
        self.told: dict[str, int] = {}
        self.jobs: dict[str, str] = {}
        self.once: dict[str, int | None] = {}
        self.others: Counter[str] = Counter()
        self.wrong: list[str] = []

    def ask(self, method: str, path: str, body: object, headers: dict[str, str], node: Node) -> tuple[int, dict, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", node.port, timeout=20)
        try:
            text = None if body is None else json.dumps(body)
            own = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
            connection.request(method, path, text, own | headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        except (OSError, http.client.HTTPException):
            return 0, {}, b""
        finally:
            connection.close()

    def note(self, status: int, said: bytes) -> bool:
        """Whether it may be asked again; what the service should never say is kept."""
        with self.lock:
            self.others[str(status)] += 1
            if status not in (0, 503):
                self.wrong.append(f"{status}: {said[:300].decode(errors='replace')}")
        return status in (0, 503)

    def keyed(self, key: str, path: str, body: object, dice: random.Random) -> None:
        """Asks until there is an answer, under one key, at whatever node."""
        until = time.monotonic() + PATIENCE
        first = None
        while time.monotonic() < until:
            status, _, said = self.ask("POST", path, body, {"Idempotency-Key": key}, dice.choice(self.nodes))
            if status in (200, 202):
                answer = json.loads(said)
                with self.lock:
                    if status == 202:
                        self.jobs[key] = answer["job_id"]
                    else:
                        costs = answer["ics"]
                        self.told[key] = costs.get("consumed", costs.get("total_consumed"))
                if dice.random() < 0.1:
                    # The same answer again, regardless of what happened meanwhile.
                    if first not in (None, said):
                        self.note(200, said)
                    first, until = said, min(until, time.monotonic() + 20)
                    continue
                return
            if not self.note(status, said):
                return
            time.sleep(0.05)
        if first is None:
            with self.lock:
                self.wrong.append(f"{key} was not answered within {PATIENCE} seconds")

    def unkeyed(self, name: str, body: object, dice: random.Random) -> None:
        """Asks once. Without an answer nobody knows whether it was charged."""
        with self.lock:
            self.once[name] = None
        status, _, said = self.ask("POST", "/api/v1/sense", body, {"X-Request-Id": name}, dice.choice(self.nodes))
        if status == 200:
            with self.lock:
                self.once[name] = json.loads(said)["ics"]["consumed"]
        else:
            self.note(status, said)

    def client(self, number: int) -> None:
        dice = random.Random(f"{self.seed} {number}")
        at = 0
        while not self.over.is_set():
            at += 1
            name = f"k{number}-{at}"
            kind = dice.random()
            one = {"target": TARGET, "interaction": {"content": dice.choice(TEXTS)}}
            items = [{"id": str(n), "content": dice.choice(TEXTS)} for n in range(5 if kind < 0.92 else 50)]
            if kind < 0.65:
                self.keyed(name, "/api/v1/sense", one, dice)
            elif kind < 0.8:
                self.unkeyed(name, one, dice)
            else:
                self.keyed(name, "/api/v1/sense/batch", {"target": TARGET, "interactions": items}, dice)
            time.sleep(PAUSE)

    def finish_jobs(self) -> None:
        """Waits until all jobs have ended."""
        until = time.monotonic() + PATIENCE
        left = dict(self.jobs)
        while left and time.monotonic() < until:
            for key, job in list(left.items()):
                status, _, said = self.ask("GET", f"/api/v1/jobs/{job}", None, {}, self.nodes[0])
                if status != 200:
                    self.note(status, said)
                    continue
                answer = json.loads(said)
                if answer["status"] == "completed":
                    self.told[key] = answer["result"]["ics"]["total_consumed"]
                    del left[key]
                elif answer["status"] != "processing":
                    self.wrong.append(f"{key}: {said[:300].decode(errors='replace')}")
                    del left[key]
            time.sleep(0.2)
        self.wrong += [f"{key}: {job} does not end" for key, job in left.items()]


def trouble(nodes: list[Node], until: float, dice: random.Random) -> Counter[str]:
    """Kills, stops, pauses, crashes and jumps until the time is over."""
    done: Counter[str] = Counter()
    kinds = ["kill"] * 4 + ["stop"] * 2 + ["pause"] * 2
    kinds += ["clock"] * 4 if FAKETIME else []
    kinds += ["crash of the database"] if CRASH else []
    while time.monotonic() < until:
        time.sleep(dice.uniform(0.2, CALM))
        node, kind = dice.choice(nodes), dice.choice(kinds)
        done[kind] += 1
        if kind == "kill":
            node.end(signal.SIGKILL)
            node.start()
        elif kind == "stop":
            node.end(signal.SIGTERM)
            node.start()
        elif kind == "pause":
            node.process.send_signal(signal.SIGSTOP)
            time.sleep(dice.uniform(0.1, 3))
            node.process.send_signal(signal.SIGCONT)
        elif kind == "clock":
            far = dice.choice([1, 30, 900, 7_200, 86_400])
            node.set_clock(node.offset + dice.randint(-far, far))
        else:
            subprocess.run(["sh", "-c", CRASH], check=True, stdout=subprocess.DEVNULL)
    return done


def ledger(command: str, database: str, folder: Path) -> list[dict]:
    """All charges, of every month in which a clock may have been."""
    now = datetime.datetime.now(datetime.timezone.utc)
    months = {f"{now + datetime.timedelta(seconds=offset):%Y-%m}" for offset in (-FURTHEST, 0, FURTHEST)}
    rows = []
    for month in sorted(months):
        rows += map(json.loads, admin(command, database, folder, "usage", "first", "--period", month, "--format", "jsonl").splitlines())
    return rows


def admin(command: str, database: str, folder: Path, *arguments: str) -> str:
    done = subprocess.run([command, "admin", "--database", database, *arguments], check=False, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise SystemExit(f"{arguments}: {done.stdout}{done.stderr}")
    return done.stdout


def compare(load: Load, rows: list[dict]) -> list[str]:
    """Where the answers and the charges differ."""
    wrong = list(load.wrong)
    by_key: defaultdict[str, list[dict]] = defaultdict(list)
    by_request: defaultdict[str, list[dict]] = defaultdict(list)
    for row in rows:
        name = row["idempotency_key"]
        (by_key[name] if name else by_request[row["request_id"]]).append(row)
    for key, units in load.told.items():
        charges = {row["charge_id"] for row in by_key[key]}
        charged = sum(row["ics_consumed"] for row in by_key[key])
        if charged != units or len(charges) > 1:
            wrong.append(f"{key}: {units} in the answer, {charged} charged, in {len(charges)} charges")
    for name, units in load.once.items():
        charges = {row["charge_id"] for row in by_request[name]}
        charged = sum(row["ics_consumed"] for row in by_request[name])
        if len(charges) > 1 or (units is not None and charged != units):
            wrong.append(f"{name}: {units} in the answer, {charged} charged, in {len(charges)} charges")
    known = load.told.keys() | load.once.keys()
    wrong += [f"{name}: nobody asked for it" for name in (by_key.keys() | by_request.keys()) - known]
    return wrong


def run(command: str, seconds: float, seed: int, folder: Path) -> list[str]:
    dice = random.Random(seed)
    database = "soak.sqlite"
    if SERVER:
        schema = f"soak_{seed}"
        psql = os.environ.get("SONOMETER_TEST_PSQL", "psql")
        subprocess.run([psql, "-q", "-d", SERVER, "-c", f"CREATE SCHEMA {schema}"], check=True)
        database = f"{SERVER}?options[search_path]={schema}"
    nodes = [Node(command, folder, f"node{number}", database) for number in range(2 if SERVER else 1)]
    try:
        for node in nodes:
            node.start()
        token = (folder / "token").read_text(encoding="utf-8").strip()
        admin(command, database, folder, "account", "first", "--quota", "1000000000", "--per-minute", "1000000000")
        load = Load(nodes, token, seed)
        threads = [threading.Thread(target=load.client, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        try:
            done = trouble(nodes, time.monotonic() + seconds, dice)
        finally:
            load.over.set()
            for thread in threads:
                thread.join()
        for node in nodes:
            node.set_clock(0)
        load.finish_jobs()
        checked = admin(command, database, folder, "check")
        rows = ledger(command, database, folder)
    finally:
        for node in nodes:
            if node.process and node.process.poll() is None:
                node.process.kill()
                node.process.wait()
    wrong = compare(load, rows)
    if "0 wrong; 0 rows of the ledger wrong" not in checked:
        wrong.append(checked)
    sent = len(load.told) + len(load.once)
    lost = sum(units is None for units in load.once.values())
    units = sum(row["ics_consumed"] for row in rows)
    troubles = ", ".join(f"{count} × {kind}" for kind, count in sorted(done.items()))
    store = "PostgreSQL, 2 nodes" if SERVER else "SQLite, 1 node"
    print(f"{store}, {seconds:.0f} s, seed {seed}: {troubles}")
    print(f"{sent - lost} requests answered ({len(load.jobs)} of them jobs), {lost} without an answer; {len(rows)} rows of the ledger, {units} ICS")
    print(f"other answers by status (0: none): {dict(load.others)}")
    print("\n".join(wrong[:20]) if wrong else "every answer is charged as it says, once")
    return wrong


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    command = str(Path(sys.argv[1]).resolve())
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 20
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
    if not FAKETIME:
        print("skipped: jumps of the clock (there is no libfaketime; Debian's package libfaketime)")
    with tempfile.TemporaryDirectory() as folder:
        wrong = run(command, seconds, seed, Path(folder))
    print(f"{0 if wrong else 1} passed, {1 if wrong else 0} failed")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
