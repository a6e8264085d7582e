//! Sections 4, 5 and 6.

use crate::build::*;
use crate::tests::{BARE, of, of_text, value};
use sonometer::protocol::{FidelityNeeds, Importance, Marker, Pole, Repeat, ScoreKind, Share};
use sonometer::{Interaction, Protocol, Unit};

fn resonance(marker: Marker, content: &str) -> String {
    of_text(marker, content, "m")
}

#[test]
fn saturation() {
    // half = 1: a = E·2 ÷ (E + 1). One strong: 2 ÷ 2 = 1. One clear: 1.2 ÷ 1.6 = 0.75. One weak: 0.6 ÷ 1.3 = 0.4615384…
    assert_eq!(resonance(marker("m", vec![strong(word("x"))]), "x"), "1");
    assert_eq!(resonance(marker("m", vec![clear(word("x"))]), "x"), "0.75");
    assert_eq!(resonance(marker("m", vec![weak(word("x"))]), "x"), "0.461538");
    assert_eq!(resonance(marker("m", vec![weak(word("x"))]), "y"), "0");
    // half = 0 is a step.
    let step = Marker { half: Unit::ZERO, ..marker("m", vec![weak(word("x"))]) };
    assert_eq!(resonance(step, "x"), "1");
}

#[test]
fn repetition() {
    let with = |repeat| Marker { repeat, ..marker("m", vec![weigh(word("x"), 100_001)]) };
    // halve: 0.100001 + 0.05 (cut) + 0.025 = 0.175001; × 2 ÷ 1.175001 = 0.297873…
    assert_eq!(resonance(with(Repeat::Halve), "x x x"), "0.297874");
    // once: 0.100001 × 2 ÷ 1.100001 = 0.181819…; all: 0.300003 × 2 ÷ 1.300003 = 0.461542…
    assert_eq!(resonance(with(Repeat::Once), "x x x"), "0.18182");
    assert_eq!(resonance(with(Repeat::All), "x x x"), "0.461542");
    assert_eq!(crate::marker::contribution(-5, 1, Repeat::Halve), -2);
    assert_eq!(crate::marker::contribution(1 << 50, 39, Repeat::Halve), 1 << 11);
    assert_eq!(crate::marker::contribution(1 << 50, 40, Repeat::Halve), 0);
}

#[test]
fn bias_and_negative_weights() {
    let lines = || vec![weigh(word("x"), 500_000), weigh(word("y"), -200_000)];
    let with = |bias| Marker { bias: Unit(bias), trigger: Unit(300_000), ..marker("m", lines()) };
    // 0.5 − 0.2 + 0.1 = 0.4; 0.8 ÷ 1.4 = 0.571428…
    assert_eq!(resonance(with(100_000), "x y"), "0.571429");
    assert_eq!(resonance(with(-300_000), "x y"), "0");
    assert_eq!(of_text(with(0), "x y", "evidence").matches("metamarker").count(), 1);
}

#[test]
fn evidence_per_words() {
    // E = 1 × 2 ÷ max(2, 8) = 0.25; 0.5 ÷ 1.25 = 0.4
    let per = |n| Marker { per: Some(n), ..marker("m", vec![strong(word("x"))]) };
    assert_eq!(resonance(per(2), "x b c d e f g h"), "0.4");
    assert_eq!(resonance(per(100), "x b c d e f g h"), "1");
    // Only the words of the agent's turns count: 1 × 2 ÷ 4 = 0.5; 1 ÷ 1.5
    let by_agent = Marker { by: vec!["agent".into()], ..per(2) };
    assert_eq!(of(by_agent, &talk(&[("agent", "x b c d"), ("customer", "e f")]), "m"), "0.666667");
}

#[test]
fn share_of_turns() {
    let share = |by: &[&str], full| Marker {
        share: Some(Share { by: by.iter().map(|b| (*b).to_owned()).collect(), full: Unit(full) }),
        ..marker("m", vec![weak(word("x"))])
    };
    let said = talk(&[("a", "x x"), ("b", "x"), ("a", "y"), ("a", "y")]);
    assert_eq!(of(share(&[], 1_000_000), &said, "m"), "0.5");
    // 1 of 3 turns = 0.333333; ÷ 0.6 = 0.555555 (0.333333 ÷ 0.6 = 0.555555)
    assert_eq!(of(share(&["a"], 600_000), &said, "m"), "0.555555");
    assert_eq!(of(share(&["b"], 300_000), &said, "m"), "1");
    assert_eq!(of(share(&["c"], 300_000), &said, "m"), "0");
}

fn scored(kind: ScoreKind, markers: Vec<Marker>) -> String {
    let protocol = Protocol { score: kind, ..protocol(markers) };
    value(&crate::sense(&protocol, &text("x y"), BARE), "score")
}

/// Activations: `clear` 0.75, `strong` 1.
fn clear_marker(label: &str, importance: Importance, pole: Pole) -> Marker {
    Marker { importance, pole, ..marker(label, vec![clear(word("x"))]) }
}

#[test]
fn mean() {
    let silent = Marker { importance: Importance::Medium, ..marker("s", vec![strong(word("z"))]) };
    let against = clear_marker("n", Importance::Low, Pole::Against);
    let high = clear_marker("h", Importance::High, Pole::For);
    // P = (4·0.75 + 2·0) ÷ 6 = 0.5; × (1 − 0.75) = 0.125
    assert_eq!(scored(ScoreKind::Mean, vec![high, silent, against.clone()]), "0.125");
    assert_eq!(scored(ScoreKind::Mean, vec![against]), "0.25");
}

#[test]
fn risk_and_any() {
    let a = clear_marker("a", Importance::Critical, Pole::Against);
    let b = clear_marker("b", Importance::Medium, Pole::Against);
    let c = clear_marker("c", Importance::Low, Pole::For);
    // Against: w ÷ 8. (1 − 0.75) × (1 − 0.75·0.25) = 0.25 × 0.8125 = 0.203125
    assert_eq!(scored(ScoreKind::Risk, vec![a.clone(), b.clone()]), "0.203125");
    // c is for: p = 0.75, and w_max is its own weight. 1 − 0.796875 × (1 − 0.375) = 1 − 0.498047
    assert_eq!(scored(ScoreKind::Risk, vec![a.clone(), b.clone(), c.clone()]), "0.501953");
    // 0.75 × (1 − 0.398438)
    assert_eq!(scored(ScoreKind::Any, vec![a.clone(), b.clone(), c.clone()]), "0.451172");
    assert_eq!(scored(ScoreKind::Risk, vec![c]), "0.25");
    // None for: all. 1 − 0.203125
    assert_eq!(scored(ScoreKind::Any, vec![a, b]), "0.796875");
}

fn index(needs: FidelityNeeds, language: Option<&str>, interaction: &Interaction) -> String {
    let language = language.map(str::to_owned);
    let protocol =
        Protocol { fidelity: needs, language, ..protocol(vec![marker("m", vec![strong(word("x"))])]) };
    value(&crate::sense(&protocol, interaction, BARE), "index")
}

fn needs(words: u32, turns: u32, roles: &[(&str, u32)]) -> FidelityNeeds {
    let roles = roles.iter().map(|(role, need)| ((*role).to_owned(), *need)).collect();
    FidelityNeeds { words, turns, roles, sufficient: Unit::ZERO }
}

#[test]
fn density() {
    let said = talk(&[("a", "one two three"), ("b", "!"), ("b", "four")]);
    assert_eq!(index(needs(4, 2, &[]), None, &said), "1");
    assert_eq!(index(needs(8, 2, &[]), None, &said), "0.5");
    assert_eq!(index(needs(1, 8, &[]), None, &said), "0.25"); // the turn without a word is none
    assert_eq!(index(needs(1, 1, &[("A", 4), ("b", 3)]), None, &said), "0.333333");
    assert_eq!(index(needs(1, 1, &[]), None, &text("...")), "0");
}

#[test]
fn clarity() {
    // 1 word in another script of 4; [inaudible] is lost, `inaudible` alone is not: 2 ÷ 4.
    assert_eq!(index(needs(1, 1, &[]), Some("en"), &text("it was [inaudible] привет")), "0.5");
    assert_eq!(index(needs(1, 1, &[]), None, &text("it was [inaudible] привет")), "0.75");
    assert_eq!(index(needs(1, 1, &[]), None, &text("it was inaudible")), "1");
    // Noise: 2 runs. 2 ÷ 4.
    assert_eq!(index(needs(1, 1, &[]), None, &text("a\u{fffd}\u{1}\u{fffd} b\u{0}\n")), "0.5");
    // 20 words, of which `the` twice: (4·2 + 6) ÷ 20; with one: 10 ÷ 20.
    let words = "zig ".repeat(18);
    assert_eq!(index(needs(1, 1, &[]), Some("en"), &text(&format!("{words}the the"))), "0.7");
    assert_eq!(index(needs(1, 1, &[]), Some("en"), &text(&format!("{words}the zig"))), "0.5");
}

#[test]
fn insufficient_content() {
    let needs = FidelityNeeds { sufficient: Unit(500_001), ..needs(4, 1, &[]) };
    let protocol = Protocol { fidelity: needs, ..protocol(vec![marker("m", vec![strong(word("x"))])]) };
    let result = crate::sense(&protocol, &text("x y"), BARE);
    let expected = "{\"target\":{\"type\":\"protocol\",\"id\":\"built\",\"version\":\"1.0\"},\"score\":null,\
        \"resonance\":{\"m\":0},\"evidence\":[],\"fidelity\":{\"index\":0.5,\"sufficient\":false},\
        \"ics\":{\"consumed\":0,\"cost_usd\":0,\"sgm_version\":\"1.0\"}}";
    assert_eq!(result, expected);
}
