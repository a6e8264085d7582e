//! Metrics, blueprints, comparisons and estimates, from outside. What they come to is in `fixtures/vectors`.

use sonometer::composition::compare_versions;
use sonometer::protocol::Modality;
use sonometer::{
    Blueprint, Catalog, Document, Error, ErrorCode, FlowOptions, Instrument, Interaction, Metric, Protocol,
    Rates, SenseOptions, Sensor, SessionOptions, TargetKind, Unit, View,
};

struct Shelf;

const KIND: &str = r#"{"sonometer": 1, "id": "kind", "version": "1.0", "status": "published", "taxonomy": "Signal",
    "language": "en", "fidelity": {"words": 4, "sufficient": 0.5}, "markers": [
        {"label": "thanks", "strong": "thank you", "hit": "Thank you."},
        {"label": "offer", "strong": "can i help", "by": "agent", "hit": "agent: Can I help?"}]}"#;

const OTHER: &str = r#"{"sonometer": 1, "id": "other", "version": "1.0", "status": "published", "taxonomy": "Signal",
    "language": "en", "fidelity": {"words": 4, "sufficient": 0.5}, "markers": [
        {"label": "thanks", "strong": "not bad", "hit": "Not bad."},
        {"label": "praise", "strong": "a good day", "negation": "drop", "hit": "A good day."}]}"#;

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        let sources: &[&str] = match id {
            "kind" => &[KIND],
            "other" => &[OTHER],
            _ => &[],
        };
        sources.iter().map(|source| Protocol::read(source).map(|(protocol, _)| protocol)).collect()
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        Ok(if id == "manners" { vec![metric()] } else { Vec::new() })
    }
}

fn metric() -> Metric {
    let source =
        r#"{"sonometer_metric": 1, "id": "manners", "version": "1", "components": [{"protocol": "kind"}]}"#;
    Metric::read(source).expect("reads").0
}

fn blueprint(names: &str) -> Result<Instrument, Error> {
    let source = format!(r#"{{"sonometer_blueprint": 1, "id": "b", "version": "1", {names}}}"#);
    Instrument::blueprint(&Blueprint::read(&source).expect("reads").0, &Shelf)
}

fn kind() -> Instrument {
    Sensor::new(Protocol::read(KIND).expect("reads").0).expect("compiles").into()
}

fn text(content: &str) -> Interaction {
    Interaction::text(content).expect("is short")
}

#[test]
fn what_is_shared_is_sensed_and_paid_once() {
    let shared = blueprint(r#""protocols": ["kind"], "metrics": ["manners"]"#).expect("all is there");
    assert_eq!((shared.sensors().len(), shared.parts().len()), (1, 2));
    let options = SenseOptions { usd_per_ics: Unit(5_000), ..SenseOptions::default() };
    let reading = shared.sense_with(&text("Thank you for all of it."), options).expect("is read");
    assert_eq!((reading.ics().consumed, reading.ics().cost_usd), (1, Unit(5_000)));
    assert_eq!(reading.parts()[0].score(), reading.score());
}

#[test]
fn a_composition_measures_what_its_protocols_measure_alone() {
    let shared = blueprint(r#""protocols": ["kind"]"#).expect("all is there");
    for content in [
        "Thank you, “née” 👋 4111 1111 1111 1111.",
        "No thank you. Can I help?",
        "我 thank you \u{7} so much",
    ] {
        let alone = kind().sense(&text(content)).expect("is read");
        let together = shared.sense(&text(content)).expect("is read");
        assert_eq!(together.parts()[0].ledger(), alone.ledger());
        assert_eq!(together.score(), alone.score());
        assert_eq!(together.evidence().collect::<Vec<_>>(), alone.evidence().collect::<Vec<_>>());
        assert_eq!(shared.fidelity(&text(content)), kind().fidelity(&text(content)));
    }
}

#[test]
fn what_was_found_has_its_key_and_stands_in_the_order_of_the_text() {
    let shared = blueprint(r#""protocols": ["kind", "other"]"#).expect("all is there");
    let reading = shared.sense(&text("No. Not bad at all, so thank you, not a good day.")).expect("is read");
    let found: Vec<_> = reading.evidence().map(|e| (e.metamarker, e.source.into_owned())).collect();
    assert_eq!(found, [("other/thanks", "Not bad".to_owned()), ("kind/thanks", "thank you".to_owned())]);
    let weak: Vec<_> = reading.weak_signals().map(|weak| (weak.metamarker, weak.hint.into_owned())).collect();
    assert_eq!(weak, [("praise", "said, but negated".to_owned())]);
    // The JSON says the same.
    let json =
        reading.to_json(sonometer::View { profile: sonometer::Profile::Discovery, ..Default::default() });
    assert!(json.contains(r#""weak_signals":[{"metamarker":"praise""#), "{json}");
}

#[test]
fn what_is_missing_is_named_with_its_place() {
    let error = blueprint(r#""protocols": ["kind", "kindness"]"#).expect_err("is not there");
    assert_eq!((error.code, error.place.as_str()), (ErrorCode::TargetNotFound, "protocols[1]"));
    assert!(error.message.contains("`kindness`"), "{error}");
    let error = blueprint(r#""protocols": ["kind@2.0"]"#).expect_err("has no such version");
    assert!(error.message.ends_with("has no version `2.0`; its versions: 1.0"), "{error}");
    assert!(compare_versions("1.9", "1.10").is_lt());
}

#[test]
fn a_comparison_needs_enough_on_both_sides() {
    let (enough, short) = (text("Thank you for all of it."), text("Thanks."));
    let options = SenseOptions { usd_per_ics: Unit(1_000), ..SenseOptions::default() };
    let error = kind().compare(&enough, &short, options).expect_err("is too short");
    assert_eq!((error.code, error.place.as_str()), (ErrorCode::InsufficientSignal, "interaction_b"));
    let comparison = kind().compare(&enough, &enough.clone().with_label("again"), options).expect("is read");
    assert_eq!((comparison.ics.consumed, comparison.ics.cost_usd), (2, Unit(2_000)));
    assert_eq!((comparison.a.label.as_str(), comparison.b.label.as_str()), ("a", "again"));
}

#[test]
fn an_estimate_comes_out_of_the_target() {
    let kind = kind();
    let estimate = |characters, modality, rates: Option<&Rates>| {
        kind.estimate(characters, modality, |_| rates.cloned()).expect("is supported")
    };
    // In a text nobody is the agent; without a measurement the most is what is said to be usual.
    let of_text = estimate(100, Modality::Text, None);
    assert_eq!((of_text.min, of_text.max, of_text.typical, of_text.measured), (0, 1, Unit::ONE, false));
    assert_eq!(estimate(100, Modality::Transcript, None).max, 2);
    // One character cannot be two words.
    assert_eq!(estimate(1, Modality::Transcript, None).max, 0);
    // 3 of 10 texts of 100 characters each.
    let rates = Rates { characters: 1_000, triggered: vec![("thanks".into(), 3)] };
    assert_eq!(estimate(100, Modality::Text, Some(&rates)).typical, Unit(300_000));
    assert_eq!(estimate(100_000, Modality::Transcript, Some(&rates)).typical, Unit::ONE);
    assert_eq!(
        estimate(100, Modality::Text, Some(&rates)).to_json(Unit(10_000)),
        r#"{"estimated_ics":{"min":0,"max":1,"typical":0.3},"estimated_cost_usd":{"min":0,"max":0.01,"typical":0.003}}"#
    );
    let shared = blueprint(r#""protocols": ["kind"], "metrics": ["manners"]"#).expect("all is there");
    assert_eq!(shared.estimate(100, Modality::Transcript, |_| None).expect("is supported").max, 2);
}

/// What two protocols call alike has a longer key, everywhere the same.
#[test]
fn an_instrument_is_what_it_was_made_of() {
    let both = r#"{"sonometer_blueprint": 1, "id": "b", "version": "1", "protocols": ["kind", "other"]}"#;
    let of_kind = ["thanks", "offer"].as_slice();
    let of_both = ["kind/thanks", "offer", "other/thanks", "praise"].as_slice();
    let said = text("Thank you, not bad, it was a good day for all of us.");
    for (source, kind, id, keys) in
        [(KIND, TargetKind::Protocol, "kind", of_kind), (both, TargetKind::Blueprint, "b", of_both)]
    {
        let instrument =
            Instrument::new(Document::read(source).expect("reads").0, &Shelf).expect("all is there");
        assert_eq!((instrument.kind(), instrument.id()), (kind, id));
        assert_eq!(instrument.markers().map(|(key, _)| key).collect::<Vec<_>>(), keys);
        let reading = instrument.sense(&said).expect("is a text");
        assert_eq!(reading.resonance().map(|(key, _)| key).collect::<Vec<_>>(), keys);
        assert_eq!(reading.parts().len(), instrument.sensors().len());
        assert_eq!(reading.interaction(), &said);
        for found in reading.evidence() {
            assert!(keys.contains(&found.metamarker), "{found:?}");
        }
        assert_eq!(reading.evidence().count() as u64, reading.ics().consumed);
        let mut session = instrument.session(SessionOptions::default());
        session.push(b"Thank you, not bad, it was ").expect("is taken");
        session.clone().push(b"nothing.").expect("is taken");
        session.push(b"a good day for all of us.").expect("is taken");
        let end = session.so_far().expect("ends there").with_cost(Unit(7)).to_json(View::default());
        assert_eq!(end, reading.with_cost(Unit(7)).to_json(View::default()));

        let flow = View { flow: Some(FlowOptions::default()), ..View::default() };
        let place = "v1_5.actant.analyze_flow";
        assert_eq!(instrument.check(flow).expect_err("is on SGM 1.0").place, place);
        // By the rates of one of them alone nothing is measured of both.
        let rates = |protocol: &Protocol| (protocol.id == "kind").then(Rates::default);
        let estimate = instrument.estimate(40, Modality::Transcript, rates).expect("reads all");
        assert_eq!((estimate.max, estimate.measured), (keys.len() as u64, kind == TargetKind::Protocol));
    }
    let none = r#"{"sonometer_metric": 1, "id": "m", "version": "1", "components": [{"protocol": "none"}]}"#;
    let lost = Instrument::new(Document::read(none).expect("reads").0, &Shelf).expect_err("is not there");
    assert_eq!((lost.code, lost.place.as_str()), (ErrorCode::TargetNotFound, "components[0].protocol"));
}
