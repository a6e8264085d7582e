//! A metric or blueprint made ready for sensing: every protocol once, and how the score comes out of theirs.

use super::reading::CompositionReading;
use super::{Blueprint, Catalog, Component, Metric, TargetKind, catalog};
use crate::diagnostic::some_of;
use crate::error::Error;
use crate::fidelity::Fidelity;
use crate::ics::Ics;
use crate::interaction::Interaction;
use crate::json::quoted;
use crate::numbers::Numbered;
use crate::protocol::{Better, Modality};
use crate::sense::{SenseOptions, check, check_modality, fidelity_of, sense_together};
use crate::sensor::{Sensor, Unbounded};
use crate::unit::Unit;
use std::sync::Arc;

/// A compiled metric or blueprint. Immutable, cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct Composition {
    pub(super) plan: Arc<Plan>,
}

/// What is measured, and what it is called.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) kind: TargetKind,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) better: Better,
    /// Every protocol once, in the order in which they are first named.
    pub(super) sensors: Vec<Sensor>,
    /// By protocol and marker: the key of the marker in readings.
    pub(super) keys: Vec<Vec<String>>,
    /// The same in quotes.
    pub(super) quoted: Vec<Vec<String>>,
    pub(super) parts: Vec<Part>,
}

/// A part of a composition with a score of its own: a component of a metric; a protocol or metric of a blueprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Protocol or metric.
    pub kind: TargetKind,
    /// Its id.
    pub id: String,
    /// The version that is used.
    pub version: String,
    /// What its score weighs.
    pub weight: Unit,
    /// Whether what its score lacks to 1 is averaged.
    pub complement: bool,
    /// The protocols that its score is made of, by their place in [`Composition::sensors`].
    pub of: Vec<Share>,
}

/// A protocol's share in a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Its place in [`Composition::sensors`].
    pub sensor: usize,
    /// Its weight.
    pub weight: Unit,
    /// Whether what its score lacks to 1 is averaged.
    pub complement: bool,
}

impl Composition {
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
    /// As [`Composition::metric`]; the places are `protocols[0]`, `metrics[0]`, `metrics[0].components[0].protocol`.
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

    /// Metric or blueprint.
    pub fn kind(&self) -> TargetKind {
        self.plan.kind
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.plan.id
    }

    /// Its name for people.
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// Its version.
    pub fn version(&self) -> &str {
        &self.plan.version
    }

    /// Whether high or low scores are the good ones.
    pub fn better(&self) -> Better {
        self.plan.better
    }

    /// What the score is made of and which way is good, in one line without a full stop:
    /// `score = the mean of courtesy, 1 − pressure-tactics; higher is better`.
    pub fn score_meaning(&self) -> String {
        let parts = self.parts();
        let turned = |part: &Part| match part.complement {
            true => format!("1 − {}", part.id),
            false => part.id.clone(),
        };
        let names: Vec<String> = parts.iter().map(turned).collect();
        let is_plain = parts.iter().all(|part| part.weight == parts[0].weight);
        let mean = if is_plain { "mean" } else { "weighted mean" };
        let what =
            if names.len() == 1 { names.concat() } else { format!("the {mean} of {}", some_of(&names)) };
        let good = match self.better() {
            Better::Higher => "higher is better",
            Better::Lower => "lower is better",
        };
        format!("score = {what}; {good}")
    }

    /// The sensor of every protocol in it, each once, in the order in which they are first named.
    pub fn sensors(&self) -> &[Sensor] {
        &self.plan.sensors
    }

    /// The most steps that it takes for each word of a text: those of all its protocols.
    pub fn steps_per_word(&self) -> u64 {
        self.sensors().iter().map(Sensor::steps_per_word).fold(0, u64::saturating_add)
    }

    /// The most characters that a guard holds back, see [`Sensor::guard_bound`]: a mask of any protocol holds.
    ///
    /// # Errors
    /// Why there is no bound, for the first protocol without one.
    pub fn guard_bound(&self) -> Result<usize, Unbounded> {
        self.sensors().iter().try_fold(0, |most, sensor| Ok(sensor.guard_bound()?.max(most)))
    }

    /// What its score is the weighted average of.
    pub fn parts(&self) -> &[Part] {
        &self.plan.parts
    }

    /// The key of a marker in readings: its label; where another protocol has the same, `protocol/label`; where that is
    /// another version of the same protocol, `protocol@version/label`.
    pub fn key(&self, sensor: usize, marker: usize) -> &str {
        &self.plan.keys[sensor][marker]
    }

    /// What every protocol in it can read.
    pub fn modalities(&self) -> Vec<Modality> {
        let (first, others) = match self.plan.sensors.split_first() {
            Some((first, others)) => (&first.protocol().modalities[..], others),
            None => return Vec::new(),
        };
        let by_all = |m: &Modality| others.iter().all(|s| s.protocol().modalities.contains(m));
        first.iter().copied().filter(by_all).collect()
    }

    /// Measures an interaction: the text is folded and cut once for all protocols. If it is insufficient for one of them,
    /// the reading says so and reports nothing else: an average over fewer parts would be another measure.
    ///
    /// # Errors
    /// `invalid_request` if one of the protocols does not support the modality, or at `mask_key` if a mask asks for a key that is not there.
    pub fn sense(&self, interaction: &Interaction) -> Result<CompositionReading, Error> {
        self.sense_with(interaction, SenseOptions::default())
    }

    /// As [`Composition::sense`], with options.
    ///
    /// # Errors
    /// As [`Composition::sense`].
    pub fn sense_with(
        &self,
        interaction: &Interaction,
        options: SenseOptions,
    ) -> Result<CompositionReading, Error> {
        self.plan.sensors.iter().try_for_each(|s| check(s.plan(), interaction.modality(), options))?;
        let key = |sensor: usize, marker: u32| self.key(sensor, marker as usize);
        Ok(self.reading_of(sense_together(&self.plan.sensors, interaction, options, key), options))
    }

    /// The reading that those of its protocols make.
    pub(crate) fn reading_of(
        &self,
        readings: Vec<crate::Reading>,
        options: SenseOptions,
    ) -> CompositionReading {
        let fidelity = together(readings.iter().map(crate::Reading::fidelity));
        // A protocol that stands in several parts is sensed once, so its markers cost once.
        let triggered = readings.iter().map(|reading| reading.ics().consumed).sum::<u64>();
        let ics = Ics::of(usize::try_from(triggered).unwrap_or(usize::MAX), options.usd_per_ics);
        CompositionReading { composition: self.clone(), readings, fidelity, ics }
    }

    /// Whether the content holds enough for a reliable reading; costs no ICS.
    ///
    /// # Errors
    /// As [`Composition::sense`].
    pub fn fidelity(&self, interaction: &Interaction) -> Result<Fidelity, Error> {
        self.plan.sensors.iter().try_for_each(|s| check_modality(s.plan(), interaction.modality()))?;
        Ok(together(fidelity_of(&self.plan.sensors, interaction).into_iter()))
    }
}

/// The fidelity of a whole: sufficient if every part is; the least index of the parts that are not, else of all.
pub(crate) fn together(parts: impl Iterator<Item = Fidelity>) -> Fidelity {
    let least = parts.min_by_key(|fidelity| (fidelity.sufficient, fidelity.index));
    least.unwrap_or(Fidelity {
        index: Unit::ZERO,
        sufficient: false,
        density: Unit::ZERO,
        clarity: Unit::ZERO,
        unheard: None,
    })
}

/// Σ weight·score ÷ Σ weight, rounded once; of a complement, what the score lacks to 1.
pub(super) fn average(shares: impl Iterator<Item = (Unit, bool, Unit)>) -> Unit {
    let (mut sum, mut weights) = (0_i128, 0_i128);
    for (weight, complement, score) in shares {
        let score = if complement { score.complement() } else { score };
        sum += i128::from(weight.0) * i128::from(score.0);
        weights += i128::from(weight.0);
    }
    if weights == 0 { Unit::ZERO } else { Unit::ratio(sum, weights * 1_000_000) }
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

    fn sensor(&mut self, reference: &super::Reference, place: &str) -> Result<usize, Error> {
        let protocol = catalog::protocol(self.catalog, reference, place)?;
        let same =
            |s: &Sensor| (&s.protocol().id, &s.protocol().version) == (&protocol.id, &protocol.version);
        if let Some(at) = self.sensors.iter().position(same) {
            return Ok(at);
        }
        self.sensors.push(Sensor::new(protocol)?);
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
                    "low scores of `{}` and high scores of the components before it are good, or the other way round; \
                     write `complement: true` for those that are to be turned",
                    protocol.id
                );
                let place = format!("{prefix}components[{at}]");
                return Err(Error::new(crate::ErrorCode::InvalidProtocol, place, message));
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
    ) -> Composition {
        let keys = keys(&self.sensors);
        let quoted = keys.iter().map(|keys| keys.iter().map(|key| quoted(key)).collect()).collect();
        let (id, name, version) = (id.clone(), name.clone(), version.clone());
        let plan = Plan { kind, id, name, version, better, sensors: self.sensors, keys, quoted, parts };
        Composition { plan: Arc::new(plan) }
    }
}

/// The shortest name of each marker that no other has.
fn keys(sensors: &[Sensor]) -> Vec<Vec<String>> {
    let (mut labels, mut with_protocol) = (Numbered::default(), Numbered::default());
    // No id has a stroke in it.
    let in_protocol = |protocol: &crate::Protocol, label: &str| format!("{}/{label}", protocol.id);
    for protocol in sensors.iter().map(Sensor::protocol) {
        for marker in &protocol.markers {
            *labels.entry(&marker.label, || 0) += 1;
            *with_protocol.entry(&in_protocol(protocol, &marker.label), || 0) += 1;
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
