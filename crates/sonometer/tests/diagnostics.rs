//! What an author is told about a broken protocol: one case for every diagnostic code.
//!
//! `diagnostics/CODE.yaml` (or `.json`, or `CODE-what.yaml`) is a small protocol with that mistake; cases too large for
//! a file are made below. `diagnostics/expected.txt` holds what each is told; `BLESS=1 cargo test -p sonometer --test
//! diagnostics` writes it anew, to be read as an author would before it is committed.
#![cfg(feature = "yaml")]

mod listed;
mod stage_shelf;

use sonometer::Document;
use sonometer::diagnostic::{Diagnostic, Severity, line_and_column};
use sonometer::stage::Stage;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Only an engine built without YAML says this; `diagnostics_without_yaml.rs` has its case.
const WITHOUT_YAML: &str = "SM0132";
/// No source that leads there is known: what the YAML parser says of it is recognised by another code, so far.
const UNREACHED: &[&str] = &["SM0125"];
/// How many characters of the text under a finding are kept.
const SHOWN: usize = 60;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics")
}

const HEAD: &str = "sonometer: 1\nid: case\nversion: \"1.0\"\ntaxonomy: Signal\nlanguage: en\n";

/// The cases by name: those in files, and those about size.
fn cases() -> BTreeMap<String, String> {
    let mut cases = BTreeMap::new();
    for entry in fs::read_dir(folder()).expect("the folder is there") {
        let path = entry.expect("can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("is UTF-8").to_owned();
        if name.starts_with("SM") && !name.starts_with(WITHOUT_YAML) {
            cases.insert(name, fs::read_to_string(&path).expect("is UTF-8"));
        }
    }
    let marker = |label: usize, patterns: &str| {
        format!("  - label: m{label}\n    strong: |\n{patterns}    hit: thank you\n")
    };
    let thanks = "      thank you\n";
    let many_lines: String = (0..50).map(|n| marker(n, &thanks.repeat(2_001))).collect();
    let many_markers: String = (0..2_001).map(|n| marker(n, thanks)).collect();
    let long_line = marker(0, &format!("      {}\n", "thank you ".repeat(300)));
    let many_parts = marker(0, &format!("      {}\n", "@kind ".repeat(100)));
    let kinds: Vec<String> = (0..50).map(|n| format!("kind{n}")).collect();
    let entries: Vec<String> = (0..4_000).map(|n| format!("kind{n}")).collect();
    let with = |markers: &str| format!("{HEAD}markers:\n{markers}");
    cases.extend([
        ("SM0101 (made)".to_owned(), "#".repeat((16 << 20) + 1)),
        ("SM0104 (made)".to_owned(), format!("{HEAD}name: {}{}\n", "[".repeat(20), "]".repeat(20))),
        (
            "SM0104-block (made)".to_owned(),
            (0..20).map(|n| format!("{}a:\n", "  ".repeat(n))).collect::<String>(),
        ),
        ("SM0105 (made)".to_owned(), format!("{HEAD}description: |\n{}", "  a\n".repeat(500_001))),
        ("SM0105-brackets (made)".to_owned(), format!("{HEAD}modalities: [{}]\n", "a, ".repeat(600_000))),
        ("SM0201 (made)".to_owned(), with(&long_line)),
        (
            "SM0201-parts (made)".to_owned(),
            format!("{HEAD}lists: {{kind: {}}}\nmarkers:\n{many_parts}", kinds.join(" | ")),
        ),
        ("SM0319 (made)".to_owned(), with(&many_markers)),
        (
            "SM0364 (made)".to_owned(),
            format!(
                "{HEAD}lists: {{kind: {}}}\nmarkers:\n{}",
                entries.join(" | "),
                marker(0, &"      @kind thanks\n".repeat(1_100))
            ),
        ),
        ("SM0321 (made)".to_owned(), with(&many_lines)),
    ]);
    cases
}

fn findings(source: &str) -> Vec<Diagnostic> {
    // One case is a stage where none is wanted.
    if Stage::is_meant(source) && source.lines().count() > 2 {
        return stage_shelf::findings(source);
    }
    match Document::read_with(source, &listed::file) {
        Ok((_, warnings)) => warnings.iter().cloned().collect(),
        Err(error) => error.diagnostics.iter().cloned().collect(),
    }
}

fn describe(source: &str, finding: &Diagnostic) -> String {
    let severity = match finding.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let (line, column) = line_and_column(source, finding.span.start);
    let under = source.get(finding.span.range()).expect("lies in the source, between characters");
    let mut shown: String = under.chars().take(SHOWN).collect();
    if shown.len() < under.len() {
        let _ = write!(shown, "… ({} bytes)", under.len());
    }
    format!(
        "{severity}[{}] at {line}:{column}, under {shown:?}\n    {}\n    fix: {}\n",
        finding.code, finding.message, finding.fix
    )
}

/// The findings that repeat their code are counted, not listed: a made case has thousands of them.
fn report(name: &str, source: &str) -> String {
    let found = findings(source);
    let mut text = format!("== {name}\n");
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &found {
        let times = seen.entry(finding.code).or_default();
        *times += 1;
        if *times <= 3 {
            text.push_str(&describe(source, finding));
        }
    }
    for (code, times) in seen.iter().filter(|(_, times)| **times > 3) {
        let _ = writeln!(text, "({code} {times} times in all)");
    }
    text
}

#[expect(clippy::disallowed_methods, reason = "a wish of the person at the keyboard, not of a reading")]
fn blessed() -> bool {
    std::env::var_os("BLESS").is_some()
}

fn code_of(case: &str) -> &str {
    &case[..6]
}

#[test]
fn authors_are_told_what_is_wrong_where_and_how_to_mend_it() {
    let (mut text, mut untold) = (String::new(), Vec::new());
    for (name, source) in cases() {
        let found = findings(&source);
        if found.iter().all(|f| f.code != code_of(&name)) {
            untold.push(report(&name, &source));
        }
        for finding in &found {
            for part in [&finding.message, &finding.fix] {
                assert!(!part.is_empty() && !part.ends_with('.') && !part.contains('\n'), "{name}: {part:?}");
            }
        }
        text.push_str(&report(&name, &source));
    }
    assert!(untold.is_empty(), "the code of the case is not among its findings:\n{}", untold.concat());
    let path = folder().join("expected.txt");
    if blessed() {
        fs::write(&path, &text).expect("can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    for (line, (found, wanted)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, wanted, "line {} of expected.txt; read it, then BLESS=1", line + 1);
    }
    assert_eq!(text.lines().count(), expected.lines().count(), "expected.txt has another length");
}

/// How many characters of an input a message and its fix may show.
const MOST_ECHOED: usize = 200;

#[test]
fn no_message_repeats_much_of_its_input() {
    let mut long = Vec::new();
    for (name, source) in cases().into_iter().filter(|(name, _)| !name.contains("made")) {
        // Each word of each case in its turn becomes a long one.
        let starts = source.char_indices().filter(|(at, c)| {
            c.is_ascii_alphabetic() && !source[..*at].ends_with(|c: char| c.is_ascii_alphanumeric())
        });
        for (start, _) in starts.collect::<Vec<_>>() {
            let blown = format!("{}{}{}", &source[..start], "ж".repeat(1_000), &source[start..]);
            for finding in findings(&blown) {
                for part in [&finding.message, &finding.fix] {
                    let echoed = part.matches('ж').count();
                    if echoed > MOST_ECHOED {
                        long.push(format!("{name} at {start}, {}: {echoed} characters", finding.code));
                    }
                }
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn every_code_of_the_sources_has_a_case() {
    let covered: Vec<String> = cases().into_keys().map(|name| code_of(&name).to_owned()).collect();
    let known =
        |code: &str| covered.iter().any(|c| c == code) || code == WITHOUT_YAML || UNREACHED.contains(&code);
    let codes = codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let missing: Vec<&String> = codes.iter().filter(|code| !known(code)).collect();
    assert!(missing.is_empty(), "no case in tests/diagnostics for {missing:?}");
    let gone: Vec<&String> = covered.iter().filter(|code| !codes.contains(code)).collect();
    assert!(gone.is_empty(), "cases for codes that the sources do not have: {gone:?}");
}

/// Every `"SM0…"` of the source files of a folder, test modules left out.
fn codes_in(folder: &Path) -> Vec<String> {
    let mut codes = Vec::new();
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            codes.extend(codes_in(&path));
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).expect("is UTF-8");
            let quoted = text.split('"').filter(|part| part.len() == 6 && part.starts_with("SM0"));
            codes.extend(
                quoted.filter(|code| code[2..].bytes().all(|b| b.is_ascii_digit())).map(str::to_owned),
            );
        }
    }
    codes.sort_unstable();
    codes.dedup();
    codes
}
