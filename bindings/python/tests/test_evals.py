"""Expectations of readings, and the plugin for pytest. What glues them to other tools is tested with these: `bindings/python/evals/run`."""

import pathlib
import subprocess
import sys
from typing import Any

import pytest
from conftest import CARD, KIND

from sonometer import InvalidRequestError, Sensor, WrongTypeError
from sonometer.evals import Expectation, assert_reading
from sonometer.evals.promptfoo import get_assert_for


def test_bounds_include_their_value(courtesy: Sensor) -> None:
    score = courtesy.sense(KIND).score
    assert Expectation(courtesy, at_least=score, at_most=score).judge(KIND).passed
    assert score is not None and not Expectation(courtesy, at_least=score + 1e-6).judge(KIND).passed
    assert assert_reading(KIND, "courtesy@1.0", at_least=0.3, triggered=["gratitude"]) == courtesy.sense(KIND)


def test_a_reason_has_the_evidence_of_what_failed() -> None:
    verdict = Expectation("courtesy@1.0", silent=["greeting"]).judge([("agent", KIND)])
    assert verdict.reason == '`greeting` triggered: its resonance is 0.75\n  greeting 0.6 "Good morning" at turn 0 (agent), 0–12'
    verdict = Expectation("courtesy@1.0", triggered=["gratitude"]).judge("I cannot thank you for that help at all.")
    assert verdict.reason == "`gratitude` did not trigger: its resonance is 0.0\n  gratitude came near (0.666667): said, but negated"


def test_too_little_text_fails_unless_told_otherwise() -> None:
    verdict = Expectation("courtesy@1.0", at_least=0.5).judge("x")
    assert (verdict.passed, verdict.score) == (False, None) and verdict.reason.startswith("there is too little text to measure")
    assert Expectation("courtesy@1.0", at_least=0.5, sufficient=False).judge("x").passed


@pytest.mark.parametrize("label", ["payment_card"])
def test_nothing_masked_is_shown(label: str) -> None:
    for text in (CARD, f"{CARD}\u202e\n\0"):
        with pytest.raises(AssertionError) as raised:
            assert_reading(text, "personal-data", silent=[label])
        told = str(raised.value)
        assert "4111" not in told and "**** **** **** 1111" in told and "\u202e" not in told and "\0" not in told


def test_roles_are_masked_too() -> None:
    talk = [("agent", "Your card is next."), ("ann@example.com", CARD)]
    with pytest.raises(AssertionError, match=r"at turn 1 \(role 2\), "):
        assert_reading(talk, "personal-data", silent=["payment_card"])


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"silent": ["insult"]}, "courtesy@1.0 has no metamarker `insult`; it has gratitude, recognition"),
        ({"triggered": "gratitude"}, r"`triggered` is a str; give a list of metamarkers: triggered=\['gratitude'\]"),
        ({"at_least": 50}, "`at_least` is 50; scores are from 0 to 1"),
    ],
)
def test_what_can_never_hold_is_refused(expected: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRequestError, match=message):
        Expectation("courtesy@1.0", **expected)


@pytest.mark.parametrize(
    ("expected", "place"),
    [
        ({"at_least": "0.5"}, "at_least"),
        ({"at_most": True}, "at_most"),
        ({"silent": 5}, "silent"),
        ({"sufficient": "no"}, "sufficient"),
        ({"target": None}, "target"),
    ],
)
def test_what_is_expected_has_a_type(expected: dict[str, Any], place: str) -> None:
    with pytest.raises(WrongTypeError) as told:
        Expectation(**({"target": "courtesy@1.0"} | expected))
    assert told.value.place == place


def test_an_unknown_expectation_is_named() -> None:
    for given in (assert_reading, lambda _, target, **expected: get_assert_for(target, **expected)):
        with pytest.raises(InvalidRequestError, match="unknown expectation `atleast`; what can be expected is at_least, at_most, triggered") as told:
            given("Hello.", "courtesy@1.0", atleast=0.5)
        assert told.value.place == "atleast"


TESTS = '''
import sonometer

def test_kind(assert_reading):
    assert_reading("Thank you so much for your help!", "courtesy@1.0", at_least=0.4)

def test_rude(assert_reading):
    assert_reading("Go away, you fool.", "courtesy@1.0", at_least=0.4)

def test_stays(reading_snapshot):
    sensor = sonometer.Sensor("courtesy@1.0")
    reading_snapshot(sensor.sense("SAID"))
    reading_snapshot(sensor.sense("SAID Good morning."))
'''


def run(folder: pathlib.Path, *options: str) -> str:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


def test_the_plugin(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "test_answers.py"
    file.write_text(TESTS.replace("SAID", "Thank you so much for your help!"), encoding="utf-8")
    told = run(tmp_path)
    assert "the score of courtesy@1.0 is 0.373445, below 0.4" in told and "2 failed, 1 passed" in told
    assert "there is no snapshot __readings__/test_answers.test_stays.json; type: pytest --sonometer-update" in told
    assert "1 passed" in run(tmp_path, "-k", "stays", "--sonometer-update")
    assert "1 passed" in run(tmp_path, "-k", "stays")
    kept = (tmp_path / "__readings__" / "test_answers.test_stays.json").read_text(encoding="utf-8")
    assert kept == Sensor("courtesy@1.0").sense("Thank you so much for your help!").json() + "\n"
    assert (tmp_path / "__readings__" / "test_answers.test_stays-2.json").is_file()
    file.write_text(TESTS.replace("SAID", "Thank you so much for your kindness!"), encoding="utf-8")
    told = run(tmp_path, "-k", "stays")
    # One snapshot for each of two tests of the same name.
    twice = tmp_path / "test_twice.py"
    of_class = "class TestOther:\n    def test_stays(self, reading_snapshot):\n        reading_snapshot(sonometer.Sensor('courtesy@1.0').sense('Go.'))\n"
    twice.write_text(TESTS.replace("SAID", "Thank you!") + of_class, encoding="utf-8")
    for options in (["--sonometer-update"], []):
        assert "2 passed" in run(tmp_path, "-k", "stays", twice.name, *options)
    assert '- "score": 0.494769,\n+ "score": 0.473445,' in told and "1 failed" in told


def test_snapshots_that_cannot_be_are_told(tmp_path: pathlib.Path) -> None:
    tests = '''
import sonometer

def test_text(reading_snapshot):
    reading_snapshot("Thank you!")

def test_number(reading_snapshot):
    reading_snapshot(sonometer.Sensor("courtesy@1.0").sense("Thank you!"), 7)

def test_twice(reading_snapshot):
    for said in ("Thank you!", "Go away!"):
        reading_snapshot(sonometer.Sensor("courtesy@1.0").sense(said), "said")
'''
    (tmp_path / "test_wrong.py").write_text(tests, encoding="utf-8")
    told = run(tmp_path, "--sonometer-update")
    for part in ("a str is not a reading; give what `sense` or `compare` gives", "`name` is an int; give a str", "`said` is compared twice in this test", "3 failed"):
        assert part in told, told
