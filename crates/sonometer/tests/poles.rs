//! Scores of protocols with markers of both poles, and markers that name markers: what a person would conclude.

use sonometer::{Interaction, Protocol, SenseOptions, Sensor, Turn};

fn protocol(keys: &str, markers: &str) -> Result<Sensor, String> {
    let source = format!(
        r#"{{"sonometer": 1, "id": "a", "version": "1", "taxonomy": "Policy", "language": "en", {keys} "markers": [{markers}]}}"#
    );
    let (protocol, _) = Protocol::read(&source).map_err(|error| error.message)?;
    Ok(Sensor::new(protocol).expect("compiles"))
}

fn talk(turns: &[(&str, &str)]) -> Interaction {
    let turn = |&(role, text): &(&str, &str)| Turn {
        role: Some(role.into()),
        content: text.into(),
        timestamp: None,
    };
    Interaction::transcript(turns.iter().map(turn).collect()).expect("has turns")
}

/// The score and the markers that trigger.
fn read(sensor: &Sensor, turns: &[(&str, &str)]) -> (String, Vec<String>) {
    let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    let reading = sensor.sense_with(&talk(turns), options).expect("is sensed");
    let triggered =
        reading.resonance().filter(|(_, r)| r.triggered).map(|(label, _)| label.to_owned()).collect();
    (reading.score().map(|score| score.to_string()).unwrap_or_default(), triggered)
}

const DOSE: &str =
    r#"{"label": "dose", "importance": "critical", "strong": "take twice the dose", "hit": "x""#;
const DOCTOR: &str = r#"{"label": "doctor", "strong": "ask your doctor", "hit": "x""#;

#[test]
fn a_danger_beside_its_remedy_is_still_one() {
    let markers = format!(r#"{DOSE}, "pole": "against"}}, {DOCTOR}, "pole": "for"}}"#);
    let sensor = protocol(r#""score": "risk","#, &markers).expect("is sound");
    assert_eq!(read(&sensor, &[("a", "Hello.")]).0, "1");
    assert_eq!(read(&sensor, &[("a", "Ask your doctor.")]).0, "1");
    assert_eq!(read(&sensor, &[("a", "Take twice the dose.")]).0, "0");
    assert_eq!(read(&sensor, &[("a", "Take twice the dose. Ask your doctor.")]).0, "0.5");
}

#[test]
fn a_marker_whose_pole_was_forgotten_is_no_remedy() {
    let markers = format!(r#"{DOSE}}}, {DOCTOR}, "pole": "against"}}"#);
    for kind in ["risk", "any"] {
        let refused = protocol(&format!(r#""score": "{kind}","#), &markers).expect_err("is refused");
        assert!(refused.contains("SM0362") && refused.contains("`dose` has no `pole`"), "{refused}");
    }
    assert!(protocol(r#""score": "mean","#, &markers).is_ok());
}

#[test]
fn what_speaks_against_a_finding_takes_at_most_half() {
    let markers = format!(r#"{DOSE}, "pole": "for"}}, {DOCTOR}, "pole": "against"}}"#);
    let sensor = protocol(r#""score": "any","#, &markers).expect("is sound");
    assert_eq!(read(&sensor, &[("a", "Take twice the dose.")]).0, "1");
    assert_eq!(read(&sensor, &[("a", "Take twice the dose. Ask your doctor.")]).0, "0.5");
    assert_eq!(read(&sensor, &[("a", "Ask your doctor.")]).0, "0");
}

/// A request, a promise that answers it, thanks for the promise: each by its own rules.
const CHAIN: &str = r#"
    {"label": "thanks", "after": {"marker": "promise", "within": "2 turns"}, "strong": "thanks", "hit": "x"},
    {"label": "promise", "by": "agent", "negation": "drop", "after": {"marker": "request", "within": "2 turns"},
     "strong": "i will ..2.. send", "hit": "x"},
    {"label": "request", "strong": "please", "except": "please hold", "hit": "x"}"#;

#[test]
fn markers_are_judged_behind_those_that_they_name() {
    let sensor = protocol("", CHAIN).expect("is sound");
    let fired = |turns: &[(&str, &str)]| read(&sensor, turns).1;
    let (ask, promise, thanks) = (("you", "please help"), ("agent", "i will send it"), ("you", "thanks"));
    assert_eq!(fired(&[ask, promise, thanks]), ["thanks", "promise", "request"]);
    // Each link of the chain fails for a reason of its own.
    assert_eq!(fired(&[("you", "please hold"), promise, thanks]), Vec::<String>::new());
    assert_eq!(fired(&[ask, ("agent", "i will not send it"), thanks]), ["request"]);
    assert_eq!(fired(&[ask, ("you", "i will send it"), thanks]), ["request"]);
    assert_eq!(fired(&[thanks, ask, promise]), ["promise", "request"]);
    assert_eq!(fired(&[ask, promise, ("agent", "so"), ("you", "well"), thanks]), ["promise", "request"]);
}

#[test]
fn a_counted_match_starts_the_clock() {
    let markers = format!(
        r#"{CHAIN}, {{"label": "left_open", "pole": "against", "when": {{"marker": "promise"}}, "absent": "sent", "until": "2 turns after when", "hit": "x"}}"#
    );
    let sensor = protocol("", &markers).expect("is sound");
    let fired = |turns: &[(&str, &str)]| read(&sensor, turns).1.contains(&"left_open".to_owned());
    let (ask, promise, nothing) = (("you", "please help"), ("agent", "i will send it"), ("you", "hm"));
    assert!(fired(&[ask, promise, nothing, nothing, nothing]));
    assert!(!fired(&[ask, promise, nothing, ("agent", "sent"), nothing]));
    // Nobody asked, so it is no promise.
    assert!(!fired(&[nothing, promise, nothing, nothing, nothing]));
}

#[test]
fn only_words_around_a_counted_match_are_echoed() {
    let markers = r#"
        {"label": "hope", "strong": "i hope", "hit": "x"},
        {"label": "reflects", "by": "agent", "strengths": {"clear": 0.1}, "clear": "you want", "half": 0,
         "trigger": 0.5, "echo": {"of": "you", "marker": "hope", "boost": 0.9}, "hit": "x"}"#;
    let sensor = protocol("", markers).expect("is sound");
    let evidence = |said: &str| {
        let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
        let turns = talk(&[("you", said), ("agent", "you want a garden")]);
        let reading = sensor.sense_with(&turns, options).expect("is sensed");
        let score = reading.evidence().find(|e| e.metamarker == "reflects").map(|e| e.score.to_string());
        score.expect("is found")
    };
    assert_eq!(evidence("I hope for a garden."), "1");
    assert_eq!(evidence("I have a garden. I hope for rain."), "0.1");
    assert_eq!(evidence("I have a garden."), "0.1");
}
