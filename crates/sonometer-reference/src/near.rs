//! Section 7, *gap* and *checksum*: what a line would have matched, had it asked for a little less.

use crate::candidate::{Candidate, Scene};
use crate::language::Language;
use crate::matching::{Match, exclusions, parts, place};
use crate::occurrence::near_misses;
use crate::reading::{Hit, Reading};
use crate::turn::Turn;
use sonometer::Unit;
use sonometer::class::Class as Detected;
use sonometer::protocol::phrase::{Class, Pattern};
use sonometer::protocol::{Line, Marker};
use std::rc::Rc;

/// The places that look like a card or account number to a line that is a single `<pan>` or `<iban>`, but have wrong
/// check digits; all conditions judged.
pub(crate) fn checksum_misses(scene: &Scene<'_>, marker: &Marker) -> Vec<Candidate> {
    scene.judged(marker, &marker.lines, |line| match *line.pattern() {
        Pattern::Class(class @ Class::Detected(Detected::Pan | Detected::Iban)) => {
            missed(scene, marker, line, &scene.readings(marker), |turn| wrong_digits(turn, class))
        }
        _ => Vec::new(),
    })
}

fn wrong_digits(turn: &Turn, class: Class) -> Vec<Match> {
    let misses = near_misses(turn, class);
    let place = |at: usize| place(turn, &misses[at].tokens, &misses[at..=at]);
    (0..misses.len()).map(|at| Match::plain(misses[at].tokens.clone(), place(at))).collect()
}

/// For each line of positive strength with exactly one `..n..` or `&n`: what it matches with 2n + 2 in the place of n, in
/// the readings of turns; all conditions judged.
pub(crate) fn gap_misses(scene: &Scene<'_>, marker: &Marker) -> Vec<Candidate> {
    scene.judged(marker, &marker.lines, |line| match (gaps(&line.pattern()), line.strength > Unit::ZERO) {
        (1, true) => missed(scene, marker, line, &scene.of_turns, |turn| {
            wide_matches(turn, &line.pattern(), scene.language)
        }),
        _ => Vec::new(),
    })
}

/// The longest matches of the widened pattern at the starts where the pattern itself matches nothing; from left to right
/// those that overlap none before.
fn wide_matches(turn: &Turn, pattern: &Pattern, language: &Language) -> Vec<Match> {
    let narrow: Vec<usize> =
        exclusions(turn, pattern, language).into_iter().map(|found| found.tokens.start).collect();
    let mut kept: Vec<Match> = Vec::new();
    for found in exclusions(turn, &widened(pattern), language) {
        let is_free = kept.last().is_none_or(|last| last.tokens.end <= found.tokens.start);
        if is_free && !narrow.contains(&found.tokens.start) {
            kept.push(found);
        }
    }
    kept
}

/// What is found in some readings, but for what overlaps a match of the line in any reading, or something found in an
/// earlier reading.
fn missed(
    scene: &Scene<'_>,
    marker: &Marker,
    line: &Line,
    readings: &[Rc<Reading>],
    find: impl Fn(&Turn) -> Vec<Match>,
) -> Vec<Hit> {
    let matched = scene.hits(marker, line);
    let mut missed: Vec<Hit> = Vec::new();
    for reading in readings {
        let found = find(&reading.text).into_iter().map(|found| Hit::new(reading, found));
        let new = |hit: &Hit| !matched.iter().chain(&missed).any(|other| other.overlaps(hit));
        let new: Vec<Hit> = found.filter(|hit| reading.counts(hit) && new(hit)).collect();
        missed.extend(new);
    }
    missed
}

/// How many `..n..` and `&n` a pattern has, lists written out.
fn gaps(pattern: &Pattern) -> usize {
    let all = parts(pattern).into_iter();
    all.filter(|part| matches!(part, Pattern::Gap { .. } | Pattern::Near { .. })).count()
}

/// The pattern with gaps of 2n + 2 tokens in the place of n.
fn widened(pattern: &Pattern) -> Pattern {
    let all = |parts: &[Pattern]| parts.iter().map(widened).collect();
    match pattern {
        Pattern::Gap { max } => Pattern::Gap { max: 2 * max + 2 },
        Pattern::Near { left, right, within } => Pattern::Near {
            left: Box::new(widened(left)),
            right: Box::new(widened(right)),
            within: 2 * within + 2,
        },
        Pattern::Sequence(parts) => Pattern::Sequence(all(parts)),
        Pattern::Either(choices) => Pattern::Either(all(choices)),
        Pattern::Optional(inner) => Pattern::Optional(Box::new(widened(inner))),
        Pattern::Capture(inner) => Pattern::Capture(Box::new(widened(inner))),
        other => other.clone(),
    }
}

/// The least number of tokens that a pattern can match.
pub(crate) fn least_tokens(pattern: &Pattern) -> usize {
    match pattern {
        Pattern::Word(_) | Pattern::Exact(_) | Pattern::Any | Pattern::Class(_) | Pattern::Regex(_) => 1,
        Pattern::Phrases(phrases) => {
            phrases.iter().map(|phrase| phrase.split(' ').count()).min().unwrap_or(0)
        }
        Pattern::Gap { .. } | Pattern::Optional(_) | Pattern::Mark(_) | Pattern::Question => 0,
        Pattern::TurnStart | Pattern::TurnEnd | Pattern::SentenceStart | Pattern::SentenceEnd => 0,
        Pattern::Capture(inner) => least_tokens(inner),
        Pattern::Sequence(parts) => parts.iter().map(least_tokens).sum(),
        Pattern::Either(choices) => choices.iter().map(least_tokens).min().unwrap_or(0),
        Pattern::Near { left, right, .. } => least_tokens(left) + least_tokens(right),
    }
}
