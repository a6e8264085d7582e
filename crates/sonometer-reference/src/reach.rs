//! Section 3, *after*, *before* and reach: what is said near a match.

use crate::candidate::Scene;
use crate::gap::GapKind;
use crate::matching::{exclusions, overlapped};
use crate::reading::{Hit, Stretch};
use crate::turn::Turn;
use sonometer::protocol::{Companion, Reach};
use std::ops::Range;

impl Scene<'_> {
    /// *after*: a companion ends before the match, within reach.
    pub(crate) fn comes_after(&self, companion: &Companion, hit: &Hit) -> bool {
        let first = &hit.stretches[0];
        let lent = self.lent(companion).into_iter().filter_map(|hit| hit.stretches.last().cloned());
        let mut all =
            self.companions(companion).into_iter().chain(lent.filter(|said| self.said_by(companion, said)));
        all.any(|said| self.within_reach(&said, first, companion.within))
    }

    /// *before*, and *pair*: a companion begins after the match, within reach.
    pub(crate) fn comes_before(&self, companion: &Companion, hit: &Hit) -> bool {
        let last = &hit.stretches[hit.stretches.len() - 1];
        let lent = self.lent(companion).into_iter().filter_map(|hit| hit.stretches.first().cloned());
        let mut all =
            self.companions(companion).into_iter().chain(lent.filter(|said| self.said_by(companion, said)));
        all.any(|said| self.within_reach(last, &said, companion.within))
    }

    /// The counted matches of the markers that a companion names.
    fn lent(&self, companion: &Companion) -> Vec<Hit> {
        self.counted(&companion.markers)
    }

    fn said_by(&self, companion: &Companion, said: &Stretch) -> bool {
        self.passes_role(&companion.by, &self.turns[said.turn])
    }

    /// The matches of the lines of a companion, for every start the longest, said by its `by`.
    fn companions(&self, companion: &Companion) -> Vec<Stretch> {
        let mut said = Vec::new();
        for reading in self.of_turns.iter().filter(|reading| self.passes_role(&companion.by, &reading.text)) {
            for line in &companion.lines {
                for found in exclusions(&reading.text, &line.pattern(), self.language) {
                    said.extend(reading.stretches(&found.extent));
                }
            }
        }
        said
    }

    /// Whether one place ends before the other begins, and not too far before it.
    fn within_reach(&self, one: &Stretch, other: &Stretch, reach: Reach) -> bool {
        let same_turn = one.turn == other.turn;
        let in_order = one.turn < other.turn || same_turn && one.place.end <= other.place.start;
        let turn = &self.turns[one.turn];
        let (end, start) = (tokens(turn, &one.place).end, tokens(turn, &other.place).start);
        in_order
            && match reach {
                Reach::Turns(n) => other.turn - one.turn <= n as usize,
                Reach::Seconds(n) => turn
                    .time
                    .zip(self.turns[other.turn].time)
                    .is_some_and(|(a, b)| (a - b).abs() <= i128::from(n.0)),
                Reach::Words(n) => same_turn && start.saturating_sub(end) <= n as usize,
                Reach::Sentences(n) => {
                    let (_, end) = sentence_tokens(turn, &one.place);
                    let (start, _) = sentence_tokens(turn, &other.place);
                    same_turn && sentence(turn, start).saturating_sub(sentence(turn, end)) <= n as usize
                }
            }
    }
}

/// The tokens that a place overlaps; if none, the next one.
fn tokens(turn: &Turn, place: &Range<usize>) -> Range<usize> {
    let tokens = overlapped(turn, place);
    tokens.start..tokens.end.max(tokens.start + 1)
}

/// The first and the last token whose sentences a place stands in: of those that it overlaps; if none, the one before it, and
/// before the first token the first.
pub(crate) fn sentence_tokens(turn: &Turn, place: &Range<usize>) -> (usize, usize) {
    let tokens = overlapped(turn, place);
    let before = tokens.start.saturating_sub(1);
    if tokens.is_empty() { (before, before) } else { (tokens.start, tokens.end - 1) }
}

/// The number of the sentence of a token.
fn sentence(turn: &Turn, token: usize) -> usize {
    turn.kinds.iter().take(token + 1).skip(1).filter(|kind| **kind == GapKind::End).count()
}
