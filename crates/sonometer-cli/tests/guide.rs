//! The guide for newcomers and the page about stages, held to the command (see [`page`]).
//! `BLESS=1 cargo test -p sonometer-cli --test guide` writes the outputs anew.
#![cfg(unix)]

mod page;

use page::{does_what_it_says, printed};
use std::fs;
use std::path::Path;

#[test]
fn the_guide_does_what_it_says() {
    does_what_it_says("guide.md", 12);
}

#[test]
fn the_page_about_stages_does_what_it_says() {
    does_what_it_says("stages.md", 9);
}

/// Each line of the picture is printed, in this order; `…` stands for others.
#[test]
fn the_readme_shows_what_its_first_command_prints() {
    let readme = include_str!("../../../README.md");
    let (_, rest) = readme.split_once("```text\n").expect("shows what is printed");
    let (picture, _) = rest.split_once("```").expect("that ends");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shown = printed("sonometer sense courtesy fixtures/interactions/support-call.json", &root);
    let mut lines = shown.lines();
    for line in picture.lines().filter(|line| line.trim() != "…") {
        assert!(lines.any(|printed| printed == line), "not printed: {line}");
    }
    assert!(picture.lines().count() > 10);
}

/// The task that the page about editors shows reads what `check` prints.
#[test]
fn editors_can_read_what_check_prints() {
    let page = include_str!("../../../docs/editors.md");
    let (_, rest) = page.split_once("```json tasks.json\n").expect("shows a task");
    let (task, _) = rest.split_once("```").expect("that ends");
    let tasks: serde_json::Value = serde_json::from_str(task).expect("is JSON");
    let expression = tasks.pointer("/tasks/0/problemMatcher/pattern/regexp").and_then(|text| text.as_str());
    let expression = regex::Regex::new(expression.expect("has an expression")).expect("can be read");
    let printed = include_str!("golden/check-short.txt");
    for line in printed.lines() {
        let found = expression.captures(line).unwrap_or_else(|| panic!("{line}"));
        assert!(found[1].ends_with(".yaml") && found[5].starts_with("SM0"), "{line}");
    }
    assert!(printed.contains(": error[") && printed.contains(": warning["), "both kinds are tried");
}

#[test]
fn a_protocol_may_name_its_schema() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editors");
    fs::create_dir_all(&folder).expect("can be made");
    let text = "# yaml-language-server: $schema=protocol.schema.json\nsonometer: 1\nid: a\nversion: \"1\"\ntaxonomy: Signal\nmarkers:\n  - label: m\n    strong: a b\n    hit: A b.\n";
    fs::write(folder.join("a.yaml"), text).expect("can be written");
    assert_eq!(
        printed("sonometer fmt --check a.yaml && sonometer check --strict --format short a.yaml", &folder),
        ""
    );
    let schema = printed("sonometer schema", &folder);
    assert_eq!(schema, include_str!("../../sonometer/schema/protocol.schema.json"));
}
