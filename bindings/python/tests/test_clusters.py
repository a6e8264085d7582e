"""Spark and Ray, where they are: `benches/clusters/run` installs them and runs these tests. They are too large for every run."""

import importlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import CARD, TALK

import sonometer
from sonometer import InvalidRequestError, Sensor

LATER = "is not installed; benches/clusters/run tests it"
TEXTS = ["Thank you so much for the help, could you please look again?", None, "Hm.", CARD] * 250
COLUMNS = ["score", "fidelity", "triggered", "evidence", "json"]

pytestmark = pytest.mark.filterwarnings("ignore")


def rows() -> Any:
    pyarrow: Any = pytest.importorskip("pyarrow", reason="pyarrow cannot be installed")
    turns = [{"role": str(turn[0]), "content": str(turn[1])} for turn in TALK]
    kind = pyarrow.list_(pyarrow.struct([("role", pyarrow.string()), ("content", pyarrow.string())]))
    talks = pyarrow.array([turns if row % 2 else None for row in range(len(TEXTS))], kind)
    return pyarrow.table({"row": list(range(len(TEXTS))), "text": TEXTS, "talk": talks})


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
        pytest.skip("pyspark " + LATER)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = importlib.import_module("pyspark.sql").SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_spark_rows(spark: Any) -> None:
    import sonometer.spark  # noqa: PLC0415

    table = rows()
    frame = spark.createDataFrame(table).repartition(5)
    for column, target in (("text", "courtesy"), ("talk", "agent-quality")):
        found = sonometer.spark.with_readings(frame, column, target, ["json", "score"]).toArrow().sort_by("row")
        expected = sonometer.load(target).frame(table[column], columns=["json", "score"])
        for name in ("json", "score", "error"):
            assert found[name].to_pylist() == expected[name].to_pylist()
    found = sonometer.spark.with_readings(frame, "text", "courtesy", COLUMNS, prefix="c_").toArrow().sort_by("row")
    expected = Sensor("courtesy").frame(table["text"], columns=COLUMNS)
    assert all(found["c_" + name].to_pylist() == expected[name].to_pylist() for name in COLUMNS)
    masked = sonometer.spark.with_masked(frame, "text", "personal-data").toArrow().sort_by("row")
    assert masked.column_names == table.column_names
    assert masked["text"].to_pylist() == Sensor("personal-data").mask_column(table["text"]).to_pylist()
    with pytest.raises(InvalidRequestError, match="there is no column `texts`; columns are row, text, talk"):
        sonometer.spark.with_readings(frame, "texts", "courtesy")
    # A column of another type is refused here, with what to do, and not in a worker.
    for work in (sonometer.spark.with_readings, sonometer.spark.with_masked):
        with pytest.raises(InvalidRequestError, match="the column is `Int64`; wanted are text"):
            work(frame, "row", "personal-data")
    scored = sonometer.spark.with_readings(frame, "text", "courtesy")
    with pytest.raises(InvalidRequestError, match="there is a column `score` already; give a prefix"):
        sonometer.spark.with_readings(scored, "text", "courtesy")


def test_spark_columns_and_sql(spark: Any) -> None:
    import sonometer.spark  # noqa: PLC0415

    table = rows()
    frame = spark.createDataFrame(table)
    found = frame.select(
        "row",
        sonometer.spark.score("text", "courtesy").alias("score"),
        sonometer.spark.fidelity("text", "courtesy").alias("fidelity"),
        sonometer.spark.mask("text", "personal-data").alias("masked"),
        sonometer.spark.sense("talk", "courtesy", ["evidence"]).alias("sensed"),
    )
    sonometer.spark.register(spark, {"mine": Sensor("courtesy")})
    frame.createOrReplaceTempView("talks")
    query = (
        "select row, score('mine', text) as score, fidelity('courtesy', text) as fidelity, masked('personal-data', text) as masked, "
        "sense('courtesy', text) as sensed from talks"
    )
    expected = Sensor("courtesy").frame(table["text"], columns=COLUMNS)
    shown = Sensor("personal-data").mask_column(table["text"]).to_pylist()
    for told in (found, spark.sql(query)):
        columns = told.toArrow().sort_by("row")
        assert columns["score"].to_pylist() == expected["score"].to_pylist()
        assert columns["fidelity"].to_pylist() == expected["fidelity"].to_pylist()
        assert columns["masked"].to_pylist() == shown
    talks = Sensor("courtesy").frame(table["talk"], columns=["evidence"])["evidence"].to_pylist()
    sensed = found.toArrow().sort_by("row")["sensed"].to_pylist()
    assert [row["evidence"] for row in sensed] == talks
    sensed = spark.sql(query).toArrow().sort_by("row")["sensed"].to_pylist()
    assert [row["evidence"] for row in sensed] == expected["evidence"].to_pylist()
    with pytest.raises(Exception, match="the catalogue has no protocol, metric or blueprint `nope`"):
        spark.sql("select score('nope', text) from talks").collect()


def test_ray_rows() -> None:
    ray: Any = pytest.importorskip("ray", reason="ray " + LATER)
    data: Any = pytest.importorskip("ray.data", reason="ray[data] " + LATER)
    pyarrow: Any = pytest.importorskip("pyarrow")
    import sonometer.ray  # noqa: PLC0415

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        table = rows()
        dataset = data.from_arrow([table.slice(part * 250, 250) for part in range(4)])
        expected = Sensor("courtesy").frame(table["text"], columns=COLUMNS)
        found = sonometer.ray.with_readings(dataset, "text", "courtesy", COLUMNS, order="row", batch_size=100)
        found = pyarrow.concat_tables(ray.get(found.to_arrow_refs()))
        assert found["row"].to_pylist() == table["row"].to_pylist()
        assert all(found[name].to_pylist() == expected[name].to_pylist() for name in COLUMNS)
        masked = sonometer.ray.with_masked(dataset, "text", "personal-data", order="row", workers=1)
        masked = pyarrow.concat_tables(ray.get(masked.to_arrow_refs()))
        assert masked["text"].to_pylist() == Sensor("personal-data").mask_column(table["text"]).to_pylist()
        for column, order in (("texts", None), ("text", "number")):
            with pytest.raises(InvalidRequestError, match="there is no column `(texts|number)`; columns are row, text, talk"):
                sonometer.ray.with_readings(dataset, column, "courtesy", order=order)
    finally:
        ray.shutdown()
