//! What a pattern must keep to, so that every match is a definite span and costs a bounded number of steps.

use super::ast::{Pattern, Regex};
use super::parse::{MAX_NODES, PhraseError};
use crate::expression::{Expression, MAX_BYTES, Refusal};

/// The most tokens that one pattern can cover. It bounds the work at each place of a text where a pattern is tried.
pub(super) const MAX_REACH: usize = 128;

/// Checks a whole pattern line.
pub(super) fn whole(pattern: &Pattern, line: &str) -> Result<(), PhraseError> {
    // Both orders of `&` are written out when compiling, so the size is that of the longer form.
    if size(pattern) > MAX_NODES {
        return Err(error(line, "SM0201", "a pattern of too many parts", "split it into several lines"));
    }
    let body = match pattern {
        Pattern::Question => return Ok(()),
        Pattern::Sequence(items) => match items.split_last() {
            Some((Pattern::Question, rest)) => rest,
            _ => items,
        },
        other => std::slice::from_ref(other),
    };
    body.iter().try_for_each(|p| no_question(p, line))?;
    if body.iter().all(is_nullable) {
        return Err(error(
            line,
            "SM0225",
            "a pattern that can match nothing",
            "make at least one word of it required",
        ));
    }
    if !body.iter().any(is_anchored) {
        return Err(error(line, "SM0226", "a pattern of nothing but `_`", "name at least one word or class"));
    }
    if reach(pattern) > MAX_REACH {
        let message = format!("a pattern that can cover {} tokens, more than {MAX_REACH}", reach(pattern));
        return Err(error(
            line,
            "SM0230",
            &message,
            "use fewer or smaller gaps, or split it into several lines",
        ));
    }
    Ok(())
}

/// Checks the entries of a list.
pub(super) fn part(pattern: &Pattern, text: &str) -> Result<(), PhraseError> {
    no_question(pattern, text)?;
    if is_nullable(pattern) {
        return Err(error(
            text,
            "SM0225",
            "a list entry that can match nothing",
            "make at least one word of it required",
        ));
    }
    Ok(())
}

/// Every gap of a sequence has a required element before it and after it.
pub(super) fn gaps(items: &[Pattern]) -> Result<(), ()> {
    let required = |part: &[Pattern]| part.iter().any(|p| !is_nullable(p));
    let ok = items.iter().enumerate().all(|(at, item)| {
        !matches!(item, Pattern::Gap { .. }) || required(&items[..at]) && required(&items[at + 1..])
    });
    if ok { Ok(()) } else { Err(()) }
}

/// Whether a pattern can match without consuming anything.
pub(crate) fn is_nullable(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Word(_) | Pattern::Any | Pattern::Class(_) | Pattern::Regex(_) | Pattern::Near { .. } => {
            false
        }
        Pattern::Gap { .. } | Pattern::Optional(_) | Pattern::TurnStart | Pattern::TurnEnd => true,
        Pattern::Mark(_) | Pattern::Question => true,
        Pattern::Sequence(items) => items.iter().all(is_nullable),
        Pattern::Either(items) => items.iter().any(is_nullable),
    }
}

/// Whether every match holds something that can be looked up: a word, a class, a regular expression.
fn is_anchored(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Word(_) | Pattern::Class(_) | Pattern::Regex(_) => true,
        Pattern::Sequence(items) => items.iter().any(is_anchored),
        Pattern::Either(items) => items.iter().all(is_anchored),
        Pattern::Near { left, right, .. } => is_anchored(left) || is_anchored(right),
        _ => false,
    }
}

/// The most tokens a pattern can cover, an occurrence of a class counting as one.
fn reach(pattern: &Pattern) -> usize {
    match pattern {
        Pattern::Word(_) | Pattern::Any | Pattern::Class(_) | Pattern::Regex(_) => 1,
        Pattern::Gap { max } => usize::from(*max),
        Pattern::Sequence(items) => items.iter().map(reach).sum(),
        Pattern::Either(items) => items.iter().map(reach).max().unwrap_or(0),
        Pattern::Optional(inner) => reach(inner),
        Pattern::Near { left, right, within } => reach(left) + reach(right) + usize::from(*within),
        Pattern::TurnStart | Pattern::TurnEnd | Pattern::Mark(_) | Pattern::Question => 0,
    }
}

/// How many nodes a tree has.
pub(super) fn size(pattern: &Pattern) -> usize {
    let inside = match pattern {
        Pattern::Sequence(items) | Pattern::Either(items) => items.iter().map(size).sum(),
        Pattern::Optional(inner) => size(inner),
        Pattern::Near { left, right, .. } => 2 * (size(left) + size(right)),
        _ => 0,
    };
    inside + 1
}

/// Checks that a regular expression is valid, small enough, and cannot match the empty text; the error is code, message
/// and fix.
pub(super) fn regex(regex: &Regex) -> Result<(), (&'static str, String, &'static str)> {
    let built = build(regex).map_err(|refusal| match refusal {
        Refusal::TooLarge => (
            "SM0229",
            format!("a regular expression that grows beyond {MAX_BYTES} bytes"),
            "use smaller counts in `{ }`, or ASCII classes such as `[a-z]` in the place of `\\w`",
        ),
        Refusal::Unreadable(reason) => (
            "SM0217",
            format!("a regular expression that cannot be read: {reason}"),
            "see the syntax of the `regex` crate; look-around and back references are not part of it",
        ),
    })?;
    if built.find_at("", 0).is_some() {
        let message = "a regular expression that matches the empty text".to_owned();
        return Err(("SM0228", message, "use `+` in the place of `*`"));
    }
    Ok(())
}

/// Compiles a regular expression within the engine's limits. Whether it ignores case is part of its text, so that nobody who
/// compiles that in another way can forget it.
pub(crate) fn build(regex: &Regex) -> Result<Expression, Refusal> {
    let flags = if regex.ignore_case { "(?i)" } else { "" };
    Expression::new(&format!("{flags}{}", regex.source))
}

fn no_question(pattern: &Pattern, line: &str) -> Result<(), PhraseError> {
    let inside = match pattern {
        Pattern::Question => {
            // The last one may stand where it is; the first that is written is the one that may not.
            let start = line.find("<question>").unwrap_or(0);
            let end = if line[start..].starts_with('<') { start + "<question>".len() } else { line.len() };
            let fix = "write it alone, or as the last part of the line";
            let told = error(line, "SM0227", "`<question>` inside a pattern", fix);
            return Err(PhraseError { range: start..end, ..told });
        }
        Pattern::Sequence(items) | Pattern::Either(items) => {
            return items.iter().try_for_each(|p| no_question(p, line));
        }
        Pattern::Optional(inner) => [Some(inner), None],
        Pattern::Near { left, right, .. } => [Some(left), Some(right)],
        _ => [None, None],
    };
    inside.into_iter().flatten().try_for_each(|p| no_question(p, line))
}

fn error(line: &str, code: &'static str, message: &str, fix: &str) -> PhraseError {
    PhraseError { code, range: 0..line.len(), message: message.into(), fix: fix.into() }
}
