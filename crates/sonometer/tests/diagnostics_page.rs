//! The page `docs/diagnostics.md`, held to the engine: every code has a section, every example gives its code, what the
//! page answers is what the engine says, and every mended example is sound.
//!
//! `BLESS=1 cargo test -p sonometer --test diagnostics_page` writes the answers anew.
#![cfg(feature = "yaml")]

mod listed;
mod stage_shelf;

use sonometer::Document;
use sonometer::diagnostic::page::{PAGE, Section, Snippet, sections};
use sonometer::stage::Stage;
use std::collections::BTreeMap;
use std::path::Path;

const EXPECTED: &str = include_str!("diagnostics/expected.txt");
/// What only an engine without YAML says, and what no known file leads to: without a case, so with fixed answers.
const WITHOUT_CASE: [(&str, &str); 2] = [
    (
        "SM0125",
        "error[SM0125]: this YAML cannot be read: …; write `key: value`, a list of `- item`, or lines of text \
         below `|`; put unusual texts in quotes",
    ),
    (
        "SM0132",
        "error[SM0132]: this engine is built without the YAML reader; give the protocol as JSON, or build with the \
         feature `yaml`",
    ),
];
/// The keys by which a fragment shows that it belongs into a marker.
const MARKER_KEYS: &str = " label strong clear weak weigh bias except importance pole by where after before pair echo join \
     absent when until ratio repeat per share scope half trigger mask hints hit miss ";

/// The keys at the left edge of a fragment.
fn keys(fragment: &str) -> Vec<&str> {
    let names = fragment.lines().filter_map(|line| line.split_once(':').map(|(key, _)| key));
    names.filter(|key| !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')).collect()
}

/// A whole protocol around a fragment: what the fragment does not say is as it must be.
fn whole(snippet: Snippet<'_>) -> String {
    let fragment = snippet.text.replace('␇', "\u{7}").replace('⇥', "\t");
    let keys = keys(&fragment);
    let is_whole = fragment.starts_with("sonometer") || fragment.starts_with(['%', '#']);
    if snippet.language == "json" || is_whole {
        return fragment;
    }
    if keys.iter().any(|key| STAGE_KEYS.contains(&format!(" {key} "))) {
        return whole_stage(&fragment, &keys);
    }
    let head = ["sonometer: 1", "id: example", "version: \"1.0\"", "taxonomy: Signal", "language: en"];
    let missing = head.iter().filter(|line| !keys.contains(&line.split(':').next().unwrap_or_default()));
    let mut text: String = missing.map(|line| format!("{line}\n")).collect();
    if keys.first().is_some_and(|key| MARKER_KEYS.contains(&format!(" {key} "))) {
        text.push_str("markers:\n  - label: example\n");
        text.extend(fragment.lines().map(|line| format!("    {line}\n")));
        let lists = ["strong", "clear", "weak", "weigh", "absent"];
        if !keys.iter().any(|key| lists.contains(key)) {
            text.push_str("    strong: thank you\n");
        }
        if !keys.contains(&"hit") {
            text.push_str("    hit: Thank you.\n");
        }
    } else {
        text.push_str(&fragment);
        if !keys.contains(&"markers") {
            text.push_str("markers:\n  - label: example\n    strong: thank you\n    hit: Thank you.\n");
        }
    }
    text
}

/// The keys by which a fragment shows that it belongs into a stage.
const STAGE_KEYS: &str = " objective start scenes checkpoints flags vars attempts envelope on_target pass walkthroughs protocol metric ";
/// A stage, key by key.
const STAGE: [(&str, &str); 9] = [
    ("sonometer_stage", "sonometer_stage: 1"),
    ("id", "id: example"),
    ("version", "version: \"1.0\""),
    ("protocol", "protocol: thanks"),
    ("objective", "objective: Thank the porter."),
    ("start", "start: hall"),
    (
        "scenes",
        "scenes: {hall: {world: Hello., do: [{when: fired(thanks), go: out}, {otherwise: stay}]}, out: {end: true}}",
    ),
    ("checkpoints", "checkpoints: {thanked: times(thanks) >= 1}"),
    (
        "walkthroughs",
        "walkthroughs:\n  polite: {expect: pass, say: Thank you.}\n  silence: {expect: fail, say: \".\"}\n  \
         parrot: {expect: fail, say: thanks thanks}",
    ),
];

/// A whole stage around a fragment.
fn whole_stage(fragment: &str, keys: &[&str]) -> String {
    let given = |key: &str| keys.contains(&key) || key == "protocol" && keys.contains(&"metric");
    let missing: String =
        STAGE.iter().filter(|(key, _)| !given(key)).map(|(_, text)| format!("{text}\n")).collect();
    missing + fragment
}

/// Every finding about a source, as it prints itself, with its code.
fn findings(source: &str) -> Vec<(&'static str, String)> {
    if Stage::is_meant(source) && source.lines().count() > 2 {
        let found = stage_shelf::findings(source);
        return found.iter().map(|finding| (finding.code, finding.to_string())).collect();
    }
    let found = match Document::read_with(source, &listed::file) {
        Ok((_, warnings)) => warnings,
        Err(error) => error.diagnostics,
    };
    found.iter().map(|finding| (finding.code, finding.to_string())).collect()
}

/// What the golden cases say first of each code, as a finding prints itself.
fn told() -> BTreeMap<&'static str, String> {
    let mut told: BTreeMap<&str, String> =
        WITHOUT_CASE.into_iter().map(|(code, answer)| (code, answer.to_owned())).collect();
    let lines: Vec<&str> = EXPECTED.lines().collect();
    for three in lines.windows(3) {
        if let Some((head, _)) = three[0].split_once(" at ")
            && let Some((_, code)) = head.trim_end_matches(']').split_once('[')
            && let Some(fix) = three[2].strip_prefix("    fix: ")
        {
            told.entry(code).or_insert_with(|| format!("{head}: {}; {fix}", three[1].trim()));
        }
    }
    told
}

/// What the engine says of the example of a section.
fn answer(section: &Section<'_>, told: &BTreeMap<&str, String>) -> String {
    if section.example.language == "text" {
        return told.get(section.code).cloned().unwrap_or_default();
    }
    let found = findings(&whole(section.example));
    let own = found.iter().find(|(code, _)| *code == section.code);
    own.map(|(_, answer)| answer.clone())
        .unwrap_or_else(|| panic!("the example of {} gives {found:?}", section.code))
}

#[expect(clippy::disallowed_methods, reason = "a wish of the person at the keyboard, not of a reading")]
fn blessed() -> bool {
    std::env::var_os("BLESS").is_some()
}

#[test]
fn every_answer_is_what_the_engine_says() {
    let told = told();
    let mut page = PAGE.to_owned();
    for section in sections() {
        let heading = format!("### {}: ", section.code);
        let start = page.find(&heading).expect("it was read from there");
        let at = start + page[start..].find("\n> ").expect("has an answer") + 3;
        let end = at + page[at..].find('\n').expect("ends");
        page.replace_range(at..end, &answer(&section, &told));
    }
    if blessed() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics.md");
        std::fs::write(path, &page).expect("can be written");
        return;
    }
    for (wanted, line) in page.lines().zip(PAGE.lines()) {
        assert_eq!(line, wanted, "an answer of docs/diagnostics.md; read it, then BLESS=1");
    }
}

#[test]
fn every_mended_example_is_sound() {
    for section in sections().filter(|section| section.mended.language != "text") {
        let source = whole(section.mended);
        let found = findings(&source);
        assert!(found.is_empty(), "{}: {found:?} in\n{source}", section.code);
    }
}

#[test]
fn every_code_has_its_section_and_only_what_is_too_large_is_not_shown() {
    let told = told();
    let mut codes: Vec<&str> = told.keys().copied().collect();
    codes.sort_unstable();
    assert_eq!(sections().map(|section| section.code).collect::<Vec<_>>(), codes);
    let hinted: Vec<&str> =
        sections().filter(|section| section.example.language == "text").map(|section| section.code).collect();
    assert_eq!(
        hinted,
        ["SM0101", "SM0105", "SM0125", "SM0132", "SM0201", "SM0321", "SM0364", "SM0420", "SM0421"]
    );
}
