"""pandas, DuckDB, DataFusion, corpora: what a row says is what it says alone."""

import importlib.util
import json
import pathlib
import pickle
import subprocess
import sys
from typing import Any

import pytest
from conftest import CARD

import sonometer
import sonometer.convokit
from sonometer import InvalidRequestError, Sensor, SonometerError, WrongTypeError
from sonometer._optional import need
from sonometer._targets import _BUILT, Carried
from sonometer.langchain import sensing_handler

TEXTS = ["Thank you so much for the help, could you please look again?", None, "Hm.", "😀 Good morning, thank you for this answer!"] * 1500
HEAVY = ["datafusion", "datasets", "duckdb", "numpy", "pandas", "polars", "pyarrow", "pyspark", "ray"]


def alone(name: str = "courtesy") -> list[float | None]:
    """What each text says alone."""
    target = Sensor(name)
    known = {text: target.sense(text).score for text in set(TEXTS) if text is not None}
    return [known[text] if text is not None else None for text in TEXTS]


def test_import_is_quick_and_needs_nothing() -> None:
    code = (
        "import sys, time; begin = time.process_time(); import sonometer; took = time.process_time() - begin\n"
        f"print(took, [name for name in {HEAVY} if name in sys.modules])\n"
        "from sonometer import DiveEnv, evaluate; assert 'evaluate' in dir(sonometer) and sonometer.model.Evidence\n"
    )
    rounds = []
    for _ in range(5):
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        took, _, heavy = said.strip().partition(" ")
        assert heavy == "[]"
        rounds.append(float(took))
    # Time of this process, so that what else runs on the machine does not count.
    assert min(rounds) <= 0.05


def test_what_is_missing_says_what_to_type() -> None:
    with pytest.raises(ImportError, match=r"no_such_package is not installed; type: pip install 'sonometer\[spark\]'"):
        need("no_such_package", "spark")
    calls = {
        "spark": ("pyspark", "with_readings(None, 'text', 'courtesy')"),
        "ray": ("ray.data", "with_readings(None, 'text', 'courtesy')"),
        "duckdb": ("duckdb", "register(None)"),
        "datafusion": ("datafusion", "register(None)"),
        "pandas": ("pandas", ""),
        "polars": ("polars", ""),
        "litellm": ("litellm.integrations.custom_guardrail", "guardrail_class()"),
        "langchain": ("langchain_core.callbacks", "sensing_handler('courtesy', print)"),
    }
    for module, (package, call) in calls.items():
        # None in `sys.modules` is what a package that is not there comes to.
        hidden = f"import sys; sys.modules.update({{{package.partition('.')[0]!r}: None, {package!r}: None}})\n"
        code = hidden + f"import sonometer.{module} as module\n" + (f"module.{call}\n" if call else "")
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
        if importlib.util.find_spec("pyarrow") is None and "pyarrow is not" in told:
            continue
        assert f"{package} is not installed; type: pip install 'sonometer[{module}]'" in told, told


def test_what_a_handler_calls_is_asked_for_at_once() -> None:
    for settings, place in (((None,), "on_reading"), ((print, 5), "on_evidence")):
        with pytest.raises(WrongTypeError, match="give a function that takes it") as told:
            sensing_handler("courtesy", settings[0], on_evidence=settings[1] if len(settings) > 1 else None)  # type: ignore[arg-type]
        assert told.value.place == place


def test_a_target_travels_as_source_and_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("courtesy", "reply-quality", "agent-quality"):
        carried = Carried(name)
        sent = pickle.dumps(carried)
        _BUILT.clear()
        one, two = pickle.loads(sent).target(), pickle.loads(sent).target()
        assert one is two and one.digest == carried.digest
        talk = [("agent", TEXTS[0] or ""), ("customer", "Thank you, that is all.")]
        assert one.sense(talk).json() == sonometer.load(name).sense(talk).json()
    _BUILT.clear()
    monkeypatch.setattr(carried, "engine", "sonometer 0.0.1")
    with pytest.raises(SonometerError, match="install the same version of sonometer on every machine"):
        pickle.loads(pickle.dumps(carried)).target()
    other = Carried("courtesy")
    other.digest = "sha256:0"
    with pytest.raises(SonometerError, match="it was sent with sha256:0"):
        other.target()


def test_pandas_accessor(courtesy: Sensor) -> None:
    pandas: Any = pytest.importorskip("pandas", reason="pandas cannot be installed")
    pytest.importorskip("pyarrow", reason="pyarrow cannot be installed")
    import sonometer.pandas as _accessor  # noqa: F401, PLC0415

    frame = pandas.DataFrame({"text": TEXTS}, index=[5] * len(TEXTS))
    found = frame["text"].sonometer.sense("courtesy", ["score", "triggered"])
    assert list(found.index) == list(frame.index)
    assert [None if score != score else score for score in found["score"]] == alone()
    assert frame["text"].sonometer.score(courtesy).name == "score"
    assert frame["text"].sonometer.fidelity("courtesy").iloc[0] == 1.0
    cards = pandas.Series([CARD, None, float("nan")], dtype=object, name="note")
    shown = cards.sonometer.mask("personal-data")
    assert shown.name == "note" and "4111 1111 1111 1111" not in shown[0] and list(shown.isna()) == [False, True, True]
    talks = pandas.Series([[{"role": "agent", "content": TEXTS[0]}], None])
    assert talks.sonometer.score("courtesy")[0] == sonometer.load("courtesy").sense([("agent", TEXTS[0] or "")]).score


QUERY = """
    select score('courtesy', text) as score, score(name, text) as named, sense('courtesy', text) as sensed, fidelity('courtesy', text) as f,
        masked('personal-data', card) as card
    from talks order by row
"""


def rows_of(told: list[dict[str, Any]]) -> None:
    courtesy, feelings = alone(), alone("affect")
    names = ("courtesy", "mine", None)
    for at, row in enumerate(told):
        assert row["score"] == row["sensed"]["score"] == courtesy[at]
        known: dict[str | None, list[float | None]] = {"courtesy": courtesy, "mine": feelings, None: [None] * len(TEXTS)}
        assert row["named"] == known[names[at % 3]][at]
        assert "4111 1111 1111 1111" not in row["card"]
        assert (row["f"] is None) == (TEXTS[at] is None)
    reading = Sensor("courtesy").sense(TEXTS[0] or "")
    assert tuple(told[0]["sensed"]["triggered"]) == reading.triggered
    assert [piece["source"] for piece in told[0]["sensed"]["evidence"]] == [found.source for found in reading.evidence]


def talks() -> Any:
    pyarrow: Any = pytest.importorskip("pyarrow", reason="pyarrow cannot be installed")
    names = [("courtesy", "mine", None)[row % 3] for row in range(len(TEXTS))]
    return pyarrow.table({"row": list(range(len(TEXTS))), "text": TEXTS, "name": names, "card": [CARD] * len(TEXTS)})


def test_duckdb() -> None:
    duckdb: Any = pytest.importorskip("duckdb", reason="duckdb cannot be installed")
    import sonometer.duckdb  # noqa: PLC0415

    connection = duckdb.connect()
    connection.register("talks", talks())
    sonometer.duckdb.register(connection, {"mine": Sensor("affect")})
    rows_of(connection.sql(QUERY).to_arrow_table().to_pylist())
    assert connection.sql("select score('courtesy', text) from talks where false").fetchall() == []
    with pytest.raises(duckdb.Error, match="the catalogue has no protocol, metric or blueprint `nope`"):
        connection.sql("select score('nope', text) from talks").fetchall()
    sonometer.duckdb.register(connection, prefix="talk_", input="json")
    segments = "[{'role': 'agent', 'content': 'Thank you so much for all of this help.'}]"
    told = connection.sql(f"select talk_score('courtesy', to_json({{'segments': {segments}}})), talk_sense('courtesy', '{{').error").fetchall()
    assert told[0][0] == Sensor("courtesy").sense([("agent", "Thank you so much for all of this help.")]).score
    assert "JSON" in told[0][1] or "expected" in told[0][1]
    with pytest.raises(InvalidRequestError, match="`input` is `yaml`; give text or json"):
        sonometer.duckdb.register(connection, input="yaml")
    # A cell of a notebook is run again, with another target.
    sonometer.duckdb.register(connection, {"other": Sensor("affect")})
    sonometer.duckdb.register(connection, {"other": Sensor("courtesy")})
    again = connection.sql("select score('other', 'Thank you so much for all of this help.')").fetchall()
    assert again[0][0] == Sensor("courtesy").sense("Thank you so much for all of this help.").score
    connection.execute("create macro own_fidelity(name, text) as 1")
    with pytest.raises(InvalidRequestError, match='called `own_fidelity`; give a prefix, such as prefix="snm_"'):
        sonometer.duckdb.register(connection, prefix="own_")


def test_datafusion() -> None:
    datafusion: Any = pytest.importorskip("datafusion", reason="datafusion cannot be installed")
    import sonometer.datafusion  # noqa: PLC0415

    context = datafusion.SessionContext()
    context.from_arrow(talks(), name="talks")
    sonometer.datafusion.register(context, {"mine": Sensor("affect")})
    rows_of(context.sql(QUERY).to_pylist())
    with pytest.raises(Exception, match="the catalogue has no protocol, metric or blueprint `nope`"):
        context.sql("select score('nope', text) from talks").collect()


def test_corpora(tmp_path: pathlib.Path, courtesy: Sensor) -> None:
    def said(identity: str, talk: str, text: str | None, time: object, **more: object) -> str:
        return json.dumps({"id": identity, "conversation_id": talk, "speaker": f"s{identity}", "text": text, "timestamp": time, **more})

    lines = [
        said("2", "a", "Thank you so much for the answer.", 1322706222, meta={"side": "customer"}),
        said("1", "a", "How can I help you today?", "1322706200.5", meta={"side": "agent"}),
        json.dumps({"id": "4", "root": "b", "user": "eve", "text": "Hello.", "timestamp": None}),
        said("3", "a", None, 1322706230, meta={"side": "agent"}),
    ]
    (tmp_path / "utterances.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "conversations.json").write_text('{"a": {"meta": {"solved": true}, "vectors": []}, "b": {"topic": "x"}}', encoding="utf-8")
    first, second = sonometer.convokit.conversations(tmp_path)
    assert first.segments == [
        {"role": "s1", "content": "How can I help you today?", "timestamp": 0.0},
        {"role": "s2", "content": "Thank you so much for the answer.", "timestamp": 21.5},
    ]
    assert (first.id, first.meta, second.id, second.meta) == ("a", {"solved": True}, "b", {"topic": "x"})
    assert second.segments == [{"role": "eve", "content": "Hello."}]
    assert courtesy.sense(first.interaction).sufficient
    sides = next(sonometer.convokit.conversations(tmp_path / "utterances.jsonl", role="side"))
    assert [turn["role"] for turn in sides.segments] == ["agent", "customer"]
    with pytest.raises(InvalidRequestError, match="utterance 4 has no `side` in its meta, which has nothing"):
        list(sonometer.convokit.conversations(tmp_path, role="side"))
    with pytest.raises(InvalidRequestError, match=r"give a folder with an utterances\.jsonl"):
        list(sonometer.convokit.conversations(tmp_path / "none"))
    with pytest.raises(InvalidRequestError, match="at line 2"):
        list(sonometer.convokit.conversations([lines[0], "{}"]))

    class Thing:
        def __init__(self, **parts: Any) -> None:
            self.__dict__.update(parts)

    read = [json.loads(line) for line in lines if "root" not in line]
    corpus = Thing(
        iter_conversations=lambda: iter([Thing(id="a", meta={"solved": True})]),
        iter_utterances=lambda: iter(
            Thing(**{**line, "speaker": Thing(id=line["speaker"]), "meta": line.get("meta", {})}) for line in read
        ),
    )
    assert list(sonometer.convokit.conversations(corpus)) == [first]


def test_corpora_of_convokit_itself(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # It writes its settings into the home folder.
    monkeypatch.setenv("HOME", str(tmp_path))
    convokit = pytest.importorskip("convokit", reason="convokit is not here; benches/clusters/run installs it")
    ann, bob = convokit.Speaker(id="ann"), convokit.Speaker(id="bob")

    def said(identity: str, talk: str, speaker: Any, text: str, time: int | None, before: str | None = None) -> Any:
        meta = {"side": "customer" if speaker is ann else "agent"}
        return convokit.Utterance(
            id=identity, speaker=speaker, conversation_id=talk, reply_to=before, timestamp=time, text=text, meta=meta
        )

    corpus = convokit.Corpus(
        utterances=[
            said("1", "1", ann, "My line is dead.", 60),
            said("2", "1", bob, "I am so sorry. Could you please restart it?", 75, "1"),
            said("3", "3", ann, "Hello.", None),
        ]
    )
    corpus.get_conversation("1").add_meta("solved", value=True)
    corpus.dump("talks", base_path=str(tmp_path))
    first, second = sonometer.convokit.conversations(corpus, role="side")
    assert (first.id, first.meta, second.meta) == ("1", {"solved": True}, {})
    assert first.segments == [
        {"role": "customer", "content": "My line is dead.", "timestamp": 0.0},
        {"role": "agent", "content": "I am so sorry. Could you please restart it?", "timestamp": 15.0},
    ]
    assert second.segments == [{"role": "customer", "content": "Hello."}]
    # What it writes says what it holds.
    assert list(sonometer.convokit.conversations(tmp_path / "talks", role="side")) == [first, second]


def test_corpora_as_columns(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow cannot be installed")
    line: dict[str, Any] = {"id": "1", "conversation_id": "1", "speaker": "agent", "text": "Thank you so much for the answer.", "timestamp": 1}
    (tmp_path / "utterances.jsonl").write_text(json.dumps(line), encoding="utf-8")
    table = sonometer.convokit.table(tmp_path)
    assert (table["id"].to_pylist(), table["meta"].to_pylist()) == (["1"], ["{}"])
    score = Sensor("courtesy").sense([("agent", line["text"])]).score
    assert Sensor("courtesy").frame(table["conversation"])["score"].to_pylist() == [score]
