//! What a pattern must keep to, so that every match is a definite span and costs a bounded number of steps.

use super::ast::{Pattern, Regex};
use super::parse::{MAX_NODES, PhraseError};
use super::plain::is_plain;
use crate::expression::PLACE_GROUP;
use crate::expression::{Expression, MAX_BYTES, Refusal};
use std::ops::Range;

/// The most tokens that one pattern can cover. It bounds the work at each place of a text where a pattern is tried.
pub(super) const MAX_REACH: usize = 128;

/// Checks a whole pattern line.
pub(super) fn whole(pattern: &Pattern, line: &str) -> Result<(), PhraseError> {
    // Both orders of `&` are written out when compiling, so the size is that of the longer form.
    if size(pattern) > MAX_NODES {
        return Err(error(line, "SM0201", "the pattern has too many parts", "split it into several lines"));
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
    places(pattern, line)?;
    if body.iter().all(is_nullable) {
        return Err(error(
            line,
            "SM0225",
            "the pattern can match an empty text",
            &match line.strip_suffix('?').filter(|word| is_plain(word)) {
                Some(word) => format!("leave out the `?`; for a literal `?` write `{word} \\?`"),
                None => "make at least one word of it required".to_owned(),
            },
        ));
    }
    if !body.iter().any(is_anchored) {
        return Err(error(
            line,
            "SM0226",
            "the pattern has only `_`, which is any word",
            "name at least one word or class",
        ));
    }
    if reach(pattern) > MAX_REACH {
        let message = format!("the pattern can cover {} tokens; the limit is {MAX_REACH}", reach(pattern));
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
    no_place(pattern, text)?;
    if is_nullable(pattern) {
        return Err(error(
            text,
            "SM0225",
            "the list entry can match an empty text",
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
        Pattern::Word(_) | Pattern::Exact(_) | Pattern::Phrases(_) | Pattern::Any | Pattern::Class(_) => {
            false
        }
        Pattern::Regex(_) | Pattern::Near { .. } => false,
        Pattern::Gap { .. } | Pattern::Optional(_) | Pattern::Mark(_) | Pattern::Question => true,
        Pattern::TurnStart | Pattern::TurnEnd | Pattern::SentenceStart | Pattern::SentenceEnd => true,
        Pattern::Capture(inner) => is_nullable(inner),
        Pattern::Sequence(items) => items.iter().all(is_nullable),
        Pattern::Either(items) => items.iter().any(is_nullable),
    }
}

/// Whether every match holds something that can be looked up: a word, a class, a regular expression.
fn is_anchored(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Word(_)
        | Pattern::Exact(_)
        | Pattern::Phrases(_)
        | Pattern::Class(_)
        | Pattern::Regex(_) => true,
        Pattern::Capture(inner) => is_anchored(inner),
        Pattern::Sequence(items) => items.iter().any(is_anchored),
        Pattern::Either(items) => items.iter().all(is_anchored),
        Pattern::Near { left, right, .. } => is_anchored(left) || is_anchored(right),
        _ => false,
    }
}

/// The most tokens a pattern can cover, an occurrence of a class counting as one.
fn reach(pattern: &Pattern) -> usize {
    match pattern {
        Pattern::Word(_) | Pattern::Exact(_) | Pattern::Any | Pattern::Class(_) | Pattern::Regex(_) => 1,
        Pattern::Phrases(phrases) => phrases.words().1 as usize,
        Pattern::Gap { max } => usize::from(*max),
        Pattern::Sequence(items) => items.iter().map(reach).sum(),
        Pattern::Either(items) => items.iter().map(reach).max().unwrap_or(0),
        Pattern::Optional(inner) | Pattern::Capture(inner) => reach(inner),
        Pattern::Near { left, right, within } => reach(left) + reach(right) + usize::from(*within),
        Pattern::TurnStart | Pattern::TurnEnd | Pattern::SentenceStart | Pattern::SentenceEnd => 0,
        Pattern::Mark(_) | Pattern::Question => 0,
    }
}

/// How many nodes a tree has.
pub(crate) fn size(pattern: &Pattern) -> usize {
    let inside = match pattern {
        Pattern::Sequence(items) | Pattern::Either(items) => items.iter().map(size).sum(),
        Pattern::Optional(inner) | Pattern::Capture(inner) => size(inner),
        Pattern::Near { left, right, .. } => 2 * (size(left) + size(right)),
        _ => 0,
    };
    inside + 1
}

/// Checks that a regular expression is valid, small enough, and cannot match the empty text; the error is code, message
/// and fix.
pub(super) fn regex(regex: &Regex) -> Result<(), (&'static str, String, &'static str)> {
    let parsed = Expression::new(&regex.pattern()).map_err(|refusal| match refusal {
        Refusal::TooLarge => (
            "SM0229",
            format!("the compiled regular expression is larger than {MAX_BYTES} bytes"),
            "use smaller counts in `{ }`, or ASCII classes such as `[a-z]` instead of `\\w`",
        ),
        Refusal::Unreadable(reason) => (
            "SM0217",
            format!("the regular expression is not valid: {reason}"),
            "the syntax is that of the `regex` crate, without look-around and back references",
        ),
    })?;
    if parsed.matches_nothing() {
        let message = "the regular expression matches an empty text".to_owned();
        return Err(("SM0228", message, "use `+` instead of `*`"));
    }
    Ok(())
}

/// Checks that every way through a line passes one pair of braces, or none does: a match has one place.
fn places(pattern: &Pattern, line: &str) -> Result<(), PhraseError> {
    if !matches!(captures(pattern), (0, 0) | (1, 1)) {
        let fix =
            "put one pair around the part to show, outside of `?`; write different cases on separate lines";
        let message = "a match can pass through braces twice, or not at all";
        return Err(PhraseError { range: first_place(line), ..error(line, "SM0242", message, fix) });
    }
    match pattern {
        Pattern::Regex(_) => Ok(()),
        // Braces around a whole line say nothing, and are taken away.
        Pattern::Capture(inner) if matches!(**inner, Pattern::Regex(_)) => Ok(()),
        _ => no_place_group(pattern, line),
    }
}

/// The fewest and the most braces that a match passes.
fn captures(pattern: &Pattern) -> (u32, u32) {
    let each = |items: &[Pattern]| items.iter().map(captures).collect::<Vec<_>>();
    match pattern {
        Pattern::Capture(inner) => (1, 1 + captures(inner).1),
        Pattern::Optional(inner) => (0, captures(inner).1),
        Pattern::Sequence(items) => {
            each(items).into_iter().fold((0, 0), |a, b| (a.0 + b.0, a.1.saturating_add(b.1)))
        }
        Pattern::Near { left, right, .. } => {
            let (a, b) = (captures(left), captures(right));
            (a.0 + b.0, a.1.saturating_add(b.1))
        }
        Pattern::Either(items) => {
            each(items).into_iter().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
        }
        _ => (0, 0),
    }
}

/// Whether a pattern says itself what the place of its evidence is.
pub(crate) fn names_place(pattern: &Pattern) -> bool {
    captures(pattern).1 > 0 || has_place_group(pattern)
}

fn has_place_group(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Regex(regex) => regex.has_place(),
        Pattern::Sequence(items) | Pattern::Either(items) => items.iter().any(has_place_group),
        Pattern::Optional(inner) | Pattern::Capture(inner) => has_place_group(inner),
        Pattern::Near { left, right, .. } => has_place_group(left) || has_place_group(right),
        _ => false,
    }
}

fn no_place_group(pattern: &Pattern, line: &str) -> Result<(), PhraseError> {
    if !has_place_group(pattern) {
        return Ok(());
    }
    let message =
        format!("the group `{PLACE_GROUP}` works only where the regular expression is the whole line");
    let fix = "put braces around the expression instead: `order {/[A-Z]+-[0-9]+/}`";
    Err(PhraseError { range: first_group(line), ..error(line, "SM0244", &message, fix) })
}

/// Refuses what names a place where no place is shown.
fn no_place(pattern: &Pattern, text: &str) -> Result<(), PhraseError> {
    if !names_place(pattern) {
        return Ok(());
    }
    Err(place_refused(text, "a list", "put the braces around the `@list` in the line"))
}

/// Braces, or a group `place`, in what gives no evidence.
pub(crate) fn place_refused(text: &str, what: &str, fix: &str) -> PhraseError {
    let range = if text.contains('{') && !text.contains("(?<") { first_place(text) } else { 0..text.len() };
    let message = format!("braces have no effect in {what}");
    PhraseError { range, ..error(text, "SM0241", &message, fix) }
}

/// The first braces of a line.
fn first_place(line: &str) -> Range<usize> {
    let start = line.find('{').unwrap_or(0);
    start..line[start..].find('}').map_or(line.len(), |len| start + len + 1)
}

/// The first group of an expression that is a place.
fn first_group(line: &str) -> Range<usize> {
    match line.find("(?<").or(line.find("(?P<")) {
        Some(start) => start..line[start..].find('>').map_or(line.len(), |len| start + len + 1),
        None => 0..line.len(),
    }
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
        Pattern::Optional(inner) | Pattern::Capture(inner) => [Some(inner), None],
        Pattern::Near { left, right, .. } => [Some(left), Some(right)],
        _ => [None, None],
    };
    inside.into_iter().flatten().try_for_each(|p| no_question(p, line))
}

fn error(line: &str, code: &'static str, message: &str, fix: &str) -> PhraseError {
    PhraseError { code, range: 0..line.len(), message: message.into(), fix: fix.into() }
}
