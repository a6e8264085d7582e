//! The ledger of a reading: every match, why it counts or not, and the sums up to the score.
//!
//! It shows the protocol's own configuration, so it is for the owner of the protocol, never part of a public result.

use crate::evidence::readings::Manner;
use crate::evidence::{Candidate, condition, lack};
use crate::json::Json;
use crate::measure::actant::ActantFlow;
use crate::measure::counts::Counts;
use crate::measure::resonance::{Basis, Resonance};
use crate::measure::signal::Signal;
use crate::measure::temporal::Temporal;
use crate::measure::{FlowOptions, TemporalOptions};
use crate::measure::{Measured, Stretch};
use crate::protocol::{Importance, LineList, Pole, Ratio, Repeat, Scope, ScoreKind};
use crate::unit::Unit;
use std::borrow::Cow;
use std::ops::Range;

/// The computation of one reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger<'r> {
    /// One entry for each marker, in the order of the protocol.
    pub markers: Vec<MarkerEntry<'r>>,
    /// How the activations become the score.
    pub score_kind: ScoreKind,
    /// The score; `None` where nothing was measured.
    pub score: Option<Unit>,
    /// Density of the fidelity.
    pub density: Unit,
    /// Clarity of the fidelity.
    pub clarity: Unit,
    /// Density times clarity.
    pub index: Unit,
    /// The index from which content is sufficient.
    pub sufficient_from: Unit,
    /// What density and clarity are made of.
    pub counts: Counts,
    /// The signal (SGM 1.5).
    pub signal: Option<Signal<'r>>,
    /// The actant flow (SGM 1.5), with the primary side of the protocol.
    pub actant_flow: Option<ActantFlow<'r>>,
    /// The temporal analysis (SGM 1.5), with the windows of the protocol.
    pub temporal: Option<Temporal>,
}

/// How one marker came to its activation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkerEntry<'r> {
    /// The marker's label.
    pub label: &'r str,
    /// Its weight in the score.
    pub importance: Importance,
    /// Its side in the score.
    pub pole: Pole,
    /// How repeated uses of a line count.
    pub repeat: Repeat,
    /// Added to the contributions.
    pub bias: Unit,
    /// How fast the activation saturates.
    pub half: Unit,
    /// Evidence per so many words, if so.
    pub per: Option<u32>,
    /// The rate that counts as 1, if the activation is a rate of turns.
    pub share_full: Option<Unit>,
    /// How a marker with `scope` was asked.
    pub scope: Option<ScopeEntry>,
    /// The rate of one thing for another that it is of, if it is of one.
    pub ratio: Option<&'r Ratio>,
    /// What is divided where there is `per`, `share_full` or `ratio`; the JSON has none of it.
    pub basis: Option<Basis>,
    /// The activation from which it is triggered.
    pub trigger: Unit,
    /// Evidence, activation, triggered.
    pub resonance: Resonance,
    /// Every match of its lines, by line and place.
    pub matches: Vec<MatchEntry<'r>>,
}

/// How a marker with `scope` was asked: of each of its stretches by itself, and the strongest counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeEntry {
    /// How many turns at a time.
    pub scope: Scope,
    /// The turns that it is asked of, from 0: those of its side and place that say something.
    pub turns: Vec<usize>,
    /// How many stretches they make.
    pub stretches: usize,
    /// In how many of these it reaches the trigger.
    pub held: usize,
    /// The first and the last turn of the strongest stretch; evidence is what its matches add, and the bias. `None`: no turn is asked.
    pub strongest: Option<(usize, usize)>,
}

/// One match of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchEntry<'r> {
    /// The pattern line as written.
    pub line: &'r str,
    /// The list it is in.
    pub list: LineList,
    /// What this match is worth: as its line says, with what `echo` and `pair` make of it.
    pub strength: Unit,
    /// The turn, from 0.
    pub turn: usize,
    /// Bytes of the turn's content.
    pub range: Range<usize>,
    /// Where it goes on in later turns.
    pub joined: Vec<Stretch>,
    /// Whether it was found in the unfolded text.
    pub unfolded: bool,
    /// The matched text, masked where the protocol says so; that of several turns joined by line breaks.
    pub source: Cow<'r, str>,
    /// What it added.
    pub contribution: Unit,
    /// The conditions it failed: `role`, `where`, `except`, `negated`, `after`, `before`, `gap`, `checksum`; empty if it
    /// counts.
    pub failed: Vec<&'static str>,
    /// What it lacks for its full strength: `pair`, `echo`.
    pub lacks: Vec<&'static str>,
}

impl Measured {
    /// The computation of what this protocol measured, for the owner of the protocol.
    pub fn ledger(&self) -> Ledger<'_> {
        let protocol = self.protocol();
        let mut rest = self.candidates.as_slice();
        let markers = protocol.markers.iter().zip(self.resonance()).enumerate().map(
            |(number, (marker, (_, resonance)))| {
                let (own, others) = rest.split_at(rest.partition_point(|c| c.marker as usize <= number));
                rest = others;
                MarkerEntry {
                    label: &marker.label,
                    importance: marker.importance,
                    pole: marker.pole,
                    repeat: marker.repeat,
                    bias: marker.bias,
                    half: marker.half,
                    per: marker.per,
                    share_full: marker.share.as_ref().map(|share| share.full),
                    scope: self.scope_entry(number as u32, marker.scope),
                    ratio: marker.ratio.as_ref(),
                    basis: self
                        .bases
                        .iter()
                        .find(|(own, _)| *own as usize == number)
                        .map(|(_, basis)| *basis),
                    trigger: marker.trigger,
                    resonance,
                    matches: own.iter().map(|candidate| self.match_entry(candidate)).collect(),
                }
            },
        );
        Ledger {
            markers: markers.collect(),
            score_kind: protocol.score,
            score: self.score(),
            density: self.fidelity.density,
            clarity: self.fidelity.clarity,
            index: self.fidelity.index,
            sufficient_from: protocol.fidelity.sufficient,
            counts: Counts::anew(self.sensor.plan(), &self.interaction),
            signal: self.signal(),
            actant_flow: self.actant_flow(FlowOptions::default()),
            temporal: self.temporal(TemporalOptions::default()),
        }
    }

    fn scope_entry(&self, number: u32, scope: Option<Scope>) -> Option<ScopeEntry> {
        let scope = scope?;
        let asked = self.asked.iter().find(|(marker, _)| *marker == number).map(|(_, asked)| asked);
        let strongest = asked.and_then(|asked| asked.stretches.get(asked.strongest));
        Some(ScopeEntry {
            scope,
            turns: asked
                .map_or_else(Vec::new, |asked| asked.turns.iter().map(|turn| *turn as usize).collect()),
            stretches: asked.map_or(0, |asked| asked.stretches.len()),
            held: asked.map_or(0, |asked| asked.held),
            strongest: strongest.map(|stretch| (stretch.turns.0 as usize, stretch.turns.1 as usize)),
        })
    }

    fn match_entry(&self, candidate: &Candidate) -> MatchEntry<'_> {
        let line = self.sensor.plan().line(candidate.marker, candidate.line);
        let names = [
            (condition::ROLE, "role"),
            (condition::WHERE, "where"),
            (condition::EXCEPT, "except"),
            (condition::NEGATED, "negated"),
            (condition::AFTER, "after"),
            (condition::BEFORE, "before"),
            (condition::GAP, "gap"),
            (condition::CHECKSUM, "checksum"),
        ];
        let failed = names.into_iter().filter(|(bit, _)| candidate.failed & bit != 0);
        let lacks = [(lack::PAIR, "pair"), (lack::ECHO, "echo")];
        let lacks = lacks.into_iter().filter(|(bit, _)| candidate.lacks & bit != 0);
        MatchEntry {
            line: &line.text,
            list: line.list,
            strength: candidate.strength,
            turn: candidate.turn as usize,
            range: self.range(candidate),
            joined: self.joined_to(candidate),
            unfolded: candidate.manner == Manner::Unfolded,
            source: self.source(candidate),
            contribution: candidate.contribution,
            failed: failed.map(|(_, name)| name).collect(),
            lacks: lacks.map(|(_, name)| name).collect(),
        }
    }
}

impl Ledger<'_> {
    /// The ledger as canonical JSON.
    pub fn to_json(&self) -> String {
        let mut json = Json::with_capacity(1024);
        json.object(|json| {
            json.key("score").object(|json| {
                json.key("kind").string(self.score_kind.as_str());
                json.key("value").number_or_null(self.score);
            });
            json.key("fidelity").object(|json| {
                json.key("density").number(self.density);
                json.key("clarity").number(self.clarity);
                json.key("index").number(self.index);
                json.key("sufficient_from").number(self.sufficient_from);
                self.counts.write(json);
            });
            json.key("markers").list(|json| {
                for marker in &self.markers {
                    json.object(|json| marker.write(json));
                }
            });
            if let Some(signal) = &self.signal {
                json.key("signal").object(|json| signal.write(json));
            }
            if let Some(flow) = &self.actant_flow {
                json.key("actant_flow").object(|json| flow.write_all(json));
            }
            if let Some(temporal) = &self.temporal {
                json.key("temporal").object(|json| temporal.write_all(json));
            }
        });
        json.into_text()
    }
}

impl MarkerEntry<'_> {
    fn write(&self, json: &mut Json) {
        json.key("label").string(self.label);
        json.key("weight").number(Unit(self.importance.weight() * 1_000_000));
        json.key("pole").string(self.pole.as_str());
        json.key("repeat").string(self.repeat.as_str());
        json.key("bias").number(self.bias);
        match self.per {
            Some(words) => json.key("per_words").count(words.into()),
            None => json.key("per_words").null(),
        }
        match self.share_full {
            Some(full) => json.key("share_full").number(full),
            None => json.key("share_full").null(),
        }
        if let Some(scope) = &self.scope {
            json.key("scope").object(|json| scope.write(json));
        }
        json.key("evidence").number(self.resonance.evidence);
        json.key("half").number(self.half);
        json.key("activation").number(self.resonance.activation);
        json.key("trigger").number(self.trigger);
        json.key("triggered").bool(self.resonance.triggered);
        json.key("matches").list(|json| {
            for found in &self.matches {
                json.object(|json| found.write(json));
            }
        });
    }
}

impl ScopeEntry {
    fn write(&self, json: &mut Json) {
        json.key("of").string(&self.scope.to_string());
        json.key("segments").count(self.turns.len() as u64);
        json.key("stretches").count(self.stretches as u64);
        json.key("held").count(self.held as u64);
        if let Some((first, last)) = self.strongest {
            json.key("first").count(first as u64);
            json.key("last").count(last as u64);
        }
    }
}

impl MatchEntry<'_> {
    fn write(&self, json: &mut Json) {
        json.key("list").string(self.list.as_str());
        json.key("line").string(self.line);
        json.key("strength").number(self.strength);
        json.key("segment").count(self.turn as u64);
        json.key("start").count(self.range.start as u64);
        json.key("end").count(self.range.end as u64);
        if !self.joined.is_empty() {
            json.key("joined").list(|json| {
                for stretch in &self.joined {
                    json.object(|json| {
                        json.key("segment").count(stretch.turn as u64);
                        json.key("start").count(stretch.range.start as u64);
                        json.key("end").count(stretch.range.end as u64);
                    });
                }
            });
        }
        if self.unfolded {
            json.key("unfolded").bool(true);
        }
        json.key("source").string(&self.source);
        json.key("contribution").number(self.contribution);
        json.key("failed").list(|json| self.failed.iter().for_each(|name| json.string(name)));
        json.key("lacks").list(|json| self.lacks.iter().for_each(|name| json.string(name)));
    }
}
