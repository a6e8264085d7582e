"""A server on loopback that keeps what it is sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def recorder(answers: dict[str, Any]) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    """Its address, and the paths and bodies that came. `answers` has what is answered by path; other paths are 404."""
    came: list[tuple[str, Any]] = []

    class Recorder(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            path = self.path.partition("?")[0]
            came.append((path, json.loads(body)))
            self.send(answers.get(path))

        def do_GET(self) -> None:
            self.send(answers.get(self.path.partition("?")[0]))

        def send(self, answer: Any) -> None:
            sent = json.dumps(answer).encode()
            self.send_response(404 if answer is None else 200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", came
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
