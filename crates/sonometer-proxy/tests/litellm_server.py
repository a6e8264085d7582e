"""LiteLLM's whole proxy server, before a provider on this machine, with `sonometer proxy` as its guardrail: see litellm.sh."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEXT = "Sure. Ann's card is 4111 1111 1111 1111, her mail ann@example.org. Write soon."
SHOWN = "Sure. Ann's card is **** **** **** 1111, her mail ***@*******.***. Write soon."
KEY = "sk-" + "0123456789abcdef" * 3
SECONDS = 180


class Provider(BaseHTTPRequestHandler):
    """Says the same to everyone, whole or three letters at a time."""

    protocol_version = "HTTP/1.1"
    asked: list[bytes] = []

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.asked.append(body)
        self.send_response(200)
        if not json.loads(body).get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            answer = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
            whole = json.dumps(answer).encode()
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(whole)))
            self.end_headers()
            self.wfile.write(whole)
            return
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        deltas = [({"role": "assistant", "content": TEXT[at : at + 3]}, None) for at in range(0, len(TEXT), 3)]
        for delta, reason in [*deltas, ({}, "stop")]:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            self.event(json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}))
        self.event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def event(self, data):
        event = f"data: {data}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        self.wfile.flush()


def settings(provider, guard):
    """The example of docs/proxy.md, with a model of the provider's."""
    return f"""
model_list:
  - model_name: m
    litellm_params:
      model: openai/m
      api_base: {provider}/v1
      api_key: k
guardrails:
  - guardrail_name: sonometer
    litellm_params:
      guardrail: generic_guardrail_api
      mode: [pre_call, post_call]
      default_on: true
      api_base: {guard}
      streaming_transform_mode: incremental_diff
      streaming_sampling_rate: 1
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def begun(address, process, log):
    until = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            urllib.request.urlopen(f"{address}/health/liveliness", timeout=2).close()
            return
        except OSError:
            time.sleep(0.3)
    raise SystemExit(f"LiteLLM did not begin:\n{log.read_text()[-3000:]}")


def ask(address, stream):
    body = {"model": "m", "stream": stream, "messages": [{"role": "user", "content": "I am ann@example.org"}]}
    headers = {"content-type": "application/json", "authorization": f"Bearer {KEY}"}
    request = urllib.request.Request(f"{address}/v1/chat/completions", json.dumps(body).encode(), headers)
    return urllib.request.urlopen(request, timeout=SECONDS)


def check(address):
    with ask(address, False) as answer:
        said = json.load(answer)["choices"][0]["message"]["content"]
    assert said == SHOWN, said
    shown = ""
    with ask(address, True) as answer:
        for line in answer:
            if line.startswith(b"data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    shown += choice["delta"].get("content") or ""
            # At no time the client holds a letter of what is masked.
            assert SHOWN.startswith(shown), shown
    assert shown == SHOWN, shown
    assert len(Provider.asked) == 2 and all(b"ann@" not in body for body in Provider.asked), Provider.asked


def main(command):
    provider = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    arguments = [command, "proxy", "--listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:1", "--mask", "personal-data"]
    sonometer = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    server = None
    with tempfile.TemporaryDirectory() as folder:
        try:
            guard = sonometer.stdout.readline().strip().removeprefix("listening on ")
            file, log, port = pathlib.Path(folder, "litellm.yaml"), pathlib.Path(folder, "log"), free_port()
            file.write_text(settings(f"http://127.0.0.1:{provider.server_port}", guard))
            start = [sys.executable, "-c", "from litellm import run_server; run_server()"]
            address = f"http://127.0.0.1:{port}"
            with log.open("w") as said:
                server = subprocess.Popen(
                    [*start, "--config", str(file), "--host", "127.0.0.1", "--port", str(port)],
                    env={**os.environ, "LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
                    stdout=said,
                    stderr=subprocess.STDOUT,
                )
            begun(address, server, log)
            check(address)
        finally:
            for process in (server, sonometer):
                if process is not None:
                    process.kill()
                    process.wait()
    print("LiteLLM's proxy server with the endpoint as its guardrail: passed")


main(sys.argv[1])
