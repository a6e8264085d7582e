//! Preference data: one prompt with two answers, of which one was chosen. Each of the two is a talk.

use super::draft::{Draft, is_map, list, text};
use super::language_model;
use crate::document::{Node, Value};
use crate::error::Error;

/// The keys of the answer that was chosen, and of the other.
const PAIRS: [(&str, &str); 2] = [("chosen", "rejected"), ("preferred_output", "non_preferred_output")];
/// Under which keys the prompt stands.
const PROMPTS: [&str; 4] = ["prompt", "input", "question", "instruction"];
/// How texts with several turns tell who speaks.
const SPEAKERS: [(&str, &str); 2] = [("\n\nHuman:", "user"), ("\n\nAssistant:", "assistant")];

/// The keys of both answers, if these are what an object holds.
pub(super) fn pair(root: &Node) -> Option<(&'static str, &'static str)> {
    let is_said = |key: &str| text(root, key).is_some() || !list(root, key).is_empty() || is_talk(root, key);
    PAIRS.into_iter().find(|(chosen, rejected)| is_said(chosen) && is_said(rejected))
}

fn is_talk(root: &Node, key: &str) -> bool {
    root.get(key).is_some_and(|node| is_map(node) && node.get("role").is_some())
}

/// Reads the prompt with one of its answers.
pub(super) fn read(root: &Node, is_chosen: bool, draft: &mut Draft<'_>) -> Result<(), Error> {
    let Some((chosen, rejected)) = pair(root) else {
        let message =
            "expected two answers; write them as `chosen` and `rejected`, each a text or a list of messages";
        return Err(Error::invalid(if is_chosen { "chosen" } else { "rejected" }, message));
    };
    let (key, other, form) = match is_chosen {
        true => (chosen, rejected, "rejected"),
        false => (rejected, chosen, "chosen"),
    };
    // Nobody writes a transcript so.
    draft.is_foreign = true;
    draft.notice(format!("`{other}` was skipped (in code, the form `{form}` reads it)"));
    // Many data sets repeat the prompt in each answer.
    if !begins(root, key) {
        if let Some(system) = text(root, "system") {
            draft.say("system", system, None, "system".to_owned());
        }
        if let Some(prompt) = PROMPTS.into_iter().find(|key| root.get(key).is_some()) {
            match root.get(prompt).filter(|inner| is_map(inner) && inner.get("messages").is_some()) {
                Some(inner) => said(inner, "messages", &format!("{prompt}.messages"), "user", draft)?,
                None => said(root, prompt, prompt, "user", draft)?,
            }
        }
    }
    said(root, key, key, "assistant", draft)
}

/// Whether an answer begins with what it answers.
fn begins(root: &Node, key: &str) -> bool {
    let is_asked = |item: &Node| !matches!(text(item, "role"), Some("assistant" | "tool"));
    match text(root, key) {
        Some(said) => SPEAKERS.iter().any(|(speaker, role)| *role == "user" && opens(said, speaker)),
        None => list(root, key).first().is_some_and(is_asked),
    }
}

/// Whether a text begins so; some leave out the empty lines at the begin.
fn opens(text: &str, speaker: &str) -> bool {
    text.trim_start().starts_with(speaker.trim_start())
}

/// What is said in a text, a message, or a list of messages.
fn said(root: &Node, key: &str, place: &str, role: &str, draft: &mut Draft<'_>) -> Result<(), Error> {
    if let Some(whole) = text(root, key) {
        if SPEAKERS.iter().any(|(speaker, _)| opens(whole, speaker)) {
            talk(whole, place, draft);
        } else {
            draft.say(role, whole, None, place.to_owned());
        }
        return Ok(());
    }
    let one: &[Node] = match root.get(key) {
        Some(node) if is_map(node) => std::slice::from_ref(node),
        Some(Node { value: Value::List(items), .. }) => items,
        _ => &[],
    };
    for (at, item) in one.iter().enumerate() {
        let place = if is_talk(root, key) { place.to_owned() } else { format!("{place}[{at}]") };
        if let Some(turn) = language_model::turn(item, &place, draft)? {
            draft.push(turn, format!("{place}.content"));
        }
    }
    Ok(())
}

/// A talk that is written as one text: `\n\nHuman: … \n\nAssistant: …`.
fn talk(whole: &str, place: &str, draft: &mut Draft<'_>) {
    let whole = format!("\n\n{}", whole.trim_start());
    let mut starts: Vec<(usize, usize, &str)> = SPEAKERS
        .iter()
        .flat_map(|(speaker, role)| whole.match_indices(speaker).map(|(at, _)| (at, speaker.len(), *role)))
        .collect();
    starts.sort_unstable();
    for (number, (at, length, role)) in starts.iter().enumerate() {
        let end = starts.get(number + 1).map_or(whole.len(), |(next, ..)| *next);
        let said = whole.get(at + length..end).unwrap_or_default();
        draft.say(role, said.trim(), None, place.to_owned());
    }
}
