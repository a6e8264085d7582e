//! Section 3.

use crate::build::*;
use crate::tests::{of, of_text};
use sonometer::protocol::phrase::Pattern;
use sonometer::protocol::{Actants, End, Extent, Marker, NegationMode, NegationRules, Place};
use sonometer::{Protocol, Unit};

/// The number of evidence items is the number of times the sum of 0.01 each was counted.
fn counted(marker: Marker, interaction: &sonometer::Interaction) -> usize {
    of(marker, interaction, "evidence").matches("\"metamarker\"").count()
}

fn negated(lines: Vec<sonometer::protocol::Line>, content: &str) -> bool {
    let marker = Marker { negation: NegationMode::Drop, ..marker("m", lines) };
    of_text(marker, content, "evidence") == "[]"
}

#[test]
fn role() {
    let marker = Marker { by: vec!["Agent".into()], ..marker("m", vec![strong(word("hello"))]) };
    let said = talk(&[("AGENT", "hello"), ("customer", "hello"), ("rep", "hello")]);
    assert_eq!(counted(marker.clone(), &said), 1);
    assert_eq!(counted(marker.clone(), &text("hello")), 0);
    let actants = Actants { aliases: vec![("agent".into(), vec!["Rep".into()])], ..Actants::default() };
    let protocol = Protocol { actants, ..protocol(vec![marker]) };
    let result = crate::sense(&protocol, &said, super::BARE);
    assert_eq!(result.matches("\"metamarker\"").count(), 2);
}

#[test]
fn place_in_turns() {
    let said = talk(&[("a", "x"), ("b", "x x"), ("a", "x x x")]);
    let within = |from, n| Marker {
        place: Some(Place { from, extent: Extent::Turns(n) }),
        ..marker("m", vec![strong(word("x"))])
    };
    assert_eq!(counted(within(End::First, 1), &said), 1);
    assert_eq!(counted(within(End::First, 2), &said), 3);
    assert_eq!(counted(within(End::Last, 1), &said), 3);
    assert_eq!(counted(within(End::Last, 9), &said), 6);
}

#[test]
fn place_in_seconds() {
    let said = timed_talk(&[
        ("a", "x", Some(10)),
        ("a", "x x", None),
        ("a", "x x x", Some(5)), // time may run backward: this is the earliest
        ("a", "x x x x x", Some(30)),
    ]);
    let within = |from, n: i32| Marker {
        place: Some(Place { from, extent: Extent::Seconds(Unit(i64::from(n) * 1_000_000)) }),
        ..marker("m", vec![strong(word("x"))])
    };
    assert_eq!(counted(within(End::First, 5), &said), 4); // 10 − 5 ≤ 5 and 5 − 5 ≤ 5
    assert_eq!(counted(within(End::First, 4), &said), 3);
    assert_eq!(counted(within(End::Last, 20), &said), 6); // 30 and 10
    assert_eq!(counted(within(End::Last, 19), &said), 5);
}

#[test]
fn exclusions() {
    let lines = || vec![strong(word("plan")), except(words("sounds like a plan")), except(Pattern::Question)];
    assert_eq!(counted(marker("m", lines()), &text("a plan. Sounds like a plan. A plan? plan")), 2);
    // Exclusions overlap each other: both `a b` at 0 and `b a` at 1 are there, so the last `a` goes too.
    let lines = vec![strong(word("a")), except(sequence([Pattern::Any, Pattern::Any]))];
    assert_eq!(counted(marker("m", lines), &text("a a a! a")), 1);
    // Touching is not overlapping.
    let lines = vec![strong(word("a")), except(regex("b "))];
    assert_eq!(counted(marker("m", lines), &text("b a")), 1);
}

#[test]
fn a_cue_before() {
    let line = || vec![strong(word("happy"))];
    for negated_text in [
        "not happy",
        "i am not at all happy",
        "without ever not happy",            // two cues apart do not cancel each other
        "not one two three four five happy", // five words between: s − d = 5 < 6
    ] {
        assert!(negated(line(), negated_text), "{negated_text}");
    }
    for plain in [
        "happy, not sad",
        "no, happy",
        "no. happy",
        "not sad; happy",
        "not sad but happy",
        "not only happy",
        "not one two three four five six happy",
        "not never happy",             // two cues side by side cancel each other
        "never was not without happy", // the last two do, whatever stands before them
    ] {
        assert!(!negated(line(), plain), "{plain}");
    }
}

#[test]
fn a_cue_inside() {
    let line = || vec![strong(sequence([word("i"), gap(2), word("want")]))];
    assert!(negated(line(), "i don't want"));
    assert!(!negated(line(), "i really want"));
    // Written in the line, whichever test names it.
    assert!(!negated(vec![strong(words("i don't want"))], "i don't want"));
    assert!(!negated(vec![strong(sequence([word("i"), prefix("don"), word("want")]))], "i don't want"));
    assert!(!negated(
        vec![strong(sequence([word("i"), exact("Don't", "don't"), word("want")]))],
        "i Don't want"
    ));
    // A cue that only partly lies in the match does neither.
    assert!(!negated(vec![strong(words("to know"))], "he failed to know"));
}

#[test]
fn the_protocols_own_cues() {
    let list = |text: &str| vec![text.split(' ').map(str::to_owned).collect::<Vec<_>>()];
    let negation = NegationRules {
        reach: 2,
        cues: list("out of"),
        not_cues: list("out of this world"),
        stops: list("period"),
    };
    let marker = Marker { negation: NegationMode::Drop, ..marker("m", vec![strong(word("stock"))]) };
    let protocol = Protocol { negation, language: None, ..protocol(vec![marker]) };
    let evidence =
        |content: &str| super::value(&crate::sense(&protocol, &text(content), super::BARE), "evidence");
    assert_eq!(evidence("out of stock"), "[]");
    assert_eq!(evidence("out of big stock"), "[]");
    for plain in [
        "out of very big stock",
        "out of this world stock",
        "out of period stock",
        "not stock",
        "out, of stock",
    ] {
        assert_ne!(evidence(plain), "[]", "{plain}");
    }
}
