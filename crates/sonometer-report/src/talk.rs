//! What was said, with what was found in it.

use crate::cited::{Cited, cited};
use crate::names::Roles;
use crate::paint::Tone;
use sonometer::protocol::Effect;
use sonometer::{Reading, Unit};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// The turns of a reading with places marked. Only what the reading may show is shown: what its protocols mask stays masked.
#[derive(Debug)]
pub struct Talk<'r> {
    /// The reading.
    pub reading: &'r Reading,
    /// The places.
    pub marks: Vec<Mark<'r>>,
    /// The turn that is meant; `None`: all of them.
    pub judged: Option<usize>,
    /// What nearly triggered.
    pub near: Vec<String>,
    /// Whether every turn is shown, or those around the marks.
    pub whole: bool,
    /// Whether the score of each place stands under its turn.
    pub scores: bool,
    /// Whether a terminal leaves it out.
    pub page_only: bool,
    /// How much is shown at most; `None`: all of it.
    pub most: Option<Most>,
    /// Whether each place is followed by the names of what was found, for readers without colours.
    pub named: bool,
    /// Roles as they may be shown.
    pub roles: Roles,
}

/// How much of a conversation is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// Turns.
    pub turns: usize,
    /// Characters of one turn.
    pub characters: usize,
}

/// A place that is marked.
#[derive(Clone, Debug)]
pub struct Mark<'r> {
    /// The turn.
    pub turn: usize,
    /// Bytes of the turn as it was written.
    pub range: Range<usize>,
    /// What it means.
    pub tone: Tone,
    /// What was found: the label of a marker.
    pub label: &'r str,
    /// What it adds, if that is known.
    pub score: Option<Unit>,
    /// Whether it began in an earlier turn.
    pub goes_on: bool,
}

impl Mark<'_> {
    /// `gratitude 0.5`
    pub fn title(&self) -> String {
        match self.score {
            Some(score) => format!("{} {score}", self.label),
            None => self.label.to_owned(),
        }
    }
}

impl<'r> Talk<'r> {
    /// These places of a reading, in any order.
    pub fn with(reading: &'r Reading, mut marks: Vec<Mark<'r>>) -> Self {
        marks.sort_by_key(|mark| (mark.turn, mark.range.start, mark.range.end));
        Self {
            reading,
            marks,
            judged: None,
            near: Vec::new(),
            whole: false,
            scores: false,
            page_only: false,
            most: None,
            named: false,
            roles: Roles::of(reading),
        }
    }

    /// A role as it may be shown.
    pub(crate) fn role<'a>(&'a self, role: &'a str) -> &'a str {
        self.roles.shown(role)
    }

    /// The most turns that are shown.
    pub(crate) fn most_turns(&self) -> usize {
        self.most.map_or(usize::MAX, |most| most.turns)
    }

    /// The most characters of a turn that are shown.
    pub(crate) fn most_characters(&self) -> usize {
        self.most.map_or(usize::MAX, |most| most.characters)
    }

    /// All evidence of a reading, in the tones of its markers; evidence that spans turns in each of them.
    pub fn of(reading: &'r Reading) -> Self {
        let tones = tones(reading);
        let mut marks = Vec::new();
        for Cited { marker: label, evidence, .. } in cited(reading) {
            let tone = tones.get(label).copied().unwrap_or_default();
            let Range { start, end } = evidence.range;
            let (turn, score) = (evidence.turn, Some(evidence.score));
            marks.push(Mark { turn, range: start..end, tone, label, score, goes_on: false });
            marks.extend(evidence.joined.iter().map(|stretch| Mark {
                turn: stretch.turn,
                range: stretch.range.clone(),
                tone,
                label,
                score: None,
                goes_on: true,
            }));
        }
        Self::with(reading, marks)
    }

    /// The marks of these turns, by place.
    pub(crate) fn marks_of(&self, turns: Range<usize>) -> &[Mark<'r>] {
        let first = self.marks.partition_point(|mark| mark.turn < turns.start);
        let count = self.marks[first..].partition_point(|mark| mark.turn < turns.end);
        &self.marks[first..first + count]
    }
}

/// A piece of a turn that the same marks cover from its beginning to its end.
#[derive(Debug)]
pub(crate) struct Stretch<'t, 'r> {
    /// What is shown of it.
    pub(crate) shown: String,
    /// The marks, by place.
    pub(crate) covering: Vec<&'t Mark<'r>>,
}

/// Leaves stretches up to so many characters, and says how many characters are left out.
pub(crate) fn cut(stretches: &mut Vec<Stretch<'_, '_>>, most: usize) -> usize {
    let mut room = most;
    let mut last = None;
    for (at, stretch) in stretches.iter().enumerate() {
        // Bytes are a bound, so short texts need no counting.
        if stretch.shown.len() > room && stretch.shown.chars().count() > room {
            last = Some(at);
            break;
        }
        room = room.saturating_sub(stretch.shown.len());
    }
    let Some(last) = last else { return 0 };
    let whole: usize = stretches[last..].iter().map(|stretch| stretch.shown.chars().count()).sum();
    stretches.truncate(last + 1);
    if let Some((end, _)) = stretches[last].shown.char_indices().nth(room) {
        stretches[last].shown.truncate(end);
    }
    whole - room
}

impl<'t, 'r> Stretch<'t, 'r> {
    /// Whether something of it is shown, if only that something was removed here.
    fn is_seen(&self) -> bool {
        !(self.shown.is_empty() && self.covering.is_empty())
    }

    /// The narrowest of its marks, which gives it its colour.
    pub(crate) fn narrowest(&self) -> Option<&'t Mark<'r>> {
        self.covering.iter().copied().min_by_key(|mark| mark.range.len())
    }
}

/// A turn cut wherever one of its marks begins or ends; `masked` is what is shown for each character of `content`, `marks` are by
/// place. Takes time for each character and each mark once, but for marks that overlap.
pub(crate) fn stretches<'t, 'r>(
    content: &str,
    masked: &[Cow<'_, str>],
    marks: &'t [Mark<'r>],
) -> Vec<Stretch<'t, 'r>> {
    let mut cuts: Vec<usize> = marks.iter().flat_map(|mark| [mark.range.start, mark.range.end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut cuts = cuts.into_iter().peekable();
    let mut next = marks.iter().peekable();
    let mut all = Vec::new();
    let mut now = Stretch { shown: String::new(), covering: Vec::new() };
    for ((at, _), shown) in content.char_indices().zip(masked) {
        if cuts.next_if(|cut| *cut <= at).is_some() {
            let mut covering = now.covering.clone();
            covering.retain(|mark| mark.range.end > at);
            while let Some(mark) = next.next_if(|mark| mark.range.start <= at) {
                covering.extend((mark.range.end > at).then_some(mark));
            }
            let before = std::mem::replace(&mut now, Stretch { shown: String::new(), covering });
            all.extend(before.is_seen().then_some(before));
        }
        now.shown.push_str(shown);
    }
    all.extend(now.is_seen().then_some(now));
    all
}

/// The tone of each active marker, by its key in evidence. Markers with the same effect get different tones.
pub fn tones(reading: &Reading) -> BTreeMap<&str, Tone> {
    let (mut good, mut bad) = (0, 0);
    let mut tones = BTreeMap::new();
    let parts = reading
        .parts()
        .iter()
        .flat_map(|part| part.protocol().markers.iter().map(move |marker| (part.protocol(), marker)));
    for ((protocol, marker), (label, resonance)) in parts.zip(reading.resonance()) {
        if resonance.activation == Unit::ZERO {
            continue;
        }
        let effect = protocol.effect_of(marker);
        let nth = match effect {
            Effect::Improves => &mut good,
            Effect::Worsens => &mut bad,
        };
        tones.insert(label, Tone::Marker(effect, *nth));
        *nth += 1;
    }
    tones
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_turns_are_cut_between_characters() {
        let of = |texts: &[&str]| -> Vec<Stretch<'static, 'static>> {
            texts.iter().map(|text| Stretch { shown: (*text).into(), covering: Vec::new() }).collect()
        };
        let cut_to = |texts: &[&str], most| {
            let mut all = of(texts);
            let left_out = cut(&mut all, most);
            (all.iter().map(|stretch| stretch.shown.as_str()).collect::<Vec<_>>().join("|"), left_out)
        };
        assert_eq!(cut_to(&["ab", "cd", "ef"], 3), ("ab|c".into(), 3));
        assert_eq!(cut_to(&["ab", "cd"], 4), ("ab|cd".into(), 0));
        assert_eq!(cut_to(&["", "äöü"], 3), ("|äöü".into(), 0));
        assert_eq!(cut_to(&["äöü"], 2), ("äö".into(), 1));
        assert_eq!(cut_to(&["ab", "c"], 0), (String::new(), 3));
    }
}
