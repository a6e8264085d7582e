"""Sonometer measures interactions: a message, a document, a conversation with turns and roles.

The same text, protocol and profile give the same bytes, here and from every other door of the engine.

>>> import sonometer
>>> reading = sonometer.Sensor("courtesy@1.0").sense("Good morning, thank you so much for your help!")
>>> reading.score, reading.triggered
(0.544769, ('gratitude', 'greeting'))
"""

from . import diving, errors, files, model
from ._sonometer import (
    Blueprint,
    Comparison,
    Dive,
    Extract,
    Frame,
    Further,
    Interaction,
    Metric,
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
from .environment import DiveEnv
from .errors import (
    ActionTooLongError,
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
from .evaluating import FitReport, Report, evaluate, fit
from .streaming import Guard, Stream

# The reading of a metric or a blueprint had a class of its own once; code that names it keeps working.
BaseReading = Reading
CompositionReading = Reading

__all__ = [
    "ActionTooLongError",
    "BaseReading",
    "Blueprint",
    "CardMismatchError",
    "Comparison",
    "CompositionReading",
    "Dive",
    "DiveClosedError",
    "DiveEnv",
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
    "check",
    "diving",
    "errors",
    "evaluate",
    "extract",
    "files",
    "fingerprint",
    "fit",
    "load",
    "metrics",
    "model",
    "protocols",
    "stages",
]
