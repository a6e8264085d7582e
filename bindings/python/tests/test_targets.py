"""Where targets come from, and what they say of themselves."""

import json
import pathlib
import pickle
from typing import Any

import pytest
from conftest import KIND

import sonometer
from sonometer import (
    Blueprint,
    InvalidProtocolError,
    InvalidRequestError,
    Metric,
    PayloadTooLargeError,
    Sensor,
    TargetNotFoundError,
    WrongTypeError,
)

PROTOCOL = {
    "sonometer": 1,
    "id": "thanks",
    "version": "1.0",
    "taxonomy": "Signal",
    "language": "en",
    "fidelity": {"sufficient": 0},
    "markers": [{"label": "gratitude", "strong": "thank you", "hit": "thank you"}],
}


def test_a_sensor_comes_from_the_catalogue_a_file_its_source_or_a_dict(tmp_path: pathlib.Path) -> None:
    source = json.dumps(PROTOCOL)
    file = tmp_path / "thanks.json"
    file.write_text(source, encoding="utf-8")
    unusual = tmp_path / "thanks"
    unusual.write_text(source, encoding="utf-8")
    all_of_them = [
        Sensor(PROTOCOL),
        Sensor(source),
        Sensor(file),
        Sensor(str(file)),
        Sensor.from_file(str(unusual)),
        Sensor(unusual),
        Sensor.from_source(source),
        sonometer.load(file),
    ]
    assert len(set(all_of_them)) == 1
    assert Sensor("courtesy@1.0") == Sensor("courtesy@1.0")
    assert Sensor("courtesy@1.0").id == "courtesy" and Sensor("courtesy@1.0").status == "published"
    assert Sensor("courtesy@1.0") != Sensor(PROTOCOL)
    assert Sensor(Sensor(PROTOCOL)) == Sensor(PROTOCOL)


def test_what_the_catalogue_has_not_is_named() -> None:
    with pytest.raises(TargetNotFoundError, match="did you mean `courtesy`") as error:
        Sensor("curtesy")
    assert error.value.code == "target_not_found"
    with pytest.raises(LookupError, match="there is abuse, .*, courtesy, .*; a path ends in .yaml") as long:
        Sensor("z" * 5000)
    assert len(str(long.value)) < 500
    with pytest.raises(LookupError, match="`courtesy` has no version `9`; there is 1.0, 1.5, 2.0"):
        Sensor("courtesy@9")
    with pytest.raises(TargetNotFoundError, match="sonometer.Blueprint"):
        Sensor("service-call")


def test_the_kind_must_fit() -> None:
    metric = next(entry for entry in sonometer.metrics() if entry.id == "reply-quality")
    with pytest.raises(InvalidRequestError, match=r"this is a metric; use sonometer\.Metric") as error:
        Sensor.from_source(metric.source)
    assert error.value.fix.startswith("use sonometer.Metric")
    assert isinstance(sonometer.load(metric.source), Metric)


def test_files_give_the_errors_that_python_people_know(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        Sensor(tmp_path / "none.yaml")
    assert missing.value.filename == str(tmp_path / "none.yaml") or missing.value.filename == tmp_path / "none.yaml"
    with pytest.raises(IsADirectoryError):
        Sensor(tmp_path)
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"sonometer: 1\nname: caf\xe9\n")
    with pytest.raises(InvalidRequestError, match="byte 22 of the file is not UTF-8"):
        Sensor(latin)
    large = tmp_path / "large.yaml"
    with large.open("wb") as file:
        file.truncate(2**24 + 1)
    with pytest.raises(PayloadTooLargeError, match="the file is larger than 16 MiB, the limit"):
        Sensor(large)


@pytest.mark.parametrize("target", [None, 7, b"courtesy", ["courtesy"], object()])
def test_other_types_are_refused(target: object) -> None:
    with pytest.raises(WrongTypeError, match="is not a protocol; give the id") as error:
        Sensor(target)  # type: ignore[arg-type]
    assert isinstance(error.value, (TypeError, ValueError))
    for of, what in ((Metric, "metric"), (Blueprint, "blueprint"), (sonometer.load, "protocol, metric or blueprint")):
        with pytest.raises(WrongTypeError, match=f"is not a {what}; give the id"):
            of(target)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [None, 7, 1.5, ["a"]])
def test_what_is_no_path_is_refused(path: Any) -> None:
    # A number would be the file of that descriptor.
    with pytest.raises(WrongTypeError, match="^`path` is .*; give a path") as error:
        Sensor.from_file(path)
    assert error.value.place == "path"


def test_a_broken_protocol_says_everything() -> None:
    source = "sonometer: 1\nid: Größe\nversion: '1'\ntaxonomy: Signal\nmarkers: 7\n"
    with pytest.raises(InvalidProtocolError) as raised:
        Sensor(source)
    error = raised.value
    assert isinstance(error, ValueError) and error.code == "invalid_protocol"
    assert len(error.diagnostics) >= 2 and error.details["diagnostics"][0]["line"] == error.diagnostics[0].line
    assert error.fix == next(d.fix for d in error.diagnostics if d.severity == "error")
    first = error.diagnostics[0]
    # Places are code points of the source.
    assert source[first.start : first.end] == "Größe"
    assert (first.line, first.column) == (2, 5)
    assert sonometer.check(source) == error.diagnostics
    assert sonometer.check("courtesy") == ()


def test_dicts_are_read_as_strictly_as_files() -> None:
    with pytest.raises(InvalidProtocolError, match="markerz"):
        Sensor({**PROTOCOL, "markerz": []})
    with pytest.raises(WrongTypeError, match="a key of the dict is an int"):
        Sensor({1: 2})  # type: ignore[dict-item]
    with pytest.raises(WrongTypeError, match="a set cannot be written as JSON") as error:
        Sensor({**PROTOCOL, "markers": [{"label": {"a"}}]})
    assert error.value.place == "markers[0].label"
    with pytest.raises(InvalidRequestError, match="finite"):
        Sensor({**PROTOCOL, "fidelity": {"sufficient": float("nan")}})
    endless: dict[str, object] = {}
    endless["markers"] = [endless]
    with pytest.raises(InvalidRequestError, match="too deep"):
        Sensor(endless)


def test_a_target_says_what_it_is(courtesy: Sensor) -> None:
    assert (courtesy.kind, courtesy.id, courtesy.version, courtesy.name) == ("protocol", "courtesy", "1.0", "Courtesy")
    assert courtesy.status == "published" and courtesy.better == "higher"
    assert courtesy.modalities == ("text", "transcript")
    assert courtesy.digest.startswith("sha256:") and len(courtesy.digest) == 71
    assert [marker.label for marker in courtesy.metamarkers] == list(courtesy.sense(KIND).resonance)
    assert Sensor(courtesy.source) == courtesy and Sensor(courtesy.source).digest == courtesy.digest
    assert repr(courtesy) == "Sensor('courtesy@1.0')"
    with pytest.raises(AttributeError):
        courtesy.id = "x"  # type: ignore[misc]


def metric(*components: object) -> dict[str, object]:
    return {"sonometer_metric": 1, "id": "mine", "version": "1.0", "components": list(components)}


def test_a_metric_finds_what_it_names_on_the_shelf(tmp_path: pathlib.Path) -> None:
    file = metric({"protocol": "thanks@1.0"})
    with pytest.raises(TargetNotFoundError) as error:
        Metric(file)
    assert error.value.place == "components[0].protocol"
    (tmp_path / "thanks.json").write_text(json.dumps(PROTOCOL), encoding="utf-8")
    (tmp_path / "other.yaml").write_text("not: a protocol", encoding="utf-8")
    (tmp_path / "mine.json").write_text(json.dumps(file), encoding="utf-8")
    both = [
        Metric(file, shelf=[PROTOCOL]),
        Metric(file, shelf=[Sensor(PROTOCOL)]),
        Metric(file, shelf=[tmp_path / "thanks.json"]),
        Metric(file, shelf=[tmp_path]),
        Metric(tmp_path / "mine.json"),
    ]
    assert len(set(both)) == 1
    assert both[0].sense("Oh, thank you.").score == 1.0
    with pytest.raises(TargetNotFoundError):
        Metric(tmp_path / "mine.json", shelf=[])
    for odd in (7, None.__class__):
        with pytest.raises(WrongTypeError, match="`shelf` is a.*; give a list of the sources"):
            Metric(file, shelf=odd)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="the shelf is a str"):
        Metric(file, shelf="thanks")
    with pytest.raises(WrongTypeError) as wrong:
        Metric(file, shelf=[PROTOCOL, 7])  # type: ignore[list-item]
    assert wrong.value.place == "shelf[1]"


def test_the_catalogue_can_be_left_out() -> None:
    file = metric({"protocol": "courtesy@1.0"})
    assert Metric(file).id == "mine"
    with pytest.raises(TargetNotFoundError):
        Metric(file, catalog=False)


def test_a_blueprint_has_parts() -> None:
    blueprint = Blueprint("service-call")
    reading = blueprint.sense([("agent", KIND), ("customer", "Hi, thank you, could you please help me with the line?")])
    assert {part.kind for part in reading.parts} <= {"protocol", "metric"} and reading.parts
    assert [marker.label for marker in blueprint.metamarkers] == list(reading.resonance)
    assert reading.target == blueprint


def test_readings_have_one_class_whatever_was_sensed() -> None:
    thanks, whole = Sensor("courtesy@1.0").sense(KIND), Metric(metric({"protocol": "courtesy@1.0", "weight": 2})).sense(KIND)
    assert type(thanks) is type(whole) is sonometer.Reading
    assert sonometer.Reading is sonometer.CompositionReading is sonometer.BaseReading
    assert thanks.parts == () and [part.id for part in whole.parts] == ["courtesy"]
    assert whole.ledgers == thanks.ledgers == {"courtesy@1.0": thanks.ledger}
    told = json.loads(whole.ledger_json())
    assert [entry["ledger"] for entry in told["ledgers"]] == [json.loads(thanks.ledger_json())] and told["parts"][0]["weight"] == 2
    assert "courtesy@1.0: 0.5" in whole.explain() and "(weight 2)" in whole.explain()
    assert thanks.explain().splitlines()[3:] == whole.explain().split("\ncourtesy@1.0\n")[1].splitlines()[1:]
    assert (whole.signal, whole.actant_flow, whole.temporal) == (None, None, None)
    with pytest.raises(AttributeError, match="the reading of a metric has a ledger for each protocol; use `ledgers`"):
        _ = whole.ledger


def test_the_lists_name_what_can_be_loaded() -> None:
    for entry in (*sonometer.protocols(), *sonometer.metrics(), *sonometer.blueprints()):
        loaded = sonometer.load(f"{entry.id}@{entry.version}")
        assert (loaded.kind, loaded.name, loaded.status) == (entry.kind, entry.name, entry.status)
        # A source alone has no list files.
        if "\nlist_files:" not in entry.source:
            assert sonometer.load(entry.source) == loaded


def test_the_fingerprint_is_that_of_the_vectors() -> None:
    root = pathlib.Path(__file__).parents[3]
    first = (root / "fixtures/vectors/fingerprint.txt").read_text(encoding="utf-8").splitlines()[0]
    assert sonometer.fingerprint() == first
    assert sonometer.__version__ in first


def test_a_protocol_names_list_files(tmp_path: pathlib.Path) -> None:
    protocol = {**PROTOCOL, "list_files": {"name": "names/first.txt"}}
    protocol["markers"] = [{"label": "met", "strong": "i met @name", "hit": "I met Anna."}]
    source = json.dumps(protocol)
    (tmp_path / "names").mkdir()
    (tmp_path / "names/first.txt").write_text("# first names\nAnna\nMary Ann\n", encoding="utf-8")
    file = tmp_path / "met.json"
    file.write_text(source, encoding="utf-8")
    beside = Sensor.from_file(file)
    given = Sensor.from_source(source, files={"names/first.txt": "mary ann\r\nANNA"})
    assert beside == given == Sensor(str(file)) and beside.digest == given.digest
    for sensor in (beside, given, pickle.loads(pickle.dumps(beside)), Sensor(given)):
        assert [found.source for found in sensor.sense("I met Mary Ann.").evidence] == ["I met Mary Ann"]
    component = {"protocol": f"{beside.id}@{beside.version}"}
    metric = {"sonometer_metric": 1, "id": "m", "version": "1", "components": [component]}
    both = [Metric(metric, shelf=[given]), Metric(metric, shelf=[tmp_path])]
    assert len({part.sense("I met Anna.").score for part in [*both, pickle.loads(pickle.dumps(both[0]))]}) == 1
    with pytest.raises(InvalidProtocolError, match=r"names/first.txt` is missing.*files="):
        Sensor.from_source(source)
