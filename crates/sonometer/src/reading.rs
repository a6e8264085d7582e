//! The one result of sensing, and its one JSON form.

use crate::evidence::Candidate;
use crate::evidence::window::{self, Joined};
use crate::fidelity::Fidelity;
use crate::ics::Ics;
use crate::interaction::Interaction;
use crate::json::Json;
use crate::mask::{self, Masked};
use crate::offset::Offsets;
use crate::profile::{Profile, View};
use crate::protocol::{Protocol, Sgm};
use crate::resonance::Resonance;
use crate::sensor::Sensor;
use crate::unit::Unit;
use crate::weak::WeakSignal;
use std::borrow::Cow;
use std::ops::Range;

/// The name of who speaks where nobody is named.
const UNATTRIBUTED: &str = "unattributed";

/// What a sensor found in an interaction. A [`View`] only shows more or less of it.
#[derive(Clone, Debug)]
pub struct Reading {
    pub(crate) sensor: Sensor,
    pub(crate) interaction: Interaction,
    pub(crate) score: Unit,
    /// The markers that have candidates or a bias, in the order of the protocol; the others are silent.
    pub(crate) resonances: Vec<(u32, Resonance)>,
    /// All candidates, by marker, line and place.
    pub(crate) candidates: Vec<Candidate>,
    /// Where those over several turns go on.
    pub(crate) joined: Joined,
    /// Those that are evidence, in the order of the text.
    pub(crate) evidence: Vec<Candidate>,
    pub(crate) weak_signals: Vec<WeakSignal>,
    pub(crate) masks: Vec<Masked>,
    pub(crate) fidelity: Fidelity,
    /// Whether it was measured at all: the content is sufficient, or nobody asks.
    pub(crate) measured: bool,
    /// The words of each turn; only on SGM 1.5.
    pub(crate) turn_words: Vec<u64>,
    /// What each of `resonances` would be without a match; only on SGM 1.5.
    pub(crate) rests: Vec<Resonance>,
    pub(crate) ics: Ics,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence<'r> {
    /// The label of the metamarker.
    pub metamarker: &'r str,
    /// What it adds to its marker, above 0, at most 1.
    pub score: Unit,
    /// The turn it stands in, from 0.
    pub turn: usize,
    /// Bytes of that turn's content.
    pub range: Range<usize>,
    /// Where it goes on in later turns, for metamarkers with `join`.
    pub joined: Vec<Stretch>,
    /// The text that triggered it, masked where the protocol says so; that of several turns joined by line breaks.
    pub source: Cow<'r, str>,
}

/// A stretch of one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The turn, from 0.
    pub turn: usize,
    /// Bytes of that turn's content.
    pub range: Range<usize>,
}

impl Reading {
    /// The protocol that was sensed.
    pub fn protocol(&self) -> &Protocol {
        self.sensor.protocol()
    }

    /// The interaction that was sensed.
    pub fn interaction(&self) -> &Interaction {
        &self.interaction
    }

    /// The overall score, 0 to 1; 0 when the content is insufficient.
    pub fn score(&self) -> Unit {
        self.score
    }

    /// Every marker's label with what it came to, in the order of the protocol.
    pub fn resonance(&self) -> impl Iterator<Item = (&str, Resonance)> {
        let mut worked = self.resonances.iter().peekable();
        (0..).zip(&self.protocol().markers).map(move |(number, marker)| {
            let found = worked.next_if(|(at, _)| *at == number);
            (marker.label.as_str(), found.map_or_else(Resonance::default, |(_, resonance)| *resonance))
        })
    }

    /// The evidence in the order of the text.
    pub fn evidence(&self) -> impl Iterator<Item = Evidence<'_>> {
        self.evidence.iter().map(|found| {
            let label = &self.protocol().markers[found.marker as usize].label;
            self.evidence_of(found, label)
        })
    }

    /// Near-threshold activations, the nearest first.
    pub fn weak_signals(&self) -> &[WeakSignal] {
        &self.weak_signals
    }

    /// How far the reading can be trusted.
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity
    }

    /// What it consumed.
    pub fn ics(&self) -> Ics {
        self.ics
    }

    /// The same reading at another price: what it costs may depend on an account that only a service knows.
    #[must_use]
    pub fn with_cost(mut self, cost_usd: Unit) -> Self {
        self.ics.cost_usd = cost_usd;
        self
    }

    /// The protocol's name of who speaks in a turn; `None` for a plain text.
    pub fn actant(&self, turn: usize) -> Option<String> {
        let role = self.interaction.turns()[turn].role.as_deref();
        role.map(|role| self.sensor.plan().role_name(role))
    }

    /// The content of a turn with everything hidden that a mask covers.
    pub fn masked_turn(&self, turn: usize) -> Cow<'_, str> {
        self.shown(turn as u32, 0..self.interaction.turns()[turn].content.len())
    }

    /// The canonical JSON of a view: the same bytes from every door.
    pub fn to_json(&self, view: View<'_>) -> String {
        let mut json = Json::with_capacity(self.json_size());
        json.object(|json| self.write(json, view));
        json.into_text()
    }

    /// A match as evidence of a marker that is called `metamarker`.
    pub(crate) fn evidence_of<'r>(&'r self, found: &Candidate, metamarker: &'r str) -> Evidence<'r> {
        Evidence {
            metamarker,
            score: found.contribution.clamp_to_one(),
            turn: found.turn as usize,
            range: found.range(),
            joined: self.joined_to(found),
            source: self.source(found),
        }
    }

    /// The stretches of a match beyond the first.
    pub(crate) fn joined_to(&self, found: &Candidate) -> Vec<Stretch> {
        let stretch = |s: &window::Stretch| Stretch { turn: s.turn as usize, range: s.range() };
        self.joined.further(found).iter().map(stretch).collect()
    }

    /// The text of a match as it may be shown.
    pub(crate) fn source(&self, found: &Candidate) -> Cow<'_, str> {
        self.by_turn(found, |stretch| self.shown(stretch.turn, stretch.range()))
    }

    /// Something of each turn of a match, joined by line breaks.
    fn by_turn<'r>(
        &'r self,
        found: &Candidate,
        text: impl Fn(window::Stretch) -> Cow<'r, str>,
    ) -> Cow<'r, str> {
        let mut stretches = self.joined.place(found).map(text);
        let first = stretches.next().unwrap_or_default();
        stretches.fold(first, |all, next| all + "\n" + next)
    }

    /// Bytes of a turn as they may be shown.
    pub(crate) fn shown(&self, turn: u32, range: Range<usize>) -> Cow<'_, str> {
        let content = &self.interaction.turns()[turn as usize].content;
        if self.masks.is_empty() {
            return Cow::Borrowed(&content[range]);
        }
        let from = self.masks.partition_point(|m| m.turn < turn);
        let to = self.masks.partition_point(|m| m.turn <= turn);
        mask::show(content, range, &self.masks[from..to])
    }

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
        json.key("score").number(self.score);
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
        let mut offsets = view.offsets.map(Offsets::new);
        json.key("evidence").list(|json| {
            for found in &self.evidence {
                let key = self.sensor.plan().silence.key(found.marker as usize);
                json.object(|json| self.write_evidence(json, view, &mut offsets, found, key));
            }
        });
        if view.profile == Profile::Discovery {
            json.key("weak_signals").list(|json| {
                for weak in &self.weak_signals {
                    json.object(|json| {
                        json.key("metamarker").string(&protocol.markers[weak.marker].label);
                        json.key("proximity").number(weak.proximity);
                        json.key("hint").string(&weak.hint);
                    });
                }
            });
        }
        json.key("fidelity").object(|json| {
            json.key("index").number(self.fidelity.index);
            json.key("sufficient").bool(self.fidelity.sufficient);
            if protocol.sgm >= Sgm::V1_5 {
                json.key("density").number(self.fidelity.density);
                json.key("clarity").number(self.fidelity.clarity);
            }
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
            json.key("sgm_version").string(protocol.sgm.as_str());
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
        json.raw_key("\"source\"").string(&self.source(found));
        let turn = &self.interaction.turns()[found.turn as usize];
        if self.protocol().sgm >= Sgm::V1_5 {
            json.key("actant").string(self.actant(found.turn as usize).as_deref().unwrap_or(UNATTRIBUTED));
        }
        if let Some(offsets) = offsets {
            if self.interaction.is_conversation() {
                json.key("segment").count(found.turn.into());
            }
            let (start, end) = offsets.range(found.turn, &turn.content, found.start, found.end);
            json.key("start").count(start);
            json.key("end").count(end);
            if found.joined > 0 {
                // The next piece may begin before these.
                let mut offsets = *offsets;
                json.key("joined").list(|json| {
                    for stretch in self.joined.further(found) {
                        let content = &self.interaction.turns()[stretch.turn as usize].content;
                        json.object(|json| {
                            json.key("segment").count(stretch.turn.into());
                            let (start, end) =
                                offsets.range(stretch.turn, content, stretch.start, stretch.end);
                            json.key("start").count(start);
                            json.key("end").count(end);
                        });
                    }
                });
            }
        }
        if view.profile == Profile::Detailed {
            json.key("reconstruction").object(|json| {
                let whole = self.by_turn(found, |stretch| self.masked_turn(stretch.turn as usize));
                json.key("segment_text").string(&whole);
                json.key("attribution").string(turn.role.as_deref().unwrap_or(UNATTRIBUTED));
                json.key("actant")
                    .string(self.actant(found.turn as usize).as_deref().unwrap_or(UNATTRIBUTED));
            });
        }
    }
}

impl Candidate {
    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
