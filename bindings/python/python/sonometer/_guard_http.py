"""Guarded clients of `httpx` and `httpx2`: a transport that masks, hands on to another client, and masks what comes back.

What is guarded goes through the whole of the other client, so its proxies, hooks, cookies and signatures see masked bytes only.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .errors import InvalidRequestError, WrongTypeError, _kind

if TYPE_CHECKING:
    from ._sonometer import Exchange, ModelGuard

__all__ = ["wrapped"]

# What is no longer true of a body that may have changed.
_GONE = ("content-encoding", "content-length", "transfer-encoding", "etag", "content-md5", "digest", "content-digest", "repr-digest")
# Headers that say whether and when a client should try again.
_RETRY = ("retry-after", "retry-after-ms", "x-should-retry")
# Bodies from this size on are masked by another thread, so that an event loop goes on.
_LARGE = 64 << 10
_JSON = "application/json"
# Charsets whose ASCII is that of UTF-8, beside the families of ISO 8859 and Windows.
_LIKE_ASCII = ("", "utf-8", "utf8", "us-ascii", "ascii", "latin1")


def wrapped(client: Any, guard: ModelGuard) -> Any:
    """A client like `client` whose transport is a guard in front of it."""
    for name in ("httpx2", "httpx"):
        module = sys.modules.get(name)
        if module is not None and isinstance(client, (module.Client, module.AsyncClient)):
            break
    else:
        fix = "give a Client or AsyncClient of httpx or httpx2"
        raise WrongTypeError(f"{_kind(client)} is no client of HTTP that can be guarded; {fix}", place="client", fix=fix)
    sync, asynchronous = _transports(name)
    first: Any = getattr(client, "_transport", None)
    if isinstance(first, (sync, asynchronous)) and _numbers(guard) and _numbers(first.guard):
        # The second takes the placeholders of the first for text that somebody typed, and the first does not get them back.
        fix = "guard the client that has no guard, by one guard with the rules of both"
        raise InvalidRequestError(f"the client has a guard with placeholders already; {fix}", place="client", fix=fix)
    is_sync = isinstance(client, module.Client)
    like = {key: getattr(client, key) for key in ("headers", "params", "cookies", "base_url", "timeout", "follow_redirects", "max_redirects")}
    return (module.Client if is_sync else module.AsyncClient)(transport=(sync if is_sync else asynchronous)(client, guard), trust_env=False, **like)


def _numbers(guard: ModelGuard) -> bool:
    """Whether it puts placeholders into requests."""
    return bool(json.loads(guard.policy)["placeholders"])


def _passes(guard: ModelGuard, request: Any) -> bool:
    """Whether a request goes on unread."""
    return guard.route(request.method, request.url.path) is None and not _has_odd_body(guard, request)


def _has_odd_body(guard: ModelGuard, request: Any) -> bool:
    """Whether a method that needs no body, such as DELETE, has one on a guarded route: the provider might read it."""
    has_body = "transfer-encoding" in request.headers or request.headers.get("content-length", "0").strip() != "0"
    return has_body and guard.route("POST", request.url.path) is not None


def _begin(guard: ModelGuard, request: Any, body: bytes) -> Exchange:
    """Reads a request. It is one that is guarded."""
    exchange = guard.request(request.method, request.url.path, body)
    if exchange is None:
        # A body was announced, and none came.
        exchange = guard.request(request.method, request.url.path, b" ")
        assert exchange is not None, "the route was looked at before"
    if exchange.blocked is None:
        if _is_encoded(request):
            exchange.refuse("unreadable", "a compressed body; send it without content-encoding", is_answer=False)
        elif _is_other_charset(request):
            exchange.refuse("unreadable", "content-type names another charset than UTF-8; send the body as UTF-8", is_answer=False)
    return exchange


def _refused_answer(exchange: Exchange, answer: Any) -> bool:
    """Refuses an answer by its head alone."""
    if answer.has_redirect_location:
        exchange.refuse("unknown_type", "the provider redirects to another address; give that address to the client")
    elif exchange.guards_answers and _is_encoded(answer):
        exchange.refuse("unreadable", "the provider compressed its answer although it was asked not to")
    elif exchange.guards_answers and _is_other_charset(answer):
        exchange.refuse("unreadable", "the content-type of the answer names another charset than UTF-8")
    return exchange.blocked is not None


def _is_encoded(message: Any) -> bool:
    """Whether a body is compressed."""
    return any(value.strip().lower() not in ("", "identity") for value in message.headers.get_list("content-encoding"))


def _is_other_charset(message: Any) -> bool:
    """Whether a body says that its characters are written otherwise than ASCII, such as in UTF-7, where `+AEA-` is an `@`: a reader that
    goes by it would find what the guard does not."""
    for value in message.headers.get_list("content-type"):
        for part in value.lower().split(";")[1:]:
            name, _, charset = part.partition("=")
            charset = charset.strip().strip("\"'").replace("_", "-")
            if name.strip() == "charset" and charset not in _LIKE_ASCII and not charset.startswith(("iso-8859-", "windows-125")):
                return True
    return False


def _is_event_stream(answer: Any) -> bool:
    kind: str = answer.headers.get("content-type", "")
    return kind.partition(";")[0].strip().lower() == "text/event-stream"


@lru_cache(maxsize=2)
def _transports(name: str) -> tuple[type[Any], type[Any]]:
    """The sync and the async transport for one of the two packages."""
    http: Any = sys.modules[name]
    # What httpx waits with, too.
    to_thread: Any = importlib.import_module("anyio.to_thread")

    def masked(request: Any, exchange: Exchange) -> Any:
        """The request as it is sent."""
        headers = http.Headers(request.headers)
        for gone in ("content-length", "transfer-encoding"):
            headers.pop(gone, None)
        if exchange.guards_answers:
            # Compressed answers could not be read.
            headers["accept-encoding"] = "identity"
        return http.Request(request.method, request.url, headers=headers, content=exchange.body, extensions=request.extensions)

    def read(answer: Any) -> bytes | None:
        """The body, if a hook or the transport of a test has read it: it comes only once. It is not compressed any more."""
        try:
            body: bytes | None = answer.content if answer.is_stream_consumed else None
        except http.ResponseNotRead:
            return None
        return body

    def raw(answer: Any) -> Iterator[bytes]:
        body = read(answer)
        yield from answer.iter_raw() if body is None else (body,)

    async def raw_later(answer: Any) -> AsyncIterator[bytes]:
        if (body := read(answer)) is not None:
            yield body
            return
        async for chunk in answer.aiter_raw():
            yield chunk

    def head(answer: Any, exchange: Exchange | None) -> Any:
        headers = http.Headers(answer.headers)
        if read(answer) is not None:
            for gone in ("content-encoding", "content-length"):
                headers.pop(gone, None)
        if exchange is not None:
            for gone in _GONE if exchange.guards_answers else ():
                headers.pop(gone, None)
            headers.update(exchange.headers)
        return headers

    def refusal(exchange: Exchange, request: Any, answer: Any = None) -> Any:
        """What was refused. Nothing is different in another try, unless the provider itself failed."""
        status, body = exchange.refusal or (500, b"")
        headers = {"content-type": _JSON, "x-should-retry": "false", **dict(exchange.headers)}
        kind, _ = exchange.blocked or ("", "")
        if answer is not None and answer.is_error and kind != "rule":
            # An error of the provider stays that error where its text is not shown: clients go by its status and by how long they are to wait.
            status = answer.status_code
            del headers["x-should-retry"]
            headers |= {name: answer.headers[name] for name in _RETRY if name in answer.headers}
        return http.Response(status, headers=headers, content=body, request=request)

    def whole(exchange: Exchange, answer: Any, body: bytes) -> Any:
        status, shown = exchange.response(answer.status_code, body)
        if exchange.blocked is not None:
            return refusal(exchange, answer.request, answer)
        return http.Response(status, headers=head(answer, exchange), content=shown, extensions=answer.extensions)

    def too_large(exchange: Exchange, request: Any, answer: Any, most: int) -> Any:
        exchange.refuse("too_large", f"an answer has more than {most} bytes (limits.body_bytes)")
        return refusal(exchange, request, answer)

    class Raw(http.SyncByteStream):  # type: ignore[misc]
        """A body as it comes, guarded if it is one of events."""

        def __init__(self, answer: Any, exchange: Exchange | None) -> None:
            self._answer, self._exchange = answer, exchange

        def __iter__(self) -> Iterator[bytes]:
            exchange = self._exchange
            if exchange is None:
                yield from raw(self._answer)
                return
            for chunk in raw(self._answer):
                if shown := exchange.feed(chunk):
                    yield shown
                if exchange.is_over:
                    # The provider need not go on.
                    self._answer.close()
                    return
            if shown := exchange.finish():
                yield shown

        def close(self) -> None:
            self._answer.close()

    class AsyncRaw(http.AsyncByteStream):  # type: ignore[misc]
        """The same for those who wait."""

        def __init__(self, answer: Any, exchange: Exchange | None) -> None:
            self._answer, self._exchange = answer, exchange

        async def __aiter__(self) -> AsyncIterator[bytes]:
            exchange = self._exchange
            async for chunk in raw_later(self._answer):
                if exchange is None:
                    yield chunk
                    continue
                if shown := exchange.feed(chunk):
                    yield shown
                if exchange.is_over:
                    await self._answer.aclose()
                    return
            if exchange is not None and (shown := exchange.finish()):
                yield shown

        async def aclose(self) -> None:
            await self._answer.aclose()

    class Transport(http.BaseTransport):  # type: ignore[misc]
        """A guard in front of a client."""

        def __init__(self, client: Any, guard: ModelGuard) -> None:
            self._client, self.guard = client, guard
            self._most: int = json.loads(guard.policy)["limits"]["body_bytes"]

        def handle_request(self, request: Any) -> Any:
            if _passes(self.guard, request):
                answer = self._client.send(request, stream=True, follow_redirects=False)
                return self._response(answer, None, None)
            exchange = _begin(self.guard, request, request.read())
            if exchange.blocked is not None:
                return refusal(exchange, request)
            answer = self._client.send(masked(request, exchange), stream=True, follow_redirects=False)
            if _refused_answer(exchange, answer):
                answer.close()
                return refusal(exchange, request, answer)
            if not exchange.guards_answers:
                return self._response(answer, None, exchange)
            if _is_event_stream(answer):
                return self._response(answer, exchange, exchange)
            body = bytearray()
            try:
                for chunk in raw(answer):
                    body += chunk
                    if len(body) > self._most:
                        return too_large(exchange, request, answer, self._most)
            finally:
                answer.close()
            return whole(exchange, answer, bytes(body))

        def _response(self, answer: Any, guarded: Exchange | None, told: Exchange | None) -> Any:
            return http.Response(answer.status_code, headers=head(answer, told), stream=Raw(answer, guarded), extensions=answer.extensions)

        def close(self) -> None:
            self._client.close()

    class AsyncTransport(http.AsyncBaseTransport):  # type: ignore[misc]
        """The same for those who wait."""

        def __init__(self, client: Any, guard: ModelGuard) -> None:
            self._client, self.guard = client, guard
            self._most: int = json.loads(guard.policy)["limits"]["body_bytes"]

        async def handle_async_request(self, request: Any) -> Any:
            if _passes(self.guard, request):
                answer = await self._client.send(request, stream=True, follow_redirects=False)
                return self._response(answer, None, None)
            body = await request.aread()
            if len(body) < _LARGE:
                exchange = _begin(self.guard, request, body)
            else:
                exchange = await to_thread.run_sync(_begin, self.guard, request, body)
            if exchange.blocked is not None:
                return refusal(exchange, request)
            answer = await self._client.send(masked(request, exchange), stream=True, follow_redirects=False)
            if _refused_answer(exchange, answer):
                await answer.aclose()
                return refusal(exchange, request, answer)
            if not exchange.guards_answers:
                return self._response(answer, None, exchange)
            if _is_event_stream(answer):
                return self._response(answer, exchange, exchange)
            came = bytearray()
            try:
                async for chunk in raw_later(answer):
                    came += chunk
                    if len(came) > self._most:
                        return too_large(exchange, request, answer, self._most)
            finally:
                await answer.aclose()
            if len(came) < _LARGE:
                return whole(exchange, answer, bytes(came))
            return await to_thread.run_sync(whole, exchange, answer, bytes(came))

        def _response(self, answer: Any, guarded: Exchange | None, told: Exchange | None) -> Any:
            return http.Response(answer.status_code, headers=head(answer, told), stream=AsyncRaw(answer, guarded), extensions=answer.extensions)

        async def aclose(self) -> None:
            await self._client.aclose()

    return Transport, AsyncTransport
