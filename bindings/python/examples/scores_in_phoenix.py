"""Readings as annotations of spans in Arize Phoenix: `write(client, span, reading)`, with `arize-phoenix-client` installed.

Phoenix keeps one annotation for a name and an identifier, so a second run replaces it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import sonometer
from sonometer.opentelemetry import evaluation_attributes


def write(client: Any, span: str, reading: sonometer.Reading) -> None:
    """Annotates a span with a reading: score, label and explanation; an insufficient reading has the label only.

    The explanation has metamarkers and offsets, and nothing of the text.
    """
    found = evaluation_attributes(reading)
    client.spans.add_span_annotation(
        span_id=span,
        annotation_name=found["gen_ai.evaluation.name"],
        annotator_kind="CODE",
        label=found["gen_ai.evaluation.score.label"],
        score=reading.score,
        explanation=found["gen_ai.evaluation.explanation"] or None,
        metadata={name: value for name, value in found.items() if name.startswith("sonometer.")},
        identifier=found["sonometer.target.digest"],
        sync=True,
    )


def main(project: str = "default", target: str = "courtesy@2.0") -> None:
    """Senses the answers of the newest spans of a project; `PHOENIX_COLLECTOR_ENDPOINT` says where."""
    client, sensor = import_module("phoenix.client").Client(), sonometer.load(target)
    for span in client.spans.get_spans(project_identifier=project, limit=100):
        answer = span["attributes"].get("output.value")
        if answer:
            write(client, span["context"]["span_id"], sensor.sense(answer))


if __name__ == "__main__":
    main()
