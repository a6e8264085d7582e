//! Negation in the tradition of NegEx and ConText: a cue negates what follows it within reach, up to the end of the
//! sentence or a stop word; pseudo-cues do not negate; two cues side by side cancel.

use crate::language::Words;
use crate::matcher::{Hit, TurnText};
use crate::protocol::phrase::{Pattern, WordKind};
use crate::sensor::{Owner, Plan};
use crate::text::edit::within_one_edit;
use crate::text::gap::GapKind;
use std::sync::OnceLock;

/// The cues and stops of a turn as (first, last) tokens, in order; those of one list do not overlap, so that starts and ends are
/// in the same order and both can be searched by halves.
pub(super) struct Cues {
    cues: Vec<(usize, usize)>,
    /// Those of the cues that negate what stands before them too.
    post_cues: Vec<(usize, usize)>,
    stops: Vec<(usize, usize)>,
}

impl Cues {
    pub(super) fn of(plan: &Plan, turn: &TurnText<'_>, hits: &[Hit]) -> Self {
        let owner = |hit: &Hit| plan.rules[hit.rule as usize].owner;
        // Hits are sorted by rule, and the rules of negation are the last.
        let own = hits
            .iter()
            .rev()
            .take_while(|hit| matches!(owner(hit), Owner::Cue | Owner::NotCue | Owner::Stop));
        let hits = &hits[hits.len() - own.count()..];
        let of = |wanted: Owner| -> Vec<(usize, usize)> {
            let mine = hits.iter().filter(|hit| owner(hit) == wanted);
            mine.map(|hit| (hit.first as usize, hit.last as usize)).collect()
        };
        let mut cues = of(Owner::Cue);
        if !cues.is_empty() {
            let not_cues = of(Owner::NotCue);
            cues.retain(|cue| !overlaps_any(&not_cues, *cue));
        }
        let stops = if cues.is_empty() { Vec::new() } else { of(Owner::Stop) };
        debug_assert!(cues.last().is_none_or(|cue| cue.1 <= turn.tokens.len()));
        let known = plan.language.map_or(Words::NONE, |l| l.negation.post_cues);
        let mut post_cues = if known.is_empty() { Vec::new() } else { cues.clone() };
        post_cues.retain(|cue| known.contains(&phrase(turn, *cue)));
        Self { cues, post_cues, stops }
    }

    /// Whether the turn has none, so that nothing in it is negated.
    pub(super) fn is_empty(&self) -> bool {
        self.cues.is_empty()
    }

    /// Whether a match of a line is negated: by the last cue that applies to it, together with those side by side with it.
    pub(super) fn negate(
        &self,
        plan: &Plan,
        turn: &TurnText<'_>,
        (marker, line): (u32, u32),
        hit: &Hit,
    ) -> bool {
        if self.cues.is_empty() {
            return false;
        }
        let (first, last) = (hit.first as usize, hit.last as usize);
        let reach = usize::from(plan.protocol.negation.reach);
        let behind = self.cues.partition_point(|cue| cue.1 <= first);
        let before = self.cues[..behind].iter().rev().take_while(|cue| first - cue.1 < reach);
        let before = before.filter(|cue| !self.is_stopped(plan, turn, cue.1, first));
        // Asked of the line beforehand: what it means may be a list of thousands, and its matches full of cues.
        let lines = &plan.markers[marker as usize].gapped;
        let gapped = lines.binary_search_by_key(&line, |(line, _)| *line).ok().map(|at| &lines[at].1);
        let swallows = |cue: (usize, usize)| {
            let meaning = |of: &OnceLock<Box<Pattern>>| {
                let read = || Box::new(plan.line(marker, line).pattern().into_owned());
                !is_written(plan, turn, of.get_or_init(read), cue)
            };
            gapped.is_some_and(meaning)
        };
        let inside = self.cues[behind..].iter().take_while(|cue| gapped.is_some() && cue.0 < last);
        let inside: Vec<_> =
            inside.filter(|cue| cue.0 >= first && cue.1 <= last && swallows(**cue)).collect();
        let from = self.post_cues.partition_point(|cue| cue.0 < last);
        let after: Vec<_> = self.post_cues[from..]
            .iter()
            .take_while(|cue| cue.0 - last < reach)
            .filter(|cue| self.reaches_back(plan, turn, last, cue.0))
            .collect();
        // From the last cue backwards: those side by side cancel in pairs ("not without"), one that stands apart decides nothing
        // more. The three lists are disjoint and follow each other in the text, so chained they are in order.
        let mut applying = after.into_iter().rev().chain(inside.into_iter().rev()).chain(before);
        let Some(mut nearest) = applying.next() else { return false };
        let mut side_by_side = 1;
        for cue in applying {
            if cue.1 != nearest.0 {
                break;
            }
            (nearest, side_by_side) = (cue, side_by_side + 1);
        }
        side_by_side % 2 == 1
    }

    /// Whether nothing between the end of a match and a cue behind it ends the cue's reach: the same clause goes on.
    fn reaches_back(&self, plan: &Plan, turn: &TurnText<'_>, last: usize, cue: usize) -> bool {
        let stops = plan.language.map_or(Words::NONE, |l| l.negation.post_stops);
        (last..=cue).all(|at| turn.gap_kind(at) == GapKind::Join)
            && !overlaps_any(&self.stops, (last, cue))
            && !(last..cue).any(|at| stops.contains(&phrase(turn, (at, at + 1))))
    }

    /// Whether something between the end of a cue and the first token of a match ends the cue's reach.
    fn is_stopped(&self, plan: &Plan, turn: &TurnText<'_>, cue_end: usize, first: usize) -> bool {
        // "No, I like it": a cue that a comma sets apart is an answer.
        if turn.gap_kind(cue_end) != GapKind::Join {
            return true;
        }
        let commas_stop = plan.language.is_some_and(|l| l.negation.commas_stop);
        let gap_stops = |at: usize| match turn.gap_kind(at) {
            GapKind::Join => false,
            GapKind::Break => commas_stop || turn.gap(at).contains(';'),
            GapKind::End => true,
        };
        (cue_end..=first).any(gap_stops) || overlaps_any(&self.stops, (cue_end, first))
    }
}

/// The words of some tokens, in lower case, with one space between them.
fn phrase(turn: &TurnText<'_>, tokens: (usize, usize)) -> String {
    let words: Vec<String> = (tokens.0..tokens.1).map(|at| turn.word(at).to_ascii_lowercase()).collect();
    words.join(" ")
}

/// Whether one of the sorted, disjoint `spans` overlaps `span`.
fn overlaps_any(spans: &[(usize, usize)], span: (usize, usize)) -> bool {
    let at = spans.partition_point(|s| s.1 <= span.0);
    spans.get(at).is_some_and(|s| s.0 < span.1)
}

/// Whether every word of a cue passes some word test of the line: then it is part of what the author wrote.
fn is_written(plan: &Plan, turn: &TurnText<'_>, line: &Pattern, cue: (usize, usize)) -> bool {
    let stem = plan.language.and_then(|language| language.stem);
    (cue.0..cue.1).all(|at| {
        let word = turn.word(at).to_ascii_lowercase();
        let stemmed = stem.map(|stem| {
            let mut stemmed = String::new();
            stem(&word, &mut stemmed);
            stemmed
        });
        names(line, &word, stemmed.as_deref())
    })
}

/// Whether some word test of a pattern, wherever it stands, lets a word pass. `stem` is that of the word, where the language has stems.
fn names(pattern: &Pattern, word: &str, stem: Option<&str>) -> bool {
    match pattern {
        Pattern::Word(test) => match test.kind {
            WordKind::Equal => *word == *test.folded,
            WordKind::Prefix => word.starts_with(&*test.folded),
            WordKind::Misspelt => within_one_edit(word, &test.folded),
            WordKind::Inflection => stem.is_some_and(|stem| *stem == *test.folded),
        },
        Pattern::Exact(exact) => *word == *exact.folded,
        Pattern::Phrases(phrases) => phrases.has_word(word),
        Pattern::Sequence(items) | Pattern::Either(items) => items.iter().any(|item| names(item, word, stem)),
        Pattern::Optional(inner) | Pattern::Capture(inner) => names(inner, word, stem),
        Pattern::Near { left, right, .. } => names(left, word, stem) || names(right, word, stem),
        _ => false,
    }
}
