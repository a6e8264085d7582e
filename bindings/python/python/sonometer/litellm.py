"""For LiteLLM: a guardrail that masks requests, answers and streams, tool arguments included.

In the configuration of LiteLLM's proxy:

guardrails:
  - guardrail_name: sonometer
    litellm_params: {guardrail: sonometer.litellm.Guardrail, mode: [pre_call, post_call], default_on: true, policy: {mask: personal-data, placeholders: true}}

In Python LiteLLM asks guardrails about `acompletion` and other calls that wait, if their answers come whole. About `completion` it does
not ask them, and such calls are not guarded. With `client=sonometer.guard(openai.OpenAI())` all of them are.
"""

from __future__ import annotations

import difflib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ._guard_json import begin, ended, pushed, refused, shown
from ._optional import need
from .errors import InvalidRequestError
from .guarding import Settings, open_guard

if TYPE_CHECKING:
    from ._sonometer import Exchange

__all__ = ["guardrail_class"]

# The forms of calls, by LiteLLM's names without the `a` of those that wait.
_FORMS = {
    "completion": "chat",
    "text_completion": "completions",
    "embedding": "embeddings",
    "embeddings": "embeddings",
    "anthropic_messages": "messages",
    "responses": "responses",
}
# Calls without conversations pass, as they pass the proxy. All others are refused unless `unknown` is `pass`.
_OPEN = {"image_generation", "image_edit", "moderation", "transcription", "audio_transcription", "speech"}
# What LiteLLM keeps in a request for itself.
_OWN = {"metadata", "proxy_server_request", "secret_fields", "guardrails", "headers", "extra_headers", "api_key", "api_base", "model_info", "deployment"}
# What goes to the model and must therefore be readable.
_SENT = {"messages", "input", "prompt", "system", "instructions", "tools", "functions", "suffix"}
# Requests whose answers are awaited; the oldest gives way.
_MOST_CALLS = 4096


@dataclass
class _Call:
    """A request that was sent."""

    exchange: Exchange | None
    """None for a call that passes unread, and so does its answer."""
    sent: dict[str, Any]
    shown: Any = None
    """The answer, once it was shown."""
    of_python: str | None = None
    """The type of a call that did not come through LiteLLM's proxy."""


def guardrail_class() -> Any:
    """The class `Guardrail`, made when LiteLLM is there: `from sonometer.litellm import Guardrail` gives it too.

    Its arguments are those of `sonometer.guarding.open_guard` and those of LiteLLM's `CustomGuardrail`. `policy` may be a dict of the
    former, since LiteLLM's configuration has a `mask` and `rules` of its own beside it.
    """
    return _guardrail_class()


def __getattr__(name: str) -> Any:
    if name == "Guardrail":
        return _guardrail_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _form(call_type: str) -> str | None:
    """The form of a call; None for an open one, `?` for one that is not known."""
    name = call_type if call_type in _FORMS or call_type in _OPEN else call_type.removeprefix("a")
    return None if name in _OPEN else _FORMS.get(name, "?")


def _body(data: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a request that goes to the provider."""
    body = {}
    for key, value in data.items():
        if key in _SENT or not (key in _OWN or key.startswith(("litellm_", "user_api_key", "_")) or not _is_json(value)):
            body[key] = value
    return body


def _sent(body: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key in _SENT}


def _is_json(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(inner) for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return all(map(_is_json, value))
    return value is None or isinstance(value, (str, int, float))


def _fields(answer: Any) -> Any:
    """An answer or an event as JSON's values."""
    if isinstance(answer, dict):
        return {key: value for key, value in answer.items() if not key.startswith("_")}
    if not hasattr(answer, "model_dump"):
        raise refused("unknown_type", f"an answer of the type {type(answer).__name__}")
    return answer.model_dump(mode="json", warnings=False)


def _rebuilt(answer: Any, fields: Any) -> Any:
    """An answer of the same type with other fields."""
    if isinstance(answer, dict):
        # What LiteLLM keeps in it for itself.
        return {**{key: value for key, value in answer.items() if key.startswith("_")}, **fields}
    made = type(answer)(**fields)
    if (hidden := getattr(answer, "_hidden_params", None)) is not None:
        made._hidden_params = hidden
    return made


def _misspelt(key: str) -> None:
    """Refuses what is nearly the name of a setting. LiteLLM gives many parameters of its own, and takes any others without a word."""
    known = ["mask", "on", "show", *Settings.__annotations__]
    near = [] if key in known else difflib.get_close_matches(key, known, 1, 0.7)
    if near and key not in need("litellm.types.guardrails", "litellm").LitellmParams.model_fields:
        fix = f"did you mean `{near[0]}`"
        raise InvalidRequestError(f"unknown setting `{key}`; {fix}?", place=key, fix=fix)


@lru_cache(maxsize=1)
def _guardrail_class() -> Any:
    base: Any = need("litellm.integrations.custom_guardrail", "litellm").CustomGuardrail
    hooks: Any = need("litellm.types.guardrails", "litellm").GuardrailEventHooks

    class Guardrail(base):  # type: ignore[misc]
        """Masks by a guard of Sonometer."""

        def __init__(self, policy: Any = None, *, mask: Any = None, on: Any = "both", show: Any = None, **more: Any) -> None:
            settings: Any = {key: more.pop(key) for key in Settings.__annotations__ if more.get(key) is not None}
            for key in more:
                _misspelt(key)
            # LiteLLM gives its own `mask`, which is False where nobody wrote one.
            mask = None if mask is False else mask
            if isinstance(policy, Mapping):
                # YAML reads the key `on` as true.
                settings |= {"on" if key is True else key: value for key, value in policy.items()}
                mask, on, show = settings.pop("mask", mask), settings.pop("on", on), settings.pop("show", show)
                policy = None
            self._guard = open_guard(policy, mask=mask, on=on, show=show, **settings)
            opened = json.loads(self._guard.policy)
            self._passes_unknown: bool = opened["unknown"] == "pass"
            self._restores: bool = opened["placeholders"]
            self._calls: OrderedDict[str, _Call] = OrderedDict()
            more.setdefault("guardrail_name", "sonometer")
            more.setdefault("event_hook", [hooks.pre_call, hooks.post_call])
            super().__init__(**more)

        async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str) -> dict[str, Any]:
            form, call = _form(call_type), data.get("litellm_call_id")
            if form is None or (form == "?" and self._passes_unknown):
                self._keep(call, _Call(None, {}))
                return data
            if form == "?":
                raise refused("unknown_type", f"a call of the type {call_type}, which the guard does not read")
            body = _body(data)
            # LiteLLM asks again where it tries another model; what is masked is not masked again.
            if call is not None and (known := self._calls.get(call)) is not None and known.sent == _sent(body):
                return data
            exchange, masked = begin(self._guard, form, body)
            data.update(masked)
            asked = data.get("proxy_server_request")
            if isinstance(asked, dict) and isinstance(asked.get("body"), dict):
                # What LiteLLM writes into its logs.
                asked["body"].update({key: value for key, value in masked.items() if key in asked["body"]})
            self._keep(call, _Call(exchange, _sent(masked)))
            return data

        def _keep(self, number: str | None, call: _Call) -> None:
            if number is not None:
                self._calls[number] = call
                while len(self._calls) > _MOST_CALLS:
                    self._calls.popitem(last=False)

        async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: Any) -> dict[str, Any]:
            """Called for every call that waits. The proxy has asked before; calls in Python are guarded here."""
            call = kwargs.get("litellm_call_id")
            if call in self._calls or self.should_run_guardrail(data=kwargs, event_type=hooks.pre_call) is not True:
                return kwargs
            is_of_python = "proxy_server_request" not in kwargs
            name = str(getattr(call_type, "value", call_type))
            if is_of_python and _form(name) is not None:
                # Of a stream LiteLLM shows each piece, whatever a guardrail says of it.
                if kwargs.get("stream"):
                    fix = "ask without `stream`, or give client=sonometer.guard(openai.AsyncOpenAI())"
                    raise refused("unknown_type", f"a stream in Python, which LiteLLM does not let a guardrail mask; {fix}")
                if _form(name) != "?" and not _sent(kwargs):
                    raise refused("unknown_type", "a call whose text is given by its position; write `messages=` or `input=`")
            kwargs = await self.async_pre_call_hook(None, None, kwargs, name)
            if is_of_python and (known := self._calls.get(str(call))) is not None:
                known.of_python = name
            return kwargs

        async def async_post_call_success_deployment_hook(self, request_data: dict[str, Any], response: Any, call_type: Any) -> Any:
            """Called for every whole answer. Of those that go through the proxy, it asks later."""
            known = self._calls.get(request_data.get("litellm_call_id", ""))
            if known is None or known.of_python != str(getattr(call_type, "value", call_type)):
                return None
            if self.should_run_guardrail(data=request_data, event_type=hooks.post_call) is not True:
                return None
            return await self.async_post_call_success_hook(request_data, None, response)

        async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
            call = self._call(data, response)
            if call.exchange is None or call.exchange.form == "embeddings":
                return response
            fields = _fields(response)
            # It may ask again with what was shown.
            if fields == call.shown:
                return response
            masked = shown(call.exchange, fields)
            made = response if masked is fields else _rebuilt(response, masked)
            call.shown = _fields(made)
            return made

        async def async_post_call_streaming_iterator_hook(
            self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
        ) -> AsyncIterator[Any]:
            exchange: Exchange | None = None
            is_open = False
            last: Any = None
            # What is left of a text comes before its end: events of a type that came before.
            like: dict[Any, Any] = {}
            async for chunk in response:
                if exchange is None and not is_open:
                    exchange = self._call(request_data, chunk).exchange
                    is_open = exchange is None
                    self._calls.pop(request_data.get("litellm_call_id", ""), None)
                if exchange is None:
                    yield chunk
                    continue
                if isinstance(chunk, (bytes, str)):
                    # The bytes of the provider, in which a refusal comes too.
                    if out := exchange.feed(chunk.encode() if isinstance(chunk, str) else chunk):
                        yield out if isinstance(chunk, bytes) else out.decode()
                    if exchange.is_over:
                        return
                else:
                    fields = _fields(chunk)
                    like[fields.get("type")] = chunk
                    for event in pushed(exchange, fields, fields.get("type") if exchange.form == "responses" else None):
                        yield chunk if event == fields else _rebuilt(like.get(event.get("type"), chunk), event)
                last = chunk
            if exchange is None:
                return
            if isinstance(last, (bytes, str)):
                if out := exchange.finish():
                    yield out if isinstance(last, bytes) else out.decode()
                return
            for event in ended(exchange, b"data: [DONE]\n\n" if exchange.form in ("chat", "completions") else b""):
                yield _rebuilt(last, event)

        def _call(self, data: Mapping[str, Any], answer: Any) -> _Call:
            """What was begun with the request of an answer."""
            if (known := self._calls.get(data.get("litellm_call_id", ""))) is not None:
                return known
            if self._restores:
                raise refused("no_table", "the request of this answer did not pass the guard; set mode to [pre_call, post_call]")
            form = _form_of(answer)
            return _Call(begin(self._guard, form, {"input": ""} if form == "responses" else {"messages": []})[0], {})

    return Guardrail


def _form_of(answer: Any) -> str:
    """The form of an answer whose request is not known."""
    if isinstance(answer, (bytes, str)):
        return "messages"
    fields = _fields(answer)
    match fields.get("object"), fields.get("type"):
        case ("chat.completion" | "chat.completion.chunk", _):
            return "chat"
        case ("text_completion" | "text_completion.chunk", _):
            return "completions"
        case ("list", _):
            return "embeddings"
        case ("response", _):
            return "responses"
        case (_, "message"):
            return "messages"
        case (_, str(kind)) if kind.startswith("response."):
            return "responses"
    raise refused("unknown_type", f"an answer of the type {type(answer).__name__}")

