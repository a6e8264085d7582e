"""The example of FastAPI, served on this machine and read as a browser reads it."""

import importlib.util
import json
import pathlib
import socket
import threading
import time
import urllib.error
import urllib.request
from typing import Any

import openai
import uvicorn
from provider import PLACEHOLDER, Provider

EXAMPLE = pathlib.Path(__file__).parents[1] / "examples" / "guarded_chat.py"
spec = importlib.util.spec_from_file_location("guarded_chat", EXAMPLE)
assert spec and spec.loader
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)

provider = Provider(size=3, piece=5)
api = example.app(openai.AsyncOpenAI(base_url=f"{provider.address}/v1", api_key="k"))
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
server = uvicorn.Server(uvicorn.Config(api, log_level="warning"))
threading.Thread(target=server.run, args=([listener],), daemon=True).start()
address = f"http://127.0.0.1:{listener.getsockname()[1]}/chat"
while not server.started:
    time.sleep(0.01)


def ask(text: str) -> Any:
    body = json.dumps({"text": text}).encode()
    return urllib.request.urlopen(urllib.request.Request(address, body, {"content-type": "application/json"}), timeout=20)


def frames(text: str) -> list[str]:
    with ask(text) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream"), answer.headers
        found: list[str] = answer.read().decode().strip().split("\n\n")
    return found


came = frames("Write to ann@example.org")
texts = [json.loads(frame.removeprefix("data: "))["text"] for frame in came[:-1]]
assert "".join(texts) == "I wrote to ann@example.org and asked." and len(texts) > 2, came
assert came[-1] == "event: done\ndata: {}", came
assert PLACEHOLDER.encode() in provider.asked[0][2] and b"ann@" not in provider.asked[0][2]
assert "ended before" in frames("cut short")[-1], "a cut stream was taken for a whole one"
# The browser leaves, and the provider is left.
with ask("endless") as answer:
    answer.read(1)
assert provider.left.wait(10), "the provider goes on"
server.should_exit = True
print("fastapi: passed")
