//! The protocols that ship with Sonometer, as the files their authors wrote.
//!
//! The table below is written out by hand: what ships is a decision, not whatever lies in a folder.

use sonometer::protocol::{Protocol, Status};
use std::cmp::Ordering;

/// One version of one shipped protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The id of the protocol.
    pub id: &'static str,
    /// The version.
    pub version: &'static str,
    /// The protocol file.
    pub source: &'static str,
}

const PROTOCOLS: &[Entry] = &[
    Entry { id: "affect", version: "1.0", source: include_str!("../protocols/affect.yaml") },
    Entry { id: "courtesy", version: "1.0", source: include_str!("../protocols/courtesy.yaml") },
    Entry { id: "personal-data", version: "1.0", source: include_str!("../protocols/personal-data.yaml") },
    Entry {
        id: "pressure-tactics",
        version: "1.0",
        source: include_str!("../protocols/pressure-tactics.yaml"),
    },
];

/// Every shipped version, by id and then from the oldest version to the newest.
pub fn protocols() -> &'static [Entry] {
    PROTOCOLS
}

/// Every version of one protocol, from the oldest to the newest; empty if none ships.
pub fn versions(id: &str) -> &'static [Entry] {
    let from = PROTOCOLS.partition_point(|entry| entry.id < id);
    let to = PROTOCOLS.partition_point(|entry| entry.id <= id);
    &PROTOCOLS[from..to]
}

/// The version asked for; without one, the latest that is published.
pub fn find(id: &str, version: Option<&str>) -> Option<&'static Entry> {
    let mut newest_first = versions(id).iter().rev();
    match version {
        Some(version) => newest_first.find(|entry| entry.version == version),
        None => newest_first.find(|entry| is_published(entry)),
    }
}

fn is_published(entry: &Entry) -> bool {
    Protocol::read(entry.source).is_ok_and(|(protocol, _)| protocol.status == Status::Published)
}

/// The order of versions: part by part, numbers by value (`1.9` before `1.10`), anything else as text.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    let (mut a_parts, mut b_parts) = (a.split('.'), b.split('.'));
    loop {
        let order = match (a_parts.next(), b_parts.next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                _ => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn orders_versions_by_value() {
        for (a, b) in [("1.0", "1.5"), ("1.9", "1.10"), ("1", "1.0"), ("1.0-beta", "1.1"), ("01", "1")] {
            assert_eq!(compare_versions(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(compare_versions(b, a), Ordering::Greater, "{b} {a}");
        }
    }
}
