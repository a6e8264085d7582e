//! Files of every kind through the built command, which reads them in a process apart.
#![cfg(feature = "documents")]

mod built;

use built::{command_in, printed, refused, root};
use std::path::Path;
use std::process::Output;

/// The command in the folder of documents.
fn run(arguments: &[&str]) -> Output {
    let mut command = command_in(&root().join("fixtures/documents"), arguments);
    command.env("PATH", "/usr/bin:/bin").output().expect("starts")
}

#[track_caller]
fn out(arguments: &[&str]) -> String {
    printed(&run(arguments))
}

#[track_caller]
fn refusal(arguments: &[&str]) -> String {
    refused(&run(arguments))
}

#[test]
fn one_conversation_gives_the_same_bytes_in_every_form() {
    let sense =
        |rest: &[&str]| out(&[&["sense", "courtesy@1.5", "--json", "--offsets", "bytes"], rest].concat());
    let expected = sense(&["talk.json"]);
    for form in [
        &["talk-messages.json"][..],
        &["talk.vtt"],
        &["talk-whatsapp.txt"],
        &["talk-timed.txt"],
        &["talk-speech.json", "--role-map", "speaker-0=agent,speaker-1=customer"],
        &["talk.mbox"],
        &["talk.docx", "--turns"],
        &["talk.pdf", "--turns"],
        &["visits.xlsx", "--column", "said", "--role-column", "who"],
        &["visits.xls", "--column", "said", "--role-column", "who"],
        &["sources/visits.csv", "--column", "B", "--role-column", "who"],
    ] {
        assert_eq!(sense(form), expected, "{form:?}");
    }
}

#[test]
fn evidence_says_its_place() {
    let shown = out(&["sense", "affect@1.5", "report.docx"]);
    assert!(shown.contains("table 1, cell B2") && shown.contains("I am [furious] about"), "{shown}");
    assert!(out(&["sense", "courtesy@1.5", "talk.vtt"]).contains("00:00:30"), "no time");
    let sheet = out(&["sense", "courtesy@1.5", "visits.xlsx", "--column", "said"]);
    assert!(sheet.contains("visits!B2"), "{sheet}");
    let composed = out(&["sense", "service-call", "talk.docx", "--turns"]);
    assert!(composed.contains("(paragraph 1)"), "{composed}");
}

#[test]
fn extract_shows_what_would_be_sensed() {
    let shown = out(&["extract", "report.odt", "--target", "affect@1.5"]);
    assert!(shown.contains("footnote 1") && shown.contains(", sufficient"), "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&out(&["extract", "talk.mbox", "--json"])).expect("is JSON");
    assert_eq!(json["pieces"][1]["shown"], "message 2, paragraph 1");
    assert_eq!(json["interaction"]["segments"][3]["role"], "customer");
    assert_eq!(json["notes"].as_array().map(Vec::len), Some(1));
    let roles = out(&["extract", "talk.vtt", "--text", "--role-map", "Agent=clerk"]);
    assert!(roles.starts_with("clerk: Good morning"), "{roles}");
}

#[test]
fn what_does_not_fit_is_refused_with_the_way_out() {
    assert!(refusal(&["sense", "courtesy@1.5", "report.docx"]).contains("`--as text`"));
    assert!(out(&["sense", "courtesy@1.5", "report.docx", "--as", "text"]).contains("Courtesy"));
    assert!(refusal(&["sense", "courtesy@1.5", "talk.vtt", "--column", "a"]).contains("remove it"));
    assert!(refusal(&["sense", "courtesy@1.5", "talk.json", "--turns"]).contains("remove it"));
    assert!(refusal(&["extract", "visits.xlsx", "--sheet", "x"]).contains("the sheets are visits"));
    assert!(
        refusal(&["extract", "talk.vtt", "--role-map", "Bo=x"]).contains("the roles are agent, customer")
    );
}

#[test]
fn two_files_or_two_versions_are_told_about_as_one_is() {
    let table = "sources/visits.csv";
    let whole = "sources/visits.csv: the whole table is sensed as one text; to sense one column as turns, use `--column NAME`";
    for arguments in [
        &["compare", "courtesy@1.5", table, "talk.vtt"][..],
        &["diff", "courtesy@1.0", "courtesy@1.5", table],
    ] {
        let ran = run(arguments);
        let told = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{told}");
        assert!(
            told.contains(whole) && told.contains("to sense the text of the file, use `--as text`"),
            "{told}"
        );
    }
    let turns = ["--column", "said", "--role-column", "who"];
    let compared = run(&[&["compare", "courtesy@1.5", table, table][..], &turns].concat());
    assert!(compared.status.success() && compared.stderr.is_empty(), "{compared:?}");
}

#[test]
fn what_was_probably_meant_is_told_beside_the_result() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("advice");
    std::fs::create_dir_all(&folder).expect("can be made");
    let talk = folder.join("talk.txt");
    let said = "agent: Good morning, how may I help you today?\ncustomer: Thank you, my parcel is late.\n";
    std::fs::write(&talk, said).expect("can be written");
    let talk = talk.to_str().expect("is UTF-8");
    let told = |arguments: &[&str]| {
        let ran = run(arguments);
        assert!(ran.status.success(), "{arguments:?}");
        String::from_utf8(ran.stderr).expect("is UTF-8")
    };
    assert!(
        told(&["sense", "courtesy@1.5", talk])
            .contains("2 lines begin like `agent: …`; to sense them as turns")
    );
    assert_eq!(told(&["sense", "courtesy@1.5", talk, "--format", "turns"]), "");
    let document = refusal(&["sense", "courtesy@1.5", "talk.docx"]);
    assert!(
        document.contains("4 lines begin like `agent: …`; to sense them as turns, use `--turns`"),
        "{document}"
    );
    assert_eq!(told(&["sense", "courtesy@1.5", "talk.docx", "--turns"]), "");
    let whole = told(&["sense", "courtesy@1.5", "sources/visits.csv", "--as", "text"]);
    assert!(whole.contains("`--column NAME`") && whole.contains("said"), "{whole}");
    assert_eq!(told(&["sense", "courtesy@1.5", "sources/visits.csv", "--column", "said"]), "");
}
