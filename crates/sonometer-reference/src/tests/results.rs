//! Sections 7 and 8.

use crate::build::*;
use crate::tests::{value, view};
use sonometer::class::Class;
use sonometer::protocol::{Actants, HintKind, Marker, Mask, NegationMode, Repeat};
use sonometer::{Interaction, OffsetUnit, Profile, Protocol, Unit};

fn weak_signals(marker: Marker, interaction: &Interaction) -> String {
    let result = crate::sense(&protocol(vec![marker]), interaction, view(Profile::Discovery, None));
    value(&result, "weak_signals")
}

fn signal(proximity: &str, hint: &str, score: &str, source: &str) -> String {
    format!(
        "[{{\"metamarker\":\"m\",\"proximity\":{proximity},\"hint\":\"{hint}\",\"score\":{score},\"source\":\"{source}\"}}]"
    )
}

/// A marker whose hints are the names of the reasons.
fn hinted(marker: Marker) -> Marker {
    let hints = [
        (HintKind::More, "more"),
        (HintKind::Role, "role"),
        (HintKind::Where, "where"),
        (HintKind::Except, "except"),
        (HintKind::Negated, "negated"),
        (HintKind::Checksum, "checksum"),
    ];
    Marker { hints: hints.map(|(kind, words)| (kind, words.to_owned())).into(), ..marker }
}

#[test]
fn more() {
    let marker = |trigger| hinted(Marker { trigger: Unit(trigger), ..marker("m", vec![clear(word("x"))]) });
    // a = 0.75: ÷ 1 = 0.75; ÷ 0.75: triggered
    assert_eq!(weak_signals(marker(1_000_000), &text("x")), signal("0.75", "more", "0.6", "x"));
    assert_eq!(weak_signals(marker(750_000), &text("x")), "[]");
    // 0.75 ÷ 0.7501 = 0.999867: capped
    assert_eq!(weak_signals(marker(750_100), &text("x")), signal("0.99", "more", "0.6", "x"));
    // 0.461538 ÷ 1: all that it found is reported.
    let weak_one = hinted(Marker { trigger: Unit::ONE, ..crate::build::marker("m", vec![weak(word("x"))]) });
    assert_eq!(weak_signals(weak_one, &text("x")), signal("0.461538", "more", "0.3", "x"));
    // Without a match half of it is needed: the bias gives 0.181818 ÷ 0.363636, then ÷ 0.3637.
    let biased = |trigger| {
        let lines = vec![weigh(word("x"), 100_000)];
        hinted(Marker { bias: Unit(100_000), trigger: Unit(trigger), ..crate::build::marker("m", lines) })
    };
    let bare = "[{\"metamarker\":\"m\",\"proximity\":0.500001,\"hint\":\"more\"}]";
    assert_eq!(weak_signals(biased(363_635), &text("y")), bare);
    assert_eq!(weak_signals(biased(363_700), &text("y")), "[]");
}

#[test]
fn exactly_one_condition_failed() {
    let lines = vec![strong(words("very happy now")), except(word("clown"))];
    let base = hinted(Marker { negation: NegationMode::Drop, by: vec!["a".into()], ..marker("m", lines) });
    // Somebody must be there to be listened to.
    let said = |role, content| weak_signals(base.clone(), &talk(&[("a", "yes"), (role, content)]));
    // three tokens: 3 ÷ 4
    assert_eq!(said("b", "very happy now"), signal("0.75", "role", "1", "very happy now"));
    assert_eq!(said("a", "not very happy now"), signal("0.75", "negated", "1", "very happy now"));
    assert_eq!(said("b", "not very happy now"), "[]");
    let lines = vec![strong(words("a clown")), except(word("clown"))];
    assert_eq!(
        weak_signals(hinted(marker("m", lines)), &text("a clown")),
        signal("0.666667", "except", "1", "a clown")
    );
    // It would not have triggered: 0.461538 < 0.5
    let lines = vec![weak(words("a clown")), except(word("clown"))];
    assert_eq!(weak_signals(hinted(marker("m", lines)), &text("a clown")), "[]");
}

#[test]
fn a_standard_sentence_where_the_author_wrote_none() {
    let marker = Marker { by: vec!["a".into(), "C".into()], ..marker("m", vec![strong(word("x"))]) };
    let said = weak_signals(marker.clone(), &talk(&[("a", "y"), ("Bob", "x")]));
    assert_eq!(said, signal("0.5", "said by Bob, expected a or C", "1", "x"));
    assert_eq!(weak_signals(marker, &text("x")), "[]", "nobody was listened to");
}

#[test]
fn wrong_check_digits() {
    let base = hinted(marker("m", vec![strong(class(Class::Pan))]));
    // four groups are four tokens: 4 ÷ 5
    assert_eq!(
        weak_signals(base.clone(), &text("4111 1111 1111 1112")),
        signal("0.8", "checksum", "1", "4111 1111 1111 1112")
    );
    assert_eq!(weak_signals(base.clone(), &text("4111 1111 1111 1111")), "[]");
    // One token, and the other condition fails: nothing.
    let base = Marker { by: vec!["a".into()], ..base };
    assert_eq!(weak_signals(base, &talk(&[("b", "4111111111111112")])), "[]");
}

#[test]
fn evidence_in_order_with_offsets() {
    let markers = vec![
        marker("late", vec![strong(words("so good")), clear(word("so"))]),
        Marker { repeat: Repeat::All, ..marker("early", vec![strong(word("so"))]) },
    ];
    let result = |unit| {
        let view = view(Profile::Raw, Some(unit));
        value(&crate::sense(&protocol(markers.clone()), &text("é😀 so good"), view), "evidence")
    };
    let item = |label: &str, score: &str, source: &str, start: usize, end: usize| {
        format!(
            "{{\"metamarker\":\"{label}\",\"score\":{score},\"source\":\"{source}\",\"start\":{start},\"end\":{end}}}"
        )
    };
    // é is 2 bytes, 1 character, 1 UTF-16 unit; 😀 is 4 bytes, 1 character, 2 units.
    for (unit, at) in [(OffsetUnit::Bytes, 7), (OffsetUnit::Chars, 3), (OffsetUnit::Utf16, 4)] {
        let expected = [
            item("late", "0.6", "so", at, at + 2),
            item("early", "1", "so", at, at + 2),
            item("late", "1", "so good", at, at + 7),
        ];
        assert_eq!(result(unit), format!("[{}]", expected.join(",")));
    }
}

#[test]
fn detailed() {
    let actants = Actants { aliases: vec![("Agent".into(), vec!["rep".into()])], ..Actants::default() };
    let protocol = Protocol { actants, ..protocol(vec![marker("m", vec![strong(word("x"))])]) };
    let said = talk(&[("b", "y"), ("REP", "so x\n")]);
    let result = crate::sense(&protocol, &said, view(Profile::Detailed, Some(OffsetUnit::Bytes)));
    let expected = "{\"target\":{\"type\":\"protocol\",\"id\":\"built\",\"version\":\"1.0\"},\"profile\":\"detailed\",\
        \"score\":1,\"resonance\":{\"m\":1},\"evidence\":[{\"metamarker\":\"m\",\"score\":1,\"source\":\"x\",\
        \"segment\":1,\"start\":3,\"end\":4,\"reconstruction\":{\"segment_text\":\"so x\\n\",\"attribution\":\"REP\",\
        \"actant\":\"Agent\"}}],\"against\":[],\"fidelity\":{\"index\":1,\"sufficient\":true},\
        \"ics\":{\"consumed\":1,\"cost_usd\":0,\"sgm_version\":\"1.0\",\"markers\":[\"m\"]}}";
    assert_eq!(result, expected);
    let result = crate::sense(&protocol, &text("x"), view(Profile::Detailed, None));
    assert!(result.contains("\"attribution\":\"unattributed\",\"actant\":\"unattributed\""));
}

fn masked(mask: Mask, content: &str) -> String {
    let marker =
        Marker { mask: Some(mask), ..marker("m", vec![strong(class(Class::Pan)), strong(word("card"))]) };
    let result = crate::sense(&protocol(vec![marker]), &text(content), view(Profile::Detailed, None));
    value(&result, "segment_text")
}

#[test]
fn masks() {
    let content = "card 4111 1111 1111 1111";
    assert_eq!(masked(Mask::All, content), "\"**** **** **** **** ****\"");
    assert_eq!(masked(Mask::Last(4), content), "\"card **** **** **** 1111\"");
    assert_eq!(masked(Mask::First(2), content), "\"ca** 41** **** **** ****\"");
    // A near miss is hidden too.
    assert_eq!(masked(Mask::Last(4), "card 4111 1111 1111 1112"), "\"card **** **** **** 1112\"");
}

#[test]
fn overlapping_masks_show_what_all_of_them_show() {
    let markers = vec![
        Marker { mask: Some(Mask::First(2)), ..marker("m", vec![strong(words("abcd efgh"))]) },
        Marker { mask: Some(Mask::Last(2)), ..marker("n", vec![strong(word("abcd"))]) },
    ];
    let result = crate::sense(&protocol(markers), &text("abcd efgh"), view(Profile::Raw, None));
    // m shows `ab`, n shows `cd`: nothing is shown by both.
    assert_eq!(result.matches("\"source\":\"****\"").count(), 1);
    assert_eq!(result.matches("\"source\":\"**** ****\"").count(), 1);
}
