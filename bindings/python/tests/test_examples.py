"""The examples do what they say."""

import asyncio
import importlib.util
import json
import pathlib
from types import ModuleType
from typing import Any

import pytest
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


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    """What the names of the notebook mean after its cells have run."""
    for package in ("polars", "pyarrow"):
        pytest.importorskip(package, reason=f"{package} cannot be installed")
    cells = json.loads((EXAMPLES / "conversations_by_week.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    return names


@pytest.mark.filterwarnings("ignore")
def test_notebook(notebook: dict[str, Any]) -> None:
    weeks, worst, courtesy = notebook["weeks"], notebook["worst"], Sensor("courtesy")
    # What the cells say about the weeks in which more answers are impolite, and about the talks, is what the talks say one by one.
    scores = {row["id"]: courtesy.sense({"segments": row["conversation"]}).score for row in notebook["rows"]}
    assert len(weeks) == 26 and weeks["talks"].sum() == sum(score is not None for score in scores.values()) and len(scores) == 780
    of_week = [score for name, score in scores.items() if name.startswith("12-") and score is not None]
    assert weeks["sum"][12] == sum(round(score * 1_000_000) for score in of_week)
    means = weeks["sum"] / weeks["talks"]
    assert means[10:15].mean() < means[:10].mean()
    lowest = sorted((score, name) for name, score in scores.items() if score is not None)[:8]
    assert list(zip(worst["score"], worst["id"], strict=True)) == lowest
    assert all(said.startswith("turn ") for row in worst["against"] for said in row) and worst["against"].list.len().sum() >= 8
    plot = notebook["Plot"](list(map(str, weeks["week"])), means.to_list(), "courtesy")._repr_svg_()
    assert plot.startswith("<svg") and plot.count("<circle") == 26


@pytest.mark.filterwarnings("ignore")
def test_notebook_in_spark(notebook: dict[str, Any]) -> None:
    if not notebook["has_spark"]:
        pytest.skip("pyspark is not installed; benches/clusters/run tests it")
    assert notebook["spark_weeks"].rows() == notebook["weeks"].rows()
    assert notebook["spark_worst"].rows() == notebook["worst"].rows()


@pytest.mark.filterwarnings("ignore")
def test_hugging_face_map(courtesy: Sensor) -> None:
    datasets: Any = pytest.importorskip("datasets", reason="datasets is not installed; benches/clusters/run tests it")
    texts = [KIND, None, "Hm."] * 1000
    found = example("hugging_face_map").scored(datasets.Dataset.from_dict({"text": texts}), "courtesy@1.0")
    assert found.column_names == ["text", "score", "triggered"]
    assert found["score"][:3] == [courtesy.sense(KIND).score, None, None] and len(found) == 3000
    assert tuple(found["triggered"][0]) == courtesy.sense(KIND).triggered
