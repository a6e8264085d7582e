//! The resonances that a session tells of markers with `per` and `share`, after each turn: those of the talk up to there.

use sonometer::{Event, Interaction, Protocol, Sensor, SessionOptions, Turn, Unit};
use std::collections::BTreeMap;

fn sensor() -> Sensor {
    let text = r#"sonometer: 1
id: rates
version: "1"
taxonomy: Signal
actants: {primary: agent, secondary: customer}
fidelity: {words: 1, sufficient: 0}
markers:
  - {label: thanks, per: 10 words, weak: thanks, hit: Thanks.}
  - {label: ours, per: 10 words, by: agent, weak: thanks, hit: Thanks.}
  - {label: asking, share: {of: turns, by: customer, full: 1}, by: customer, strong: <question>, hit: "Why?"}
  - {label: early, per: 10 words, where: first 4 turns, weak: thanks, hit: Thanks.}
"#;
    let (protocol, _) = Protocol::read(text).expect("is a protocol");
    Sensor::new(protocol).expect("compiles")
}

/// Forty turns.
fn talk() -> Vec<Turn> {
    let said = [
        "Thanks.",
        "Well, thanks for all of that, and so on and so forth.",
        "Why? What else?",
        "No.",
        "Thanks, and once more: thanks for what you have done about it.",
        "Who?",
    ];
    let turn = |number: usize| Turn {
        role: Some(["agent", "customer", "customer", "agent", "guest"][number % 5].into()),
        content: said[number * 7 % 11 % 6].into(),
        // One turn in six has no time.
        timestamp: (number % 6 != 3).then(|| Unit(number as i64 * 8_000_000)),
    };
    (0..40).map(turn).collect()
}

/// The activations by a talk that has ended.
fn at_the_end(sensor: &Sensor, talk: &[Turn]) -> BTreeMap<String, Unit> {
    let talk = Interaction::transcript(talk.to_vec()).expect("is a talk");
    let reading = sensor.sense(&talk).expect("is sensed");
    reading.resonance().map(|(key, resonance)| (key.to_owned(), resonance.activation)).collect()
}

#[test]
fn what_is_told_with_a_new_turn_is_what_the_talk_came_to() {
    let (sensor, talk) = (sensor(), talk());
    let mut session = sensor.session(SessionOptions::default());
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for (number, Turn { role, content, timestamp }) in talk.iter().enumerate() {
        // All before this turn is settled, and the turn itself has no words yet.
        let step = session.begin_segment(role.as_deref().expect("has one"), *timestamp).expect("is a turn");
        let mut before = talk[..=number].to_vec();
        before[number].content = "".into();
        let end = at_the_end(&sensor, &before);
        for event in step.events {
            let Event::Resonance { metamarker, score } = event else { continue };
            assert_eq!(Some(&score), end.get(&metamarker), "{metamarker} before turn {number}");
            *told.entry(metamarker).or_default() += 1;
        }
        session.push(content.as_bytes()).expect("is text");
    }
    let told: Vec<(&str, usize)> = told.iter().map(|(marker, times)| (&**marker, *times)).collect();
    assert_eq!(told, [("asking", 3), ("early", 3), ("ours", 9), ("thanks", 22)]);
}
