//! A reading says what a person would conclude: what triggered is evidence, and nothing else is billed.

use sonometer::protocol::HintKind;
use sonometer::{Event, Interaction, Protocol, Sensor, SessionOptions, Step};

fn sensor(markers: &str) -> Sensor {
    let source = format!(
        r#"{{"sonometer": 1, "id": "said", "version": "1.0", "taxonomy": "Signal", "language": "en",
        "fidelity": {{"sufficient": 0}}, "markers": [{markers}]}}"#
    );
    Sensor::new(Protocol::read(&source).unwrap_or_else(|error| panic!("{error}")).0).expect("compiles")
}

fn text(content: &str) -> Interaction {
    Interaction::text(content).expect("is short")
}

/// `one` triggers by one use, `two` by two, `down` can fall again.
const MARKERS: &str = r#"
    {"label": "one", "strong": "thanks", "hit": "thanks"},
    {"label": "two", "weak": "maybe", "repeat": "all", "hit": "maybe maybe"},
    {"label": "down", "weigh": ["good = 1", "bad = -1"], "hit": "good"}"#;

#[test]
fn evidence_is_what_is_billed() {
    let reading = sensor(MARKERS).sense(&text("Thanks, maybe. Good, not bad.")).expect("is read");
    let evidence: Vec<_> =
        reading.evidence().map(|found| (found.metamarker, found.source.into_owned())).collect();
    assert_eq!(evidence, [("one", "Thanks".to_owned())]);
    assert_eq!(reading.triggered().collect::<Vec<_>>(), ["one"]);
    assert_eq!(reading.ics().consumed, 1);
    let weak: Vec<_> = reading
        .weak_signals()
        .map(|weak| {
            (weak.metamarker, weak.kind, weak.found.map(|found| (found.score.0, found.source.into_owned())))
        })
        .collect();
    let expected = [
        ("two", HintKind::More, Some((300_000, "maybe".to_owned()))),
        ("down", HintKind::More, Some((1_000_000, "Good".to_owned()))),
    ];
    assert_eq!(weak, expected);
    let against: Vec<_> =
        reading.against().map(|found| (found.metamarker, found.score.0, found.range)).collect();
    assert_eq!(against, [("down", -1_000_000, 25..28)]);
}

fn told(step: &Step) -> Vec<(&str, &str)> {
    step.events
        .iter()
        .filter_map(|event| match event {
            Event::Evidence { metamarker, source, .. } => Some((metamarker.as_str(), source.as_str())),
            _ => None,
        })
        .collect()
}

#[test]
fn a_session_tells_evidence_as_soon_as_its_marker_has_triggered() {
    let mut session = sensor(MARKERS).session(SessionOptions::default());
    let first = session.push(b"Maybe, thanks. Good. ").expect("is taken");
    assert_eq!(told(&first), [("one", "thanks")], "once maybe, and good can still be undone");
    let second = session.push(b"Well, maybe. Next").expect("is taken");
    assert_eq!(told(&second), [("two", "Maybe"), ("two", "maybe")], "what was held back comes first");
    assert_eq!(told(&session.end().expect("ends")), [("down", "Good")]);
}

#[test]
fn a_session_tells_nothing_of_what_does_not_trigger() {
    let mut session = sensor(MARKERS).session(SessionOptions::default());
    let mut steps = vec![session.push(b"Maybe. Good. And bad. Yes. ").expect("is taken")];
    steps.push(session.end().expect("ends"));
    assert!(steps.iter().all(|step| told(step).is_empty()), "{steps:?}");
}
