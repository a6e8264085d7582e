"""Chats as other programs write them: messages of OpenAI, Anthropic, Gemini, LangChain, ShareGPT, Vercel's AI SDK,
vCon, Contact Lens, Twilio, Bedrock's Converse, threads of OpenAI's Assistants, lines of batches, and preference data.

>>> from sonometer.chats import read_messages
>>> chat = read_messages({"contents": [
...     {"role": "user", "parts": [{"text": "Is it raining?"}]},
...     {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {"at": "here"}}}, {"text": "No."}]},
... ]})
>>> chat.interaction, chat.form
(Interaction([('user', 'Is it raining?'), … 2 segments]), 'gemini')
>>> chat.apart[0].kind, chat.apart[0].name, chat.apart[0].text
('tool_call', 'weather', '{"at":"here"}')
"""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple, TypeAlias

from ._sonometer import Interaction, _read_messages
from .errors import InvalidRequestError, WrongTypeError, _kind

__all__ = ["Apart", "MessageForm", "Messages", "read_messages"]

MessageForm: TypeAlias = Literal[
    "openai",
    "anthropic",
    "gemini",
    "ai-sdk",
    "langchain",
    "sharegpt",
    "vcon",
    "contact-lens",
    "twilio",
    "bedrock",
    "assistants",
    "batch",
    "chosen",
    "rejected",
]
"""A form in which programs write chats; `openai` and `anthropic` are read alike. Of preference data, which have two answers, `chosen` is read
unless `rejected` is named."""


class Apart(NamedTuple):
    """Something in a chat that nobody said."""

    place: str
    """Its path, such as `messages[2].tool_calls[0]`."""
    kind: Literal["tool_call", "tool_result", "reasoning", "media"]
    """What it is."""
    name: str
    """The name of a tool, or the number of the call that a result is of; else the type as written."""
    text: str
    """Arguments, a result or a reasoning as written; empty for media."""


class Messages(NamedTuple):
    """A chat that was read."""

    interaction: Interaction
    """What was said."""
    form: MessageForm
    """The form in which it was written; `openai` for Anthropic's, too."""
    places: tuple[str, ...]
    """Where each turn was, such as `messages[0].content`."""
    apart: tuple[Apart, ...]
    """What nobody said."""
    notices: tuple[str, ...]
    """What was skipped, one sentence each."""


def read_messages(messages: Any, *, form: MessageForm | None = None) -> Messages:
    """Reads a chat: JSON text or bytes, what these hold, or objects of the `openai`, `anthropic` or `langchain` packages, such as messages,
    one message or a whole answer.

    Without a `form`, the keys decide. Unknown keys are skipped with a notice. Only where messages with `role` and `content` come
    without a form are they an error: they could be misspelt keys of a transcript.

    Raises InvalidRequestError with the place of the first thing that is wrong, or if nobody says anything.
    """
    if not (form is None or isinstance(form, str)):
        fix = "give its name, such as 'openai', or leave it out"
        raise WrongTypeError(f"`form` is {_kind(form)}; {fix}", place="form", fix=fix)
    try:
        plain = messages if isinstance(messages, (str, bytes)) else _plain(messages)
    except RecursionError:
        fix = "use fewer levels"
        raise InvalidRequestError(f"lists and dicts are nested too deep, or one contains itself; {fix}", place="messages", fix=fix) from None
    # One message. An answer of Anthropic is one by itself.
    if isinstance(plain, dict) and "content" in plain and ("role" in plain or hasattr(messages, "model_dump")) and plain.get("type") != "message":
        plain = [plain]
    interaction, told = _read_messages(plain, form)
    found = json.loads(told)
    return Messages(
        interaction=interaction,
        form=found["form"],
        places=tuple(found["places"]),
        apart=tuple(Apart(**apart) for apart in found["apart"]),
        notices=tuple(found["notices"]),
    )


def _plain(value: Any) -> Any:
    """The same with dicts in the place of objects of pydantic, which these packages use."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
