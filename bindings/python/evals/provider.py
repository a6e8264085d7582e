"""A provider of language models on this machine, in the forms of OpenAI and Anthropic: what it answers depends on a word of the request.

`replay` the recorded streams of `crates/sonometer-guard`; `write` a text and a call of a tool with a placeholder cut in two; `secret` a
text with an address and nothing else of its letters; `cut short` half of a stream; `unknown` an event of a type that nobody knows;
`moved` a redirect; `packed` a compressed answer; `as it is` one that says it is not; `otherwise written` one that says it is in UTF-7;
`endless` events until the client leaves; `timed` events 5 ms apart, whose `created` is the microsecond of this machine's clock in which
each is sent. Without these, one placeholder is answered.
"""

from __future__ import annotations

import gzip
import json
import pathlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RECORDED = pathlib.Path(__file__).parents[3] / "crates" / "sonometer-guard" / "tests" / "recorded"
PLACEHOLDER = "<EMAIL_ADDRESS_1>"
# The letters of the address stand nowhere else.
SECRET_LETTERS = "zqx"
SECRET = "Her address is zqx.zq@zqx.org, the one of the farm. Call in the evening."
ARGUMENTS = json.dumps({"to": PLACEHOLDER, "note": "see you"})
WRITTEN = f"I wrote to {PLACEHOLDER} and asked."


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def chat(text: str, arguments: str | None, size: int) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(text, size):
        yield chunk({"content": piece})
    if arguments is not None:
        yield chunk({"tool_calls": [{"index": 0, "id": "t1", "type": "function", "function": {"name": "send", "arguments": ""}}]})
        for piece in pieces(arguments, size):
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    yield chunk({}, "stop" if arguments is None else "tool_calls")


def completions(text: str, arguments: str | None, size: int) -> Iterator[dict[str, Any]]:
    parts = pieces(text, size)
    for at, piece in enumerate(parts):
        choice = {"index": 0, "text": piece, "logprobs": None, "finish_reason": "stop" if at + 1 == len(parts) else None}
        yield {"id": "c1", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]}


def messages(text: str, arguments: str | None, size: int) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    yield {"type": "message_start", "message": {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": [],
                                                 "stop_reason": None, "stop_sequence": None, "usage": usage}}
    blocks: list[tuple[dict[str, Any], str, str, str]] = [({"type": "text", "text": ""}, "text_delta", "text", text)]
    if arguments is not None:
        blocks.append(({"type": "tool_use", "id": "t1", "name": "send", "input": {}}, "input_json_delta", "partial_json", arguments))
    for index, (block, kind, key, whole) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for piece in pieces(whole, size):
            yield {"type": "content_block_delta", "index": index, "delta": {"type": kind, key: piece}}
        yield {"type": "content_block_stop", "index": index}
    reason = "end_turn" if arguments is None else "tool_use"
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 9}}
    yield {"type": "message_stop"}


def responses(text: str, arguments: str | None, size: int) -> Iterator[dict[str, Any]]:
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": "m1", "status": "completed", "role": "assistant", "content": [part]}
    at = {"item_id": "m1", "output_index": 0, "content_index": 0}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": answer("responses", None)},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress", "content": []}},
        {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
        *({"type": "response.output_text.delta", **at, "delta": piece} for piece in pieces(text, size)),
        {"type": "response.output_text.done", **at, "text": text},
        {"type": "response.content_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": answer("responses", text)},
    ]
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}


FORMS = {"chat": chat, "completions": completions, "messages": messages, "responses": responses}


def answer(form: str, text: str | None) -> dict[str, Any]:
    """A whole answer; of responses without a text, one that has just begun."""
    if form == "messages":
        return {"id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "stop_sequence": None,
                "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 1, "output_tokens": 1}}
    if form == "responses":
        part = {"type": "output_text", "text": text, "annotations": []}
        item = {"type": "message", "id": "m1", "status": "completed", "role": "assistant", "content": [part]}
        return {"id": "r1", "object": "response", "created_at": 1, "model": "m", "status": "in_progress" if text is None else "completed",
                "output": [] if text is None else [item], "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    if form == "embeddings":
        return {"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": "AACAPwAAAEA="}], "model": "m",
                "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    if form == "completions":
        return {"id": "1", "object": "text_completion", "created": 1, "model": "m",
                "choices": [{"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}]}
    message = {"role": "assistant", "content": text, "refusal": None}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}]}


class Provider(ThreadingHTTPServer):
    """Serves until the process ends."""

    daemon_threads = True

    def __init__(self, piece: int = 37, size: int = 7) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, str], bytes]] = []
        """What came: path, headers, body."""
        self.piece, self.size = piece, size
        """Bytes that are sent at once (0: an event each), and letters of an event."""
        self.left = threading.Event()
        """Set when a client left in the middle."""
        self.pages = 0
        """How many of the next requests are answered by a page with 503, as what stands in front of a provider does."""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Provider

    def log_message(self, *_arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._whole(json.dumps({"object": "list", "data": []}).encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        if self.server.pages:
            self.server.pages -= 1
            self._page()
            return
        path = self.path.removesuffix("/count_tokens")
        form = next((form for form in ("chat", "completions", "messages", "responses", "embeddings") if form in path), "chat")
        is_stream = b'"stream":true' in body.replace(b" ", b"")
        if b"moved" in body:
            self.send_response(307)
            self.send_header("location", f"{self.server.address}/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()
        elif is_stream:
            self._stream(form, body)
        else:
            text = SECRET if b"secret" in body else f"I wrote to {PLACEHOLDER}."
            written = json.dumps(answer(form, text)).encode()
            if b"packed" in body:
                self._whole(gzip.compress(written), encoding="gzip")
            elif b"otherwise written" in body:
                self._whole(written, kind="application/json; charset=UTF-7")
            elif b"as it is" in body:
                self._whole(written, encoding="Identity")
            else:
                self._whole(written)

    def _whole(self, body: bytes, encoding: str | None = None, kind: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("x-request-id", "q1")
        if encoding is not None:
            self.send_header("content-encoding", encoding)
        self.end_headers()
        self.wfile.write(body)

    def _page(self) -> None:
        body = b"<html>ann@example.org is not available</html>"
        self.send_response(503)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(body)

    def _events(self, form: str, body: bytes) -> Iterator[bytes]:
        if b"replay" in body:
            yield (RECORDED / f"{form}.sse").read_bytes()
            return
        is_secret = b"secret" in body
        events = FORMS[form](SECRET if is_secret else WRITTEN, ARGUMENTS if b"write" in body else None, self.server.size)
        is_named = form in ("messages", "responses")
        for event in events:
            head = f"event: {event['type']}\n" if is_named else ""
            yield f"{head}data: {json.dumps(event)}\n\n".encode()
            if b"unknown" in body:
                kind = b'event: new.kind\ndata: {"type":"new.kind","text":"zqx"}\n\n'
                yield kind if is_named else b'data: {"choices":[{"index":0,"delta":{"new_kind":"zqx"}}]}\n\n'
        if form in ("chat", "completions"):
            yield b"data: [DONE]\n\n"

    def _stream(self, form: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        if b"endless" in body:
            try:
                while True:
                    self._chunk(b": still there\n\n" + list(self._events(form, b""))[1])
                    time.sleep(0.01)
            except OSError:
                self.server.left.set()
                self.close_connection = True
                return
        if b"timed" in body:
            for event in chat(SECRET * 6, None, 4):
                self._chunk(f"data: {json.dumps({**event, 'created': time.monotonic_ns() // 1000})}\n\n".encode())
                time.sleep(0.005)
            self._chunk(b"data: [DONE]\n\n")
            self.wfile.write(b"0\r\n\r\n")
            return
        events = list(self._events(form, body))
        if self.server.piece:
            whole = b"".join(events)
            if b"cut short" in body:
                whole = whole[: len(whole) // 2]
            events = [whole[at : at + self.server.piece] for at in range(0, len(whole), self.server.piece)]
        for event in events:
            self._chunk(event)
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, piece: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))


if __name__ == "__main__":
    provider = Provider(piece=0)
    print(provider.address, flush=True)
    threading.Event().wait()
