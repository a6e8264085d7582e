//! Where the parts of a composition come from: the port, and the choice of versions.

use super::{Blueprint, Metric, Reference, Standing};
use crate::diagnostic::{excerpt, some_of};
use crate::error::{Error, ErrorCode};
use crate::protocol::{Protocol, Status};
use std::cmp::Ordering;

/// A source of protocols and metrics: the built-in ones, a folder of files, a store.
pub trait Catalog {
    /// Every version of a protocol, in any order; empty if there is no such protocol.
    ///
    /// # Errors
    /// Why a version cannot be read.
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error>;

    /// One version of a protocol; `None` if there is no such version. The default reads all versions; a catalogue that can find one
    /// without reading the others should define it, since reading is most of what building a composition costs.
    ///
    /// # Errors
    /// Why the version cannot be read.
    fn protocol(&self, id: &str, version: &str) -> Result<Option<Protocol>, Error> {
        Ok(self.protocols(id)?.into_iter().rfind(|protocol| protocol.version == version))
    }

    /// Every version of a metric, in any order; empty if there is no such metric.
    ///
    /// # Errors
    /// Why a version cannot be read.
    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error>;

    /// Every version of a blueprint, in any order; empty if there is no such blueprint. Only stages name blueprints, so
    /// implementations without any need not define it.
    ///
    /// # Errors
    /// Why a version cannot be read.
    fn blueprints(&self, id: &str) -> Result<Vec<Blueprint>, Error> {
        let _ = id;
        Ok(Vec::new())
    }
}

/// The order of versions: part by part between full stops, by the number that a part begins with (`1.9` before `1.10`),
/// then by the rest of the part as text (`1.10` before `1.10-beta`). A part that begins with no digit comes after those
/// that do. What is equal in all that (`01` and `1`) is ordered as text. It is a total order.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    a.split('.').map(version_part).cmp(b.split('.').map(version_part)).then_with(|| a.cmp(b))
}

/// Whether a part begins with no digit; how long its number is and its digits, without zeros in front; the rest.
fn version_part(part: &str) -> (bool, usize, &str, &str) {
    let digits = part.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = part.split_at(digits);
    let number = number.trim_start_matches('0');
    (digits == 0, number.len(), number, rest)
}

/// The protocol that a reference at `place` means: the pinned version, else the latest that is published.
pub(crate) fn protocol(catalog: &dyn Catalog, wanted: &Reference, place: &str) -> Result<Protocol, Error> {
    if let Some(version) = &wanted.version
        && let Some(found) = catalog.protocol(&wanted.id, version)?
    {
        return Ok(found);
    }
    let versions = catalog.protocols(&wanted.id)?;
    choose(versions, wanted, place, "protocol", |p| (&p.version, p.status == Status::Published))
}

/// The metric that a reference at `place` means: the pinned version, else the latest that is active.
pub(crate) fn metric(catalog: &dyn Catalog, wanted: &Reference, place: &str) -> Result<Metric, Error> {
    let versions = catalog.metrics(&wanted.id)?;
    choose(versions, wanted, place, "metric", |m| (&m.version, m.status == Standing::Active))
}

/// The blueprint that a reference at `place` means: the pinned version, else the latest that is active.
pub(crate) fn blueprint(catalog: &dyn Catalog, wanted: &Reference, place: &str) -> Result<Blueprint, Error> {
    let versions = catalog.blueprints(&wanted.id)?;
    choose(versions, wanted, place, "blueprint", |b| (&b.version, b.status == Standing::Active))
}

fn choose<T>(
    versions: Vec<T>,
    wanted: &Reference,
    place: &str,
    kind: &str,
    facts: impl Fn(&T) -> (&String, bool),
) -> Result<T, Error> {
    let there: Vec<String> = versions.iter().map(|version| facts(version).0.clone()).collect();
    let meant = versions.into_iter().filter(|version| {
        let (version, usable) = facts(version);
        wanted.version.as_ref().map_or(usable, |wanted| wanted == version)
    });
    let newest = meant.max_by(|a, b| compare_versions(facts(a).0, facts(b).0));
    newest.ok_or_else(|| none_meant(there, wanted, place, kind))
}

/// That a catalogue, which has the versions `there`, has none that is meant.
fn none_meant(mut there: Vec<String>, wanted: &Reference, place: &str, kind: &str) -> Error {
    there.sort_by(|a, b| compare_versions(a, b));
    let id = excerpt(&wanted.id);
    let message = match (&wanted.version, there.last()) {
        (_, None) => format!("unknown {kind} `{id}`; check the spelling against the catalogue"),
        (Some(version), _) => {
            let version = excerpt(version);
            format!("the {kind} `{id}` has no version `{version}`; its versions: {}", some_of(&there))
        }
        (None, Some(last)) => {
            format!(
                "the {kind} `{id}` has no published version; name a draft with its version: `{id}@{last}`"
            )
        }
    };
    Error::new(ErrorCode::TargetNotFound, place, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_versions_by_value() {
        for (a, b) in [
            ("1.0", "1.5"),
            ("1.9", "1.10"),
            ("1", "1.0"),
            ("1.0-beta", "1.1"),
            ("01", "1"),
            ("1.9", "1.10-beta"),
            ("1.10", "1.10-beta"),
            ("1.10-beta", "1.11"),
            ("2", "beta"),
            ("99999999999999999999", "100000000000000000000"),
        ] {
            assert_eq!(compare_versions(a, b), Ordering::Less, "{a} {b}");
            assert_eq!(compare_versions(b, a), Ordering::Greater, "{b} {a}");
        }
    }

    #[test]
    fn the_order_of_versions_is_total() {
        let all = [
            "1",
            "01",
            "1.0",
            "1.9",
            "1.10",
            "1.10-beta",
            "1.9-beta",
            "9",
            "10",
            "10a",
            "9a",
            "a",
            "a9",
            "-1",
            "",
        ];
        for a in all {
            assert_eq!(compare_versions(a, a), Ordering::Equal);
            for b in all {
                assert_eq!(compare_versions(a, b), compare_versions(b, a).reverse(), "{a} {b}");
                for c in all {
                    let ordered = compare_versions(a, b).is_le() && compare_versions(b, c).is_le();
                    assert!(!ordered || compare_versions(a, c).is_le(), "{a} {b} {c}");
                }
            }
        }
    }
}
