//! `sonometer report`: what is in a page and in Markdown, and what never is.

mod built;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    built::folder(&format!("report/{name}"), &[])
}

fn report(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sonometer"))
        .arg("report")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("starts")
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = report(folder, arguments);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    String::from_utf8(output.stdout).expect("is UTF-8")
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = report(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).expect("is UTF-8")
}

/// The figures that a page holds.
fn figures(page: &str) -> Value {
    let (_, rest) = page.split_once("class=\"figures\">").expect("has figures");
    let (json, _) = rest.split_once("</script>").expect("ends");
    serde_json::from_str(json).expect("is JSON")
}

const KIND: &str = "Good morning, thank you so much for your help, could you please look at it once more?";
const CURT: &str = "I told you twice already. Why did you not read the message that I sent you yesterday?";

fn line(id: &str, extra: &str, turns: &[(&str, &str)]) -> String {
    let quoted = |text: &str| serde_json::to_string(text).expect("is text");
    let turns: Vec<String> = turns
        .iter()
        .map(|(role, content)| format!("{{\"role\":{},\"content\":{}}}", quoted(role), quoted(content)))
        .collect();
    format!("{{\"id\":{},{extra}\"interaction\":{{\"segments\":[{}]}}}}\n", quoted(id), turns.join(","))
}

#[test]
fn many_talks_are_summed_up_and_a_few_are_shown() {
    let folder = folder("many");
    let mut lines = String::new();
    for number in 0..30 {
        let channel = if number % 3 == 0 { "mail" } else { "chat" };
        let extra = format!("\"labels\":{{\"channel\":\"{channel}\",\"n\":{number}}},");
        // Eight kinds of talk with as many scores.
        let said = [(1, "Good morning."), (2, "Thank you so much."), (4, CURT)];
        let said = said.into_iter().filter(|(bit, _)| number & bit != 0).map(|(_, text)| text);
        let said: Vec<&str> =
            ["The order is number seven and it comes on Monday."].into_iter().chain(said).collect();
        lines.push_str(&line(
            &format!("talk-{number}"),
            &extra,
            &[("agent", &said.join(" ")), ("customer", KIND)],
        ));
    }
    lines.push_str(&line("short", "", &[("agent", "Hm.")]));
    fs::write(folder.join("talks.jsonl"), &lines).expect("can be written");
    done(&folder, &["courtesy@2.0", "talks.jsonl", "--by", "channel", "--out", "report.html"]);
    let page = fs::read_to_string(folder.join("report.html")).expect("was written");
    for told in [
        "31: 30 measured, 1 insufficient",
        "Worst talks",
        "Best talks",
        "Talks in the middle",
        "By channel",
        "Not measured",
        "Accuracy card: courtesy 2.0",
        "digest sha256:",
        "talk-",
        "too few words or turns",
    ] {
        assert!(page.contains(told), "{told}");
    }
    for absent in ["http://", "https://", "<script>", "src="] {
        assert!(!page.contains(absent), "{absent}");
    }
    // A marker has one colour, in the table and in the talks.
    let hue_before = |text: &str| {
        let (before, _) = page.split_once(text).expect("is shown");
        before.rsplit("--h:").next().and_then(|rest| rest.split('"').next()).expect("has a hue").to_owned()
    };
    for marker in ["gratitude", "kind_request"] {
        let (table, talk) = (format!("></span>{marker}<"), format!(" title=\"{marker} "));
        assert_eq!(hue_before(&table), hue_before(&talk), "{marker}");
    }
    let told = figures(&page);
    assert_eq!((told["talks"].as_u64(), told["measured"].as_u64()), (Some(31), Some(30)));
    assert_eq!(
        told["histogram"].as_array().expect("is a list").iter().filter_map(Value::as_u64).sum::<u64>(),
        30
    );
    let groups = told["groups"]["groups"].as_array().expect("is a list");
    let named: Vec<(&str, u64)> = groups
        .iter()
        .map(|group| (group["group"].as_str().expect("a name"), group["talks"].as_u64().expect("a count")))
        .collect();
    assert_eq!(named, [("chat", 20), ("mail", 10), ("(no value)", 1)]);
    let one = fs::read(folder.join("report.html")).expect("is there");
    done(
        &folder,
        &["courtesy@2.0", "talks.jsonl", "--by", "labels.channel", "--threads", "1", "--out", "one.html"],
    );
    let two = fs::read_to_string(folder.join("one.html"))
        .expect("is there")
        .replace("By labels.channel", "By channel");
    assert_eq!(
        String::from_utf8(one).expect("is UTF-8"),
        two.replace("\"by\":\"labels.channel\"", "\"by\":\"channel\"")
    );
    let markdown = done(&folder, &["courtesy@2.0", "talks.jsonl", "--format", "md"]);
    for told in ["# Courtesy", "## Markers", "| tact |", "### talk-", "]{tact"] {
        assert!(markdown.contains(told), "{told}: {markdown}");
    }
}

#[test]
fn the_name_of_a_report_says_its_format() {
    let folder = folder("endings");
    fs::write(folder.join("call.txt"), KIND).expect("can be written");
    let told = refused(&folder, &["courtesy@2.0", "call.txt", "--out", "call.pdf"]);
    assert!(
        told.contains("call.pdf: the name does not say the format; let it end with .html or .md"),
        "{told}"
    );
    assert!(!folder.join("call.pdf").exists());
    for (arguments, beginning) in [
        (&["--out", "call.MD"][..], "# Courtesy"),
        (&["--out", "call"], "<!DOCTYPE html>"),
        (&["--out", "call.txt.out", "--format", "md"], "# Courtesy"),
    ] {
        done(&folder, &[&["courtesy@2.0", "call.txt"], arguments].concat());
        let written = fs::read_to_string(folder.join(arguments[1])).expect("is written");
        assert!(written.starts_with(beginning), "{arguments:?}");
    }
}

#[test]
fn one_talk_is_shown_whole() {
    let folder = folder("one");
    fs::write(
        folder.join("call.jsonl"),
        line("x", "", &[("agent", KIND), ("customer", CURT), ("agent", KIND)]),
    )
    .expect("can be written");
    let page = done(&folder, &["courtesy@2.0", "call.jsonl"]);
    let told = figures(&page);
    let score = told["score"].to_string();
    for text in ["<mark", &format!("Why {score}?"), "computation", "Who drives", "agent"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert_eq!(told["reading"]["score"], told["score"], "the canonical JSON is inside");
    // Each line has the direction of what is said in it, not of who says it.
    fs::write(folder.join("call.jsonl"), line("x", "", &[("שלום", KIND)])).expect("can be written");
    let page = done(&folder, &["courtesy@2.0", "call.jsonl"]);
    assert!(page.contains("<p class=\"turn\" dir=\"auto\"><b dir=\"auto\">שלום</b> <mark"), "{page}");
    fs::write(folder.join("call.txt"), KIND).expect("can be written");
    assert!(done(&folder, &["courtesy@2.0", "call.txt"]).contains("call.txt"));
    let short = folder.join("short.txt");
    fs::write(&short, "Hm.").expect("can be written");
    let output = report(&folder, &["courtesy@2.0", "short.txt", "--out", "short.md"]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = fs::read_to_string(folder.join("short.md")).expect("was written");
    assert!(text.contains("lacks sufficient signal") && text.contains("too few words or turns"), "{text}");
}

#[test]
fn hostile_texts_stay_texts() {
    let folder = folder("hostile");
    let bad = "</script><script>alert(1)</script><img src=x onerror=alert(1)> \u{202e}txt.exe ``` | # <!-- *x* thank you";
    let said = format!("{KIND} {bad}");
    let extra = format!("\"labels\":{{\"g\":{}}},", serde_json::to_string(bad).expect("is text"));
    let both = line(bad, &extra, &[(bad, &said), ("agent", KIND)])
        + &line(bad, "", &[(bad, &said)])
        + "{\"content\":7}\nnot JSON <b>\n";
    fs::write(folder.join("bad.jsonl"), &both).expect("can be written");
    fs::write(folder.join("one.jsonl"), line(bad, &extra, &[(bad, &said), ("agent", KIND)]))
        .expect("can be written");
    for arguments in [&["courtesy@2.0", "bad.jsonl", "--by", "g"][..], &["courtesy@2.0", "one.jsonl"]] {
        let output = report(&folder, arguments);
        let page = String::from_utf8(output.stdout).expect("is UTF-8");
        assert_eq!(page.matches("<script").count(), 1, "the figures alone");
        assert_eq!(page.matches("</script").count(), 1);
        assert!(!page.contains("<img") && !page.contains('\u{202e}') && !page.contains("<!-- "), "{page}");
        assert!(figures(&page).is_object());
        let mut md = arguments.to_vec();
        md.extend(["--format", "md"]);
        let text = String::from_utf8(report(&folder, &md).stdout).expect("is UTF-8");
        let outside: Vec<&str> = unfenced(&text);
        assert!(!outside.iter().any(|line| line.contains("<script") || line.contains("<img")), "{text}");
        assert!(!text.contains('\u{202e}'));
    }
    let told = figures(
        &String::from_utf8(report(&folder, &["courtesy@2.0", "bad.jsonl"]).stdout).expect("is UTF-8"),
    );
    assert_eq!(told["errors"]["invalid_request"].as_u64(), Some(2), "{told}");
}

#[test]
fn a_talk_that_cannot_be_read_is_named_by_its_line() {
    let folder = folder("unreadable");
    let good = line("good", "", &[("agent", KIND)]);
    let bad = "{\"id\":\"t7\",\"content\":7}\n";
    let told = |name: &str, lines: &str| {
        fs::write(folder.join(name), lines).expect("can be written");
        let output = report(&folder, &["courtesy@2.0", name, "--out", "report.html"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).expect("is UTF-8")
    };
    let one = told("one.jsonl", &format!("{good}{good}{bad}"));
    assert!(
        one.contains("\none.jsonl:3: invalid_request: `content` is a number") && !one.contains("t7"),
        "{one}"
    );
    assert!(!one.contains("other talk"), "{one}");
    let two = told("two.jsonl", &format!("{good}{good}{bad}{bad}"));
    assert!(
        two.contains("\ntwo.jsonl:3: ") && two.ends_with("; 1 other talk cannot be read either\n"),
        "{two}"
    );
    let many = told("many.jsonl", &format!("{good}{}", bad.repeat(12)));
    assert!(many.ends_with("; 11 other talks cannot be read either\n"), "{many}");
    let only = told("only.jsonl", bad);
    assert!(only.contains("only.jsonl:1: content: "), "{only}");
    let none = told("none.jsonl", &bad.repeat(2));
    assert!(none.contains("2 talks: 0 measured, 0 insufficient, 2 errors"), "{none}");
    let page = fs::read_to_string(folder.join("report.html")).expect("is there");
    assert!(page.contains("No talk could be read, so nothing was measured."), "{page}");
    fs::write(folder.join("no.json"), bad).expect("can be written");
    let file = refused(&folder, &["courtesy@2.0", "no.json"]);
    assert_eq!(file.matches("no.json").count(), 1, "{file}");
}

/// The lines of Markdown that are not within a fence.
fn unfenced(text: &str) -> Vec<&str> {
    let (mut fence, mut lines) = (None, Vec::new());
    for line in text.lines() {
        let ticks = line.chars().take_while(|c| *c == '`').count();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(open) if ticks >= open && line.len() == ticks => fence = None,
            None => lines.push(line),
            Some(_) => {}
        }
    }
    lines
}

/// What must not be in any form of any report, nor the parts of it that would give it away.
const SECRETS: [&str; 5] = [
    "anna.schmidt@example.org",
    "4111 1111 1111 1111",
    "4111111111111111",
    "DE89370400440532013000",
    "anna.schmidt",
];

#[test]
fn nothing_masked_is_ever_shown() {
    let folder = folder("masked");
    let text = "My mail is anna.schmidt@example.org, my card is 4111 1111 1111 1111 and my account DE89370400440532013000, thank you.";
    let talk = |id: &str, group: &str, role: &str| {
        let extra = format!("\"labels\":{{\"g\":\"{group}\"}},");
        line(id, &extra, &[(role, text), ("agent", "Thank you, I have noted all of this for you.")])
    };
    let mut lines = talk("anna.schmidt@example.org", "anna.schmidt@example.org", "customer");
    lines.push_str(&talk("call 4111 1111 1111 1111", "4111111111111111", "anna.schmidt@example.org"));
    lines.push_str(&talk("DE89370400440532013000.txt", "north", "caller anna.schmidt@example.org"));
    lines.push_str(&talk("plain", "north", "customer"));
    lines.push_str(&line("4111-1111-1111-1111", "", &[("agent", "Hm.")]));
    lines.push_str("{\"anna.schmidt@example.org\": 1}\n");
    let many = "talks of anna.schmidt@example.org.jsonl";
    fs::write(folder.join(many), &lines).expect("can be written");
    let one = "call_4111-1111-1111-1111.jsonl";
    fs::write(folder.join(one), talk("anna.schmidt@example.org", "x", "anna.schmidt@example.org"))
        .expect("can be written");
    fs::write(folder.join("anna.schmidt@example.org.txt"), text).expect("can be written");
    for mask in ["", "label", "stars", "remove", "numbered"] {
        for input in [many, one, "anna.schmidt@example.org.txt"] {
            for format in ["html", "md"] {
                let mut arguments = vec!["personal-data@2.0", input, "--format", format];
                if input == many {
                    arguments.extend(["--by", "g"]);
                }
                if !mask.is_empty() {
                    arguments.extend(["--mask", mask]);
                }
                let output = report(&folder, &arguments);
                let text = String::from_utf8(output.stdout).expect("is UTF-8");
                assert!(text.len() > 1_000, "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
                for secret in SECRETS {
                    assert!(!text.contains(secret), "{secret} with {arguments:?}: {text}");
                }
            }
        }
    }
    let page = String::from_utf8(report(&folder, &["personal-data@2.0", many, "--by", "g"]).stdout)
        .expect("is UTF-8");
    for told in ["names of 4 talks are not shown", "the data, roles, groups", "group 1", "north", "role 3"] {
        assert!(page.to_lowercase().contains(told), "{told}: {page}");
    }
}

#[test]
fn tables_and_folders_are_read_as_batch_and_sense_read_them() {
    let folder = folder("tables");
    let mut csv = String::from("talk,who,said,when,region\n");
    for number in 0..6 {
        let region = if number < 4 { "north" } else { "south" };
        csv.push_str(&format!("{number},agent,\"{KIND}\",2026-11-{:02}T10:00:00Z,{region}\n", number + 1));
        csv.push_str(&format!("{number},customer,\"{CURT}\",2026-11-{:02}T10:01:00Z,{region}\n", number + 1));
    }
    fs::write(folder.join("talks.csv"), csv).expect("can be written");
    let columns =
        ["--text-column", "said", "--role-column", "who", "--time-column", "when", "--group-by", "talk"];
    let mut arguments = vec!["courtesy@2.0", "talks.csv", "--by", "region"];
    arguments.extend(columns);
    let told = figures(&done(&folder, &arguments));
    assert_eq!(told["talks"].as_u64(), Some(6), "{told}");
    assert_eq!(told["groups"]["groups"][0]["talks"].as_u64(), Some(4), "{told}");
    assert_eq!(told["course"]["periods"].as_array().map(Vec::len), Some(6), "{told}");
    assert_eq!(told["course"]["period"], "day", "six days are not shown by hours");
    assert_eq!(told["course"]["periods"][0]["from"], "2026-11-01");
    assert!(done(&folder, &arguments).contains("1 Nov 2026"), "dates are written for people");
    arguments[3] = "nowhere";
    assert!(refused(&folder, &arguments).contains("columns: talk, who, said, when, region"));
    let csv = format!("said\n{0}{0}", format_args!("\"agent: {KIND}\ncustomer: {CURT}\"\n"));
    fs::write(folder.join("cells.csv"), csv).expect("can be written");
    let roles = |more: &[&str]| {
        let told = figures(&done(
            &folder,
            &[&["courtesy@2.0", "cells.csv", "--text-column", "said"], more].concat(),
        ));
        told["turns"].as_u64()
    };
    assert_eq!((roles(&[]), roles(&["--turns"])), (Some(2), Some(4)));
    let talks = folder.join("talks");
    fs::create_dir(&talks).expect("can be made");
    fs::write(talks.join("a.txt"), KIND).expect("can be written");
    fs::write(talks.join("b.txt"), CURT).expect("can be written");
    let told = figures(&done(&folder, &["courtesy@2.0", "talks"]));
    assert_eq!(told["talks"].as_u64(), Some(2), "{told}");
}

#[test]
fn what_cannot_be_reported_is_refused_and_leaves_no_file() {
    let folder = folder("refused");
    fs::write(folder.join("empty.jsonl"), "\n\n").expect("can be written");
    let two = line("a", "\"split\":\"dev\",\"labels\":{\"x\":1},", &[("agent", KIND)])
        + &line("b", "", &[("agent", KIND)]);
    fs::write(folder.join("two.jsonl"), two).expect("can be written");
    fs::write(folder.join("old.html"), "as it was").expect("can be written");
    let told = refused(&folder, &["courtesy", "empty.jsonl", "--out", "old.html"]);
    assert!(told.contains("empty.jsonl: there are no talks in the input"), "{told}");
    let told = refused(&folder, &["courtesy", "two.jsonl", "--by", "chanel", "--out", "old.html"]);
    assert!(told.contains("--by chanel: no talk has this column; columns: id, labels.x, split"), "{told}");
    let told = refused(&folder, &["courtesy", "two.jsonl", "--out", "nowhere/report.html"]);
    assert!(told.contains("name a file in an existing folder"), "{told}");
    assert!(refused(&folder, &["courtesy", "none.jsonl", "--out", "old.html"]).contains("no such file"));
    assert_eq!(fs::read_to_string(folder.join("old.html")).expect("is there"), "as it was");
    let mut left: Vec<String> = fs::read_dir(&folder)
        .expect("is there")
        .map(|entry| entry.expect("is there").file_name().into_string().expect("is UTF-8"))
        .collect();
    left.sort();
    assert_eq!(left, ["empty.jsonl", "old.html", "two.jsonl"]);
}

#[test]
fn what_is_read_is_never_overwritten() {
    let folder = folder("kept");
    let talks = line("a", "\"labels\":{\"x\":true},", &[("agent", KIND)])
        + &line("b", "\"labels\":{\"x\":false},", &[("agent", CURT)]);
    let walked = "{\"action\":\"hello\"}\n";
    let entry = sonometer_catalog::find("courtesy", Some("2.0")).expect("ships");
    let files = [
        ("talks.jsonl", &*talks),
        ("one.txt", KIND),
        ("two.txt", CURT),
        ("mine.yaml", entry.source),
        ("walked.txt", walked),
    ];
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("can be written");
    }
    for arguments in [
        &["report", "courtesy@2.0", "talks.jsonl", "--out", "talks.jsonl", "--format", "md"][..],
        &["report", "courtesy@2.0", "one.txt", "talks.jsonl", "--out", "./one.txt", "--format", "html"],
        &["report", "mine.yaml", "one.txt", "--out", "mine.yaml", "--format", "html"],
        &["sense", "courtesy@2.0", "one.txt", "--html", "one.txt"],
        &["sense", "mine.yaml", "one.txt", "--html", "../kept/mine.yaml"],
        &["compare", "courtesy@2.0", "one.txt", "two.txt", "--html", "two.txt"],
        &["batch", "courtesy@2.0", "talks.jsonl", "--out", "out.jsonl", "--html", "talks.jsonl"],
        &["evaluate", "courtesy@2.0", "talks.jsonl", "--label", "x", "--html", "talks.jsonl"],
        &["diff", "courtesy@2.0", "mine.yaml", "talks.jsonl", "--html", "mine.yaml"],
        &["dive", "billing-dispute", "--actions", "walked.txt", "--log", "walked.txt"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sonometer"));
        let output = command.args(arguments).current_dir(&folder).output().expect("starts");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(
            told.contains("is read here, so it is kept; name another file to write"),
            "{arguments:?}: {told}"
        );
        for (name, text) in files {
            assert_eq!(fs::read_to_string(folder.join(name)).expect("is there"), text, "{arguments:?}");
        }
    }
}

#[test]
fn a_talk_of_a_hundred_thousand_turns_stays_a_page() {
    let folder = folder("long");
    let turns: Vec<(&str, &str)> =
        (0..100_000).map(|at| (if at % 2 == 0 { "a" } else { "b" }, "Thank you, that is kind.")).collect();
    fs::write(folder.join("long.jsonl"), line("long", "", &turns)).expect("can be written");
    let page = done(&folder, &["courtesy@2.0", "long.jsonl"]);
    assert!(page.contains("… 95000 turns"), "{}", &page[..2_000]);
    let (shown, _) = page.split_once("class=\"figures\">").expect("has figures");
    assert!(shown.len() < 4 << 20, "{} bytes", shown.len());
    let text = done(&folder, &["courtesy@2.0", "long.jsonl", "--format", "md"]);
    assert!(text.contains("… 95000 further turns") && text.len() < 4 << 20, "{} bytes", text.len());
}

#[test]
fn lines_with_roles_are_turns_if_that_is_said() {
    let folder = folder("turns");
    fs::create_dir_all(folder.join("calls")).expect("can be made");
    let call = format!("agent: {KIND}\ncustomer: My order is late.\nagent: {CURT}\n");
    for name in ["a.txt", "b.txt", "c.txt"] {
        fs::write(folder.join("calls").join(name), &call).expect("can be written");
    }
    fs::write(folder.join("late.yaml"), LATE).expect("can be written");
    let output = report(&folder, &["late.yaml", "calls", "--format", "md"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("3 insufficient"), "{told}");
    assert!(told.contains("a.txt: read as one text, but its lines begin with who speaks"), "{told}");
    assert!(told.contains("use `--turns`; 2 other texts are alike"), "{told}");
    let output = report(&folder, &["late.yaml", "calls/a.txt", "--format", "md"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        told.contains("use `--turns`") && told.contains("need `agent`, but no turn has a role"),
        "{told}"
    );
    let output = report(&folder, &["late.yaml", "calls", "--turns", "--format", "md"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "3 talks: 3 measured, 0 insufficient, 0 errors\n");
    assert!(String::from_utf8_lossy(&output.stdout).contains("| customer | 3 |"), "{output:?}");
    fs::write(folder.join("talks.jsonl"), "{\"content\": \"Thank you.\"}\n").expect("can be written");
    assert!(refused(&folder, &["courtesy@2.0", "talks.jsonl", "--turns"]).contains("remove it"));
}

/// A protocol that listens to one role.
const LATE: &str = "sonometer: 1\nid: late\nversion: \"1\"\ntaxonomy: Signal\nactants: {primary: agent, secondary: customer}\nmarkers:\n  \
                    - label: thanks\n    by: agent\n    strong: thank you\n    hit: \"agent: Thank you.\"\n";
