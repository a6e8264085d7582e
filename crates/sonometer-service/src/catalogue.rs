//! What an organization can measure with: what ships, and what it published for itself.

use crate::json::TargetUsed;
use crate::refusal::{Code, Refusal};
use crate::request::Target;
use crate::store::TargetRow;
use sonometer::composition::{Standing, compare_versions};
use sonometer::protocol::{Modality, Status};
use sonometer::{
    Blueprint, Catalog, Comparison, Composition, CompositionReading, Document, Error, Estimate, Fidelity,
    Interaction, Metric, Protocol, Reading, SenseOptions, Sensor, TargetKind, Unit, View,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What measures.
#[derive(Clone, Debug)]
pub(crate) enum Instrument {
    /// A protocol.
    Sensor(Sensor),
    /// A metric or a blueprint.
    Composition(Composition),
}

/// The reading of either.
pub(crate) enum AnyReading {
    Sensor(Box<Reading>),
    Composition(CompositionReading),
}

impl AnyReading {
    pub(crate) fn fidelity(&self) -> Fidelity {
        match self {
            Self::Sensor(reading) => reading.fidelity(),
            Self::Composition(reading) => reading.fidelity(),
        }
    }

    pub(crate) fn score(&self) -> Unit {
        match self {
            Self::Sensor(reading) => reading.score(),
            Self::Composition(reading) => reading.score(),
        }
    }

    pub(crate) fn consumed(&self) -> u64 {
        match self {
            Self::Sensor(reading) => reading.ics().consumed,
            Self::Composition(reading) => reading.ics().consumed,
        }
    }

    /// The metamarkers in the order in which their evidence stands in the text, once for each piece; and the activations of all.
    pub(crate) fn resonances(&self) -> (Vec<String>, Vec<(String, Unit)>) {
        let activation =
            |(key, resonance): (&str, sonometer::Resonance)| (key.to_owned(), resonance.activation);
        match self {
            Self::Sensor(reading) => {
                let order = reading.evidence().map(|evidence| evidence.metamarker.to_owned());
                (order.collect(), reading.resonance().map(activation).collect())
            }
            Self::Composition(reading) => {
                let order = reading.evidence().map(|evidence| evidence.metamarker.to_owned());
                (order.collect(), reading.resonance().map(activation).collect())
            }
        }
    }

    pub(crate) fn into_json(self, view: View<'_>, cost: Unit) -> String {
        match self {
            Self::Sensor(reading) => reading.with_cost(cost).to_json(view),
            Self::Composition(reading) => reading.with_cost(cost).to_json(view),
        }
    }
}

impl Instrument {
    pub(crate) fn used(&self) -> TargetUsed {
        match self {
            Self::Sensor(sensor) => {
                let Protocol { id, version, .. } = sensor.protocol();
                TargetUsed::new(TargetKind::Protocol, id, version)
            }
            Self::Composition(whole) => TargetUsed::new(whole.kind(), whole.id(), whole.version()),
        }
    }

    pub(crate) fn sense(&self, interaction: &Interaction) -> Result<AnyReading, Error> {
        match self {
            Self::Sensor(sensor) => {
                sensor.sense(interaction).map(|reading| AnyReading::Sensor(Box::new(reading)))
            }
            Self::Composition(whole) => whole.sense(interaction).map(AnyReading::Composition),
        }
    }

    pub(crate) fn fidelity(&self, interaction: &Interaction) -> Result<Fidelity, Error> {
        match self {
            Self::Sensor(sensor) => sensor.fidelity(interaction),
            Self::Composition(whole) => whole.fidelity(interaction),
        }
    }

    pub(crate) fn compare(&self, a: &Interaction, b: &Interaction) -> Result<Comparison, Error> {
        match self {
            Self::Sensor(sensor) => sensor.compare(a, b, SenseOptions::default()),
            Self::Composition(whole) => whole.compare(a, b, SenseOptions::default()),
        }
    }

    /// What content costs, by the rates that were measured for what ships.
    pub(crate) fn estimate(&self, characters: u64, modality: Modality) -> Result<Estimate, Error> {
        let rates_of = |sensor: &Sensor| {
            let Protocol { id, version, .. } = sensor.protocol();
            // An organization may have another protocol of the same name.
            let is_shipped = shipped().protocols.iter().any(|shipped| shipped == sensor.protocol());
            sonometer_catalog::rates(id, version).filter(|_| is_shipped)
        };
        match self {
            Self::Sensor(sensor) => sensor.estimate(characters, modality, rates_of(sensor).as_ref()),
            Self::Composition(whole) => {
                let rates: Vec<_> = whole.sensors().iter().map(rates_of).collect();
                let rates: Vec<_> = rates.iter().map(Option::as_ref).collect();
                whole.estimate(characters, modality, &rates)
            }
        }
    }
}

/// Protocols, metrics and blueprints, by id and then from the oldest version to the newest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documents {
    pub(crate) protocols: Vec<Protocol>,
    pub(crate) metrics: Vec<Metric>,
    pub(crate) blueprints: Vec<Blueprint>,
}

impl Documents {
    fn sort(&mut self) {
        let order = |a: (&str, &str), b: (&str, &str)| a.0.cmp(b.0).then(compare_versions(a.1, b.1));
        self.protocols.sort_by(|a, b| order((&a.id, &a.version), (&b.id, &b.version)));
        self.metrics.sort_by(|a, b| order((&a.id, &a.version), (&b.id, &b.version)));
        self.blueprints.sort_by(|a, b| order((&a.id, &a.version), (&b.id, &b.version)));
    }
}

/// What ships, read once.
pub(crate) fn shipped() -> &'static Documents {
    static SHIPPED: std::sync::LazyLock<Documents> = std::sync::LazyLock::new(|| {
        // Tests of the catalogue see to it that every file can be read.
        let mut documents = Documents {
            protocols: sonometer_catalog::protocols()
                .iter()
                .filter_map(|entry| Some(Protocol::read(entry.source).ok()?.0))
                .collect(),
            metrics: sonometer_catalog::metrics()
                .iter()
                .filter_map(|entry| Some(Metric::read(entry.source).ok()?.0))
                .collect(),
            blueprints: sonometer_catalog::blueprints()
                .iter()
                .filter_map(|entry| Some(Blueprint::read(entry.source).ok()?.0))
                .collect(),
        };
        documents.sort();
        documents
    });
    &SHIPPED
}

/// Everything one organization can see, at one revision.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    own: Documents,
    /// What was asked for and made ready.
    ready: Mutex<BTreeMap<(TargetKind, String, String), Arc<Instrument>>>,
}

impl Shelf {
    /// The shelf of what an organization published. A file that an older version could read and this one cannot is left
    /// out, with a line in the log.
    pub(crate) fn of(rows: &[TargetRow]) -> Self {
        let mut own = Documents::default();
        for row in rows {
            match Document::read(&row.source) {
                Ok((Document::Protocol(mut protocol), _)) => {
                    protocol.status = Status::from_name(&row.status).unwrap_or(protocol.status);
                    own.protocols.push(*protocol);
                }
                Ok((Document::Metric(mut metric), _)) => {
                    metric.status = Standing::from_name(&row.status).unwrap_or(metric.status);
                    own.metrics.push(metric);
                }
                Ok((Document::Blueprint(mut blueprint), _)) => {
                    blueprint.status = Standing::from_name(&row.status).unwrap_or(blueprint.status);
                    own.blueprints.push(blueprint);
                }
                Err(_) => {
                    tracing::error!(id = row.id, version = row.version, "a published file cannot be read")
                }
            }
        }
        own.sort();
        Self { own, ready: Mutex::default() }
    }

    pub(crate) fn protocols(&self) -> impl Iterator<Item = &Protocol> {
        let hidden = |id: &str| self.own.protocols.iter().any(|own| own.id == id);
        let shipped = shipped().protocols.iter().filter(move |p| !hidden(&p.id));
        self.own.protocols.iter().chain(shipped)
    }

    pub(crate) fn metrics(&self) -> impl Iterator<Item = &Metric> {
        let hidden = |id: &str| self.own.metrics.iter().any(|own| own.id == id);
        self.own.metrics.iter().chain(shipped().metrics.iter().filter(move |m| !hidden(&m.id)))
    }

    pub(crate) fn blueprints(&self) -> impl Iterator<Item = &Blueprint> {
        let hidden = |id: &str| self.own.blueprints.iter().any(|own| own.id == id);
        self.own.blueprints.iter().chain(shipped().blueprints.iter().filter(move |b| !hidden(&b.id)))
    }

    /// The instrument that a target means: the version asked for, else the latest that is published (or active).
    pub(crate) fn find(&self, target: &Target) -> Result<Arc<Instrument>, Refusal> {
        let Target { kind, id, version } = target;
        let wanted = version.as_deref();
        let none = || Refusal::no_target(kind.as_str(), id, wanted);
        let ready = |version: &str, make: &dyn Fn() -> Result<Instrument, Error>| {
            let key = (*kind, id.clone(), version.to_owned());
            let kept = self.ready.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
            if let Some(kept) = kept {
                return Ok(kept);
            }
            let made = Arc::new(make().map_err(Refusal::from)?);
            self.ready.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
            Ok(made)
        };
        match kind {
            TargetKind::Protocol => {
                let all = self.protocols().map(|p| (p, &*p.id, &*p.version, p.status == Status::Published));
                let protocol = choose(all, id, wanted).ok_or_else(none)?;
                ready(&protocol.version, &|| Sensor::new(protocol.clone()).map(Instrument::Sensor))
            }
            TargetKind::Metric => {
                let all = self.metrics().map(|m| (m, &*m.id, &*m.version, m.status == Standing::Active));
                let metric = choose(all, id, wanted).ok_or_else(none)?;
                ready(&metric.version, &|| Composition::metric(metric, self).map(Instrument::Composition))
            }
            TargetKind::Blueprint => {
                let all = self.blueprints().map(|b| (b, &*b.id, &*b.version, b.status == Standing::Active));
                let blueprint = choose(all, id, wanted).ok_or_else(none)?;
                ready(&blueprint.version, &|| {
                    Composition::blueprint(blueprint, self).map(Instrument::Composition)
                })
            }
        }
    }
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

/// Whether what a composition names can be found, for publishing.
pub(crate) fn compose(shelf: &Shelf, document: &Document) -> Result<(), Refusal> {
    let made = match document {
        Document::Protocol(protocol) => Sensor::new((**protocol).clone()).map(drop),
        Document::Metric(metric) => Composition::metric(metric, shelf).map(drop),
        Document::Blueprint(blueprint) => Composition::blueprint(blueprint, shelf).map(drop),
    };
    made.map_err(|error| Refusal {
        code: Code::InvalidRequest,
        ..Refusal::invalid(error.place, error.message)
    })
}
