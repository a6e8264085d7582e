"""For ragas: a numeric metric.

from sonometer.evals.ragas import reading_metric

result = reading_metric("courtesy").score(response="Thank you so much for your help!")
"""

from __future__ import annotations

from typing import Any

from .._optional import need
from .._sonometer import Target
from . import expectation

__all__ = ["reading_metric"]


def reading_metric(target: str | Target[Any], **expected: Any) -> Any:
    """A metric whose value is the score of `response`, from 0 to 1, with the evidence as its reason."""
    metrics = need("ragas.metrics", "ragas")
    wanted = expectation(target, expected)
    name = target if isinstance(target, str) else target.id

    @metrics.numeric_metric(name=f"sonometer_{name}", allowed_values=(0.0, 1.0))  # type: ignore[untyped-decorator]
    def metric(response: str) -> Any:
        verdict = wanted.judge(response)
        return metrics.MetricResult(value=verdict.score or 0.0, reason=verdict.reason)

    return metric
