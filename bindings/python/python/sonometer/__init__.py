"""Sonometer measures interactions: a message, a document, a conversation with turns and roles.

The same text, protocol and profile give the same bytes, here and from every other door of the engine.

>>> import sonometer
>>> reading = sonometer.Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!")
>>> reading.score, reading.triggered
(0.544769, ('gratitude', 'greeting'))
"""

from . import errors, model
from ._sonometer import (
    BaseReading,
    Blueprint,
    Comparison,
    CompositionReading,
    Interaction,
    Metric,
    Reading,
    Readings,
    Sensor,
    Session,
    Target,
    __version__,
    blueprints,
    check,
    fingerprint,
    load,
    metrics,
    protocols,
)
from .errors import (
    InsufficientSignalError,
    InternalError,
    InvalidProtocolError,
    InvalidRequestError,
    PayloadTooLargeError,
    SonometerError,
    TargetNotFoundError,
    WrongTypeError,
)
from .streaming import Guard, Stream

__all__ = [
    "BaseReading",
    "Blueprint",
    "Comparison",
    "CompositionReading",
    "Guard",
    "InsufficientSignalError",
    "Interaction",
    "InternalError",
    "InvalidProtocolError",
    "InvalidRequestError",
    "Metric",
    "PayloadTooLargeError",
    "Reading",
    "Readings",
    "Sensor",
    "Session",
    "SonometerError",
    "Stream",
    "Target",
    "TargetNotFoundError",
    "WrongTypeError",
    "__version__",
    "blueprints",
    "check",
    "errors",
    "fingerprint",
    "load",
    "metrics",
    "model",
    "protocols",
]
