"""Evidence as arrays: of one reading, and of many as a table."""

import math
import pickle
from typing import Any

import pytest
from conftest import CARD, KIND, TALK

from sonometer import (
    Blueprint,
    InvalidRequestError,
    Metric,
    Places,
    Reading,
    Sensor,
    Table,
    Target,
    WrongTypeError,
)

WIDE = "😀é Good morning! Schön, thank you so much for your help, could you please look at it? Many thanks!"
JOINED = """
sonometer: 1
id: dictated
version: "1.0"
taxonomy: Signal
language: en
modalities: [transcript]
fidelity: {sufficient: 0}
markers:
  - label: card
    join: 3 turns
    mask: last4
    strong: <pan>
    hit: It is 4111 1111 1111 1111.
    miss: It is 4111.
"""
DICTATED = [("customer", "it is 4111 1111"), ("agent", "yes"), ("customer", "1111 1111")]


def units(text: str, offsets: str) -> int:
    """How long a text is."""
    return {"chars": len(text), "bytes": len(text.encode()), "utf16": len(text.encode("utf-16-le")) // 2}[offsets]


def listed(places: Places) -> list[tuple[str, float, int, int, int]]:
    """The arrays as rows."""
    rows = zip(places.markers, places.scores, places.segments, places.starts, places.ends, strict=True)
    return [(places.names[marker], score, segment, start, end) for marker, score, segment, start, end in rows]


def test_arrays_say_what_evidence_says(courtesy: Sensor) -> None:
    for content in (KIND, WIDE, TALK, "", "Hm."):
        reading = courtesy.sense(content, ignore_fidelity=True)
        expected = [(e.metamarker, e.score, e.segment, e.start, e.end) for e in reading.evidence]
        assert listed(reading.places) == expected
        assert len(reading.places) == len(expected)
        assert reading.places.rows.tolist() == [0] * len(expected)
    assert reading.places.names == tuple(marker.label for marker in courtesy.metamarkers)


@pytest.mark.parametrize("offsets", ["chars", "bytes", "utf16"])
def test_places_in_every_unit(courtesy: Sensor, offsets: Any) -> None:
    talk = [("agent", WIDE), ("customer", "é" + WIDE)]
    reading = courtesy.sense(talk)
    places, points = reading.places_in(offsets), reading.places
    assert places.offsets == offsets and len(places) == len(points) >= 8
    for at in range(len(points)):
        content = talk[points.segments[at]][1]
        assert places.starts[at] == units(content[: points.starts[at]], offsets)
        assert places.ends[at] == units(content[: points.ends[at]], offsets)
    told = reading.to_dict(offsets=offsets)["evidence"]
    assert [(e["segment"], e["start"], e["end"]) for e in told] == [place[2:] for place in listed(places)]
    assert listed(courtesy.table([talk, talk], offsets=offsets).places) == 2 * listed(places)
    assert listed(Table.of([reading], offsets=offsets).places) == listed(places)


def test_arrays_are_read_only_and_of_fixed_types(courtesy: Sensor) -> None:
    table = courtesy.table([KIND, "Hm.", WIDE])
    places = table.places
    formats = {
        "i": (places.markers, places.segments, places.starts, places.ends, places.further.segments, places.further.starts),
        "q": (places.rows, table.bounds, places.further.pieces),
        "d": (places.scores, table.scores, table.fidelity, *table.resonance.values()),
        "?": (table.sufficient,),
    }
    for format, arrays in formats.items():
        for array in arrays:
            assert isinstance(array, memoryview)
            assert (array.format, array.readonly, array.ndim, array.c_contiguous) == (format, True, 1, True)
    with pytest.raises(TypeError):
        places.starts[0] = 7
    with pytest.raises(TypeError):
        table.resonance["greeting"] = places.scores  # type: ignore[index]
    # Asked for twice, an array is not made twice.
    assert places.starts is places.starts and table.places is places


def test_numpy_takes_them_without_a_copy(courtesy: Sensor) -> None:
    numpy = pytest.importorskip("numpy")
    table = courtesy.table([KIND, WIDE] * 100)
    starts = numpy.asarray(table.places.starts)
    assert starts.dtype == numpy.int32 and not starts.flags.writeable and not starts.flags.owndata
    assert numpy.shares_memory(starts, numpy.asarray(table.places.starts))
    assert numpy.asarray(table.places.scores).dtype == numpy.float64
    assert numpy.asarray(table.sufficient).dtype == numpy.bool_
    counts = numpy.diff(numpy.asarray(table.bounds))
    assert counts.tolist() == [len(reading.evidence) for reading in courtesy.batch([KIND, WIDE] * 100)]


def test_data_frames(courtesy: Sensor) -> None:
    pandas, numpy = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    texts = [KIND, "Hm.", WIDE]
    table = courtesy.table(texts)
    frame = pandas.DataFrame({name: numpy.asarray(column) for name, column in table.places.to_dict().items()})
    frame["marker"] = pandas.Categorical.from_codes(table.places.markers, table.places.names)
    assert list(frame["row"].unique()) == [0, 2]
    found = [
        (row, e.metamarker, e.start, e.end) for row, text in enumerate(texts) for e in courtesy.sense(text).evidence
    ]
    assert list(frame[["row", "marker", "start", "end"]].itertuples(index=False, name=None)) == found


@pytest.mark.parametrize("target", [Sensor("courtesy"), Metric("reply-quality"), Blueprint("assistant-reply")], ids=repr)
def test_a_table_holds_what_readings_hold(target: Target[Reading]) -> None:
    items: list[Any] = [KIND, "Hm.", WIDE, CARD, TALK, "", "Act now, this offer ends today and you will lose everything!"]
    readings = target.batch(items * 30)
    for table in (target.table(items * 30, threads=2), target.table(iter(items * 30), threads=1), Table.of(readings)):
        assert len(table) == len(readings) and len(table.bounds) == len(readings) + 1 and not table.errors
        assert table.target == target
        assert [None if math.isnan(score) else score for score in table.scores] == [r.score for r in readings]
        assert table.sufficient.tolist() == [r.sufficient for r in readings]
        assert table.fidelity.tolist() == [r.fidelity.index for r in readings]
        assert tuple(table.resonance) == table.places.names == tuple(marker.label for marker in target.metamarkers)
        for row, reading in enumerate(readings):
            assert {key: column[row] for key, column in table.resonance.items()} == dict(reading.resonance)
        pieces = [(row, e.metamarker, e.start, e.end) for row, r in enumerate(readings) for e in r.evidence]
        rows, places = table.places.rows.tolist(), listed(table.places)
        assert [(row, place[0], *place[3:]) for row, place in zip(rows, places, strict=True)] == pieces
        ends = [0]
        for reading in readings:
            ends.append(ends[-1] + len(reading.evidence))
        assert table.bounds.tolist() == ends


def test_empty_tables(courtesy: Sensor) -> None:
    table = courtesy.table([])
    assert (len(table), len(table.places), table.bounds.tolist()) == (0, 0, [0])
    assert table.scores.tolist() == [] and table.places.further.pieces.tolist() == []
    assert set(table.resonance) == set(table.places.names) and table.resonance["greeting"].tolist() == []
    assert repr(table) == "<Table 'courtesy@1.0' of 0 rows, 0 pieces>" and repr(table.places) == "<Places of 0 pieces>"
    with pytest.raises(InvalidRequestError, match="no reading says of which target"):
        Table.of([])


def test_errors_stand_at_their_row(courtesy: Sensor) -> None:
    items: list[Any] = [KIND, 7, {"contents": "?"}, WIDE]
    table = courtesy.table(items, errors="return")
    assert list(table.errors) == [1, 2]
    assert isinstance(table.errors[1], WrongTypeError) and table.errors[1].place == "interactions[1]"
    assert table.errors[2].place == "interactions[2].contents"
    assert [math.isnan(score) for score in table.scores] == [False, True, True, False]
    assert table.sufficient.tolist() == [True, False, False, True] and math.isnan(table.fidelity[1])
    assert table.bounds[1] == table.bounds[3] and set(table.places.rows) == {0, 3}
    assert repr(table).endswith(", 2 errors>")
    again = Table.of(courtesy.batch(items, errors="return"))
    assert listed(again.places) == listed(table.places) and list(again.errors) == [1, 2]
    with pytest.raises(WrongTypeError) as told:
        courtesy.table(items)
    assert told.value.place == "interactions[1]"

    def broken() -> Any:
        yield KIND
        raise KeyError("of the iterable")

    for errors in ("raise", "return"):
        with pytest.raises(KeyError, match="of the iterable"):
            courtesy.table(broken(), errors=errors)


def test_what_is_no_reading_is_refused(courtesy: Sensor, private: Sensor) -> None:
    with pytest.raises(InvalidRequestError, match="one table for each target") as told:
        Table.of([courtesy.sense(KIND), private.sense(CARD)])
    assert told.value.place == "readings[1]"
    # An equal target is the same target.
    assert len(Table.of([courtesy.sense(KIND), Sensor("courtesy@1.0").sense(KIND)])) == 2
    for wrong in ([KIND], [None], [7]):
        with pytest.raises(WrongTypeError, match="`readings` is an int; give a list of the readings"):
            Table.of(7)  # type: ignore[arg-type]
        with pytest.raises(WrongTypeError, match="not a reading"):
            Table.of(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Table.of(7)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="not a list of interactions"):
        courtesy.table(KIND)
    with pytest.raises(InvalidRequestError, match="unknown offset unit `chars32`"):
        courtesy.table([KIND], offsets="chars32")  # type: ignore[arg-type]
    with pytest.raises(InvalidRequestError, match="unknown offset unit `words`"):
        courtesy.sense(KIND).places_in("words")  # type: ignore[arg-type]
    for thing in (courtesy.table([KIND]), courtesy.sense(KIND).places, courtesy.sense(KIND).places.further):
        with pytest.raises(WrongTypeError, match="cannot be pickled"):
            pickle.dumps(thing)


def test_nothing_masked_is_shown(private: Sensor) -> None:
    reading = private.sense(CARD)
    places = reading.places
    assert [CARD[start:end] for start, end in zip(places.starts, places.ends, strict=True)] == ["4111 1111 1111 1111"]
    table = private.table([CARD, CARD])
    for shown in (repr(places), repr(places.to_dict()), repr(table), repr(table.errors), str(places.names)):
        assert "4111" not in shown and "1111" not in shown


def test_windows_of_several_segments(courtesy: Sensor) -> None:
    sensor = Sensor.from_source(JOINED)
    reading = sensor.sense(DICTATED)
    (found,) = reading.evidence
    places, further = reading.places, reading.places.further
    assert listed(places) == [("card", found.score, found.segment, found.start, found.end)]
    stretches = list(zip(further.pieces, further.segments, further.starts, further.ends, strict=True))
    assert stretches == [(0, s.segment, s.start, s.end) for s in found.joined] == [(0, 2, 0, 9)]
    assert repr(further) == "<Further: 1 stretch>"
    many = sensor.table([DICTATED, [("agent", "yes")], DICTATED]).places
    assert many.rows.tolist() == [0, 2] and many.further.pieces.tolist() == [0, 1]
    assert len(courtesy.sense(KIND).places.further) == 0


def test_evidence_is_a_tuple_with_names(courtesy: Sensor) -> None:
    reading = courtesy.sense(KIND)
    found = reading.evidence[0]
    assert isinstance(found, tuple) and found == reading.evidence[0] and hash(found) == hash(tuple(found))
    assert found._asdict()["source"] == found.source == "Good morning"
    metamarker, score, source, *_ = found
    assert (metamarker, score, source) == ("greeting", 0.6, "Good morning")
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(AttributeError):
        found.score = 1.0  # type: ignore[misc]
    # The names of metamarkers are the same object in every reading of a target.
    assert found.metamarker is courtesy.sense(KIND).evidence[0].metamarker is reading.places.names[2]
