//! Sections 1 and 3: the unfolded reading, windows.

use crate::build::*;
use crate::tests::{english, value};
use crate::turn::cut;
use crate::unfold::unfold;
use sonometer::protocol::phrase::Pattern;
use sonometer::protocol::{Marker, Mask, NegationMode, Protocol, Unfold};
use sonometer::{Interaction, OffsetUnit, View};

const ALL: [Unfold; 5] =
    [Unfold::Confusables, Unfold::Leet, Unfold::Repeats, Unfold::SpacedLetters, Unfold::SpokenDigits];

/// The unfolded text, by one step.
fn unfolded(step: Unfold, content: &str) -> String {
    let lines = vec![strong(word("coool")), strong(word("looool"))];
    let protocol = Protocol { unfold: vec![step], ..protocol(vec![marker("m", lines)]) };
    let row = unfold(&cut(content, &english()).folded, &protocol, &english());
    row.map_or_else(|| content.to_owned(), |row| row.iter().map(|cell| cell.char).collect())
}

#[test]
fn leet() {
    let of = |content| unfolded(Unfold::Leet, content);
    assert_eq!(of("r3fund m0n3y $hip h@ppy"), "refund money ship happy");
    assert_eq!(of("he11o w1ll 111 a1"), "hello will 111 a1"); // one letter is too few
    assert_eq!(of("happ! |ate! b2b l33t6"), "happ! |ate! b2b l33t6");
    assert_eq!(of("a!b|c"), "aiblc");
}

#[test]
fn repeats() {
    let of = |content| unfolded(Unfold::Repeats, content);
    assert_eq!(of("sooooo"), "so"); // `soo` is no word
    assert_eq!(of("goooood"), "good");
    assert_eq!(of("seeee yoouuu"), "see yoou"); // nothing known: all single
    assert_eq!(of("aabbcc"), "aabbcc");
    assert_eq!(of("NOOO way"), "NO way");
}

#[test]
fn spaced_letters() {
    let of = |content| unfolded(Unfold::SpacedLetters, content);
    assert_eq!(of("c a n n o t"), "cannot");
    assert_eq!(of("i c-a-n n.o.t"), "i can not");
    assert_eq!(of("a b"), "a b");
    assert_eq!(of("a  b  c"), "a  b  c");
    assert_eq!(of("a b'c d"), "a b'c d");
    assert_eq!(of("no a b c1"), "no a b c1");
}

#[test]
fn spoken_digits() {
    let of = |content| unfolded(Unfold::SpokenDigits, content);
    assert_eq!(of("four one one two"), "4112");
    assert_eq!(of("four, one -12 ok"), "4112 ok");
    assert_eq!(of("double four triple-one"), "44111");
    assert_eq!(of("one two and 4111"), "one two and 4111"); // two digits; and no word
    assert_eq!(of("double or one two three4"), "double or one two three4");
    assert_eq!(of("one, , two, three"), "one, , two, three");
}

#[test]
fn confusables() {
    assert_eq!(unfolded(Unfold::Confusables, "раураl са привет"), "paypal ca привет");
}

fn full() -> View<'static> {
    View { offsets: Some(OffsetUnit::Bytes), ..View::default() }
}

fn evidence(marker: Marker, said: &Interaction) -> String {
    let protocol = Protocol { unfold: ALL.to_vec(), ..protocol(vec![marker]) };
    value(&crate::sense(&protocol, said, full()), "evidence")
}

#[test]
fn what_is_found_unfolded_points_at_the_original() {
    let found = |source: &str, start: usize, end: usize| {
        format!(r#"[{{"metamarker":"m","score":1,"source":"{source}","start":{start},"end":{end}}}]"#)
    };
    let of = |content: &str| evidence(marker("m", vec![strong(word("cannot"))]), &text(content));
    assert_eq!(of("we c a n n o t go"), found("c a n n o t", 3, 14));
    assert_eq!(of("i cannnnot go"), found("cannnnot", 2, 10));
    // Said once, found once.
    assert_eq!(of("i cannot go"), found("cannot", 2, 8));
    let double = evidence(marker("m", vec![strong(word("441"))]), &text("double four one"));
    assert_eq!(double, found("double four one", 0, 15));
}

#[test]
fn exclusions_are_looked_for_in_the_reading_of_the_match() {
    let lines = vec![strong(word("refund")), except(words("what refund"))];
    assert_eq!(evidence(marker("m", lines), &text("wh4t r3fund")), "[]");
}

#[test]
fn a_match_over_turns_of_one_speaker() {
    let line = || vec![strong(words("i want a refund"))];
    let joined = |n| Marker { join: Some(n), ..marker("m", line()) };
    let said = talk(&[("a", "well i want"), ("b", "mhm"), ("a", "a refund now")]);
    let two = r#"[{"metamarker":"m","score":1,"source":"i want\na refund","segment":0,"start":5,"end":11,"joined":[{"segment":2,"start":0,"end":8}]}]"#;
    assert_eq!(evidence(joined(2), &said), two);
    assert_eq!(evidence(marker("m", line()), &said), "[]");
    let apart = talk(&[("a", "i want"), ("b", "mhm"), ("b", "yes"), ("a", "a refund")]);
    assert_eq!(evidence(joined(2), &apart), "[]");
    let three = talk(&[("a", "i"), ("a", "want a"), ("b", "mhm"), ("a", "refund")]);
    assert_eq!(evidence(joined(2), &three), "[]");
    assert!(evidence(joined(3), &three).contains(r#""source":"i\nwant a\nrefund""#));
    // A sentence that ends keeps its end.
    assert_eq!(evidence(joined(2), &talk(&[("a", "i want."), ("a", "a refund")])), r#"[{"metamarker":"m","score":1,"source":"i want.\na refund","segment":0,"start":0,"end":6,"joined":[{"segment":1,"start":0,"end":8}]}]"#.replace("i want.", "i want"));
}

#[test]
fn a_mask_hides_a_place_over_turns_as_one() {
    let digits = Pattern::Sequence([word("card"), gap(4), word("1111")].into());
    let joined = Marker { join: Some(2), mask: Some(Mask::Last(4)), ..marker("m", vec![strong(digits)]) };
    let said = talk(&[("a", "card 4111"), ("a", "1234 1111")]);
    assert!(evidence(joined, &said).contains(r#""source":"**** ****\n**** 1111""#));
}

/// A negated marker with an exclusion, in text with everything undone.
fn judged(content: &str) -> String {
    let marker = Marker {
        negation: NegationMode::Drop,
        ..marker("m", vec![strong(word("happy")), except(words("happy hour"))])
    };
    evidence(marker, &text(content))
}

#[test]
fn what_stands_as_written_is_judged_by_what_is_unfolded_around_it() {
    let found = judged("I am happy");
    assert!(found.contains("happy"), "{found}");
    assert_eq!(judged("I am n0t happy"), "[]");
    assert_eq!(judged("I am n.o.t happy"), "[]");
    assert_eq!(judged("happy h0ur"), "[]");
    // A cue that is not there when it is unfolded still applies as it is written.
    assert_eq!(judged("I am not happy, n0"), "[]");
    // Beyond the sentence no cue reaches.
    assert_ne!(judged("N0t. I am happy"), "[]");
}
