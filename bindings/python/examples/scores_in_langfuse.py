"""Readings as scores in Langfuse: `write(client, trace, reading)`, with the package `langfuse` installed.

A reading of the same text with the same target has the same id of score, so a second run replaces scores and adds none.
"""

from __future__ import annotations

import hashlib
from typing import Any

import sonometer
from sonometer.opentelemetry import evaluation_attributes


def write(client: Any, trace: str, reading: sonometer.Reading, *, observation: str | None = None) -> bool:
    """Queues the score of a reading for a trace, or for an observation in it. False where too little text was there to measure.

    Langfuse keeps numbers only as scores of this kind, so an insufficient reading has none. The comment has metamarkers and offsets, and
    nothing of the text.
    """
    found = evaluation_attributes(reading)
    if reading.score is None:
        return False
    about = (trace, observation or "", found["sonometer.target.digest"])
    client.create_score(
        trace_id=trace,
        observation_id=observation,
        name=found["gen_ai.evaluation.name"],
        value=reading.score,
        data_type="NUMERIC",
        comment=found["gen_ai.evaluation.explanation"],
        metadata={name: value for name, value in found.items() if name.startswith("sonometer.")},
        score_id=hashlib.sha256("\0".join(about).encode()).hexdigest()[:32],
    )
    return True


def main() -> None:
    """Scores one answer; `LANGFUSE_PUBLIC_KEY`, `LANGFUSE_SECRET_KEY` and `LANGFUSE_BASE_URL` say where."""
    from importlib import import_module

    client = import_module("langfuse").get_client()
    with client.start_as_current_observation(name="answer") as span:
        answer = "Good morning, thank you so much for your help!"
        write(client, span.trace_id, sonometer.Sensor("courtesy@2.0").sense(answer), observation=span.id)
    client.flush()


if __name__ == "__main__":
    main()
