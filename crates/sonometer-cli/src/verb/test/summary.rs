//! What the tests of a protocol came to, in a line or as JSON.

use crate::failure::counted;
use crate::json;
use crate::target::Source;
use serde::Serialize;
use sonometer::Protocol;
use sonometer::diagnostic::{Span, line_and_column};
use sonometer_author::test::{Change, Mutant, Outcome, Places, Ran, Trial};

/// The last line.
pub(super) fn line(source: &Source, protocol: &Protocol, outcome: &Outcome<'_>, coverage: bool) -> String {
    let (tests, failed) = (outcome.ran.len(), outcome.failed());
    let is_line = |ran: &&Ran<'_>| matches!(ran.trial, Trial::Line { .. });
    let lines = outcome.ran.iter().filter(is_line).count();
    let mut kinds = Vec::new();
    if lines > 0 {
        kinds.push(counted(lines, "test line"));
    }
    if tests > lines {
        kinds.push(counted(tests - lines, "dialogue"));
    }
    let mut text = format!("{}: {}, ", source.name, counted(protocol.markers.len(), "marker"));
    text.push_str(&match failed {
        0 if tests == 0 => "no tests".to_owned(),
        0 => format!("{} passed", kinds.join(" and ")),
        _ => format!("{}: {} passed, {failed} failed", kinds.join(" and "), tests - failed),
    });
    let idle = outcome.unnoticed.iter().filter(|mutant| mutant.span.is_some()).count();
    if coverage {
        let noticed = outcome.mutants - outcome.unnoticed.len();
        text.push_str(&format!(
            "; coverage {} %: {noticed} of {} are missed by a test when taken away",
            outcome.percent(),
            counted(outcome.mutants, "thing")
        ));
    } else if idle > 0 {
        text.push_str(&format!("; {} that no test needs", counted(idle, "pattern line")));
    }
    text + "\n"
}

/// A target and its tests, for programs.
#[derive(Serialize)]
struct Summary<'a> {
    target: json::Target<'a>,
    tests: Tests,
    failures: Vec<Failed<'a>>,
    unneeded: Vec<Unneeded<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage<'a>>,
}

#[derive(Serialize)]
struct Tests {
    passed: usize,
    failed: usize,
}

#[derive(Serialize)]
struct Failed<'a> {
    test: &'static str,
    #[serde(flatten)]
    place: Place,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    marker: Option<&'a str>,
}

/// What no test needs.
#[derive(Serialize)]
struct Unneeded<'a> {
    what: &'static str,
    #[serde(flatten)]
    place: Place,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    marker: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<&'a str>,
}

#[derive(Serialize)]
struct Coverage<'a> {
    percent: usize,
    mutants: usize,
    noticed: usize,
    idle_tests: Vec<Failed<'a>>,
}

#[derive(Serialize)]
struct Place {
    line: usize,
    column: usize,
}

/// One line of JSON.
pub(super) fn json(source: &Source, protocol: &Protocol, outcome: &Outcome<'_>, coverage: bool) -> String {
    let places = Places::of(&source.text);
    let place = |span: Span| {
        let (line, column) = line_and_column(&source.text, span.start);
        Place { line, column }
    };
    let failed = outcome.failed();
    json::line(&Summary {
        target: json::Target::of(protocol),
        tests: Tests { passed: outcome.ran.len() - failed, failed },
        failures: outcome
            .ran
            .iter()
            .filter(|ran| !ran.broken.is_empty())
            .map(|ran| test(ran, place))
            .collect(),
        unneeded: outcome
            .unnoticed
            .iter()
            .map(|mutant| unneeded(mutant, place(places.of_mutant(mutant).unwrap_or_default())))
            .collect(),
        coverage: coverage.then(|| Coverage {
            percent: outcome.percent(),
            mutants: outcome.mutants,
            noticed: outcome.mutants - outcome.unnoticed.len(),
            idle_tests: outcome.idle().map(|ran| test(ran, place)).collect(),
        }),
    })
}

fn test<'a>(ran: &Ran<'a>, place: impl Fn(Span) -> Place) -> Failed<'a> {
    match ran.trial {
        Trial::Line { marker, line, wanted } => Failed {
            test: if wanted { "hit" } else { "miss" },
            place: place(line.span),
            text: &line.text,
            marker: Some(&marker.label),
        },
        Trial::Dialogue(dialogue) => {
            Failed { test: "dialogue", place: place(dialogue.span), text: &dialogue.name, marker: None }
        }
    }
}

fn unneeded<'a>(mutant: &'a Mutant<'_>, place: Place) -> Unneeded<'a> {
    let (what, list) = match &mutant.change {
        Change::Line { .. } => ("line", None),
        Change::Condition(_) => ("condition", None),
        Change::Entry { list, .. } => ("entry", Some(list.as_str())),
    };
    let marker = list.is_none().then_some(mutant.marker.label.as_str());
    Unneeded { what, place, text: &mutant.text, marker, list }
}
