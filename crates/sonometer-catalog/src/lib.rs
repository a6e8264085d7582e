//! The protocols, metrics and blueprints that ship with Sonometer, as the files their authors wrote.
//!
//! The tables below are written out by hand: what ships is a decision, not whatever lies in a folder.

mod rates;

pub use rates::rates;
pub use sonometer::composition::compare_versions;

use sonometer::composition::Standing;
use sonometer::protocol::{Protocol, Status};
use sonometer::{Blueprint, Catalog, Error, Metric};

/// One version of one shipped protocol, metric or blueprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id, different from all others of any kind.
    pub id: &'static str,
    /// The version.
    pub version: &'static str,
    /// The file.
    pub source: &'static str,
}

const PROTOCOLS: &[Entry] = &[
    Entry { id: "affect", version: "1.0", source: include_str!("../protocols/affect.yaml") },
    Entry { id: "courtesy", version: "1.0", source: include_str!("../protocols/courtesy.yaml") },
    Entry { id: "next-steps", version: "0.1", source: include_str!("../protocols/next-steps.yaml") },
    Entry { id: "personal-data", version: "1.0", source: include_str!("../protocols/personal-data.yaml") },
    Entry {
        id: "pressure-tactics",
        version: "1.0",
        source: include_str!("../protocols/pressure-tactics.yaml"),
    },
];

const METRICS: &[Entry] = &[
    Entry { id: "reply-quality", version: "1.0", source: include_str!("../metrics/reply-quality.yaml") },
    Entry { id: "safe-handling", version: "1.0", source: include_str!("../metrics/safe-handling.yaml") },
];

const BLUEPRINTS: &[Entry] = &[
    Entry {
        id: "assistant-reply",
        version: "1.0",
        source: include_str!("../blueprints/assistant-reply.yaml"),
    },
    Entry { id: "service-call", version: "1.0", source: include_str!("../blueprints/service-call.yaml") },
];

/// Every shipped version of a protocol, by id and then from the oldest version to the newest.
pub fn protocols() -> &'static [Entry] {
    PROTOCOLS
}

/// Every shipped version of a metric, in the same order.
pub fn metrics() -> &'static [Entry] {
    METRICS
}

/// Every shipped version of a blueprint, in the same order.
pub fn blueprints() -> &'static [Entry] {
    BLUEPRINTS
}

/// Every version of one protocol, from the oldest to the newest; empty if none ships.
pub fn versions(id: &str) -> &'static [Entry] {
    versions_in(PROTOCOLS, id)
}

fn versions_in(entries: &'static [Entry], id: &str) -> &'static [Entry] {
    let from = entries.partition_point(|entry| entry.id < id);
    let to = entries.partition_point(|entry| entry.id <= id);
    &entries[from..to]
}

/// The version of a protocol asked for; without one, the latest that is published.
pub fn find(id: &str, version: Option<&str>) -> Option<&'static Entry> {
    choose(PROTOCOLS, id, version, |source| {
        Protocol::read(source).is_ok_and(|(protocol, _)| protocol.status == Status::Published)
    })
}

/// The version of a metric asked for; without one, the latest that is active.
pub fn find_metric(id: &str, version: Option<&str>) -> Option<&'static Entry> {
    choose(METRICS, id, version, |source| {
        Metric::read(source).is_ok_and(|(metric, _)| metric.status == Standing::Active)
    })
}

/// The version of a blueprint asked for; without one, the latest that is active.
pub fn find_blueprint(id: &str, version: Option<&str>) -> Option<&'static Entry> {
    choose(BLUEPRINTS, id, version, |source| {
        Blueprint::read(source).is_ok_and(|(blueprint, _)| blueprint.status == Standing::Active)
    })
}

fn choose(
    entries: &'static [Entry],
    id: &str,
    version: Option<&str>,
    usable: impl Fn(&str) -> bool,
) -> Option<&'static Entry> {
    let mut newest_first = versions_in(entries, id).iter().rev();
    match version {
        Some(version) => newest_first.find(|entry| entry.version == version),
        None => newest_first.find(|entry| usable(entry.source)),
    }
}

/// What ships, for metrics and blueprints that name it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shipped;

impl Catalog for Shipped {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        versions(id).iter().map(|entry| Protocol::read(entry.source).map(|(protocol, _)| protocol)).collect()
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        versions_in(METRICS, id)
            .iter()
            .map(|entry| Metric::read(entry.source).map(|(metric, _)| metric))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::{Composition, Interaction, Unit};
    use std::cmp::Ordering;
    use std::collections::BTreeSet;

    #[test]
    fn stands_in_order_without_repetition() {
        for pair in PROTOCOLS.windows(2) {
            let order = pair[0].id.cmp(pair[1].id);
            assert_eq!(
                order.then(compare_versions(pair[0].version, pair[1].version)),
                Ordering::Less,
                "{pair:?}"
            );
        }
    }

    #[test]
    fn every_file_is_sound_and_says_what_the_table_says() {
        for entry in PROTOCOLS {
            let (protocol, warnings) = Protocol::read(entry.source).expect(entry.id);
            assert_eq!((protocol.id.as_str(), protocol.version.as_str()), (entry.id, entry.version));
            assert!(warnings.is_empty(), "{}: {warnings:?}", entry.id);
        }
    }

    #[test]
    fn finds_the_latest_published_version_or_the_one_asked_for() {
        assert_eq!(find("courtesy", None).map(|entry| entry.version), Some("1.0"));
        assert_eq!(find("courtesy", Some("1.0")), find("courtesy", None));
        assert_eq!(find("courtesy", Some("9.9")), None);
        assert_eq!(find("cour", None), None);
    }

    #[test]
    fn a_draft_is_found_by_its_version_only() {
        assert_eq!(find("next-steps", None), None);
        assert_eq!(find("next-steps", Some("0.1")).map(|entry| entry.id), Some("next-steps"));
    }

    #[test]
    fn metrics_and_blueprints_are_sound_and_stand_on_what_ships() {
        for entry in METRICS {
            let (metric, warnings) = Metric::read(entry.source).expect(entry.id);
            assert_eq!((metric.id.as_str(), metric.version.as_str()), (entry.id, entry.version));
            assert!(warnings.is_empty() && find_metric(entry.id, None).is_some());
            let whole = Composition::metric(&metric, &Shipped).expect(entry.id);
            assert_eq!(whole.better(), sonometer::protocol::Better::Higher, "{}", entry.id);
            // What ships must not change when a protocol is published.
            assert!(metric.components.iter().all(|component| component.protocol.version.is_some()));
        }
        for entry in BLUEPRINTS {
            let (blueprint, warnings) = Blueprint::read(entry.source).expect(entry.id);
            assert_eq!((blueprint.id.as_str(), blueprint.version.as_str()), (entry.id, entry.version));
            assert!(warnings.is_empty() && find_blueprint(entry.id, None).is_some());
            let whole = Composition::blueprint(&blueprint, &Shipped).expect(entry.id);
            assert!(!whole.modalities().is_empty(), "{}", entry.id);
            let named = blueprint.protocols.iter().chain(&blueprint.metrics);
            assert!(named.into_iter().all(|reference| reference.version.is_some()));
        }
        let all = || PROTOCOLS.iter().chain(METRICS).chain(BLUEPRINTS).map(|entry| entry.id);
        let ids: BTreeSet<&str> = all().collect();
        assert_eq!(ids.len(), all().count(), "every id names one thing");
    }

    #[test]
    fn a_rude_reply_is_a_worse_reply() {
        let (metric, _) =
            Metric::read(find_metric("reply-quality", None).expect("ships").source).expect("reads");
        let whole = Composition::metric(&metric, &Shipped).expect("stands");
        let kind = "Thank you so much for your patience. Could you please tell me which version you use?";
        let rude = "Hurry, only 2 left, act now! What the hell is your problem, are you even reading this?";
        let text = |content| Interaction::text(content).expect("is short");
        let comparison = whole.compare(&text(kind), &text(rude), Default::default()).expect("is enough");
        assert!(comparison.delta.score_change < Unit::ZERO, "{}", comparison.to_json());
    }
}
