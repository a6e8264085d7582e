//! Sessions in which thousands of matches wait for the end, so that they are judged again only now and then.

use sonometer::{Event, Interaction, Protocol, Sensor, SessionOptions, Step, Turn, Unit};

const TURNS: usize = 4_000;

/// The first marker waits for the end, as a turn that comes later may have an earlier time; the second for three turns.
fn sensor() -> Sensor {
    let text = r#"sonometer: 1
id: waiting
version: "1"
taxonomy: Signal
actants: {primary: agent, secondary: customer}
fidelity: {words: 1, sufficient: 0}
markers:
  - {label: promise, repeat: all, by: agent, strong: i will, pair: {then: thanks, by: customer, within: 30 seconds}, hit: I will.}
  - {label: thanks, repeat: all, strong: thanks, before: {any: bye, within: 3 turns}, hit: "Thanks. Bye."}
  - {label: greeting, repeat: all, clear: hello, hit: Hello.}
"#;
    let (protocol, _) = Protocol::read(text).expect("is a protocol");
    Sensor::new(protocol).expect("compiles")
}

fn talk() -> Vec<Turn> {
    let said =
        ["I will look at it. Hello.", "Thanks for that.", "I will write.", "Bye, and thanks.", "Hello?"];
    let turn = |number: usize| Turn {
        role: Some(["agent", "customer"][number % 2].into()),
        content: said[number * 7 % 11 % 5].into(),
        timestamp: Some(Unit(number as i64 * 9_000_000)),
    };
    (0..TURNS).map(turn).collect()
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
    let (sensor, talk) = (sensor(), talk());
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
