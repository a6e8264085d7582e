"""Stages as environments of Gymnasium.

import gymnasium

env = gymnasium.make("sonometer.gym:sonometer/billing-dispute-v1")

Importing this module registers every stage that ships. `sonometer.DiveEnv` is the same without Gymnasium.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

from . import stages
from ._optional import need
from ._sonometer import Stage
from .diving import DiveStep

__all__ = ["make", "register"]


def make(
    stage: str | PathLike[str] | Mapping[str, object] | Stage,
    *,
    reward: Callable[[DiveStep], float] | None = None,
    render_mode: str | None = None,
) -> Any:
    """A stage as a `gymnasium.Env`: observations and actions are texts, the reward is the score of an action (0 to 1).

    Its spaces are `Text`; with `render_mode="ansi"`, `render` gives the last action and what the world said to it.
    `sonometer.DiveEnv` has the meaning of `terminated`, `truncated` and `info`. Each in a process of its own:
    `gymnasium.make_vec(name, num_envs=4, vectorization_mode="async", vector_kwargs={"shared_memory": False})`.
    """
    from ._gym_env import StageEnv

    return StageEnv(stage, reward=reward, render_mode=render_mode)


def register() -> list[str]:
    """Registers every stage that ships as `sonometer/ID-vMAJOR`, and returns these ids. Repeated calls change nothing."""
    registry = need("gymnasium", "gym").envs.registration
    ids = []
    for entry in stages():
        name = f"sonometer/{entry.id}-v{entry.version.partition('.')[0]}"
        if name not in registry.registry:
            registry.register(id=name, entry_point="sonometer.gym:make", kwargs={"stage": f"{entry.id}@{entry.version}"})
        ids.append(name)
    return ids


if importlib.util.find_spec("gymnasium") is not None:
    register()
