//! What rests on nothing that can still change: every name with its version, every protocol published.

use sonometer::composition::Reference;
use sonometer::protocol::Status;
use sonometer::{Catalog, Document, Error, Metric, Protocol, Sensor};

/// Who names something, in words, and what.
pub type Named = (String, Reference);

/// Everything that a metric or blueprint names: itself, or a metric in it.
///
/// # Errors
/// Those of the catalogue.
pub fn named_in(composed: &Document, catalog: &dyn Catalog) -> Result<Vec<Named>, Error> {
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
            for Reference { id, version } in &blueprint.metrics {
                for metric in catalog.metrics(id)? {
                    if version.as_ref().is_none_or(|version| *version == metric.version) {
                        all.extend(components(&metric));
                    }
                }
            }
            Ok(all)
        }
    }
}

/// What can still change: something that is named without a version, or a draft among the protocols that sense.
///
/// # Errors
/// What it is, and what to do.
pub fn check(parts: &[Named], sensors: &[Sensor], catalog: &dyn Catalog) -> Result<(), String> {
    if let Some((holder, loose)) = parts.iter().find(|(_, reference)| reference.version.is_none()) {
        let version = latest(loose, sensors, catalog).unwrap_or_else(|| "1.0".to_owned());
        return Err(format!(
            "{holder} names `{loose}` without a version, so it changes with every new one; pin it: `{loose}@{version}`"
        ));
    }
    for Protocol { id, version, status, .. } in sensors.iter().map(Sensor::protocol) {
        if *status == Status::Draft {
            return Err(format!("`{id}@{version}` is a draft, which can still change; publish it first"));
        }
    }
    Ok(())
}

/// The version that a name without one means now: of a protocol that senses, else of a metric or blueprint.
fn latest(loose: &Reference, sensors: &[Sensor], catalog: &dyn Catalog) -> Option<String> {
    let id = &loose.id;
    let sensing = sensors.iter().map(Sensor::protocol).find(|protocol| protocol.id == *id);
    let metrics = || catalog.metrics(id).ok()?.into_iter().map(Document::Metric).rfind(Document::is_current);
    let blueprints =
        || catalog.blueprints(id).ok()?.into_iter().map(Document::Blueprint).rfind(Document::is_current);
    let composed = || metrics().or_else(blueprints).map(|document| document.version().to_owned());
    sensing.map(|protocol| protocol.version.clone()).or_else(composed)
}
