//! Gaps inside a pattern, for near misses by one that is too long.

use super::ast::Pattern;

/// How many `..n..` and `&n` a pattern has, lists written out.
pub(crate) fn gaps_in(pattern: &Pattern) -> usize {
    match pattern {
        Pattern::Gap { .. } => 1,
        Pattern::Sequence(items) | Pattern::Either(items) => items.iter().map(gaps_in).sum(),
        Pattern::Optional(inner) | Pattern::Capture(inner) => gaps_in(inner),
        Pattern::Near { left, right, .. } => 1 + gaps_in(left) + gaps_in(right),
        _ => 0,
    }
}

/// Whether a pattern has a gap, a `&` or a `_`, which can swallow a cue.
pub(crate) fn has_gap(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Any | Pattern::Gap { .. } | Pattern::Near { .. } => true,
        Pattern::Sequence(items) | Pattern::Either(items) => items.iter().any(has_gap),
        Pattern::Optional(inner) | Pattern::Capture(inner) => has_gap(inner),
        _ => false,
    }
}

/// The pattern with every gap of n widened to 2n + 2 tokens.
pub(crate) fn widen(pattern: &Pattern) -> Pattern {
    let all = |items: &[Pattern]| items.iter().map(widen).collect();
    let boxed = |inner: &Pattern| Box::new(widen(inner));
    match pattern {
        Pattern::Gap { max } => Pattern::Gap { max: 2 * max + 2 },
        Pattern::Near { left, right, within } => {
            Pattern::Near { left: boxed(left), right: boxed(right), within: 2 * within + 2 }
        }
        Pattern::Sequence(items) => Pattern::Sequence(all(items)),
        Pattern::Either(items) => Pattern::Either(all(items)),
        Pattern::Optional(inner) => Pattern::Optional(boxed(inner)),
        Pattern::Capture(inner) => Pattern::Capture(boxed(inner)),
        other => other.clone(),
    }
}

/// The fewest tokens a pattern can match, an occurrence of a class counting as one.
pub(crate) fn least_tokens(pattern: &Pattern) -> u32 {
    match pattern {
        Pattern::Word(_) | Pattern::Exact(_) | Pattern::Any | Pattern::Class(_) | Pattern::Regex(_) => 1,
        Pattern::Phrases(phrases) => phrases.words().0,
        Pattern::Sequence(items) => items.iter().map(least_tokens).sum(),
        Pattern::Either(items) => items.iter().map(least_tokens).min().unwrap_or(0),
        Pattern::Capture(inner) => least_tokens(inner),
        Pattern::Near { left, right, .. } => least_tokens(left) + least_tokens(right),
        _ => 0,
    }
}
