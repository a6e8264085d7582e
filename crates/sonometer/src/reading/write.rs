//! The one JSON form of a reading.

use super::{Reading, Stretch};
use crate::evidence::Candidate;
use crate::ics::Ics;
use crate::json::Json;
use crate::offset::Offsets;
use crate::profile::{Profile, View};
use crate::protocol::Sgm;
use crate::weak::Near;

/// The name of who speaks where nobody is named.
const UNATTRIBUTED: &str = "unattributed";

impl Reading {
    /// About the bytes of the JSON form.
    pub(crate) fn json_size(&self) -> usize {
        let silence = self.sensor.plan().silence.members(0, self.protocol().markers.len());
        256 + silence.len() + 10 * self.resonances.len() + 96 * self.evidence.len()
    }

    /// Writes the members of the JSON form.
    pub(crate) fn write(&self, json: &mut Json, view: View<'_>) {
        let protocol = self.protocol();
        json.key("target").object(|json| {
            json.key("type").string("protocol");
            json.key("id").string(&protocol.id);
            json.key("version").string(&protocol.version);
        });
        if view.profile != Profile::Raw {
            json.key("profile").string(view.profile.as_str());
        }
        json.key("score").number_or_null(self.score());
        json.key("resonance").object(|json| {
            let silence = &self.sensor.plan().silence;
            let mut written = 0;
            for (marker, resonance) in &self.resonances {
                let marker = *marker as usize;
                json.raw_members(silence.members(written, marker));
                json.raw_key(silence.key(marker)).number(resonance.activation);
                written = marker + 1;
            }
            json.raw_members(silence.members(written, protocol.markers.len()));
        });
        let key = |marker: u32| self.sensor.plan().silence.key(marker as usize);
        json.key("evidence").list(|json| {
            let mut offsets = view.offsets.map(Offsets::new);
            for found in &self.evidence {
                json.object(|json| self.write_evidence(json, view, &mut offsets, found, key(found.marker)));
            }
        });
        if view.profile != Profile::Raw {
            json.key("against").list(|json| {
                let mut offsets = view.offsets.map(Offsets::new);
                for found in self.candidates_against() {
                    json.object(|json| self.write_against(json, &mut offsets, found, key(found.marker)));
                }
            });
        }
        if view.profile == Profile::Discovery {
            json.key("weak_signals").list(|json| {
                let mut offsets = view.offsets.map(Offsets::new);
                for near in self.near() {
                    json.object(|json| self.write_weak(json, &mut offsets, &near, key(near.marker)));
                }
            });
            json.key("unheard").list(|json| self.unheard().for_each(|unheard| unheard.write(json)));
        }
        json.key("fidelity").object(|json| {
            json.key("index").number(self.fidelity.index);
            json.key("sufficient").bool(self.fidelity.sufficient);
            if protocol.sgm >= Sgm::V1_5 {
                json.key("density").number(self.fidelity.density);
                json.key("clarity").number(self.fidelity.clarity);
            }
            self.fidelity.write_roles(json);
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
            write_ics(json, self.ics, protocol.sgm, view, self.triggered());
        });
    }

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
        json.raw_key("\"metamarker\"").raw_string(key);
        json.raw_key("\"score\"").number(found.contribution.clamp_to_one());
        self.write_found(json, offsets, found);
        if view.profile == Profile::Detailed {
            json.key("reconstruction").object(|json| {
                let turn = &self.interaction.turns()[found.turn as usize];
                let whole = self.by_turn(found, |stretch| self.masked_turn(stretch.turn as usize));
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
        json.key("metamarker").raw_string(key);
        json.key("weight").number(found.contribution);
        self.write_found(json, offsets, found);
    }

    /// The members of a weak signal.
    pub(crate) fn write_weak(&self, json: &mut Json, offsets: &mut Option<Offsets>, near: &Near, key: &str) {
        json.key("metamarker").raw_string(key);
        json.key("proximity").number(near.proximity);
        json.key("hint").string(&self.hint(near));
        if let Some(candidate) = near.candidate {
            json.key("score").number(near.score);
            self.write_found(json, offsets, &self.candidates[candidate]);
        }
    }

    /// What was found, by whom, and where.
    fn write_found(&self, json: &mut Json, offsets: &mut Option<Offsets>, found: &Candidate) {
        json.raw_key("\"source\"").string(&self.source(found));
        let turn = &self.interaction.turns()[found.turn as usize];
        if self.protocol().sgm >= Sgm::V1_5 {
            json.key("actant").string(self.actant(found.turn as usize).as_deref().unwrap_or(UNATTRIBUTED));
        }
        if let Some(offsets) = offsets {
            if self.interaction.is_conversation() {
                json.key("segment").count(found.turn.into());
            }
            let (start, end) = offsets.range(found.turn, &turn.content, self.range(found));
            json.key("start").count(start);
            json.key("end").count(end);
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

/// What was consumed; but for the raw profile with the `markers` that were counted, so that a bill can be checked.
pub(crate) fn write_ics<'m>(
    json: &mut Json,
    ics: Ics,
    sgm: Sgm,
    view: View<'_>,
    markers: impl Iterator<Item = &'m str>,
) {
    json.key("consumed").count(ics.consumed);
    json.key("cost_usd").number(ics.cost_usd);
    json.key("sgm_version").string(sgm.as_str());
    if view.profile != Profile::Raw {
        json.key("markers").list(|json| markers.for_each(|marker| json.string(marker)));
    }
}
