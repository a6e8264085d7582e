//! What to measure: a protocol, metric or blueprint of the catalogue, or a file.

use crate::failure::Failure;
use crate::{file, near};
use sonometer::composition::{Reference, compare_versions};
use sonometer::protocol::Better;
use sonometer::{
    Catalog, Composition, CompositionReading, Diagnostics, Document, Error, ErrorCode, Estimate, Evidence,
    Fidelity, Interaction, Metric, Protocol, Reading, Resonance, SenseOptions, Sensor, TargetKind, Unit,
};
use sonometer_catalog::{Entry, Shipped};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The text of a protocol, with the name it is shown by.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The path of the file, or `id@version` of the catalogue.
    pub(crate) name: String,
    /// The protocol file.
    pub(crate) text: Cow<'static, str>,
}

impl Source {
    /// Finds a target: a file if it is named like one, else a protocol, metric or blueprint of the catalogue.
    pub(crate) fn find(target: &str) -> Result<Self, Failure> {
        if !is_path(target) {
            let others = || composed(target);
            return shipped(target).or_else(|failure| others().ok_or(failure)).map(Self::of);
        }
        let bytes = file::bytes(target)?;
        let text = file::utf8(target, &bytes, 0)?.to_owned();
        if text.trim().is_empty() {
            return Err(Failure::unusable(format!("{target}: the file is empty; write a protocol into it")));
        }
        Ok(Self { name: target.to_owned(), text: text.into() })
    }

    pub(crate) fn of(entry: &Entry) -> Self {
        Self { name: format!("{}@{}", entry.id, entry.version), text: entry.source.into() }
    }

    /// The protocol, with the warnings about it.
    pub(crate) fn read(&self) -> Result<(Protocol, Diagnostics), Failure> {
        Protocol::read(&self.text).map_err(|error| Failure::protocol(self.clone(), error.diagnostics))
    }

    /// The protocol, metric or blueprint, with the warnings about it.
    pub(crate) fn document(&self) -> Result<(Document, Diagnostics), Failure> {
        Document::read(&self.text).map_err(|error| Failure::protocol(self.clone(), error.diagnostics))
    }

    /// Whatever it is, made ready. What a file names is looked for beside it, then in the catalogue.
    pub(crate) fn instrument(&self) -> Result<Instrument, Failure> {
        let document = self.document()?.0;
        self.compose(document).map_err(|error| Failure::engine(&self.name, &error))
    }

    /// Makes ready what was read from this source.
    pub(crate) fn compose(&self, document: Document) -> Result<Instrument, Error> {
        match document {
            Document::Protocol(protocol) => Sensor::new(*protocol).map(Instrument::Sensor),
            Document::Metric(metric) => {
                Composition::metric(&metric, &Beside::of(self)).map(Instrument::Composition)
            }
            Document::Blueprint(blueprint) => {
                Composition::blueprint(&blueprint, &Beside::of(self)).map(Instrument::Composition)
            }
        }
    }

    /// Everything that a metric or blueprint names, each with who names it: itself, or a metric in it.
    pub(crate) fn references(&self, composed: &Document) -> Result<Vec<(String, Reference)>, Error> {
        let components = |metric: &Metric| {
            let own = metric.components.iter().map(|component| component.protocol.clone());
            own.map(|reference| (format!("`{}`", metric.id), reference)).collect::<Vec<_>>()
        };
        match composed {
            Document::Protocol(_) => Ok(Vec::new()),
            Document::Metric(metric) => Ok(components(metric)),
            Document::Blueprint(blueprint) => {
                let name = format!("`{}`", blueprint.id);
                let own = blueprint.protocols.iter().chain(&blueprint.metrics);
                let mut all: Vec<_> = own.map(|reference| (name.clone(), reference.clone())).collect();
                let beside = Beside::of(self);
                for Reference { id, version } in &blueprint.metrics {
                    for metric in beside.metrics(id)? {
                        if version.as_ref().is_none_or(|version| *version == metric.version) {
                            all.extend(components(&metric));
                        }
                    }
                }
                Ok(all)
            }
        }
    }

    /// The instrument of a protocol.
    pub(crate) fn sensor(&self) -> Result<Sensor, Failure> {
        let (protocol, _) = self.read()?;
        Sensor::new(protocol).map_err(|error| Failure::engine(&self.name, &error))
    }
}

/// What measures.
#[derive(Clone, Debug)]
pub(crate) enum Instrument {
    /// A protocol.
    Sensor(Sensor),
    /// A metric or a blueprint.
    Composition(Composition),
}

impl Instrument {
    pub(crate) fn kind(&self) -> TargetKind {
        match self {
            Self::Sensor(_) => TargetKind::Protocol,
            Self::Composition(composition) => composition.kind(),
        }
    }

    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Sensor(sensor) => &sensor.protocol().id,
            Self::Composition(composition) => composition.id(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Sensor(sensor) => &sensor.protocol().name,
            Self::Composition(composition) => composition.name(),
        }
    }

    pub(crate) fn version(&self) -> &str {
        match self {
            Self::Sensor(sensor) => &sensor.protocol().version,
            Self::Composition(composition) => composition.version(),
        }
    }

    pub(crate) fn better(&self) -> Better {
        match self {
            Self::Sensor(sensor) => sensor.protocol().better,
            Self::Composition(composition) => composition.better(),
        }
    }

    /// Whether it is a protocol, metric or blueprint, and which: `metric reply-quality@1.0`; of a protocol the rest alone.
    pub(crate) fn reference(&self) -> String {
        let (id, version) = (self.id(), self.version());
        match self.kind() {
            TargetKind::Protocol => format!("{id}@{version}"),
            kind => format!("{} {id}@{version}", kind.as_str()),
        }
    }

    /// The protocols in it.
    pub(crate) fn sensors(&self) -> &[Sensor] {
        match self {
            Self::Sensor(sensor) => std::slice::from_ref(sensor),
            Self::Composition(composition) => composition.sensors(),
        }
    }

    /// What readings call each marker, in their order.
    pub(crate) fn markers(&self) -> Vec<String> {
        let of = |(at, sensor): (usize, &Sensor)| -> Vec<String> {
            (0..sensor.protocol().markers.len()).map(|marker| self.marker(at, marker).to_owned()).collect()
        };
        self.sensors().iter().enumerate().flat_map(of).collect()
    }

    fn marker(&self, sensor: usize, marker: usize) -> &str {
        match self {
            Self::Sensor(sensor) => &sensor.protocol().markers[marker].label,
            Self::Composition(composition) => composition.key(sensor, marker),
        }
    }

    pub(crate) fn sense(&self, interaction: &Interaction) -> Result<Sensed, Error> {
        match self {
            Self::Sensor(sensor) => sensor.sense(interaction).map(Box::new).map(Sensed::Protocol),
            Self::Composition(composition) => composition.sense(interaction).map(Sensed::Composition),
        }
    }

    pub(crate) fn fidelity(&self, interaction: &Interaction) -> Result<sonometer::Fidelity, Error> {
        match self {
            Self::Sensor(sensor) => sensor.fidelity(interaction),
            Self::Composition(composition) => composition.fidelity(interaction),
        }
    }

    pub(crate) fn compare(
        &self,
        a: &Interaction,
        b: &Interaction,
        options: SenseOptions,
    ) -> Result<sonometer::Comparison, Error> {
        match self {
            Self::Sensor(sensor) => sensor.compare(a, b, options),
            Self::Composition(composition) => composition.compare(a, b, options),
        }
    }

    /// What content of so many code points costs, by the rates that ship.
    pub(crate) fn estimate(
        &self,
        characters: u64,
        modality: sonometer::protocol::Modality,
    ) -> Result<Estimate, Error> {
        let rates_of = |sensor: &Sensor| {
            let Protocol { id, version, .. } = sensor.protocol();
            // A file of the same name may be another protocol.
            let is_shipped = sonometer_catalog::find(id, Some(version)).is_some_and(|entry| {
                Protocol::read(entry.source).is_ok_and(|(shipped, _)| shipped == *sensor.protocol())
            });
            sonometer_catalog::rates(id, version).filter(|_| is_shipped)
        };
        match self {
            Self::Sensor(sensor) => sensor.estimate(characters, modality, rates_of(sensor).as_ref()),
            Self::Composition(composition) => {
                let rates: Vec<_> = composition.sensors().iter().map(rates_of).collect();
                let rates: Vec<_> = rates.iter().map(Option::as_ref).collect();
                composition.estimate(characters, modality, &rates)
            }
        }
    }
}

/// A reading of whatever it is.
#[derive(Clone, Debug)]
pub(crate) enum Sensed {
    /// Of a protocol.
    Protocol(Box<Reading>),
    /// Of a metric or a blueprint.
    Composition(CompositionReading),
}

/// A piece of evidence.
#[derive(Debug)]
pub(crate) struct Cited<'r> {
    /// What the target calls the marker.
    pub(crate) marker: &'r str,
    /// The place of the reading of its protocol, and that.
    pub(crate) at: usize,
    pub(crate) reading: &'r Reading,
    /// The place of the marker in that.
    pub(crate) number: usize,
    pub(crate) evidence: Evidence<'r>,
}

impl Sensed {
    /// The reading of each protocol.
    pub(crate) fn readings(&self) -> &[Reading] {
        match self {
            Self::Protocol(reading) => std::slice::from_ref(reading),
            Self::Composition(reading) => reading.readings(),
        }
    }

    pub(crate) fn score(&self) -> Unit {
        match self {
            Self::Protocol(reading) => reading.score(),
            Self::Composition(reading) => reading.score(),
        }
    }

    pub(crate) fn fidelity(&self) -> Fidelity {
        match self {
            Self::Protocol(reading) => reading.fidelity(),
            Self::Composition(reading) => reading.fidelity(),
        }
    }

    /// What each marker came to, in the order of [`Instrument::markers`].
    pub(crate) fn resonance(&self) -> Vec<Resonance> {
        match self {
            Self::Protocol(reading) => reading.resonance().map(|(_, resonance)| resonance).collect(),
            Self::Composition(reading) => reading.resonance().map(|(_, resonance)| resonance).collect(),
        }
    }

    /// The same, each with its full name.
    pub(crate) fn named_resonance(&self) -> Vec<(String, Resonance)> {
        let mut all = Vec::new();
        for (at, reading) in self.readings().iter().enumerate() {
            all.extend(reading.resonance().map(|(label, own)| (self.full_name(at, label), own)));
        }
        all
    }

    /// The name of a marker that stays the same whatever other protocols come or go: its label, in a composition
    /// `protocol/label`, where that has several versions of a protocol `protocol@version/label`.
    pub(crate) fn full_name(&self, reading: usize, label: &str) -> String {
        let Self::Composition(whole) = self else { return label.to_owned() };
        let readings = whole.readings();
        let Protocol { id, version, .. } = readings[reading].protocol();
        match readings.iter().filter(|other| other.protocol().id == *id).count() {
            1 => format!("{id}/{label}"),
            _ => format!("{id}@{version}/{label}"),
        }
    }

    /// The evidence in the order of the text.
    pub(crate) fn evidence(&self) -> Vec<Cited<'_>> {
        let mut all = Vec::new();
        for (at, reading) in self.readings().iter().enumerate() {
            let markers = &reading.protocol().markers;
            for evidence in reading.evidence() {
                let number = markers.iter().position(|marker| marker.label == evidence.metamarker);
                let number = number.unwrap_or_default();
                let marker = match self {
                    Self::Protocol(_) => evidence.metamarker,
                    Self::Composition(whole) => whole.composition().key(at, number),
                };
                all.push(Cited { marker, at, reading, number, evidence });
            }
        }
        all.sort_by_key(|cited| (cited.evidence.turn, cited.evidence.range.start, cited.evidence.range.end));
        all
    }
}

/// The files beside one, then what ships: where a metric or blueprint finds what it names.
struct Beside {
    protocols: Vec<Protocol>,
    metrics: Vec<Metric>,
}

impl Beside {
    fn of(source: &Source) -> Self {
        let mut beside = Self { protocols: Vec::new(), metrics: Vec::new() };
        let folder = Path::new(&source.name).parent().filter(|_| is_path(&source.name));
        let Some(folder) = folder else { return beside };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|path| {
            path.to_str().is_some_and(is_path) && path.extension().is_some() && path.is_file()
        });
        files.sort();
        for file in files {
            // Other files that happen to lie there are none of its business.
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            match Document::read(&text) {
                Ok((Document::Protocol(protocol), _)) => beside.protocols.push(*protocol),
                Ok((Document::Metric(metric), _)) => beside.metrics.push(metric),
                _ => {}
            }
        }
        beside
    }
}

impl Catalog for Beside {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        let own = self.protocols.iter().filter(|protocol| protocol.id == id).cloned();
        let mut all: Vec<Protocol> = own.collect();
        for shipped in Shipped.protocols(id)? {
            if all.iter().all(|own| own.version != shipped.version) {
                all.push(shipped);
            }
        }
        all.sort_by(|a, b| compare_versions(&a.version, &b.version));
        Ok(all)
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        let own = self.metrics.iter().filter(|metric| metric.id == id).cloned();
        let mut all: Vec<Metric> = own.collect();
        for shipped in Shipped.metrics(id)? {
            if all.iter().all(|own| own.version != shipped.version) {
                all.push(shipped);
            }
        }
        all.sort_by(|a, b| compare_versions(&a.version, &b.version));
        Ok(all)
    }
}

/// The metric or blueprint of the catalogue for `id` or `id@version`.
fn composed(target: &str) -> Option<&'static Entry> {
    let (id, version) = split(target);
    sonometer_catalog::find_metric(id, version).or_else(|| sonometer_catalog::find_blueprint(id, version))
}

/// Id and version of `id` or `id@version`.
pub(crate) fn split(target: &str) -> (&str, Option<&str>) {
    match target.split_once('@') {
        Some((id, version)) => (id, Some(version)),
        None => (target, None),
    }
}

/// The entry of the catalogue for `id` or `id@version`.
pub(crate) fn shipped(target: &str) -> Result<&'static Entry, Failure> {
    let (id, version) = split(target);
    sonometer_catalog::find(id, version).ok_or_else(|| not_found(id, version))
}

fn not_found(id: &str, version: Option<&str>) -> Failure {
    let there: Vec<&str> = sonometer_catalog::versions(id).iter().map(|entry| entry.version).collect();
    let message = match (version, there.is_empty()) {
        (Some(version), false) => {
            format!("`{id}` has no version `{version}`; there is {}", there.join(", "))
        }
        (None, false) => {
            format!("`{id}` has no published version; ask for a draft by name, as `{id}@{}`", there[0])
        }
        (_, true) => {
            let composed = sonometer_catalog::metrics().iter().chain(sonometer_catalog::blueprints());
            let ids = sonometer_catalog::protocols().iter().chain(composed).map(|entry| entry.id);
            let fix = match near::near(id, ids)[..] {
                [] => "`sonometer protocols` lists those that ship; a protocol file ends in .yaml, .yml or .json".into(),
                ref near => format!("did you mean `{}`?", near.join("` or `")),
            };
            format!("no protocol `{id}`; {fix}")
        }
    };
    Failure::told(ErrorCode::TargetNotFound, message)
}

fn is_path(target: &str) -> bool {
    let extension = Path::new(target).extension().and_then(|extension| extension.to_str());
    let known = extension.is_some_and(|e| ["yaml", "yml", "json"].iter().any(|k| e.eq_ignore_ascii_case(k)));
    known || target.contains(['/', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_files_from_ids() {
        for path in ["a.yaml", "a.YML", "a.json", "./a", "b/a.yaml"] {
            assert!(is_path(path), "{path}");
        }
        for id in ["courtesy", "courtesy@1.0", "a.txt"] {
            assert!(!is_path(id), "{id}");
        }
    }
}
