//! The one JSON form of a reading.

use super::offset::Offsets;
use super::{Profile, Reading, View};
use crate::evidence::Candidate;
use crate::instrument::TargetKind;
use crate::json::Json;
use crate::measure::fidelity::Fidelity;
use crate::measure::weak::Near;
use crate::measure::{Measured, Stretch};
use crate::protocol::Sgm;

/// The name of who speaks where nobody is named.
const UNATTRIBUTED: &str = "unattributed";

impl Reading {
    /// About the bytes of the JSON form.
    pub(crate) fn json_size(&self) -> usize {
        let of = |part: &Measured| {
            let silence = part.sensor.plan().silence.members(0, part.protocol().markers.len());
            silence.len() + 10 * part.resonances.len() + 96 * part.evidence.len()
        };
        256 + self.parts.iter().map(of).sum::<usize>()
    }

    /// Writes the members of the JSON form.
    pub(crate) fn write(&self, json: &mut Json, view: View<'_>) {
        let whole = &self.instrument;
        json.key("target").object(|json| {
            json.key("type").string(whole.kind().as_str());
            json.key("id").string(whole.id());
            json.key("version").string(whole.version());
        });
        if view.profile != Profile::Raw {
            json.key("profile").string(view.profile.as_str());
        }
        json.key("score").number_or_null(self.score());
        self.write_parts(json, view);
        json.key("resonance").object(|json| self.write_resonance(json));
        json.key("evidence").list(|json| {
            let mut offsets = view.offsets.map(Offsets::new);
            for (at, found) in self.found() {
                let key = whole.quoted_key(at, found.marker);
                json.object(|json| self.parts[at].write_evidence(json, view, &mut offsets, found, key));
            }
        });
        if view.profile != Profile::Raw {
            json.key("against").list(|json| {
                let mut offsets = view.offsets.map(Offsets::new);
                for (at, found) in self.found_against() {
                    let key = whole.quoted_key(at, found.marker);
                    json.object(|json| self.parts[at].write_against(json, &mut offsets, found, key));
                }
            });
        }
        if view.profile == Profile::Discovery {
            json.key("weak_signals").list(|json| {
                let mut offsets = view.offsets.map(Offsets::new);
                for (at, near) in self.near() {
                    let key = whole.quoted_key(at, near.marker);
                    json.object(|json| self.parts[at].write_weak(json, &mut offsets, &near, key));
                }
            });
            json.key("unheard").list(|json| self.unheard().for_each(|unheard| unheard.write(json)));
        }
        let sgm = self.parts.iter().map(|part| part.protocol().sgm).max().unwrap_or(Sgm::V1_0);
        json.key("fidelity").object(|json| {
            let of_one = self.only().is_some();
            write_fidelity(json, &self.fidelity, of_one && sgm >= Sgm::V1_5);
        });
        if let Some(signal) = self.signal() {
            json.key("signal").object(|json| signal.write(json));
        }
        if let Some(flow) = view.flow.and_then(|options| self.actant_flow(options)) {
            json.key("actant_flow").object(|json| flow.write(json));
        }
        if let Some(temporal) = view.temporal.and_then(|options| self.temporal(options)) {
            json.key("temporal").object(|json| temporal.write(json));
        }
        json.key("ics").object(|json| {
            json.key("consumed").count(self.ics.consumed);
            json.key("cost_usd").number(self.ics.cost_usd);
            json.key("sgm_version").string(sgm.as_str());
            // With the markers that were counted, so that a bill can be checked.
            if view.profile != Profile::Raw {
                json.key("markers").list(|json| self.triggered().for_each(|marker| json.string(marker)));
            }
        });
    }

    /// The activation of every marker by its key. Of a protocol the silent ones, mostly nearly all, are written already.
    fn write_resonance(&self, json: &mut Json) {
        let Some(only) = self.only() else {
            for (key, resonance) in self.resonance() {
                json.key(key).number(resonance.activation);
            }
            return;
        };
        let silence = &only.sensor.plan().silence;
        let mut written = 0;
        for (marker, resonance) in &only.resonances {
            let marker = *marker as usize;
            json.raw_members(silence.members(written, marker));
            json.raw_key(silence.key(marker)).number(resonance.activation);
            written = marker + 1;
        }
        json.raw_members(silence.members(written, only.protocol().markers.len()));
    }

    /// The parts of a metric or a blueprint. A raw reading of a metric has the keys of the interface and no others; a
    /// blueprint is looked at part by part.
    fn write_parts(&self, json: &mut Json, view: View<'_>) {
        let parts = self.instrument.parts();
        match self.instrument.kind() {
            TargetKind::Protocol => {}
            TargetKind::Metric if view.profile == Profile::Raw => {}
            TargetKind::Metric => json.key("components").list(|json| {
                for (at, part) in parts.iter().enumerate() {
                    json.object(|json| {
                        json.key("protocol_id").string(&part.id);
                        json.key("version").string(&part.version);
                        json.key("weight").number(part.weight);
                        json.key("score").number_or_null(self.part_score(at));
                        let fidelity = &self.parts[part.of[0].sensor].fidelity;
                        json.key("fidelity").object(|json| write_fidelity(json, fidelity, false));
                    });
                }
            }),
            TargetKind::Blueprint => {
                for (key, kind) in [("protocols", TargetKind::Protocol), ("metrics", TargetKind::Metric)] {
                    json.key(key).list(|json| {
                        for (at, part) in parts.iter().enumerate().filter(|(_, part)| part.kind == kind) {
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

    /// How the score came about, as JSON. Of a protocol its [`Ledger`](super::Ledger). Of a metric or a blueprint `parts` with
    /// weight, complement and score, whose average is the score, and `ledgers` of the protocols in their order.
    pub fn ledger_json(&self) -> String {
        if let Some(only) = self.only() {
            return only.ledger().to_json();
        }
        let mut json = Json::with_capacity(4096);
        json.object(|json| {
            json.key("score").number_or_null(self.score());
            json.key("parts").list(|json| {
                for (at, part) in self.instrument.parts().iter().enumerate() {
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
                for part in &self.parts {
                    json.object(|json| {
                        json.key("protocol_id").string(&part.protocol().id);
                        json.key("version").string(&part.protocol().version);
                        json.key("ledger").raw_value(&part.ledger().to_json());
                    });
                }
            });
        });
        json.into_text()
    }
}

/// The members of a fidelity, with what the index is made of where `in_full`.
fn write_fidelity(json: &mut Json, fidelity: &Fidelity, in_full: bool) {
    json.key("index").number(fidelity.index);
    json.key("sufficient").bool(fidelity.sufficient);
    if in_full {
        json.key("density").number(fidelity.density);
        json.key("clarity").number(fidelity.clarity);
    }
    fidelity.write_roles(json);
}

impl Measured {
    /// The members of a piece of evidence; `key` is what its marker is called, in quotes. `offsets` go on from those of the
    /// piece before.
    pub(crate) fn write_evidence(
        &self,
        json: &mut Json,
        view: View<'_>,
        offsets: &mut Option<Offsets>,
        found: &Candidate,
        key: &str,
    ) {
        json.member(r#","metamarker":"#).raw_value(key);
        json.member(r#","score":"#).number(found.contribution.clamp_to_one());
        self.write_found(json, offsets, found);
        if view.profile == Profile::Detailed {
            json.key("reconstruction").object(|json| {
                let turn = &self.interaction.turns()[found.turn as usize];
                let whole = self.by_turn(found, |stretch| {
                    self.shown(stretch.turn, 0..self.interaction.turns()[stretch.turn as usize].content.len())
                });
                json.key("segment_text").string(&whole);
                json.key("attribution").string(turn.role.as_deref().unwrap_or(UNATTRIBUTED));
                json.key("actant")
                    .string(self.actant(found.turn as usize).as_deref().unwrap_or(UNATTRIBUTED));
            });
        }
    }

    /// The members of what counts against a marker.
    pub(crate) fn write_against(
        &self,
        json: &mut Json,
        offsets: &mut Option<Offsets>,
        found: &Candidate,
        key: &str,
    ) {
        json.key("metamarker").raw_value(key);
        json.key("weight").number(found.contribution);
        self.write_found(json, offsets, found);
    }

    /// The members of a weak signal.
    pub(crate) fn write_weak(&self, json: &mut Json, offsets: &mut Option<Offsets>, near: &Near, key: &str) {
        json.key("metamarker").raw_value(key);
        json.key("proximity").number(near.proximity);
        json.key("hint").string(&self.hint(near));
        if let Some(candidate) = near.candidate {
            json.key("score").number(near.score);
            self.write_found(json, offsets, &self.candidates[candidate]);
        }
    }

    /// What was found, by whom, and where.
    fn write_found(&self, json: &mut Json, offsets: &mut Option<Offsets>, found: &Candidate) {
        json.member(r#","source":"#).string(&self.source(found));
        let turn = &self.interaction.turns()[found.turn as usize];
        if self.protocol().sgm >= Sgm::V1_5 {
            json.member(r#","actant":"#)
                .string(self.actant(found.turn as usize).as_deref().unwrap_or(UNATTRIBUTED));
        }
        if let Some(offsets) = offsets {
            if self.interaction.is_conversation() {
                json.member(r#","segment":"#).count(found.turn.into());
            }
            let (start, end) = offsets.range(found.turn, &turn.content, self.range(found));
            json.member(r#","start":"#).count(start);
            json.member(r#","end":"#).count(end);
            if found.joined > 0 {
                // The next piece may begin before these.
                let mut offsets = *offsets;
                json.key("joined").list(|json| {
                    for Stretch { turn, range } in self.joined_to(found) {
                        let content = &self.interaction.turns()[turn].content;
                        json.object(|json| {
                            json.key("segment").count(turn as u64);
                            let (start, end) = offsets.range(turn as u32, content, range);
                            json.key("start").count(start);
                            json.key("end").count(end);
                        });
                    }
                });
            }
        }
    }
}
