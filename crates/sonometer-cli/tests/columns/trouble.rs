//! Rows that cannot be read, and what is said of them and of wrong options.

use super::*;

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
        "{\"id\":2,\"sufficient\":null,\"error\":\"segments[0].role: the turn has no `role` (it is null); say who speaks, `agent` for example\"}"
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
    assert_eq!(
        told,
        "bad.jsonl: row 2: segments[0].role: the turn has no `role` (it is null); say who speaks, `agent` for example"
    );
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
    let arguments = [
        "batch",
        "courtesy@1.5",
        "-",
        "--input-format",
        "jsonl",
        "--text-column",
        "text",
        "--columns",
        "score",
    ];
    let ran = piped(&arguments, input.as_bytes());
    let told = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{told}");
    let why = "error: standard input: cannot be read: line 1400, column 9: not valid JSON: expected `:`";
    assert!(told.starts_with(why), "{told}");
}

#[test]
fn csv_of_every_separator_is_the_same_table() {
    let kind = format!("\"{KIND}\"");
    let rows =
        [["id", "who", "text"], ["1", "Ann", kind.as_str()], ["2", "Bob", "\"no, never;\tnot | once\""]];
    let mut outputs = Vec::new();
    for (name, separator) in [("by.csv", ","), ("by-2.csv", ";"), ("by.tsv", "\t"), ("by-4.csv", "|")] {
        let lines: Vec<String> = rows.iter().map(|row| row.join(separator) + "\r\n").collect();
        fs::write(fresh(name), lines.concat()).expect("is written");
        let ran = run(&["batch", "courtesy@1.5", name, "--columns", "score", "--format", "jsonl"]);
        assert!(ran.status.success(), "{name}: {}", text(&ran.stderr));
        outputs.push(text(&ran.stdout).to_owned());
    }
    assert!(outputs[0].contains("{\"id\":\"1\",\"who\":\"Ann\",\"score\":0."), "{}", outputs[0]);
    assert!(outputs.iter().all(|output| *output == outputs[0]), "{outputs:?}");
}

#[test]
fn a_column_that_is_named_twice_is_kept_once() {
    fs::write(fresh("twice.csv"), format!("id,text\n1,\"{KIND}\"\n")).expect("is written");
    let arguments = ["batch", "courtesy@1.5", "twice.csv", "--keep", "id,id", "--columns", "sufficient"];
    let ran = run(&arguments);
    assert_eq!(
        text(&ran.stdout),
        "{\"id\":\"1\",\"sufficient\":true,\"error\":null}\n",
        "{}",
        text(&ran.stderr)
    );
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
fn messages_say_what_is_wrong_and_what_to_type() {
    write_parquet("wrong.parquet", &table(texts(3)), 10);
    fs::write(fresh("wrong.csv"), "id,talk,who,said\n1,a,x,hello\n2,b,x,hello\n3,a,x,hello\n")
        .expect("is written");
    fs::write(fresh("wrong-score.csv"), "score,text\n1,hello\n").expect("is written");
    fs::write(fresh("wrong-empty.csv"), "score,text\n").expect("is written");
    fs::write(fresh("wrong-nothing.csv"), "").expect("is written");
    fs::write(fresh("wrong.xlsx"), "PK").expect("is written");
    fs::write(fresh("wrong-quote.csv"), "id;text\n1;hello\n2;\"thanks\n3;thank you\n").expect("is written");
    fs::write(fresh("wrong-name.csv"), "id,\"text\n1,\"hello\"\n").expect("is written");
    fs::write(fresh("wrong-header.csv"), "id, text\n1, hello\n").expect("is written");
    fs::write(fresh("wrong-ragged.csv"), "id,text\n1,hello\n2\n").expect("is written");
    fs::write(fresh("wrong-lines.jsonl"), "{\"text\": \"hello\"}\n\n{\"text\" \"x\"}\n").expect("is written");
    fs::write(fresh("wrong-kind.parquet"), "id,text\n1,hello\n").expect("is written");
    fs::write(fresh("wrong-kind.arrow"), "nope").expect("is written");
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
    let cases: [(&[&str], &str); 36] = [
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
            "wrong-talks.jsonl: the column `segments`: turns have a field `who`; leave it out: wanted are `role`, `content` and, where there \
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
            &["wrong.csv", "--text-column", "said", "--turns", "--group-by", "talk"],
            "wrong.csv: with --turns each cell is a conversation, and --group-by makes them of several columns or rows; leave out one of the \
             two",
        ),
        (
            &["wrong.parquet", "--text-column", "id", "--turns"],
            "wrong.parquet: the column `id` is `Int64`; wanted is text",
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
            &["wrong-time.csv", "--time-column", "at"],
            "wrong-time.csv: --time-column at gives turns times, and no column says who speaks; name it with --role-column, or \
             leave --time-column out",
        ),
        (
            &["wrong-score.csv"],
            "wrong-score.csv: the column `score` has the name of one that is measured; name the columns to keep beside with --keep, \
             or none with `--keep none`",
        ),
        (&["wrong-empty.csv", "--keep", "none"], "wrong-empty.csv: the input has no rows"),
        (&["wrong-nothing.csv"], "wrong-nothing.csv: the input is empty"),
        (
            &["wrong-kind.parquet"],
            "wrong-kind.parquet: cannot be read: Invalid Parquet file. Corrupt footer; the file is incomplete, or of another format: \
             copy it again, or name its format with --input-format",
        ),
        (
            &["wrong-kind.arrow"],
            "wrong-kind.arrow: cannot be read: failed to fill whole buffer; the file is incomplete, or of another format: copy it \
             again, or name its format with --input-format",
        ),
        (
            &["wrong-ragged.csv"],
            "wrong-ragged.csv: cannot be read: line 3: the row has 1 cell, the header has 2 cells, with `,` between them; \
             write the separators of empty cells too",
        ),
        (
            &["wrong-quote.csv"],
            "wrong-quote.csv: cannot be read: line 3: the quote with which a cell begins here is never closed; close it, \
             or begin the cell with three quotes if it is part of the text, and end it with one",
        ),
        (
            &["wrong-name.csv", "--text-column", "text"],
            "wrong-name.csv: cannot be read: line 1: in the header, more of a cell follows the quote that closes it on line 2; close \
             the cell at its end, or write it without quotes",
        ),
        (
            &["wrong.parquet", "--text-column", "said", "-o", "wrong-nowhere/scores.csv"],
            "wrong-nowhere/scores.csv: cannot be written: No such file or directory (os error 2); name a file in an existing folder",
        ),
        (
            &["wrong-header.csv", "--text-column", "text"],
            "wrong-header.csv: no column `text` for --text-column; columns: id,  text; did you mean ` text`?",
        ),
        (
            &["wrong-lines.jsonl", "--columns", "score"],
            "wrong-lines.jsonl: cannot be read: line 3, column 9: not valid JSON: expected `:`",
        ),
        (
            &["wrong.xlsx", "--columns", "score"],
            "wrong.xlsx: is a workbook; save it as CSV in UTF-8 (spreadsheets call it `CSV UTF-8`) and name the column of the \
             texts with --text-column",
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
             pattern such as `wrong-folder/**/*.parquet`; folders of texts and documents are read by `sonometer report`",
        ),
        (
            &["wrong.parquet", "wrong-wide.parquet", "--text-column", "said"],
            "wrong-wide.parquet: has no column `id`, which wrong.parquet has; its columns are said",
        ),
        (
            &["wrong.parquet", "--text-column", "said", "--profile", "raw"],
            "--profile works with JSON lines only, and this run writes columns; leave it out",
        ),
        (
            &["wrong.parquet", "--text-column", "said", "--summary", "-o", "wrong-out.csv"],
            "--summary works with JSON lines only, and this run writes columns; leave it out, and make a page or a sum with \
             `sonometer report`, which reads tables",
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

#[test]
fn interactions_are_no_table() {
    let line = "{\"id\": \"a\", \"interaction\": {\"segments\": [{\"role\": \"agent\", \"content\": \"Hello, thank you.\"}]}}\n";
    fs::write(fresh("talks-whole.jsonl"), line).expect("is written");
    for more in [&["-o", "talks-whole.parquet"][..], &["--text-column", "interaction"]] {
        let all = [&["batch", "courtesy@1.5", "talks-whole.jsonl"][..], more].concat();
        let told = refused(&all);
        assert_eq!(
            told,
            "talks-whole.jsonl: the column `interaction` holds whole interactions, which are not read as a table; unpack the file, \
             and give it as one file whose name ends in .jsonl, with results in .jsonl and without options for tables"
        );
    }
    let told = refused(&["batch", "service-call", "talks-whole.jsonl"]);
    assert!(told.contains("write `sonometer sense service-call talks-whole.jsonl --json`"), "{told}");
    let ran = run(&["sense", "service-call", "talks-whole.jsonl", "--json"]);
    assert!(ran.status.code() == Some(0) || ran.status.code() == Some(3), "{}", text(&ran.stderr));
}

#[test]
fn an_empty_cell_is_null_and_no_error() {
    fs::write(fresh("gap.csv"), format!("id,said\n1,\"{KIND}\"\n2,\n")).expect("is written");
    for more in [&[][..], &["--bad-rows", "refuse"]] {
        let all = ["batch", "courtesy@1.5", "gap.csv", "--text-column", "said", "--format", "jsonl"];
        let ran = run(&[&all[..], more].concat());
        assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
        let last = "{\"id\":\"2\",\"score\":null,\"sufficient\":null";
        assert!(
            text(&ran.stdout).lines().last().is_some_and(|line| line.starts_with(last)),
            "{}",
            text(&ran.stdout)
        );
    }
}

#[test]
fn an_order_that_is_not_sure_is_refused() {
    let csv =
        format!("talk,at,who,said\n7,10:01,agent,\"{KIND}\"\n7,9:05,customer,\"Hello, please help me.\"\n");
    fs::write(fresh("unsure.csv"), csv).expect("is written");
    let told = refused(&[
        "batch",
        "courtesy@1.5",
        "unsure.csv",
        "--text-column",
        "said",
        "--role-column",
        "who",
        "--group-by",
        "talk",
        "--order-by",
        "at",
    ]);
    assert!(told.starts_with("conversation `7`: `10:01` and `9:05` in the column `at`"), "{told}");
}
