"""The environment of Gymnasium behind `sonometer.gym`. Its classes have names of a module, so that they can be sent to other processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ._optional import need
from ._sonometer import Stage
from .diving import DiveStep
from .environment import DiveEnv
from .errors import InvalidRequestError

gymnasium: Any = need("gymnasium", "gym")

__all__ = ["AnyText", "StageEnv"]

# The code points of what the world says at most; longer texts are refused by Gymnasium's checks.
_MOST_CHARS = 1_000_000


class AnyText(gymnasium.spaces.Text):  # type: ignore[misc]
    """Texts of any characters: a stage may be written in any language."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length


def _no_shared_memory(space: AnyText, n: int = 1, ctx: Any = None) -> None:
    """Memory that processes share has numbers for the characters that a space lists, and this one lists none."""
    raise gymnasium.error.CustomSpaceError("texts of any characters are not in shared memory; give vector_kwargs={'shared_memory': False}")


gymnasium.vector.utils.create_shared_memory.register(AnyText, _no_shared_memory)


class StageEnv(gymnasium.Env):  # type: ignore[misc]
    """A stage for Gymnasium."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(self, stage: Any, *, reward: Callable[[DiveStep], float] | None = None, render_mode: str | None = None) -> None:
        if render_mode not in (None, "ansi"):
            fix = 'give "ansi", or leave it out'
            raise InvalidRequestError(f"`render_mode` is {render_mode!r}; {fix}", place="render_mode", fix=fix)
        self._env = DiveEnv(stage, reward=reward)
        self.render_mode = render_mode
        self._last: list[tuple[str, str]] = []
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
        world, info = self._env.reset(seed=seed, options=options)
        self._last = [("world", world)]
        return world, info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        world, reward, terminated, truncated, info = self._env.step(action)
        self._last = [("agent", action), ("world", world)]
        return world, reward, terminated, truncated, info

    def render(self) -> str | None:
        """With `render_mode="ansi"` the last action and what the world said to it."""
        return None if self.render_mode is None else "\n".join(f"{who}: {said}" for who, said in self._last)

    def close(self) -> None:
        self._env.close()
