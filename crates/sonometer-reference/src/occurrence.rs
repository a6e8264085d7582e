//! Section 1, classes: where `<email>`, `<shout>` and their kin occur in a turn.

use crate::characters::{is_letter, is_upper_case};
use crate::detect;
use crate::language::Language;
use crate::token::Kind;
use crate::turn::{Turn, place};
use sonometer::protocol::phrase::Class;
use std::ops::Range;

/// One occurrence of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// The tokens it overlaps, at least one.
    pub(crate) tokens: Range<usize>,
    /// Where it stands in the original text, in bytes.
    pub(crate) place: Range<usize>,
}

/// The occurrences of a class in a turn.
pub(crate) fn occurrences(turn: &Turn, class: Class, language: &Language) -> Vec<Occurrence> {
    let ranges = match class {
        Class::Detected(class) => detect::occurrences(&folded_text(turn), class, language.class_words()),
        Class::Shout => shouts(turn),
    };
    over_tokens(turn, ranges)
}

/// The places of the right shape and wrong check digits, for `<pan>` and `<iban>`.
pub(crate) fn near_misses(turn: &Turn, class: Class) -> Vec<Occurrence> {
    let ranges = match class {
        Class::Detected(class) => detect::near_misses(&folded_text(turn), class),
        Class::Shout => Vec::new(),
    };
    over_tokens(turn, ranges)
}

fn folded_text(turn: &Turn) -> Vec<char> {
    turn.folded.iter().map(|f| f.char).collect()
}

/// An occurrence covers the tokens it overlaps; one that overlaps none is nothing to a pattern.
fn over_tokens(turn: &Turn, ranges: Vec<Range<usize>>) -> Vec<Occurrence> {
    ranges
        .into_iter()
        .map(|range| Occurrence { tokens: turn.covered(&range), place: place(&turn.folded, &range) })
        .filter(|occurrence| !occurrence.tokens.is_empty())
        .collect()
}

/// `<shout>`: loud runs and banged tokens, as ranges of folded characters.
fn shouts(turn: &Turn) -> Vec<Range<usize>> {
    let mut shouts = Vec::new();
    let runs = loud_runs(turn);
    for run in &runs {
        let last = run.end - 1;
        let end = banged_end(turn, last).unwrap_or(turn.tokens[last].folded.end);
        shouts.push(turn.tokens[run.start].folded.start..end);
    }
    for token in 0..turn.tokens.len() {
        if let Some(end) = banged_end(turn, token)
            && !runs.iter().any(|run| run.end == token + 1)
        {
            shouts.push(turn.tokens[token].folded.start..end);
        }
    }
    shouts
}

/// How many letters a word has in the original text, and whether all of them are capitals.
fn letters(turn: &Turn, token: usize) -> (usize, bool) {
    let token = &turn.tokens[token];
    if token.kind != Kind::Word {
        return (0, false);
    }
    let letters: Vec<char> = turn.original[token.place.clone()].chars().filter(|c| is_letter(*c)).collect();
    (letters.len(), letters.iter().all(|c| is_upper_case(*c)))
}

/// A word with two or more letters in the original text, all of them capitals.
fn is_loud(turn: &Turn, token: usize) -> bool {
    matches!(letters(turn, token), (2.., true))
}

/// A word with exactly one letter, and that is a capital.
fn is_neutral(turn: &Turn, token: usize) -> bool {
    letters(turn, token) == (1, true)
}

/// Maximal runs of loud and neutral tokens within a sentence, cut back to loud ends, with two loud tokens.
fn loud_runs(turn: &Turn) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for sentence in turn.sentences() {
        let mut from = sentence.start;
        while from < sentence.end {
            let belongs = |token: usize| is_loud(turn, token) || is_neutral(turn, token);
            let to = (from..sentence.end).find(|token| !belongs(*token)).unwrap_or(sentence.end);
            let loud: Vec<usize> = (from..to).filter(|token| is_loud(turn, *token)).collect();
            if loud.len() >= 2 {
                runs.push(loud[0]..loud[loud.len() - 1] + 1);
            }
            from = to + 1;
        }
    }
    runs
}

/// The end of the run of `!` and `?` directly after a token, if it holds at least two `!`.
fn banged_end(turn: &Turn, token: usize) -> Option<usize> {
    let gap = &turn.gaps[token + 1];
    let run = gap.iter().take_while(|c| matches!(c, '!' | '?')).count();
    let bangs = gap[..run].iter().filter(|c| **c == '!').count();
    (bangs >= 2).then_some(turn.tokens[token].folded.end + run)
}
