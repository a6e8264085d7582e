//! Section 3, cues: what negates a candidate.

use crate::gap::GapKind;
use crate::language::Language;
use crate::matching::{Match, parts, passes};
use crate::turn::Turn;
use sonometer::protocol::NegationRules;
use sonometer::protocol::phrase::Pattern;
use std::ops::Range;

/// The cues and the stops of a turn.
pub(crate) struct Negation {
    cues: Vec<Range<usize>>,
    post_cues: Vec<Range<usize>>,
    stops: Vec<Range<usize>>,
    post_stops: Vec<Range<usize>>,
    commas_stop: bool,
    reach: u8,
}

/// Finds the cues and stops of a turn: those of the language and the protocol's own.
pub(crate) fn negation(turn: &Turn, rules: &NegationRules, language: &Language) -> Negation {
    let cues = cues(turn, rules, language);
    let reads_as = |cue: &&Range<usize>, phrase: &Vec<String>| {
        cue.len() == phrase.len()
            && turn.tokens[(*cue).clone()].iter().zip(phrase).all(|(t, word)| t.lower == *word)
    };
    let post = language.post_cues();
    let post_cues =
        cues.iter().filter(|cue| post.iter().any(|phrase| reads_as(cue, phrase))).cloned().collect();
    Negation {
        cues,
        post_cues,
        stops: phrases(turn, &[language.stops(), rules.stops.clone()].concat()),
        post_stops: phrases(turn, &language.post_stops()),
        commas_stop: language.commas_stop(),
        reach: rules.reach,
    }
}

/// Whether the last cue that applies to a match of a line, with the applying cues side by side with it, are odd in number.
pub(crate) fn is_negated(
    turn: &Turn,
    found: &Match,
    pattern: &Pattern,
    negation: &Negation,
    language: &Language,
) -> bool {
    let applies = |cue: &&Range<usize>| {
        applies_before(turn, cue, &found.tokens, negation)
            || applies_inside(turn, cue, &found.tokens, pattern, language)
            || applies_after(turn, cue, &found.tokens, negation)
    };
    let applying: Vec<Range<usize>> = negation.cues.iter().filter(applies).cloned().collect();
    side_by_side_with_the_last(&applying) % 2 == 1
}

/// How many cues stand side by side at the end: each ends where the next begins.
fn side_by_side_with_the_last(cues: &[Range<usize>]) -> usize {
    let Some(last) = cues.len().checked_sub(1) else { return 0 };
    let mut first = last;
    while first > 0 && cues[first - 1].end == cues[first].start {
        first -= 1;
    }
    last - first + 1
}

/// A cue that overlaps a pseudo-cue is none.
fn cues(turn: &Turn, rules: &NegationRules, language: &Language) -> Vec<Range<usize>> {
    let pseudo = phrases(turn, &[language.not_cues(), rules.not_cues.clone()].concat());
    let cues = phrases(turn, &[language.cues(), rules.cues.clone()].concat());
    cues.into_iter().filter(|cue| !pseudo.iter().any(|p| overlap(cue, p))).collect()
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Left to right, longest first, not overlapping.
fn phrases(turn: &Turn, list: &[Vec<String>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < turn.tokens.len() {
        match list.iter().filter(|phrase| stands_at(turn, phrase, at)).map(Vec::len).max() {
            Some(length) if length > 0 => {
                found.push(at..at + length);
                at += length;
            }
            _ => at += 1,
        }
    }
    found
}

/// Words joined by *join* gaps.
fn stands_at(turn: &Turn, phrase: &[String], at: usize) -> bool {
    at + phrase.len() <= turn.tokens.len()
        && phrase.iter().enumerate().all(|(k, word)| turn.tokens[at + k].lower == *word)
        && (at + 1..at + phrase.len()).all(|gap| turn.kinds[gap] == GapKind::Join)
}

/// *before*: d ≤ s, s − d < reach, gap d is a *join* gap, and between them there is no *end* gap, no stop, and no gap with `;`,
/// nor a *break* gap where commas stop.
fn applies_before(turn: &Turn, cue: &Range<usize>, found: &Range<usize>, negation: &Negation) -> bool {
    let (d, s) = (cue.end, found.start);
    d <= s
        && s - d < usize::from(negation.reach)
        && turn.kinds[d] == GapKind::Join
        && (d..=s).all(|gap| turn.kinds[gap] != GapKind::End && !turn.gaps[gap].contains(&';'))
        && !(negation.commas_stop && (d..=s).any(|gap| turn.kinds[gap] == GapKind::Break))
        && !negation.stops.iter().any(|stop| overlap(stop, &(d..s)))
}

/// *after*: the cue is a post-cue, e ≤ c, c − e < reach, and between them there are only *join* gaps and neither a stop nor a
/// post-stop.
fn applies_after(turn: &Turn, cue: &Range<usize>, found: &Range<usize>, negation: &Negation) -> bool {
    let (e, c) = (found.end, cue.start);
    let stops = || negation.stops.iter().chain(&negation.post_stops);
    negation.post_cues.contains(cue)
        && e <= c
        && c - e < usize::from(negation.reach)
        && (e..=c).all(|gap| turn.kinds[gap] == GapKind::Join)
        && !stops().any(|stop| overlap(stop, &(e..c)))
}

/// *inside*: s ≤ c and d ≤ e, the line can swallow words, and the cue is not written in it.
fn applies_inside(
    turn: &Turn,
    cue: &Range<usize>,
    found: &Range<usize>,
    pattern: &Pattern,
    language: &Language,
) -> bool {
    found.start <= cue.start
        && cue.end <= found.end
        && can_swallow(pattern)
        && !is_written(turn, cue, pattern, language)
}

/// The line has a `..n..`, a `&n` or a `_`.
fn can_swallow(pattern: &Pattern) -> bool {
    let swallows =
        |part: &&Pattern| matches!(part, Pattern::Gap { .. } | Pattern::Near { .. } | Pattern::Any);
    parts(pattern).iter().any(swallows)
}

/// Every word of the cue is named in the line.
fn is_written(turn: &Turn, cue: &Range<usize>, pattern: &Pattern, language: &Language) -> bool {
    let parts = parts(pattern);
    let names = |word: &str| {
        parts.iter().any(|part| match part {
            Pattern::Word(test) => passes(test, word, language),
            Pattern::Exact(exact) => *word == *exact.folded,
            Pattern::Phrases(phrases) => phrases.has_word(word),
            _ => false,
        })
    };
    turn.tokens[cue.clone()].iter().all(|token| names(&token.lower))
}
