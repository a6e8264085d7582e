//! Sessions beside readings of the whole: what long conversations are told, turn by turn.

use sonometer::{Event, Interaction, Protocol, Sensor, SessionOptions, Step, Turn, Unit};
use std::collections::BTreeMap;

/// A sensor for conversations, with these markers.
fn sensor(markers: &str) -> Sensor {
    const HEAD: &str = r#"sonometer: 1
id: talks
version: "1"
taxonomy: Signal
actants: {primary: agent, secondary: customer}
fidelity: {words: 1, sufficient: 0}
markers:
"#;
    let (protocol, _) = Protocol::read(&format!("{HEAD}{markers}")).expect("is a protocol");
    Sensor::new(protocol).expect("compiles")
}

const RATES: &str = r#"  - {label: thanks, per: 10 words, weak: thanks, hit: Thanks.}
  - {label: ours, per: 10 words, by: agent, weak: thanks, hit: Thanks.}
  - {label: asking, share: {of: turns, by: customer, full: 1}, by: customer, strong: <question>, hit: "Why?"}
  - {label: early, per: 10 words, where: first 4 turns, weak: thanks, hit: Thanks.}
"#;

/// Forty turns.
fn forty_turns() -> Vec<Turn> {
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
    let (sensor, talk) = (sensor(RATES), forty_turns());
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

/// The first marker waits for the end, as a turn that comes later may have an earlier time; the second for three turns.
const WAITING: &str = r#"  - {label: promise, repeat: all, by: agent, strong: i will, pair: {then: thanks, by: customer, within: 30 seconds}, hit: I will.}
  - {label: thanks, repeat: all, strong: thanks, before: {any: bye, within: 3 turns}, hit: "Thanks. Bye."}
  - {label: greeting, repeat: all, clear: hello, hit: Hello.}
"#;

/// So many turns that thousands of matches wait, and are judged again only now and then.
fn many_turns() -> Vec<Turn> {
    let said =
        ["I will look at it. Hello.", "Thanks for that.", "I will write.", "Bye, and thanks.", "Hello?"];
    let turn = |number: usize| Turn {
        role: Some(["agent", "customer"][number % 2].into()),
        content: said[number * 7 % 11 % 5].into(),
        timestamp: Some(Unit(number as i64 * 9_000_000)),
    };
    (0..4_000).map(turn).collect()
}

/// Marker, turn, first and last byte, score.
type Found = (String, usize, usize, usize, Unit);

fn evidence(step: Step) -> impl Iterator<Item = Found> {
    step.events.into_iter().filter_map(|event| match event {
        Event::Evidence { metamarker, score, segment, start, end, .. } => {
            Some((metamarker, segment, start, end, score))
        }
        _ => None,
    })
}

#[test]
fn what_is_told_in_the_end_is_what_the_whole_has() {
    let (sensor, talk) = (sensor(WAITING), many_turns());
    let mut session = sensor.session(SessionOptions::default());
    let (mut told, mut places) = (Vec::new(), Vec::new());
    for turn in &talk {
        let step = session.push_segment(turn.clone()).expect("is a turn");
        places.push(step.settled_to);
        told.extend(evidence(step));
    }
    assert!(places.is_sorted(), "a place never goes back");
    told.extend(evidence(session.end().expect("is whole")));
    let whole = sensor.sense(&Interaction::transcript(talk).expect("is a talk")).expect("is sensed");
    let all = whole.evidence().map(|found| {
        let key = found.metamarker.to_owned();
        (key, found.turn, found.range.start, found.range.end, found.score)
    });
    let mut all: Vec<Found> = all.collect();
    told.sort();
    all.sort();
    assert!(all.len() > 2 * 1_024, "{} are many", all.len());
    assert_eq!(told, all);
    assert_eq!(
        session.finish().expect("is whole").to_json(Default::default()),
        whole.to_json(Default::default())
    );
}
