"""A task of inspect_ai, without a model, scored by Sonometer."""

import sys
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as run
from inspect_ai.dataset import Sample
from inspect_ai.solver import solver

from sonometer.evals.inspect_ai import reading_scorer


@solver
def echo() -> Any:
    """Answers with the question."""

    async def solve(state: Any, generate: Any) -> Any:
        state.output.completion = state.input_text
        return state

    return solve


task = Task(
    dataset=[Sample(input="Thank you so much for your help!"), Sample(input="Go away, you fool.")],
    solver=echo(),
    scorer=reading_scorer("courtesy@1.0", at_least=0.4),
)
log = run(task, model="none", display="none", log_dir=sys.argv[1])[0]
assert log.status == "success", log.error
assert log.results is not None and log.samples is not None
means = {score.name: score.metrics["mean"].value for score in log.results.scores}
assert means == {"passed": 0.5, "score": (0.494769 + 0.373445) / 2}, means
(score,) = (log.samples[1].scores or {}).values()
assert score.explanation == "the score of courtesy@1.0 is 0.373445, below 0.4", score
