//! Where a metric or a blueprint finds what it names: the sources that the caller gives, then what ships.

use sonometer::{Catalog, Document, Error, ErrorCode, Metric, Protocol};
use sonometer_catalog::{Entry, Shipped};

/// Protocols and metrics by their caller's choice.
#[derive(Default)]
pub(crate) struct Shelf {
    protocols: Vec<Protocol>,
    metrics: Vec<Metric>,
    /// Whether what ships stands behind them.
    shipped: bool,
}

impl Shelf {
    /// Reads the sources of protocols and metrics.
    ///
    /// # Errors
    /// That of the first source that cannot be read, at `shelf[n]`; a blueprint, which nothing can name.
    pub(crate) fn read(sources: &[String], shipped: bool) -> Result<Self, Error> {
        let mut shelf = Self { shipped, ..Self::default() };
        for (at, source) in sources.iter().enumerate() {
            let placed = |error: Error| match error.place.as_str() {
                "" => Error { place: format!("shelf[{at}]"), ..error },
                place => Error { place: format!("shelf[{at}], {place}"), ..error },
            };
            match Document::read(source).map_err(placed)?.0 {
                Document::Protocol(protocol) => shelf.protocols.push(*protocol),
                Document::Metric(metric) => shelf.metrics.push(metric),
                Document::Blueprint(_) => {
                    let message = "a blueprint cannot be named by anything; take it from the shelf";
                    return Err(Error::invalid(format!("shelf[{at}]"), message));
                }
            }
        }
        Ok(shelf)
    }
}

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        let mut all: Vec<Protocol> = self.protocols.iter().filter(|own| own.id == id).cloned().collect();
        if self.shipped {
            let ships = Shipped.protocols(id)?.into_iter();
            let new = ships
                .filter(|ship| self.protocols.iter().all(|own| own.id != id || own.version != ship.version));
            all.extend(new);
        }
        Ok(all)
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        let mut all: Vec<Metric> = self.metrics.iter().filter(|own| own.id == id).cloned().collect();
        if self.shipped {
            let ships = Shipped.metrics(id)?.into_iter();
            let new = ships
                .filter(|ship| self.metrics.iter().all(|own| own.id != id || own.version != ship.version));
            all.extend(new);
        }
        Ok(all)
    }
}

/// The entry that ships as `id` or `id@version`.
///
/// # Errors
/// `target_not_found`, with what there is.
pub(crate) fn shipped(name: &str) -> Result<&'static Entry, Error> {
    let (id, version) = name.split_once('@').map_or((name, None), |(id, version)| (id, Some(version)));
    let found = sonometer_catalog::find(id, version)
        .or_else(|| sonometer_catalog::find_metric(id, version))
        .or_else(|| sonometer_catalog::find_blueprint(id, version));
    found.ok_or_else(|| {
        let versions: Vec<&str> = all().filter(|entry| entry.id == id).map(|entry| entry.version).collect();
        let message = match (version, versions.last()) {
            (_, None) => {
                let mut ids: Vec<&str> = all().map(|entry| entry.id).collect();
                ids.dedup();
                format!("nothing ships as `{id}`; there is {}", ids.join(", "))
            }
            (Some(version), _) => {
                format!("`{id}` has no version `{version}`; there is {}", versions.join(", "))
            }
            (None, Some(last)) => {
                format!("`{id}` has no published version; ask for a draft by name, as `{id}@{last}`")
            }
        };
        Error::new(ErrorCode::TargetNotFound, "target", message)
    })
}

fn all() -> impl Iterator<Item = &'static Entry> {
    use sonometer_catalog::{blueprints, metrics, protocols};
    protocols().iter().chain(metrics()).chain(blueprints())
}

/// Kind, id, version, name, status, description, source of everything that ships, one after the other.
pub(crate) fn listed() -> Result<Vec<String>, Error> {
    let mut list = Vec::new();
    for entry in all() {
        let document = Document::read(entry.source)?.0;
        let (name, status, description) = match &document {
            Document::Protocol(protocol) => (&protocol.name, protocol.status.as_str(), &protocol.description),
            Document::Metric(metric) => (&metric.name, metric.status.as_str(), &metric.description),
            Document::Blueprint(blueprint) => {
                (&blueprint.name, blueprint.status.as_str(), &blueprint.description)
            }
        };
        let facts =
            [document.kind().as_str(), entry.id, entry.version, name, status, description, entry.source];
        list.extend(facts.map(str::to_owned));
    }
    Ok(list)
}
