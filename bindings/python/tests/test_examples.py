"""The examples do what they say."""

import asyncio
import importlib.util
import json
import pathlib
from types import ModuleType

from conftest import KIND

from sonometer import Sensor

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_score_jsonl(tmp_path: pathlib.Path, courtesy: Sensor) -> None:
    lines = [
        json.dumps({"content": KIND}),
        "",
        '{"contents": "?"}',
        "no JSON",
        json.dumps({"id": "a", "interaction": {"segments": [{"role": "agent", "content": KIND}]}}),
        "7",
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert example("score_jsonl").score("courtesy@1.0", str(tmp_path / "in.jsonl"), str(tmp_path / "out.jsonl")) == (2, 3)
    out = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["line"] for line in out] == [1, 3, 4, 5, 6]
    assert out[0] == f'{{"line":1,"result":{courtesy.sense(KIND).json()}}}'
    assert json.loads(out[1])["error"]["details"]["place"] == "interactions[1].contents"


def test_guard_llm_stream() -> None:
    guard = example("guard_llm_stream")
    shown, complete = asyncio.run(guard.show(guard.model()))
    assert complete and "**** **** **** 1111" in shown and "4111" not in shown and "jane.doe@" not in shown
    assert shown.startswith("Thank you for waiting. The card") and shown.endswith(" Anything else?")
    assert guard.show_now(guard.REPLY) == shown
    shown, complete = asyncio.run(guard.show(guard.model(), most=0))
    assert not complete and "jane" not in shown
