//! The page for authors, `docs/protocol.md`, held to the engine: its example works, and it names every key there is.
#![cfg(feature = "yaml")]

use sonometer::protocol::TestLine;
use sonometer::{Interaction, Protocol, SenseOptions, Sensor, Turn};

const PAGE: &str = include_str!("../docs/protocol.md");

fn example() -> &'static str {
    let (_, rest) = PAGE.split_once("```yaml\n").expect("the page has an example");
    rest.split_once("```").expect("that ends").0
}

fn triggers(protocol: &Protocol, marker: usize, line: &TestLine) -> bool {
    let alone = Protocol { markers: vec![protocol.markers[marker].clone()], ..protocol.clone() };
    let role = line.role.as_deref().expect("every line of the example names its role");
    let turn = Turn { role: Some(role.into()), content: line.text.as_str().into(), timestamp: None };
    let talk = Interaction::transcript(vec![turn]).expect("one turn");
    let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    let reading = Sensor::new(alone).and_then(|sensor| sensor.sense_with(&talk, options)).expect("is sensed");
    reading.resonance().any(|(_, resonance)| resonance.triggered)
}

#[test]
fn the_example_passes_its_own_tests() {
    let (protocol, warnings) = Protocol::read(example()).expect("is sound");
    assert!(warnings.is_empty(), "{warnings:?}");
    for (at, marker) in protocol.markers.iter().enumerate() {
        for line in &marker.hit {
            assert!(triggers(&protocol, at, line), "`{}` must trigger {}", line.text, marker.label);
        }
        for line in &marker.miss {
            assert!(!triggers(&protocol, at, line), "`{}` must not trigger {}", line.text, marker.label);
        }
    }
}

/// The keys that the engine names when it is given one that it does not have.
fn keys(source: &str, odd: &str) -> Vec<String> {
    let error = Protocol::read(source).expect_err("the odd key is refused");
    let told = error.diagnostics.iter().find(|d| d.code == "SM0302" && d.message.contains(odd));
    let (_, list) = told.and_then(|d| d.fix.split_once("the known keys are ")).expect("lists the keys");
    list.split(", ").map(str::to_owned).collect()
}

#[test]
fn every_key_has_its_place_on_the_page_and_every_row_is_a_key() {
    let head = "sonometer: 1\nid: a\nversion: \"1\"\ntaxonomy: Signal\n";
    let markers = "markers:\n  - label: m\n    strong: x\n";
    let (_, page) = PAGE.split_once("## Keys of a protocol").expect("a section");
    let (of_protocol, rest) = page.split_once("## Keys of a marker").expect("a section");
    let (of_marker, _) = rest.split_once("## Patterns").expect("a section");
    let rows = |section: &str| -> Vec<String> {
        let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
        let mut keys: Vec<String> =
            cells.flat_map(|cell| cell.split(", ")).map(|key| key.replace('`', "")).collect();
        keys.sort_unstable();
        keys
    };
    let sorted = |mut keys: Vec<String>| {
        keys.sort_unstable();
        keys
    };
    assert_eq!(sorted(keys(&format!("{head}qqqqqq: 1\n{markers}"), "qqqqqq")), rows(of_protocol));
    assert_eq!(sorted(keys(&format!("{head}{markers}    qqqqqq: 1\n"), "qqqqqq")), rows(of_marker));
    for (section, outer, place) in [
        (of_protocol, "actants", format!("{head}actants: {{qqqqqq: 1}}\n{markers}")),
        (of_protocol, "fidelity", format!("{head}fidelity: {{qqqqqq: 1}}\n{markers}")),
        (of_protocol, "negation", format!("{head}negation: {{qqqqqq: 1}}\n{markers}")),
        (of_protocol, "strengths", format!("{head}strengths: {{qqqqqq: 1}}\n{markers}")),
        (of_marker, "share", format!("{head}{markers}    share: {{qqqqqq: 1}}\n")),
        (of_marker, "hints", format!("{head}{markers}    hints: {{qqqqqq: 1}}\n")),
    ] {
        for key in keys(&place, "qqqqqq") {
            assert!(section.contains(&format!("`{key}`")), "`{key}` of `{outer}` is not on the page");
        }
    }
}

#[test]
fn every_class_is_on_the_page() {
    for class in sonometer::class::Class::ALL {
        assert!(PAGE.contains(&format!("`<{}>`", class.name())), "<{}>", class.name());
    }
}

/// The rows of the pattern table whose example says what it finds.
#[test]
fn the_patterns_of_the_page_find_what_it_says() {
    let (_, table) = PAGE.split_once("## Patterns").expect("a section");
    let mut checked = 0;
    for line in table.lines().take_while(|line| !line.starts_with("**Classes")) {
        let Some(example) = line.strip_suffix(" |").and_then(|l| l.rsplit(" | ").next()) else { continue };
        let Some(rest) = example.strip_prefix('`') else { continue };
        let (pattern, said) = rest.split_once('`').expect("closed");
        let pattern = pattern.replace("\\|", "|");
        let source = format!(
            "sonometer: 1\nid: a\nversion: \"1\"\ntaxonomy: Signal\nlanguage: en\nlists: {{feeling: torn}}\n\
             markers:\n  - label: m\n    strong: |\n      {pattern}\n"
        );
        let (protocol, _) = Protocol::read(&source).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        checked += 1;
        let Some((verb, text)) = said.split_once('"') else { continue };
        let sensor = Sensor::new(protocol).expect("compiles");
        let reading =
            sensor.sense(&Interaction::text(text.trim_end_matches('"')).expect("short")).expect("read");
        assert_eq!(reading.evidence().next().is_some(), !verb.contains("not"), "{pattern} on {text}");
    }
    assert!(checked >= 16, "only {checked} rows have an example");
}
