//! Random texts, interactions, views and protocols, as proptest strategies.
//!
//! Texts and patterns draw on one small vocabulary, so that patterns match often; texts are full of what the rules of
//! folding, tokens, gaps and classes tell apart.

mod pattern;
mod print;
mod protocol;
mod text;

pub use pattern::{is_legal, pattern};
pub use print::print;
pub use protocol::protocol;
pub use text::{content, interaction};

use proptest::prelude::*;
use sonometer::{OffsetUnit, Profile, View};

/// Words of texts and patterns alike, folded and in lower case.
const VOCABULARY: [&str; 44] = [
    "i", "a", "we", "you", "the", "is", "it", "so", "mr", "no", "not", "never", "without", "don't", "but",
    "only", "refund", "refunds", "refunded", "happy", "help", "late", "order", "card", "money", "good",
    "plan", "cafe", "日", "strasse", "ich", "nicht", "gar", "und", "aber", "kein", "gut", "warum", "nunca",
    "pero", "不", "没", "错", "但",
];

/// The names of roles that a protocol knows.
const ROLES: [&str; 3] = ["agent", "customer", "Übersetzer"];

/// What an interaction may write for a role: names, aliases, other spellings, strangers.
const SPOKEN_ROLES: [&str; 9] =
    ["agent", "AGENT", "rep", " Adviser", "customer", "client", "ubersetzer", "Übersetzer\t", "Bob"];

/// How many cases a property is tried on: 300, or as many as `SONOMETER_CASES` says.
pub fn cases() -> u32 {
    std::env::var("SONOMETER_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// Any view.
pub fn view() -> impl Strategy<Value = View> {
    let profile = prop::sample::select(Profile::ALL.to_vec());
    let offsets =
        prop::option::of(prop::sample::select(vec![OffsetUnit::Bytes, OffsetUnit::Chars, OffsetUnit::Utf16]));
    (profile, offsets).prop_map(|(profile, offsets)| View { profile, offsets })
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
        fn every_reading_is_one_object_and_the_same_twice(
            protocol in protocol(),
            interaction in interaction(),
            view in view(),
        ) {
            let result = crate::sense(&protocol, &interaction, view);
            let whole = result.starts_with("{\"target\":{") && result.ends_with("\"sgm_version\":\"1.0\"}}");
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

    /// The strategies are worth something only if protocols find things.
    #[test]
    fn readings_are_full_of_evidence_and_weak_signals() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let strategy = (protocol(), interaction());
        let view = View { profile: Profile::Discovery, offsets: None };
        let (mut sufficient, mut evidence, mut signals, mut triggered) = (0, 0, 0, 0);
        for _ in 0..200 {
            let (protocol, interaction) = strategy.new_tree(&mut runner).expect("a value").current();
            let result = crate::sense(&protocol, &interaction, view);
            sufficient += usize::from(result.contains("\"sufficient\":true"));
            evidence += usize::from(!result.contains("\"evidence\":[]"));
            signals += usize::from(!result.contains("\"weak_signals\":[]"));
            triggered += usize::from(!result.contains("\"consumed\":0"));
        }
        let counts = [sufficient, evidence, signals, triggered];
        assert!(counts.iter().all(|count| *count > 30), "{counts:?}");
    }
}
