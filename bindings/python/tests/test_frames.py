"""Columns in, columns of the same kind out; what a row says is what it says alone."""

from typing import Any

import pytest

from sonometer import Frame, InvalidRequestError, Sensor, WrongTypeError, fingerprint

TEXTS = [
    "Thank you so much for the help, could you please look again?",
    None,
    "Hm.",
    "😀 Good morning to all of you, thank you, and sorry for the delay of my answer.",
] * 50
TALK = [
    {"role": "agent", "content": "Hello, what can I do for you on this day?", "timestamp": 0.0},
    {"role": "customer", "content": "Thank you so much for asking, could you please call me back?", "timestamp": 2.5},
]

pyarrow: Any = pytest.importorskip("pyarrow", reason="pyarrow cannot be installed")


@pytest.fixture(scope="module")
def courtesy() -> Sensor:
    return Sensor("courtesy")


def test_a_row_says_what_its_text_says_alone(courtesy: Sensor) -> None:
    columns = ("score", "sufficient", "fidelity", "resonance", "triggered", "evidence", "ics", "json")
    table = courtesy.frame(pyarrow.array(TEXTS), columns=columns)
    assert table.column_names == [*columns, "error"]
    for text, row in zip(TEXTS, table.to_pylist(), strict=True):
        if text is None:
            assert set(row.values()) == {None}
            continue
        reading = courtesy.sense(text)
        assert (row["score"], row["sufficient"], row["fidelity"]) == (reading.score, reading.sufficient, reading.fidelity.index)
        assert row["json"] == reading.json(profile="detailed")
        if not reading.sufficient:
            assert row["evidence"] is row["triggered"] is row["resonance"] is None
            continue
        assert tuple(row["triggered"]) == reading.triggered
        assert row["resonance"] == dict(reading.resonance)
        assert row["ics"]["consumed"] == len(reading.triggered)
        pieces = [(piece["metamarker"], piece["score"], piece["start"], piece["end"], piece["source"]) for piece in row["evidence"]]
        assert pieces == [(found.metamarker, found.score, found.start, found.end, found.source) for found in reading.evidence]
        assert all(text[piece["start"] : piece["end"]] == piece["source"] for piece in row["evidence"])


def test_what_measured_stands_in_the_metadata(courtesy: Sensor) -> None:
    metadata = courtesy.frame(pyarrow.array(TEXTS)).schema.metadata
    assert metadata[b"sonometer.target"] == b"protocol courtesy@" + courtesy.version.encode()
    assert metadata[b"sonometer.protocols"].endswith(courtesy.digest.encode())
    assert metadata[b"sonometer.engine"].decode() == fingerprint()


def test_the_form_and_the_cuts_change_nothing(courtesy: Sensor) -> None:
    whole = pyarrow.array(TEXTS)
    expected = courtesy.frame(whole, columns=["score", "evidence"])
    forms = [
        pyarrow.array(TEXTS, pyarrow.large_string()),
        pyarrow.array(TEXTS, pyarrow.string_view()),
        whole.dictionary_encode(),
        pyarrow.chunked_array([whole[:3], whole[3:3], whole[3:]]),
        pyarrow.table({"text": whole}),
    ]
    for form in forms:
        assert courtesy.frame(form, columns=["score", "evidence"], threads=3).equals(expected)
    assert courtesy.frame(whole[5:90], columns=["score", "evidence"]).equals(expected.slice(5, 85))
    assert courtesy.frame(whole[:0]).num_rows == 0
    assert courtesy.frame(pyarrow.nulls(3))["score"].null_count == 3


def test_conversations(courtesy: Sensor) -> None:
    table = courtesy.frame(pyarrow.array([TALK, None, []]), columns=["json", "evidence", "temporal"])
    first, second, third = table.to_pylist()
    reading = courtesy.sense({"segments": TALK})
    assert first["json"] == reading.json(profile="detailed")
    assert {piece["turn"] for piece in first["evidence"]} == {0, 1}
    assert set(second.values()) == {None}
    assert third["error"] == "segments: a transcript needs at least one segment"
    as_json = courtesy.frame(pyarrow.array(['{"content": "Thank you so much for this, friend."}', "{"]), input="json")
    assert as_json["score"].null_count == 1 and as_json["error"].null_count == 1


def test_polars(courtesy: Sensor) -> None:
    polars = pytest.importorskip("polars", reason="polars cannot be installed")
    series = polars.Series("text", TEXTS)
    found = courtesy.frame(series, columns=["score", "evidence"])
    assert isinstance(found, polars.DataFrame)
    assert found["score"].to_list() == courtesy.frame(pyarrow.array(TEXTS))["score"].to_pylist()
    import sonometer.polars as _namespace  # noqa: F401, PLC0415

    lazy = polars.LazyFrame({"text": series}).select(
        polars.col("text").sonometer.score("courtesy").alias("score"),
        polars.col("text").sonometer.sense(courtesy, ["triggered"]).struct.field("triggered"),
        polars.col("text").sonometer.mask("personal-data").alias("shown"),
    )
    for engine in ("in-memory", "streaming"):
        rows = lazy.collect(engine=engine)
        assert rows["score"].to_list() == found["score"].to_list()
        assert rows["triggered"][0].to_list() == list(courtesy.sense(TEXTS[0] or "").triggered)
    of_series = series.sonometer.sense("courtesy", ["score", "evidence"])
    assert of_series.struct.unnest().equals(found) and of_series.name == "text"
    assert series.sonometer.score("courtesy").to_list() == found["score"].to_list()
    assert series.sonometer.fidelity("courtesy").null_count() == series.null_count()
    card = polars.Series("text", ["My card is 4111 1111 1111 1111, call me.", None])
    assert card.sonometer.mask("personal-data").equals(Sensor("personal-data").mask_column(card))
    masked = Sensor("personal-data").mask_column(card)
    assert isinstance(masked, polars.Series) and masked.name == "text"
    assert "4111 1111 1111 1111" not in masked[0] and masked[1] is None
    nothing = polars.Series("text", [None, None])
    with pytest.warns(UserWarning, match="`courtesy@2.0` masks nothing: none of its markers has the key `mask`"):
        assert courtesy.frame(nothing)["score"].to_list() == [None, None] == courtesy.mask_column(nothing).to_list()


def test_conversations_in_polars(courtesy: Sensor) -> None:
    polars = pytest.importorskip("polars", reason="polars cannot be installed")
    import sonometer.polars as _namespace  # noqa: F401, PLC0415

    alone = courtesy.sense([("agent", TEXTS[0] or "")]).score
    # Nobody has a time, so its type is that of nothing but nulls.
    talk = {"role": "agent", "content": TEXTS[0], "timestamp": None}
    found = courtesy.frame(polars.Series("talk", [[talk], []]), columns="score")
    assert found["score"].to_list() == [alone, None]
    assert found["error"].to_list() == [None, "segments: a transcript needs at least one segment"]
    silent: list[list[list[dict[str, str | None]]]] = [[[]], [[{"role": None, "content": "a"}]], [[{"role": "a", "content": None}]]]
    for nobody in silent:
        assert courtesy.frame(polars.Series("talk", nobody))["error"].null_count() == 0
    assert polars.Series("talk", [[talk]]).sonometer.sense(courtesy, "score").struct.field("score").to_list() == [alone]

    mail = polars.Series("talk", [[{"role": "a", "content": "jo@example.com"}]])
    assert mail.sonometer.mask("personal-data").to_list()[0][0]["content"] == "**@*******.***"
    with pytest.raises(Exception, match="an expression masks texts.*write `target.mask_column"):
        mail.to_frame().select(polars.col("talk").sonometer.mask("personal-data"))


def test_texts_that_are_all_missing_are_floats_to_pandas(courtesy: Sensor) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas cannot be installed")
    nothing = pandas.Series([float("nan")] * 2, index=[4, 5], name="text")
    found = courtesy.frame(nothing)
    assert found["score"].isna().all() and found["error"].isna().all() and list(found.index) == [4, 5]
    assert Sensor("personal-data").mask_column(nothing).isna().all()
    for numbers in (pandas.Series([1.0, float("nan")]), pandas.Series([], dtype="float64")):
        with pytest.raises(InvalidRequestError, match="Float64"):
            courtesy.frame(numbers)


def test_pandas(courtesy: Sensor) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas cannot be installed")
    series = pandas.Series(TEXTS, index=range(7, 7 + len(TEXTS)), name="text")
    found = courtesy.frame(series)
    assert isinstance(found, pandas.DataFrame)
    assert list(found.index) == list(series.index)
    assert found["score"][7] == courtesy.sense(TEXTS[0] or "").score


def test_what_is_hidden_is_not_shown_in_columns() -> None:
    masked = Sensor("personal-data").mask_column(pyarrow.array(["My card is 4111 1111 1111 1111, call me.", None]))
    assert "4111 1111 1111 1111" not in masked[0].as_py() and masked[1].as_py() is None
    talks = pyarrow.array([[{"role": "a", "content": "My card is 4111 1111 1111 1111, call me."}], []])
    shown = Sensor("personal-data").mask_column(talks).to_pylist()
    assert "4111 1111 1111 1111" not in shown[0][0]["content"] and shown[1] is None


def test_other_libraries_get_a_frame(courtesy: Sensor) -> None:
    class Column:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return pyarrow.array(TEXTS).__arrow_c_array__(requested_schema)

    frame = courtesy.frame(Column())
    assert isinstance(frame, Frame)
    assert (len(frame), frame.column_names) == (len(TEXTS), ("score", "sufficient", "error"))
    assert repr(frame) == "<Frame of 200 rows: score, sufficient, error>"
    assert pyarrow.table(frame).equals(courtesy.frame(pyarrow.array(TEXTS)))


def test_mistakes_say_what_to_write(courtesy: Sensor) -> None:
    texts = pyarrow.array(TEXTS)
    with pytest.raises(WrongTypeError, match="a list is not a column; of a list, use `table` or `batch`"):
        courtesy.frame(["a"])
    mixed = pytest.importorskip("pandas").Series(["a", 5], dtype=object)
    with pytest.raises(WrongTypeError, match="Series gives no column of Arrow: .*int.*; give texts and None only"):
        courtesy.frame(mixed)
    with pytest.raises(InvalidRequestError, match="the column is `Int64`; wanted are text"):
        courtesy.frame(pyarrow.array([1]))
    with pytest.raises(InvalidRequestError, match="there is no column `scor`; columns are score, sufficient"):
        courtesy.frame(texts, columns=["scor"])
    for odd, place in ((7, "columns"), (["score", 7], "columns[1]")):
        with pytest.raises(WrongTypeError) as named:
            courtesy.frame(texts, columns=odd)  # type: ignore[arg-type]
        assert named.value.place == place
    with pytest.raises(WrongTypeError, match="a table of a, b is not a column; give one of its columns"):
        courtesy.frame(pyarrow.table({"a": texts, "b": texts}))
    with pytest.raises(InvalidRequestError, match=r"rows\[200\], line 1, column"):
        courtesy.frame(pyarrow.array([*['{"content": "a"}'] * 200, "{"]), input="json", errors="raise")
    for wrong in ({"errors": "skip"}, {"input": "yaml"}, {"offsets": "words"}, {"threads": 0}):
        with pytest.raises(InvalidRequestError):
            courtesy.frame(texts, **wrong)
