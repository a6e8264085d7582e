"""The package `anthropic` behind a guard: sync, async, streams, tools, thinking, refusals."""

import asyncio
import json
from typing import Any

import anthropic
from provider import PLACEHOLDER, SECRET_LETTERS, Provider

import sonometer

MAIL = "ann@example.org"
ASK = f"Write to {MAIL}"
provider = Provider()


def client(**settings: Any) -> anthropic.Anthropic:
    return sonometer.guard(anthropic.Anthropic(base_url=provider.address, api_key="k"), **settings)


def said(text: str) -> Any:
    return {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": text}]}


def placeholders() -> None:
    guarded = client(mask="personal-data", placeholders=True)
    answer = guarded.messages.create(**said(ASK), system=f"You know {MAIL} and bob@example.net.")
    # Numbers count from the beginning of the body, and its keys may come in any order.
    assert answer.content[0].text in (f"I wrote to {MAIL}.", "I wrote to bob@example.net."), answer
    _, headers, body = provider.asked[-1]
    assert PLACEHOLDER.encode() in body and b"<EMAIL_ADDRESS_2>" in body and b"@" not in body, body
    assert headers["authorization"] == "Bearer k", headers


def streams(size: int, piece: int) -> None:
    provider.size, provider.piece = size, piece
    guarded = client(mask="personal-data", placeholders=True)
    with guarded.messages.stream(**said(f"{ASK}. write")) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()
    assert text == f"I wrote to {MAIL} and asked.", text
    assert message.content[1].input == {"to": MAIL, "note": "see you"}, message
    text = ""
    for event in client(mask="personal-data").messages.create(**said("secret"), stream=True):
        if event.type == "content_block_delta":
            text += event.delta.text
        assert not set(text) & set(SECRET_LETTERS), text
    assert text == "Her address is ***.**@***.***, the one of the farm. Call in the evening.", text


def recorded() -> None:
    provider.piece = 37
    with client().messages.stream(**said("replay")) as stream:
        message = stream.get_final_message()
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use"], message
    assert message.content[0].thinking == "The user wants a letter. I write it now." and message.content[0].signature
    assert message.content[2].input["to"] == "***@*******.***", message
    whole = json.dumps(message.model_dump(mode="json"), ensure_ascii=False)
    assert not [private for private in ("4111 1111", "4111-", "ann.b", "ann@", "bob@") if private in whole], whole


def refused() -> None:
    guarded = client(mask="personal-data")
    for words, text, is_stream in (
        ("ended before", "cut short", True),
        ("unknown_type", "unknown", True),
        ("redirects", "moved", False),
        ("compressed", "packed", False),
    ):
        provider.piece, before = 0 if text == "unknown" else 37, len(provider.asked)
        try:
            answer = guarded.messages.create(**said(text), stream=is_stream)
            shown = [event.model_dump_json() for event in answer] if is_stream else []
        except anthropic.APIStatusError as error:
            assert words in str(error), error
        else:
            raise AssertionError(f"{words}: was let through: {shown}")
        assert len(provider.asked) == before + 1, "it was tried again"
    try:
        guarded.messages.batches.list()
    except anthropic.BadRequestError as error:
        assert "unknown_type" in str(error), error
    else:
        raise AssertionError("batches were let through")
    # A rule ends an answer as the provider would.
    provider.piece = 0
    rule = {"action": "block", "target": "personal-data", "on": "response"}
    with client(rules=[rule]).messages.stream(**said("secret")) as stream:
        message = stream.get_final_message()
    assert message.stop_reason == "refusal" and not any(letter in message.model_dump_json() for letter in ("zq", "qx")), message


async def waits() -> None:
    provider.size, provider.piece = 7, 37
    guarded = sonometer.guard(anthropic.AsyncAnthropic(base_url=provider.address, api_key="k"), mask="personal-data", placeholders=True)
    async with guarded.messages.stream(**said(f"{ASK}. write")) as stream:
        text = "".join([part async for part in stream.text_stream])
        message = await stream.get_final_message()
    assert text == f"I wrote to {MAIL} and asked." and message.content[1].input["to"] == MAIL, message
    answer = await guarded.messages.create(**said(ASK))
    assert answer.content[0].text == f"I wrote to {MAIL}.", answer
    await guarded.close()


def clouds() -> None:
    """Forms that the guard does not read are refused before anything is sent."""
    before = len(provider.asked)
    guarded = client()
    for path in ("/model/m/invoke", "/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict"):
        try:
            guarded.post(path, cast_to=object, body={"messages": []})
        except anthropic.BadRequestError as error:
            assert "unknown_type" in str(error), error
        else:
            raise AssertionError(f"{path} was let through")
    assert len(provider.asked) == before


placeholders()
for size, piece in ((1, 1), (7, 37), (3, 0), (100, 5)):
    streams(size, piece)
recorded()
refused()
clouds()
asyncio.run(waits())
print(f"anthropic {anthropic.__version__}: passed")
