//! Where the parts of a composition come from: the port, and the choice of versions.

use super::{Metric, Reference, Standing};
use crate::error::{Error, ErrorCode};
use crate::protocol::{Protocol, Status};
use std::cmp::Ordering;

/// Whoever has protocols and metrics: what ships, a folder of files, a store.
pub trait Catalog {
    /// Every version of a protocol, in any order; empty if there is no such protocol.
    ///
    /// # Errors
    /// Whatever keeps a version from being read.
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error>;

    /// Every version of a metric, in any order; empty if there is no such metric.
    ///
    /// # Errors
    /// Whatever keeps a version from being read.
    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error>;
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

/// The protocol that a reference at `place` means: the pinned version, else the latest that is published.
pub(super) fn protocol(catalog: &dyn Catalog, wanted: &Reference, place: &str) -> Result<Protocol, Error> {
    let versions = catalog.protocols(&wanted.id)?;
    choose(versions, wanted, place, "protocol", |p| (&p.version, p.status == Status::Published))
}

/// The metric that a reference at `place` means: the pinned version, else the latest that is active.
pub(super) fn metric(catalog: &dyn Catalog, wanted: &Reference, place: &str) -> Result<Metric, Error> {
    let versions = catalog.metrics(&wanted.id)?;
    choose(versions, wanted, place, "metric", |m| (&m.version, m.status == Standing::Active))
}

fn choose<T>(
    mut versions: Vec<T>,
    wanted: &Reference,
    place: &str,
    kind: &str,
    facts: impl Fn(&T) -> (&String, bool),
) -> Result<T, Error> {
    versions.sort_by(|a, b| compare_versions(facts(a).0, facts(b).0));
    let there: Vec<String> = versions.iter().map(|version| facts(version).0.clone()).collect();
    let chosen = versions.into_iter().rev().find(|version| {
        let (version, usable) = facts(version);
        wanted.version.as_ref().map_or(usable, |wanted| wanted == version)
    });
    chosen.ok_or_else(|| {
        let id = &wanted.id;
        let message = match (&wanted.version, there.last()) {
            (_, None) => format!("there is no {kind} `{id}`; name one of the catalogue"),
            (Some(version), _) => {
                format!("the {kind} `{id}` has no version `{version}`; there is {}", there.join(", "))
            }
            (None, Some(last)) => {
                format!("the {kind} `{id}` has no published version; pin a draft by name, as `{id}@{last}`")
            }
        };
        Error::new(ErrorCode::TargetNotFound, place, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_versions_by_value() {
        for (a, b) in [("1.0", "1.5"), ("1.9", "1.10"), ("1", "1.0"), ("1.0-beta", "1.1"), ("01", "1")] {
            assert_eq!(compare_versions(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(compare_versions(b, a), Ordering::Greater, "{b} {a}");
        }
    }
}
