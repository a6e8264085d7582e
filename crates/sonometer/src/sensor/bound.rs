//! How much a guard holds back at most.
//!
//! Text is held back from where a match may have begun that cannot be ruled out yet. A line of known words is as long as these
//! words; what a line leaves open counts with the lengths below, which section 11 of the semantics promises. Text that goes
//! beyond them within what can still become a match is *a match in progress*, and so is a match that was found and waits for
//! one that overlaps it; all that is held back for another reason is within the bound.

use super::guarded::{Unbounded, masked_lines};
use crate::protocol::phrase::{Pattern, Regex, WordKind, gaps_in, widen};
use crate::protocol::{Line, Protocol};
use crate::unit::Unit;
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

/// The characters of a word that a line does not spell out.
const WORD: usize = 8;
/// The characters between two words: a mark and a space.
const BETWEEN: usize = 2;
/// The characters of a repetition without a limit in a regular expression, all its passes together.
const REPEATED: usize = 16;
/// The characters of an occurrence of a class: card numbers, accounts and dates are shorter, most addresses too.
const OCCURRENCE: usize = 48;

/// The most characters that the lines of a protocol hold back, or which of them knows no bound.
pub(super) fn most_held(protocol: &Protocol) -> Result<usize, Unbounded> {
    let mut longest = 0;
    for marker in protocol.markers.iter().filter(|marker| marker.mask.is_some()) {
        for line in masked_lines(marker) {
            let length = length_of(line).ok_or_else(|| Unbounded::Boundary(marker.label.clone()))?;
            longest = length.max(longest);
        }
    }
    // Whether a match goes on shows when the word behind it is complete: 2 + 8 + 2 = 12 characters.
    Ok(longest + BETWEEN + WORD + BETWEEN)
}

fn length_of(line: &Line) -> Option<usize> {
    // Near misses by too long a gap are masked too.
    let pattern = line.pattern();
    let has_near_misses = line.strength > Unit::ZERO && gaps_in(&pattern) == 1;
    if has_near_misses { length(&widen(&pattern)) } else { length(&pattern) }
}

/// The characters of the longest match of a pattern; `None` where an expression in it cannot be followed everywhere.
fn length(pattern: &Pattern) -> Option<usize> {
    let skipped = |tokens: u8| usize::from(tokens) * (WORD + BETWEEN);
    Some(match pattern {
        Pattern::Word(test) => {
            let known = test.folded.chars().count();
            match test.kind {
                WordKind::Equal => known,
                // One edit adds at most one character.
                WordKind::Misspelt => known + 1,
                WordKind::Prefix | WordKind::Inflection => known + WORD,
            }
        }
        Pattern::Exact(exact) => exact.folded.chars().count(),
        // One space between two words is written.
        Pattern::Phrases(phrases) => {
            let spaces = |phrase: &str| phrase.matches(' ').count() * (BETWEEN - 1);
            phrases.iter().map(|phrase| phrase.chars().count() + spaces(phrase)).max().unwrap_or(0)
        }
        Pattern::Any => WORD,
        Pattern::Gap { max } => skipped(*max),
        Pattern::Sequence(items) => {
            let mut sum = 0;
            for item in items.iter() {
                let own = length(item)?;
                // What has no length of its own (`^`, `<end>`) has no gap of its own either.
                sum += if own > 0 { own + BETWEEN } else { 0 };
            }
            sum.saturating_sub(BETWEEN)
        }
        Pattern::Either(items) => {
            let mut longest = 0;
            for item in items.iter() {
                longest = length(item)?.max(longest);
            }
            longest
        }
        Pattern::Optional(inner) | Pattern::Capture(inner) => length(inner)?,
        Pattern::Near { left, right, within } => {
            length(left)? + BETWEEN + skipped(*within) + BETWEEN + length(right)?
        }
        Pattern::Class(_) => OCCURRENCE,
        Pattern::Regex(regex) => length_of_regex(regex)?,
        Pattern::Mark(_) => 1,
        Pattern::TurnStart
        | Pattern::TurnEnd
        | Pattern::SentenceStart
        | Pattern::SentenceEnd
        | Pattern::Question => 0,
    })
}

fn length_of_regex(regex: &Regex) -> Option<usize> {
    let parsed = regex_syntax::parse(&regex.pattern()).ok()?;
    let looks = parsed.properties().look_set();
    // The automaton that follows expressions gives up on these as soon as a letter beyond ASCII stands beside them.
    let knows_letters = |look| {
        matches!(
            look,
            Look::WordUnicode
                | Look::WordUnicodeNegate
                | Look::WordStartUnicode
                | Look::WordEndUnicode
                | Look::WordStartHalfUnicode
                | Look::WordEndHalfUnicode
        )
    };
    if looks.iter().any(knows_letters) { None } else { Some(length_of_hir(&parsed)) }
}

fn length_of_hir(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => String::from_utf8_lossy(&literal.0).chars().count(),
        HirKind::Class(_) => 1,
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let once = length_of_hir(sub);
            match max {
                Some(max) => once * *max as usize,
                None => (once * *min as usize).max(once).max(REPEATED),
            }
        }
        HirKind::Capture(capture) => length_of_hir(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(length_of_hir).sum(),
        HirKind::Alternation(parts) => parts.iter().map(length_of_hir).max().unwrap_or(0),
    }
}
