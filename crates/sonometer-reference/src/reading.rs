//! Section 3, readings: the texts in which matches are looked for, and where their places lie in the original turns.

use crate::candidate::same_role;
use crate::fold::Folded;
use crate::language::Language;
use crate::matching::Match;
use crate::turn::{Token, Turn, cut};
use crate::unfold::unfold;
use sonometer::protocol::Protocol;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// A text in which matches are looked for: a turn or a window of turns, as written or unfolded.
pub(crate) struct Reading {
    /// Which of all readings it is.
    pub(crate) number: usize,
    /// Of a text as written: the number of the reading that is the same text unfolded, if there is one.
    pub(crate) unfolded: Option<usize>,
    /// The text; its number, role and time are those of its first turn.
    pub(crate) text: Turn,
    /// Of an unfolded text: what each character stands for in the text as written.
    cells: Option<Vec<Folded>>,
    /// The turns that the text as written is made of.
    parts: Vec<Part>,
}

/// A turn, or a part of it, inside the text of a reading.
#[derive(Clone, Debug)]
struct Part {
    /// Where it stands in the text as written.
    at: Range<usize>,
    /// The turn.
    turn: usize,
    /// Where it begins in the turn.
    from: usize,
}

/// A place within one turn, in bytes of the original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The turn.
    pub(crate) turn: usize,
    /// The place in it.
    pub(crate) place: Range<usize>,
}

impl Stretch {
    /// Touching is not overlapping.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.turn == other.turn && self.place.start < other.place.end && other.place.start < self.place.end
    }
}

/// A match in a reading.
#[derive(Clone)]
pub(crate) struct Hit {
    /// The reading.
    pub(crate) reading: Rc<Reading>,
    /// Where it is in the text of the reading.
    pub(crate) found: Match,
    /// Where its place is in the original: one stretch a turn.
    pub(crate) stretches: Vec<Stretch>,
    /// All that it covers in the original.
    pub(crate) extent: Vec<Stretch>,
}

impl Hit {
    /// A match found in a reading.
    pub(crate) fn new(reading: &Rc<Reading>, found: Match) -> Self {
        let extent = reading.stretches(&found.extent);
        let place = reading.stretches(&found.place);
        // What stands only between two turns is nobody's.
        let stretches = if place.is_empty() { extent.clone() } else { place };
        Self { reading: Rc::clone(reading), stretches, extent, found }
    }

    /// The turn in which its place begins.
    pub(crate) fn turn(&self) -> usize {
        self.stretches[0].turn
    }

    /// Its place in the turn in which it begins.
    pub(crate) fn place(&self) -> &Range<usize> {
        &self.stretches[0].place
    }

    /// The order of the text: turn, start, end, first token.
    pub(crate) fn order(&self) -> (usize, usize, usize, usize) {
        (self.turn(), self.place().start, self.place().end, self.found.tokens.start)
    }

    /// Whether two matches overlap in some turn.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.stretches.iter().any(|one| other.stretches.iter().any(|two| one.overlaps(two)))
    }
}

impl Reading {
    /// Where a place of the text lies in the original turns; what lies between two turns lies nowhere.
    pub(crate) fn stretches(&self, place: &Range<usize>) -> Vec<Stretch> {
        let written = self.as_written(place);
        let inside = |part: &Part| {
            let start = written.start.max(part.at.start);
            let end = written.end.min(part.at.end);
            let back = |byte: usize| byte - part.at.start + part.from;
            (start < end).then(|| Stretch { turn: part.turn, place: back(start)..back(end) })
        };
        self.parts.iter().filter_map(inside).collect()
    }

    /// From the start of the first to the end of the last cell.
    fn as_written(&self, place: &Range<usize>) -> Range<usize> {
        let Some(cells) = &self.cells else { return place.clone() };
        let bytes = self.text.original.char_indices().map(|(at, _)| at);
        let inside: Vec<&Folded> =
            bytes.zip(cells).filter(|(at, _)| place.contains(at)).map(|(_, cell)| cell).collect();
        match (inside.first(), inside.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        }
    }

    /// Of an unfolded text: the tokens that stand for some byte of the text as written; none of them: an empty range.
    pub(crate) fn tokens_for(&self, written: &Range<usize>) -> Range<usize> {
        let stands_for = |token: &Token| {
            let place = self.as_written(&token.place);
            place.start < written.end && written.start < place.end
        };
        let tokens = &self.text.tokens;
        match (tokens.iter().position(stands_for), tokens.iter().rposition(stands_for)) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }

    /// Whether a match begins in the first turn and, in a window, ends in a later one.
    pub(crate) fn counts(&self, hit: &Hit) -> bool {
        match self.parts.len() {
            1 => true,
            _ => hit.extent.len() > 1 && hit.extent[0].turn == self.text.index,
        }
    }
}

/// All readings of turns: each turn as written, then each unfolded that has such a reading.
pub(crate) fn of_turns(turns: &[Turn], protocol: &Protocol, language: &Language) -> Vec<Rc<Reading>> {
    let whole = |turn: &Turn| Part { at: 0..turn.original.len(), turn: turn.index, from: 0 };
    with_unfolded(turns.iter().map(|turn| (turn.clone(), vec![whole(turn)])).collect(), protocol, language, 0)
}

/// All readings of windows of at most `most` turns; their numbers begin at `number`.
pub(crate) fn of_windows(
    turns: &[Turn],
    most: u32,
    protocol: &Protocol,
    language: &Language,
    number: usize,
) -> Vec<Rc<Reading>> {
    let windows = turns.iter().filter_map(|turn| window(turns, turn, most, protocol));
    let texts = windows.map(|window| joined(&window, language)).collect();
    with_unfolded(texts, protocol, language, number)
}

fn with_unfolded(
    written: Vec<(Turn, Vec<Part>)>,
    protocol: &Protocol,
    language: &Language,
    number: usize,
) -> Vec<Rc<Reading>> {
    let mut unfolded = Vec::new();
    let mut twins = vec![None; written.len()];
    for (at, (text, parts)) in written.iter().enumerate() {
        if let Some(cells) = unfold(&text.folded, protocol, language) {
            let characters: String = cells.iter().map(|cell| cell.char).collect();
            let new = Turn {
                index: text.index,
                role: text.role.clone(),
                time: text.time,
                ..cut(&characters, language)
            };
            twins[at] = Some(number + written.len() + unfolded.len());
            unfolded.push((new, Some(cells), parts.clone()));
        }
    }
    let written = written.into_iter().map(|(text, parts)| (text, None, parts));
    let all = written.chain(unfolded).enumerate();
    let twin = |k: usize| twins.get(k).copied().flatten();
    all.map(|(k, (text, cells, parts))| {
        Rc::new(Reading { number: number + k, unfolded: twin(k), text, cells, parts })
    })
    .collect()
}

/// A turn with a role and a token, and those that follow in its chain, together at most `most`, at least 2.
fn window<'t>(turns: &'t [Turn], first: &'t Turn, most: u32, protocol: &Protocol) -> Option<Vec<&'t Turn>> {
    let mut window = vec![first];
    while window.len() < most as usize {
        match follower(turns, window[window.len() - 1], protocol) {
            Some(next) => window.push(next),
            None => break,
        }
    }
    (window.len() >= 2).then_some(window)
}

/// The next turn of the same role with a token, if at most one turn lies between.
fn follower<'t>(turns: &'t [Turn], turn: &Turn, protocol: &Protocol) -> Option<&'t Turn> {
    let role = |turn: &Turn| turn.role.as_deref().map(|role| same_role(protocol, role));
    let speaks = |turn: &Turn| role(turn).is_some() && !turn.tokens.is_empty();
    let next = turns[turn.index + 1..].iter().find(|next| speaks(next) && role(next) == role(turn))?;
    (speaks(turn) && next.index - turn.index <= 2).then_some(next)
}

/// Each turn from its first token's start to its last token's end, with one space between.
fn joined(window: &[&Turn], language: &Language) -> (Turn, Vec<Part>) {
    let mut text = String::new();
    let mut parts = Vec::new();
    for turn in window {
        let from = turn.tokens[0].place.start;
        let to = turn.tokens[turn.tokens.len() - 1].place.end;
        if !text.is_empty() {
            text.push(' ');
        }
        parts.push(Part { at: text.len()..text.len() + to - from, turn: turn.index, from });
        text.push_str(&turn.original[from..to]);
    }
    let first = window[0];
    (Turn { index: first.index, role: first.role.clone(), time: first.time, ..cut(&text, language) }, parts)
}

/// The matches of a line in all these readings, in the order of the text. One that overlaps a match in an earlier
/// reading is left out: it is the same thing said.
pub(crate) fn hits(readings: &[Rc<Reading>], find: impl Fn(&Turn) -> Vec<Match>) -> Vec<Hit> {
    let mut kept: Vec<Hit> = Vec::new();
    for reading in readings {
        let new: Vec<Hit> = find(&reading.text)
            .into_iter()
            .map(|found| Hit::new(reading, found))
            .filter(|hit| reading.counts(hit) && !kept.iter().any(|earlier| earlier.overlaps(hit)))
            .collect();
        kept.extend(new);
    }
    kept.sort_by_key(Hit::order);
    kept
}

/// The lengths of window that the markers ask for.
pub(crate) fn lengths(protocol: &Protocol) -> BTreeSet<u32> {
    protocol.markers.iter().filter_map(|marker| marker.join).collect()
}
