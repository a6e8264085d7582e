"""The proxy with the packages `openai` and `anthropic`: see packages.sh."""

import asyncio
import json
import pathlib
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anthropic
import openai

RECORDED = pathlib.Path(__file__).parents[2] / "sonometer-guard" / "tests" / "recorded"
FILES = {"/v1/chat/completions": "chat", "/v1/messages": "messages", "/v1/responses": "responses"}
PRIVATE = ["4111 1111", "4111-", "ann.b", "ann@", "bob@", "Old Mill"]
asked = []


class Provider(BaseHTTPRequestHandler):
    """Replays what was recorded, in pieces of 37 bytes; answers others with what they asked."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        asked.append((self.path, dict(self.headers), body))
        if b'"stream":true' in body.replace(b" ", b""):
            stream = (RECORDED / f"{FILES[self.path]}.sse").read_bytes()
            if b"cut short" in body:
                stream = stream[: len(stream) // 2]
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for at in range(0, len(stream), 37):
                piece = stream[at : at + 37]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
            return
        text = "I wrote to <EMAIL_ADDRESS_1>."
        if self.path == "/v1/embeddings":
            data = [{"object": "embedding", "index": 0, "embedding": "AACAPwAAAEA="}]
            answer = {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        elif self.path == "/v1/messages":
            answer = {"id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
                      "stop_sequence": None, "content": [{"type": "text", "text": text}],
                      "usage": {"input_tokens": 1, "output_tokens": 1}}
        else:
            message = {"role": "assistant", "content": text, "refusal": None}
            answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m",
                      "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}]}
        answer = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def proxy(command, upstream, *more):
    arguments = [command, "proxy", "--listen", "127.0.0.1:0", "--upstream", upstream, "--mask", "personal-data", *more]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip().removeprefix("listening on ")


def clean(text):
    found = [private for private in PRIVATE if private in text]
    assert not found, f"{found} in {text}"


def said(messages):
    return [{"role": "user", "content": messages}]


def openai_streams(address):
    client = openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0)
    texts, calls, reasons = {}, {}, {}
    for chunk in client.chat.completions.create(model="m", messages=said("Hi"), stream=True, n=2):
        for choice in chunk.choices:
            texts[choice.index] = texts.get(choice.index, "") + (choice.delta.content or "")
            for call in choice.delta.tool_calls or []:
                calls[call.index] = calls.get(call.index, "") + (call.function.arguments or "")
            if choice.finish_reason:
                reasons[choice.index] = choice.finish_reason
    clean(json.dumps([texts, calls], ensure_ascii=False))
    assert texts[0].startswith("Sure. Ann's card is **** **** **** 1111, her mail ***.*+*@"), texts
    assert json.loads(calls[0])["to"] == "***@*******.***" and json.loads(calls[1])["zip"], calls
    assert reasons == {0: "tool_calls", 1: "stop"}, reasons
    final = None
    for event in client.responses.create(model="m", input="Hi", stream=True):
        clean(event.model_dump_json())
        final = event
    assert final.type == "response.completed" and "***" in final.response.output_text, final
    try:
        for _ in client.chat.completions.create(model="m", messages=said("cut short"), stream=True):
            pass
        raise AssertionError("a stream that ends in the middle was taken for a whole one")
    except openai.APIError as error:
        assert "ended before" in str(error), error
    try:
        client.chat.completions.create(model="m", messages=said("Hi"), logprobs=True)
        raise AssertionError("log probabilities were let through")
    except openai.BadRequestError as error:
        assert "logprobs" in str(error), error


async def openai_async(address):
    client = openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0)
    text = ""
    async for chunk in await client.chat.completions.create(model="m", messages=said("Hi"), stream=True):
        text += "".join(choice.delta.content or "" for choice in chunk.choices if choice.index == 0)
    clean(text)
    assert "***" in text


def anthropic_streams(address):
    client = anthropic.Anthropic(base_url=address, api_key="k", max_retries=0)
    with client.messages.stream(model="m", max_tokens=9, messages=said("Hi")) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()
    clean(text)
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use"], message
    assert message.content[0].thinking == "The user wants a letter. I write it now." and message.content[0].signature
    assert message.content[2].input["to"] == "***@*******.***", message
    clean(message.model_dump_json())
    try:
        for _ in client.messages.create(model="m", max_tokens=9, messages=said("cut short"), stream=True):
            pass
        raise AssertionError("a stream that ends in the middle was taken for a whole one")
    except anthropic.APIStatusError as error:
        assert "ended before" in str(error), error


def placeholders(address):
    asked.clear()
    client = openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0)
    answer = client.chat.completions.create(model="m", messages=said("Write to ann@example.org"))
    assert answer.choices[0].message.content == "I wrote to ann@example.org.", answer
    other = anthropic.Anthropic(base_url=address, api_key="k", max_retries=0)
    answer = other.messages.create(model="m", max_tokens=9, messages=said("Write to ann@example.org"))
    assert answer.content[0].text == "I wrote to ann@example.org.", answer
    client.embeddings.create(model="m", input="I am ann@example.org")
    assert len(asked) == 3 and all(b"<EMAIL_ADDRESS_1>" in body and b"ann@" not in body for _, _, body in asked), asked
    headers = [{name.lower(): value for name, value in headers.items()} for _, headers, _ in asked]
    assert headers[0]["authorization"] == "Bearer k" and headers[1]["authorization"] == "Bearer k"


def main(command):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    upstream = f"http://127.0.0.1:{server.server_port}"
    masking, address = proxy(command, upstream)
    reversible, other = proxy(command, upstream, "--placeholders")
    try:
        openai_streams(address)
        asyncio.run(openai_async(address))
        anthropic_streams(address)
        placeholders(other)
    finally:
        masking.kill()
        reversible.kill()
    print(f"the proxy with openai {openai.__version__} and anthropic {anthropic.__version__}: passed")
    print("1 passed, 0 failed")


main(sys.argv[1])
