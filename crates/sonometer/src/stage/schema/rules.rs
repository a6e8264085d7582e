//! The rules around the world: who may dive, how often, within which bounds; variables, lists, flags, walkthroughs.

use super::{Reader, some_texts};
use crate::diagnostic::{Diagnostic, Diagnostics, Span, excerpt};
use crate::document::{Node, Value};
use crate::keys::fields::{Fields, text_of};
use crate::stage::choice::MAX_SEED;
use crate::stage::guard::{Place, WORDS};
use crate::stage::keys;
use crate::stage::model::*;

/// The bounds of every variable.
const WIDEST: i64 = 1_000_000;

impl Default for Roles {
    fn default() -> Self {
        Self { agent: "agent".to_owned(), world: "world".to_owned() }
    }
}

impl Default for Publication {
    fn default() -> Self {
        Self { access_mode: Access::Free, password: false, modes: vec![Mode::Practice, Mode::Graded] }
    }
}

pub(super) fn roles(node: &Node, found: &mut Diagnostics) -> Roles {
    let mut fields = Fields::of(node, &keys::ROLES, "`roles`", found);
    let usual = Roles::default();
    let mut name = |key, usual: String| match fields.some_text(key).0 {
        text if text.is_empty() => usual,
        text => text,
    };
    let roles = Roles { agent: name("agent", usual.agent), world: name("world", usual.world) };
    fields.finish();
    roles
}

pub(super) fn publication(node: &Node, found: &mut Diagnostics) -> Publication {
    let mut fields = Fields::of(node, &keys::PUBLICATION, "`publication`", found);
    let access_mode = fields.name("access_mode", Access::from_name).unwrap_or(Access::Free);
    let verifier = |name: &str| match name {
        "none" => Some(false),
        "argon2id" => Some(true),
        _ => None,
    };
    let password = fields.name("password", verifier).unwrap_or(false);
    let mut modes = fields.names("modes", Mode::from_name);
    fields.finish();
    if modes.is_empty() {
        modes = Publication::default().modes;
    }
    Publication { access_mode, password, modes }
}

pub(super) fn attempts(node: Option<&Node>, found: &mut Diagnostics) -> [Attempts; 2] {
    let mut all = [Attempts::usual(Mode::Practice), Attempts::usual(Mode::Graded)];
    let Some(node) = node else { return all };
    let mut fields = Fields::of(node, &keys::ATTEMPTS, "`attempts`", found);
    for (place, key) in ["practice", "graded"].into_iter().enumerate() {
        if let Some(node) = fields.take(key) {
            all[place] = attempts_of(node, all[place].clone(), fields.found);
        }
    }
    fields.finish();
    all
}

fn attempts_of(node: &Node, usual: Attempts, found: &mut Diagnostics) -> Attempts {
    let mut fields = Fields::of(node, &keys::ATTEMPT, "a rule for attempts", found);
    let max = fields.text("max").and_then(|(text, span)| match (text.as_str(), text.parse::<u32>()) {
        ("none", _) => None,
        (_, Ok(count @ 1..=1_000_000)) => Some(count),
        _ => {
            let message =
                format!("`max` is `{text}`, not a whole number from 1 to 1000000", text = excerpt(&text));
            fields.found.push(Diagnostic::error(
                "SM0306",
                span,
                message,
                "write for example `max: 3`, or `max: none`",
            ));
            None
        }
    });
    let window = fields.text("window").and_then(|(text, span)| match seconds(&text) {
        Some(window) => window,
        None => {
            let message = format!("`window` is `{text}`, not a length of time", text = excerpt(&text));
            fields.found.push(Diagnostic::error(
                "SM0613",
                span,
                message,
                "write for example `30d`, `12h`, `90m` or `none`",
            ));
            None
        }
    });
    let per = fields.name("per", Counted::from_name).unwrap_or(usual.per);
    let seed = fields.name("seed", SeedSource::from_name).unwrap_or(usual.seed);
    let record = fields.name("record", Record::from_name).unwrap_or(usual.record);
    fields.finish();
    Attempts { max, per, window, seed, record }
}

/// `30d` in seconds; `Some(None)` for `none`.
#[expect(clippy::option_option, reason = "nothing written, no window and a window are three things")]
fn seconds(text: &str) -> Option<Option<u64>> {
    if text == "none" {
        return Some(None);
    }
    let unit = match text.chars().next_back()? {
        'd' => 86_400,
        'h' => 3_600,
        'm' => 60,
        's' => 1,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    let count = digits.parse::<u64>().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))?;
    let seconds = count.checked_mul(unit)?;
    (1..=315_360_000).contains(&seconds).then_some(Some(seconds))
}

pub(super) fn envelope(node: &Node, found: &mut Diagnostics) -> Envelope {
    let mut fields = Fields::of(node, &keys::ENVELOPE, "`envelope`", found);
    let usual = Envelope::default();
    let envelope = Envelope {
        share_scorecard: fields.truth("share_scorecard").unwrap_or(usual.share_scorecard),
        max_turns: fields.count_or_default("max_turns"),
        ics_budget: fields.count_or_default("ics_budget"),
        max_action_chars: fields.count_or_default("max_action_chars"),
    };
    fields.finish();
    envelope
}

/// `1 in 0..5`
pub(super) fn variable(node: &Node, found: &mut Diagnostics) -> Option<Variable> {
    let text = text_of(node, "variable", found)?;
    let number = |text: &str| text.trim().parse::<i64>().ok().filter(|n| n.abs() <= WIDEST);
    let parts = text.split_once(" in ").and_then(|(start, range)| {
        let (low, high) = range.split_once("..")?;
        Some(Variable { start: number(start)?, low: number(low)?, high: number(high)? })
    });
    let variable = parts.filter(|variable| (variable.low..=variable.high).contains(&variable.start));
    if variable.is_none() {
        let message = format!("`{text}` is not a variable definition", text = excerpt(text));
        let fix =
            "write its start and bounds, for example `1 in 0..5`, as whole numbers from -1000000 to 1000000";
        found.push(Diagnostic::error("SM0606", node.span, message, fix));
    }
    variable
}

pub(super) fn list(node: &Node, found: &mut Diagnostics) -> Option<Vec<String>> {
    let texts = some_texts(node, "list", found);
    (!texts.is_empty()).then_some(texts)
}

/// A name means one thing, and no variable has the name of something that guards know.
pub(super) fn check_names(
    root: &Node,
    vars: &[Named<Variable>],
    lists: &[Named<Vec<String>>],
    found: &mut Diagnostics,
) {
    let place = |key: &str, name: &str| match root.get(key).map(|node| &node.value) {
        Some(Value::Map(entries)) => {
            entries.iter().find(|(key, _)| key.text == name).map(|(key, _)| key.span)
        }
        _ => None,
    };
    for (name, _) in vars {
        let span = place("vars", name).unwrap_or_default();
        if WORDS.contains(&name.as_str()) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            let message = format!("`{name}` cannot be the name of a variable", name = excerpt(name));
            let fix =
                "choose a name that begins with a letter and is not used in guards, as `score` or `turn` is";
            found.push(Diagnostic::error("SM0612", span, message, fix));
        }
        if lists.iter().any(|(list, _)| list == name) {
            let span = place("lists", name).unwrap_or(span);
            let message = format!("`{name}` is both a variable and a list", name = excerpt(name));
            found.push(Diagnostic::error(
                "SM0612",
                span,
                message,
                "rename one of them; texts refer to both as `{name}`",
            ));
        }
    }
}

pub(super) fn flag(reader: &mut Reader<'_>, node: &Node) -> Option<Flag> {
    let mut own = Diagnostics::new();
    let mut fields = Fields::of(node, &keys::FLAG, "a flag", &mut own);
    let (when, end) = (fields.take("when"), fields.take("end"));
    fields.finish();
    own.iter().for_each(|finding| reader.found.push(finding.clone()));
    let end = super::scenes::is_true(end, "end", reader);
    let when = reader.guard(when?, "when", Place::Action)?;
    Some(Flag { when, end })
}

pub(super) fn walkthrough(node: &Node, found: &mut Diagnostics) -> Option<Walkthrough> {
    let mut fields = Fields::of(node, &keys::WALKTHROUGH, "a walkthrough", found);
    let seed = fields.text("seed").map_or(Some(0), |(text, span)| seed(&text, span, fields.found));
    let outcome = |name: &str| match name {
        "pass" => Some(true),
        "fail" => Some(false),
        _ => None,
    };
    let passes = fields.name("expect", outcome);
    let reason = fields.name("reason", Reason::from_name);
    let say = fields.take("say").map(|node| some_texts(node, "say", fields.found));
    fields.finish();
    Some(Walkthrough { seed: seed?, passes: passes?, reason, say: say?, span: node.span })
}

fn seed(text: &str, span: Span, found: &mut Diagnostics) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let seed = text.parse().ok().filter(|seed| digits && *seed <= MAX_SEED);
    if seed.is_none() {
        let message =
            format!("`seed` is `{text}`, not a whole number from 0 to {MAX_SEED}", text = excerpt(text));
        found.push(Diagnostic::error("SM0306", span, message, "write for example `seed: 7`"));
    }
    seed
}
