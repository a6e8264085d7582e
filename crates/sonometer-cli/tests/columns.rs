//! `sonometer batch` over tables: every format in and out, conversations of rows, going on after a kill, and messages.
#![cfg(feature = "columns")]

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sonometer"));
    command.args(arguments).current_dir(home()).env_clear().stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("writes UTF-8")
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
    fs::write(fresh("alone.jsonl"), lines).expect("can be written");
    let ran = run(&["batch", "courtesy@1.5", "alone.jsonl"]);
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
    let mut child = command(&[
        "batch",
        "courtesy@1.5",
        "-",
        "--input-format",
        "csv",
        "--text-column",
        "said",
        "--format",
        "jsonl",
    ])
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .stderr(Stdio::null())
    .spawn()
    .expect("starts");
    let csv = fs::read(home().join("formats.csv")).expect("is there");
    child.stdin.take().expect("is piped").write_all(&csv).expect("is read");
    let piped = text(&child.wait_with_output().expect("ends").stdout);
    assert_eq!(piped, lines.replace("{\"id\":", "{\"id\":\"").replace(",\"score\"", "\",\"score\""));
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
fn bad_rows_are_null_or_refused() {
    let lines = "{\"id\": 1, \"segments\": [{\"role\": \"agent\", \"content\": \"Thank you so much for waiting with me today.\"}]}\n\
                 {\"id\": 2, \"segments\": [{\"content\": \"Who says it?\"}]}\n\
                 {\"id\": 3, \"segments\": []}\n\
                 {\"id\": 4, \"segments\": null}\n";
    fs::write(fresh("bad.jsonl"), lines).expect("is written");
    let ran = run(&["batch", "courtesy@1.5", "bad.jsonl", "--keep", "id", "--columns", "sufficient"]);
    assert_eq!(ran.status.code(), Some(2));
    let out = text(&ran.stdout);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "{\"id\":1,\"sufficient\":true,\"error\":null}");
    assert_eq!(
        lines[1],
        "{\"id\":2,\"sufficient\":null,\"error\":\"segments[0].role: the turn has no `role` (it is null)\"}"
    );
    assert!(lines[2].starts_with("{\"id\":3,\"sufficient\":null,\"error\":\"segments: "), "{}", lines[2]);
    assert_eq!(lines[3], "{\"id\":4,\"sufficient\":null,\"error\":null}");
    assert!(
        text(&ran.stderr).starts_with("4 rows: 0 insufficient, 2 errors; 0 ICS; "),
        "{}",
        text(&ran.stderr)
    );
    fresh("bad-out.parquet");
    let told =
        refused(&["batch", "courtesy@1.5", "bad.jsonl", "--bad-rows", "refuse", "-o", "bad-out.parquet"]);
    assert_eq!(told, "bad.jsonl: row 2: segments[0].role: the turn has no `role` (it is null)");
    assert!(!home().join("bad-out.parquet").exists() && !home().join("bad-out.parquet.parts").exists());
}

#[test]
fn a_broken_line_of_standard_input_is_named_wherever_it_is() {
    let mut lines: Vec<String> = (0..1_500)
        .map(|n| format!("{{\"id\":{n},\"text\":\"{}\"}}", format!("{KIND} ").repeat(15)))
        .collect();
    lines[1_399] = "{\"text\" oops".into();
    let input = lines.join("\n");
    assert!(input.len() > 1_500_000, "the line is beyond what is read for the columns");
    let mut child = command(&[
        "batch",
        "courtesy@1.5",
        "-",
        "--input-format",
        "jsonl",
        "--text-column",
        "text",
        "--columns",
        "score",
    ])
    .stdin(Stdio::piped())
    .stdout(Stdio::null())
    .stderr(Stdio::piped())
    .spawn()
    .expect("starts");
    // It ends before it has read everything.
    let _ = child.stdin.take().expect("is piped").write_all(input.as_bytes());
    let ran = child.wait_with_output().expect("ends");
    let told = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{told}");
    let why = "error: standard input: cannot be read: Json error: line 1400, column 9: not valid JSON: expected `:`";
    assert!(told.starts_with(why), "{told}");
}

#[test]
fn a_row_that_is_too_long_is_an_error_of_its_row() {
    let long = "word ".repeat((64 << 20) / 5 + 1);
    write_parquet("long.parquet", &table(vec![Some(KIND.into()), Some(long), Some(KIND.into())]), 10);
    let ran =
        run(&["batch", "courtesy@1.5", "long.parquet", "--text-column", "said", "--columns", "sufficient"]);
    let out = text(&ran.stdout);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "{\"id\":0,\"sufficient\":true,\"error\":null}");
    assert!(lines[1].starts_with("{\"id\":1,\"sufficient\":null,\"error\":\""), "{}", lines[1]);
    assert!(lines[1].contains("67108864") || lines[1].contains("64 MiB"), "{}", lines[1]);
    assert_eq!(lines[2], "{\"id\":2,\"sufficient\":true,\"error\":null}");
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

#[test]
fn a_killed_run_goes_on_to_the_same_rows() {
    let count = 500_000;
    write_parquet("kill.parquet", &table(texts(count)), 100_000);
    let arguments = |out: &'static str| {
        [
            "batch",
            "courtesy@1.5",
            "kill.parquet",
            "--text-column",
            "said",
            "--columns",
            "score,evidence",
            "-o",
            out,
        ]
    };
    fresh("kill-whole.parquet");
    done(&arguments("kill-whole.parquet"));
    let out = fresh("kill-out.parquet");
    let parts = home().join("kill-out.parquet.parts");
    let has_part = |at: usize| parts.join(format!("{at:06}.part")).exists();
    let mut kills = 0;
    for (at, resume) in [(0, false), (1, true)] {
        let mut child = command(&arguments("kill-out.parquet"));
        if resume {
            child.arg("--resume");
        }
        let mut child = child.stderr(Stdio::null()).spawn().expect("starts");
        while !has_part(at) && child.try_wait().expect("is a child").is_none() {
            thread::sleep(Duration::from_millis(2));
        }
        kills += u32::from(child.try_wait().expect("is a child").is_none());
        child.kill().expect("can be killed");
        child.wait().expect("ends");
        assert!(!out.exists(), "a killed run left a file that looks whole");
    }
    assert_eq!(kills, 2, "a run was over before it could be killed");
    assert_eq!(
        refused(&arguments("kill-out.parquet")),
        "kill-out.parquet.parts: has parts of a run that was stopped; use --resume to continue it, or remove the folder"
    );
    let mut other = arguments("kill-out.parquet").to_vec();
    other[1] = "courtesy@2.0";
    other.push("--resume");
    assert_eq!(
        refused(&other),
        "kill-out.parquet.parts: has parts of another run; use --resume with the same inputs, target and options, or \
         remove the folder"
    );
    let mut again = arguments("kill-out.parquet").to_vec();
    again.push("--resume");
    let told = done(&again);
    assert!(told.contains(" rows after ") && told.contains(" that were there: "), "{told}");
    assert!(!parts.exists());
    let (whole, resumed) = (fs::read(home().join("kill-whole.parquet")), fs::read(&out));
    assert!(whole.expect("is there") == resumed.expect("is there"), "the bytes are not those of one run");
    let rows = read_parquet("kill-out.parquet");
    assert_eq!(rows.num_rows(), count);
    assert_eq!(rows.column(0).as_ref(), &Int64Array::from_iter_values(0..count as i64) as &dyn Array);
    assert_eq!(
        done(&again),
        "kill-out.parquet: already whole, nothing is left to do; remove it to measure again\n"
    );
    // What is whole may still be of another target or another input.
    assert_eq!(
        refused(&other),
        "kill-out.parquet: has results of another run; use --resume with the same inputs, target and options, or remove the file"
    );
    write_parquet("kill-other.parquet", &table(vec![Some("Thank you.".to_owned())]), 1);
    again[2] = "kill-other.parquet";
    assert!(refused(&again).contains("has results of another run"));
}

#[test]
fn a_run_goes_on_with_the_key_that_it_began_with() {
    let lines = (0..200_000).map(|n| Some(format!("My code {} is for the letters of number {n}.", n % 7)));
    write_parquet("keyed.parquet", &table(lines.collect()), 100_000);
    let codes = "{sonometer: 1, id: codes, version: \"1\", taxonomy: Signal, language: en, score: any, markers: [\
                 {label: secret, strong: \"code (0|1|2|3)\", mask: keyed}]}";
    fs::write(fresh("codes.yaml"), codes).expect("is written");
    for (name, key) in [("key-a", "0123456789abcdef"), ("key-b", "0123456789abcdeF")] {
        fs::write(fresh(name), key).expect("is written");
    }
    let arguments = |out: &'static str, key: &'static str| {
        let mut all = vec!["batch", "codes.yaml", "keyed.parquet", "--text-column", "said", "--keep", "said"];
        all.extend(["--mask-key", key, "-o", out]);
        all
    };
    fresh("keyed-whole.parquet");
    done(&arguments("keyed-whole.parquet", "key-a"));
    fresh("keyed-out.parquet");
    let part = home().join("keyed-out.parquet.parts/000000.part");
    let mut child =
        command(&arguments("keyed-out.parquet", "key-a")).stderr(Stdio::null()).spawn().expect("starts");
    while !part.exists() && child.try_wait().expect("is a child").is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    assert!(child.try_wait().expect("is a child").is_none(), "the run was over before it could be killed");
    child.kill().expect("can be killed");
    child.wait().expect("ends");
    let mut other = arguments("keyed-out.parquet", "key-b");
    other.push("--resume");
    assert!(refused(&other).contains("has parts of another run"), "another key was taken");
    let mut again = arguments("keyed-out.parquet", "key-a");
    again.push("--resume");
    assert!(done(&again).contains(" that were there: "));
    let read = |name: &str| fs::read(home().join(name)).expect("is there");
    assert!(read("keyed-whole.parquet") == read("keyed-out.parquet"));
}

#[test]
fn conversations_go_on_too() {
    let mut csv = "talk,role,text\n".to_owned();
    for row in 0..300_000 {
        csv.push_str(&format!(
            "{:06},agent,Thank you so much for the {row} letters I really appreciate.\n",
            row / 2
        ));
    }
    fs::write(fresh("kill-turns.csv"), csv).expect("is written");
    let arguments =
        |out: &'static str| ["batch", "courtesy@1.5", "kill-turns.csv", "--group-by", "talk", "-o", out];
    fresh("kill-turns-whole.csv.gz");
    done(&arguments("kill-turns-whole.csv.gz"));
    fresh("kill-turns-out.csv.gz");
    let part = home().join("kill-turns-out.csv.gz.parts/000000.part");
    let mut child =
        command(&arguments("kill-turns-out.csv.gz")).stderr(Stdio::null()).spawn().expect("starts");
    while !part.exists() && child.try_wait().expect("is a child").is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    assert!(child.try_wait().expect("is a child").is_none(), "the run was over before it could be killed");
    child.kill().expect("can be killed");
    child.wait().expect("ends");
    let mut again = arguments("kill-turns-out.csv.gz").to_vec();
    again.push("--resume");
    assert!(done(&again).contains(" that were there: "));
    let read = |name: &str| fs::read(home().join(name)).expect("is there");
    assert!(read("kill-turns-whole.csv.gz") == read("kill-turns-out.csv.gz"));
}

#[test]
fn messages_say_what_is_wrong_and_what_to_type() {
    write_parquet("wrong.parquet", &table(texts(3)), 10);
    fs::write(fresh("wrong.csv"), "id,talk,who,said\n1,a,x,hello\n2,b,x,hello\n3,a,x,hello\n")
        .expect("is written");
    fs::write(fresh("wrong-score.csv"), "score,text\n1,hello\n").expect("is written");
    fs::write(fresh("wrong-empty.csv"), "score,text\n").expect("is written");
    fs::write(fresh("wrong-nothing.csv"), "").expect("is written");
    fs::write(fresh("wrong-ragged.csv"), "id,text\n1,hello\n2\n").expect("is written");
    fs::write(fresh("wrong-lines.jsonl"), "{\"text\": \"hello\"}\n\n{\"text\" \"x\"}\n").expect("is written");
    fs::write(fresh("wrong-time.csv"), "text,role,at\nhello,x,soon\n").expect("is written");
    fs::write(fresh("wrong-talks.jsonl"), "{\"segments\": [{\"who\": \"x\", \"content\": \"hello\"}]}\n")
        .expect("is written");
    fs::write(fresh("wrong.bin"), "x").expect("is written");
    fs::create_dir_all(fresh("wrong-folder")).expect("can be made");
    let wide = RecordBatch::try_from_iter_with_nullable([(
        "said",
        Arc::new(StringArray::from(vec!["hello"])) as ArrayRef,
        true,
    )]);
    write_parquet("wrong-wide.parquet", &wide.expect("fits"), 10);
    let cases: [(&[&str], &str); 25] = [
        (
            &["wrong.parquet"],
            "wrong.parquet: name the column of the texts or conversations with --text-column; columns: id, said",
        ),
        (
            &["wrong.parquet", "--text-column", "text"],
            "wrong.parquet: no column `text` for --text-column; columns: id, said",
        ),
        (
            &["wrong.parquet", "--text-column", "said", "--keep", "when"],
            "wrong.parquet: no column `when` for --keep; columns: id, said",
        ),
        (
            &["wrong.parquet", "--text-column", "id"],
            "wrong.parquet: the column `id` is `Int64`; wanted are text (`utf8`, `large_utf8`, `utf8_view`, or a dictionary of one \
             of them) or conversations (`list<struct<role, content, timestamp?>>`)",
        ),
        (
            &["wrong-talks.jsonl", "--columns", "score"],
            "wrong-talks.jsonl: the column `segments`: turns have a field `who`; wanted are `role`, `content` and, where there \
             are times, `timestamp`",
        ),
        (
            &["wrong.csv", "--text-column", "said", "--group-by", "talk"],
            "wrong.csv: --group-by makes conversations, whose turns have roles; name their column with --role-column; columns: \
             id, talk, who, said",
        ),
        (
            &["wrong.csv", "--text-column", "said", "--group-by", "talk", "--role-column", "who"],
            "wrong.csv: row 3: the conversation `a` comes back after others; sort the rows by `talk`, so that those of a \
             conversation stand together",
        ),
        (
            &["wrong.parquet", "--text-column", "said", "--role-column", "id"],
            "wrong.parquet: the column `id` is `Int64`; wanted is text",
        ),
        (
            &["wrong-time.csv", "--role-column", "role", "--time-column", "at"],
            "wrong-time.csv: row 1: `soon` in the column `at` is no time; wanted are seconds such as 12.5, or a date and time such \
             as 2026-11-24T18:00:00Z",
        ),
        (
            &["wrong-score.csv"],
            "wrong-score.csv: the column `score` has the name of one that is measured; name the columns to keep beside with --keep, \
             or none with `--keep none`",
        ),
        (&["wrong-empty.csv", "--keep", "none"], "wrong-empty.csv: the input has no rows"),
        (&["wrong-nothing.csv"], "wrong-nothing.csv: the input is empty"),
        (
            &["wrong-ragged.csv"],
            "wrong-ragged.csv: cannot be read: Csv error: incorrect number of fields for line 3, expected 2 got 1",
        ),
        (
            &["wrong-lines.jsonl", "--columns", "score"],
            "wrong-lines.jsonl: cannot be read: Json error: line 3, column 9: not valid JSON: expected `:`",
        ),
        (
            &["wrong.bin", "--columns", "score"],
            "wrong.bin: the name does not say the format; name it with --input-format parquet, arrow, csv or jsonl",
        ),
        (
            &["wrong.parquet", "--text-column", "said", "-o", "wrong-out.bin"],
            "wrong-out.bin: the name does not say the format; name it with --format parquet, arrow, csv or jsonl",
        ),
        (
            &["wrong.parquet", "--text-column", "said", "--format", "parquet"],
            "standard output: parquet and arrow are written to files; name one with --out",
        ),
        (
            &["wrong.parquet", "--text-column", "said", "--columns", "score,evidence", "-o", "wrong-out.csv"],
            "wrong-out.csv: the column `evidence` is a list, which CSV cannot hold; write parquet, arrow or jsonl, or leave the \
             column out",
        ),
        (
            &["wrong.parquet", "--text-column", "said", "-o", "wrong.bin", "--format", "csv"],
            "wrong.bin: already exists; remove it, or name another file",
        ),
        (
            &["-", "--columns", "score"],
            "standard input: name its format with --input-format parquet, arrow, csv or jsonl",
        ),
        (
            &["-", "--input-format", "parquet"],
            "standard input: Parquet is read from its end; name a file, or send arrow, csv or jsonl",
        ),
        (&["nothing-*.parquet"], "nothing-*.parquet: no file matches the pattern"),
        (
            &["wrong-folder"],
            "wrong-folder: is a folder without tables (.parquet, .arrow, .csv, .jsonl); for those in folders below it, write a \
             pattern such as `wrong-folder/**/*.parquet`",
        ),
        (
            &["wrong.parquet", "wrong-wide.parquet", "--text-column", "said"],
            "wrong-wide.parquet: has no column `id`, which wrong.parquet has; its columns are said",
        ),
        (
            &["wrong.parquet", "--text-column", "said", "--profile", "raw"],
            "--profile works with JSON lines only, and this run writes columns; leave it out",
        ),
    ];
    for (arguments, expected) in cases {
        let mut all = vec!["batch", "courtesy@1.5"];
        all.extend(arguments);
        assert_eq!(refused(&all), expected, "{arguments:?}");
    }
    let usage = text(&run(&["batch", "courtesy@1.5", "wrong.parquet", "--columns", "scores"]).stderr);
    let names = "columns are score, sufficient, fidelity, resonance, triggered, evidence, signal, actant_flow, temporal, ics, json";
    assert!(usage.contains("there is no column `scores`") && usage.contains(names), "{usage}");
}
