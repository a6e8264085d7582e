"""For promptfoo: an assertion in Python.

assert:
  - type: python
    value: file://check.py

where `check.py` is:

from sonometer.evals.promptfoo import get_assert_for

get_assert = get_assert_for("courtesy", at_least=0.5)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._sonometer import Target
from . import expectation

__all__ = ["get_assert_for"]


def get_assert_for(target: str | Target[Any], **expected: Any) -> Callable[[str, Any], dict[str, Any]]:
    """The function `get_assert` of a file of promptfoo; `expected` as `Expectation` takes it.

    >>> from sonometer.evals.promptfoo import get_assert_for
    >>> get_assert = get_assert_for("courtesy@1.0", at_least=0.4)
    >>> result = get_assert("Thank you so much for your help!", {})
    >>> result["pass"], result["score"], result["namedScores"]["gratitude"]
    (True, 0.494769, 0.75)
    """
    wanted = expectation(target, expected)

    def get_assert(output: str, _context: Any) -> dict[str, Any]:
        verdict = wanted.judge(output)
        # promptfoo takes no null; what cannot be measured is no score at all.
        return {"pass": verdict.passed, "score": verdict.score or 0.0, "reason": verdict.reason, "namedScores": dict(verdict.named)}

    return get_assert
