//! `sonometer batch` over tables: every format in and out, conversations of rows, going on after a kill, and messages.
#![cfg(feature = "columns")]

#[path = "../built/mod.rs"]
mod built;
mod resume;
mod trouble;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray, StructArray,
    TimestampMicrosecondArray,
};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_select::concat::concat_batches;
use built::text;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

fn command(arguments: &[&str]) -> Command {
    built::command_in(&home(), arguments)
}

fn piped(arguments: &[&str], input: &[u8]) -> Output {
    built::piped(command(arguments), input)
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("starts")
}

/// Runs what must succeed; what it says on standard error.
fn done(arguments: &[&str]) -> String {
    let ran = run(arguments);
    assert_eq!(ran.status.code(), Some(0), "{arguments:?}: {}", text(&ran.stderr));
    text(&ran.stderr)
}

/// What a run that must fail says, without its dress.
fn refused(arguments: &[&str]) -> String {
    let ran = run(arguments);
    let told = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{arguments:?}: {told}");
    let told = told.strip_prefix("error: ").unwrap_or_else(|| panic!("{told}"));
    told.trim_end().rsplit_once(" [").expect("ends with a code").0.to_owned()
}

fn home() -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("columns");
    fs::create_dir_all(&home).expect("can be made");
    home
}

/// A file or folder that is not there yet.
fn fresh(name: &str) -> PathBuf {
    let path = home().join(name);
    let _ = fs::remove_file(&path);
    let _ = fs::remove_dir_all(&path);
    let _ = fs::remove_dir_all(home().join(format!("{name}.parts")));
    path
}

const KIND: &str = "Thank you so much for waiting with me, I really appreciate it today.";

/// Texts of which every seventh holds too little, and every eleventh is null.
fn texts(count: usize) -> Vec<Option<String>> {
    let one = |n: usize| match n {
        n if n % 11 == 10 => None,
        n if n % 7 == 6 => Some("xqz".to_owned()),
        n if n % 3 == 2 => {
            Some(format!("Nothing of the sort was said by number {n} here, as far as anybody knows."))
        }
        n => Some(format!("Thank you so much for the {n} letters, I really appreciate it today.")),
    };
    (0..count).map(one).collect()
}

fn table(texts: Vec<Option<String>>) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..texts.len() as i64));
    let texts: ArrayRef = Arc::new(StringArray::from(texts));
    RecordBatch::try_from_iter_with_nullable([("id", ids, true), ("said", texts, true)]).expect("fits")
}

fn write_parquet(name: &str, rows: &RecordBatch, group: usize) {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(group)).build();
    let file = File::create(fresh(name)).expect("can be made");
    let mut writer = ArrowWriter::try_new(file, rows.schema(), Some(properties)).expect("opens");
    writer.write(rows).expect("is written");
    writer.close().expect("is written");
}

fn read_parquet(name: &str) -> RecordBatch {
    let file = File::open(home().join(name)).expect("is there");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("is Parquet");
    let schema = builder.schema().clone();
    let batches: Vec<RecordBatch> = builder.build().expect("reads").map(|one| one.expect("reads")).collect();
    concat_batches(&schema, &batches).expect("fits")
}

fn read_arrow(name: &str) -> RecordBatch {
    let reader =
        FileReader::try_new(File::open(home().join(name)).expect("is there"), None).expect("is Arrow");
    let schema = reader.schema();
    concat_batches(&schema, &reader.map(|one| one.expect("reads")).collect::<Vec<_>>()).expect("fits")
}

fn scores(rows: &RecordBatch) -> Vec<Option<f64>> {
    rows.column_by_name("score").expect("is there").as_primitive::<Float64Type>().iter().collect()
}

/// The score of each text by `sense`, one by one, where it has one.
fn alone(texts: &[Option<String>]) -> Vec<Option<f64>> {
    let lines: String = texts
        .iter()
        .map(|text| serde_json::json!({"content": text.as_deref().unwrap_or("xqz")}).to_string() + "\n")
        .collect();
    // No file, which tests beside this one would write too.
    let ran = piped(&["batch", "courtesy@1.5", "-"], lines.as_bytes());
    text(&ran.stdout)
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).expect("is JSON");
            line["result"]["score"].as_f64().filter(|_| line["result"]["fidelity"]["sufficient"] == true)
        })
        .collect()
}

#[test]
fn parquet_to_parquet_says_what_sense_says() {
    let texts = texts(1000);
    write_parquet("talks.parquet", &table(texts.clone()), 300);
    fresh("out.parquet");
    let told =
        done(&["batch", "courtesy@1.5", "talks.parquet", "--text-column", "said", "-o", "out.parquet"]);
    assert!(told.starts_with("1000 rows: "), "{told}");
    let rows = read_parquet("out.parquet");
    let names: Vec<&str> = rows.schema_ref().fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["id", "score", "sufficient", "error"]);
    assert_eq!(rows.column(0).as_ref(), &Int64Array::from_iter_values(0..1000) as &dyn Array);
    let expected = alone(&texts);
    assert!(expected.iter().flatten().count() > 700, "{expected:?}");
    assert_eq!(scores(&rows), expected);
    assert_eq!(rows.schema_ref().metadata()["sonometer.target"], "protocol courtesy@1.5");
    assert!(!home().join("out.parquet.parts").exists());
}

#[test]
fn every_format_gives_the_same_columns() {
    let texts = texts(500);
    let rows = table(texts.clone());
    write_parquet("formats.parquet", &rows, 128);
    let mut file =
        FileWriter::try_new(File::create(fresh("formats.arrow")).expect("opens"), rows.schema_ref());
    let writer = file.as_mut().expect("opens");
    writer.write(&rows).and_then(|()| writer.finish()).expect("is written");
    let stream = File::create(fresh("formats.arrows")).expect("opens");
    let mut writer = StreamWriter::try_new(stream, rows.schema_ref()).expect("opens");
    writer.write(&rows).and_then(|()| writer.finish()).expect("is written");
    let mut csv = Vec::new();
    arrow_csv::Writer::new(&mut csv).write(&rows).expect("is written");
    let mut jsonl = Vec::new();
    arrow_json::LineDelimitedWriter::new(&mut jsonl).write(&rows).expect("is written");
    fs::write(fresh("formats.csv"), &csv).expect("is written");
    fs::write(fresh("formats.jsonl"), &jsonl).expect("is written");
    fs::write(fresh("formats.csv.zst"), zstd::encode_all(&csv[..], 1).expect("packs")).expect("is written");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&jsonl).expect("packs");
    fs::write(fresh("formats.jsonl.gz"), gzip.finish().expect("packs")).expect("is written");
    let expected = alone(&texts);
    for input in ["parquet", "arrow", "arrows", "csv", "jsonl", "csv.zst", "jsonl.gz"] {
        let input = format!("formats.{input}");
        fresh("formats-out.arrow");
        done(&["batch", "courtesy@1.5", &input, "--text-column", "said", "-o", "formats-out.arrow"]);
        let rows = read_arrow("formats-out.arrow");
        assert_eq!(scores(&rows), expected, "{input}");
        let ids =
            arrow_cast::cast(rows.column_by_name("id").expect("is kept"), &arrow_schema::DataType::Int64);
        assert_eq!(ids.expect("are numbers").as_ref(), &Int64Array::from_iter_values(0..500) as &dyn Array);
    }
    // Out as text, packed and not.
    let batch = |out: &str| {
        fresh(out);
        done(&[
            "batch",
            "courtesy@1.5",
            "formats.parquet",
            "--text-column",
            "said",
            "--threads",
            "2",
            "-o",
            out,
        ]);
        fs::read(home().join(out)).expect("is written")
    };
    let csv = text(&batch("formats-out.csv"));
    assert!(csv.starts_with("id,score,sufficient,error\n0,"), "{csv}");
    assert_eq!(csv.lines().count(), 501);
    assert_eq!(zstd::decode_all(&batch("formats-out.csv.zst")[..]).expect("unpacks"), csv.as_bytes());
    let lines = text(&batch("formats-out.jsonl"));
    let found: Vec<Option<f64>> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("is JSON")["score"].as_f64())
        .collect();
    assert_eq!(found, expected);
    assert!(lines.starts_with("{\"id\":0,\"score\":"), "{lines}");
    let mut unpacked = String::new();
    flate2::read::MultiGzDecoder::new(&batch("formats-out.jsonl.gz")[..])
        .read_to_string(&mut unpacked)
        .expect("unpacks");
    assert_eq!(unpacked, lines);
    // And through pipes.
    let csv = fs::read(home().join("formats.csv")).expect("is there");
    let ran = piped(
        &[
            "batch",
            "courtesy@1.5",
            "-",
            "--input-format",
            "csv",
            "--text-column",
            "said",
            "--format",
            "jsonl",
        ],
        &csv,
    );
    let passed = text(&ran.stdout);
    assert_eq!(passed, lines.replace("{\"id\":", "{\"id\":\"").replace(",\"score\"", "\",\"score\""));
}

#[test]
fn folders_patterns_and_several_files_are_one_table() {
    let texts = texts(90);
    fs::create_dir_all(fresh("many/2026")).expect("can be made");
    for (at, part) in texts.chunks(30).enumerate() {
        write_parquet(&format!("many/part-{at}.parquet"), &table(part.to_vec()), 7);
        write_parquet(&format!("many/2026/part-{at}.parquet"), &table(part.to_vec()), 7);
    }
    fs::write(home().join("many/_SUCCESS"), "").expect("is written");
    let expected = alone(&texts);
    for inputs in [
        &["many"][..],
        &["many/*.parquet"],
        &["many/2*/part-?.parquet"],
        &["many/part-0.parquet", "many/part-1.parquet", "many/part-2.parquet"],
    ] {
        fresh("many-out.parquet");
        let mut arguments = vec!["batch", "courtesy@1.5", "--text-column", "said", "-o", "many-out.parquet"];
        arguments.extend(inputs);
        done(&arguments);
        assert_eq!(scores(&read_parquet("many-out.parquet")), expected, "{inputs:?}");
    }
    fresh("many-out.parquet");
    done(&["batch", "courtesy@1.5", "many/**/*.parquet", "--text-column", "said", "-o", "many-out.parquet"]);
    assert_eq!(read_parquet("many-out.parquet").num_rows(), 180);
}

#[test]
fn rows_of_turns_become_conversations() {
    let csv = "talk,at,who,said\n\
               7,10,agent,\"Thank you so much for waiting with me, I really appreciate it today.\"\n\
               7,9,customer,\"Hello, I would like to ask about my order, please.\"\n\
               8,1,customer,\"Nothing of the sort was said here, as far as anybody knows.\"\n\
               9,1,agent,\n\
               9,2,agent,\"I am sorry about the delay, and thank you for your patience.\"\n";
    fs::write(fresh("turns.csv"), csv).expect("is written");
    let grouped = |input: &str, out: &str, more: &[&str]| {
        fresh(out);
        let mut arguments = vec![
            "batch",
            "courtesy@1.5",
            input,
            "--text-column",
            "said",
            "--role-column",
            "who",
            "--group-by",
            "talk",
            "--order-by",
            "at",
            "-o",
            out,
        ];
        arguments.extend(more);
        done(&arguments);
        text(&fs::read(home().join(out)).expect("is written"))
    };
    let out = grouped("turns.csv", "turns-out.jsonl", &["--columns", "score,json", "--keep", "talk,said"]);
    let out: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("is JSON")).collect();
    assert_eq!(
        out.iter().map(|row| row["talk"].as_str().expect("is text")).collect::<Vec<_>>(),
        ["7", "8", "9"]
    );
    // 9 is before 10, although the texts are not.
    assert_eq!(out[0]["said"][0]["role"], "customer");
    assert_eq!(out[0]["said"][1]["content"], KIND);
    assert_eq!(out[2]["said"][0]["content"], "");
    // The same as the interactions one by one.
    let lines: String = out
        .iter()
        .map(|row| {
            let turns: Vec<serde_json::Value> = row["said"]
                .as_array()
                .expect("is a list")
                .iter()
                .map(|turn| serde_json::json!({"role": turn["role"], "content": turn["content"]}))
                .collect();
            serde_json::json!({"segments": turns}).to_string() + "\n"
        })
        .collect();
    fs::write(fresh("turns-alone.jsonl"), lines).expect("is written");
    let alone = text(&run(&["batch", "courtesy@1.5", "turns-alone.jsonl", "--profile", "detailed"]).stdout);
    for (line, row) in alone.lines().zip(&out) {
        let json = row["json"].as_str().expect("is text");
        assert!(line.ends_with(&format!(",\"result\":{json}}}")), "{line}\n{json}");
    }
    // A column of conversations is used as it is.
    fresh("talks.jsonl");
    let rows: String = out
        .iter()
        .map(|row| serde_json::json!({"talk": row["talk"], "segments": row["said"]}).to_string() + "\n")
        .collect();
    fs::write(home().join("talks.jsonl"), rows).expect("is written");
    fresh("talks-out.jsonl");
    done(&["batch", "courtesy@1.5", "talks.jsonl", "--columns", "score,json", "-o", "talks-out.jsonl"]);
    let direct = text(&fs::read(home().join("talks-out.jsonl")).expect("is written"));
    for (line, row) in direct.lines().zip(&out) {
        let line: serde_json::Value = serde_json::from_str(line).expect("is JSON");
        assert_eq!((&line["talk"], &line["json"]), (&row["talk"], &row["json"]));
    }
    // Times of turns, in seconds or as dates.
    let timed = csv.replace(",10,", ",1970-01-01T00:00:10Z,").replace(",9,", ",9.5,");
    fs::write(fresh("timed.csv"), timed).expect("is written");
    let out = grouped("timed.csv", "timed-out.jsonl", &["--time-column", "at", "--keep", "said"]);
    assert!(out.contains("\"timestamp\":9.5") && out.contains("\"timestamp\":10.0"), "{out}");
    // A row a turn, each on its own.
    fresh("single.jsonl");
    done(&[
        "batch",
        "courtesy@1.5",
        "turns.csv",
        "--text-column",
        "said",
        "--role-column",
        "who",
        "-o",
        "single.jsonl",
    ]);
    let single = text(&fs::read(home().join("single.jsonl")).expect("is written"));
    assert_eq!(single.lines().count(), 5);
    assert!(single.starts_with("{\"talk\":\"7\",\"at\":\"10\",\"who\":\"agent\",\"score\":0."), "{single}");
}

#[test]
fn what_a_protocol_hides_is_not_kept_beside() {
    let csv = "id,text,who\n1,Please write to ann.lee@example.com when you have found the parcel that we sent.,agent\n";
    fs::write(fresh("hidden.csv"), csv).expect("is written");
    for more in
        [&[][..], &["--keep", "text"], &["--role-column", "who"], &["--role-column", "who", "--keep", "text"]]
    {
        let mut arguments =
            vec!["batch", "personal-data", "hidden.csv", "--columns", "triggered,json", "--format", "jsonl"];
        arguments.extend(more);
        let ran = run(&arguments);
        let out = text(&ran.stdout);
        assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
        assert!(out.contains("email"), "{out}");
        assert!(!out.contains("ann.lee"), "{out}");
        assert_eq!(out.contains("\"text\":\"Please write to "), more.contains(&"--keep"), "{out}");
    }
}

#[test]
fn lines_of_a_cell_are_turns() {
    let csv = "id,said\n1,\"agent: Hello, may I help you?\ncustomer: Thank you so much\nfor asking.\"\n2,\"agent: No.\n\ncustomer: Why?\"\n\
               3,Nobody says who speaks here.\n4,\n5,\"agent: Mail me at ann.lee@example.com.\nagent: Bye.\"\n";
    fs::write(fresh("lines.csv"), csv).expect("is written");
    let table = ["lines.csv", "--text-column", "said", "--format", "jsonl"];
    let ran =
        run(&[&["batch", "courtesy@1.5"][..], &table, &["--turns", "--columns", "json,score"]].concat());
    let rows: Vec<serde_json::Value> =
        text(&ran.stdout).lines().map(|row| serde_json::from_str(row).expect("is JSON")).collect();
    let talk = r#"{"segments": [{"role": "agent", "content": "Hello, may I help you?"},
        {"role": "customer", "content": "Thank you so much\nfor asking."}]}"#;
    let alone = piped(&["batch", "courtesy@1.5", "-"], talk.replace("\n        ", " ").as_bytes());
    let alone: serde_json::Value = serde_json::from_slice(&alone.stdout).expect("is JSON");
    let reading: serde_json::Value =
        serde_json::from_str(rows[0]["json"].as_str().expect("is text")).expect("is JSON");
    assert_eq!(reading["score"], alone["result"]["score"], "{rows:?}");
    assert_eq!(
        rows[2]["error"],
        "segments[0].role: the turn has no `role` (it is null); say who speaks, `agent` for example"
    );
    assert!(rows[3]["json"].is_null() && rows[3]["error"].is_null(), "{rows:?}");
    assert!(!text(&ran.stderr).contains("read as one text"), "{}", text(&ran.stderr));
    // Without the option, a note names it.
    let told = text(&run(&[&["batch", "courtesy@1.5"][..], &table].concat()).stderr);
    assert!(told.ends_with("lines.csv: read as one text, but its lines begin with who speaks, like `agent: …`; to read such lines as turns, use `--turns`\n"), "{told}");
    // What a protocol hides is hidden, turn by turn; where it hides nothing, the text is kept as it is.
    let kept = |protocol: &str| {
        text(&run(&[&["batch", protocol][..], &table, &["--turns", "--keep", "said"]].concat()).stdout)
    };
    let (hidden, same) = (kept("personal-data"), kept("courtesy@1.5"));
    assert!(
        !hidden.contains("ann.lee")
            && hidden.contains(r#"{"role":"agent","content":"Bye.","timestamp":null}"#),
        "{hidden}"
    );
    assert!(same.contains(r#""said":"agent: No.\n\ncustomer: Why?""#), "{same}");
}

#[test]
fn categories_are_texts() {
    // As pandas writes them.
    let said: ArrayRef = Arc::new(DictionaryArray::<Int32Type>::from_iter([Some(KIND), None, Some(KIND)]));
    write_parquet("categories.parquet", &RecordBatch::try_from_iter([("said", said)]).expect("fits"), 10);
    let ran = run(&[
        "batch",
        "courtesy@1.5",
        "categories.parquet",
        "--text-column",
        "said",
        "--columns",
        "sufficient",
    ]);
    let told: Vec<bool> =
        text(&ran.stdout).lines().map(|line| line.starts_with("{\"sufficient\":true")).collect();
    assert_eq!(told, [true, false, true], "{}", text(&ran.stderr));
}

/// pandas, Spark and DuckDB write times with the name of a zone.
#[test]
fn times_with_the_name_of_a_zone_are_written_in_utc() {
    let at =
        TimestampMicrosecondArray::from(vec![Some(1_704_110_400_000_000), None, Some(1_704_110_401_500_000)]);
    let at: ArrayRef = Arc::new(at.with_timezone("UTC"));
    let said: ArrayRef = Arc::new(StringArray::from(vec![KIND; 3]));
    let who: ArrayRef = Arc::new(StringArray::from(vec!["agent"; 3]));
    let nested: ArrayRef =
        Arc::new(StructArray::from(RecordBatch::try_from_iter([("at", at.clone())]).expect("fits")));
    let columns = [("at", at), ("nested", nested), ("said", said), ("who", who)];
    write_parquet("zones.parquet", &RecordBatch::try_from_iter(columns).expect("fits"), 10);
    let all = ["batch", "courtesy@1.5", "zones.parquet", "--text-column", "said", "--columns", "sufficient"];
    let out = |more: &[&str]| text(&run(&[&all[..], more].concat()).stdout);
    let lines = out(&["--keep", "at,nested", "--format", "jsonl"]);
    let first =
        "{\"at\":\"2024-01-01T12:00:00Z\",\"nested\":{\"at\":\"2024-01-01T12:00:00Z\"},\"sufficient\":true";
    assert!(lines.starts_with(first) && lines.contains("{\"at\":null,"), "{lines}");
    let table = out(&["--keep", "at", "--format", "csv"]);
    assert!(table.contains("2024-01-01T12:00:01.500Z,true"), "{table}");
    let grouped = ["--role-column", "who", "--group-by", "at", "--format", "csv"];
    let wrong = refused(&[&all[..], &grouped].concat());
    assert!(wrong.contains("row 2: the column `at`, by which turns are grouped, is null"), "{wrong}");
}
