//! Where targets come from: what ships, and the sources that a caller brings along.

use sonometer::composition::compare_versions;
use sonometer::{Catalog, Document, Error, ErrorCode, Metric, Protocol};
use sonometer_catalog::{Entry, Shipped};

/// What the caller brings along, then what ships.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    protocols: Vec<Protocol>,
    metrics: Vec<Metric>,
}

impl Shelf {
    /// Reads the sources. The place of what is wrong in one begins with `shelf[n]`.
    pub(crate) fn read(sources: &[&str]) -> Result<Self, Error> {
        let mut shelf = Self::default();
        for (at, source) in sources.iter().enumerate() {
            match Document::read(source).map_err(|error| within(at, error))?.0 {
                Document::Protocol(protocol) => shelf.protocols.push(*protocol),
                Document::Metric(metric) => shelf.metrics.push(metric),
                Document::Blueprint(_) => {
                    let message = "a blueprint cannot be named by another target; leave it out";
                    return Err(Error::invalid(format!("shelf[{at}]"), message));
                }
            }
        }
        Ok(shelf)
    }
}

fn within(at: usize, mut error: Error) -> Error {
    error.place = match error.place.as_str() {
        "" => format!("shelf[{at}]"),
        place => format!("shelf[{at}], {place}"),
    };
    error
}

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        let mut all: Vec<Protocol> = self.protocols.iter().filter(|own| own.id == id).cloned().collect();
        for shipped in Shipped.protocols(id)? {
            if all.iter().all(|own| own.version != shipped.version) {
                all.push(shipped);
            }
        }
        Ok(all)
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        let mut all: Vec<Metric> = self.metrics.iter().filter(|own| own.id == id).cloned().collect();
        for shipped in Shipped.metrics(id)? {
            if all.iter().all(|own| own.version != shipped.version) {
                all.push(shipped);
            }
        }
        Ok(all)
    }
}

/// The source of what ships under `id` or `id@version`.
pub(crate) fn shipped(name: &str) -> Result<&'static str, Error> {
    let (id, version) = name.split_once('@').map_or((name, None), |(id, version)| (id, Some(version)));
    let found = sonometer_catalog::find(id, version)
        .or_else(|| sonometer_catalog::find_metric(id, version))
        .or_else(|| sonometer_catalog::find_blueprint(id, version));
    found.map(|entry| entry.source).ok_or_else(|| not_found(id, version))
}

fn not_found(id: &str, version: Option<&str>) -> Error {
    let every = || {
        let tables =
            [sonometer_catalog::protocols(), sonometer_catalog::metrics(), sonometer_catalog::blueprints()];
        tables.into_iter().flatten()
    };
    let of_id = |entry: &&Entry| entry.id == id;
    let mut versions: Vec<&str> = every().filter(of_id).map(|entry| entry.version).collect();
    versions.sort_by(|a, b| compare_versions(a, b));
    let message = match (versions.last(), version) {
        (None, _) => {
            let mut ids: Vec<&str> = every().map(|entry| entry.id).collect();
            ids.dedup();
            format!("no protocol, metric or blueprint `{id}` ships; there is {}", ids.join(", "))
        }
        (Some(_), Some(version)) => {
            format!("`{id}` has no version `{version}`; there is {}", versions.join(", "))
        }
        (Some(last), None) => {
            format!("`{id}` has no published version; ask for a draft by name, as `{id}@{last}`")
        }
    };
    Error::new(ErrorCode::TargetNotFound, "", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_ship_is_told_with_what_does() {
        for (name, part) in [
            ("courtsey", "there is affect, courtesy,"),
            ("courtesy@9", "there is 1.0"),
            ("next-steps", "as `next-steps@0.1`"),
        ] {
            let error = shipped(name).expect_err(name);
            assert_eq!(error.code, ErrorCode::TargetNotFound);
            assert!(error.message.contains(part), "{}", error.message);
        }
        for name in ["courtesy", "courtesy@1.0", "next-steps@0.1", "reply-quality", "service-call"] {
            assert!(shipped(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_mistake_on_the_shelf_is_told_with_its_place() {
        let good = shipped("courtesy").expect("ships");
        let error = Shelf::read(&[good, "sonometer: 1\n"]).expect_err("is no protocol");
        assert!(error.place.starts_with("shelf[1], line "), "{error}");
        let blueprint = shipped("service-call").expect("ships");
        assert_eq!(Shelf::read(&[blueprint]).expect_err("is of no use").place, "shelf[0]");
    }
}
