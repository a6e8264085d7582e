//! The tests inside a protocol, and its normal form.

use serde::Serialize;
use sonometer::diagnostic::{Span, line_and_column};
use sonometer::protocol::NoFile;
use sonometer::{Document, Error, ErrorCode};
use sonometer_author::test::{Bench, Change, Mutant, Outcome, Places, Ran, Trial, why};
use sonometer_author::{Refusal, format as tidy};
use sonometer_report::json;
use sonometer_wasm::{thrown, thrown_of};
use std::borrow::Cow;
use wasm_bindgen::prelude::*;

/// Every test, and with coverage what no test needs.
#[derive(Serialize)]
struct Told {
    tests: Vec<Test>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
}

#[derive(Serialize)]
struct Test {
    /// `hit`, `miss` or `dialogue`.
    kind: &'static str,
    /// The marker of a line, the name of a dialogue.
    of: String,
    text: String,
    /// From 1.
    line: usize,
    passed: bool,
    /// Why it failed.
    why: Vec<String>,
}

#[derive(Serialize)]
struct Coverage {
    percent: usize,
    mutants: usize,
    noticed: usize,
    unneeded: Vec<Unneeded>,
}

#[derive(Serialize)]
struct Unneeded {
    /// `line`, `condition` or `entry`.
    what: &'static str,
    /// The marker or the list.
    of: String,
    text: String,
    line: usize,
}

/// Runs the tests of a protocol; with `coverage` it also takes everything away in turn. `files` are its list files, each a path and
/// then a text. Metrics and blueprints have no tests.
///
/// # Errors
/// `invalid_protocol` with every finding.
#[wasm_bindgen(skip_typescript)]
pub fn tests(source: &str, files: Vec<String>, coverage: bool) -> Result<String, JsValue> {
    let told = || -> Result<Told, Error> {
        let (document, _) = Document::read_with(source, &|path| list_file(&files, path))?;
        let Document::Protocol(protocol) = document else {
            return Ok(Told { tests: Vec::new(), coverage: None });
        };
        let bench = Bench::of(&protocol);
        if coverage {
            let outcome = bench.run(true)?;
            let tests = outcome.ran.iter().map(|ran| test(source, ran)).collect();
            return Ok(Told { tests, coverage: Some(covered(source, &outcome)) });
        }
        let ran = bench.run_tests()?;
        Ok(Told { tests: ran.iter().map(|ran| test(source, ran)).collect(), coverage: None })
    };
    told().map(|told| json::text(&told)).map_err(|error| thrown_of(source, error))
}

/// The text in its normal form.
///
/// # Errors
/// `invalid_protocol` with every finding; `invalid_request` for JSON, which tools of its own format.
#[wasm_bindgen(skip_typescript)]
pub fn format(source: &str, files: Vec<String>) -> Result<String, JsValue> {
    tidy(source, &|path| list_file(&files, path)).map_err(|refusal| match refusal {
        Refusal::Findings(diagnostics) => {
            let error = Error::new(ErrorCode::InvalidProtocol, "", "mend the errors first");
            thrown_of(source, Error { diagnostics, ..error })
        }
        Refusal::Json => thrown(Error::invalid("source", "this is JSON; only YAML has a normal form")),
        Refusal::Changed(why) => thrown(Error::new(
            ErrorCode::Internal,
            "source",
            format!("not changed, because {why}; please report this as a bug"),
        )),
    })
}

pub(crate) fn list_file<'f>(files: &'f [String], path: &str) -> Result<Cow<'f, str>, NoFile> {
    let file = files.chunks_exact(2).find(|file| file[0] == path);
    file.map(|file| file[1].as_str().into()).ok_or_else(|| NoFile::missing("drop the file onto the page"))
}

fn line_of(source: &str, span: Span) -> usize {
    line_and_column(source, span.start).0
}

fn test(source: &str, ran: &Ran<'_>) -> Test {
    let (kind, of, text, span) = match ran.trial {
        Trial::Line { marker, line, wanted } => {
            (if wanted { "hit" } else { "miss" }, &marker.label, &line.text, line.span)
        }
        Trial::Dialogue(dialogue) => ("dialogue", &dialogue.name, &dialogue.name, dialogue.span),
    };
    let line = line_of(source, span);
    Test { kind, of: of.clone(), text: text.clone(), line, passed: ran.broken.is_empty(), why: why(ran) }
}

fn covered(source: &str, outcome: &Outcome<'_>) -> Coverage {
    let places = Places::of(source);
    let unneeded = outcome.unnoticed.iter().map(|mutant| unneeded(source, &places, mutant)).collect();
    let noticed = outcome.mutants - outcome.unnoticed.len();
    Coverage { percent: outcome.percent(), mutants: outcome.mutants, noticed, unneeded }
}

fn unneeded(source: &str, places: &Places, mutant: &Mutant<'_>) -> Unneeded {
    let (what, of) = match &mutant.change {
        Change::Line { .. } => ("line", &mutant.marker.label),
        Change::Condition(_) => ("condition", &mutant.marker.label),
        Change::Entry { list, .. } => ("entry", list),
    };
    let line = line_of(source, places.of_mutant(mutant).unwrap_or_default());
    Unneeded { what, of: of.clone(), text: mutant.text.clone(), line }
}
