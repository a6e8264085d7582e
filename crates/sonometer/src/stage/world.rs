//! A stage made ready: with what senses every action.

use super::card::{Stamp, TargetStamp};
use super::dive::Dive;
use super::model::Stage;
use crate::composition::Catalog;
use crate::composition::{Component, Metric, Standing, TargetKind, catalog};
use crate::diagnostic::{Diagnostic, Diagnostics, excerpt, some_of};
use crate::document::suggest;
use crate::error::{Error, ErrorCode};
use crate::instrument::Instrument;
use crate::interaction::{Interaction, Turn};
use crate::protocol::Modality;
use crate::reading::Reading;
use crate::text::fold::fold_role;
use crate::unit::Unit;
use std::sync::Arc;

/// A stage that can be dived. Immutable, cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct World {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    stage: Stage,
    digest: String,
    instrument: Instrument,
    target: TargetStamp,
    /// The markers that guards ask for, by name, with their protocol and place in it.
    asked: Vec<(String, usize, usize)>,
}

/// What an action held of a marker that guards ask for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heard {
    pub(super) fired: bool,
    pub(super) activation: Unit,
    /// Pieces of evidence.
    pub(super) count: u64,
}

impl World {
    /// A stage with the target that `catalog` has for it.
    ///
    /// # Errors
    /// `target_not_found` for what the catalogue does not have, with the place; `invalid_protocol` with a finding for every
    /// marker that guards ask for and the target does not have; `invalid_request` if a protocol of it reads no transcripts.
    pub fn new(stage: Stage, catalog: &dyn Catalog) -> Result<Self, Error> {
        let (instrument, target) = instrument(&stage, catalog)?;
        for sensor in instrument.sensors() {
            sensor.plan().check_modality(Modality::Transcript)?;
        }
        let mut known = Vec::new();
        for (at, sensor) in instrument.sensors().iter().enumerate() {
            known.extend(
                (0..sensor.protocol().markers.len()).map(|marker| (instrument.key(at, marker), at, marker)),
            );
        }
        let mut found = Diagnostics::new();
        let mut asked: Vec<(String, usize, usize)> = Vec::new();
        for (name, span) in &stage.markers {
            if let Some((_, at, marker)) = known.iter().find(|(key, ..)| key == name) {
                asked.push((name.clone(), *at, *marker));
                continue;
            }
            let names: Vec<&str> = known.iter().map(|(key, ..)| *key).collect();
            // A label that several protocols have is called by one of its longer names.
            let longer: Vec<String> = names
                .iter()
                .filter(|key| key.rsplit_once('/').is_some_and(|(_, label)| label == name))
                .map(|key| format!("`{key}`"))
                .collect();
            let fix = match (suggest(name, &names), longer.is_empty()) {
                (_, false) => format!("write {}", longer.join(" or ")),
                (Some(near), _) => format!("did you mean `{near}`"),
                (None, _) => format!("its markers are {}", some_of(&names)),
            };
            let message =
                format!("`{}@{}` has no marker `{name}`", target.id, target.version, name = excerpt(name));
            found.push(Diagnostic::error("SM0603", *span, message, fix));
        }
        if !found.is_empty() {
            found.sort();
            let message = found.iter().next().map(ToString::to_string).unwrap_or_default();
            return Err(Error { diagnostics: found, ..Error::new(ErrorCode::InvalidProtocol, "", message) });
        }
        asked.sort_unstable();
        asked.dedup();
        let digest = stage.digest();
        Ok(Self { inner: Arc::new(Inner { stage, digest, instrument, target, asked }) })
    }

    /// Reads a stage file and makes it ready, with the warnings of [`Stage::read`] and [`World::lint`].
    ///
    /// # Errors
    /// Those of [`Stage::read`] and [`World::new`]; errors in the file have their line and column.
    pub fn read(text: &str, catalog: &dyn Catalog) -> Result<(Self, Diagnostics), Error> {
        let (stage, mut found) = Stage::read(text)?;
        let world = Self::new(stage, catalog).map_err(|error| {
            match error.place.is_empty() && !error.diagnostics.is_empty() {
                true => Error::protocol(text, error.diagnostics),
                false => error,
            }
        })?;
        world.lint().iter().for_each(|finding| found.push(finding.clone()));
        found.sort();
        Ok((world, found))
    }

    /// The stage.
    pub fn stage(&self) -> &Stage {
        &self.inner.stage
    }

    /// The identity of the stage, as [`Stage::digest`].
    pub fn digest(&self) -> &str {
        &self.inner.digest
    }

    /// What senses every action.
    pub fn instrument(&self) -> &Instrument {
        &self.inner.instrument
    }

    /// The identity of what senses every action: itself, and each protocol in it.
    pub fn target(&self) -> &TargetStamp {
        &self.inner.target
    }

    /// Opens a dive. Seeds above [`super::MAX_SEED`] are taken modulo 2^53, so that no client of JSON reads another one.
    pub fn open(&self, seed: u64) -> Dive {
        Dive::open(self.clone(), seed & super::MAX_SEED)
    }

    /// What of the stage does not fit its target: markers that stay silent in dives, needs that no action can meet.
    pub fn lint(&self) -> Diagnostics {
        let mut found = Diagnostics::new();
        let Inner { stage, instrument, asked, .. } = &*self.inner;
        for (name, at, marker) in asked {
            let marker = &instrument.sensors()[*at].protocol().markers[*marker];
            if marker.absence.is_some()
                && let Some((_, span)) = stage.markers.iter().find(|(known, _)| known == name)
            {
                let message =
                    format!("`{name}` uses `absent`, so it never triggers in a dive", name = excerpt(name));
                let fix = "test for what should be said, with `not fired(…)` and `turns_here`";
                found.push(Diagnostic::warning("SM0657", *span, message, fix));
            }
        }
        for sensor in instrument.sensors() {
            let (protocol, plan) = (sensor.protocol(), sensor.plan());
            let own = plan.role_name(&fold_role(&stage.roles.agent));
            let turns = Unit::ratio(1, protocol.fidelity.turns.into()) < protocol.fidelity.sufficient;
            let side = protocol.fidelity.roles.iter().find(|(role, need)| {
                *need > 0
                    && plan.role_name(&fold_role(role)) != own
                    && protocol.fidelity.sufficient > Unit::ZERO
            });
            let lacks = match (turns, side) {
                (true, _) => format!("{} turns", protocol.fidelity.turns),
                (false, Some((role, _))) => format!("words of `{role}`", role = excerpt(role)),
                _ => continue,
            };
            let message = format!(
                "`{}@{}` needs {lacks}, but each action is sensed alone: every score is 0",
                protocol.id, protocol.version
            );
            let fix = "use a protocol whose `fidelity` one turn of the agent can meet";
            found.push(Diagnostic::warning("SM0658", stage.target_span, message, fix));
        }
        found.sort();
        found
    }

    /// The markers that guards ask for.
    pub(super) fn asked(&self) -> impl ExactSizeIterator<Item = &str> {
        self.inner.asked.iter().map(|(name, ..)| name.as_str())
    }

    /// The place of a marker among them.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.inner.asked.binary_search_by(|(known, ..)| known.as_str().cmp(name)).ok()
    }

    /// Senses the last turn of a conversation; with it what guards ask for, in the order of [`World::asked`].
    pub(super) fn sense(&self, turns: &[Turn]) -> Result<(Reading, Vec<Heard>), Error> {
        let Inner { instrument, asked, .. } = &*self.inner;
        let interaction = Interaction::transcript(turns.to_vec())?;
        let sensed = instrument.sense_last(&interaction);
        let heard = asked.iter().map(|(_, at, marker)| {
            let reading = &sensed.parts()[*at];
            let resonance =
                reading.resonance().nth(*marker).map(|(_, resonance)| resonance).unwrap_or_default();
            let count = reading
                .candidates
                .iter()
                .filter(|found| found.marker as usize == *marker && found.contribution > Unit::ZERO)
                .count() as u64;
            Heard { fired: resonance.triggered, activation: resonance.activation, count }
        });
        let heard = heard.collect();
        Ok((sensed, heard))
    }
}

/// What a stage is sensed by, and its identity.
fn instrument(stage: &Stage, catalog: &dyn Catalog) -> Result<(Instrument, TargetStamp), Error> {
    let (kind, reference) = &stage.target;
    let place = kind.as_str();
    let (instrument, digest) = match kind {
        TargetKind::Blueprint => {
            let blueprint = catalog::blueprint(catalog, reference, place)?;
            (Instrument::blueprint(&blueprint, catalog)?, blueprint.digest())
        }
        TargetKind::Metric => {
            let metric = catalog::metric(catalog, reference, place)?;
            (Instrument::metric(&metric, catalog)?, metric.digest())
        }
        TargetKind::Protocol => {
            let protocol = catalog::protocol(catalog, reference, place)?;
            let digest = protocol.digest();
            // The average of one protocol is its score.
            let pinned = crate::composition::Reference {
                version: Some(protocol.version.clone()),
                ..reference.clone()
            };
            let alone = Metric {
                id: protocol.id,
                name: protocol.name,
                version: protocol.version,
                status: Standing::Active,
                description: String::new(),
                components: vec![Component { protocol: pinned, weight: Unit::ONE, complement: false }],
            };
            (Instrument::metric(&alone, catalog)?, digest)
        }
    };
    let stamp = |sensor: &crate::sensor::Sensor| {
        let protocol = sensor.protocol();
        Stamp { id: protocol.id.clone(), version: protocol.version.clone(), digest: protocol.digest() }
    };
    let target = TargetStamp {
        kind: *kind,
        id: instrument.id().to_owned(),
        version: instrument.version().to_owned(),
        digest,
        protocols: instrument.sensors().iter().map(stamp).collect(),
    };
    Ok((instrument, target))
}
