//! The one result of sensing a metric or a blueprint, and its one JSON form.

use super::TargetKind;
use super::instrument::{Composition, average};
use crate::evidence::Candidate;
use crate::fidelity::Fidelity;
use crate::ics::Ics;
use crate::json::Json;
use crate::offset::Offsets;
use crate::profile::{Profile, View};
use crate::reading::{Evidence, Reading};
use crate::resonance::Resonance;
use crate::unit::Unit;
use crate::weak::WeakSignal;
use std::cmp::Reverse;

/// What a metric or a blueprint found in an interaction.
#[derive(Clone, Debug)]
pub struct CompositionReading {
    pub(super) composition: Composition,
    pub(super) readings: Vec<Reading>,
    pub(super) score: Unit,
    pub(super) fidelity: Fidelity,
    pub(super) ics: Ics,
    /// Whether anything was measured: the content is sufficient, or that was not asked.
    pub(super) measured: bool,
}

impl CompositionReading {
    /// What was sensed.
    pub fn composition(&self) -> &Composition {
        &self.composition
    }

    /// The reading of each protocol, in the order of [`Composition::sensors`]. What one of them masks none of them shows.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// The overall score, 0 to 1; 0 when the content is insufficient.
    pub fn score(&self) -> Unit {
        self.score
    }

    /// The score of a part, as [`Composition::parts`] counts them; 0 when the content is insufficient.
    pub fn part_score(&self, part: usize) -> Unit {
        if !self.measured {
            return Unit::ZERO;
        }
        let shares = self.composition.plan.parts[part].of.iter();
        average(shares.map(|share| (share.weight, share.complement, self.readings[share.sensor].score())))
    }

    /// Every marker's key (see [`Composition::key`]) with what it came to.
    pub fn resonance(&self) -> impl Iterator<Item = (&str, Resonance)> {
        let keys = &self.composition.plan.keys;
        self.readings.iter().zip(keys).flat_map(|(reading, keys)| {
            reading.resonance().zip(keys).map(|((_, resonance), key)| (key.as_str(), resonance))
        })
    }

    /// The evidence of all protocols in the order of the text, then of the protocols. Each calls its marker by its key.
    pub fn evidence(&self) -> impl Iterator<Item = Evidence<'_>> {
        self.in_order().into_iter().map(|(at, found)| {
            let key = self.composition.key(at, found.marker as usize);
            self.readings[at].evidence_of(found, key)
        })
    }

    /// The near-threshold activations of all protocols, the nearest first, each with the key of its marker.
    pub fn weak_signals(&self) -> impl Iterator<Item = (&str, &WeakSignal)> {
        let mut all = Vec::new();
        for (at, reading) in self.readings.iter().enumerate() {
            all.extend(
                reading.weak_signals().iter().map(|weak| (self.composition.key(at, weak.marker), weak)),
            );
        }
        all.sort_by_key(|(_, weak)| Reverse(weak.proximity));
        all.into_iter()
    }

    /// How far the reading can be trusted: sufficient if it is for every protocol; the index is the least of those for
    /// which it is not, else of all.
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity
    }

    /// What it consumed: one ICS for each triggered marker of each protocol, however many parts share it.
    pub fn ics(&self) -> Ics {
        self.ics
    }

    /// The same reading at another price, as [`Reading::with_cost`].
    #[must_use]
    pub fn with_cost(mut self, cost_usd: Unit) -> Self {
        self.ics.cost_usd = cost_usd;
        self
    }

    /// The canonical JSON of a view: the same bytes from every door.
    pub fn to_json(&self, view: View<'_>) -> String {
        let mut json = Json::with_capacity(1024);
        json.object(|json| self.write(json, view));
        json.into_text()
    }

    /// How the score came about, as JSON: `parts` with weight, complement and score, whose average is the score; `ledgers` of
    /// the protocols in their order (see [`Reading::ledger`]).
    pub fn ledger_json(&self) -> String {
        let plan = &self.composition.plan;
        let mut json = Json::with_capacity(4096);
        json.object(|json| {
            json.key("score").number(self.score);
            json.key("parts").list(|json| {
                for (at, part) in plan.parts.iter().enumerate() {
                    json.object(|json| {
                        json.key("type").string(part.kind.as_str());
                        json.key("id").string(&part.id);
                        json.key("version").string(&part.version);
                        json.key("weight").number(part.weight);
                        json.key("complement").bool(part.complement);
                        json.key("score").number(self.part_score(at));
                    });
                }
            });
            json.key("ledgers").list(|json| {
                for reading in &self.readings {
                    json.object(|json| {
                        json.key("protocol_id").string(&reading.protocol().id);
                        json.key("version").string(&reading.protocol().version);
                        json.key("ledger").raw_string(&reading.ledger().to_json());
                    });
                }
            });
        });
        json.into_text()
    }

    fn write(&self, json: &mut Json, view: View<'_>) {
        let plan = &self.composition.plan;
        json.key("target").object(|json| {
            json.key("type").string(plan.kind.as_str());
            json.key("id").string(&plan.id);
            json.key("version").string(&plan.version);
        });
        if view.profile != Profile::Raw {
            json.key("profile").string(view.profile.as_str());
        }
        json.key("score").number(self.score);
        self.write_parts(json, view);
        json.key("resonance").object(|json| {
            for (key, resonance) in self.resonance() {
                json.key(key).number(resonance.activation);
            }
        });
        json.key("evidence").list(|json| self.write_evidence(json, view));
        if view.profile == Profile::Discovery {
            json.key("weak_signals").list(|json| self.write_weak_signals(json));
        }
        json.key("fidelity").object(|json| write_fidelity(json, self.fidelity));
        json.key("ics").object(|json| {
            json.key("consumed").count(self.ics.consumed);
            json.key("cost_usd").number(self.ics.cost_usd);
            let versions = self.readings.iter().map(|reading| reading.protocol().sgm);
            json.key("sgm_version").string(versions.max().map_or("1.0", |sgm| sgm.as_str()));
        });
    }

    /// A raw reading of a metric has the keys of the interface and no others; a blueprint is looked at part by part.
    fn write_parts(&self, json: &mut Json, view: View<'_>) {
        let plan = &self.composition.plan;
        match plan.kind {
            TargetKind::Metric if view.profile == Profile::Raw => {}
            TargetKind::Metric => json.key("components").list(|json| {
                for (at, part) in plan.parts.iter().enumerate() {
                    json.object(|json| {
                        json.key("protocol_id").string(&part.id);
                        json.key("version").string(&part.version);
                        json.key("weight").number(part.weight);
                        json.key("score").number(self.part_score(at));
                        let fidelity = self.readings[part.of[0].sensor].fidelity();
                        json.key("fidelity").object(|json| write_fidelity(json, fidelity));
                    });
                }
            }),
            _ => {
                for (key, kind) in [("protocols", TargetKind::Protocol), ("metrics", TargetKind::Metric)] {
                    json.key(key).list(|json| {
                        let parts = plan.parts.iter().enumerate().filter(|(_, part)| part.kind == kind);
                        for (at, part) in parts {
                            json.object(|json| {
                                json.key("id").string(&part.id);
                                json.key("version").string(&part.version);
                                json.key("score").number(self.part_score(at));
                            });
                        }
                    });
                }
            }
        }
    }

    /// The matches that are evidence with the place of their protocol, in the order of the text, then of the protocols.
    fn in_order(&self) -> Vec<(usize, &Candidate)> {
        let mut all = Vec::new();
        for (at, reading) in self.readings.iter().enumerate() {
            all.extend(reading.evidence.iter().map(|found| (at, found)));
        }
        // Stable: within a protocol evidence stands in its order already.
        all.sort_by_key(|(_, found)| (found.turn, found.start, found.end));
        all
    }

    fn write_evidence(&self, json: &mut Json, view: View<'_>) {
        let mut offsets = view.offsets.map(Offsets::new);
        for (at, found) in self.in_order() {
            let key = &self.composition.plan.quoted[at][found.marker as usize];
            json.object(|json| self.readings[at].write_evidence(json, view, &mut offsets, found, key));
        }
    }

    fn write_weak_signals(&self, json: &mut Json) {
        for (key, weak) in self.weak_signals() {
            json.object(|json| {
                json.key("metamarker").string(key);
                json.key("proximity").number(weak.proximity);
                json.key("hint").string(&weak.hint);
            });
        }
    }
}

fn write_fidelity(json: &mut Json, fidelity: Fidelity) {
    json.key("index").number(fidelity.index);
    json.key("sufficient").bool(fidelity.sufficient);
}
