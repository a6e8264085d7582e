//! Judging: which matches are evidence, and why the others are not.

mod exclusion;
mod negation;
pub(crate) mod readings;
pub(crate) mod window;

use crate::interaction::Interaction;
use crate::matcher::{Count, Hit, TurnText, place};
use crate::protocol::{End, Extent, Place};
use crate::sensor::{Owner, Plan};
use crate::unit::Unit;
use readings::Manner;
use std::ops::Range;
use std::sync::Arc;
use window::{Joined, Stretch, Window};

/// The conditions of a candidate, as bits of [`Candidate::failed`].
pub(crate) mod condition {
    /// Somebody else said it.
    pub(crate) const ROLE: u8 = 1;
    /// It stands outside the part that counts.
    pub(crate) const WHERE: u8 = 2;
    /// An exclusion overlaps it.
    pub(crate) const EXCEPT: u8 = 4;
    /// It is negated.
    pub(crate) const NEGATED: u8 = 8;
    /// Its check digits are wrong (such candidates are only ever near misses).
    pub(crate) const CHECKSUM: u8 = 16;
}

/// A match of an evidence line with the verdict on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) marker: u32,
    pub(crate) line: u32,
    pub(crate) turn: u32,
    /// Bytes of the turn's original text.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Its stretches in further turns, in [`Joined`]; 0: none.
    pub(crate) joined: u32,
    /// How many tokens it consumed.
    pub(crate) tokens: u32,
    /// How the text was read in which it was found.
    pub(crate) manner: Manner,
    /// What its line is worth.
    pub(crate) strength: Unit,
    /// Bits of [`condition`]; 0: it counts.
    pub(crate) failed: u8,
    /// What it adds to its marker's evidence; set when the marker is measured.
    pub(crate) contribution: Unit,
}

/// A turn among the others: what conditions, rates and fidelity need once its text is done with.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnFacts {
    /// The protocol's name of the speaker; `None` also where the protocol names no roles, so that nothing asks.
    pub(crate) role: Option<Arc<str>>,
    pub(crate) timestamp: Option<Unit>,
    pub(crate) count: Count,
}

/// The interaction as the conditions see it.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) turns: Vec<TurnFacts>,
    earliest: Option<Unit>,
    latest: Option<Unit>,
}

impl Setting {
    /// Who speaks when; counts are filled in turn by turn.
    pub(crate) fn of(plan: &Plan, interaction: &Interaction) -> Self {
        // A conversation has many turns and few roles.
        let mut seen: Vec<(&str, Arc<str>)> = Vec::new();
        let mut name_of = |role| match seen.iter().find(|(written, _)| *written == role) {
            Some((_, name)) => name.clone(),
            None => {
                let name: Arc<str> = plan.role_name(role).into();
                if seen.len() < 16 {
                    seen.push((role, name.clone()));
                }
                name
            }
        };
        let asked = !plan.roles.is_empty() || !plan.joins.is_empty();
        let turns = interaction.turns().iter().map(|turn| TurnFacts {
            role: turn.role.as_deref().filter(|_| asked).map(&mut name_of),
            timestamp: turn.timestamp,
            count: Count::default(),
        });
        let times = || interaction.turns().iter().filter_map(|turn| turn.timestamp);
        Self { turns: turns.collect(), earliest: times().min(), latest: times().max() }
    }

    /// Whether a turn is said by one of these roles (any role where the list is empty).
    pub(crate) fn is_by(&self, turn: usize, roles: &[String]) -> bool {
        roles.is_empty()
            || self.turns[turn].role.as_ref().is_some_and(|role| roles.iter().any(|name| **name == **role))
    }

    /// Whether a turn lies in the part of the interaction that counts.
    pub(crate) fn is_within(&self, turn: usize, place: Option<Place>) -> bool {
        let Some(place) = place else { return true };
        match (place.extent, place.from) {
            (Extent::Turns(n), End::First) => turn < n as usize,
            (Extent::Turns(n), End::Last) => turn + n as usize >= self.turns.len(),
            (Extent::Seconds(n), from) => {
                let edge = if from == End::First { self.earliest } else { self.latest };
                let times = self.turns[turn].timestamp.zip(edge);
                times.is_some_and(|(time, edge)| (time.0 - edge.0).saturating_abs() <= n.0)
            }
        }
    }
}

/// What was read: where it stands in the interaction, and how it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'w> {
    /// The turn; of a window the first.
    pub(crate) turn: usize,
    pub(crate) window: Option<&'w Window>,
    pub(crate) manner: Manner,
}

/// What was found in the readings so far.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) joined: Joined,
}

/// Judges the matches of one reading of a turn or window.
pub(crate) fn judge(
    plan: &Plan,
    setting: &Setting,
    scene: Scene<'_>,
    turn: &TurnText<'_>,
    hits: &[Hit],
    findings: &mut Findings,
) {
    let Findings { candidates, joined } = findings;
    candidates.reserve(hits.len());
    let exclusions = exclusion::Exclusions::of(plan, turn, hits);
    let cues = negation::Cues::of(plan, turn, hits);
    let mut verdict = |marker: u32, line: u32, strength: Unit, hit: &Hit, range: Range<usize>, failed: u8| {
        let (first, further) = match scene.window {
            None => (Stretch::of(scene.turn, &range), Vec::new()),
            Some(window) if plan.protocol.markers[marker as usize].join == Some(window.join) => {
                let Some(place) = window.place(&range) else { return };
                place
            }
            Some(_) => return,
        };
        let marker_plan = &plan.markers[marker as usize];
        let mut failed = failed;
        if !setting.is_by(scene.turn, &marker_plan.by) {
            failed |= condition::ROLE;
        }
        if !setting.is_within(scene.turn, marker_plan.place) {
            failed |= condition::WHERE;
        }
        if exclusions.overlap(marker, &range) {
            failed |= condition::EXCEPT;
        }
        if marker_plan.drops_negated && cues.negate(plan, turn, &marker_plan.written[line as usize], hit) {
            failed |= condition::NEGATED;
        }
        candidates.push(Candidate {
            marker,
            line,
            turn: first.turn,
            start: first.start,
            end: first.end,
            joined: joined.keep(further),
            tokens: (hit.last - hit.first).max(1),
            manner: scene.manner,
            strength,
            failed,
            contribution: Unit::ZERO,
        });
    };
    for hit in hits {
        let rule = &plan.rules[hit.rule as usize];
        if let Owner::Line { marker, line } = rule.owner {
            verdict(marker, line, rule.strength, hit, place(plan, turn, hit), 0);
        }
    }
    for (marker, line, hit, range) in near_misses(plan, turn) {
        let strength = plan.protocol.markers[marker as usize].lines[line as usize].strength;
        verdict(marker, line, strength, &hit, range, condition::CHECKSUM);
    }
}

/// Occurrences with the right shape and wrong check digits, for lines that are a checked class and nothing else.
fn near_misses(plan: &Plan, turn: &TurnText<'_>) -> Vec<(u32, u32, Hit, Range<usize>)> {
    let mut found = Vec::new();
    if plan.checked.is_empty() {
        return found;
    }
    let mut occurrences = Vec::new();
    crate::class::find_near(turn.folded.text(), plan.checked, &mut occurrences);
    for (marker, marker_plan) in plan.markers.iter().enumerate() {
        for (line, class) in marker_plan.checked.iter().enumerate() {
            for o in occurrences.iter().filter(|o| Some(o.class) == *class) {
                let tokens = turn.tokens_over(o.start as usize, o.end as usize);
                let hit =
                    Hit { rule: 0, first: tokens.start as u32, last: tokens.end as u32, regex_match: 0 };
                let range = turn.original_range(o.start as usize, o.end as usize);
                found.push((marker as u32, line as u32, hit, range));
            }
        }
    }
    found
}
