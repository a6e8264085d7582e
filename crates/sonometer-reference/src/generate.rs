//! Random texts, interactions, views, protocols and compositions, as proptest strategies.
//!
//! Texts and patterns draw on one small vocabulary, so that patterns match often; texts are full of what the rules of
//! folding, tokens, gaps and classes tell apart.

mod composition;
mod pattern;
mod print;
mod protocol;
mod relation;
mod text;

pub use composition::composition;
pub use pattern::{LIST_FILE, is_legal, list_file, pattern};
pub use print::print;
pub use protocol::{any_mask, protocol, written_out};
pub use text::{content, interaction};

use proptest::prelude::*;
use sonometer::{FlowOptions, OffsetUnit, Profile, TemporalOptions, Unit, View};

/// Words of texts and patterns alike, folded and in lower case.
const VOCABULARY: [&str; 44] = [
    "i", "a", "we", "you", "the", "is", "it", "so", "mr", "no", "not", "never", "without", "don't", "but",
    "only", "refund", "refunds", "refunded", "happy", "help", "late", "order", "card", "money", "good",
    "plan", "cafe", "日", "strasse", "ich", "nicht", "gar", "und", "aber", "kein", "gut", "warum", "nunca",
    "pero", "不", "没", "错", "但",
];

/// Those of them that are said most often.
const FREQUENT: [&str; 5] = ["i", "you", "not", "refund", "happy"];

/// The names of roles that a protocol knows.
const ROLES: [&str; 3] = ["agent", "customer", "Übersetzer"];

/// What an interaction may write for a role: names, aliases, other spellings, strangers.
const SPOKEN_ROLES: [&str; 13] = [
    "agent",
    "AGENT",
    "rep",
    " Adviser",
    "customer",
    "client",
    "ubersetzer",
    "Übersetzer\t",
    "Bob",
    "Assistant",
    "user",
    "bot",
    "system",
];

/// How many cases a property is tried on: 300, or as many as `SONOMETER_CASES` says.
pub fn cases() -> u32 {
    std::env::var("SONOMETER_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// Any view.
pub fn view() -> impl Strategy<Value = View<'static>> {
    let profile = prop::sample::select(Profile::ALL.to_vec());
    let offsets =
        prop::option::of(prop::sample::select(vec![OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16]));
    let primary = prop::option::weighted(0.3, prop::sample::select(&SPOKEN_ROLES[..]));
    let flow = prop::option::of(primary.prop_map(|primary| FlowOptions { primary }));
    // Up to the longest that can be written down.
    let window = prop_oneof![1..20_000_000_i64, Just(1), 1..=9_000_000_000_000_000_000_i64].prop_map(Unit);
    let temporal = prop::option::weighted(0.3, window).prop_map(|window| TemporalOptions { window });
    (profile, offsets, flow, prop::option::of(temporal)).prop_map(|(profile, offsets, flow, temporal)| View {
        profile,
        offsets,
        flow,
        temporal,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::strategy::ValueTree;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_pattern_is_legal(pattern in pattern()) {
            prop_assert!(is_legal(&pattern), "{pattern:?}");
        }

        #[test]
        fn every_pattern_with_braces_is_legal(pattern in pattern::evidence_pattern()) {
            prop_assert!(is_legal(&pattern), "{pattern:?}");
        }

        #[test]
        fn every_reading_is_one_object_and_the_same_twice(
            protocol in protocol(),
            interaction in interaction(),
            view in view(),
        ) {
            let result = crate::sense(&protocol, &interaction, view);
            let whole = result.starts_with("{\"target\":{") && result.ends_with("}}") && result.contains("\"sgm_version\":\"1.");
            prop_assert!(whole, "{}", result);
            prop_assert_eq!(&result, &crate::sense(&protocol, &interaction, view));
        }

        #[test]
        fn no_view_changes_a_number(protocol in protocol(), interaction in interaction(), view in view()) {
            let numbers = |view| {
                let result = crate::sense(&protocol, &interaction, view);
                let from = result.find("\"score\":").expect("a score");
                result[from..result.find("\"evidence\":").expect("evidence")].to_owned()
            };
            prop_assert_eq!(numbers(view), numbers(View::default()));
        }
    }

    /// How many of 3,000 readings hold each of these texts.
    fn counts<const N: usize>(wanted: [&str; N]) -> [(&str, usize); N] {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let strategy = (protocol(), interaction());
        let view = View {
            profile: Profile::Discovery,
            offsets: Some(OffsetUnit::Bytes),
            flow: Some(FlowOptions::default()),
            temporal: Some(TemporalOptions::default()),
        };
        let mut counts = wanted.map(|text| (text, 0));
        for _ in 0..3_000 {
            let (protocol, interaction) = strategy.new_tree(&mut runner).expect("a value").current();
            let result = crate::sense(&protocol, &interaction, view);
            for (text, count) in &mut counts {
                *count += usize::from(result.contains(*text));
            }
        }
        counts
    }

    /// The strategies are worth something only if protocols find things.
    #[test]
    fn readings_are_full_of_evidence_and_weak_signals() {
        let found = counts([
            "\"sufficient\":true",
            "\"evidence\":[{",
            "\"weak_signals\":[{",
            "\"consumed\":1",
            "\"joined\":",
            "\"source\":\"<M",
            "\"against\":[{",
            ",\"score\":0.3,\"source\":",
            // The first words of the standard hints.
            "needs more evidence",
            "said by ",
            "said outside",
            "said in a way",
            "said, but negated",
            "nothing of what must come",
            "nothing of what must follow",
            "said, but not completed",
            "uses too few",
            "its parts stand",
            "not said yet",
            "primary_driven\":[\"m",
            "secondary_driven\":[\"m",
            "primary_to_secondary",
            "secondary_to_primary",
            "\"none\"",
            "volatile",
            "stable",
            "\"phase_shifts\":1",
            "\"dominant_mode\":\"m",
            "\"dominant_mode\":null",
        ]);
        let (common, rare) = found.split_at(4);
        assert!(common.iter().all(|(_, count)| *count > 90), "{found:?}");
        assert!(rare.iter().all(|(_, count)| *count > 0), "{found:?}");
    }
}
