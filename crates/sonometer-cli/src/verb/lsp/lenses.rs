//! The tests of each marker above its label: how many pass, and a command that runs them and shows what fails.

use super::document::File;
use crate::verb::test::{Tested, tested};
use lsp_types::{CodeLens, Command, Diagnostic, DiagnosticSeverity};
use serde_json::json;
use sonometer::document::Node;
use sonometer::{Document, Protocol};

/// The command that runs the tests of a file, or of one marker.
pub(super) const RUN: &str = "sonometer.test";

/// What the tests of a file came to.
#[derive(Default)]
pub(super) struct Tests {
    ran: Vec<Tested>,
    /// Whether they ran on this very text.
    pub(super) is_current: bool,
}

/// Runs the tests of a protocol without errors; other files have none here.
pub(super) fn run(file: &mut File) {
    file.tests = Tests::default();
    let read = Document::read_with(file.text(), &|path| file.source.list_file(path));
    if let Ok((Document::Protocol(protocol), _)) = read {
        file.tests = outcome(&protocol);
    }
}

fn outcome(protocol: &Protocol) -> Tests {
    // A protocol that cannot be made ready has told why as a finding.
    tested(protocol).map_or_else(|_| Tests::default(), |ran| Tests { ran, is_current: true })
}

/// One lens above each marker, and one above the dialogues.
pub(super) fn of(file: &File) -> Vec<CodeLens> {
    let Some(root) = file.tree() else { return Vec::new() };
    let mut lenses = Vec::new();
    let markers = root.get("markers").map(super::document::items).unwrap_or_default();
    for label in markers.iter().filter_map(|marker| marker.get("label")) {
        let Some(name) = label.text().map(str::trim) else { continue };
        lenses.extend(lens(file, label, Some(name), |test| test.marker.as_deref() == Some(name)));
    }
    if let Some(tests) = root.get("tests").map(super::document::items).and_then(<[Node]>::first) {
        lenses.extend(lens(file, tests, None, |test| test.marker.is_none()));
    }
    lenses
}

fn lens(file: &File, node: &Node, marker: Option<&str>, own: impl Fn(&Tested) -> bool) -> Option<CodeLens> {
    let (passed, failed) = count(file, own);
    let title = match (file.tests.is_current, passed, failed) {
        (false, ..) => "run the tests".to_owned(),
        (true, 0, 0) => return None,
        (true, passed, 0) => format!("{passed} pass"),
        (true, passed, failed) => format!("{failed} of {} fail", passed + failed),
    };
    let arguments = Some(vec![json!(file.uri.as_str()), json!(marker)]);
    let command = Command { title, command: RUN.to_owned(), arguments };
    Some(CodeLens { range: file.range(node.span), command: Some(command), data: None })
}

fn count(file: &File, own: impl Fn(&Tested) -> bool) -> (usize, usize) {
    let own: Vec<&Tested> = file.tests.ran.iter().filter(|test| own(test)).collect();
    let failed = own.iter().filter(|test| test.failed).count();
    (own.len() - failed, failed)
}

/// What is said when tests were run on demand.
pub(super) fn summary(file: &File, marker: Option<&str>) -> String {
    let (passed, failed) = count(file, |test| marker.is_none() || test.marker.as_deref() == marker);
    let what = marker.unwrap_or("all tests");
    match (passed, failed) {
        (0, 0) => {
            format!("{what}: no tests; correct the errors first, or write lines under `hit` and `miss`")
        }
        (_, 0) => format!("{what}: {passed} pass"),
        _ => format!("{what}: {passed} pass, {failed} fail"),
    }
}

/// The tests that fail, at their lines.
pub(super) fn failures(file: &File) -> Vec<Diagnostic> {
    let failed = file.tests.ran.iter().filter(|test| test.failed && file.tests.is_current);
    failed
        .map(|test| Diagnostic {
            range: file.range(test.span),
            severity: Some(DiagnosticSeverity::ERROR),
            source: Some("sonometer test".to_owned()),
            message: test.message(),
            ..Diagnostic::default()
        })
        .collect()
}
