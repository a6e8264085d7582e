//! What a guard with the protocols that ship holds back.

use sonometer::{Interaction, OffsetUnit, Sensor, SessionOptions};

fn sensors() -> impl Iterator<Item = Sensor> {
    sonometer_catalog::protocols().iter().map(|entry| {
        let (protocol, _) = entry.protocol().expect("is sound");
        Sensor::new(protocol).expect("compiles")
    })
}

#[test]
fn every_protocol_that_masks_has_a_bound_below_256_characters() {
    for sensor in sensors() {
        let bound = sensor.guard_bound();
        println!("{}@{}: {bound:?}", sensor.protocol().id, sensor.protocol().version);
        assert!(bound.is_ok_and(|most| most <= 256));
    }
}

/// Words that begin what is masked, and what stands between them: no sentence ends for long.
const WORDS: &[&str] = &[
    "my", "name", "is", "address", "card", "number", "born", "on", "I", "posted", "follow", "me", "live",
    "at", "send", "to", "12", "7", "4111", "555", "Oak", "Maren", "Road", "apt", "the", "so", "SSN", "call",
    "code", "x", "and", "her", "Dr", "May", "1984", "IL", "DE89", "bob", "你", "好", "weg", "zip", "account",
    "in", "says", "licence", "version", "order", "password",
];
const BETWEEN: &[&str] = &[" ", " ", " ", " ", " ", ", ", ": ", "-", ",", "\n", "; ", " (", "@", ". ", "/"];

/// A text that is the same for each seed.
fn text(seed: u32) -> String {
    let mut state = seed;
    let mut next = |count: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % count
    };
    let (mut text, mut numbers) = (String::new(), 0);
    for _ in 0..120 {
        let word = WORDS[next(WORDS.len())];
        // Long rows of numbers are a repetition without a limit.
        numbers = if word.starts_with(|c: char| c.is_ascii_digit()) { numbers + 1 } else { 0 };
        text.push_str(if numbers > 2 { "so" } else { word });
        let between = BETWEEN[next(BETWEEN.len())];
        let is_long = text.chars().rev().take_while(|c| !matches!(c, ' ' | '\n')).count() > 8;
        text.push_str(if is_long { " " } else { between });
    }
    text
}

#[test]
fn personal_data_keeps_to_its_bound_and_lets_nothing_pass() {
    for sensor in sensors().filter(|sensor| sensor.protocol().id == "personal-data") {
        let bound = sensor.guard_bound().expect("there is one");
        let options = SessionOptions { unit: OffsetUnit::Chars, release: true, ..SessionOptions::default() };
        let mut most = 0;
        for text in (0..40).map(text) {
            let whole = sensor.sense(&Interaction::text(&text).expect("is short")).expect("is measured");
            let whole = whole.masked_turn(0);
            let mut session = sensor.session(options);
            let mut passed = String::new();
            for (at, c) in text.chars().enumerate() {
                let step = session.push(c.encode_utf8(&mut [0; 4]).as_bytes()).expect("is text");
                passed.extend(step.released.into_iter().map(|released| released.text));
                assert!(whole.starts_with(&passed), "{passed:?} of {whole:?}");
                let held = at + 1 - step.released_to.offset;
                if held > bound {
                    // What was found waits for what may overlap it.
                    let known: String = text.chars().take(at + 1).collect();
                    let so_far = session.so_far().expect("is measured").masked_turn(0).into_owned();
                    let unchanged = |(a, b): &(char, char)| a == b;
                    let held_text = known.chars().zip(so_far.chars()).skip(step.released_to.offset);
                    assert!(!held_text.clone().all(|pair| unchanged(&pair)), "{held} of {bound}: {known:?}");
                }
                most = held.max(most);
            }
        }
        println!("personal-data@{}: at most {most} of {bound}", sensor.protocol().version);
        assert!(most > 20, "the texts begin what is masked");
    }
}
