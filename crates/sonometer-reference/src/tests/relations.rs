//! Sections 3 and 4: flip, after, before, pair, echo, absent, ratio.

use crate::build::*;
use crate::tests::{BARE, value};
use sonometer::protocol::{
    Absence, Companion, Deadline, Echo, LineList, Marker, NegationMode, Pair, Ratio, RatioTo, Reach, When,
};
use sonometer::{Interaction, Protocol, Unit};

fn resonance(markers: Vec<Marker>, said: &Interaction, label: &str) -> String {
    value(&crate::sense(&protocol(markers), said, BARE), label)
}

fn companion(list: LineList, text: &str, within: Reach) -> Companion {
    Companion { lines: vec![line(list, 0, words(text))], markers: Vec::new(), by: Vec::new(), within }
}

fn seconds(n: i64) -> Unit {
    Unit(n * 1_000_000)
}

#[test]
fn a_negated_match_flips() {
    let change = Marker {
        negation: NegationMode::Flip("stay".into()),
        ..marker("change", vec![clear(words("want to stop"))])
    };
    let stay = marker("stay", vec![strong(words("fine as it is"))]);
    let of = |label, said: &str| resonance(vec![change.clone(), stay.clone()], &text(said), label);
    assert_eq!((of("change", "i want to stop"), of("stay", "i want to stop")), ("0.75".into(), "0".into()));
    assert_eq!(
        (of("change", "i don't want to stop"), of("stay", "i don't want to stop")),
        ("0".into(), "0.75".into())
    );
    // Of two flipped matches of one line the second counts half: 0.6 + 0.3.
    assert_eq!(of("stay", "i don't want to stop. i don't want to stop"), "0.947368");
}

#[test]
fn a_flipped_match_keeps_to_the_rules_of_its_new_marker() {
    let change = Marker {
        negation: NegationMode::Flip("stay".into()),
        ..marker("change", vec![clear(words("want to stop"))])
    };
    let stay = marker("stay", vec![strong(word("fine")), except(words("today"))]);
    let stay = Marker { negation: NegationMode::Drop, ..stay };
    let of = |said: &str| resonance(vec![stay.clone(), change.clone()], &text(said), "stay");
    assert_eq!(of("i don't want to stop today"), "0.75"); // the exclusion touches nothing
    let stay = Marker { by: vec!["a".into()], ..stay.clone() };
    let by = |role| {
        resonance(vec![stay.clone(), change.clone()], &talk(&[(role, "i don't want to stop")]), "stay")
    };
    assert_eq!((by("a"), by("b")), ("0.75".into(), "0".into()));
}

#[test]
fn after_and_before_in_turns() {
    let of = |after, before, said: &[(&str, &str)]| {
        resonance(
            vec![Marker { after, before, ..marker("m", vec![strong(word("sorry"))]) }],
            &talk(said),
            "m",
        )
    };
    let after = |n| Some(companion(LineList::After, "broken", Reach::Turns(n)));
    let said = [("a", "it is broken"), ("b", "hm"), ("b", "sorry")];
    assert_eq!(of(after(1), None, &said), "0");
    assert_eq!(of(after(2), None, &said), "1");
    assert_eq!(of(None, after(2), &said), "0");
    assert_eq!(of(None, after(2), &[("b", "sorry it is broken")]), "1");
    assert_eq!(of(after(0), None, &[("b", "sorry it is broken")]), "0");
    assert_eq!(of(after(0), None, &[("b", "broken. sorry")]), "1");
}

#[test]
fn reach_in_words_and_sentences_and_seconds() {
    let of = |within, said: &Interaction| {
        let after = Some(companion(LineList::After, "broken", within));
        resonance(vec![Marker { after, ..marker("m", vec![strong(word("sorry"))]) }], said, "m")
    };
    let said = text("it is broken, so so sorry");
    assert_eq!((of(Reach::Words(1), &said), of(Reach::Words(2), &said)), ("0".into(), "1".into()));
    let said = text("It is broken. Hm. I am sorry.");
    assert_eq!((of(Reach::Sentences(1), &said), of(Reach::Sentences(2), &said)), ("0".into(), "1".into()));
    let said = timed_talk(&[("a", "broken", Some(30)), ("b", "sorry", Some(20))]);
    let in_seconds = |n| of(Reach::Seconds(seconds(n)), &said);
    assert_eq!((in_seconds(9), in_seconds(10)), ("0".into(), "1".into()));
    let untimed = timed_talk(&[("a", "broken", None), ("b", "sorry", Some(20))]);
    assert_eq!(of(Reach::Seconds(seconds(99)), &untimed), "0");
    // Words and sentences reach no other turn.
    assert_eq!(of(Reach::Words(99), &talk(&[("a", "broken"), ("b", "sorry")])), "0");
}

#[test]
fn a_pair_that_is_not_completed_is_worth_less() {
    let then = companion(LineList::Then, "what about", Reach::Sentences(1));
    let pair = Some(Pair { then, otherwise: Unit(500_000) });
    let of = |said: &str| {
        resonance(
            vec![Marker { pair: pair.clone(), ..marker("m", vec![clear(words("you feel"))]) }],
            &text(said),
            "m",
        )
    };
    assert_eq!(of("you feel sad. what about her"), "0.75");
    assert_eq!(of("what about her. you feel sad"), "0.461538"); // 0.3
}

#[test]
fn an_echo_is_worth_more() {
    let echo = Some(Echo {
        markers: Vec::new(),
        of: vec!["client".into()],
        within: 1,
        words: 2,
        boost: Unit(100_000),
        otherwise: Unit::ONE,
    });
    let of = |said: &[(&str, &str)]| {
        resonance(
            vec![Marker { echo: echo.clone(), ..marker("m", vec![weak(words("it sounds"))]) }],
            &talk(said),
            "m",
        )
    };
    let answer = ("coach", "it sounds like deadlines crushed you");
    // 0.4 × 2 ÷ 1.4
    assert_eq!(of(&[("client", "the deadline is crushing me"), answer]), "0.571429");
    assert_eq!(of(&[("client", "the deadline is near"), answer]), "0.461538"); // one word
    assert_eq!(of(&[("boss", "the deadline is crushing me"), answer]), "0.461538");
    assert_eq!(of(&[("client", "the deadline is crushing me"), ("coach", "hm"), answer]), "0.461538");
}

fn absent(when: Option<&str>, until: Deadline) -> Marker {
    let lines = |text| vec![line(LineList::When, 0, words(text))];
    let when = when.map(|text| When { lines: lines(text), markers: Vec::new(), by: vec!["agent".into()] });
    let said = vec![line(LineList::Absent, 0, words("goodbye"))];
    Marker { absence: Some(Absence { when, until }), ..marker("m", said) }
}

#[test]
fn absent_after_when() {
    let of =
        |said: &[(&str, &str)]| resonance(vec![absent(Some("hello"), Deadline::Turns(2))], &talk(said), "m");
    let (hello, other) = (("agent", "hello"), ("agent", "hm"));
    assert_eq!(of(&[other, hello, other, other]), "1");
    assert_eq!(of(&[other, hello, other]), "0"); // not over yet
    assert_eq!(of(&[hello, other, ("agent", "goodbye")]), "0");
    assert_eq!(of(&[hello, other, other, ("agent", "goodbye")]), "1"); // too late
    assert_eq!(of(&[other, other, other, other]), "0"); // the clock never starts
    assert_eq!(of(&[("client", "hello"), other, other, other]), "0");
}

#[test]
fn absent_from_the_beginning() {
    let of = |until, said: &[(&str, &str, Option<i64>)]| {
        let result = crate::sense(&protocol(vec![absent(None, until)]), &timed_talk(said), BARE);
        (value(&result, "m"), value(&result, "evidence"))
    };
    let found = |a: &str| (a.to_owned(), "[]".to_owned());
    let said = [("agent", "hm", Some(5)), ("agent", "hm", None), ("agent", "goodbye", Some(15))];
    assert_eq!(of(Deadline::End, &said), found("0"));
    assert_eq!(of(Deadline::End, &said[..2]), found("1"));
    assert_eq!(of(Deadline::Turns(2), &said), found("1"));
    assert_eq!(of(Deadline::Turns(3), &said), found("0"));
    assert_eq!(of(Deadline::Turns(3), &said[..2]), found("0"));
    assert_eq!(of(Deadline::Seconds(seconds(10)), &said), found("0"));
    assert_eq!(of(Deadline::Seconds(seconds(9)), &said), found("1"));
    assert_eq!(of(Deadline::Seconds(seconds(9)), &said[..2]), found("0"));
}

#[test]
fn the_match_that_started_the_clock_is_the_evidence() {
    let said = talk(&[("agent", "well hello"), ("agent", "hello")]);
    let result = crate::sense(&protocol(vec![absent(Some("hello"), Deadline::End)]), &said, BARE);
    assert_eq!(value(&result, "evidence"), r#"[{"metamarker":"m","score":1,"source":"hello"}]"#);
}

#[test]
fn ratios() {
    let reflection = marker("reflection", vec![strong(words("you feel")), strong(words("you feel so"))]);
    let of = |to: RatioTo, at_least, said: &str| {
        let ratio = Ratio {
            of: "reflection".into(),
            to,
            by: Vec::new(),
            floor: Unit(500_000),
            full: seconds(2),
            at_least,
        };
        let markers = vec![reflection.clone(), Marker { ratio: Some(ratio), ..marker("m", Vec::new()) }];
        resonance(markers, &text(said), "m")
    };
    let questions =
        || RatioTo::Lines(vec![line(LineList::To, 0, sonometer::protocol::phrase::Pattern::Question)]);
    // Overlapping evidence of two lines is one place: 1 for 1 is (1 − 0.5) ÷ 1.5.
    assert_eq!(of(questions(), 2, "you feel so sad. why?"), "0.333333");
    assert_eq!(of(questions(), 3, "you feel so sad. why?"), "0");
    assert_eq!(of(questions(), 1, "you feel sad"), "1"); // nothing to compare with
    assert_eq!(of(questions(), 1, "you feel sad. why? why? why?"), "0"); // below the floor
    assert_eq!(of(RatioTo::Marker("reflection".into()), 1, "you feel sad"), "0.333333");
}

#[test]
fn what_heads_the_near_misses() {
    use sonometer::{Profile, View};
    let weak = |m: Marker, said: &Interaction| {
        let protocol = Protocol { ..protocol(vec![m]) };
        value(
            &crate::sense(&protocol, said, View { profile: Profile::Discovery, ..View::default() }),
            "weak_signals",
        )
    };
    let signal = |proximity: &str, hint: &str, score: &str, source: &str| {
        format!(
            "[{{\"metamarker\":\"m\",\"proximity\":{proximity},\"hint\":\"{hint}\",\"score\":{score},\"source\":\"{source}\"}}]"
        )
    };
    let near_gap = marker("m", vec![strong(sequence([word("you"), gap(1), word("feel")]))]);
    // 1 becomes 4.
    let apart = "its parts stand too far apart";
    assert_eq!(
        weak(near_gap.clone(), &text("you a b c d feel")),
        signal("0.666667", apart, "1", "you a b c d feel")
    );
    assert_eq!(weak(near_gap, &text("you a b c d e feel")), "[]");
    let due = "not said yet, and not due yet";
    let three = absent(Some("hello"), Deadline::Turns(3));
    assert_eq!(
        weak(three.clone(), &talk(&[("agent", "hello"), ("a", "x")])),
        signal("0.5", due, "1", "hello")
    );
    assert_eq!(weak(three.clone(), &talk(&[("agent", "hello")])), "[]");
    assert_eq!(weak(three, &talk(&[("agent", "hello"), ("a", "goodbye")])), "[]");
    let then = companion(LineList::Then, "what about", Reach::Turns(0));
    let pair = Some(Pair { then, otherwise: Unit::ZERO });
    let lonely = Marker { pair, ..marker("m", vec![clear(words("you feel"))]) };
    assert_eq!(
        weak(lonely, &text("you feel sad")),
        signal("0.666667", "said, but not completed", "0.6", "you feel")
    );
}
