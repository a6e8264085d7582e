//! What an organization can measure with: what ships, and what it published for itself.

use crate::json::TargetUsed;
use crate::names::{self, Names};
use crate::refusal::{Code, Refusal, There};
use crate::request::Target;
use crate::store::{Line, TargetRow};
use sonometer::composition::{Standing, compare_versions};
use sonometer::document::suggest;
use sonometer::protocol::Status;
use sonometer::{Blueprint, Catalog, Document, Error, Instrument, Metric, Protocol, TargetKind};
use sonometer_author::frozen;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

/// The target of a ledger line and of answers.
pub(crate) fn used(instrument: &Instrument) -> TargetUsed {
    TargetUsed::new(instrument.kind(), instrument.id(), instrument.version())
}

/// An instrument that is ready, with the digest of its file.
#[derive(Debug)]
pub(crate) struct Tool {
    instrument: Instrument,
    digest: Arc<str>,
    /// Once a row of the ledger needs them.
    names: OnceLock<Arc<Names>>,
}

impl Tool {
    /// The SHA-256 of its file, as `sha256:…`.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// The line of a charge for one measurement, in which these metamarkers triggered.
    pub(crate) fn line<'m>(&self, markers: impl Iterator<Item = &'m str>, units: u64) -> Line {
        let all = || Arc::new(Names::new(self.markers().map(|(name, _)| name)));
        let (markers, list) = names::written(Line::joined(markers), || self.names.get_or_init(all).clone());
        Line { target: used(self), digest: self.digest.clone(), markers, list, units }
    }
}

impl Deref for Tool {
    type Target = Instrument;

    fn deref(&self) -> &Instrument {
        &self.instrument
    }
}

/// By kind, by id, and then from the oldest version to the newest.
fn sorted(mut documents: Vec<Document>) -> Vec<Document> {
    documents.sort_by(|a, b| {
        let ids = (a.kind(), a.id()).cmp(&(b.kind(), b.id()));
        ids.then_with(|| compare_versions(a.version(), b.version()))
    });
    documents
}

/// What ships, read once.
fn shipped() -> &'static [Document] {
    static SHIPPED: LazyLock<Vec<Document>> = LazyLock::new(|| {
        let entries = TargetKind::ALL.into_iter().flat_map(sonometer_catalog::entries);
        // Tests of the catalogue see to it that every file can be read.
        sorted(entries.filter_map(|entry| Some(entry.document().ok()?.0)).collect())
    });
    &SHIPPED
}

/// Everything one organization can see, at one revision.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    own: Vec<Document>,
    /// The shelf of what ships, whose instruments are the same for all: a set of its own for each organization takes 40 MB.
    base: Option<Arc<Shelf>>,
    /// What was asked for and made ready, each once: who asks meanwhile waits for it.
    ready: Mutex<BTreeMap<Key, Place>>,
}

/// Kind, id and version.
type Key = (TargetKind, String, String);
/// Where an instrument is made ready.
type Place = Arc<OnceLock<Result<Arc<Tool>, Refusal>>>;

impl Shelf {
    /// The shelf of what an organization published, above that of what ships. A file that an older version could read and this one cannot is left
    /// out, with a line in the log.
    pub(crate) fn of(rows: &[TargetRow], base: Arc<Shelf>) -> Self {
        let mut own = Vec::new();
        for row in rows {
            let Ok((mut document, _)) = Document::read(&row.source) else {
                tracing::error!(id = row.id, version = row.version, "a published file cannot be read");
                continue;
            };
            let standing = Standing::from_name(&row.status);
            match &mut document {
                Document::Protocol(protocol) => {
                    protocol.status = Status::from_name(&row.status).unwrap_or(protocol.status);
                }
                Document::Metric(metric) => metric.status = standing.unwrap_or(metric.status),
                Document::Blueprint(blueprint) => blueprint.status = standing.unwrap_or(blueprint.status),
            }
            own.push(document);
        }
        Self { own: sorted(own), base: Some(base), ready: Mutex::default() }
    }

    /// Whether the organization published something of that kind and id.
    fn has(&self, kind: TargetKind, id: &str) -> bool {
        // They are in this order, and there may be thousands.
        self.own.binary_search_by(|own| own.kind().cmp(&kind).then_with(|| own.id().cmp(id))).is_ok()
    }

    /// Where the instrument of a document is the same for all: of a protocol that ships, and of the rest that ships if nothing that it
    /// may name is hidden here.
    fn shared(&self, document: &Document) -> Option<&Shelf> {
        let (kind, base) = (document.kind(), self.base.as_deref()?);
        let hides = || shipped().iter().any(|shipped| self.has(shipped.kind(), shipped.id()));
        (!self.has(kind, document.id()) && (kind == TargetKind::Protocol || !hides())).then_some(base)
    }

    /// What it published, then what ships and has no id of its own.
    fn documents(&self) -> impl Iterator<Item = &Document> {
        let seen = shipped().iter().filter(|shipped| !self.has(shipped.kind(), shipped.id()));
        self.own.iter().chain(seen)
    }

    pub(crate) fn protocols(&self) -> impl Iterator<Item = &Protocol> {
        self.documents().filter_map(|document| match document {
            Document::Protocol(protocol) => Some(&**protocol),
            _ => None,
        })
    }

    pub(crate) fn metrics(&self) -> impl Iterator<Item = &Metric> {
        self.documents().filter_map(|document| match document {
            Document::Metric(metric) => Some(metric),
            _ => None,
        })
    }

    pub(crate) fn blueprints(&self) -> impl Iterator<Item = &Blueprint> {
        self.documents().filter_map(|document| match document {
            Document::Blueprint(blueprint) => Some(blueprint),
            _ => None,
        })
    }

    /// The document that a target means: the version asked for, else the latest that is published (or active).
    fn chosen(&self, target: &Target) -> Result<(&Document, Key), Refusal> {
        let Target { kind, id, version } = target;
        let wanted = version.as_deref();
        let of_kind = self.documents().filter(|document| document.kind() == *kind);
        let all =
            of_kind.map(|document| (document, document.id(), document.version(), document.is_current()));
        let document = choose(all, id, wanted).ok_or_else(|| self.missing(*kind, id, wanted))?;
        Ok((document, (*kind, id.clone(), document.version().to_owned())))
    }

    /// The instrument that a target means, if it is ready.
    pub(crate) fn ready(&self, target: &Target) -> Result<Option<Arc<Tool>>, Refusal> {
        let (document, key) = self.chosen(target)?;
        if let Some(base) = self.shared(document) {
            return base.ready(&exactly(key));
        }
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        ready.get(&key).and_then(|tool| tool.get().cloned()).transpose()
    }

    /// The instrument that a target means. It may have to be made ready, which takes as long as a long text.
    pub(crate) fn find(&self, target: &Target) -> Result<Arc<Tool>, Refusal> {
        let (document, key) = self.chosen(target)?;
        if let Some(base) = self.shared(document) {
            return base.find(&exactly(key));
        }
        let place = self.ready.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        let make = || {
            let digest = document.digest().into();
            let instrument = Instrument::new(document.clone(), self).map_err(Refusal::from)?;
            Ok(Arc::new(Tool { instrument, digest, names: OnceLock::new() }))
        };
        place.get_or_init(make).clone()
    }

    /// Makes the current version of everything ready.
    pub(crate) fn make_ready(&self) {
        for document in self.documents().filter(|document| document.is_current()) {
            let target = Target {
                kind: document.kind(),
                id: document.id().to_owned(),
                version: Some(document.version().to_owned()),
            };
            if let Err(refusal) = self.find(&target) {
                tracing::error!(id = target.id, %refusal, "what ships cannot be used");
            }
        }
    }

    /// That a target is not there, with its versions, or an id like it, if the organization has one.
    pub(crate) fn missing(&self, kind: TargetKind, id: &str, version: Option<&str>) -> Refusal {
        let of_kind = || self.documents().filter(|document| document.kind() == kind);
        let versions: Vec<&str> =
            of_kind().filter(|document| document.id() == id).map(Document::version).collect();
        let mut known: Vec<&str> = of_kind().map(Document::id).collect();
        known.dedup();
        let split = id.split_once('@').filter(|(id, _)| known.contains(id));
        let there = match (suggest(id, &known), split) {
            _ if !versions.is_empty() => There::Versions(versions),
            (_, Some((id, version))) => There::Split(id, version),
            (Some(near), None) => There::Near(near),
            (None, None) => There::Nothing,
        };
        Refusal::no_target(kind.as_str(), id, version, there)
    }
}

/// The target that means just this version.
fn exactly((kind, id, version): Key) -> Target {
    Target { kind, id, version: Some(version) }
}

/// Of (thing, id, version, usable): the version wanted, else the latest usable one.
pub(crate) fn choose<'a, T>(
    all: impl Iterator<Item = (T, &'a str, &'a str, bool)>,
    id: &str,
    version: Option<&str>,
) -> Option<T> {
    all.filter(|(_, own, there, usable)| *own == id && version.map_or(*usable, |version| version == *there))
        .max_by(|a, b| compare_versions(a.2, b.2))
        .map(|(thing, ..)| thing)
}

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        Ok(Shelf::protocols(self).filter(|protocol| protocol.id == id).cloned().collect())
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        Ok(Shelf::metrics(self).filter(|metric| metric.id == id).cloned().collect())
    }

    fn blueprints(&self, id: &str) -> Result<Vec<Blueprint>, Error> {
        Ok(Shelf::blueprints(self).filter(|blueprint| blueprint.id == id).cloned().collect())
    }
}

/// The shelves that were looked at last.
#[derive(Debug, Default)]
pub(crate) struct Shelves {
    kept: Mutex<BTreeMap<String, (i64, Arc<Shelf>)>>,
}

/// So many organizations have their shelf kept ready.
const MOST_SHELVES: usize = 1_000;

impl Shelves {
    pub(crate) fn get(&self, org: &str, revision: i64) -> Option<Arc<Shelf>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(org).filter(|(of, _)| *of == revision).map(|(_, shelf)| shelf.clone())
    }

    pub(crate) fn put(&self, org: &str, revision: i64, shelf: Arc<Shelf>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_SHELVES && !kept.contains_key(org) {
            kept.clear();
        }
        kept.insert(org.to_owned(), (revision, shelf));
    }
}

/// Whether what a composition names can be found and can no longer change, for publishing: a metric or blueprint never changes either.
pub(crate) fn compose(shelf: &Shelf, document: &Document) -> Result<(), Refusal> {
    let wrong = |error: Error| Refusal::invalid(error.place, error.message);
    let whole = Instrument::new(document.clone(), shelf).map_err(wrong)?;
    let parts = frozen::named_in(document, shelf).map_err(wrong)?;
    if matches!(document, Document::Protocol(_)) {
        return Ok(());
    }
    frozen::check(&parts, whole.sensors(), shelf).map_err(|what| Refusal::new(Code::InvalidRequest, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str) -> TargetRow {
        TargetRow {
            kind: TargetKind::Protocol,
            id: id.to_owned(),
            version: "9.0".to_owned(),
            status: "published".to_owned(),
            digest: String::new(),
            source: format!(
                "sonometer: 1\nid: {id}\nversion: \"9.0\"\nstatus: published\ntaxonomy: Policy\nlanguage: en\n\
                 markers:\n  - label: cat\n    strong: the cat\n    hit: the cat\n    miss: a dog\n"
            ),
        }
    }

    #[test]
    fn what_ships_is_made_ready_once_for_all() {
        let base = Arc::new(Shelf::default());
        let shelf = |id: &str| Shelf::of(&[row(id)], base.clone());
        let target = |kind, id: &str| Target { kind, id: id.to_owned(), version: None };
        let metric =
            shipped().iter().find(|document| document.kind() == TargetKind::Metric && document.is_current());
        let metric = target(TargetKind::Metric, metric.expect("one ships").id());
        let [courtesy, own] = ["courtesy", "own"].map(|id| target(TargetKind::Protocol, id));
        let (one, other, hides) = (shelf("own"), shelf("own"), shelf("courtesy"));
        let same = |a: &Shelf, b: &Shelf, what: &Target| {
            let [a, b] = [a, b].map(|shelf| shelf.find(what).expect("is there"));
            Arc::ptr_eq(&a, &b)
        };
        assert!(same(&one, &other, &courtesy) && same(&one, &base, &courtesy) && same(&one, &other, &metric));
        assert!(one.ready(&courtesy).is_ok_and(|ready| ready.is_some()));
        assert!(!same(&one, &other, &own), "what is its own is nobody else's");
        assert!(!same(&one, &hides, &courtesy));
        let (document, _) = hides.chosen(&metric).expect("ships");
        assert!(hides.shared(document).is_none(), "it may name what is hidden");
        assert_eq!(hides.find(&courtesy).expect("is there").version(), "9.0");
    }
}
