"""Exchanges for glue that has requests and answers as Python objects: they go through the guard as the JSON of a provider's form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .errors import BlockedError

if TYPE_CHECKING:
    from ._sonometer import Exchange, ModelGuard

__all__ = ["PATHS", "begin", "ended", "events", "pushed", "raise_blocked", "refused", "shown"]

PATHS = {
    "chat": "/v1/chat/completions",
    "completions": "/v1/completions",
    "embeddings": "/v1/embeddings",
    "messages": "/v1/messages",
    "responses": "/v1/responses",
}
"""A path of each form."""


def refused(kind: str, message: str) -> BlockedError:
    """A refusal that the glue itself has to make."""
    return BlockedError(f"blocked by the guard ({kind}): {message}", kind=kind)


def raise_blocked(exchange: Exchange) -> None:
    """Raises `BlockedError` if something was refused."""
    if (blocked := exchange.blocked) is not None:
        kind, message = blocked
        status, _ = exchange.refusal or (400, b"")
        raise BlockedError(f"blocked by the guard ({kind}): {message}", kind=kind, status_code=status)


def written(value: Any) -> bytes:
    """JSON as the guard reads it. Lone surrogates stay escapes."""
    try:
        return json.dumps(value, ensure_ascii=True, allow_nan=False).encode()
    except (TypeError, ValueError):
        # The message of `json` may show a value.
        raise refused("unreadable", "an object that cannot be written as JSON") from None


def begin(guard: ModelGuard, form: str, body: Mapping[str, Any]) -> tuple[Exchange, dict[str, Any]]:
    """Reads and masks a request."""
    exchange = guard.request("POST", PATHS[form], written(body))
    assert exchange is not None, "the paths are those of guarded forms"
    raise_blocked(exchange)
    masked: dict[str, Any] = json.loads(exchange.body)
    return exchange, masked


def shown(exchange: Exchange, answer: Any) -> Any:
    """A whole answer as it may be shown; the same object if nothing changed."""
    body = written(answer)
    _, masked = exchange.response(200, body)
    raise_blocked(exchange)
    return answer if masked == body else json.loads(masked)


def pushed(exchange: Exchange, event: Any, name: str | None = None) -> Iterator[Any]:
    """An event of an answer that streams: the events that may be shown now."""
    head = b"" if name is None else b"event: " + name.encode() + b"\n"
    yield from events(exchange, exchange.feed(head + b"data: " + written(event) + b"\n\n"))


def ended(exchange: Exchange, last: bytes = b"") -> Iterator[Any]:
    """The end of an answer that streams: the events that are left. `last` are bytes by which its form ends."""
    yield from events(exchange, exchange.feed(last) if last else b"")
    yield from events(exchange, exchange.finish())


def events(exchange: Exchange, frames: bytes) -> Iterator[Any]:
    """The data of whole frames, or the refusal that is the last of them."""
    is_refused = exchange.blocked is not None
    for frame in frames.split(b"\n\n"):
        data = b"\n".join(line.removeprefix(b"data:").strip() for line in frame.split(b"\n") if line.startswith(b"data:"))
        if data and data != b"[DONE]":
            event = json.loads(data)
            # What was let through before a refusal is shown; its event is raised as an exception instead.
            if not (is_refused and isinstance(event, dict) and (event.get("error") or event.get("type") == "error")):
                yield event
    if is_refused:
        raise_blocked(exchange)
