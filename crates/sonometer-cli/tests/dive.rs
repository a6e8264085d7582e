//! `sonometer dive` from a terminal's point of view.

mod built;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run(folder: &Path, arguments: &[&str], typed: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sonometer"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    // A dive that has ended reads no further.
    let _ = child.stdin.take().expect("is piped").write_all(typed.as_bytes());
    let output = child.wait_with_output().expect("ends");
    let text = |bytes| String::from_utf8(bytes).expect("is UTF-8");
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn folder(name: &str) -> PathBuf {
    built::folder(&format!("dive-{name}"), &[])
}

#[test]
fn a_person_plays_a_line_an_action() {
    let folder = folder("person");
    let typed = "I am so sorry that you had to call a third time.\nNo need to share that card.\n";
    let ran = run(&folder, &["dive", "billing-dispute", "--seed", "7"], typed);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for part in ["The third wrong bill", "empathy", "✓ checkpoint calmed", "FAILED closed_early", "○ agreed"]
    {
        assert!(ran.out.contains(part), "{part} is not in\n{}", ran.out);
    }
}

#[test]
fn words_that_are_typed_are_no_actions() {
    let folder = folder("words");
    let typed = "help\nstatus\nI am so sorry that you had to call a third time.\n status \nquit\nNo need.\n";
    let ran = run(&folder, &["dive", "billing-dispute"], typed);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let before = ran.out.split("✓ checkpoint").next().expect("is there");
    assert!(before.contains("ends the dive now") && before.contains("turn 1 of"), "{}", ran.out);
    assert!(before.contains("○ calmed") && ran.out.contains("turn 2 of"), "{}", ran.out);
    assert!(ran.out.contains("\n  1 turn, score"), "only one line was an action\n{}", ran.out);
    let ran = run(&folder, &["dive", "billing-dispute"], "\n  \nNo need to share that card.\n\n");
    assert!(ran.out.contains("\n  1 turn, score"), "Enter alone is none\n{}", ran.out);
    // Every line of a script is an action.
    let ran = run(&folder, &["dive", "billing-dispute", "--actions", "-"], "help\nstatus\n\n");
    assert!(ran.out.contains("\n  3 turns, score"), "{}", ran.out);
}

#[test]
fn the_log_of_a_dive_that_is_broken_off_has_what_was_played() {
    let folder = folder("broken-off");
    let mut child = Command::new(env!("CARGO_BIN_EXE_sonometer"))
        .args(["dive", "billing-dispute", "--log", "log.jsonl"])
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut typed = child.stdin.take().expect("is piped");
    typed.write_all(b"I am so sorry that you had to call a third time.\n").expect("is taken");
    let mut shown = BufReader::new(child.stdout.take().expect("is piped")).lines();
    assert!(shown.any(|line| line.expect("is UTF-8").contains("checkpoint calmed")));
    child.kill().expect("runs");
    child.wait().expect("ends");
    let log = fs::read_to_string(folder.join("log.jsonl")).expect("is there");
    assert!(log.ends_with('\n') && log.lines().count() == 1 && log.contains("call a third time"), "{log}");
    // Before anything is played.
    let ran = run(&folder, &["dive", "billing-dispute", "--log", "none/log.jsonl"], "No need.\n");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("none/log.jsonl: cannot be written"), "{}", ran.err);
}

#[test]
fn what_is_private_is_masked() {
    let typed = "My own card is 4111 1111 1111 1111, if that helps you.\n";
    let ran = run(&folder("mask"), &["dive", "billing-dispute"], typed);
    assert!(ran.out.contains("✗ flag card_taken") && !ran.out.contains("4111 1111"), "{}", ran.out);
}

#[test]
fn a_dive_is_kept_signed_and_verified() {
    let folder = folder("verify");
    assert_eq!(run(&folder, &["dive", "keygen", "key.txt"], "").code, Some(0));
    let again = run(&folder, &["dive", "keygen", "key.txt"], "");
    assert_eq!(again.code, Some(2), "a key is never overwritten");
    let play = [
        "dive",
        "agent-phishing",
        "--walkthrough",
        "reference",
        "--log",
        "log.jsonl",
        "--card",
        "card.json",
        "--key",
        "key.txt",
    ];
    assert_eq!(run(&folder, &play, "").code, Some(0));
    let verify = ["dive", "verify", "card.json", "--actions", "log.jsonl", "--keys", "key.txt.pub"];
    let ran = run(&folder, &verify, "");
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    // The log is a script too, and gives the same card.
    let replay = [
        "dive",
        "agent-phishing",
        "--seed",
        "2",
        "--actions",
        "log.jsonl",
        "--card",
        "again.json",
        "--key",
        "key.txt",
    ];
    assert_eq!(run(&folder, &replay, "").code, Some(0));
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("is there");
    assert_eq!(read("card.json"), read("again.json"));
    let export = run(&folder, &["dive", "export", "card.json", "--key", "key.txt"], "");
    let envelope: serde_json::Value = serde_json::from_str(&export.out).expect("is JSON");
    assert_eq!(envelope["payloadType"], "application/vnd.in-toto+json");

    fs::write(folder.join("log.jsonl"), read("log.jsonl").replace("it is urgent", "it is crucial"))
        .expect("can be written");
    let ran = run(&folder, &verify, "");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("step 2"), "{}", ran.out);
    fs::write(
        folder.join("card.json"),
        read("card.json").replace("\"mode\":\"practice\"", "\"mode\":\"graded\""),
    )
    .expect("can be written");
    let ran = run(&folder, &["dive", "verify", "card.json", "--keys", "key.txt.pub", "--json"], "");
    let told: serde_json::Value = serde_json::from_str(&ran.out).expect("is JSON");
    assert_eq!(
        (ran.code, told["holds"].as_bool(), told["place"].as_str()),
        (Some(1), Some(false), Some("signature"))
    );
    // Without keys nobody can tell, so it is not called valid.
    let ran = run(&folder, &["dive", "verify", "card.json"], "");
    assert_eq!(ran.code, Some(0));
    for part in ["well formed; whether it is genuine was not checked", "use --keys", "use --actions"] {
        assert!(ran.out.contains(part) && !ran.out.contains("is valid"), "{}", ran.out);
    }
}

#[test]
fn programs_get_a_line_of_json_for_everything() {
    let ran = run(&folder("json"), &["dive", "drinking-less", "--walkthrough", "reference", "--json"], "");
    let lines: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("is JSON")).collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0]["turn"], 0);
    assert!(lines[1]["reading"]["score"].is_number() && lines[1]["observation"]["world"].is_string());
    assert_eq!(lines[4]["verdict"]["passed"], true);
}

#[test]
fn stages_are_checked_and_tested_like_other_files() {
    let folder = folder("check");
    let test = run(&folder, &["test", "billing-dispute", "drinking-less", "agent-phishing"], "");
    assert_eq!(test.code, Some(0), "{}", test.out);
    let stage = include_str!("../../sonometer-catalog/stages/drinking-less@1.0.yaml");
    fs::write(folder.join("own.yaml"), stage.replace("fired(judging)", "fired(juding)"))
        .expect("can be written");
    let ran = run(&folder, &["check", "own.yaml", "--format", "short"], "");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("error[SM0603]") && ran.out.contains("did you mean `judging`"), "{}", ran.out);
    let ran = run(&folder, &["dive", "own.yaml"], "");
    assert!(ran.code == Some(2) && ran.err.contains("did you mean `judging`"), "{}", ran.err);
    fs::write(folder.join("own.yaml"), stage.replace("expect: pass", "expect: fail"))
        .expect("can be written");
    assert_eq!(run(&folder, &["test", "own.yaml"], "").code, Some(1));
    assert!(run(&folder, &["schema", "stage"], "").out.contains("Sonometer stage"));
    let ran = run(&folder, &["dive", "billing-dispte"], "");
    assert!(ran.code == Some(4) && ran.err.contains("did you mean `billing-dispute`"), "{}", ran.err);
    fs::write(folder.join("base.yaml"), "sonometer: 1\nid: base\n").expect("can be written");
    let ran = run(&folder, &["dive", "base.yaml"], "");
    let told = "error: base.yaml: this is a protocol, not a stage; measure by it with `sonometer sense base.yaml FILE`";
    assert!(ran.code != Some(0) && ran.err.starts_with(told) && ran.err.lines().count() == 1, "{}", ran.err);
    let ran = run(&folder, &["sense", "own.yaml", "own.yaml"], "");
    assert!(ran.err.contains("SM0614"), "{}", ran.err);
}
