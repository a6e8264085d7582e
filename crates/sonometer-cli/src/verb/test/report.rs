//! Failing tests and what no test needs, drawn at their places.

use super::Arguments;
use crate::findings::{draw, snippet};
use crate::paint::Paint;
use crate::target::Source;
use annotate_snippets::{Group, Level};
use sonometer::Protocol;
use sonometer::protocol::Marker;
use sonometer_author::test::{Change, Mutant, Outcome, Places, Ran, Trial, why};
use sonometer_report::{Part, Talk};
use std::collections::BTreeMap;

/// How many entries of a list are named.
const NAMED: usize = 12;

pub(super) fn render(
    paint: &Paint,
    source: &Source,
    protocol: &Protocol,
    outcome: &Outcome<'_>,
    arguments: &Arguments,
) -> String {
    let mut text = String::new();
    for marker in &protocol.markers {
        let own =
            |ran: &&Ran<'_>| matches!(ran.trial, Trial::Line { marker: of, .. } if std::ptr::eq(of, marker));
        for ran in outcome.ran.iter().filter(own).filter(|ran| !ran.broken.is_empty()) {
            text.push_str(&failed_line(paint, source, ran));
        }
        let lines = outcome.unnoticed.iter().filter(|mutant| std::ptr::eq(mutant.marker, marker));
        let lines: Vec<&Mutant<'_>> = lines.filter(|mutant| mutant.span.is_some()).collect();
        if let Some(group) = idle_lines(source, marker, &lines, protocol, arguments.strict) {
            text.push_str(&draw(paint, &[group]));
        }
    }
    for ran in outcome.ran.iter().filter(|ran| !ran.broken.is_empty()) {
        if let Trial::Dialogue(dialogue) = ran.trial {
            let title =
                Level::ERROR.primary_title(format!("the dialogue `{}` fails", dialogue.name)).id("talk");
            let mut group = title.element(snippet(source, [(dialogue.span, "")]));
            for note in why(ran) {
                group = group.element(Level::NOTE.message(note));
            }
            text.push_str(&draw(paint, &[group]));
            text.push_str(&Part::Talk(Talk::of(&ran.reading)).to_text(&paint.report()));
            text.push('\n');
        }
    }
    if arguments.coverage {
        text.push_str(&coverage(paint, source, outcome));
    }
    text
}

fn failed_line(paint: &Paint, source: &Source, ran: &Ran<'_>) -> String {
    let Trial::Line { marker, line, wanted } = ran.trial else { return String::new() };
    let (id, verdict) = match wanted {
        false => ("miss", "is triggered by this line"),
        true => ("hit", "is not triggered by this line"),
    };
    let title = Level::ERROR.primary_title(format!("`{}` {verdict}", marker.label)).id(id);
    let mut group = title.element(snippet(source, [(line.span, "")]));
    for note in why(ran) {
        group = group.element(Level::NOTE.message(note));
    }
    draw(paint, &[group])
}

fn idle_lines<'s>(
    source: &'s Source,
    marker: &Marker,
    idle: &[&Mutant<'_>],
    protocol: &Protocol,
    strict: bool,
) -> Option<Group<'s>> {
    let level = if strict { Level::ERROR } else { Level::NOTE };
    let spans: Vec<_> = idle.iter().filter_map(|mutant| mutant.span).collect();
    let first = *spans.first()?;
    let in_dialogues =
        protocol.tests.iter().any(|test| test.fires.iter().chain(&test.silent).any(|l| *l == marker.label));
    if marker.hit.is_empty() && marker.miss.is_empty() && !in_dialogues {
        let title = level.primary_title(format!("`{}` has no tests", marker.label));
        let place = snippet(source, [(first, "")]);
        let fix = "write lines that must trigger it under `hit`, lines that must not under `miss`";
        return Some(title.element(place).element(Level::HELP.message(fix)));
    }
    let title = match spans.len() {
        1 => format!("no test fails without this line of `{}`", marker.label),
        _ => format!("no test fails without these lines of `{}`", marker.label),
    };
    let place = snippet(source, spans.iter().map(|span| (*span, "")));
    let excepts =
        idle.iter().filter(|mutant| matches!(mutant.change, Change::Line { key: "except", .. })).count();
    let fix = match (excepts, spans.len() - excepts) {
        // What is said under `absent` keeps the marker silent.
        _ if marker.absence.is_some() => {
            "add a `miss` or a dialogue that this line keeps from triggering, or remove it"
        }
        (_, 0) => "add a `miss` that this line keeps from triggering, or remove it",
        (0, _) => "add a `hit` that only this line finds, or remove it",
        _ => "add a `hit` that only this line finds (a `miss` for an `except` line), or remove it",
    };
    Some(level.primary_title(title).element(place).element(Level::HELP.message(fix)))
}

/// Conditions and entries that no test needs, and tests that need nothing.
fn coverage(paint: &Paint, source: &Source, outcome: &Outcome<'_>) -> String {
    let places = Places::of(&source.text);
    let mut text = String::new();
    let mut lists: BTreeMap<&str, Vec<&Mutant<'_>>> = BTreeMap::new();
    for mutant in &outcome.unnoticed {
        match &mutant.change {
            Change::Condition(key) => {
                let title = Level::NOTE
                    .primary_title(format!("no test fails without `{key}` of `{}`", mutant.marker.label));
                let fix = "add a `miss` that this keeps from triggering, or a dialogue";
                let place = snippet(source, places.of_mutant(mutant).map(|span| (span, "")));
                text.push_str(&draw(paint, &[title.element(place).element(Level::HELP.message(fix))]));
            }
            Change::Entry { list, .. } => lists.entry(list).or_default().push(mutant),
            Change::Line { .. } => {}
        }
    }
    for (list, entries) in lists {
        let spans = entries.iter().filter_map(|mutant| places.of_mutant(mutant)).map(|span| (span, ""));
        let mut names: Vec<String> =
            entries.iter().take(NAMED).map(|mutant| format!("`{}`", mutant.text)).collect();
        if entries.len() > NAMED {
            names.push(format!("and {} more", entries.len() - NAMED));
        }
        let title =
            Level::NOTE.primary_title(format!("no test fails without these entries of the list `{list}`"));
        let group = title
            .element(snippet(source, spans.take(1)))
            .element(Level::NOTE.message(names.join(", ")))
            .element(Level::HELP.message("add a `hit` for those that matter"));
        text.push_str(&draw(paint, &[group]));
    }
    let idle = outcome.idle().map(|ran| match ran.trial {
        Trial::Line { line, .. } => line.span,
        Trial::Dialogue(dialogue) => dialogue.span,
    });
    let idle: Vec<_> = idle.map(|span| (span, "")).collect();
    if !idle.is_empty() {
        let title = Level::NOTE.primary_title("these tests pass whichever line or condition is removed");
        let fix = "they add nothing to the other tests; change each so that it needs a line or condition, or remove it";
        let group = title.element(snippet(source, idle)).element(Level::HELP.message(fix));
        text.push_str(&draw(paint, &[group]));
    }
    text
}
