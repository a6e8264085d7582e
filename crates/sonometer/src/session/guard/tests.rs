//! What a guard lets go, and how much it holds.

use crate::text::chars::{Class, class};
use crate::{Event, Interaction, OffsetUnit, Protocol, Sensor, SessionOptions, Unbounded};
use proptest::prelude::*;

fn sensor(marker: &str) -> Sensor {
    let source = format!(
        r#"{{"sonometer": 1, "id": "x", "version": "1", "taxonomy": "Policy", "language": "en", "markers": [{marker}]}}"#
    );
    Sensor::new(Protocol::read(&source).expect("reads").0).expect("compiles")
}

fn guard() -> SessionOptions {
    SessionOptions { unit: OffsetUnit::Chars, release: true, ..SessionOptions::default() }
}

/// What has been let go when all of a text has come in, before it has ended.
fn passed(sensor: &Sensor, text: &str) -> String {
    let mut session = sensor.session(guard());
    let mut passed = String::new();
    for character in text.chars() {
        let step = session.push(character.encode_utf8(&mut [0; 4]).as_bytes()).expect("is taken");
        passed.extend(step.released.into_iter().map(|released| released.text));
    }
    passed
}

#[test]
fn text_passes_by_word_not_by_sentence() {
    let sensor = sensor(
        r#"{"label": "m", "mask": "all", "strong": ["<email>", "<pan>"], "clear": "my code (is)? <number>", "except": "my code is <number> percent"}"#,
    );
    for (text, expected) in [
        ("id,name,city,mail\n1,Anke,Berlin,", "id,name,city,mail\n1,Anke,"),
        ("1,Anke,a@example.org,Berlin,2", "1,Anke,*@*******.***,"),
        ("你好，世界，今天", "你好，世界，"),
        ("let x = foo(bar, baz) || 12; whi", "let x = foo(bar, baz) || 12; "),
        ("all of my code is", "all of "),
        ("all of my code is 12 ", "all of "),
        ("all of my code is 12 and so", "all of ** **** ** ** and "),
        ("all of my code, is so", "all of my code, is "),
        ("all of my code is 12 percent so", "all of my code is 12 percent "),
        ("pay 4111 1111 1111 1111 now or", "pay **** **** **** **** now "),
        ("pay 4111 1111 1111", "pay "),
        ("I paid you. $ 12 for it", "I paid you. $ 12 for "),
    ] {
        assert_eq!(passed(&sensor, text), expected, "{text:?}");
    }
}

#[test]
fn what_is_not_masked_holds_nothing_back() {
    let sensor =
        sensor(r#"{"label": "m", "strong": "my code ..9.. <number>"}, {"label": "n", "clear": "<shout>"}"#);
    assert_eq!(passed(&sensor, "my code so MUCH, or"), "my code so MUCH, o");
    assert_eq!(sensor.guard_bound(), Ok(1));
}

#[test]
fn evidence_settles_as_it_did() {
    let sensor = sensor(
        r#"{"label": "m", "mask": "all", "strong": "secret", "before": {"any": "done", "within": "2 sentences"}}"#,
    );
    let mut session = sensor.session(guard());
    let step = session.push(b"A secret. No more. And").expect("is taken");
    assert_eq!((step.settled_to.offset, step.released_to.offset), (2, 19));
    assert!(matches!(&step.events[..], [Event::Mask { start: 2, end: 8, .. }, ..]), "{:?}", step.events);
    let without =
        sensor.session(SessionOptions { release: false, ..guard() }).push(b"A secret. No more. And");
    let without = without.expect("is taken");
    assert_eq!((without.settled_to, without.released_to), (step.settled_to, step.settled_to));
}

#[test]
fn what_knows_no_bound_says_why() {
    let label = || "m".to_owned();
    for (marker, expected) in [
        (r#"{"label": "m", "mask": "all", "strong": "pay <shout>"}"#, Unbounded::Shout(label())),
        (r#"{"label": "m", "mask": "all", "strong": "pay <question>"}"#, Unbounded::Question(label())),
        (r#"{"label": "m", "mask": "all", "join": "2 turns", "strong": "pay"}"#, Unbounded::Join(label())),
        (r#"{"label": "m", "mask": "all", "strong": "/\\bpay/"}"#, Unbounded::Boundary(label())),
        (
            r#"{"label": "m", "mask": "all", "strong": "pay"}, {"label": "n", "strong": "bill", "negation": "flip m"}"#,
            Unbounded::Flip(label()),
        ),
    ] {
        assert_eq!(sensor(marker).guard_bound(), Err(expected), "{marker}");
    }
}

/// How many characters were held back at most, and what was while so many were.
fn most_held(sensor: &Sensor, text: &str) -> (usize, String) {
    let mut session = sensor.session(guard());
    let mut most = (0, String::new());
    let mut characters = 0;
    for character in text.chars() {
        let step = session.push(character.encode_utf8(&mut [0; 4]).as_bytes()).expect("is taken");
        characters += 1;
        let held = characters - step.released_to.offset;
        if held > most.0 {
            let known: Vec<char> = text.chars().take(characters).collect();
            most = (held, known[step.released_to.offset..].iter().collect());
        }
    }
    most
}

fn is_word(c: char) -> bool {
    matches!(class(c), Class::Word | Class::Ideograph)
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        " ", " ", " ", ",", ";", "\n", ". ", "my", "code", "is", "call", "now", "pay", "so", "5", "12", "x",
        "中", "é", "-", "_", "word", "$", "(", "12345", "order", "no",
    ]);
    prop::collection::vec(piece, 0..120).prop_map(|pieces| {
        // Longer words and gaps are a match in progress.
        let mut text = String::new();
        for piece in pieces {
            let row = |wanted: bool| text.chars().rev().take_while(|c| is_word(*c) == wanted).count();
            let starts_word = piece.starts_with(is_word);
            let most = if starts_word { 8 } else { 2 };
            if row(starts_word) > 0 && row(starts_word) + piece.chars().count() > most {
                text.push_str(if starts_word { " " } else { "so" });
            }
            text.push_str(piece);
        }
        text
    })
}

proptest! {
    /// Nothing but words of the lines follow each other here, without an end of a sentence for long.
    #[test]
    fn no_more_is_held_than_the_bound(text in pieces()) {
        for (marker, least) in [
            (r#"{"label": "m", "mask": "all", "strong": ["my code is (so so)? _", "/12 {0,3}x?5/"]}"#, 20),
            (r#"{"label": "m", "mask": "all", "strong": "call ..4.. now", "clear": "pay word word"}"#, 80),
            (r#"{"label": "m", "mask": "last4", "strong": "pay &3 12", "except": "order (no)? 12 so"}"#, 80),
        ] {
            let sensor = sensor(marker);
            let bound = sensor.guard_bound().expect("there is one");
            prop_assert!((least..256).contains(&bound), "{bound}");
            let (most, held) = most_held(&sensor, &text);
            // What was found and waits for a match that may overlap it is one in progress.
            let reading = sensor.sense(&Interaction::text(&held).expect("is short")).expect("is measured");
            let has_match = reading.masked_turn(0) != held;
            prop_assert!(most <= bound || has_match, "{most} of {bound}: {held:?} of {text:?}");
        }
    }

    /// A guard that lets everything pass in the end lets pass what the whole shows, at every place.
    #[test]
    fn what_passes_is_what_the_whole_shows(text in pieces(), marker in prop::sample::select(vec![
        r#"{"label": "m", "mask": "all", "strong": "my {code} is", "clear": "call {_ _} now", "except": "no ..1.. my code"}"#,
        r#"{"label": "m", "mask": "last4", "strong": "<money>", "clear": "pay ..2.. {<number>} so?", "except": "<start> pay"}"#,
        r#"{"label": "m", "mask": "all", "strong": "/my (?<place>[a-z]+) is/", "clear": ["<start> so", "now <end>", "x $"]}"#,
        r#"{"label": "m", "mask": "all", "strong": "pay {_} so", "clear": "12 , {12 so}"}, {"label": "n", "mask": "first2", "clear": "so _ so"}"#,
    ])) {
        let sensor = sensor(marker);
        let interaction = Interaction::text(&text).expect("is short");
        let whole = sensor.sense(&interaction).expect("is measured").masked_turn(0).into_owned();
        let passed = passed(&sensor, &text);
        prop_assert!(whole.starts_with(&passed), "{passed:?} of {whole:?}, {text:?}");
    }
}
