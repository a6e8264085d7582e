"""Reports: of one reading, of many, and what notebooks show."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import sonometer
from sonometer import InvalidRequestError, Sensor, SonometerError, Stage, WrongTypeError

KIND = "Good morning, thank you so much for your help, could you please look at it once more?"
CURT = "I told you twice already. Why did you not read the message that I sent you yesterday?"
SECRETS = ("anna.schmidt@example.org", "4111 1111 1111 1111", "4111111111111111", "anna.schmidt")
PRIVATE = "My mail is anna.schmidt@example.org and my card is 4111 1111 1111 1111, thank you for all of it."


@pytest.fixture(scope="module")
def courtesy() -> Sensor:
    return Sensor("courtesy@2.0")


def figures(page: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(page.split('class="figures">')[1].split("</script>")[0])
    return found


def test_one_reading(courtesy: Sensor, tmp_path: Path) -> None:
    reading = courtesy.sense([("agent", KIND), ("customer", CURT), ("agent", KIND)])
    page = reading.report("call 7")
    assert f"Why {reading.score:g}?" in page.html() and "call 7" in page.html()
    assert page.to_dict() == figures(page.html())
    assert page.to_dict()["reading"]["score"] == reading.score
    assert str(page) == page.markdown() and page.markdown().startswith("# Courtesy")
    assert "srcdoc" in page._repr_html_() and 'sandbox=""' in page._repr_html_()
    for name, begin in (("a.html", "<!DOCTYPE html>"), ("a.md", "# Courtesy"), ("a.json", '{"sonometer_report":1')):
        page.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begin)
    with pytest.raises(FileNotFoundError):
        page.save(tmp_path / "nowhere" / "a.html")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.json", "a.md"]


def test_many_readings(courtesy: Sensor) -> None:
    texts = [KIND, CURT, "Hm.", KIND, CURT]
    readings = courtesy.batch(texts)
    page = sonometer.report(readings, names=range(5), by=["n", "s", None, "n", float("nan")], by_name="region", data="five notes")
    told = page.to_dict()
    assert (told["talks"], told["measured"]) == (5, 4)
    assert [(group["group"], group["talks"]) for group in told["groups"]["groups"]] == [("n", 2), ("s", 1), ("(no value)", 2)]
    assert "By region" in page.html() and "five notes" in page.html() and repr(page) == "<Page courtesy@2.0 of 5 talks>"
    assert told["worst"][0]["name"] in ("1", "4")


def test_errors_are_counted_and_wrong_arguments_named(courtesy: Sensor) -> None:
    outcomes = courtesy.batch([KIND, [("", "x")], CURT], errors="return")
    assert any(isinstance(outcome, SonometerError) for outcome in outcomes)
    assert sonometer.report(outcomes).to_dict()["errors"] == {"invalid_request": 1}
    with pytest.raises(InvalidRequestError, match="1 values for 2 readings"):
        sonometer.report(courtesy.batch([KIND, CURT]), names=["a"])
    with pytest.raises(InvalidRequestError, match="give `target=`"):
        sonometer.report([])
    with pytest.raises(WrongTypeError, match="a str is not a reading"):
        sonometer.report([KIND])  # type: ignore[list-item]
    with pytest.raises(WrongTypeError, match="^an int is not a reading; give readings"):
        sonometer.report([7])  # type: ignore[list-item]
    with pytest.raises(InvalidRequestError, match="different targets"):
        sonometer.report([courtesy.sense(KIND), Sensor("courtesy@1.0").sense(KIND)])
    wrong: list[tuple[dict[str, Any], str]] = [({"names": "ab"}, "names"), ({"by": 7}, "by"), ({"target": "courtesy"}, "target")]
    for options, place in wrong:
        with pytest.raises(WrongTypeError, match=f"^`{place}` is an? ") as told:
            sonometer.report(courtesy.batch([KIND, CURT]), **options)
        assert told.value.place == place
    with pytest.raises(WrongTypeError, match="^an int is not a list of readings; give a list of readings"):
        sonometer.report(7)  # type: ignore[arg-type]
    # As the name of a file is that holds bytes which are no text.
    assert "a\ufffd.txt" in sonometer.report(courtesy.batch([KIND]), names=["a\udcff.txt"]).markdown()
    empty = sonometer.report([], target=courtesy)
    assert empty.to_dict()["talks"] == 0 and "There are no talks" in empty.html()


def test_nothing_masked_is_shown() -> None:
    private = Sensor("personal-data@2.0")
    reading = private.sense([("anna.schmidt@example.org", PRIVATE), ("agent", "Thank you, I have noted all of this.")])
    page = sonometer.report(
        [reading, reading],
        names=["anna.schmidt@example.org", "4111-1111-1111-1111"],
        by=["anna.schmidt@example.org", "4111111111111111"],
        data="talks of anna.schmidt@example.org.csv",
    )
    session = private.session()
    session.push(PRIVATE)
    shown = [page.html(), page.markdown(), page.json(), page._repr_html_()]
    one = reading.report("anna.schmidt@example.org.txt")
    shown += [one.html(), one.markdown(), one.json(), reading._repr_html_(), session._repr_html_()]
    shown.append(private.compare(PRIVATE, PRIVATE)._repr_html_())
    for text in shown:
        for secret in SECRETS:
            assert secret not in text, (secret, text)


def test_notebooks_show_sessions_comparisons_and_dives(courtesy: Sensor) -> None:
    session = courtesy.session()
    session.push(KIND)
    assert "<mark" in session._repr_html_()
    session.finish()
    assert "finished" in session._repr_html_()
    assert "srcdoc" in courtesy.compare(KIND, CURT)._repr_html_()
    dive = Stage("billing-dispute").open(seed=1)
    assert "would fail" in dive._repr_html_() and "goes on" in dive._repr_html_()
    assert dive.observation.world[:20] in dive._repr_html_()


def test_dives_show_what_was_said_and_mask_it() -> None:
    dive = Stage("billing-dispute").open(seed=1)
    dive.act("I am so sorry about this, I understand.")
    # A card number is what this stage forbids: it ends the dive.
    dive.act(f"{PRIVATE} <b>")
    shown = dive._repr_html_()
    assert "so sorry" in shown and "<mark" in shown and "thank you for all of it" in shown
    assert "**** 1111" in shown and "&lt;b&gt;" in shown and "<b>" not in shown
    for secret in SECRETS:
        assert secret not in shown, secret
    # As many turns as were said: the arrival of the world, then action and answer twice.
    assert shown.count('class="turn"') == 5


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    courtesy = Sensor("courtesy")
    readings = courtesy.batch([KIND, CURT])
    with pytest.raises(WrongTypeError, match="at data"):
        sonometer.report(readings, data=3)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="at by_name"):
        sonometer.report(readings, by=["a", "b"], by_name=3)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="at readings"):
        sonometer.report(readings[0])  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError) as nowhere:
        sonometer.report(readings).save(tmp_path / "nowhere" / "page.html")
    assert nowhere.value.filename == str(tmp_path / "nowhere" / "page.html")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(OSError) as folder:
        sonometer.report(readings).save(tmp_path / "folder.html")
    assert (folder.value.filename, folder.value.filename2) == (str(tmp_path / "folder.html"), None)
    odd: Any
    for odd in (None, 7, b"page.html"):
        with pytest.raises(WrongTypeError, match="`path` is .*; give a path, such as"):
            sonometer.report(readings).save(odd)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.html"]


@pytest.mark.skipif(not hasattr(os, "umask"), reason="no rights here")
def test_a_report_has_the_rights_of_a_new_file(tmp_path: Path) -> None:
    page = Sensor("courtesy").sense(KIND).report()
    before = os.umask(0o027)
    try:
        page.save(tmp_path / "a.md")
        (tmp_path / "b.md").touch()
    finally:
        os.umask(before)
    assert (tmp_path / "a.md").stat().st_mode == (tmp_path / "b.md").stat().st_mode


def test_groups_without_a_value() -> None:
    class NA:
        """As that of pandas: compared with anything it is itself, and neither true nor false."""

        def __ne__(self, other: object) -> NA:  # type: ignore[override]
            return self

        def __bool__(self) -> bool:
            raise TypeError("boolean value of NA is ambiguous")

    readings = Sensor("courtesy").batch([KIND, CURT, KIND])
    groups = sonometer.report(readings, by=["a", NA(), float("nan")]).to_dict()["groups"]["groups"]
    assert [(own["group"], own["talks"]) for own in groups] == [("a", 1), ("(no value)", 2)]
