"""Stages in Gymnasium, OpenEnv and inspect_ai; `bindings/python/evals/run` installs them, each in an environment of its own."""

import pathlib
import pickle
import threading
import time
import warnings
from importlib import import_module
from typing import Any

import pytest
from test_examples import example

from sonometer import InvalidRequestError, Stage, WrongTypeError

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
    with pytest.raises(WrongTypeError, match="`seeds` is an int; give a list, or range"):
        dive_task(stage, seeds=3)  # type: ignore[arg-type]


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
    shown = gymnasium.make(name, render_mode="ansi")
    world, _ = shown.reset(seed=7)
    assert shown.render() == f"world: {world}" and env.unwrapped.render() is None
    answer = shown.step(said[0])[0]
    assert shown.render() == f"agent: {said[0]}\nworld: {answer}"
    with pytest.raises(InvalidRequestError, match="give \"ansi\", or leave it out"):
        gymnasium.make(name, render_mode="human")
    # In other processes.
    again = pickle.loads(pickle.dumps(shown.unwrapped))
    assert again.step(said[1])[:2] == shown.unwrapped.step(said[1])[:2] and again.action_space == shown.unwrapped.action_space
    many = gymnasium.make_vec(name, num_envs=2, vectorization_mode="async", vector_kwargs={"shared_memory": False})
    try:
        assert many.reset(seed=7)[0][0] == world
        answers = many.step((said[0], "Guten Tag, 您好."))[0]
        assert answers[0] == answer != answers[1]
    finally:
        many.close()
    with pytest.raises(ValueError, match="shared_memory=False"):
        gymnasium.make_vec(name, num_envs=2, vectorization_mode="async")
    with pytest.raises(gymnasium.error.ResetNeeded):
        gymnasium.make(name).step("Hello.")
    assert {"sonometer/agent-phishing-v1", name, "sonometer/drinking-less-v1"} <= set(gymnasium.registry)


def test_the_table_of_the_page() -> None:
    page = pathlib.Path(__file__).parents[3] / "docs/evals.md"
    assert example("three_agents").table() in page.read_text(encoding="utf-8")


def test_openenv() -> None:
    pytest.importorskip("openenv.core", reason=f"openenv-core {NOT_HERE}")
    client_of = import_module("openenv.core").GenericEnvClient
    uvicorn = import_module("uvicorn")
    server = uvicorn.Server(uvicorn.Config(example("stage_in_openenv").app(sessions=2), host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.05)
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    stage = Stage("billing-dispute@1.0")
    try:
        ended = {}
        # Two sessions at once: each has a dive of its own.
        with client_of(base_url=address).sync() as one, client_of(base_url=address).sync() as other:
            sessions = {"reference": one, "takes_the_card": other}
            for name, session in sessions.items():
                first = session.reset(seed=7)
                assert first.observation["text"] and not first.done
            for name, session in sessions.items():
                for text in stage.walkthroughs[name].say:
                    ended[name] = session.step({"text": text})
                    if ended[name].done:
                        break
        assert all(step.done for step in ended.values())
        assert ended["reference"].observation["passed"] and ended["reference"].reward > 0
        assert not ended["takes_the_card"].observation["passed"] and ended["takes_the_card"].observation["reason"] == "flag_tripped"
    finally:
        server.should_exit = True
        thread.join(timeout=20)
