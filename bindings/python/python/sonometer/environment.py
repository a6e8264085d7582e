"""A stage as an environment for agents that learn, with the methods of Gymnasium and without needing it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from types import TracebackType
from typing import Any, ClassVar

from ._sonometer import Dive, Stage
from .diving import DiveStep
from .errors import InvalidRequestError, WrongTypeError, _kind

__all__ = ["DiveEnv"]


class DiveEnv:
    """A stage as an environment: `reset` arrives, `step` acts, and both are deterministic.

    Observations and actions are texts. The reward of an action is its score, 0 to 1, unless `reward` says otherwise. An episode is
    *terminated* when the world ends in a scene or by a flag, *truncated* when its turns or its ICS are used up.

    >>> from sonometer import DiveEnv
    >>> env = DiveEnv("billing-dispute")
    >>> observation, info = env.reset(seed=7)
    >>> said = iter(env.stage.walkthroughs["reference"].say)
    >>> terminated = truncated = False
    >>> while not (terminated or truncated):
    ...     observation, reward, terminated, truncated, info = env.step(next(said))
    >>> terminated, truncated, info["verdict"].passed
    (True, False, True)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}
    """As Gymnasium wants it: nothing is rendered."""

    def __init__(
        self,
        stage: str | PathLike[str] | Mapping[str, object] | Stage,
        *,
        reward: Callable[[DiveStep], float] | None = None,
    ) -> None:
        if not (reward is None or callable(reward)):
            fix = "give a function that takes a DiveStep and gives a number"
            raise WrongTypeError(f"`reward` is {_kind(reward)}; {fix}", place="reward", fix=fix)
        self._stage = stage if isinstance(stage, Stage) else Stage(stage)
        self._reward = reward
        self._dive: Dive | None = None
        self._next_seed = 0

    @property
    def stage(self) -> Stage:
        """The stage that is dived."""
        return self._stage

    @property
    def dive(self) -> Dive:
        """The dive of the episode: for its log and its card."""
        if self._dive is None:
            fix = "call `reset` first"
            raise InvalidRequestError(f"no dive is open yet; {fix}", fix=fix)
        return self._dive

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Opens a dive: returns what the world says on arrival, and the briefing.

        Without a seed it is that of the last dive and one more, the first time 0. There are no options.
        """
        if options:
            fix = "remove it"
            raise InvalidRequestError(f"`options` does not apply to a stage; {fix}", place="options", fix=fix)
        dive = self._stage.open(seed=self._next_seed if seed is None else seed)
        self._dive = dive
        self._next_seed = (dive.seed + 1) % 2**53
        observation = dive.observation
        info = {"seed": dive.seed, "turn": 0, "objective": self._stage.objective, "verdict": dive.verdict}
        return observation.world, info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Takes an action: what the world answers, the reward, whether the episode is terminated or truncated, and the rest.

        `info` holds `step` (the `DiveStep`), `turn`, and `verdict`: how the dive would be judged if it ended here.
        """
        dive = self.dive
        step = dive.act(action)
        reward = step.score if self._reward is None else float(self._reward(step))
        ended = dive.ended_by
        info: dict[str, Any] = {"step": step, "turn": step.observation.turn, "verdict": dive.verdict}
        return step.observation.world, reward, ended in ("scene", "flag"), ended in ("max_turns", "ics_budget"), info

    @property
    def render_mode(self) -> None:
        """Nothing is rendered."""

    def render(self) -> None:
        """Nothing is rendered."""

    def close(self) -> None:
        """Lets go of the dive."""
        self._dive = None

    @property
    def unwrapped(self) -> DiveEnv:
        """Itself: nothing is wrapped."""
        return self

    def __enter__(self) -> DiveEnv:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<DiveEnv {self._stage.id}@{self._stage.version}>"
