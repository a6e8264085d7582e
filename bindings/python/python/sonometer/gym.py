"""Stages as environments of Gymnasium.

import gymnasium

env = gymnasium.make("sonometer.gym:sonometer/billing-dispute-v1")

Importing this module registers every stage that ships. `sonometer.DiveEnv` is the same without Gymnasium.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from functools import lru_cache
from os import PathLike
from typing import Any, ClassVar

from . import stages
from ._optional import need
from ._sonometer import Stage
from .diving import DiveStep
from .environment import DiveEnv

__all__ = ["make", "register"]

# The code points of what the world says at most; longer texts are refused by Gymnasium's checks.
_MOST_CHARS = 1_000_000


def make(stage: str | PathLike[str] | Mapping[str, object] | Stage, *, reward: Callable[[DiveStep], float] | None = None) -> Any:
    """A stage as a `gymnasium.Env`: observations and actions are texts, the reward is the score of an action (0 to 1).

    Its spaces are `Text`. `sonometer.DiveEnv` has the meaning of `terminated`, `truncated` and `info`.
    """
    return _env_class()(stage, reward=reward)


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


@lru_cache(maxsize=1)
def _env_class() -> Any:
    gymnasium = need("gymnasium", "gym")
    base: Any = gymnasium.Env
    text: Any = gymnasium.spaces.Text

    class AnyText(text):  # type: ignore[misc]
        """Texts of any characters: a stage may be written in any language."""

        def contains(self, x: Any) -> bool:
            return isinstance(x, str) and self.min_length <= len(x) <= self.max_length

    class StageEnv(base):  # type: ignore[misc]
        """A stage for Gymnasium."""

        metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

        def __init__(self, stage: Any, *, reward: Callable[[DiveStep], float] | None = None, render_mode: None = None) -> None:
            self._env = DiveEnv(stage, reward=reward)
            self.render_mode = render_mode
            most = self._env.stage.envelope.max_action_chars
            self.action_space = AnyText(most, min_length=1)
            self.observation_space = AnyText(_MOST_CHARS, min_length=0)

        @property
        def stage(self) -> Stage:
            """The stage that is dived."""
            return self._env.stage

        @property
        def dive(self) -> Any:
            """The dive of the episode: for its log and its card."""
            return self._env.dive

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
            super().reset(seed=seed)
            return self._env.reset(seed=seed, options=options)

        def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
            return self._env.step(action)

        def close(self) -> None:
            self._env.close()

    return StageEnv


if importlib.util.find_spec("gymnasium") is not None:
    register()
