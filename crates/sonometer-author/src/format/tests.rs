//! The normal form, by examples and over every protocol there is.

use super::*;
use proptest::prelude::*;
use sonometer::Protocol;
use sonometer_reference::generate;
use std::path::{Path, PathBuf};

/// The normal form, with the list file of generated protocols.
pub(super) fn format(text: &str) -> Result<String, Refusal> {
    super::format(text, &generate::list_file)
}

pub(super) fn formatted(text: &str) -> String {
    format(text).unwrap_or_else(|refusal| panic!("{refusal:?} of\n{text}"))
}

const UNTIDY: &str = include_str!("../../../sonometer-cli/tests/protocols/untidy.yaml");

#[test]
fn an_untidy_file_becomes_a_tidy_one() {
    let tidy = include_str!("../../../sonometer-cli/tests/golden/tidy.yaml");
    assert_eq!(formatted(UNTIDY), tidy);
    assert_eq!(formatted(tidy), tidy);
    assert_eq!(formatted(&UNTIDY.replace('\n', "\r\n")), tidy);
    assert_eq!(formatted(&format!("\u{feff}{UNTIDY}")), tidy);
}

#[test]
fn comments_stay_with_what_they_belong_to() {
    let tidy = include_str!("../../../sonometer-cli/tests/golden/odd-tidy.yaml");
    assert_eq!(formatted(include_str!("../../../sonometer-cli/tests/protocols/odd.yaml")), tidy);
    assert_eq!(formatted(tidy), tidy);
}

#[test]
fn files_with_errors_and_json_are_refused() {
    assert!(matches!(format("sonometer: 1\n"), Err(Refusal::Findings(_))));
    let json = Protocol::read(UNTIDY).expect("is sound").0.to_canonical_json();
    assert!(matches!(format(&json), Err(Refusal::Json)));
}

/// Every file of the repository that may be one of ours.
fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("is there") {
        let path = entry.expect("can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            into.push(path);
        }
    }
}

#[test]
fn every_file_of_the_tree_keeps_its_meaning_and_comes_to_rest() {
    let mut all = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &mut all);
    let (mut stages, mut sound) = (0, 0);
    for path in all {
        let text = std::fs::read_to_string(&path).expect("is UTF-8");
        match format(&text) {
            Ok(_) if Stage::is_meant(&text) => stages += 1,
            Ok(_) => sound += 1,
            Err(Refusal::Findings(_)) => {}
            Err(refusal) => panic!("{}: {refusal:?}", path.display()),
        }
    }
    assert!(sound >= 12 && stages >= 12, "only {sound} protocols and {stages} stages are sound");
}

/// Canonical JSON printed as YAML in blocks, with quotes on everything, and a comment here and there.
pub(super) fn as_yaml(value: &serde_json::Value, indent: usize, into: &mut String) {
    let quoted = |text: &str| serde_json::to_string(text).expect("is a text").replace('\u{7f}', "\\u007f");
    match value {
        serde_json::Value::Object(entries) if !entries.is_empty() => {
            for (number, (key, value)) in entries.iter().enumerate() {
                if number % 3 == 1 {
                    into.push_str(&format!("\n{}# before {key}\n", " ".repeat(indent)));
                }
                into.push_str(&format!("\n{}{}:", " ".repeat(indent), quoted(key)));
                as_yaml(value, indent + 3, into);
            }
        }
        serde_json::Value::Array(items) if !items.is_empty() => {
            for item in items {
                into.push_str(&format!("\n{}-", " ".repeat(indent)));
                match item {
                    serde_json::Value::Object(_) => as_yaml(item, indent + 2, into),
                    item => as_yaml(item, indent, into),
                }
            }
        }
        serde_json::Value::String(text) => into.push_str(&format!(" {}  # a text", quoted(text))),
        other => into.push_str(&format!(" {other}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: generate::cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_protocol_keeps_its_meaning_and_comes_to_rest(protocol in generate::protocol()) {
        let json: serde_json::Value = serde_json::from_str(&protocol.to_canonical_json()).expect("is JSON");
        let mut yaml = String::new();
        as_yaml(&json, 0, &mut yaml);
        match format(&yaml) {
            Ok(tidy) => prop_assert_eq!(tidy.matches("# before ").count(), yaml.matches("# before ").count()),
            Err(refusal) => return Err(TestCaseError::fail(format!("{refusal:?} of\n{yaml}"))),
        }
    }
}

#[test]
fn metrics_and_blueprints_have_a_normal_form_too() {
    let metric = "# Why.\n\nversion: 1.0\nsonometer_metric: \"1\"\ncomponents:\n- weight: 2 # most\n  protocol: courtesy\n- {complement: true, protocol: pressure-tactics}\nid: m\n";
    let tidy = "# Why.\n\nsonometer_metric: 1\nid: m\nversion: \"1.0\"\ncomponents:\n  - protocol: courtesy\n    weight: 2  # most\n  - {protocol: pressure-tactics, complement: true}\n";
    assert_eq!(formatted(metric), tidy);
    let blueprint = "metrics: reply-quality\nsonometer_blueprint: 1\nversion: \"1\"\nid: b\nprotocols: [ courtesy,\n  affect ]\n";
    let tidy = "sonometer_blueprint: 1\nid: b\nversion: \"1\"\nprotocols: [courtesy, affect]\nmetrics: reply-quality\n";
    assert_eq!(formatted(blueprint), tidy);
}

#[test]
fn maps_in_brackets_that_are_too_long_stand_below_each_other() {
    let head = "sonometer: 1\nid: a\nversion: \"1\"\ntaxonomy: Signal\nmarkers:";
    let lines = "[one two, three four five, six seven eight nine, ten eleven twelve, thirteen fourteen]";
    let text = format!(
        "{head} [{{hit: One two., strong: {lines}, label: counts}}, {{label: other, strong: so on}}]\n"
    );
    let first = format!("  - label: counts\n    strong: {lines}\n    hit: One two.\n");
    let tidy = format!("{head}\n{first}\n  - {{label: other, strong: so on}}\n");
    assert_eq!(formatted(&text), tidy);
    let commented = format!("{head}\n  - {{label: counts, strong: {lines}, hit: One two.}} # all\n");
    assert_eq!(formatted(&commented), format!("{head}\n  # all\n{first}"));
}

#[test]
fn what_would_hide_a_text_stays_escaped() {
    let head =
        "sonometer: 1\nid: a\nversion: \"1\"\ntaxonomy: Signal\nmarkers:\n  - label: counts\n    strong: ";
    for same in [r#""pay\u202e now""#, r#"[so on, "a\u200bb"]"#, r#""one\u2066\ntwo""#, "می\u{200c}خواهم"]
    {
        assert_eq!(formatted(&format!("{head}{same}\n")), format!("{head}{same}\n"));
    }
    assert_eq!(formatted(&format!("{head}'pay\u{202e} now'\n")), format!("{head}\"pay\\u202e now\"\n"));
}
