"""LangChain: guarded chat models of OpenAI and Anthropic, a Runnable for any model, a callback handler that senses."""

import asyncio
import json
from typing import Any

from langchain_anthropic import ChatAnthropic
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from provider import PLACEHOLDER, SECRET_LETTERS, Provider

from sonometer import BlockedError, InvalidRequestError, WrongTypeError
from sonometer.langchain import guard_model, guard_runnable, sensing_handler

MAIL = "ann@example.org"
WROTE = f"I wrote to {MAIL} and asked."
MASKED = "Her address is ***.**@***.***, the one of the farm. Call in the evening."
provider = Provider(size=5, piece=11)
OPENAI = {"model": "m", "base_url": f"{provider.address}/v1", "api_key": "k", "max_retries": 0}


@tool
def send(to: str, note: str) -> str:
    """Sends a note."""
    return f"sent to {to}: {note}"


def models() -> list[Any]:
    return [
        ChatOpenAI(**OPENAI),
        ChatOpenAI(**OPENAI, use_responses_api=True),
        ChatAnthropic(model_name="m", base_url=provider.address, api_key="k", max_retries=0),
    ]


def text_of(message: Any) -> str:
    return str(message.text) if isinstance(message.content, list) else str(message.content)


def of_models() -> None:
    for model in models():
        guarded = guard_model(model, mask="personal-data", placeholders=True)
        assert type(guarded) is type(model)
        assert text_of(guarded.invoke(f"Write to {MAIL}")) == f"I wrote to {MAIL}.", model
        assert PLACEHOLDER.encode() in provider.asked[-1][2] and b"ann@" not in provider.asked[-1][2]
        assert "".join(map(text_of, guarded.stream(f"Write to {MAIL}"))) == WROTE
        chain = ChatPromptTemplate.from_messages([("user", "{ask}")]) | guarded | StrOutputParser()
        assert "".join(chain.stream({"ask": f"Write to {MAIL}"})) == WROTE
        shown = ""
        for chunk in guard_model(model, mask="personal-data").stream("secret"):
            shown += text_of(chunk)
            assert not set(shown) & set(SECRET_LETTERS), shown
        assert shown == MASKED, shown
        # What is bound passes on its clients, but calls the model.
        for wrapper in (model.bind(stop=["x"]), model.bind_tools([send]), model.with_config(tags=["a"]), model.with_fallbacks([model])):
            try:
                guard_model(wrapper)
            except WrongTypeError as error:
                assert "guard the model first" in str(error), error
            else:
                raise AssertionError("a wrapper was taken for a model")
        # The model itself is as it was.
        assert text_of(model.invoke("Hi")) == f"I wrote to {PLACEHOLDER}."
    for model in (models()[0], models()[2]):
        whole: Any = None
        for chunk in guard_model(model, mask="personal-data", placeholders=True).bind_tools([send]).stream(f"Write to {MAIL}. write"):
            whole = chunk if whole is None else whole + chunk
        assert whole.tool_calls[0]["args"] == {"to": MAIL, "note": "see you"}, whole


async def of_models_async() -> None:
    for model in models():
        guarded = guard_model(model, mask="personal-data", placeholders=True)
        assert text_of(await guarded.ainvoke(f"Write to {MAIL}")) == f"I wrote to {MAIL}."
        assert "".join([text_of(chunk) async for chunk in guarded.astream(f"Write to {MAIL}")]) == WROTE


class Fake(GenericFakeChatModel):
    """A model without a client; it keeps what it is asked."""

    asked: list[Any] = []

    def _generate(self, messages: Any, *arguments: Any, **more: Any) -> Any:
        self.asked.append(messages)
        return super()._generate(messages, *arguments, **more)


def fake(*answers: Any) -> Any:
    return Fake(messages=iter(answers), asked=[])


async def of_any_model() -> None:
    call = {"name": "send", "args": {"to": PLACEHOLDER, "note": "é \"quoted\""}, "id": "t1", "type": "tool_call"}
    model = fake(AIMessage(f"I wrote to {PLACEHOLDER}.", tool_calls=[call], additional_kwargs={"raw": MAIL}), AIMessage(f"Yes, {PLACEHOLDER}."))
    guarded = guard_runnable(model, mask="personal-data", placeholders=True)
    answer = guarded.invoke(f"Write to {MAIL}")
    assert answer.content == f"I wrote to {MAIL}." and answer.tool_calls == [{**call, "args": {"to": MAIL, "note": "é \"quoted\""}}], answer
    assert answer.additional_kwargs == {}
    assert repr(guarded).startswith("GuardedModel(") and repr(guarded).endswith(f"{guarded.guard!r})"), guarded
    # Masks may follow each other, and placeholders may not.
    try:
        guard_runnable(guarded, mask="names-and-places", placeholders=True)
    except InvalidRequestError as error:
        assert "rules of both" in error.message, error
    else:
        raise AssertionError("placeholders over placeholders")
    assert guard_runnable(guarded, mask="names-and-places")
    history = [HumanMessage(f"Write to {MAIL}"), answer, ToolMessage(send.invoke(answer.tool_calls[0]["args"]), tool_call_id="t1")]
    assert (await guarded.ainvoke(history)).content == f"Yes, {MAIL}."
    assert all("ann@" not in str(message) for asked in model.asked for message in asked), model.asked
    assert [message.type for message in model.asked[1]] == ["human", "ai", "tool"] and model.asked[1][1].tool_calls == [call]
    words = [f"{part} " for part in f"I wrote to {PLACEHOLDER} and asked.".split()]
    chain = ChatPromptTemplate.from_messages([("user", "{ask}")]) | guard_runnable(fake("".join(words).strip()), mask="personal-data", placeholders=True)
    assert "".join(chunk.content for chunk in chain.stream({"ask": f"Write to {MAIL}"})) == WROTE
    masking = guard_runnable(fake("Her address is zqx.zq@zqx.org, the one of the farm. Call in the evening."), mask="personal-data")
    shown = ""
    async for chunk in masking.astream("Hi"):
        shown += chunk.content
        assert not set(shown) & set(SECRET_LETTERS), shown
    assert shown == MASKED, shown
    image = HumanMessage([{"type": "image", "base64": "AAAA", "mime_type": "image/png"}])
    refused(lambda: guarded.invoke([image]), "unknown_type", "`image`", "`drop`")
    url = HumanMessage([{"type": "image_url", "image_url": {"url": "data:AAAA"}}])
    refused(lambda: guarded.invoke([url]), "unmaskable", "`media = ")
    model = fake("I see.")
    assert guard_runnable(model, mask="personal-data", media="pass").invoke([url]).content == "I see."
    assert model.asked[0][0].content == url.content
    await of_parts()
    try:
        guard_model(model)
    except BlockedError as error:
        assert "guard_runnable" in str(error)
    try:
        guard_runnable(None)
    except WrongTypeError as error:
        assert "None is nothing that can be asked" in str(error)


def refused(call: Any, *parts: str) -> None:
    try:
        call()
    except BlockedError as error:
        assert all(part in str(error) for part in parts) and MAIL not in str(error), error
    else:
        raise AssertionError("it was let through")


class Streamed(GenericFakeChatModel):
    """A model whose content has parts, also while it streams."""

    parts: list[Any]

    def _stream(self, *arguments: Any, **more: Any) -> Any:
        for part in self.parts:
            yield ChatGenerationChunk(message=AIMessageChunk(content=[part], id="run-1"))


async def of_parts() -> None:
    """Thinking is neither shown nor sent; of other parts the policy says what happens."""
    thought = {"type": "thinking", "thinking": f"She is {MAIL}.", "signature": "AA"}
    kinds = [thought, {"type": "reasoning", "reasoning": MAIL}, {"type": "redacted_thinking", "data": "AA"}, {"type": "reasoning_content", "reasoning_content": {"text": MAIL}}]
    said = {"type": "text", "text": f"I wrote to {MAIL}."}
    image = {"type": "image", "base64": "AAAA", "mime_type": "image/png"}

    def ways(parts: list[Any], **settings: Any) -> tuple[Any, Any]:
        whole = guard_runnable(fake(AIMessage(parts)), mask="personal-data", **settings)
        stream = guard_runnable(Streamed(messages=iter(()), parts=parts), mask="personal-data", **settings)
        return whole, stream

    def joined(stream: Any) -> Any:
        chunks = list(stream.stream("Hi"))
        total = chunks[0]
        for chunk in chunks[1:]:
            total += chunk
        return total

    for part in kinds:
        for whole, stream in (ways([part, said]), ways([part, said], unknown="drop")):
            answer = whole.invoke("Hi")
            assert answer.text == "I wrote to ***@*******.***.", answer
            assert answer.content == [{"type": "text", "text": answer.text}]
            total = joined(stream)
            assert total.text == answer.text and MAIL not in str(total), total
            assert "".join([str(chunk.text) async for chunk in stream.astream("Hi")]) == answer.text
    # The sum of a stream, and an answer of a model without a guard, stand in a history.
    model = fake("Yes.")
    history = [HumanMessage("Hi"), AIMessage([thought, said]), total, HumanMessage("And?")]
    assert guard_runnable(model, mask="personal-data").invoke(history).content == "Yes."
    assert [message.type for message in model.asked[0]] == ["human", "ai", "ai", "human"], model.asked
    assert "thinking" not in str(model.asked) and MAIL not in str(model.asked)

    refusal = {"type": "refusal", "refusal": f"I will not write to {MAIL}."}
    whole, stream = ways([refusal])
    assert whole.invoke("Hi").content == [{"type": "refusal", "refusal": "I will not write to ***@*******.***."}]
    assert "".join(part["refusal"] for chunk in stream.stream("Hi") for part in chunk.content if isinstance(part, dict)) == "I will not write to ***@*******.***."

    whole, stream = ways([image, said])
    refused(lambda: whole.invoke("Hi"), "unknown_type", "`image`", "`drop`")
    refused(lambda: list(stream.stream("Hi")), "unknown_type", "image", "`drop`")
    for parts, text in (([image, said], "I wrote to ***@*******.***."), ([image], "")):
        whole, stream = ways(parts, unknown="drop")
        assert whole.invoke("Hi").text == text and joined(stream).text == text
        assert "image" not in str(whole.invoke("Hi") if parts is None else joined(stream).content)
    whole, stream = ways([image, said], unknown="pass", media="pass")
    assert whole.invoke("Hi").content[0] == image
    assert image in [part for chunk in stream.stream("Hi") for part in chunk.content]


def senses() -> None:
    readings: list[Any] = []
    handler = sensing_handler("courtesy@1.0", readings.append)
    guarded = guard_model(ChatOpenAI(**OPENAI), mask="personal-data")
    guarded.invoke("secret", config={"callbacks": [handler]})
    list(guarded.stream("secret", config={"callbacks": [handler]}))
    assert len(readings) == 2 and readings[0].json() == readings[1].json(), readings
    try:
        sensing_handler(7, print)  # type: ignore[arg-type]
    except WrongTypeError as error:
        assert "an int is no target" in str(error), error
    else:
        raise AssertionError("a number was taken for a target")
    # What is said is measured: text and refusals, and neither thinking nor texts of other parts.
    parts: list[Any] = [{"type": "reasoning", "text": "Thank you."}, {"type": "text", "text": "Good morning, "}, {"type": "refusal", "refusal": "I cannot do that, I am so sorry."}]
    fake(AIMessage(parts)).invoke("Hi", config={"callbacks": [handler]})
    assert readings[-1].interaction.content == "Good morning, I cannot do that, I am so sorry.", readings[-1].interaction
    found: list[Any] = []
    kind = fake("Good morning, thank you so much for your help!")
    list(kind.stream("Hi", config={"callbacks": [sensing_handler("courtesy@1.0", readings.append, on_evidence=found.append)]}))
    assert readings[-1].triggered == ("gratitude", "greeting") and found, readings[-1]

    class Enough(Exception):
        pass

    def stop(_event: Any) -> None:
        raise Enough

    heard = ""
    try:
        for chunk in fake("Thank you so much for your help! " + "And more. " * 50).stream(
            "Hi", config={"callbacks": [sensing_handler("courtesy@1.0", readings.append, on_evidence=stop)]}
        ):
            heard += chunk.content
    except Enough:
        pass
    assert 0 < len(heard) < 60, heard


of_models()
asyncio.run(of_models_async())
asyncio.run(of_any_model())
senses()
print(json.dumps({"langchain": "passed"}))
