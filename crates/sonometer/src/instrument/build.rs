//! Building an instrument out of a metric or a blueprint: every protocol in it once, and a key for every marker.

use super::part::{Part, Share};
use super::{Composed, Handle, Inner, Instrument};
use crate::composition::{Blueprint, Catalog, Component, Metric, Reference, TargetKind, catalog};
use crate::error::Error;
use crate::json::quoted;
use crate::protocol::{Better, Protocol};
use crate::sensor::Sensor;
use crate::unit::Unit;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Instrument {
    /// A metric with the protocols that `catalog` has for it.
    ///
    /// # Errors
    /// `target_not_found` with the place (`components[0].protocol`) for what the catalogue does not have;
    /// `invalid_protocol` if high scores are good in one component and low ones in another.
    pub fn metric(metric: &Metric, catalog: &dyn Catalog) -> Result<Self, Error> {
        let mut builder = Builder::new(catalog);
        let (shares, better) = builder.shares(metric, "")?;
        let part = |share: &Share| {
            let protocol = builder.sensors[share.sensor].protocol();
            let alone = Share { weight: Unit::ONE, complement: false, ..*share };
            Part {
                kind: TargetKind::Protocol,
                id: protocol.id.clone(),
                version: protocol.version.clone(),
                weight: share.weight,
                complement: share.complement,
                of: vec![alone],
            }
        };
        let parts = shares.iter().map(part).collect();
        let Metric { id, name, version, .. } = metric;
        Ok(builder.finish(TargetKind::Metric, [id, name, version], better, parts))
    }

    /// A blueprint with the protocols and metrics that `catalog` has for it.
    ///
    /// # Errors
    /// As [`Instrument::metric`]; the places are `protocols[0]`, `metrics[0]`, `metrics[0].components[0].protocol`.
    pub fn blueprint(blueprint: &Blueprint, catalog: &dyn Catalog) -> Result<Self, Error> {
        let mut builder = Builder::new(catalog);
        let mut parts = Vec::new();
        for (at, reference) in blueprint.protocols.iter().enumerate() {
            let sensor = builder.sensor(reference, &format!("protocols[{at}]"))?;
            let protocol = builder.sensors[sensor].protocol();
            parts.push(Part {
                kind: TargetKind::Protocol,
                id: protocol.id.clone(),
                version: protocol.version.clone(),
                weight: Unit::ONE,
                complement: protocol.better == Better::Lower,
                of: vec![Share { sensor, weight: Unit::ONE, complement: false }],
            });
        }
        for (at, reference) in blueprint.metrics.iter().enumerate() {
            let place = format!("metrics[{at}]");
            let metric = catalog::metric(catalog, reference, &place)?;
            let (of, better) = builder.shares(&metric, &format!("{place}."))?;
            parts.push(Part {
                kind: TargetKind::Metric,
                id: metric.id,
                version: metric.version,
                weight: Unit::ONE,
                complement: better == Better::Lower,
                of,
            });
        }
        let Blueprint { id, name, version, .. } = blueprint;
        Ok(builder.finish(TargetKind::Blueprint, [id, name, version], Better::Higher, parts))
    }
}

/// Gathers sensors, each version of each protocol once.
struct Builder<'c> {
    catalog: &'c dyn Catalog,
    sensors: Vec<Sensor>,
}

impl<'c> Builder<'c> {
    fn new(catalog: &'c dyn Catalog) -> Self {
        Self { catalog, sensors: Vec::new() }
    }

    fn sensor(&mut self, reference: &Reference, place: &str) -> Result<usize, Error> {
        let is_wanted = |s: &Sensor| {
            let Protocol { id, version, .. } = s.protocol();
            *id == reference.id && reference.version.as_ref() == Some(version)
        };
        if let Some(at) = self.sensors.iter().position(is_wanted) {
            return Ok(at);
        }
        let protocol = catalog::protocol(self.catalog, reference, place)?;
        let same =
            |s: &Sensor| (&s.protocol().id, &s.protocol().version) == (&protocol.id, &protocol.version);
        if let Some(at) = self.sensors.iter().position(same) {
            return Ok(at);
        }
        let sensor = Sensor::beside(protocol, &self.sensors)?;
        self.sensors.push(sensor);
        Ok(self.sensors.len() - 1)
    }

    /// The shares of a metric, and which of its scores are the good ones.
    fn shares(&mut self, metric: &Metric, prefix: &str) -> Result<(Vec<Share>, Better), Error> {
        let mut shares = Vec::new();
        let mut better = None;
        for (at, Component { protocol, weight, complement }) in metric.components.iter().enumerate() {
            let sensor = self.sensor(protocol, &format!("{prefix}components[{at}].protocol"))?;
            let own = match (self.sensors[sensor].protocol().better, complement) {
                (better, false) => better,
                (Better::Higher, true) => Better::Lower,
                (Better::Lower, true) => Better::Higher,
            };
            if *better.get_or_insert(own) != own {
                let message = format!(
                    "a low score of `{}` is good and a high score of the components before it, or the reverse; write \
                     `complement: true` for the components to invert",
                    protocol.id
                );
                let place = format!("{prefix}components[{at}]");
                return Err(Error::new(crate::error::ErrorCode::InvalidProtocol, place, message));
            }
            shares.push(Share { sensor, weight: *weight, complement: *complement });
        }
        Ok((shares, better.unwrap_or(Better::Higher)))
    }

    fn finish(
        self,
        kind: TargetKind,
        [id, name, version]: [&String; 3],
        better: Better,
        parts: Vec<Part>,
    ) -> Instrument {
        let keys = keys(&self.sensors);
        let quoted = keys.iter().map(|keys| keys.iter().map(|key| quoted(key)).collect()).collect();
        let (id, name, version) = (id.clone(), name.clone(), version.clone());
        let whole = Arc::new(Composed { kind, id, name, version, better, keys, quoted, parts });
        Instrument(Inner::Composed(Arc::new(Handle { sensors: self.sensors, whole })))
    }
}

/// The shortest name of each marker that no other has.
fn keys(sensors: &[Sensor]) -> Vec<Vec<String>> {
    // How many markers have each of the names.
    let (mut labels, mut with_protocol) = (BTreeMap::new(), BTreeMap::new());
    // No id has a stroke in it.
    let in_protocol = |protocol: &Protocol, label: &str| format!("{}/{label}", protocol.id);
    for protocol in sensors.iter().map(Sensor::protocol) {
        for marker in &protocol.markers {
            *labels.entry(&marker.label).or_insert(0) += 1;
            *with_protocol.entry(in_protocol(protocol, &marker.label)).or_insert(0) += 1;
        }
    }
    let of = |sensor: &Sensor| {
        let protocol = sensor.protocol();
        let key = |label: &String| {
            let longer = in_protocol(protocol, label);
            if labels.get(label) == Some(&1) {
                label.clone()
            } else if with_protocol.get(&longer) == Some(&1) {
                longer
            } else {
                format!("{}@{}/{label}", protocol.id, protocol.version)
            }
        };
        protocol.markers.iter().map(|marker| key(&marker.label)).collect()
    };
    sensors.iter().map(of).collect()
}
