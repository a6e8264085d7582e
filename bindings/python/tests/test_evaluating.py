"""Labelled rows in every form that people have them in, and the reports that come of them."""

import gzip
import json
import os
import pathlib
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

import sonometer
from sonometer import FitReport, InvalidRequestError, Report, SonometerError, WrongTypeError

KIND = "Thank you so much for the quick answer, it works again now."
RUDE = "Nobody has answered my mail for a week, and it still fails."
ROOT = pathlib.Path(__file__).parents[3]
REQUESTS = ROOT / "fixtures/labelled/requests.jsonl"


def rows(count: int = 24) -> list[dict[str, Any]]:
    """Kind and rude requests; every fourth is labelled the wrong way round."""
    return [
        {"id": f"r{at}", "text": (KIND, RUDE)[at % 2], "polite": (at % 2 == 0) != (at % 4 == 3), "author": "ab"[at % 3 == 0]}
        for at in range(count)
    ]


def columns(count: int = 24) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows(count)] for name in ("id", "text", "polite", "author")}


@pytest.fixture(scope="module")
def expected() -> Report:
    return sonometer.evaluate("courtesy@1.0", rows(), label="polite", marker="gratitude")


def test_a_report_says_what_was_found(expected: Report) -> None:
    assert (expected.kind, expected.label, expected.coverage) == ("whole", "polite", 1.0)
    assert expected.counts == {"true_positives": 12, "false_positives": 0, "false_negatives": 6, "true_negatives": 6}
    assert expected.figures["recall"].value == 0.666667
    low, high = expected.figures["recall"].low, expected.figures["recall"].high
    assert low is not None and high is not None and low < 0.666667 < high
    assert expected.covered == expected.figures
    assert expected.to_dict()["false_negatives"]["worst"][0]["id"] == "r3"
    assert json.loads(expected.json()) == expected.to_dict()
    assert "12 found, 6 missed, 0 false alarms, 6 rightly silent" in str(expected)
    assert "\x1b" not in str(expected)
    assert repr(expected) == "<Report: whole, label polite>"
    with pytest.raises(FrozenInstanceError):
        expected._json = ""  # type: ignore[misc]


def test_a_notebook_shows_the_page_in_a_frame(expected: Report) -> None:
    assert expected.html().startswith("<!DOCTYPE html>")
    shown = expected._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    # The page cannot end the attribute that it stands in.
    assert shown.count('"') == 6


def test_every_form_of_rows_gives_the_same(expected: Report) -> None:
    def lazy() -> Iterator[dict[str, Any]]:
        yield from rows()

    for items in (columns(), lazy(), tuple(rows()), [{**row, "labels": {"polite": row["polite"]}} for row in rows()]):
        assert sonometer.evaluate("courtesy@1.0", items, label="polite", marker="gratitude") == expected
    renamed = [{"who": row["id"], "said": row["text"], "polite": row["polite"]} for row in rows()]
    assert sonometer.evaluate(sonometer.Sensor("courtesy@1.0"), renamed, text="said", id="who", marker="gratitude") == expected


def test_a_column_of_turns_is_found_without_a_name() -> None:
    talks = [{"id": row["id"], "segments": [("agent", row["text"])], "polite": row["polite"]} for row in rows()]
    chats = [{"id": row["id"], "messages": [{"role": "agent", "content": row["text"]}], "polite": row["polite"]} for row in rows()]
    report = sonometer.evaluate("courtesy@1.0", talks, marker="gratitude")
    assert report.counts["true_positives"] == 12
    assert report == sonometer.evaluate("courtesy@1.0", chats, marker="gratitude")


def test_chats_of_other_programs_are_read_from_rows_and_lines(tmp_path: pathlib.Path) -> None:
    talks = [{"id": row["id"], "segments": [("user", row["text"])], "polite": row["polite"]} for row in rows()]
    expected = sonometer.evaluate("courtesy@1.0", talks, marker="gratitude")
    forms: dict[str, Callable[[str], Any]] = {
        "messages": lambda text: [{"id": "1", "role": "user", "parts": [{"type": "text", "text": text}]}],
        "contents": lambda text: [{"role": "user", "parts": [{"text": text}]}],
        "conversations": lambda text: [{"from": "human", "value": text}],
    }
    for name, chat in forms.items():
        chats = [{"id": row["id"], name: chat(row["text"]), "polite": row["polite"]} for row in rows()]
        assert sonometer.evaluate("courtesy@1.0", chats, marker="gratitude") == expected, name
        # As tables hold what has no type of their own.
        written = [{**row, name: json.dumps({name: row[name]})} for row in chats]
        assert sonometer.evaluate("courtesy@1.0", written, marker="gratitude") == expected, name
        file = tmp_path / f"{name}.jsonl"
        lines = [{"id": row["id"], name: row[name], "labels": {"polite": row["polite"]}} for row in chats]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        assert sonometer.evaluate("courtesy@1.0", file, marker="gratitude").counts == expected.counts, name
    with pytest.raises(sonometer.InvalidRequestError, match="content") as raised:
        sonometer.evaluate("courtesy@1.0", [{"messages": [{"role": "user"}], "polite": True}])
    assert raised.value.place == "items[0].messages[0].content"


def test_pandas(expected: Report) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas cannot be installed")
    frame = pandas.DataFrame(columns())
    assert sonometer.evaluate("courtesy@1.0", frame, label="polite", marker="gratitude") == expected
    # A label that is missing is no label.
    frame["maybe"] = frame["polite"].astype("boolean").where(frame.index < 20)
    assert sonometer.evaluate("courtesy@1.0", frame, label="maybe").to_dict()["data"]["left_out"] == 4
    frame["grade"] = frame["polite"].astype("float").where(frame.index < 22)
    assert sonometer.evaluate("courtesy@1.0", frame, label="grade", graded=True).kind == "graded"


def test_pyarrow(expected: Report) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow cannot be installed")
    assert sonometer.evaluate("courtesy@1.0", pyarrow.table(columns()), label="polite", marker="gratitude") == expected


def test_polars(expected: Report) -> None:
    polars = pytest.importorskip("polars", reason="polars cannot be installed")
    frame = polars.DataFrame(columns())
    assert sonometer.evaluate("courtesy@1.0", frame, label="polite", marker="gratitude") == expected
    with pytest.raises(WrongTypeError, match=r"frame\.collect\(\)"):
        sonometer.evaluate("courtesy@1.0", frame.lazy(), label="polite")
    series = {name: frame[name] for name in frame.columns}
    assert sonometer.evaluate("courtesy@1.0", series, label="polite", marker="gratitude") == expected


def test_a_file_of_lines_is_what_the_command_reads() -> None:
    report = sonometer.evaluate("courtesy@1.5", REQUESTS, label="polite", threshold=0.4, by="author")
    told = report.to_dict()
    lines = [json.loads(line) for line in REQUESTS.read_text(encoding="utf-8").splitlines()]
    assert (told["data"]["file"], told["data"]["items"]) == (str(REQUESTS), len(lines))
    assert told["rule"]["positive_if"] == "score ≥ 0.4"
    assert [part["value"] for part in told["by"]["parts"]] == sorted({line["labels"]["author"] for line in lines})
    # The same lines as values: only the name of the file is another.
    again = sonometer.evaluate("courtesy@1.5", lines, label="polite", threshold=0.4, by="author").to_dict()
    assert {**again, "data": None} == {**told, "data": None}


def test_the_other_kinds() -> None:
    talk = [("agent", "I am so sorry about that."), ("customer", "It still fails.")]
    segments = [{"interaction": talk, "sorry": [True, None]}, {"interaction": talk[::-1], "sorry": [False, True]}]
    assert sonometer.evaluate("courtesy@1.5", segments, marker="apology").kind == "segments"
    mail = [{"content": "Write to ann@example.org today.", "found": [{"type": "MAIL", "start": 9, "end": 24}]}]
    report = sonometer.evaluate("personal-data@1.0", mail, map={"MAIL": "email_address"})
    assert (report.kind, report.figures["exact_f1"].value) == ("spans", 1.0)
    assert sonometer.evaluate("personal-data@1.0", mail, map="MAIL=email_address") == report
    pairs = [{"interaction_a": KIND, "interaction_b": RUDE, "kinder": "a"}] * 3
    report = sonometer.evaluate("courtesy@1.5", pairs)
    assert (report.kind, report.figures["accuracy"].value) == ("pairs", 1.0)
    named = [{"one": KIND, "two": RUDE, "kinder": "one"}] * 3
    again = sonometer.evaluate("courtesy@1.5", named, text=("one", "two"), positive="one", negative="two")
    assert again.figures == report.figures


def test_classes_and_conditions_as_python_has_them() -> None:
    found = [
        sonometer.evaluate(
            "courtesy@1.0", rows(), label="polite", positive=positive, where=where, marker="gratitude"
        ).counts
        for positive, where in (
            (True, {"author": "a"}),
            ([True], {"author": ["a"]}),
            ("true", "author=a"),
            ("true", ["author=a"]),
        )
    ]
    assert found[0]["true_positives"] == 8 and all(counts == found[0] for counts in found)


@pytest.mark.parametrize(
    ("items", "options", "place", "said"),
    [
        ([{"text": KIND, "polite": "yes"}], {}, "items[0].labels.polite", "say which values are positive with `positive`"),
        ([{"text": KIND, "polite": True}, {"text": None, "polite": True}], {}, "items[1].text", "the value is missing"),
        ([{"said": [("agent", 5)], "polite": True}], {"text": "said"}, "items[0].said.segments[0].content", "an int"),
        ([{"text": KIND, "polite": object()}], {}, "items[0].labels.polite", "cannot be written as JSON"),
        ([{"text": KIND, "a": 1, "b": 1}], {}, "items", "choose one with `label`"),
        ([{"text": KIND, "polite": True}], {"label": "polit"}, "items", "did you mean `polite`?"),
        ([{"said": KIND, "polite": True}], {}, "items[0]", "give the column of the texts as `text`"),
        ([{"text": KIND, "polite": 1}, {"polite": 1}], {}, "items[1]", "the row has no `text`"),
        ([{"text": KIND}, KIND], {}, "items[1]", "str is not a row"),
        ({"text": [KIND, RUDE], "polite": [True]}, {}, "items", "`text` has 2, `polite` has 1"),
        ([], {}, "items", "there are no labelled items"),
        (KIND, {}, "items", "is not a list of labelled rows"),
        (7, {}, "items", "is not a list of labelled rows"),
        ([{"text": KIND, "polite": True}], {"threshold": 2}, "threshold", "from 0 to 1, or `best`"),
        ([{"text": KIND, "polite": True}], {"unit": "words"}, "unit", "give whole, segments or spans"),
        ([{"text": KIND, "polite": True}], {"positive": ">=high"}, "positive", "is not a decimal number"),
        ([{"text": KIND, "polite": True}], {"map": "MAIL"}, "map", "write a label type"),
    ],
)
def test_mistakes_have_a_place(items: Any, options: dict[str, Any], place: str, said: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        sonometer.evaluate("courtesy@1.0", items, **options)
    assert (caught.value.place, said in caught.value.message) == (place, True), caught.value
    assert "--" not in caught.value.message


def test_wrong_types_are_type_errors() -> None:
    for items in (7, [7]):
        with pytest.raises(WrongTypeError):
            sonometer.evaluate("courtesy@1.0", items)
    with pytest.raises(FileNotFoundError):
        sonometer.evaluate("courtesy@1.0", "nowhere.jsonl")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"fold": 1}, "`fold` is an int; its type is str | None"),
        ({"errors": -1}, "`errors` is -1; give 0 or more"),
        ({"errors": 10**30}, "give a smaller number"),
        ({"offsets": None}, "`offsets` is None; its type is Literal['bytes', 'chars', 'utf16']"),
        ({"marker": 3}, "`marker` is an int; give a str or a list of them"),
        ({"map": 3}, "`map` is an int"),
        ({"where": 3}, "`where` is an int"),
        ({"where": {"polite": None}}, "`where` has None for `polite`; give a text, a number"),
        ({"text": ()}, "`text` is not the name of a column; give the name of a column, or two of them for pairs"),
        ({"id": []}, "`id` is not the name of a column"),
        ({"progress": 3}, "`progress` is an int; give a function that takes two numbers"),
        ({"threshold": [1]}, "`threshold` is a list; give a number"),
    ],
)
def test_options_of_a_wrong_type_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(WrongTypeError) as caught:
        sonometer.evaluate("courtesy@1.0", rows(), label="polite", **options)
    assert said in caught.value.message and caught.value.place == next(iter(options))


def test_one_of_several_of_a_wrong_type_is_named() -> None:
    for name in ("marker", "map", "where"):
        with pytest.raises(WrongTypeError, match=f"`{name}` has an int; give a str or a list of them") as caught:
            sonometer.evaluate("courtesy@1.0", rows(), label="polite", **{name: ["gratitude", 3]})  # type: ignore[arg-type]
        assert caught.value.place == f"{name}[1]"
    with pytest.raises(InvalidRequestError, match="`alarms` is larger than a float can be"):
        sonometer.evaluate("courtesy@1.0", rows(), label="polite", alarms=10**400)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"folds": "5"}, "`folds` is a str; its type is int"),
        ({"words": 300}, "`words` is 300; give a smaller number"),
        ({"protocol_id": 3}, "`protocol_id` is an int"),
        ({"regularisation": "x"}, "`regularisation` is a str"),
        ({"stop_list": 3}, "`stop_list` is an int"),
        ({"patterns": 3}, "`patterns` is an int"),
        ({"features": 3}, "`features` is an int"),
    ],
)
def test_options_of_fit_of_a_wrong_type_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(WrongTypeError) as caught:
        sonometer.fit(rows(), marker="kindness", label="polite", **options)
    assert said in caught.value.message and caught.value.place == next(iter(options))


def test_messages_name_options_as_python_does() -> None:
    with pytest.raises(InvalidRequestError, match="add `unit` spans or `choice`, or remove it"):
        sonometer.evaluate("courtesy@1.0", rows(), label="polite", map={"A": "gratitude"})
    # Only one of both can rank.
    with pytest.raises(InvalidRequestError, match="or rank by them with `graded` of `evaluate`"):
        sonometer.fit([{**row, "grade": 0.5} for row in rows()], marker="kindness", label="grade")
    with pytest.raises(InvalidRequestError, match="`background` does not apply to `choice`"):
        sonometer.fit(rows(), choice="author", background=["See you."])


def test_a_file_may_hold_the_rows_of_a_table(tmp_path: pathlib.Path, expected: Report) -> None:
    def lines(name: str, rows: list[dict[str, Any]]) -> pathlib.Path:
        file = tmp_path / name
        # Lines that are empty do not count.
        file.write_text("\n\n".join(map(json.dumps, rows)), encoding="utf-8")
        return file

    file = lines("rows.jsonl", rows())
    told = expected.to_dict()
    for source in (file, str(file)):
        # Only the name of the file and the lines of errors are others.
        read = sonometer.evaluate("courtesy@1.0", source, label="polite", marker="gratitude").to_dict()
        assert (read["data"]["file"], read["figures"], read["markers"]) == (str(file), told["figures"], told["markers"])
    renamed = lines("renamed.jsonl", [{"said": row["text"], "name": row["id"], "polite": row["polite"], "author": row["author"]} for row in rows()])
    read = sonometer.evaluate("courtesy@1.0", renamed, text="said", id="name", label="polite", marker="gratitude", fold="1/2").to_dict()
    assert read["figures"] == sonometer.evaluate("courtesy@1.0", rows(), label="polite", marker="gratitude", fold="1/2").to_dict()["figures"]
    talk = lines("talk.jsonl", [{"text": "See you at nine."}] * 20)
    assert sonometer.evaluate("courtesy@1.0", file, label="polite", background=talk).to_dict()["alarms"]
    names = "anna ben carla dora emil finn gina hugo ina jan kim lea".split()
    kind = [{"said": f"thanks {name}", "kind": True} for name in names] + [{"said": f"{name} wants more", "kind": False} for name in names]
    fitted = sonometer.fit(lines("kind.jsonl", kind), text="said", marker="kindness", label="kind", likeness=False, background=[talk, talk])
    assert "thanks" in fitted.protocol

    def place(items: Any, **options: Any) -> str:
        with pytest.raises(SonometerError) as caught:
            sonometer.evaluate("courtesy@1.0", items, **options)
        return caught.value.place.removeprefix(str(tmp_path) + os.sep)

    broken = lines("broken.jsonl", [{"text": KIND, "polite": True}, {"text": KIND, "polite": "yes"}, {"text": None, "polite": True}])
    assert place(broken, label="polite") == "broken.jsonl:5: text"
    assert place(lines("word.jsonl", [{"text": KIND, "polite": True}, {"text": KIND, "polite": "yes"}]), label="polite") == "word.jsonl:3: labels.polite"
    assert place(renamed, text="words") == "renamed.jsonl:1"
    assert place(rows(), label="polite", background=lines("gaps.jsonl", [{"text": "Hi."}, {"text": None}])) == "gaps.jsonl:3: text"
    (tmp_path / "cut.jsonl").write_text('{"text": "Hi.", "polite": true}\n{"text": ', encoding="utf-8")
    assert place(tmp_path / "cut.jsonl") == "cut.jsonl:2:9"
    (tmp_path / "list.jsonl").write_text('{"text": "Hi.", "polite": true}\n[]', encoding="utf-8")
    assert place(tmp_path / "list.jsonl") == "list.jsonl:2"
    pairs = lines("pairs.jsonl", [{"one": KIND, "two": RUDE, "kinder": "one"}] * 3)
    assert sonometer.evaluate("courtesy@1.5", pairs, text=("one", "two"), positive="one", negative="two").kind == "pairs"
    with pytest.raises(InvalidRequestError, match="there is no column `words` for `text`; the columns are"):
        sonometer.evaluate("courtesy@1.0", renamed, text="words")
    wide = tmp_path / "wide.jsonl"
    wide.write_text(json.dumps(rows()[0]), encoding="utf-16")
    with pytest.raises(InvalidRequestError, match="is UTF-16, and UTF-8 is read; save it as UTF-8, or type `iconv -f UTF-16 -t UTF-8 IN > OUT`"):
        sonometer.evaluate("courtesy@1.0", wide)


def test_a_file_that_is_a_table_is_read_first() -> None:
    for name, reader in (("a.csv", "read_csv"), ("a.parquet", "read_parquet"), ("a.xlsx", "read_excel")):
        for source in (name, pathlib.Path(name)):
            with pytest.raises(InvalidRequestError, match=rf"{name} is a table; give its rows, such as pandas\.{reader}\('{name}'\)"):
                sonometer.evaluate("courtesy@1.0", source)
            with pytest.raises(InvalidRequestError, match=reader) as caught:
                sonometer.evaluate("courtesy@1.0", rows(), label="polite", background=source)
            assert caught.value.place == "background"


def test_a_file_that_holds_no_lines_is_told_with_what_reads_it(tmp_path: pathlib.Path) -> None:
    (tmp_path / "rows.json").write_text(json.dumps(rows()), encoding="utf-8")
    (tmp_path / "rows.jsonl.gz").write_bytes(gzip.compress(b"".join(json.dumps(row).encode() + b"\n" for row in rows())))
    for name, said in (("rows.json", r"one list of JSON; give its rows, such as json\.loads"), ("rows.jsonl.gz", r"compressed; give its rows, such as pandas\.")):
        for source in (tmp_path / name, str(tmp_path / name)):
            with pytest.raises(InvalidRequestError, match=said):
                sonometer.evaluate("courtesy@1.0", source, label="polite")
    lines = tmp_path / "lines.json"
    lines.write_text("\n".join(map(json.dumps, rows())), encoding="utf-8")
    assert sonometer.evaluate("courtesy@1.0", str(lines), label="polite").kind == "whole"


def test_classes_are_values_of_tables(expected: Report) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas cannot be installed")
    numpy = pytest.importorskip("numpy", reason="numpy cannot be installed")
    frame = pandas.DataFrame(columns())
    frame["grade"] = frame["polite"].astype(int)
    frame["day"] = pandas.date_range("2026-01-01", periods=len(frame))
    counts = expected.counts
    for positive in (numpy.int64(1), numpy.array([1]), frame["grade"].max(), {1}, pandas.Series([1.0]), numpy.True_):
        label = "polite" if isinstance(positive, numpy.bool_) else "grade"
        assert sonometer.evaluate("courtesy@1.0", frame, label=label, positive=positive, marker="gratitude").counts == counts, positive
    day = sonometer.evaluate("courtesy@1.0", frame, label="polite", where={"day": frame["day"][2]})
    assert day.to_dict()["data"]["items"] == 1
    for odd in ({"a": 1}, [None], object()):
        with pytest.raises(WrongTypeError, match="a text, a number, True, False, or a list") as caught:
            sonometer.evaluate("courtesy@1.0", frame, label="grade", positive=odd)  # type: ignore[arg-type]
        assert caught.value.place == "positive"


def test_columns_that_json_has_not(expected: Report) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas cannot be installed")
    frame = pandas.DataFrame(columns())
    frame["took"] = pandas.to_timedelta(frame.index, unit="s")
    frame["part"] = pandas.cut(frame.index, 3)
    frame["month"] = pandas.period_range("2026-01", periods=len(frame), freq="M")
    frame["raw"] = [b"caf\xe9"] * len(frame)
    assert sonometer.evaluate("courtesy@1.0", frame, label="polite", marker="gratitude").counts == expected.counts
    assert sonometer.evaluate("courtesy@1.0", frame, label="took", graded=True).kind == "graded"
    assert sonometer.evaluate("courtesy@1.0", frame, label="month", positive="2026-02").counts["true_positives"] <= 1
    # A table without a header.
    bare = pandas.DataFrame([[row["text"], row["polite"]] for row in rows()])
    assert sonometer.evaluate("courtesy@1.0", bare, text=0, label=1, marker="gratitude").counts == expected.counts


def test_progress_is_called_and_may_raise() -> None:
    seen: list[tuple[int, int]] = []
    sonometer.evaluate("courtesy@1.0", rows(400), label="polite", progress=lambda done, of: seen.append((done, of)))
    # Sensed, compared, measured: nothing stands at its end while something else goes on.
    assert [of for at, (_, of) in enumerate(seen) if at == 0 or seen[at - 1][1] != of] == [400, 41, 4] and seen[-1] == (4, 4)
    for total in (400, 41, 4):
        own = [done for done, of in seen if of == total]
        assert own == sorted(own) and own[-1] == total

    class Enough(Exception):
        pass

    def stop(_done: int, _of: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        sonometer.evaluate("courtesy@1.0", rows(400), label="polite", progress=stop)


@pytest.fixture
def listening() -> Iterator[None]:
    """The process listens to Ctrl-C, also where it was started in the background by a shell that lets it ignore that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_ctrl_c_stops_it() -> None:
    text = f"{KIND} {RUDE} " * 60
    many = [{"text": text, "polite": at % 2 == 0} for at in range(8_000)]
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    # However quick the machine is, the key is pressed while something is evaluated: this takes minutes.
    with pytest.raises(KeyboardInterrupt):
        for _ in range(500):
            sonometer.evaluate("courtesy@1.0", many, label="polite")


@pytest.mark.usefixtures("listening")
def test_ctrl_c_in_a_callback_stops_it() -> None:
    seen: list[int] = []

    def press(done: int, total: int) -> None:
        seen.append(done)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sonometer.evaluate("courtesy@1.0", rows(6_000), label="polite", progress=press)
    assert len(seen) == 1


def test_other_threads_go_on() -> None:
    many, ticks, done = rows(6_000), [0], threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    sonometer.evaluate("courtesy@1.0", many, label="polite")
    done.set()
    thread.join()
    assert ticks[0] > 5


def test_thresholds_say_what_they_cost(expected: Report) -> None:
    own = expected.thresholds[-1]
    told = expected.to_dict()["thresholds"][-1]
    assert own.limit is None and own.alarms is None
    assert own.low <= own.value <= own.high
    assert (own.value, own.macro_f1) == (told["threshold"], told["macro_f1"])
    assert (own.right, own.wrong) == (told["changed"]["right"], told["changed"]["wrong"])
    assert "only 6 cases are negative, so few items decide the proposed thresholds; label at least 30 of each class" in expected.notes
    assert any("give some with `background`" in note for note in expected.notes)    # `--background` in the command


def test_ordinary_talk_has_alarms(tmp_path: pathlib.Path) -> None:
    talk = ["Thanks, see you at nine.", "Where does the bus leave?"] * 5
    asked: dict[str, Any] = {"label": "polite", "marker": "gratitude"}
    report = sonometer.evaluate("courtesy@1.0", rows(), background=talk, alarms=0.02, **asked)
    told = report.to_dict()["alarms"]
    assert (told["turns"], told["per_piece"]["of"], told["limit"]) == (1, 10, 0.02)
    assert report.alarms["per_piece"].value == told["per_piece"]["value"] == report.alarms["per_talk"].value
    assert sonometer.evaluate("courtesy@1.0", rows(), **asked).alarms == {}
    file = tmp_path / "talk.jsonl"
    file.write_text("".join(json.dumps({"content": text}) + "\n" for text in talk))
    of_file = sonometer.evaluate("courtesy@1.0", rows(), background=[file], alarms=0.02, **asked).to_dict()["alarms"]
    assert {**of_file, "background": "", "sha256": ""} == {**told, "background": "", "sha256": ""}
    fitted = sonometer.fit(rows(60), marker="kindness", label="polite", background=talk, likeness=False, sufficient=0.1)
    assert [threshold.limit for threshold in fitted.thresholds][-1] is None and len(fitted.thresholds) > 1
    assert all(threshold.alarms is not None for threshold in fitted.thresholds)
    assert set(fitted.alarms) == {"per_piece", "per_talk"}
    with pytest.raises(InvalidRequestError) as raised:
        sonometer.fit(rows(60), marker="kindness", label="polite", alarms=0.1, likeness=False)
    assert "`background`" in str(raised.value)


def test_ordinary_talk_is_rows_or_interactions() -> None:
    own = [{"said": KIND, "polite": True}, {"said": RUDE, "polite": False}]
    talks: list[Any] = [iter([KIND]), {"said": [KIND]}, [{"said": KIND}], [{"segments": [{"role": "a", "content": KIND}]}], [{"text": KIND}]]
    for talk in talks:
        assert sonometer.evaluate("courtesy@1.0", own, text="said", background=talk).to_dict()["alarms"]["per_talk"]["of"] == 1
    wrong: list[tuple[Any, str]] = [
        (KIND, "background"), (7, "background"), ([{"text": KIND}, KIND], "background[1]"), ([{"a": 1}], "background[0]")
    ]
    for talk, place in wrong:
        with pytest.raises(InvalidRequestError) as raised:
            sonometer.evaluate("courtesy@1.0", own, text="said", background=talk)
        assert raised.value.place == place


def test_a_fit_is_a_protocol() -> None:
    report = sonometer.fit(rows(40), marker="kindness", label="polite", language="en", sufficient=0.1, likeness=False)
    assert isinstance(report, FitReport) and report.is_better
    assert report.sensor().sense(KIND).triggered == ("kindness",)
    assert report.held_out["macro_f1"] == report.to_dict()["held_out"]["macro_f1"] > 0.5
    assert "sha-256" in report.protocol and "held out" in str(report)
    assert "out" not in report.to_dict()
    assert sonometer.fit(columns(40), marker="kindness", label="polite", language="en", sufficient=0.1, likeness=False) == report
    with pytest.raises(InvalidRequestError, match="`likeness=False`"):
        sonometer.fit(rows(40), marker="kindness", label="polite", language="en", sufficient=0.1)
    narrow = sonometer.fit(rows(40), marker="kindness", label="polite", stop_list=["thank"], patterns=["so much"], size=3, likeness=False)
    assert narrow.to_dict()["lines"] <= 3


def test_languages_are_recognised() -> None:
    options: dict[str, Any] = {"marker": "kindness", "label": "polite", "sufficient": 0.1, "likeness": False}
    one = sonometer.fit(rows(40), language="auto", **options)
    assert list(one.languages) == ["en"] and one.protocol == one.languages["en"].protocol
    assert one.protocol == sonometer.fit(rows(40), language="en", **options).protocol
    assert one.held_out["macro_f1"] > 0.5 and "en, recognised in 40 of 40 items" in str(one)
    german = [
        {"text": f"{'Danke, das ist sehr nett' if at % 2 else 'Warum ist das noch nicht da'}, Nummer {at}", "polite": bool(at % 2)}
        for at in range(30)
    ]
    both = sonometer.fit(rows(40) + german, language="auto", **options)
    assert repr(both) == "<FitReport: en, de>"
    assert [own["items"] for own in both.to_dict()["languages"]] == [40, 30]
    assert both.languages["de"].sensor().sense("Danke, sehr nett, das ist gut").triggered == ("kindness",)
    assert "id: kindness-de" in both.languages["de"].protocol and "kindness-de" not in both.languages["en"].protocol
    for value in ("protocol", "held_out", "training", "alarms"):
        with pytest.raises(InvalidRequestError, match=r'`report.languages\["en"\]`'):
            getattr(both, value)
    assert not sonometer.fit(rows(40), language="en", **options).languages


def test_hand_written_lines_and_words_end_in_one_file() -> None:
    source = "\n".join(
        [
            "sonometer: 1",
            "id: kind",
            'version: "1"',
            "taxonomy: Signal",
            "language: en",
            "fidelity: {words: 1, sufficient: 0.1}",
            "lists:",
            "  gratitude: thank you | thanks",
            "markers:",
            "  - label: other",
            "    strong: |",
            "      @gratitude ..2.. much   # said by hand",
            "    hit: |",
            "      Thank you so much.",
        ]
    )
    report = sonometer.fit(rows(40), marker="kindness", label="polite", patterns=source, likeness=False)
    assert report.to_dict()["by_hand"]["of"] == 2
    assert "- label: kindness" in report.protocol
    assert report.protocol.endswith(source[source.index("  - label: other") :])
    with pytest.raises(sonometer.InvalidRequestError, match="remove `language`"):
        sonometer.fit(rows(40), marker="kindness", label="polite", patterns=source, language="en")


def test_a_choice_has_a_marker_for_each_value() -> None:
    said = {"yes": "of course it is here", "no": "sorry that cannot be", "part": "half of it works"}
    kinds = [(n, kind) for n in range(12) for kind in said]
    answers = [{"text": f"{said[kind]} {n}", "kind": kind} for n, kind in kinds]
    report = sonometer.fit(answers, choice="kind", sufficient=0.1, likeness=False)
    assert report.thresholds == ()
    assert report.held_out["macro_f1"] == 1.0 and "macro-F1 1.0" in repr(report)
    resonance = report.sensor().sense("sorry, that cannot be").resonance
    assert max(resonance, key=lambda label: resonance[label]) == "no"


def test_pairs_are_ranked() -> None:
    pairs = [
        {"interaction_a": f"because it helps {n}", "interaction_b": f"whatever it does {n}", "more": "a"} for n in range(30)
    ]
    report = sonometer.fit(pairs, marker="sense", label="more", sufficient=0.1, likeness=False)
    assert report.held_out["accuracy"] == 1.0 and "accuracy 1.0" in repr(report)


def test_a_protocol_is_tuned() -> None:
    source = "\n".join(
        [
            "sonometer: 1",
            "id: shop",
            'version: "1"',
            "taxonomy: Signal",
            "fidelity: {sufficient: 0.1}",
            "markers:",
            "  - label: kindness",
            "    trigger: 0.95",
            "    clear: |",
            "      thank you",
            "    hit: |",
            "      thank you",
        ]
    )
    report = sonometer.fit(rows(40), tune=source, label="polite", likeness=False)
    assert report.is_better and "trigger 0.95 →" in str(report)
    assert sonometer.Sensor.from_source(report.protocol).sense(KIND).triggered == ("kindness",)
    with pytest.raises(SonometerError) as caught:
        sonometer.fit(rows(40), tune=source, marker="other", label="polite")
    assert "choose one with `marker`: kindness" in caught.value.message
    with pytest.raises(InvalidRequestError, match="`marker` is not given"):
        sonometer.fit(rows(40), label="polite")
    with pytest.raises(InvalidRequestError, match="at least 10 are needed"):
        sonometer.fit(rows(8), marker="kindness", label="polite")


def test_which_of_several_markers_holds() -> None:
    protocol = sonometer.Sensor(
        "sonometer: 1\nid: kinds\nversion: '1'\ntaxonomy: Signal\nscore: any\nfidelity: {sufficient: 0.1}\nmarkers:\n"
        "- {label: thanks, strong: thank you, hit: thank you}\n- {label: ask, strong: could you, hit: could you}\n"
    )
    columns = {
        "text": ["Thank you for all of this.", "Could you look at it again?", "Nothing of it works here."],
        "kind": ["thanks", "ask", "other"],
    }
    report = sonometer.evaluate(protocol, columns, label="kind", choice="highest")
    assert report.kind == "choice"
    assert report.figures["accuracy"].value == 1.0
    with pytest.raises(sonometer.errors.InvalidRequestError, match="one value at most may have no marker"):
        sonometer.evaluate(protocol, columns | {"kind": ["a", "b", "c"]}, label="kind", choice="first")
    with pytest.raises(sonometer.errors.InvalidRequestError, match="choice"):
        sonometer.evaluate(protocol, columns, label="kind", choice="last")  # type: ignore[arg-type]


def test_options_that_would_do_nothing_are_refused() -> None:
    rows = [{"text": "Thank you.", "kind": True}, {"text": "No.", "kind": False}]
    with pytest.raises(sonometer.InvalidRequestError, match="`background` is not given") as refused:
        sonometer.evaluate("courtesy", rows, label="kind", alarms=0.01)
    assert refused.value.place == "alarms"
    for option, given in (("weigh", True), ("stop_list", "function-word")):
        settings: dict[str, Any] = {option: given}
        with pytest.raises(sonometer.InvalidRequestError) as refused:
            sonometer.fit(rows, marker="kindness", label="kind", **settings)
        assert refused.value.place == option
