"""Stages in Gymnasium and inspect_ai; `bindings/python/evals/run` installs them, each in an environment of its own."""

import pathlib
import warnings
from importlib import import_module
from typing import Any

import pytest
from test_examples import example

from sonometer import Stage

pytestmark = pytest.mark.filterwarnings("ignore")
NOT_HERE = "is not installed; bindings/python/evals/run tests it"


def test_inspect_ai_dives(tmp_path: pathlib.Path) -> None:
    inspect_ai: Any = pytest.importorskip("inspect_ai", reason=f"inspect_ai {NOT_HERE}")
    models = import_module("inspect_ai.model")

    from sonometer.evals.dives import dive_task

    def model(said: tuple[str, ...]) -> Any:
        outputs = [models.ModelOutput.from_content("mockllm/model", text) for text in said]
        for output in outputs:
            # Without a count the package would load one from the network.
            output.usage = models.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return models.get_model("mockllm/model", custom_outputs=outputs)

    stage = Stage("billing-dispute@1.0")
    ended = {}
    for name in ("reference", "takes_the_card"):
        (log,) = inspect_ai.eval(dive_task(stage, seeds=[7]), model=model(stage.walkthroughs[name].say), display="none", log_dir=str(tmp_path))
        assert log.status == "success" and log.samples is not None
        ended[name] = next(iter(log.samples[0].scores.values()))
    assert ended["reference"].value["passed"] == 1 and ended["reference"].explanation == "passed"
    assert ended["takes_the_card"].value["passed"] == 0 and ended["takes_the_card"].metadata["flags_tripped"] == ["card_taken"]
    assert ended["reference"].metadata["turns"] == 3


def test_gymnasium() -> None:
    gymnasium: Any = pytest.importorskip("gymnasium", reason=f"gymnasium {NOT_HERE}")
    check_env = import_module("gymnasium.utils.env_checker").check_env
    name = "sonometer/billing-dispute-v1"
    env = gymnasium.make(f"sonometer.gym:{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    said = Stage("billing-dispute").walkthroughs["reference"].say
    rewards, verdict = [], None
    env.reset(seed=7)
    for action in said:
        assert env.action_space.contains(action)
        observation, reward, terminated, truncated, info = env.step(action)
        assert env.observation_space.contains(observation)
        rewards.append(reward)
        verdict = info["verdict"]
        if terminated or truncated:
            break
    dive = Stage("billing-dispute").open(seed=7)
    assert rewards == [dive.act(action).score for action in said[: len(rewards)]] and verdict is not None and verdict.passed
    assert terminated and not truncated
    with pytest.raises(gymnasium.error.ResetNeeded):
        gymnasium.make(name).step("Hello.")
    assert {"sonometer/agent-phishing-v1", name, "sonometer/drinking-less-v1"} <= set(gymnasium.registry)


def test_the_table_of_the_page() -> None:
    page = pathlib.Path(__file__).parents[3] / "docs/evals.md"
    assert example("three_agents").table() in page.read_text(encoding="utf-8")
