"""For inspect_ai: a scorer.

from inspect_ai import Task
from sonometer.evals.inspect_ai import reading_scorer

Task(dataset=…, solver=…, scorer=reading_scorer("courtesy", at_least=0.5))
"""

from __future__ import annotations

from typing import Any

from .._optional import need
from .._sonometer import Target
from . import expectation

__all__ = ["reading_scorer"]


def reading_scorer(target: str | Target[Any], **expected: Any) -> Any:
    """A scorer: `passed` (1 or 0) and `score` of the output, with a mean of each; `expected` as `Expectation` takes it.

    Where there is not enough to measure, `score` is NaN, which means count as they do.
    """
    inspect_ai = need("inspect_ai.scorer", "inspect")
    wanted = expectation(target, expected)
    called = target if isinstance(target, str) else f"{target.id}@{target.version}"

    @inspect_ai.scorer(metrics={"*": [inspect_ai.mean()]}, name=f"sonometer/{called}")  # type: ignore[untyped-decorator]
    def scorer() -> Any:
        async def score(state: Any, _target: Any) -> Any:
            verdict = wanted.judge(state.output.completion)
            # A name of its own for each value, as inspect_ai shows them.
            value = {"passed": float(verdict.passed), "score": float("nan") if verdict.score is None else verdict.score}
            about = {"reading": verdict.reading.to_dict(), "resonance": dict(verdict.named)}
            return inspect_ai.Score(value=value, explanation=verdict.reason, metadata=about)

        return score

    return scorer()
