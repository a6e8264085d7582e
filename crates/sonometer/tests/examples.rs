//! Four protocols of real use (`fixtures/protocols`) load, pass their own tests, and say clearly what is wrong with them when
//! somebody breaks them.
#![cfg(feature = "yaml")]

use sonometer::diagnostic::line_and_column;
use sonometer::protocol::TestLine;
use sonometer::{FlowOptions, Interaction, Protocol, Reading, SenseOptions, Sensor, Turn};
use std::path::Path;

const EXAMPLES: [&str; 4] = ["card_and_claims", "frustration", "mi_core", "reasoning"];

fn source(name: &str) -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/protocols").join(format!("{name}.yaml"));
    std::fs::read_to_string(path).expect("the example is there")
}

fn reading(sensor: &Sensor, talk: &[TestLine]) -> Reading {
    let turn = |line: &TestLine| Turn {
        role: line.role.as_deref().map(Into::into),
        content: line.text.as_str().into(),
        timestamp: None,
    };
    let talk = match talk {
        [line] if line.role.is_none() => Interaction::text(&line.text),
        lines => Interaction::transcript(lines.iter().map(turn).collect()),
    };
    let talk = talk.expect("is not empty");
    let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    sensor.sense_with(&talk, options).expect("is sensed")
}

/// The labels of the markers that a talk triggers.
fn triggered(sensor: &Sensor, talk: &[TestLine]) -> Vec<String> {
    let reading = reading(sensor, talk);
    let fired = reading.resonance().filter(|(_, resonance)| resonance.triggered);
    fired.map(|(label, _)| label.to_owned()).collect()
}

#[test]
fn load_without_a_finding_and_pass_their_tests() {
    for name in EXAMPLES {
        let (protocol, found) = Protocol::read(&source(name)).expect("is sound");
        let unproven: Vec<_> = found.iter().filter(|d| d.code != "SM0401").collect();
        assert!(unproven.is_empty(), "{name}: {unproven:?}");
        let sensor = Sensor::new(protocol.clone()).expect("compiles");
        for marker in &protocol.markers {
            for (lines, expected) in [(&marker.hit, true), (&marker.miss, false)] {
                for line in lines {
                    let fired = triggered(&sensor, std::slice::from_ref(line)).contains(&marker.label);
                    assert_eq!(fired, expected, "{name}: `{}` and {}", line.text, marker.label);
                }
            }
        }
        for test in &protocol.tests {
            let fired = triggered(&sensor, &test.talk);
            for label in &test.fires {
                assert!(fired.contains(label), "{name}: `{}` fires {label}, not {fired:?}", test.name);
            }
            for (label, role) in &test.driven {
                let flow = FlowOptions { primary: Some(role) };
                let reading = reading(&sensor, &test.talk);
                let flow = reading.actant_flow(flow).expect("is on SGM 1.5");
                assert!(
                    flow.primary_driven.contains(&label.as_str()),
                    "{name}: `{}`: {role} drives {label}",
                    test.name
                );
            }
            for label in &test.silent {
                assert!(!fired.contains(label), "{name}: `{}` is silent on {label}", test.name);
            }
        }
    }
}

/// (example, what is written, what it becomes, the code, the text at the place of the finding)
const BREAKS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "mi_core",
        "by: counselor\n    strong: |\n      (it",
        "by: counselor\n    strnog: |\n      (it",
        "SM0302",
        "strnog",
    ),
    ("mi_core", "label: reflection\n", "label: Reflection\n", "SM0308", "Reflection"),
    ("mi_core", "@feeling", "@feelings", "SM0218", "@feelings"),
    ("mi_core", "..8..", "..80..", "SM0220", "..80.."),
    ("mi_core", "flip sustain_talk", "flip sustained_talk", "SM0352", "flip sustained_talk"),
    ("mi_core", "{of: reflection, to", "{of: reflexion, to", "SM0352", "reflexion"),
    ("mi_core", "floor: 0.5, full: 2.0", "floor: 0.5, full: 0.2", "SM0346", "0.2"),
    ("mi_core", "within: 2 turns", "within: two turns", "SM0340", "two turns"),
    ("mi_core", "fires: [reflection, change_talk]", "fires: [reflections]", "SM0352", "reflections"),
    ("mi_core", "sufficient: 0.5", "sufficient: 50", "SM0305", "50"),
    ("card_and_claims", "<pan>\n    except", "<card>\n    except", "SM0213", "<card>"),
    ("card_and_claims", "join: 3 turns", "join: 30 turns", "SM0342", "30 turns"),
    ("card_and_claims", "mask: last4", "mask: lastfour", "SM0337", "lastfour"),
    ("card_and_claims", "invest*|fund*", "invest|fund)*|(", "SM0232", "(invest|fund)*"),
    ("card_and_claims", "until: 6 turns after when", "until: 6 lines", "SM0345", "6 lines"),
    ("card_and_claims", "    absent: |", "    strong: |\n      warning\n    absent: |", "SM0343", "warning"),
    ("card_and_claims", "confusables, ", "confusible, ", "SM0307", "confusible"),
    ("card_and_claims", "reference) (number|no|id)?", "reference (number|no|id)?", "SM0206", "("),
    ("reasoning", "per: 100 words", "per: 100", "SM0335", "100"),
    ("reasoning", "within: 2 sentences", "in: 2 sentences", "SM0302", "in"),
    (
        "reasoning",
        "taxonomy: Critical_Thinking",
        "taxonomy: critical thinking",
        "SM0307",
        "critical thinking",
    ),
    ("reasoning", "negation: drop", "negation: off", "SM0307", "off"),
    ("frustration", "<ordinal>", "<ordinal", "SM0212", "<"),
    ("frustration", "repeats, leet", "repeats, leed", "SM0307", "leed"),
    ("frustration", "sonometer: 1", "sonometer: 2", "SM0309", "2"),
    ("frustration", "weak: |", "weak: >", "SM0113", ">"),
    ("frustration", "language: en", "language: tlh", "SM0311", "tlh"),
];

#[test]
fn every_break_is_told_with_its_place_and_a_fix() {
    for &(name, written, broken, code, at) in BREAKS {
        let source = source(name);
        assert!(source.contains(written), "{name} holds `{written}`");
        let source = source.replacen(written, broken, 1);
        let found = Protocol::read(&source).expect_err(broken).diagnostics;
        let told = found.iter().find(|d| d.code == code);
        let told = told.unwrap_or_else(|| panic!("{name}, `{broken}`: {code} in {found:?}"));
        let place = &source[told.span.start..told.span.end];
        assert!(place.contains(at), "{name}, `{broken}`: {code} stands under `{place}`, not `{at}`");
        assert!(line_and_column(&source, told.span.start).0 > 0 && !told.fix.is_empty());
    }
}
