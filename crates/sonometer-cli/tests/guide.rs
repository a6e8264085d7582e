//! The guide for newcomers, held to the command: its files are written, its commands run, its outputs compared.
//!
//! A block `yaml NAME` or `json NAME` is a file. In a `console` block, lines that begin with `$ ` are commands, the
//! others what they print. `BLESS=1 cargo test -p sonometer-cli --test guide` writes the outputs anew.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// What a command line prints, errors included.
fn printed(line: &str, folder: &Path) -> String {
    let command = Path::new(env!("CARGO_BIN_EXE_sonometer"));
    let own = command.parent().expect("is in a folder").to_str().expect("is UTF-8");
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env_clear()
        .env("PATH", format!("{own}:/usr/bin:/bin"))
        .output()
        .expect("starts");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).expect("is UTF-8")
}

#[test]
fn the_guide_does_what_it_says() {
    does_what_it_says("guide.md", 9);
}

#[test]
fn the_page_about_stages_does_what_it_says() {
    does_what_it_says("stages.md", 9);
}

/// Runs a page of at least so many commands.
fn does_what_it_says(name: &str, least: usize) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("can be made");
    let page = page(name);
    let text = fs::read_to_string(&page).expect("is there");
    let mut rewritten = String::new();
    let mut commands = 0;
    for (number, block) in text.split("```").enumerate() {
        if number > 0 {
            rewritten.push_str("```");
        }
        let (head, body) = block.split_once('\n').unwrap_or((block, ""));
        match (number % 2, head.split_once(' ')) {
            (1, Some((_, name))) => fs::write(folder.join(name), body).expect("can be written"),
            (1, None) if head == "console" => {
                rewritten.push_str("console\n");
                for line in body.lines().filter(|line| line.starts_with("$ ")) {
                    commands += 1;
                    rewritten.push_str(&format!("{line}\n{}", printed(&line[2..], &folder)));
                }
                continue;
            }
            _ => {}
        }
        rewritten.push_str(block);
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(&page, &rewritten).expect("can be written");
    } else {
        assert_eq!(text, rewritten, "docs/{name} prints something else; read it, then BLESS=1");
    }
    assert!(commands >= least, "only {commands} commands");
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
