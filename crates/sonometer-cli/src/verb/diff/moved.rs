//! A reading that moved from one version to the other.

use crate::json::number;
use serde::Serialize;
use sonometer::{Reading, Resonance, Unit};
use sonometer_report::{Cited, Roles, cited, full_name, named_resonance};
use std::collections::BTreeMap;
use std::ops::Range;

/// What differs between two readings of one interaction.
#[derive(Debug)]
pub(super) struct Moved {
    pub(super) score: (Option<Unit>, Option<Unit>),
    pub(super) sufficient: (bool, bool),
    /// The markers that only the new reading triggers, in its order.
    pub(super) triggered: Vec<String>,
    /// The markers that only the old reading triggers.
    pub(super) silenced: Vec<String>,
    /// Evidence of the new reading alone.
    pub(super) came: Vec<Quote>,
    /// Evidence of the old reading alone.
    pub(super) went: Vec<Quote>,
}

/// A piece of evidence with the turn around it, masked as either version asks.
#[derive(Debug)]
pub(super) struct Quote {
    pub(super) marker: String,
    pub(super) turn: usize,
    /// Bytes of the turn as it was written.
    pub(super) range: Range<usize>,
    pub(super) role: Option<String>,
    pub(super) before: String,
    pub(super) source: String,
    pub(super) after: String,
}

/// Characters around evidence that are quoted.
const AROUND: usize = 32;

impl Moved {
    /// `None` if nothing moved.
    pub(super) fn between(old: &Reading, new: &Reading) -> Option<Self> {
        let mut resonance: BTreeMap<&str, (Option<_>, Option<_>)> = BTreeMap::new();
        let (before, after) = (named_resonance(old), named_resonance(new));
        before.iter().for_each(|(label, found)| resonance.entry(label.as_str()).or_default().0 = Some(found));
        after.iter().for_each(|(label, found)| resonance.entry(label.as_str()).or_default().1 = Some(found));
        let fires = |all: &[(String, Resonance)]| -> Vec<String> {
            let triggered = all.iter().filter(|(_, resonance)| resonance.triggered);
            triggered.map(|(label, _)| label.clone()).collect()
        };
        let (fired, fires) = (fires(&before), fires(&after));
        let moved = Self {
            score: (old.score(), new.score()),
            sufficient: (old.fidelity().sufficient, new.fidelity().sufficient),
            came: only_in(new, old),
            went: only_in(old, new),
            triggered: fires.iter().filter(|label| !fired.contains(label)).cloned().collect(),
            silenced: fired.into_iter().filter(|label| !fires.contains(label)).collect(),
        };
        // A marker that comes or goes without a sound moves nothing.
        let sounds = |found: &Option<&Resonance>| {
            found.map(|found| found.activation).filter(|activation| *activation > Unit::ZERO)
        };
        let same = resonance.values().all(|(old, new)| sounds(old) == sounds(new));
        let still = moved.score.0 == moved.score.1 && moved.sufficient.0 == moved.sufficient.1;
        (!(same && still && moved.came.is_empty() && moved.went.is_empty())).then_some(moved)
    }

    /// What `new` gains on `old`; 0 where one of them was not measured.
    pub(super) fn gain(old: &Reading, new: &Reading) -> Option<i64> {
        Some(new.score()?.0 - old.score()?.0)
    }

    /// For programs.
    pub(super) fn json<'m>(&'m self, name: &'m str, id: Option<&'m str>) -> impl Serialize + 'm {
        Line {
            name,
            id,
            score: Both { old: self.score.0.map(Number), new: self.score.1.map(Number) },
            sufficient: Both { old: self.sufficient.0, new: self.sufficient.1 },
            triggered: &self.triggered,
            silenced: &self.silenced,
            came: self.came.iter().map(Quote::json).collect(),
            went: self.went.iter().map(Quote::json).collect(),
        }
    }
}

/// The evidence of one reading that the other does not have at that place.
fn only_in(reading: &Reading, other: &Reading) -> Vec<Quote> {
    let key = |within: &Reading, found: &Cited<'_>| {
        let name = full_name(within, found.at, found.evidence.metamarker);
        (name, found.evidence.turn, found.evidence.range.clone())
    };
    let known: Vec<_> = cited(other).iter().map(|found| key(other, found)).collect();
    let all = cited(reading);
    let own = all.iter().filter(|found| !known.contains(&key(reading, found)));
    let roles = (Roles::of(reading), Roles::of(other));
    own.map(|found| Quote::of(found, (reading, &roles.0), (other, &roles.1))).collect()
}

impl Quote {
    fn of(
        cited: &Cited<'_>,
        (within, roles): (&Reading, &Roles),
        (other, theirs): (&Reading, &Roles),
    ) -> Self {
        let Cited { at, reading, evidence: found, .. } = cited;
        let turn = &reading.interaction().turns()[found.turn];
        let here = reading.masked_characters(found.turn);
        // What one protocol of a composition masks, all of them do.
        let there = other.masked_characters(found.turn);
        let written = turn.content.char_indices().map(|(at, c)| &turn.content[at..at + c.len_utf8()]);
        // What either hides is hidden.
        let either = here.iter().zip(&there).zip(written);
        let shown: Vec<&str> = either.map(|((a, b), c)| if *b == c { &**a } else { &**b }).collect();
        let count = |bytes: usize| turn.content.get(..bytes).map_or(0, |text| text.chars().count());
        let (start, end) = (count(found.range.start), count(found.range.end));
        let text = |range: Range<usize>| shown.get(range).unwrap_or_default().concat();
        let (from, to) = (start.saturating_sub(AROUND), (end + AROUND).min(shown.len()));
        let ellipsis = |cut: bool| if cut { "…" } else { "" };
        Self {
            marker: full_name(within, *at, found.metamarker),
            turn: found.turn,
            range: found.range.clone(),
            role: turn.role.as_deref().map(|role| theirs.shown(roles.shown(role)).to_owned()),
            before: format!("{}{}", ellipsis(from > 0), text(from..start)),
            source: text(start..end),
            after: format!("{}{}", text(end..to), ellipsis(to < shown.len())),
        }
    }

    fn json(&self) -> Found<'_> {
        let Self { marker, turn, range, source, .. } = self;
        Found { metamarker: marker, segment: *turn, start: range.start, end: range.end, source }
    }
}

/// An old and a new value.
#[derive(Serialize)]
pub(super) struct Both<T> {
    pub(super) old: T,
    pub(super) new: T,
}

/// A number as the engine prints it.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Number(#[serde(serialize_with = "number")] pub(super) Unit);

#[derive(Serialize)]
struct Line<'m> {
    name: &'m str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'m str>,
    score: Both<Option<Number>>,
    sufficient: Both<bool>,
    triggered: &'m [String],
    silenced: &'m [String],
    came: Vec<Found<'m>>,
    went: Vec<Found<'m>>,
}

/// Evidence; places in bytes of the segment.
#[derive(Serialize)]
struct Found<'m> {
    metamarker: &'m str,
    segment: usize,
    start: usize,
    end: usize,
    source: &'m str,
}
