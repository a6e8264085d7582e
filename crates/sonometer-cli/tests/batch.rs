//! `sonometer batch`: order, bytes, errors at their lines, pipes, and going on after a kill.

mod built;

use built::{command, golden, root, text};
use proptest::prelude::*;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;
use std::time::Duration;

const TALKS: &str = "crates/sonometer-cli/tests/protocols/talks.jsonl";

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("starts")
}

/// The path of a file that is not there yet.
fn fresh(name: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path.to_str().expect("is UTF-8").to_owned()
}

fn scratch(name: &str, bytes: &[u8]) -> String {
    let path = fresh(name);
    fs::write(&path, bytes).expect("can be written");
    path
}

/// What `sense` prints of lines that hold enough, by their place among the lines that are not blank.
fn sensed(target: &str, input: &str) -> Vec<String> {
    text(&run(&["sense", target, input, "--json", "--offsets", "chars"]).stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}

/// A text that is told apart by its number; every seventh holds too little, every eleventh is no interaction.
fn many(count: usize) -> String {
    let line = |n: usize| match n {
        n if n % 11 == 10 => format!("{{\"id\": \"{n}\", \"contents\": \"?\"}}\n"),
        n if n % 7 == 6 => format!("{{\"id\": \"{n}\", \"content\": \"xqz\"}}\n"),
        n => format!(
            "{{\"id\": \"{n}\", \"content\": \"Thank you so much for the {n} letters, I really appreciate it today.\"}}\n"
        ),
    };
    (0..count).map(line).collect()
}

#[test]
fn outcomes_with_good_and_bad_lines() {
    let input = scratch(
        "batch-mixed.jsonl",
        "\u{feff}{\"id\": \"a\", \"content\": \"Thank you so much for waiting with me, I really appreciate it today.\"}\r\n\
         \n\
         {\"id\": 7, \"labels\": {}, \"interaction\": {\"segments\": [{\"role\": \"agent\", \"content\": \"Could you help me with this, please? I am sorry to ask.\"}]}}\n\
         {\"content\": \"broken\n\
         {\"id\": \"c\", \"segments\": [{\"content\": \"who says it?\"}]}\n\
         {\"id\": \"d\", \"content\": \"xqz\"}\n\
         {\"content\": \"Thank you\", \"contnet\": \"twice\"}\n\
         no JSON at all"
            .as_bytes(),
    );
    let ran = run(&["batch", "courtesy@1.5", &input, "--offsets", "chars"]);
    golden("batch.jsonl", &text(&ran.stdout));
    assert_eq!(ran.status.code(), Some(2), "some lines are errors");
    let told = text(&ran.stderr);
    assert!(told.starts_with("7 items: 1 insufficient, 4 errors; "), "{told}");
    assert!(told.ends_with(" items/s\n"), "{told}");
}

#[test]
#[cfg(feature = "columns")]
fn rows_of_a_table_are_told_how_they_are_read() {
    let row =
        "{\"id\": 7, \"text\": \"Thank you so much for waiting with me, I really appreciate it today.\"}\n";
    let input = scratch("batch-rows.jsonl", row.repeat(3).as_bytes());
    let advice = "no line is an interaction; to read the lines as a table whose keys are columns, name the one of the texts with \
                  --text-column\n";
    for verb in ["batch", "report"] {
        let told = text(&run(&[verb, "courtesy@1.5", &input]).stderr);
        assert!(told.ends_with(&format!("{input}: {advice}")), "{verb}: {told}");
    }
    let ran = run(&["batch", "courtesy@1.5", &input, "--text-column", "text"]);
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let some = format!("{row}{{\"content\": \"Thank you so much for waiting with me today.\"}}\n");
    let ran = run(&["batch", "courtesy@1.5", &scratch("batch-some-rows.jsonl", some.as_bytes())]);
    assert!(text(&ran.stderr).ends_with(" items/s\n"), "{}", text(&ran.stderr));
}

#[test]
fn lines_that_are_no_json_are_told_how_they_are_made() {
    let told = |name: &str, lines: &str| {
        text(&run(&["batch", "courtesy@1.5", &scratch(name, lines.as_bytes())]).stderr)
    };
    for lines in ["[\n{\"content\": \"Thank you.\"},\n{\"content\": \"Hello.\"}\n]\n", "Thank you.\nHello.\n"]
    {
        let told = told("batch-no-json.jsonl", lines);
        assert!(
            told.contains("most lines are not JSON, and `batch` reads one JSON value a line; "),
            "{told}"
        );
    }
    // One line that was cut is no reason.
    assert!(
        !told("batch-half-a-line.jsonl", "{\"content\": \"Thank you.\"}\n{\"content\": \"Thank\n")
            .contains("most lines")
    );
}

#[test]
fn the_readings_are_those_of_sense() {
    for target in ["courtesy@1.5", "affect@1.5"] {
        let alone = sensed(target, TALKS);
        for threads in ["1", "2", "5"] {
            let ran = run(&["batch", target, TALKS, "--offsets", "chars", "--threads", threads]);
            let lines = text(&ran.stdout);
            assert_eq!(lines.lines().count(), alone.len());
            for (line, alone) in lines.lines().zip(&alone) {
                let (_, result) = line.split_once(",\"result\":").expect("is a reading");
                if alone.starts_with("{\"error\"") {
                    assert!(result.contains("\"sufficient\":false"), "{result}");
                } else {
                    assert_eq!(result.strip_suffix('}'), Some(alone.as_str()));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn bad_lines_at_any_place_cost_the_others_nothing(bad in prop::collection::btree_set(0_usize..60, 0..12)) {
        let good = many(60);
        let spoilt: String = (0..).zip(good.lines()).map(|(n, line)| if bad.contains(&n) { "[1,\n".to_owned() } else { format!("{line}\n") }).collect();
        let batch = |name: &str, lines: &str, threads: &str| {
            let input = scratch(name, lines.as_bytes());
            text(&run(&["batch", "courtesy@1.5", &input, "--threads", threads]).stdout)
        };
        let expected = batch("batch-good.jsonl", &good, "1");
        for threads in ["1", "2"] {
            let found = batch("batch-spoilt.jsonl", &spoilt, threads);
            prop_assert_eq!(found.lines().count(), 60);
            for ((n, found), expected) in (0..).zip(found.lines()).zip(expected.lines()) {
                if bad.contains(&n) {
                    let head = format!("{{\"line\":{},\"id\":null,\"error\":{{\"code\":\"invalid_request\"", n + 1);
                    prop_assert!(found.starts_with(&head), "{}", found);
                } else {
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}

#[test]
fn every_line_of_a_pipe_is_answered_before_the_next_comes() {
    for threads in ["1", "2"] {
        let mut command = command(&["batch", "courtesy@1.5", "-", "--threads", threads]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let mut input = child.stdin.take().expect("is piped");
        let mut output = BufReader::new(child.stdout.take().expect("is piped")).lines();
        for (number, line) in (1..).zip(many(30).lines()) {
            writeln!(input, "{line}").expect("is read");
            let answer = output.next().expect("answers").expect("is UTF-8");
            assert!(
                answer.starts_with(&format!("{{\"line\":{number},\"id\":\"{}\",", number - 1)),
                "{answer}"
            );
        }
        drop(input);
        assert!(output.next().is_none());
        assert_eq!(child.wait().expect("ends").code(), Some(2));
    }
}

#[test]
fn it_ends_where_the_reader_goes_away() {
    let input = scratch("batch-gone.jsonl", many(20_000).as_bytes());
    let mut child = command(&["batch", "courtesy@1.5", &input])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("is piped")).read_line(&mut first).expect("is read");
    let ended = child.wait_with_output().expect("ends");
    assert!(first.starts_with("{\"line\":1,"), "{first}");
    assert_eq!((ended.status.code(), text(&ended.stderr).as_str()), (Some(141), ""));
}

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let input = scratch("batch-kill.jsonl", many(30_000).as_bytes());
    let whole = fresh("batch-kill-whole.jsonl");
    assert_eq!(
        run(&["batch", "courtesy@1.5", &input, "--out", &whole, "--threads", "1"]).status.code(),
        Some(2)
    );
    let whole = fs::read(whole).expect("is written");
    let out = fresh("batch-kill-out.jsonl");
    let size = || fs::metadata(&out).map_or(0, |data| data.len());
    let mut kills = 0;
    for part in 1..=3 {
        let mut child =
            command(&["batch", "courtesy@1.5", &input, "--out", &out, "--resume", "--threads", "2"])
                .stderr(Stdio::null())
                .spawn()
                .expect("starts");
        let enough = whole.len() as u64 * part / 5;
        while size() < enough && child.try_wait().expect("is a child").is_none() {
            thread::sleep(Duration::from_micros(200));
        }
        kills += u32::from(child.try_wait().expect("is a child").is_none());
        child.kill().expect("can be killed");
        child.wait().expect("ends");
        // What a kill in the middle of a write leaves.
        let found = fs::read(&out).expect("is written");
        fs::write(&out, &found[..found.len() - 7]).expect("can be written");
    }
    assert!(kills > 0, "every run was over before it could be killed");
    assert!(size() < whole.len() as u64);
    let ran = run(&["batch", "courtesy@1.5", &input, "--out", &out, "--resume"]);
    assert_eq!(ran.status.code(), Some(2), "errors of earlier runs count");
    assert!(text(&ran.stderr).contains(" that were there: "), "{}", text(&ran.stderr));
    assert!(fs::read(&out).expect("is written") == whole, "the bytes are not those of one run");
    // Nothing is left to do.
    let ran = run(&["batch", "courtesy@1.5", &input, "--out", &out, "--resume"]);
    assert!(text(&ran.stderr).starts_with("0 items after 30000 that were there: "), "{}", text(&ran.stderr));
    assert!(fs::read(&out).expect("is written") == whole);
}

#[test]
fn any_cut_goes_on_to_the_same_bytes() {
    let input = scratch("batch-cut.jsonl", format!("\n{}", many(40)).as_bytes());
    let whole = run(&["batch", "courtesy@1.5", &input]).stdout;
    for cut in (0..whole.len()).step_by(whole.len() / 23) {
        let out = scratch("batch-cut-out.jsonl", &whole[..cut]);
        run(&["batch", "courtesy@1.5", &input, "--out", &out, "--resume"]);
        assert!(fs::read(&out).expect("is written") == whole, "cut at {cut}");
    }
}

#[test]
fn two_runs_do_not_write_one_file() {
    let input = scratch("batch-two.jsonl", many(3).as_bytes());
    let out = fresh("batch-two-out.jsonl");
    let other = fs::File::create(&out).expect("can be made");
    other.lock().expect("is on a disk that locks");
    for more in [&[][..], &["--resume"]] {
        let ran = run(&[&["batch", "courtesy@1.5", &input, "--out", &out], more].concat());
        let told = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{told}");
        assert!(told.contains(": another run is writing it; wait until that ends"), "{told}");
    }
    drop(other);
    run(&["batch", "courtesy@1.5", &input, "--out", &out]);
    assert_eq!(fs::read_to_string(&out).expect("is written").lines().count(), 3);
}

#[test]
fn what_does_not_belong_together_is_not_gone_on_with() {
    let input = scratch("batch-mine.jsonl", many(300).as_bytes());
    let out = fresh("batch-mine-out.jsonl");
    let batch = |more: &[&str]| {
        let mut arguments = vec!["batch", "courtesy@1.5"];
        arguments.extend(more);
        run(&arguments)
    };
    assert_eq!(batch(&[&input, "--out", &out]).status.code(), Some(2));
    let whole = fs::read(&out).expect("is written");
    let refused = |ran: Output, part: &str| {
        let told = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2));
        assert!(told.contains(part), "{told}");
        assert!(fs::read(&out).expect("is there") == whole, "{told}");
    };
    refused(batch(&[&input, "--out", &out]), "already exists and is not empty; use --resume to continue it");
    refused(
        batch(&[&input, "--out", &out, "--resume", "--profile", "detailed"]),
        "the same input, target and options",
    );
    refused(
        run(&["batch", "affect@1.5", &input, "--out", &out, "--resume"]),
        "differs from the reading of line 1 of the input",
    );
    // Another id in the middle, where nothing is sensed again.
    let other = scratch("batch-other.jsonl", many(300).replace("\"150\"", "\"x\"").as_bytes());
    refused(batch(&[&other, "--out", &out, "--resume"]), "differs from the reading of line 151 of the input");
    let short = scratch("batch-short.jsonl", many(100).as_bytes());
    refused(batch(&[&short, "--out", &out, "--resume"]), "the input has no such line");
    let prose = scratch("batch-prose.txt", b"Dear diary,\n");
    let ran = batch(&[&input, "--out", &prose, "--resume"]);
    assert!(text(&ran.stderr).contains("not a line written by `batch`"), "{}", text(&ran.stderr));
    assert_eq!(fs::read(&prose).expect("is there"), b"Dear diary,\n");
    // Nor is the end of a foreign file taken for that of a stopped run.
    let prose = scratch("batch-note.txt", b"Dear diary");
    let ran = batch(&[&input, "--out", &prose, "--resume"]);
    assert!(text(&ran.stderr).contains("the last line was not written by `batch`"), "{}", text(&ran.stderr));
    assert_eq!(fs::read(&prose).expect("is there"), b"Dear diary");
}

#[test]
fn inputs_and_outputs_that_are_none() {
    let empty = scratch("batch-empty.jsonl", b" \n\n");
    for (arguments, part) in [
        (&["batch", "courtesy@1.5", "missing.jsonl"][..], "no such file"),
        (&["batch", "courtesy@1.5", "crates"], "is a folder"),
        (&["batch", "courtesy@1.5", &empty], "the input is empty"),
        (&["batch", "courtesy@1.5", TALKS, "--out", "missing/out.jsonl"], "cannot be written"),
        (&["batch", "courtesy@1.5", TALKS, "--resume"], "--out"),
        (
            &["batch", "reply-quality@1.0", TALKS],
            "error: reply-quality@1.0: a metric is no protocol; to measure interactions by it, write `sonometer sense",
        ),
        (
            &["batch", "service-call@1.0", TALKS],
            "service-call@1.0: a blueprint is no protocol; to measure interactions by it, write `sonometer sense",
        ),
        (&["batch", "courtesy@1.5", TALKS, "--threads", "0"], "'--threads <N>': write a whole number from 1"),
        (
            &["batch", "courtesy@1.5", TALKS, "--threads", "many"],
            "'--threads <N>': write a whole number from 1",
        ),
    ] {
        let ran = run(arguments);
        assert_eq!(ran.status.code(), Some(2), "{arguments:?}");
        assert!(text(&ran.stderr).contains(part), "{arguments:?}: {}", text(&ran.stderr));
    }
    assert_eq!(run(&["batch", "curtesy", TALKS]).status.code(), Some(4));
}

#[test]
fn conversations_in_other_forms() {
    let spoken = "Thank you so much for waiting with me, I really appreciate it today.";
    let vtt =
        scratch("talk.vtt", format!("WEBVTT\n\n00:01.000 --> 00:02.000\n<v agent>{spoken}\n").as_bytes());
    let srt = scratch("talk.srt", format!("1\n00:00:01,000 --> 00:00:02,000\nagent: {spoken}\n").as_bytes());
    let turns = scratch("talk.txt", format!("agent: {spoken}\n").as_bytes());
    let json = scratch(
        "talk.json",
        format!("{{\"segments\": [{{\"role\": \"agent\", \"content\": \"{spoken}\"}}]}}").as_bytes(),
    );
    let sense = |more: &[&str]| {
        let mut arguments = vec!["sense", "courtesy@1.5", "--json", "--profile", "detailed"];
        arguments.extend(more);
        let ran = run(&arguments);
        assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
        text(&ran.stdout)
    };
    let expected = sense(&[&json]);
    assert!(expected.contains("\"attribution\":\"agent\""), "{expected}");
    assert_eq!(sense(&[&vtt]), expected);
    assert_eq!(sense(&[&srt]), expected);
    assert_eq!(sense(&[&turns, "--format", "turns"]), expected);
}

/// Talks that are measured, too short, with private data, and a line that is none.
fn mixed(name: &str) -> String {
    let talks = fs::read_to_string(root().join(TALKS)).expect("is there");
    let card = r#"{"id": "<b>card</b>", "interaction": {"segments": [{"role": "customer", "content": "My card is 4111 1111 1111 1111, thanks for the quick help with it."}]}}"#;
    scratch(name, format!("{talks}{{\n{card}\n").as_bytes())
}

#[test]
fn a_summary_says_what_the_whole_batch_came_to() {
    let input = mixed("summary.jsonl");
    let target = "crates/sonometer-cli/tests/protocols/dialogues-next.yaml";
    let ran = |threads: &str, extra: &[&str]| {
        let out = fresh(&format!("summary-{threads}-{}.out", extra.len()));
        let mut arguments = vec!["batch", target, &input, "--out", &out, "--summary", "--threads", threads];
        arguments.extend(extra);
        let ran = run(&arguments);
        assert_eq!(ran.status.code(), Some(2), "one line is invalid");
        text(&ran.stdout).replace(&input, "summary.jsonl")
    };
    let (shown, json) = (ran("1", &[]), ran("1", &["--json"]));
    golden("batch-summary.txt", &shown);
    golden("batch-summary.json", &json);
    assert_eq!((shown, json), (ran("3", &[]), ran("3", &["--json"])), "whatever the number of threads");
}

#[test]
fn the_summary_of_a_resumed_batch_has_what_was_there() {
    let input = mixed("summary-resumed.jsonl");
    let out = fresh("summary-resumed.out");
    let of = |more: &[&str]| {
        let ran = run(&[&["batch", "personal-data", &input, "--out", &out, "--summary"][..], more].concat());
        assert_eq!(ran.status.code(), Some(2), "one line is invalid: {}", text(&ran.stderr));
        text(&ran.stdout)
    };
    let (json, lines) = (of(&["--json"]), fs::read_to_string(&out).expect("is there"));
    assert!(json.contains("\"kept\":0,"), "{json}");
    for kept in [1, lines.lines().count() - 1, lines.lines().count()] {
        let some: String = lines.split_inclusive('\n').take(kept).collect();
        fs::write(&out, &some).expect("can be written");
        let wanted = json.replace("\"kept\":0,", &format!("\"kept\":{kept},"));
        assert_eq!(of(&["--json", "--resume"]), wanted);
        assert_eq!(fs::read_to_string(&out).expect("is there"), lines);
    }
    let whole = format!("{} of the items were in the file before this run.", lines.lines().count());
    assert!(of(&["--resume"]).contains(&whole));
    // What differs anywhere is found.
    let altered = lines.replacen("\"score\":", "\"score\": ", 1);
    fs::write(&out, altered).expect("can be written");
    assert_eq!(
        run(&["batch", "personal-data", &input, "--out", &out, "--summary", "--resume"]).status.code(),
        Some(2)
    );
}

#[test]
fn the_page_of_a_batch_shows_the_worst_and_nothing_private() {
    let input = mixed("page.jsonl");
    let (out, page) = (fresh("page.out"), fresh("page.html"));
    let ran = run(&["batch", "personal-data", &input, "--out", &out, "--html", &page]);
    assert_eq!(
        (ran.status.code(), text(&ran.stdout).as_str()),
        (Some(2), ""),
        "the page is asked for, and no text"
    );
    let page = fs::read_to_string(page).expect("is written");
    assert!(page.contains("Worst scores") && page.contains("**** **** **** 1111"), "{page}");
    assert!(page.contains("&lt;b&gt;card&lt;/b&gt;") && !page.contains("<b>card</b>"), "{page}");
    assert!(!page.contains("4111 1111"), "{page}");
}

#[test]
fn sums_show_no_name_that_holds_what_is_masked() {
    let talk = |id: &str, said: &str| format!("{{\"id\":\"{id}\",\"content\":\"{said}\"}}\n");
    let said = "Write to anna.schmidt@example.org, my card is 4111 1111 1111 1111.";
    let lines =
        talk("call-7", said) + &talk("anna.schmidt@example.org", said) + &talk("4111111111111111", said);
    let input = scratch("calls of anna.schmidt@example.org.jsonl", lines.as_bytes());
    let page = fresh("private.html");
    let of = |out: &str, more: &[&str]| {
        let out = fresh(out);
        let all = ["batch", "personal-data@2.0", &input, "--out", &out, "--html", &page, "--summary"];
        let ran = run(&[all.as_slice(), more].concat());
        assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
        text(&ran.stdout)
    };
    let (shown, json) = (of("private.out", &[]), of("private-json.out", &["--json"]));
    let page = fs::read_to_string(&page).expect("is written");
    for (form, text) in [("text", &shown), ("page", &page), ("json", &json)] {
        assert!(text.contains("call-7"), "{form}: other ids are shown: {text}");
        for secret in ["anna.schmidt", "4111111111111111", "4111 1111"] {
            assert!(!text.contains(secret), "{form} shows {secret}: {text}");
        }
    }
    assert!(page.contains("Not shown: 2 ids") && page.contains("data whose name is not shown"), "{page}");
}

#[test]
fn a_summary_needs_a_file_for_the_readings() {
    let ran = run(&["batch", "courtesy@1.5", TALKS, "--summary"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("--out"), "{}", text(&ran.stderr));
}

#[test]
fn chats_of_other_programs_are_lines_too() {
    let said = "Thank you so much for your patience today.";
    let lines = format!(
        "{{\"id\": \"plain\", \"interaction\": {{\"segments\": [{{\"role\": \"user\", \"content\": \"{said}\"}}]}}}}\n\
         {{\"id\": \"chat\", \"messages\": [{{\"role\": \"user\", \"content\": \"{said}\"}}]}}\n\
         [{{\"id\": \"m1\", \"role\": \"user\", \"parts\": [{{\"type\": \"text\", \"text\": \"{said}\"}}]}}]\n"
    );
    let input = scratch("chats-in-lines.jsonl", lines.as_bytes());
    let done = run(&["batch", "courtesy@2.0", &input]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let out = text(&done.stdout);
    let read: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("is JSON")).collect();
    let ids: Vec<Option<&str>> = read.iter().map(|line| line["id"].as_str()).collect();
    assert_eq!(ids, [Some("plain"), Some("chat"), None], "a list has no id");
    assert!(read[0]["result"]["score"].is_number());
    assert_eq!(read[1]["result"], read[0]["result"]);
    assert_eq!(read[2]["result"], read[0]["result"]);
}

#[test]
fn what_is_left_out_of_chats_is_told_once_for_all_lines() {
    let said = r#"{"role": "user", "parts": [{"text": "Thank you so much for your patience today."}]}"#;
    let call = r#"{"role": "model", "mood": 7, "parts": [{"functionCall": {"name": "f"}}]}"#;
    let lines = format!(
        "{{\"id\": \"a\", \"contents\": [{said}]}}\n\
         {{\"id\": \"b\", \"contents\": [{said}, {call}]}}\n\
         {{\"id\": \"c\", \"labels\": {{}}, \"contents\": [{said}, {call}, {call}]}}\n"
    );
    let input = scratch("chats-with-calls.jsonl", lines.as_bytes());
    let done = run(&["batch", "courtesy@2.0", &input]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let told = text(&done.stderr);
    for part in [
        "left out 3 parts that nobody said, of 2 chats",
        "line 2: the unknown key `mood` was skipped in contents[1]; 1 further notice like it",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let told = text(&run(&["sense", "courtesy@2.0", &input]).stderr);
    for part in [":2: left out 1 part that nobody said", ":3: left out 2 parts", ":3: the unknown key `mood`"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    let plain = scratch("chats-without-calls.jsonl", lines.lines().next().expect("has one").as_bytes());
    let told = text(&run(&["batch", "courtesy@2.0", &plain]).stderr);
    assert!(!told.contains("left out") && !told.contains("skipped"), "{told}");
    let masked =
        r#"{"contents": [{"role": "user", "ann@example.org": 1, "parts": [{"text": "Write to me."}]}]}"#;
    let input = scratch("chats-with-a-mask.jsonl", masked.as_bytes());
    let told = text(&run(&["batch", "personal-data@2.0", &input]).stderr);
    assert!(told.contains("line 1: an unknown key was skipped") && !told.contains("ann@"), "{told}");
    let file = scratch("chat-with-a-mask.json", masked.as_bytes());
    for arguments in [
        &["sense", "personal-data@2.0", &file][..],
        &["fidelity", "personal-data@2.0", &file],
        &["mask", "personal-data@2.0", &file],
        &["compare", "personal-data@2.0", &file, &file],
    ] {
        let told = text(&run(arguments).stderr);
        assert!(
            told.contains("since a text in it is masked") && !told.contains("ann@"),
            "{arguments:?}: {told}"
        );
    }
    let told = text(&run(&["sense", "courtesy@2.0", &file]).stderr);
    assert!(told.contains("the unknown key `ann@example.org` was skipped"), "{told}");
}
