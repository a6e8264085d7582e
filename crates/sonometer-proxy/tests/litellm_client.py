"""The endpoint for LiteLLM with the package `litellm`, its own client of the generic guardrail API: see litellm.sh."""

import asyncio
import importlib.metadata
import subprocess
import sys
from types import SimpleNamespace

from litellm.exceptions import GuardrailRaisedException
from litellm.proxy._types import UserAPIKeyAuth
from litellm.proxy.guardrails.guardrail_hooks.generic_guardrail_api.generic_guardrail_api import GenericGuardrailAPI
from litellm.proxy.guardrails.guardrail_hooks.unified_guardrail.unified_guardrail import UnifiedLLMGuardrails
from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices

PRIVATE = ["ann@", "4111 1111"]


def clean(text):
    found = [private for private in PRIVATE if private in text]
    assert not found, f"{found} in {text}"


def call(name):
    return SimpleNamespace(litellm_call_id=name, litellm_trace_id=name, model_call_details={}, call_type="acompletion")


async def requests(guardrail):
    tool = {"type": "function", "function": {"name": "send", "description": "Ask ann@example.org", "parameters": {}}}
    inputs = {"texts": ["I am ann@example.org", "Hello."], "tools": [tool], "model": "m"}
    shown = await guardrail.apply_guardrail(inputs, {}, "request", call("1"))
    assert shown["texts"] == ["I am ***@*******.***", "Hello."], shown
    assert shown["tools"][0]["function"]["description"] == "Ask ***@*******.***", shown
    shown = await guardrail.apply_guardrail({"texts": ["Hello."]}, {}, "request", call("2"))
    assert shown["texts"] == ["Hello."], shown
    function = {"name": "send", "arguments": '{"to": "ann@example.org"}'}
    for refused in [
        {"texts": [], "tool_calls": [{"id": "1", "type": "function", "function": function}]},
        {"texts": [], "images": ["data:image/png;base64,AA"]},
    ]:
        try:
            await guardrail.apply_guardrail(refused, {}, "response", call("3"))
            raise AssertionError(f"{refused} was let through")
        except GuardrailRaisedException as error:
            assert "blocked by the guard" in str(error), error


async def stream(guardrail):
    """A chat stream with two choices through LiteLLM's own code for streams."""
    text = "Sure. Ann's card is 4111 1111 1111 1111, her mail ann@example.org. Write soon."

    async def chunks():
        for at in range(0, len(text), 3):
            for index in [0, 1]:
                delta = Delta(role="assistant", content=text[at : at + 3])
                yield ModelResponseStream(id="c", model="m", choices=[StreamingChoices(index=index, delta=delta)])
        for index in [0, 1]:
            yield ModelResponseStream(
                id="c", model="m", choices=[StreamingChoices(index=index, delta=Delta(), finish_reason="stop")]
            )

    shown = {}
    hook = UnifiedLLMGuardrails().async_post_call_streaming_iterator_hook(
        user_api_key_dict=UserAPIKeyAuth(api_key="k", request_route="/v1/chat/completions"),
        response=chunks(),
        request_data={"litellm_logging_obj": call("4"), "model": "m"},
        guardrail_to_apply=guardrail,
    )
    async for chunk in hook:
        for choice in chunk.choices:
            shown[choice.index] = shown.get(choice.index, "") + (choice.delta.content or "")
            clean(shown[choice.index])
    expected = "Sure. Ann's card is **** **** **** 1111, her mail ***@*******.***. Write soon."
    assert shown == {0: expected, 1: expected}, shown


async def both(address):
    guardrail = GenericGuardrailAPI(
        api_base=address,
        guardrail_name="sonometer",
        event_hook=["pre_call", "post_call"],
        default_on=True,
        streaming_transform_mode="incremental_diff",
        streaming_sampling_rate=1,
    )
    await requests(guardrail)
    await stream(guardrail)


def main(command):
    arguments = [command, "proxy", "--listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:1", "--mask", "personal-data"]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    try:
        asyncio.run(both(process.stdout.readline().strip().removeprefix("listening on ")))
    finally:
        process.kill()
    print(f"the endpoint for LiteLLM with litellm {importlib.metadata.version('litellm')}: passed")


main(sys.argv[1])
