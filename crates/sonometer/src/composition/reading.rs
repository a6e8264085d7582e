//! The one result of sensing a metric or a blueprint, and its one JSON form.

use super::TargetKind;
use super::instrument::{Composition, average};
use crate::evidence::Candidate;
use crate::fidelity::Fidelity;
use crate::hearing::Unheard;
use crate::ics::Ics;
use crate::json::Json;
use crate::offset::Offsets;
use crate::profile::{Profile, View};
use crate::protocol::Sgm;
use crate::reading::{Evidence, Reading, write_ics};
use crate::resonance::Resonance;
use crate::unit::Unit;
use crate::weak::{Near, WeakSignal};
use std::cmp::Reverse;

/// What a metric or a blueprint found in an interaction.
#[derive(Clone, Debug)]
pub struct CompositionReading {
    pub(super) composition: Composition,
    pub(super) readings: Vec<Reading>,
    pub(super) fidelity: Fidelity,
    pub(super) ics: Ics,
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

    /// The overall score, 0 to 1; `None` when the content is insufficient: nothing was measured.
    pub fn score(&self) -> Option<Unit> {
        let parts = self.composition.plan.parts.iter().enumerate();
        let scores: Option<Vec<_>> =
            parts.map(|(at, part)| Some((part.weight, part.complement, self.part_score(at)?))).collect();
        scores.map(|scores| average(scores.into_iter()))
    }

    /// The score of a part, as [`Composition::parts`] counts them; `None` when the content is insufficient.
    pub fn part_score(&self, part: usize) -> Option<Unit> {
        let shares = self.composition.plan.parts[part].of.iter();
        let scores: Option<Vec<_>> = shares
            .map(|share| Some((share.weight, share.complement, self.readings[share.sensor].score()?)))
            .collect();
        scores.map(|scores| average(scores.into_iter()))
    }

    /// The markers of all protocols that could hear nobody, as [`Reading::unheard`], each with its key.
    pub fn unheard(&self) -> impl Iterator<Item = Unheard<'_>> {
        self.readings.iter().enumerate().flat_map(move |(at, reading)| {
            let key = move |marker: u32| self.composition.key(at, marker as usize);
            let all = reading.markers_in_vain().into_iter();
            all.map(move |(marker, roles)| Unheard { metamarker: key(marker), roles })
        })
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

    /// What counts against markers of any protocol, in the order of the text, then of the protocols.
    pub fn against(&self) -> impl Iterator<Item = Evidence<'_>> {
        self.candidates_against().into_iter().map(|(at, found)| {
            let key = self.composition.key(at, found.marker as usize);
            self.readings[at].evidence_of(found, key)
        })
    }

    /// The weak signals of all protocols, the nearest first, each with the key of its marker.
    pub fn weak_signals(&self) -> impl Iterator<Item = WeakSignal<'_>> {
        self.near().into_iter().map(|(at, near)| {
            let key = self.composition.key(at, near.marker as usize);
            self.readings[at].weak_signal(&near, key)
        })
    }

    /// The keys of the markers that triggered, by protocol, then in its order: what [`CompositionReading::ics`] counts.
    pub fn triggered(&self) -> impl Iterator<Item = &str> {
        self.resonance().filter(|(_, resonance)| resonance.triggered).map(|(key, _)| key)
    }

    /// How far the reading can be trusted: sufficient if it is for every protocol; the index is the least of those for
    /// which it is not, else of all.
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity.clone()
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
            json.key("score").number_or_null(self.score());
            json.key("parts").list(|json| {
                for (at, part) in plan.parts.iter().enumerate() {
                    json.object(|json| {
                        json.key("type").string(part.kind.as_str());
                        json.key("id").string(&part.id);
                        json.key("version").string(&part.version);
                        json.key("weight").number(part.weight);
                        json.key("complement").bool(part.complement);
                        json.key("score").number_or_null(self.part_score(at));
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
        json.key("score").number_or_null(self.score());
        self.write_parts(json, view);
        json.key("resonance").object(|json| {
            for (key, resonance) in self.resonance() {
                json.key(key).number(resonance.activation);
            }
        });
        json.key("evidence").list(|json| self.write_evidence(json, view));
        if view.profile != Profile::Raw {
            json.key("against").list(|json| self.write_against(json, view));
        }
        if view.profile == Profile::Discovery {
            json.key("weak_signals").list(|json| self.write_weak_signals(json, view));
            json.key("unheard").list(|json| self.unheard().for_each(|unheard| unheard.write(json)));
        }
        json.key("fidelity").object(|json| write_fidelity(json, &self.fidelity));
        json.key("ics").object(|json| {
            let versions = self.readings.iter().map(|reading| reading.protocol().sgm);
            write_ics(json, self.ics, versions.max().unwrap_or(Sgm::V1_0), view, self.triggered());
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
                        json.key("score").number_or_null(self.part_score(at));
                        let fidelity = self.readings[part.of[0].sensor].fidelity();
                        json.key("fidelity").object(|json| write_fidelity(json, &fidelity));
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
                                json.key("score").number_or_null(self.part_score(at));
                            });
                        }
                    });
                }
            }
        }
    }

    /// The matches that are evidence with the place of their protocol, in the order of the text, then of the protocols.
    fn in_order(&self) -> Vec<(usize, &Candidate)> {
        let all = self.readings.iter().enumerate();
        in_text(all.flat_map(|(at, reading)| reading.evidence.iter().map(move |found| (at, found))).collect())
    }

    /// The same of what counts against a marker.
    fn candidates_against(&self) -> Vec<(usize, &Candidate)> {
        let mut all = Vec::new();
        for (at, reading) in self.readings.iter().enumerate() {
            all.extend(reading.candidates_against().into_iter().map(|found| (at, found)));
        }
        in_text(all)
    }

    /// All weak signals with the place of their protocol, in their order.
    fn near(&self) -> Vec<(usize, Near)> {
        let mut all = Vec::new();
        for (at, reading) in self.readings.iter().enumerate() {
            all.extend(reading.near().into_iter().map(|near| (at, near)));
        }
        all.sort_by_key(|(_, near)| Reverse(near.proximity));
        all
    }

    fn write_evidence(&self, json: &mut Json, view: View<'_>) {
        let mut offsets = view.offsets.map(Offsets::new);
        for (at, found) in self.in_order() {
            let key = self.quoted_key(at, found.marker);
            json.object(|json| self.readings[at].write_evidence(json, view, &mut offsets, found, key));
        }
    }

    fn write_against(&self, json: &mut Json, view: View<'_>) {
        let mut offsets = view.offsets.map(Offsets::new);
        for (at, found) in self.candidates_against() {
            let key = self.quoted_key(at, found.marker);
            json.object(|json| self.readings[at].write_against(json, &mut offsets, found, key));
        }
    }

    fn write_weak_signals(&self, json: &mut Json, view: View<'_>) {
        let mut offsets = view.offsets.map(Offsets::new);
        for (at, near) in self.near() {
            let key = self.quoted_key(at, near.marker);
            json.object(|json| self.readings[at].write_weak(json, &mut offsets, &near, key));
        }
    }

    fn quoted_key(&self, at: usize, marker: u32) -> &str {
        &self.composition.plan.quoted[at][marker as usize]
    }
}

/// Stable: within a protocol all stands in the order of the text already.
fn in_text(mut all: Vec<(usize, &Candidate)>) -> Vec<(usize, &Candidate)> {
    all.sort_by_key(|(_, found)| (found.turn, found.start, found.end));
    all
}

fn write_fidelity(json: &mut Json, fidelity: &Fidelity) {
    json.key("index").number(fidelity.index);
    json.key("sufficient").bool(fidelity.sufficient);
    fidelity.write_roles(json);
}
