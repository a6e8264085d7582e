"""Dives as a task for inspect_ai.

import inspect_ai
from sonometer.evals.dives import dive_task

inspect_ai.eval(dive_task("billing-dispute", seeds=range(10)), model="…")
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._optional import need
from .._sonometer import Stage
from ..errors import WrongTypeError, _kind

__all__ = ["dive_task"]


def dive_task(stage: str | Stage, *, seeds: Iterable[int] = (0,)) -> Any:
    """A task in which a model dives in a stage, one sample for each seed: `inspect_ai.eval(dive_task("billing-dispute"), model=…)`.

    The model gets the objective first, then each answer of the world. Values are `passed` (1 or 0), `score` and `on_target`
    (0 to 1). A dive ends early with an answer that is empty or longer than the stage allows.
    """
    inspect_ai, scorers, solvers = need("inspect_ai", "inspect"), need("inspect_ai.scorer", "inspect"), need("inspect_ai.solver", "inspect")
    dataset, messages = need("inspect_ai.dataset", "inspect"), need("inspect_ai.model", "inspect")
    world = stage if isinstance(stage, Stage) else Stage(stage)
    if not isinstance(seeds, Iterable):
        fix = "give a list, or range(10) for the first ten"
        raise WrongTypeError(f"`seeds` is {_kind(seeds)}; {fix}", place="seeds", fix=fix)
    name = f"{world.id}@{world.version}"

    @solvers.solver(name=f"sonometer/{name}")  # type: ignore[untyped-decorator]
    def diver() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            dive = world.open(seed=state.metadata["seed"])
            told = f"{world.objective}\nAnswer in at most {world.envelope.max_action_chars} characters."
            state.messages = [messages.ChatMessageSystem(content=told), messages.ChatMessageUser(content=dive.observation.world)]
            while not dive.observation.done:
                state = await generate(state)
                action = state.output.completion
                if not action.strip() or len(action) > world.envelope.max_action_chars:
                    break
                dive.act(action)
                state.messages.append(messages.ChatMessageUser(content=dive.observation.world))
            verdict, totals = dive.verdict, dive.totals
            state.metadata["dive"] = {
                "passed": verdict.passed,
                "reason": verdict.reason,
                "checkpoints_hit": list(verdict.checkpoints_hit),
                "flags_tripped": list(verdict.flags_tripped),
                "score": totals.score,
                "on_target": totals.on_target,
                "turns": totals.turns,
            }
            return state

        return solve

    @scorers.scorer(metrics={"*": [scorers.mean()]}, name=f"sonometer/{name}")  # type: ignore[untyped-decorator]
    def judge() -> Any:
        async def score(state: Any, _target: Any) -> Any:
            ended = state.metadata["dive"]
            value = {"passed": float(ended["passed"]), "score": ended["score"], "on_target": ended["on_target"]}
            return scorers.Score(value=value, explanation=ended["reason"], metadata=ended)

        return score

    samples = [dataset.Sample(id=f"{name}, seed {seed}", input=world.objective, metadata={"seed": int(seed)}) for seed in seeds]
    return inspect_ai.Task(name=f"sonometer-{world.id}", dataset=samples, solver=diver(), scorer=judge())
