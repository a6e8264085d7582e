"""What can go wrong. Every exception is a `SonometerError` with the same four things to ask of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from .model import Diagnostic

__all__ = [
    "ActionTooLongError",
    "BlockedError",
    "CardMismatchError",
    "DiveClosedError",
    "InsufficientSignalError",
    "InternalError",
    "InvalidKeyError",
    "InvalidProtocolError",
    "InvalidRequestError",
    "PayloadTooLargeError",
    "SonometerError",
    "TargetNotFoundError",
    "WrongTypeError",
]


def _kind(value: object) -> str:
    """The type of a value, for people: `an int`, `a list`."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[:1] in tuple('aeiouAEIO') else 'a'} {name}"


class SonometerError(Exception):
    """Something that Sonometer refuses, or fails at.

    >>> from sonometer import Interaction, SonometerError
    >>> try:
    ...     Interaction([("agent", "Hello."), ("", "Hi.")])
    ... except SonometerError as error:
    ...     print(error.code, error.place, error.message, sep=" | ")
    invalid_request | segments[1].role | every segment needs a role
    """

    code: ClassVar[str] = "internal_error"
    """The machine-readable code, the same from every door of Sonometer."""

    message: str
    """What is wrong and how to fix it, for people."""
    place: str
    """Where: a path such as `segments[3].role`, or `line 4, column 7`; empty if there is no place."""
    fix: str
    """How to fix it, if that is known apart from the message; else empty."""
    diagnostics: tuple[Diagnostic, ...]
    """Every finding about a file that cannot be used; empty for other errors."""
    reason: str
    """Why `extract` did not read a file: `unsupported`, `encrypted`, `no_text`, `broken`, `too_large`, `too_costly`, `hint`,
    `transcriber` or `internal`; empty for other errors."""

    def __init__(
        self,
        message: str = "",
        *,
        place: str = "",
        fix: str = "",
        diagnostics: Sequence[Diagnostic] = (),
        reason: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.place = place
        self.fix = fix
        self.diagnostics = tuple(diagnostics)
        self.reason = reason

    def __str__(self) -> str:
        text = self.message
        if text.startswith(("is ", "cannot be ")):
            # Readers of cards and keys leave the name of a value to its place, which the command writes in front.
            name = self.place.rpartition(": ")[2]
            text = f"{name if name.startswith('line ') else f'`{name}`' if name else 'the JSON'} {text}"
            if self.fix not in text:
                text += f"; {self.fix}"
        return f"{text} (at {self.place})" if self.place else text

    @property
    def details(self) -> dict[str, Any]:
        """The details, as in JSON: `place`, `fix`, `reason` and `diagnostics`, each if present."""
        details: dict[str, Any] = {}
        if self.place:
            details["place"] = self.place
        if self.fix:
            details["fix"] = self.fix
        if self.reason:
            details["reason"] = self.reason
        if self.diagnostics:
            details["diagnostics"] = [diagnostic.to_dict() for diagnostic in self.diagnostics]
        return details


class InvalidRequestError(SonometerError, ValueError):
    """The input has the wrong shape."""

    code = "invalid_request"


class WrongTypeError(InvalidRequestError, TypeError):
    """The input contains an object of the wrong type."""


class InvalidProtocolError(SonometerError, ValueError):
    """The file of a protocol, metric, blueprint or stage has errors: see `diagnostics`."""

    code = "invalid_protocol"


class PayloadTooLargeError(SonometerError, ValueError):
    """The input is larger than the engine reads."""

    code = "payload_too_large"


class InsufficientSignalError(SonometerError, ValueError):
    """The content does not hold enough to be compared."""

    code = "insufficient_signal"


class TargetNotFoundError(SonometerError, LookupError):
    """There is no such protocol, metric, blueprint or stage."""

    code = "target_not_found"


class DiveClosedError(SonometerError, RuntimeError):
    """The world of a dive has ended and takes no action."""

    code = "dive_closed"


class ActionTooLongError(SonometerError, ValueError):
    """An action is longer than the stage takes; the dive is as it was."""

    code = "action_too_long"


class CardMismatchError(SonometerError, ValueError):
    """A card, a log or a saved dive does not hold: `place` says where."""

    code = "card_mismatch"


class BlockedError(SonometerError):
    """A guard refused a request to a language model or its answer. The message never contains text of either."""

    code = "blocked"

    kind: str
    """Why, as in docs/proxy.md: `rule`, `unknown_type`, `unreadable`, `too_large`, `unmaskable`, `differs`, `no_table`, `cut`, `engine`."""
    status_code: int
    """The status of HTTP that says it: 400 for requests, 502 for answers that cannot be read."""

    def __init__(self, message: str = "", *, kind: str = "rule", status_code: int = 400, place: str = "") -> None:
        super().__init__(message, place=place)
        self.kind = kind
        self.status_code = status_code


class InvalidKeyError(SonometerError, ValueError):
    """A text or bytes that are not a key. The message never contains them."""

    code = "invalid_key"


class InternalError(SonometerError, RuntimeError):
    """The engine itself failed, which is a bug."""

    code = "internal_error"


_BY_CODE: dict[str, type[SonometerError]] = {
    error.code: error
    for error in (
        InvalidRequestError,
        InvalidProtocolError,
        PayloadTooLargeError,
        InsufficientSignalError,
        TargetNotFoundError,
        DiveClosedError,
        ActionTooLongError,
        CardMismatchError,
        InvalidKeyError,
        InternalError,
    )
}


def _make(
    code: str,
    message: str,
    place: str,
    fix: str,
    diagnostics: Sequence[Diagnostic],
    wrong_type: bool,
    reason: str,
) -> SonometerError:
    """The exception for an error of the engine; called by the native half."""
    error = WrongTypeError if wrong_type else _BY_CODE.get(code, InternalError)
    return error(message, place=place, fix=fix, diagnostics=diagnostics, reason=reason)
