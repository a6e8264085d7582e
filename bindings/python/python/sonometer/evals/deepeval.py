"""For DeepEval: a metric.

from deepeval import assert_test
from sonometer.evals.deepeval import reading_metric

assert_test(test_case, [reading_metric("courtesy", at_least=0.5)], run_async=False)
"""

from __future__ import annotations

from typing import Any

from .._optional import need
from .._sonometer import Target
from . import expectation

__all__ = ["reading_metric"]


def reading_metric(target: str | Target[Any], **expected: Any) -> Any:
    """A metric whose score is that of `actual_output`, and which passes where it is as expected; names as `Expectation` has them.

    What cannot be measured has the score 0 and does not pass.
    """
    base: Any = need("deepeval.metrics", "deepeval").BaseMetric
    wanted = expectation(target, expected)
    called = target if isinstance(target, str) else f"{target.id}@{target.version}"

    # DeepEval copies a metric by its attributes and the names of its constructor, so this one has neither of its own.
    class ReadingMetric(base):  # type: ignore[misc]
        threshold = 0.0 if wanted.at_least is None else wanted.at_least
        async_mode = False
        strict_mode = False
        include_reason = True
        evaluation_cost = 0.0

        def measure(self, test_case: Any, *_args: Any, **_options: Any) -> float:
            verdict = wanted.judge(test_case.actual_output or "")
            self.score = verdict.score or 0.0
            self.success = verdict.passed
            self.reason = verdict.reason
            self.score_breakdown = dict(verdict.named)
            return self.score

        async def a_measure(self, test_case: Any, *args: Any, **options: Any) -> float:
            return self.measure(test_case, *args, **options)

        def is_successful(self) -> bool:
            return bool(self.success)

        @property
        def __name__(self) -> str:
            return f"Sonometer {called}"

    return ReadingMetric()
