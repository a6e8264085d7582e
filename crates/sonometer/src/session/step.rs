//! What a session says while an interaction comes in.

use crate::json::Json;
use crate::measure::fidelity::Fidelity;
use crate::unit::Unit;

/// A place in an interaction that still comes in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The segment, from 0; 0 in a plain text. The one behind the last where everything before it is complete.
    pub segment: usize,
    /// How far into its content, in the unit of the session.
    pub offset: usize,
}

/// What is new after a push.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Everything before this place is settled: nothing that was found there can change any more. The events so far have reported
    /// its masks and its evidence of every marker that is certain to trigger. It never goes back.
    pub settled_to: Place,
    /// Text before this place may be shown with the masks that the events so far have reported: they are all that begin before
    /// it, and none reaches over it. It is never behind `settled_to` and never goes back. With
    /// [`super::SessionOptions::release`] it runs ahead, as far as no masked pattern can reach any more; otherwise the two are the same.
    pub released_to: Place,
    /// What is new: evidence that had to wait for its marker to trigger, then what has settled in the order of the text;
    /// resonances and fidelity come last.
    pub events: Vec<Event>,
    /// The text from where the step before was released to up to `released_to` as it may be shown, segment by segment; empty
    /// unless [`super::SessionOptions::release`] asks for it.
    pub released: Vec<Released>,
}

/// Text of one segment, masked where the protocol says so, regardless of the fidelity. The parts released of a segment, put
/// together, are its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released {
    /// The segment, from 0.
    pub segment: usize,
    /// The next part of its content.
    pub text: String,
}

/// A stretch of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The segment, from 0.
    pub segment: usize,
    /// Where it begins and ends in the content, in the unit of the session.
    pub start: usize,
    /// See `start`.
    pub end: usize,
}

/// Something that a session reports. Evidence and masks are reported once and are final; resonance and fidelity are those of now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A piece of evidence, reported as soon as its marker is certain to trigger. The reading at the end has it too, unless the
    /// content turns out to be insufficient.
    Evidence {
        /// The metamarker, by its key in the reading.
        metamarker: String,
        /// What it adds to its marker, above 0, at most 1.
        score: Unit,
        /// The text, masked where the protocol says so.
        source: String,
        /// The segment it is in.
        segment: usize,
        /// Where it begins and ends in the content, in the unit of the session.
        start: usize,
        /// See `start`.
        end: usize,
        /// Where it goes on in later segments, for metamarkers with `join`.
        joined: Vec<Span>,
    },
    /// A stretch that must not be shown unmasked. Reported regardless of fidelity.
    Mask {
        /// The segment it is in.
        segment: usize,
        /// Where it begins and ends in the content, in the unit of the session.
        start: usize,
        /// See `start`.
        end: usize,
        /// What is shown in its place: each letter or digit, with its marks, as `*`, or the replacement of all of it.
        shown: String,
    },
    /// The resonance of a metamarker by what has settled so far.
    Resonance {
        /// The metamarker, by its key in the reading.
        metamarker: String,
        /// Its activation, 0 to 1.
        score: Unit,
    },
    /// Whether what came in so far is sufficient; reported when that changes.
    Fidelity(Fidelity),
}

impl Step {
    /// As canonical JSON: `{"settled_to":{"segment":0,"offset":9},"released_to":{"segment":0,"offset":9},"events":[…]}`, with
    /// `"released":[{"segment":0,"text":"…"}]` where there is any.
    pub fn to_json(&self) -> String {
        let mut json = Json::with_capacity(64 + 96 * self.events.len());
        json.object(|json| {
            for (key, place) in [("settled_to", self.settled_to), ("released_to", self.released_to)] {
                json.key(key).object(|json| {
                    json.key("segment").count(place.segment as u64);
                    json.key("offset").count(place.offset as u64);
                });
            }
            json.key("events").list(|json| {
                self.events.iter().for_each(|event| json.object(|json| event.write(json)));
            });
            if !self.released.is_empty() {
                json.key("released").list(|json| {
                    for Released { segment, text } in &self.released {
                        json.object(|json| {
                            json.key("segment").count(*segment as u64);
                            json.key("text").string(text);
                        });
                    }
                });
            }
        });
        json.into_text()
    }
}

impl Event {
    /// Its name: `evidence`, `mask`, `resonance`, `fidelity`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Evidence { .. } => "evidence",
            Self::Mask { .. } => "mask",
            Self::Resonance { .. } => "resonance",
            Self::Fidelity(_) => "fidelity",
        }
    }

    /// As canonical JSON with its name as `event`.
    pub fn to_json(&self) -> String {
        let mut json = Json::with_capacity(96);
        json.object(|json| self.write(json));
        json.into_text()
    }

    fn write(&self, json: &mut Json) {
        json.key("event").string(self.name());
        match self {
            Self::Evidence { metamarker, score, source, segment, start, end, joined } => {
                json.key("metamarker").string(metamarker);
                json.key("score").number(*score);
                json.key("source").string(source);
                write_place(json, *segment, *start, *end);
                if !joined.is_empty() {
                    json.key("joined").list(|json| {
                        for Span { segment, start, end } in joined {
                            json.object(|json| write_place(json, *segment, *start, *end));
                        }
                    });
                }
            }
            Self::Mask { segment, start, end, shown } => {
                write_place(json, *segment, *start, *end);
                json.key("shown").string(shown);
            }
            Self::Resonance { metamarker, score } => {
                json.key("metamarker").string(metamarker);
                json.key("score").number(*score);
            }
            Self::Fidelity(fidelity) => {
                json.key("index").number(fidelity.index);
                json.key("sufficient").bool(fidelity.sufficient);
            }
        }
    }
}

fn write_place(json: &mut Json, segment: usize, start: usize, end: usize) {
    json.key("segment").count(segment as u64);
    json.key("start").count(start as u64);
    json.key("end").count(end as u64);
}
