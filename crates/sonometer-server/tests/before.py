#!/usr/bin/env python3
"""Makes a small database by an older version of the command, with rows of everything that the store keeps, and prints its rows as SQL
that both databases read. The tests of upgrades begin with it (contract/before.sql).

usage: before.py SONOMETER >before.sql

The token of its organization stands in its first lines: the tests ask again what was asked here. Only the standard library is needed.
"""

import http.client
import http.server
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ASK = {"target": {"type": "protocol", "id": "courtesy"}, "interaction": {"content": "Good morning! Thank you so much for your help."}}
OWN = """sonometer: 1
id: own
version: "1"
status: published
taxonomy: Signal
markers:
  - label: thanks
    strong: thank you
    hit: thank you
    miss: good morning
"""


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes one kind of notification, and not the other."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204 if self.path == "/good" else 500)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    command = str(Path(sys.argv[1]).resolve())
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    hook = f"127.0.0.1:{receiver.server_port}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "own.yaml").write_text(OWN, encoding="utf-8")
        log = folder / "log"

        def admin(*arguments: str) -> str:
            done = subprocess.run([command, "admin", "--database", "db.sqlite", *arguments], cwd=folder, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"{arguments}: {done.stderr}")
            return done.stdout

        with log.open("wb") as file:
            serve = [command, "serve", "--listen", "127.0.0.1:0", "--database", "db.sqlite", "--allow-callback", hook]
            server = subprocess.Popen(serve, cwd=folder, stdout=file, stderr=subprocess.DEVNULL)
        try:
            while not (found := re.search(r"listening on http://127.0.0.1:(\d+)", log.read_text())):
                time.sleep(0.05)
            port = int(found[1])
            token = re.search(r"sono_test_\S+", log.read_text())[0]

            def ask(method: str, path: str, body: object = None, key: str = "") -> dict:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
                connection.request(method, path, None if body is None else json.dumps(body), headers)
                answer = connection.getresponse()
                said = json.loads(answer.read())
                if answer.status >= 300:
                    raise SystemExit(f"{path}: {answer.status} {said}")
                return said

            admin("create-org", "globex", "--name", "Globex & Söhne")
            admin("account", "globex", "--live", "--quota", "3", "--overage", "on", "--rate", "0.004", "--cap", "50")
            live = admin("create-token", "globex", "--live", "--name", "desk", "--scopes", "sense,read", "--cap", "20").split()
            admin("publish", "first", "own.yaml")
            admin("webhook-secret", "first", "--rotate")
            for number in range(3):
                ask("POST", "/api/v1/sense", ASK, f"key {number}")
            test, token = token, live[-1]
            ask("POST", "/api/v1/sense", ASK)
            ask("POST", "/api/v1/sense", ASK, "live key")
            token = test
            items = [{"id": str(n), "content": ASK["interaction"]["content"]} for n in range(50)]
            jobs = [ask("POST", "/api/v1/sense/batch", {"target": ASK["target"], "interactions": items}, "job key")["job_id"]]
            for path in ("good", "bad"):
                jobs.append(ask("POST", "/api/v1/sense", ASK | {"callback": {"url": f"http://{hook}/{path}"}})["job_id"])
            dives = [ask("POST", "/api/v1/dive/open", {"stage_id": "billing-dispute", "seed": 7})["dive_id"] for _ in range(2)]
            for dive in dives:
                ask("POST", f"/api/v1/dive/{dive}/act", {"turn": 1, "action": "I am really sorry that you have to call about this again."})
            ask("POST", f"/api/v1/dive/{dives[0]}/close", {})
            while any(ask("GET", f"/api/v1/jobs/{job}")["status"] == "processing" for job in jobs) or "500" not in admin("deliveries", "first"):
                time.sleep(0.05)
        finally:
            server.terminate()
            server.wait(60)
        write(folder / "db.sqlite", token, jobs[0], dives)


def write(file: Path, token: str, job: str, dives: list[str]) -> None:
    database = sqlite3.connect(file)
    form, begun = database.execute("SELECT MAX(version), MIN(installed_on) FROM _sqlx_migrations").fetchone()
    print(f"-- Rows of form {form}, made by before.py; statements end with a line `--`.")
    print(f"-- token: {token}\n-- job: {job}\n-- closed dive: {dives[0]}\n-- open dive: {dives[1]}\n-- made: {begun.replace(' ', 'T')}Z\n--")
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid") if name[0] != "_"]
    for table in tables:
        for row in database.execute(f"SELECT * FROM {table}"):
            values = ", ".join(str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'" for value in row)
            columns = ", ".join(column for _, column, *_ in database.execute(f"PRAGMA table_info({table})"))
            print(f"INSERT INTO {table} ({columns}) VALUES ({values});\n--")


if __name__ == "__main__":
    main()
