"""For the library `evaluate` of Hugging Face: a metric.

from sonometer.evals.huggingface import reading_metric

reading_metric("courtesy").compute(predictions=["Thank you so much for your help!", "Go away."])
"""

from __future__ import annotations

from typing import Any

from .._optional import need
from .._sonometer import Target
from . import expectation

__all__ = ["reading_metric"]


def reading_metric(target: str | Target[Any], **expected: Any) -> Any:
    """A metric of texts; names as `Expectation` has them.

    It gives the `scores` (None where there is not enough to measure), their `mean`, the share that `passed`, and how many were
    `insufficient`.
    """
    evaluate: Any = need("evaluate", "evaluate")
    datasets: Any = need("datasets", "evaluate")
    wanted = expectation(target, expected)

    class ReadingMetric(evaluate.Metric):  # type: ignore[misc]
        def _info(self) -> Any:
            return evaluate.MetricInfo(
                description="Scores of Sonometer, the same for the same text each time.",
                citation="",
                inputs_description="predictions: texts",
                features=datasets.Features({"predictions": datasets.Value("string")}),
            )

        def _compute(self, predictions: list[str]) -> dict[str, Any]:
            verdicts = [wanted.judge(text) for text in predictions]
            scores = [verdict.score for verdict in verdicts]
            measured = [score for score in scores if score is not None]
            return {
                "scores": scores,
                "mean": sum(measured) / len(measured) if measured else None,
                "passed": sum(verdict.passed for verdict in verdicts) / len(verdicts) if verdicts else None,
                "insufficient": len(scores) - len(measured),
            }

    return ReadingMetric()
