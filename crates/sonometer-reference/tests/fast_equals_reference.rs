//! The promise: on any text and any protocol, the fast engine gives the bytes of the slow one.
//!
//! `SONOMETER_CASES=10000` runs the long mode.

use proptest::prelude::*;
use sonometer::{MaskKey, SenseOptions, Sensor, Unit, View};
use sonometer_reference::{Call, generate, vectors};

fn fast(protocol: &sonometer::Protocol, interaction: &sonometer::Interaction, view: View<'_>) -> String {
    let sensor = Sensor::new(protocol.clone()).expect("a legal protocol compiles");
    let reading = sensor.sense_with(interaction, SenseOptions::default()).expect("every modality is allowed");
    reading.to_json(view)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: generate::cases(), max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn fast_equals_reference(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
        view in generate::view(),
    ) {
        let expected = sonometer_reference::sense(&protocol, &interaction, view);
        let found = fast(&protocol, &interaction, view);
        // The case as a line for `fixtures/regressions`.
        let line = || vectors::line("a counter-example", &protocol, &interaction, view);
        prop_assert!(found == expected, "\nfast      {found}\nreference {expected}\nline      {}", line());
    }

    #[test]
    fn confidence_weighs_in_both_alike(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
        view in generate::view(),
        shares in proptest::collection::vec(proptest::option::of(0..=1_000_000_i64), 1..8),
    ) {
        let shares = shares.iter().cycle().take(interaction.turns().len()).map(|share| share.map(Unit));
        let interaction = interaction.with_confidence(shares.collect()).expect("as many as turns, and shares");
        let expected = sonometer_reference::sense(&protocol, &interaction, view);
        let found = fast(&protocol, &interaction, view);
        prop_assert!(found == expected, "\nfast      {found}\nreference {expected}\ninteraction {interaction:?}");
    }

    #[test]
    fn a_call_masks_in_both_alike(
        protocol in generate::protocol(),
        interaction in generate::interaction(),
        view in generate::view(),
        mask in generate::any_mask(),
        key in proptest::collection::vec(proptest::num::u8::ANY, 16..80),
    ) {
        let call = Call { mask: Some(mask), key: Some(&key) };
        let expected = sonometer_reference::sense_with(&protocol, &interaction, view, call);
        let mask_key = Some(MaskKey::new(&key).expect("is long enough"));
        let sensor = Sensor::new(protocol.clone()).expect("a legal protocol compiles");
        let options = SenseOptions { mask: Some(mask), mask_key, ..SenseOptions::default() };
        let found = sensor.sense_with(&interaction, options).expect("every modality is allowed").to_json(view);
        prop_assert!(found == expected, "\n{mask}\nfast      {found}\nreference {expected}\nprotocol {protocol:?}\ninteraction {interaction:?}");
    }
}
