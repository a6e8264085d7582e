"""Readings in traces: events of OpenTelemetry, scores of Langfuse and Phoenix; `bindings/python/evals/run` installs each."""

import json
from importlib import import_module
from typing import Any

import pytest
from conftest import CARD, KIND
from recorder import recorder
from test_examples import example

from sonometer import Sensor, WrongTypeError, fingerprint

pytestmark = pytest.mark.filterwarnings("ignore")
TRACE, SPAN = "a" * 32, "b" * 16


def test_a_processor_needs_a_target_and_a_logger() -> None:
    import logging

    from sonometer.opentelemetry import sensing_processor

    for target, logger, place in (
        ("courtesy@1.0", None, "logger"),
        ("courtesy@1.0", logging.getLogger("sonometer"), "logger"),
        (7, None, "target"),
    ):
        with pytest.raises(WrongTypeError) as raised:
            sensing_processor(target, logger)  # type: ignore[arg-type]
        assert raised.value.place == place


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
    for messages in (said(KIND), said(CARD), said("Hm."), "no JSON", "[" * 100_000, None):
        with tracer.start_as_current_span("chat") as span:
            span.set_attribute("gen_ai.response.id", "r1")
            if messages is not None:
                span.set_attribute("gen_ai.output.messages", messages)
        spans.append(span.get_span_context())
    records = [found.log_record for found in out.get_finished_logs()]
    assert len(records) == 10 and {record.event_name for record in records} == {EVENT}
    # Each event has the ids of its span.
    assert [(record.trace_id, record.span_id) for record in records] == [(at.trace_id, at.span_id) for at in spans[:5] for _ in range(2)]
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
    assert broken == dict(records[8].attributes) == {"gen_ai.evaluation.name": "sonometer/courtesy", "error.type": "invalid_messages"}


def test_langfuse(courtesy: Sensor, private: Sensor) -> None:
    langfuse: Any = pytest.importorskip("langfuse", reason="langfuse is not installed; bindings/python/evals/run tests it")
    scores = "/api/public/scores"
    with recorder({scores: {"id": "1"}}) as (address, came):
        client = langfuse.Langfuse(public_key="pk-lf-test", secret_key="sk-lf-test", base_url=address, tracing_enabled=True)
        write = example("scores_in_langfuse").write
        assert write(client, TRACE, courtesy.sense(KIND), observation=SPAN) and write(client, TRACE, private.sense(CARD))
        assert write(client, TRACE, courtesy.sense(KIND), observation=SPAN)
        assert not write(client, TRACE, courtesy.sense("Hm."))
        client.flush()
        client.shutdown()
    sent = [score for path, body in came if path == scores for score in body]
    kind, card, again = sent
    assert (kind["traceId"], kind["observationId"], kind["name"]) == (TRACE, SPAN, "sonometer/courtesy")
    assert kind["value"] == courtesy.sense(KIND).score and kind["dataType"] == "NUMERIC" and kind["comment"].startswith("greeting 0:0-12")
    assert kind["metadata"]["sonometer.target.digest"] == courtesy.digest and kind["metadata"]["sonometer.fingerprint"] == fingerprint()
    # The same reading twice is one score, another place is another.
    assert kind["id"] == again["id"] != card["id"]
    assert "1111" not in json.dumps(sent) and card["comment"].endswith("0:11-30")


def test_phoenix(courtesy: Sensor, private: Sensor) -> None:
    phoenix: Any = pytest.importorskip("phoenix.client", reason="arize-phoenix-client is not installed; bindings/python/evals/run tests it")
    annotations = "/v1/span_annotations"
    with recorder({annotations: {"data": [{"id": "1"}]}}) as (address, came):
        client, write = phoenix.Client(base_url=address), example("scores_in_phoenix").write
        for sensor, text in ((courtesy, KIND), (private, CARD), (courtesy, "Hm.")):
            write(client, SPAN, sensor.sense(text))
    kind, card, short = [body["data"][0] for path, body in came if path == annotations]
    assert (kind["span_id"], kind["name"], kind["annotator_kind"]) == (SPAN, "sonometer/courtesy", "CODE")
    assert kind["result"]["score"] == courtesy.sense(KIND).score and kind["result"]["label"] == "measured"
    assert kind["identifier"] == courtesy.digest and kind["metadata"]["sonometer.target.version"] == "1.0"
    assert card["result"]["explanation"].endswith("0:11-30") and "1111" not in json.dumps(came)
    assert short["result"] == {"label": "insufficient"}
