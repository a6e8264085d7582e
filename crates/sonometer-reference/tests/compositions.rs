//! The promise for metrics, blueprints and comparisons: the bytes, or the error, of the slow engine.
//!
//! `SONOMETER_CASES=10000` runs the long mode.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use sonometer::{Document, Error, Instrument, Interaction, MaskKey, SenseOptions, View};
use sonometer_reference::composition::{self, Shelf};
use sonometer_reference::vectors::Outcome;
use sonometer_reference::{Call, generate, vectors};

fn compiled(shelf: &Shelf, target: &Document) -> Result<Instrument, Error> {
    Instrument::new(target.clone(), shelf)
}

fn outcome(result: Result<String, Error>) -> Outcome {
    result.map_or_else(Outcome::from, Outcome::Reading)
}

fn sensed(shelf: &Shelf, target: &Document, interaction: &Interaction, view: View<'_>) -> Outcome {
    outcome(compiled(shelf, target).and_then(|whole| Ok(whole.sense(interaction)?.to_json(view))))
}

fn compared(shelf: &Shelf, target: &Document, a: &Interaction, b: &Interaction) -> Outcome {
    let options = SenseOptions::default();
    outcome(compiled(shelf, target).and_then(|whole| Ok(whole.compare(a, b, options)?.to_json())))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: generate::cases(), max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn compositions_are_those_of_the_reference(
        (shelf, target) in generate::composition(),
        interaction in generate::interaction(),
        view in generate::view(),
    ) {
        let expected = outcome(composition::sense(&shelf, &target, &interaction, view));
        let found = sensed(&shelf, &target, &interaction, view);
        // The case as lines for `fixtures/regressions`.
        let lines = || vectors::lines_of_composition("a counter-example", &shelf, &target, [Some(&interaction), None], view);
        prop_assert!(found == expected, "\nfast      {found:?}\nreference {expected:?}\nlines\n{}", lines());
    }

    #[test]
    fn a_call_masks_compositions_as_the_reference_does(
        (shelf, target) in generate::composition(),
        interaction in generate::interaction(),
        view in generate::view(),
        mask in generate::any_mask(),
        with_key in any::<bool>(),
    ) {
        let key = with_key.then_some(&b"sixteen bytes or"[..]);
        let call = Call { mask: Some(mask), key };
        let expected = outcome(composition::sense_with(&shelf, &target, &interaction, view, call));
        let mask_key = key.map(|key| MaskKey::new(key).expect("is long enough"));
        let options = SenseOptions { mask: Some(mask), mask_key, ..SenseOptions::default() };
        let found = compiled(&shelf, &target).and_then(|whole| Ok(whole.sense_with(&interaction, options)?.to_json(view)));
        let found = outcome(found);
        prop_assert!(found == expected, "\n{mask}\nfast      {found:?}\nreference {expected:?}");
    }

    #[test]
    fn comparisons_are_those_of_the_reference(
        (shelf, target) in generate::composition(),
        a in generate::interaction(),
        b in generate::interaction(),
    ) {
        let expected = outcome(composition::compare(&shelf, &target, &a, &b));
        let found = compared(&shelf, &target, &a, &b);
        let lines = || vectors::lines_of_composition("a counter-example", &shelf, &target, [Some(&a), Some(&b)], View::default());
        prop_assert!(found == expected, "\nfast      {found:?}\nreference {expected:?}\nlines\n{}", lines());
    }

    #[test]
    fn comparisons_by_a_protocol_are_those_of_the_reference(
        protocol in generate::protocol(),
        a in generate::interaction(),
        b in generate::interaction(),
    ) {
        let target = Document::Protocol(Box::new(protocol.clone()));
        let expected = outcome(composition::compare(&Shelf::default(), &target, &a, &b));
        let sensor = sonometer::Sensor::new(protocol).expect("a legal protocol compiles");
        let found = outcome(Instrument::from(sensor.clone()).compare(&a, &b, SenseOptions::default()).map(|both| both.to_json()));
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn compositions_survive_their_canonical_json((_, target) in generate::composition()) {
        match target {
            Document::Metric(metric) => {
                let read = sonometer::Metric::read(&metric.to_canonical_json()).map(|(metric, _)| metric);
                prop_assert_eq!(read.map_err(|error| error.message), Ok(metric));
            }
            Document::Blueprint(blueprint) => {
                let read = sonometer::Blueprint::read(&blueprint.to_canonical_json()).map(|(blueprint, _)| blueprint);
                prop_assert_eq!(read.map_err(|error| error.message), Ok(blueprint));
            }
            Document::Protocol(_) => {}
        }
    }
}

/// The strategy is worth something only if compositions find things, and stumble over everything there is to stumble over.
#[test]
fn compositions_are_of_all_kinds() {
    let wanted = [
        "\"sufficient\":true",
        "\"evidence\":[{",
        "\"weak_signals\":[{",
        "\"components\":[{",
        "\"protocols\":[{",
        "\"metrics\":[{",
        "{\"metamarker\":\"m",
        "/m0\"",
        "@1.10/m",
        "{\"metamarker\":\"of-",
        "\"weight\":1000",
        "target_not_found",
        "invalid_protocol",
        "invalid_request",
    ];
    let mut counts = wanted.map(|text| (text, 0));
    let mut runner = TestRunner::deterministic();
    let strategy = (generate::composition(), generate::interaction());
    for _ in 0..1_500 {
        let ((shelf, target), interaction) = strategy.new_tree(&mut runner).expect("a value").current();
        let view = View { profile: sonometer::Profile::Discovery, ..View::default() };
        let text = match outcome(composition::sense(&shelf, &target, &interaction, view)) {
            Outcome::Reading(reading) => reading,
            Outcome::Error(error) => error.code,
        };
        for (wanted, count) in &mut counts {
            *count += usize::from(text.contains(*wanted));
        }
    }
    let (common, rare) = counts.split_at(3);
    assert!(common.iter().all(|(_, count)| *count > 90), "{counts:?}");
    assert!(rare.iter().all(|(_, count)| *count > 0), "{counts:?}");
}
