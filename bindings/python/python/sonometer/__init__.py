"""Sonometer measures interactions: a message, a document, a conversation with turns and roles.

The same text, protocol and profile give the same bytes, here and from every other door of the engine.

>>> import sonometer
>>> reading = sonometer.Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!")
>>> reading.score, reading.triggered
(0.544769, ('gratitude', 'greeting'))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import errors
from ._sonometer import (
    Blueprint,
    Comparison,
    Dive,
    Exchange,
    Extract,
    Frame,
    Further,
    Interaction,
    Metric,
    ModelGuard,
    Places,
    Reading,
    Readings,
    Sensor,
    Session,
    SigningKey,
    Stage,
    StageCard,
    Table,
    Target,
    __version__,
    blueprints,
    check,
    extract,
    fingerprint,
    load,
    metrics,
    protocols,
    stages,
)
from .errors import (
    ActionTooLongError,
    BlockedError,
    CardMismatchError,
    DiveClosedError,
    InsufficientSignalError,
    InternalError,
    InvalidKeyError,
    InvalidProtocolError,
    InvalidRequestError,
    PayloadTooLargeError,
    SonometerError,
    TargetNotFoundError,
    WrongTypeError,
)
from .streaming import Guard, Stream

if TYPE_CHECKING:
    from . import chats, diving, files, guarding, model
    from .environment import DiveEnv
    from .evaluating import FitReport, Report, evaluate, fit
    from .guarding import guard
    from .reporting import Page, report

# Where names are found that are imported when they are first used: the data classes of these modules took most of the time of
# `import sonometer`.
_LATER = {
    "DiveEnv": "environment",
    "FitReport": "evaluating",
    "Page": "reporting",
    "Report": "evaluating",
    "chats": "chats",
    "diving": "diving",
    "evaluate": "evaluating",
    "files": "files",
    "fit": "evaluating",
    "guard": "guarding",
    "guarding": "guarding",
    "model": "model",
    "report": "reporting",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        message = f"module {__name__!r} has no attribute {name!r}"
        # Modules that need packages of others, such as `polars`, are imported by nothing else.
        if name.isidentifier() and not name.startswith("_") and importlib.import_module("importlib.util").find_spec(f"{__name__}.{name}"):
            message += f"; write `import {__name__}.{name}`"
        raise AttributeError(message)
    module = importlib.import_module(f".{_LATER[name]}", __name__)
    found = module if _LATER[name] == name else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


# The reading of a metric or a blueprint had a class of its own once; code that names it keeps working.
BaseReading = Reading
CompositionReading = Reading

__all__ = [
    "ActionTooLongError",
    "BaseReading",
    "BlockedError",
    "Blueprint",
    "CardMismatchError",
    "Comparison",
    "CompositionReading",
    "Dive",
    "DiveClosedError",
    "DiveEnv",
    "Exchange",
    "Extract",
    "FitReport",
    "Frame",
    "Further",
    "Guard",
    "InsufficientSignalError",
    "Interaction",
    "InternalError",
    "InvalidKeyError",
    "InvalidProtocolError",
    "InvalidRequestError",
    "Metric",
    "ModelGuard",
    "Page",
    "PayloadTooLargeError",
    "Places",
    "Reading",
    "Readings",
    "Report",
    "Sensor",
    "Session",
    "SigningKey",
    "SonometerError",
    "Stage",
    "StageCard",
    "Stream",
    "Table",
    "Target",
    "TargetNotFoundError",
    "WrongTypeError",
    "__version__",
    "blueprints",
    "chats",
    "check",
    "diving",
    "errors",
    "evaluate",
    "extract",
    "files",
    "fingerprint",
    "fit",
    "guard",
    "guarding",
    "load",
    "metrics",
    "model",
    "protocols",
    "report",
    "stages",
]
