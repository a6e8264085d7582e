"""A stage as an environment of OpenEnv: `stage_in_openenv.py [STAGE [PORT]]` serves it on loopback, with `openenv-core` installed.

Actions and observations are texts, the reward is the score of an action; each session has a dive of its own. The shape of OpenEnv still
moves from version to version, which is why this is an example and no module of the package.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from sonometer import DiveEnv

_server: Any = import_module("openenv.core.env_server")


class Say(_server.Action):  # type: ignore[misc]
    """What the agent says."""

    text: str


class Heard(_server.Observation):  # type: ignore[misc]
    """What the world says; at the end, the verdict."""

    text: str
    passed: bool | None = None
    reason: str | None = None


class World(_server.Environment):  # type: ignore[misc]
    """A dive in a stage that ships."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, stage: str = "billing-dispute@1.0") -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._dive = DiveEnv(stage)
        self._turns = 0
        self._episode: str | None = None

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Heard:
        """Opens a dive; the same seed gives the same world."""
        text, _info = self._dive.reset(seed=seed)
        self._turns, self._episode = 0, episode_id
        return Heard(text=text, done=False, reward=None)

    def step(self, action: Say, timeout_s: float | None = None, **_: Any) -> Heard:
        """One turn of the agent, and what the world answers."""
        text, reward, terminated, truncated, info = self._dive.step(action.text)
        self._turns += 1
        done = terminated or truncated
        verdict = info["verdict"] if done else None
        return Heard(text=text, reward=reward, done=done, passed=verdict and verdict.passed, reason=verdict and verdict.reason)

    @property
    def state(self) -> Any:
        """How many turns were taken."""
        return _server.State(episode_id=self._episode, step_count=self._turns)

    def close(self) -> None:
        """Ends the dive."""
        self._dive.close()


def app(stage: str = "billing-dispute@1.0", sessions: int = 16) -> Any:
    """The application: at most so many sessions at once."""
    return _server.create_fastapi_app(lambda: World(stage), Say, Heard, max_concurrent_envs=sessions)


def main(stage: str = "billing-dispute@1.0", port: str = "8000") -> None:
    """Serves a stage on loopback until it is interrupted."""
    import_module("uvicorn").run(app(stage), host="127.0.0.1", port=int(port))


if __name__ == "__main__":
    main(*sys.argv[1:])
