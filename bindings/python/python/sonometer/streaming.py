"""Sessions over what comes in by itself: iterables and async iterables, such as the tokens of a language model.

Empty chunks and None are skipped.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .errors import InvalidRequestError, WrongTypeError, _kind

if TYPE_CHECKING:
    from ._sonometer import Reading, Session
    from .model import Place, Step

__all__ = ["Guard", "Stream"]

_R_co = TypeVar("_R_co", bound="Reading", covariant=True)


class _Feed(Generic[_R_co]):
    """Takes chunks from a source, sync or async, and pushes them into a session."""

    def __init__(self, session: Session[_R_co], chunks: Iterable[Any] | AsyncIterable[Any]) -> None:
        self._session = session
        self._source = chunks
        self._sync: Iterator[Any] | None = None
        self._async: AsyncIterator[Any] | None = None
        self._last: Step | None = None
        self._reading: _R_co | None = None
        # Whether the last chunk failed to come: what follows may be missing, so the end is not the end of the text.
        self._is_cut = False
        self._is_closed = False
        # To iterate over a dict gives its keys, which nobody said.
        if isinstance(chunks, Mapping):
            fix = "give a list of chunks; for whole segments a list of dicts"
            raise WrongTypeError(f"{_kind(chunks)} is not a source of chunks; {fix}", place="chunks", fix=fix)
        if isinstance(chunks, AsyncIterable):
            self._async = aiter(chunks)
        elif isinstance(chunks, Iterable):
            self._sync = iter(chunks)
        else:
            fix = "give an iterable or async iterable of str"
            raise WrongTypeError(f"{_kind(chunks)} is not a source of chunks; {fix}", place="chunks", fix=fix)

    @property
    def session(self) -> Session[_R_co]:
        """The session behind it: for `so_far`, say."""
        return self._session

    @property
    def settled_to(self) -> Place | None:
        """Everything before this place can change no more; None before the first chunk."""
        return None if self._last is None else self._last.settled_to

    @property
    def released_to(self) -> Place | None:
        """Text before this place may be shown; None before the first chunk."""
        return None if self._last is None else self._last.released_to

    @property
    def reading(self) -> _R_co:
        """The reading of the whole, once all has come in."""
        if self._reading is None:
            fix = "read it to its end, or use `session.so_far()`"
            raise InvalidRequestError(f"the stream has not ended; {fix}", fix=fix)
        return self._reading

    @property
    def has_ended(self) -> bool:
        """Whether all has come in."""
        return self._reading is not None

    def __repr__(self) -> str:
        state = "ended" if self.has_ended else "closed" if self._is_closed else "open"
        return f"<{type(self).__name__} of {self._session!r}, {state}>"

    def close(self) -> None:
        """Ends it before its end and closes the source. What is held back is not given out; `session.so_far()` has the reading up to here.

        >>> from contextlib import closing
        >>> from sonometer import Sensor
        >>> with closing(Sensor("personal-data").guard(["Hello there, ", "I am Ann."])) as guard:
        ...     next(guard)
        'Hello '
        """
        if self._async is not None:
            raise TypeError("the chunks are asynchronous; use `await aclose()`")
        self._stop()
        for own in (self._sync, self._source):
            if callable(close := getattr(own, "close", None)):
                close()

    async def aclose(self) -> None:
        """The same for those who wait; also of a source that does not."""
        self._stop()
        for own in (self._async, self._sync, self._source):
            # Streams of providers name it either way.
            close = getattr(own, "aclose", None) or getattr(own, "close", None)
            if callable(close) and isinstance(closing := close(), Awaitable):
                await closing

    def _stop(self) -> None:
        if self._reading is None:
            self._is_cut = self._is_closed = True

    @staticmethod
    def _is_empty(chunk: Any) -> bool:
        """Whether this is nothing, such as the first and the last delta of a chat interface."""
        return chunk is None or (isinstance(chunk, (str, bytes, bytearray)) and not chunk)

    def _push(self, chunk: Any) -> Step:
        if isinstance(chunk, (tuple, list)):
            self._last = self._session.push_segment(tuple(chunk))
        elif isinstance(chunk, Mapping):
            self._last = self._session.push_segment(chunk)
        else:
            self._last = self._session.push(chunk)
        return self._last

    def _end(self) -> Step:
        self._last = self._session.end()
        self._reading = self._session.finish()
        return self._last

    def _next(self) -> Step:
        if self._sync is None:
            raise TypeError("the chunks are asynchronous; use `async for`")
        if self._reading is not None or self._is_closed:
            raise StopIteration
        try:
            for chunk in self._sync:
                if not self._is_empty(chunk):
                    return self._came(chunk)
        except BaseException:
            self._is_cut = True
            raise
        if self._is_cut:
            raise StopIteration
        return self._end()

    def _came(self, chunk: Any) -> Step:
        step = self._push(chunk)
        self._is_cut = False
        return step

    async def _anext(self) -> Step:
        if self._async is None:
            # A source that does not wait may be looked at by those who do.
            try:
                return self._next()
            except StopIteration:
                raise StopAsyncIteration from None
        if self._reading is not None or self._is_closed:
            raise StopAsyncIteration
        try:
            async for chunk in self._async:
                if not self._is_empty(chunk):
                    return self._came(chunk)
        except BaseException:
            # Also where the caller was cancelled while it waited: it may ask for the next step again.
            self._is_cut = True
            raise
        if self._is_cut:
            raise StopAsyncIteration
        return self._end()


class Stream(_Feed[_R_co]):
    """An iterator of steps: one for each chunk that is not empty, and one more when all has come in. Made by `stream` of a sensor.

    Where the source raises an exception it is handed on, and `session.so_far()` has the reading up to there.

    >>> import asyncio
    >>> from sonometer import Sensor
    >>> async def tokens():
    ...     for token in ("Thank you ", "so much", ". It works."):
    ...         yield token
    >>> async def sources():
    ...     stream = Sensor("courtesy@1.0").stream(tokens())
    ...     return [event.source async for step in stream for event in step.events if event.event == "evidence"]
    >>> asyncio.run(sources())
    ['Thank you']
    """

    def __iter__(self) -> Stream[_R_co]:
        return self

    def __next__(self) -> Step:
        return self._next()

    def __aiter__(self) -> Stream[_R_co]:
        return self

    async def __anext__(self) -> Step:
        return await self._anext()


class Guard(_Feed[_R_co]):
    """An iterator of text that may be shown: no masked pattern can reach it any more, and masks are applied. Made by `guard`
    of a sensor.

    Where the source raises an exception, what is held back is never given out. `step` is what the last text came with, so
    that a loop over a guard can look at the evidence and stop.
    """

    @property
    def step(self) -> Step | None:
        """What the last text came with."""
        return self._last

    def _text(self, step: Step) -> str:
        return "".join(part.text for part in step.released)

    def _push(self, chunk: Any) -> Step:
        if not isinstance(chunk, (str, bytes, bytearray)):
            fix = "a guard takes one text, in chunks of str or bytes"
            if hasattr(chunk, "model_dump"):
                # As the packages of providers have them.
                fix = "give the text in it, such as chunk.choices[0].delta.content"
            raise WrongTypeError(f"{_kind(chunk)} is not a chunk of text; {fix}", place="chunks", fix=fix)
        return super()._push(chunk)

    def __iter__(self) -> Guard[_R_co]:
        return self

    def __next__(self) -> str:
        while True:
            if text := self._text(self._next()):
                return text

    def __aiter__(self) -> Guard[_R_co]:
        return self

    async def __anext__(self) -> str:
        while True:
            if text := self._text(await self._anext()):
                return text
