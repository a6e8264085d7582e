//! A reading that moved from one version to the other.

use crate::json::number;
use serde::Serialize;
use sonometer::{Reading, Resonance, Unit};
use sonometer_report::{Cited, Roles, cited, full_name, named_resonance};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
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
        let Range { start, end } = found.evidence.range;
        (full_name(within, found.at, found.evidence.metamarker), found.evidence.turn, start, end)
    };
    let known: BTreeSet<_> = cited(other).iter().map(|found| key(other, found)).collect();
    let all = cited(reading);
    let own = all.iter().filter(|found| !known.contains(&key(reading, found)));
    let roles = (Roles::of(reading), Roles::of(other));
    let mut shown: Option<ShownTurn<'_>> = None;
    own.map(|found| {
        // Evidence is in the order of the text: what a turn shows is worked out once.
        let turn = found.evidence.turn;
        let shown = match shown.take().filter(|shown| shown.turn == turn) {
            Some(same) => shown.insert(same),
            None => shown.insert(ShownTurn::of(reading, other, turn)),
        };
        Quote::of(found, shown, (reading, &roles.0), &roles.1)
    })
    .collect()
}

/// A turn as either version lets it be shown.
struct ShownTurn<'r> {
    turn: usize,
    /// What is shown for each character, and the byte where the character begins.
    characters: Vec<Cow<'r, str>>,
    begins: Vec<usize>,
}

impl<'r> ShownTurn<'r> {
    fn of(reading: &'r Reading, other: &'r Reading, turn: usize) -> Self {
        let content = &*reading.interaction().turns()[turn].content;
        // What one protocol of a composition masks, all of them do.
        let (here, there) = (reading.masked_characters(turn), other.masked_characters(turn));
        let written = content.char_indices().map(|(at, c)| &content[at..at + c.len_utf8()]);
        // What either hides is hidden.
        let either = here.into_iter().zip(there).zip(written);
        let characters = either.map(|((a, b), c)| if b == c { a } else { b }).collect();
        Self { turn, characters, begins: content.char_indices().map(|(at, _)| at).collect() }
    }

    /// The number of characters before a byte.
    fn before(&self, byte: usize) -> usize {
        self.begins.partition_point(|begin| *begin < byte)
    }

    fn text(&self, range: Range<usize>) -> String {
        self.characters.get(range).unwrap_or_default().concat()
    }
}

impl Quote {
    fn of(
        cited: &Cited<'_>,
        shown: &ShownTurn<'_>,
        (within, roles): (&Reading, &Roles),
        theirs: &Roles,
    ) -> Self {
        let Cited { at, reading, evidence: found, .. } = cited;
        let turn = &reading.interaction().turns()[found.turn];
        let (start, end) = (shown.before(found.range.start), shown.before(found.range.end));
        let length = shown.characters.len();
        let (from, to) = (start.saturating_sub(AROUND), (end + AROUND).min(length));
        let ellipsis = |cut: bool| if cut { "…" } else { "" };
        Self {
            marker: full_name(within, *at, found.metamarker),
            turn: found.turn,
            range: found.range.clone(),
            role: turn.role.as_deref().map(|role| theirs.shown(roles.shown(role)).to_owned()),
            before: format!("{}{}", ellipsis(from > 0), shown.text(from..start)),
            source: shown.text(start..end),
            after: format!("{}{}", shown.text(end..to), ellipsis(to < length)),
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
