"""Events of evaluation by the SDK of OpenTelemetry; `bindings/python/evals/run` installs it."""

import json
from importlib import import_module
from typing import Any

import pytest
from conftest import CARD, KIND

from sonometer import Sensor, fingerprint

pytestmark = pytest.mark.filterwarnings("ignore")


def test_opentelemetry() -> None:
    reason = "opentelemetry-sdk is not installed; bindings/python/evals/run tests it"
    trace = pytest.importorskip("opentelemetry.sdk.trace", reason=reason)
    logs, kept = import_module("opentelemetry.sdk._logs"), import_module("opentelemetry.sdk._logs.export")
    from sonometer.opentelemetry import EVENT, sensing_processor

    out = kept.InMemoryLogRecordExporter()
    provider = logs.LoggerProvider()
    provider.add_log_record_processor(kept.SimpleLogRecordProcessor(out))
    tracers = trace.TracerProvider()
    for name in ("courtesy@1.0", "personal-data@1.0"):
        tracers.add_span_processor(sensing_processor(name, provider.get_logger("sonometer")))
    tracer = tracers.get_tracer("test")

    def said(text: str) -> str:
        return json.dumps([{"role": "assistant", "parts": [{"type": "tool_call", "name": "x"}, {"type": "text", "content": text}]}])

    spans = []
    for messages in (said(KIND), said(CARD), said("Hm."), "no JSON", None):
        with tracer.start_as_current_span("chat") as span:
            span.set_attribute("gen_ai.response.id", "r1")
            if messages is not None:
                span.set_attribute("gen_ai.output.messages", messages)
        spans.append(span.get_span_context())
    records = [found.log_record for found in out.get_finished_logs()]
    assert len(records) == 8 and {record.event_name for record in records} == {EVENT}
    # Each event has the ids of its span.
    assert [(record.trace_id, record.span_id) for record in records] == [(at.trace_id, at.span_id) for at in spans[:4] for _ in range(2)]
    kind: dict[str, Any] = dict(records[0].attributes)
    courtesy = Sensor("courtesy@1.0")
    assert kind["gen_ai.evaluation.name"] == "sonometer/courtesy" and kind["gen_ai.response.id"] == "r1"
    assert kind["gen_ai.evaluation.score.value"] == courtesy.sense(KIND).score and kind["sonometer.target.digest"] == courtesy.digest
    assert kind["sonometer.fingerprint"] == fingerprint() and tuple(kind["sonometer.triggered"]) == ("gratitude", "greeting")
    # Offsets, and nothing of the text.
    card = dict(records[3].attributes)
    assert card["gen_ai.evaluation.explanation"].endswith("0:11-30") and "1111" not in json.dumps(card)
    short, broken = dict(records[4].attributes), dict(records[6].attributes)
    assert short["gen_ai.evaluation.score.label"] == "insufficient" and "gen_ai.evaluation.score.value" not in short
    assert broken == {"gen_ai.evaluation.name": "sonometer/courtesy", "error.type": "invalid_messages"}
