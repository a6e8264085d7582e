"""For LangChain: chat models whose requests and answers pass a guard, and a callback handler that senses answers.

from sonometer.langchain import guard_model

model = guard_model(ChatOpenAI(model="gpt-4o-mini"), mask="personal-data", placeholders=True)
"""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from . import load
from ._guard_json import begin, ended, pushed, refused, shown
from ._optional import need
from ._sonometer import Target
from .errors import InvalidRequestError, WrongTypeError, _kind
from .guarding import open_guard
from .guarding import guard as guard_client

if TYPE_CHECKING:
    from ._sonometer import Exchange, ModelGuard, Reading

__all__ = ["guard_model", "guard_runnable", "sensing_handler"]

# Where models of `langchain-openai` and `langchain-anthropic` keep their clients.
_CLIENTS = ("root_client", "root_async_client", "_client", "_async_client")
# Parts that stand in `tool_calls` once more, where they are read, and thinking, which is for nobody but the model.
_CALLS = ("tool_use", "tool_call", "tool_call_chunk", "input_json_delta", "function_call", "invalid_tool_call")
_THINKING = ("thinking", "redacted_thinking", "reasoning", "reasoning_content")
_LEFT_OUT = _CALLS + _THINKING
# Images, audio and files as the form of OpenAI's chat has them.
_MEDIA = ("audio", "file", "image_url", "input_audio")
_ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool", "developer": "developer"}
_EMPTY = {"type": "text", "text": ""}
# What is said about an answer and repeats nothing of it.
_ABOUT = ("finish_reason", "stop_reason", "model_name", "model", "model_provider", "id", "system_fingerprint", "service_tier")


def guard_model(model: Any, policy: Any = None, /, **settings: Any) -> Any:
    """A copy of a chat model whose clients are guarded: `ChatOpenAI`, `ChatAnthropic` and what is made of them.

    It is a chat model like the other: with tools, structured output and streams. The arguments are those of `sonometer.guard`. For
    models with other clients there is `guard_runnable`.
    """
    opened = open_guard(policy, **settings)
    # What wraps a model passes on its clients as its own, and calls the model all the same.
    if not isinstance(model, need("langchain_core.language_models", "langchain").BaseChatModel):
        fix = "guard the model first, then bind: guard_model(model, …).bind_tools(…)"
        raise WrongTypeError(f"{_kind(model)} is no chat model; {fix}", place="model", fix=fix)
    guarded = copy.copy(model)
    found = [name for name in _CLIENTS if getattr(guarded, name, None) is not None]
    if not found:
        message = f"{type(model).__name__} has no client of openai or anthropic; use sonometer.langchain.guard_runnable"
        raise refused("unknown_type", message)
    # Fields that are no fields of the model too: the clients of Anthropic are made when they are first used.
    guarded.__dict__ = {key: value for key, value in model.__dict__.items() if key not in _CLIENTS}
    for name in found:
        guarded.__dict__[name] = guard_client(getattr(model, name), opened)
    for name, root in (("client", "root_client"), ("async_client", "root_async_client")):
        if root in found:
            guarded.__dict__[name] = guarded.__dict__[root].chat.completions
    return guarded


def guard_runnable(model: Any, policy: Any = None, /, **settings: Any) -> Any:
    """A Runnable that masks what goes to a chat model of any provider, and what comes from it, also while it streams.

    Messages go through the guard in the form of OpenAI's chat: texts, refusals and calls of tools. Thinking is neither sent nor
    shown. Images, audio and files are refused unless `media` is `"pass"`, parts of other types unless `unknown` is `"drop"` or
    `"pass"`. Whatever else a message has is not sent, and whatever else an answer has is not shown. Bind tools to the model before
    it is guarded.
    """
    if not (hasattr(model, "invoke") and hasattr(model, "astream")):
        fix = "give a chat model of LangChain, or what was made of one"
        raise WrongTypeError(f"{_kind(model)} is nothing that can be asked; {fix}", place="model", fix=fix)
    guarded, opened = _runnable_class(), open_guard(policy, **settings)
    if isinstance(model, guarded) and all(json.loads(one.policy)["placeholders"] for one in (opened, model.guard)):
        # As of clients: the second takes the placeholders of the first for text that somebody typed.
        fix = "guard the model that has no guard, by one guard with the rules of both"
        raise InvalidRequestError(f"the model has a guard with placeholders already; {fix}", place="model", fix=fix)
    return guarded(model, opened)


def sensing_handler(
    target: str | Target[Any],
    on_reading: Callable[[Reading], object],
    *,
    on_evidence: Callable[[Any], object] | None = None,
) -> Any:
    """A callback handler that senses answers of models: `model.invoke(…, config={"callbacks": [sensing_handler(…)]})`.

    `on_reading` gets the reading of each answer. `on_evidence` gets each piece of evidence as soon as it is found in a stream; an
    exception from it stops the stream.
    """
    for name, told in (("on_reading", on_reading), ("on_evidence", on_evidence)):
        if not (callable(told) or told is None and name == "on_evidence"):
            fix = "give a function that takes it, such as print"
            raise WrongTypeError(f"`{name}` is called with what is found; {_kind(told)} cannot be; {fix}", place=name, fix=fix)
    found = load(target) if isinstance(target, str) else target
    if not isinstance(found, Target):
        fix = "give one, or the name of what ships"
        raise WrongTypeError(f"{_kind(found)} is no target; {fix}", place="target", fix=fix)
    return _handler_class()(found, on_reading, on_evidence)


def _text(content: Any, kinds: tuple[str, ...] = ("text", "refusal")) -> str:
    """What an answer's content says: its text, or that of parts of these types."""
    if isinstance(content, str):
        return content
    parts = (part if isinstance(part, str) else str(part.get(part["type"]) or "") for part in content or () if isinstance(part, str) or part.get("type") in kinds)
    return "".join(parts)


@lru_cache(maxsize=1)
def _handler_class() -> Any:
    base: Any = need("langchain_core.callbacks", "langchain").BaseCallbackHandler

    class SensingHandler(base):  # type: ignore[misc]
        """Senses answers."""

        # Without it LangChain logs an exception and goes on.
        raise_error = True

        def __init__(self, target: Target[Any], on_reading: Any, on_evidence: Any) -> None:
            self._target, self._on_reading, self._on_evidence = target, on_reading, on_evidence
            self._sessions: dict[Any, Any] = {}

        # LangChain passes `token` by this name.
        def on_llm_new_token(self, token: Any, *, run_id: Any = None, **_more: Any) -> None:
            if self._on_evidence is None or not (text := _text(token)):
                return
            session = self._sessions.get(run_id)
            if session is None:
                session = self._sessions[run_id] = self._target.session()
            self._tell(session.push(text))

        def _tell(self, step: Any) -> None:
            for event in step.events:
                if event.event == "evidence":
                    self._on_evidence(event)

        def on_llm_end(self, response: Any, *, run_id: Any = None, **_more: Any) -> None:
            if (session := self._sessions.pop(run_id, None)) is not None:
                # The last sentence.
                self._tell(session.end())
            for generations in response.generations:
                for generation in generations:
                    message = getattr(generation, "message", None)
                    text = generation.text if message is None else _text(message.content)
                    self._on_reading(self._target.sense(text))

        def on_llm_error(self, error: BaseException, *, run_id: Any = None, **_more: Any) -> None:
            self._sessions.pop(run_id, None)

    return SensingHandler


def _content(content: Any) -> Any:
    """The content of a message as the form of OpenAI has it: a text, or parts, of which the guard says what happens with them."""
    if isinstance(content, str):
        return content
    parts = []
    for part in content:
        if isinstance(part, str):
            parts.append({"type": "text", "text": part})
        elif part.get("type") == "text" and isinstance(part.get("text"), str):
            parts.append({"type": "text", "text": part["text"]})
        elif part.get("type") not in _LEFT_OUT:
            parts.append(part)
    return parts


def _asked(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """Messages in the form of OpenAI's chat."""
    asked = []
    for message in messages:
        # The sum of the chunks of a stream is a message, too.
        kind = message.type.removesuffix("MessageChunk").lower()
        if kind not in _ROLES:
            raise refused("unknown_type", f"a message of the type {message.type}; give {', '.join(sorted(_ROLES))}")
        one: dict[str, Any] = {"role": _ROLES[kind], "content": _content(message.content)}
        if message.name:
            one["name"] = message.name
        if kind == "ai" and message.tool_calls:
            one["tool_calls"] = [_call(call) for call in message.tool_calls]
        if kind == "tool":
            one["tool_call_id"] = message.tool_call_id
        asked.append(one)
    return asked


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    # The escapes that the guard keeps as they are.
    arguments = json.dumps(call["args"], ensure_ascii=False)
    return {"id": call.get("id") or "", "type": "function", "function": {"name": call["name"], "arguments": arguments}}


def _fields_of(message: Any) -> dict[str, Any]:
    """What may be kept of an answer besides its texts."""
    kept: dict[str, Any] = {"id": message.id}
    if message.usage_metadata:
        kept["usage_metadata"] = message.usage_metadata
    about = {key: value for key, value in message.response_metadata.items() if key in _ABOUT and isinstance(value, str)}
    return {**kept, "response_metadata": about}


@lru_cache(maxsize=1)
def _runnable_class() -> Any:
    base: Any = need("langchain_core.runnables", "langchain").Runnable
    messages: Any = need("langchain_core.messages", "langchain")
    prompts: Any = need("langchain_core.prompt_values", "langchain")

    def answered(exchange: Exchange, answer: Any) -> Any:
        """A whole answer as it may be shown."""
        content = _content(answer.content)
        if not isinstance(content, str) and _EMPTY not in content:
            # Something that stays where all other parts are left out.
            content.append(_EMPTY)
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if answer.invalid_tool_calls:
            raise refused("unreadable", "a call of a tool whose arguments are no JSON")
        if answer.tool_calls:
            message["tool_calls"] = [_call(call) for call in answer.tool_calls]
        masked = shown(exchange, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
        message = masked["choices"][0]["message"]
        calls = [
            {"type": "tool_call", "id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
            for call in message.get("tool_calls", ())
        ]
        content = message["content"] or ""
        if not isinstance(content, str):
            content = [part for part in content if part != _EMPTY] or ""
        return messages.AIMessage(content=content, tool_calls=calls, **_fields_of(answer))

    def event(chunk: Any) -> dict[str, Any]:
        """A chunk of an answer in the form of OpenAI's chat."""
        content = _content(chunk.content)
        delta: dict[str, Any] = {"content": _text(content, ("text",))}
        if not isinstance(content, str):
            if refusal := _text(content, ("refusal",)):
                delta["refusal"] = refusal
            for part in content:
                if part.get("type") not in ("text", "refusal"):
                    # A member that the guard knows, or one that it does not know: its policy says what happens with either.
                    kind = part.get("type")
                    delta.setdefault("annotations" if kind in _MEDIA else f"part.{kind}", []).append(part)
        if chunk.tool_call_chunks:
            delta["tool_calls"] = [
                {"index": call["index"] or 0, "id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["args"] or ""}}
                for call in chunk.tool_call_chunks
            ]
        return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}

    def chunk_of(shown: Mapping[str, Any], more: Mapping[str, Any]) -> Any:
        delta = shown["choices"][0]["delta"] if shown.get("choices") else {}
        calls = [
            {"type": "tool_call_chunk", "index": call["index"], "id": call.get("id"), "name": call["function"].get("name"), "args": call["function"].get("arguments", "")}
            for call in delta.get("tool_calls") or ()
        ]
        content = text = delta.get("content") or ""
        rest = [part for name, parts in delta.items() if name == "annotations" or name.startswith("part.") for part in parts or ()]
        if refusal := delta.get("refusal"):
            rest.insert(0, {"type": "refusal", "refusal": refusal})
        if rest:
            content = [{"type": "text", "text": text}, *rest] if text else rest
        return messages.AIMessageChunk(content=content, tool_call_chunks=calls, **more)

    def parts(exchange: Exchange, chunk: Any) -> Iterator[Any]:
        more = _fields_of(chunk)
        for found in pushed(exchange, event(chunk)):
            yield chunk_of(found, more)
            # What is said about an answer is said once, as counts are added up.
            more = {"id": chunk.id}
        if len(more) > 1 and (more.get("usage_metadata") or more["response_metadata"]):
            yield messages.AIMessageChunk(content="", **more)

    def rest(exchange: Exchange, last: Any) -> Iterator[Any]:
        end = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        for found in ended(exchange, end):
            part = chunk_of(found, {"id": None if last is None else last.id})
            if part.content or part.tool_call_chunks:
                yield part

    class GuardedModel(base):  # type: ignore[misc]
        """A model behind a guard."""

        def __init__(self, model: Any, guard: ModelGuard) -> None:
            self._model, self.guard = model, guard

        def __repr__(self) -> str:
            return f"GuardedModel({self._model!r}, {self.guard!r})"

        def _begin(self, input: Any) -> tuple[Exchange, list[Any]]:
            if isinstance(input, str):
                input = [messages.HumanMessage(input)]
            elif isinstance(input, prompts.PromptValue):
                input = input.to_messages()
            exchange, masked = begin(self.guard, "chat", {"messages": _asked(messages.convert_to_messages(input))})
            return exchange, messages.convert_to_messages(masked["messages"])

        def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
            exchange, masked = self._begin(input)
            return answered(exchange, self._model.invoke(masked, config, **kwargs))

        async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
            exchange, masked = self._begin(input)
            return answered(exchange, await self._model.ainvoke(masked, config, **kwargs))

        def stream(self, input: Any, config: Any = None, **kwargs: Any) -> Iterator[Any]:
            exchange, masked = self._begin(input)
            chunk = None
            for chunk in self._model.stream(masked, config, **kwargs):
                yield from parts(exchange, chunk)
            yield from rest(exchange, chunk)

        async def astream(self, input: Any, config: Any = None, **kwargs: Any) -> AsyncIterator[Any]:
            exchange, masked = self._begin(input)
            chunk = None
            async for chunk in self._model.astream(masked, config, **kwargs):
                for part in parts(exchange, chunk):
                    yield part
            for part in rest(exchange, chunk):
                yield part

    return GuardedModel
