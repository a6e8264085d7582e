"""Readings as OpenTelemetry events: a span processor that senses finished spans.

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk.trace import TracerProvider
from sonometer.opentelemetry import sensing_processor

TracerProvider().add_span_processor(sensing_processor("courtesy", LoggerProvider().get_logger("sonometer")))

Each finished span with an answer of a model gets one event `gen_ai.evaluation.result` in its own context, so that both have the same
ids. No text leaves in it: the explanation has metamarkers and offsets only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from . import fingerprint, load
from ._optional import need
from ._sonometer import Reading, Target
from .errors import SonometerError, WrongTypeError, _kind

__all__ = ["EVENT", "evaluation_attributes", "sensing_processor"]

# The names are those of the semantic conventions for generative AI, which are still in development: they may change there.
EVENT = "gen_ai.evaluation.result"
"""The name of the event."""
_NAME = "gen_ai.evaluation.name"
_SCORE = "gen_ai.evaluation.score.value"
_LABEL = "gen_ai.evaluation.score.label"
_EXPLANATION = "gen_ai.evaluation.explanation"
_RESPONSE = "gen_ai.response.id"
_ERROR = "error.type"
_OUTPUT = "gen_ai.output.messages"

# The pieces of evidence in an explanation.
_MOST_EXPLAINED = 20


def evaluation_attributes(reading: Reading, response_id: str | None = None) -> dict[str, Any]:
    """The attributes of the event for a reading.

    The label is `measured` or `insufficient`; only the former has a score, 0 to 1. `sonometer.target.version`, `sonometer.target.digest`
    and `sonometer.fingerprint` say with what was measured: equal ones make scores comparable.

    >>> from sonometer import Sensor
    >>> from sonometer.opentelemetry import evaluation_attributes
    >>> found = evaluation_attributes(Sensor("courtesy@1.0").sense("Thank you so much for your help!"))
    >>> found["gen_ai.evaluation.score.value"], found["gen_ai.evaluation.explanation"]
    (0.494769, 'gratitude 0:0-9')
    """
    target = reading.target
    found = reading.evidence
    places = [f"{piece.metamarker} {piece.segment}:{piece.start}-{piece.end}" for piece in found[:_MOST_EXPLAINED]]
    if len(found) > _MOST_EXPLAINED:
        places.append(f"{len(found) - _MOST_EXPLAINED} more")
    attributes: dict[str, Any] = {
        _NAME: f"sonometer/{target.id}",
        _LABEL: "measured" if reading.sufficient else "insufficient",
        _EXPLANATION: ", ".join(places),
        "sonometer.target.version": target.version,
        "sonometer.target.digest": target.digest,
        "sonometer.fingerprint": fingerprint(),
        "sonometer.triggered": list(reading.triggered),
    }
    if reading.score is not None:
        attributes[_SCORE] = reading.score
    if response_id is not None:
        attributes[_RESPONSE] = response_id
    return attributes


def sensing_processor(target: str | Target[Any], logger: Any) -> Any:
    """A span processor that senses the texts in `gen_ai.output.messages` of finished spans and emits the event by a logger of the SDK.

    Spans without the attribute are left alone. For messages that cannot be read, the event has `error.type` in the place of a score; the
    program that is traced never fails because of it.
    """
    found = load(target) if isinstance(target, str) else target
    if not isinstance(found, Target):
        fix = "give one, or the name of what ships"
        raise WrongTypeError(f"{_kind(found)} is no target; {fix}", place="target", fix=fix)
    # It would fail at the end of the first span, where nobody looks.
    if not hasattr(logger, "emit"):
        fix = 'give one of the SDK: LoggerProvider().get_logger("sonometer")'
        raise WrongTypeError(f"{_kind(logger)} is no logger of OpenTelemetry; {fix}", place="logger", fix=fix)
    return _processor_class()(found, logger)


def _answers(messages: Any) -> str:
    """The texts in output messages, a line for each part."""
    read = json.loads(messages) if isinstance(messages, str) else messages
    return "\n".join(part["content"] for message in read for part in message["parts"] if part["type"] == "text")


@lru_cache(maxsize=1)
def _processor_class() -> Any:
    base: Any = need("opentelemetry.sdk.trace", "opentelemetry").SpanProcessor
    trace = need("opentelemetry.trace", "opentelemetry")

    class SensingProcessor(base):  # type: ignore[misc]
        """Senses finished spans."""

        def __init__(self, target: Target[Any], logger: Any) -> None:
            self._target = target
            self._logger = logger

        def on_end(self, span: Any) -> None:
            attributes: Mapping[str, Any] = span.attributes or {}
            messages = attributes.get(_OUTPUT)
            if messages is None:
                return
            response = attributes.get(_RESPONSE)
            try:
                found = evaluation_attributes(self._target.sense(_answers(messages)), response)
            except (SonometerError, ValueError, TypeError, KeyError, RecursionError) as error:
                kind = error.code if isinstance(error, SonometerError) else "invalid_messages"
                found = {_NAME: f"sonometer/{self._target.id}", _ERROR: kind}
            context = trace.set_span_in_context(trace.NonRecordingSpan(span.context))
            self._logger.emit(event_name=EVENT, context=context, attributes=found)

    return SensingProcessor
