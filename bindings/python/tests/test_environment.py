"""A stage as an environment, in the manner of Gymnasium."""

import pytest
from test_dives import DOOR, POLITE, PORTER

from sonometer import DiveClosedError, DiveEnv, InvalidRequestError, Stage, StageCard, WrongTypeError


@pytest.fixture(scope="module")
def door() -> Stage:
    return Stage(DOOR, shelf=[PORTER])


def episode(env: DiveEnv, actions: list[str], seed: int | None = None) -> tuple[list[tuple[str, float, bool, bool]], StageCard]:
    """Acts until the episode is over."""
    env.reset(seed=seed)
    steps = []
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(action)
        steps.append((observation, reward, terminated, truncated))
        if terminated or truncated:
            break
    return steps, env.dive.close()


def test_an_episode(door: Stage) -> None:
    env = DiveEnv(door)
    observation, info = env.reset(seed=3)
    assert observation == "A porter stands at the door, out of the snow."
    assert (info["seed"], info["turn"], info["objective"]) == (3, 0, door.objective) and not info["verdict"].passed
    observation, reward, terminated, truncated, info = env.step("Hm.")
    assert observation in ("He looks at you.", "He waits.")
    assert (reward, terminated, truncated, info["turn"]) == (0.0, False, False, 1)
    observation, reward, terminated, truncated, info = env.step(POLITE)
    assert observation == "He smiles.\nYou are through." and reward == info["step"].score > 0
    assert (terminated, truncated, info["verdict"].passed) == (True, False, True)
    with pytest.raises(DiveClosedError):
        env.step("Hm.")
    assert env.dive.close().passed and env.unwrapped is env and repr(env) == "<DiveEnv door@1.0>"


def test_the_same_seed_is_the_same_episode(door: Stage) -> None:
    env, said = DiveEnv(door), ["Hm.", "Well.", POLITE]
    first, card = episode(env, said, seed=5)
    assert (first, card) == episode(env, said, seed=5) == episode(DiveEnv(door), said, seed=5)
    # Without a seed, one after the other.
    assert [episode(env, said)[1].seed for _ in range(3)] == [6, 7, 8]
    assert episode(DiveEnv(door), said)[1].seed == 0
    assert [episode(env, [], seed=2**53 - 1)[1].seed, episode(env, [])[1].seed] == [2**53 - 1, 0]


def test_how_episodes_end(door: Stage) -> None:
    def ends(stage: Stage, actions: list[str]) -> tuple[bool, bool]:
        return episode(DiveEnv(stage), actions)[0][-1][2:]

    assert ends(door, [POLITE]) == (True, False)
    assert ends(door, ["Here are ten euros for you, my friend."]) == (True, False)
    assert ends(door, ["Hm."] * 9) == (False, True)
    budget = Stage(DOOR.replace("max_turns: 4", "max_turns: 4, ics_budget: 1").replace("        go: through\n", ""), shelf=[PORTER])
    assert ends(budget, [POLITE]) == (False, True)


def test_a_reward_of_ones_own(door: Stage) -> None:
    env = DiveEnv(door, reward=lambda step: 10 * len(step.checkpoints) - 1)
    env.reset()
    assert env.step("Hm.")[1] == -1.0 and env.step(POLITE)[1] == 9.0
    failing = DiveEnv(door, reward=lambda step: 1 / 0)
    failing.reset()
    with pytest.raises(ZeroDivisionError):
        failing.step("Hm.")


def test_what_is_done_wrong(door: Stage) -> None:
    with pytest.raises(WrongTypeError, match="`reward` is an int; give a function that takes a DiveStep"):
        DiveEnv(door, reward=7)  # type: ignore[arg-type]
    with DiveEnv("billing-dispute") as env:
        with pytest.raises(InvalidRequestError, match="call `reset` first"):
            env.step("Hello.")
        with pytest.raises(InvalidRequestError, match="`options` does not apply to a stage") as wrong:
            env.reset(options={"hard": True})
        assert wrong.value.place == "options"
        env.reset(seed=1, options={})
        with pytest.raises(InvalidRequestError):
            env.reset(seed=-1)
        # The dive that was there is still there.
        assert env.dive.seed == 1
    with pytest.raises(InvalidRequestError, match="call `reset` first"):
        env.dive.act("Hello.")
