//! `check` and `test`: what authors of protocols and stages work with.

use super::{Call, catalogue::not_found};
use crate::answer::{Answer, Refusal, cut, quote};
use crate::bench::{Named, named, no_files};
use crate::limits::{self, COVERED_LINES, SHOWN};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sonometer::diagnostic::{Severity, line_and_column};
use sonometer::stage::{Stage, World};
use sonometer::{Diagnostics, Document, Error, Instrument, Protocol, Sensor, TargetKind};
use sonometer_author::fix;
use sonometer_author::test::{Bench, Broken, Mutant, Outcome, Places, Ran, Trial, why};
use sonometer_catalog::{find_any, stage_named};
use sonometer_report::counted;
use std::fmt::Write;

/// Arguments of `check`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Check {
    /// The text of a protocol, metric, blueprint or stage, in YAML or JSON.
    source: String,
    /// Also mend what can only be meant in one way, such as a misspelt key, and return the mended text.
    #[serde(default)]
    fix: Option<bool>,
}

/// What `check` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Checked {
    /// protocol, metric, blueprint or stage.
    kind: &'static str,
    /// Whether it can be used: it has no errors.
    usable: bool,
    errors: usize,
    warnings: usize,
    /// The findings, by place; at most 20.
    findings: Vec<Finding>,
    /// id@version, where it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What its score means and which way is good, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    score_meaning: Option<String>,
    /// Its identity: equal files have equal digests.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    /// With `fix`: how many findings were mended.
    #[serde(skip_serializing_if = "Option::is_none")]
    mended: Option<usize>,
    /// With `fix`: the mended text, if anything was mended. The findings are those of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Finding {
    /// Such as SM0302; the tool `explain` says more of it.
    code: String,
    /// error or warning.
    severity: &'static str,
    /// From 1; absent where it has no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    message: String,
    /// What to type instead.
    fix: String,
}

/// What a text is and what was found.
struct Seen {
    kind: &'static str,
    found: Diagnostics,
    /// What has no place in it: a metric names a protocol that is not there.
    failure: Option<Error>,
    name: Option<String>,
    score_meaning: Option<String>,
    digest: Option<String>,
}

pub(crate) fn check(call: &Call, arguments: Check) -> Result<Answer, Refusal> {
    limits::source("source", &arguments.source)?;
    let (text, mended) = match arguments.fix {
        Some(true) => {
            let (text, mended) = fix::mend(&arguments.source, &|text| seen(call, text).found);
            (text, Some(mended))
        }
        _ => (arguments.source, None),
    };
    let seen = seen(call, &text);
    let count = |severity| seen.found.iter().filter(|finding| finding.severity == severity).count();
    let errors = count(Severity::Error) + usize::from(seen.failure.is_some());
    let warnings = count(Severity::Warning);
    let failure = seen.failure.as_ref().map(|error| Finding {
        code: error.code.as_str().to_owned(),
        severity: "error",
        line: None,
        column: None,
        message: error.message.clone(),
        fix: String::new(),
    });
    let findings = seen.found.iter().map(|finding| {
        let (line, column) = line_and_column(&text, finding.span.start);
        Finding {
            code: finding.code.to_owned(),
            severity: word(finding.severity),
            line: Some(line),
            column: Some(column),
            message: finding.message.clone(),
            fix: finding.fix.clone(),
        }
    });
    let findings: Vec<Finding> = failure.into_iter().chain(findings).take(SHOWN).collect();
    let mut told = match &seen.name {
        Some(name) => format!("{} {name}: ", seen.kind),
        None => format!("{}: ", seen.kind),
    };
    let _ = writeln!(told, "{}, {}", counted(errors, "error"), counted(warnings, "warning"));
    if let Some(mended) = mended {
        let _ = writeln!(told, "{} mended", counted(mended, "finding"));
    }
    for Finding { code, severity, line, column, message, fix } in &findings {
        let place = match (line, column) {
            (Some(line), Some(column)) => format!("line {line}, column {column}: "),
            _ => String::new(),
        };
        let fix = if fix.is_empty() { String::new() } else { format!("; {fix}") };
        let _ = writeln!(told, "{severity} {code}: {place}{message}{fix}");
    }
    let left = errors + warnings - findings.len();
    if left > 0 {
        let _ = writeln!(told, "({left} more; mend these first)");
    }
    if let Some(meaning) = &seen.score_meaning {
        let _ = writeln!(told, "{meaning}");
    }
    let changed = mended.filter(|mended| *mended > 0);
    let Seen { kind, name, score_meaning, digest, .. } = seen;
    let usable = errors == 0;
    let source = changed.map(|_| text);
    let checked =
        Checked { kind, usable, errors, warnings, findings, name, score_meaning, digest, mended, source };
    // A client that shows text alone needs the mended one there, too.
    let copy = checked.source.clone().unwrap_or_default();
    Answer::new(told.trim_end().to_owned(), &checked).with_exact("fix", changed.is_some(), || copy)
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn seen(call: &Call, text: &str) -> Seen {
    if Stage::is_meant(text) {
        return of_stage(call, text);
    }
    let mut seen = Seen {
        kind: kind(text),
        found: Diagnostics::new(),
        failure: None,
        name: None,
        score_meaning: None,
        digest: None,
    };
    let document = match Document::read_with(text, &no_files) {
        Ok((document, warnings)) => {
            seen.found = warnings;
            document
        }
        Err(error) => return Seen { found: error.diagnostics, ..seen },
    };
    seen.kind = document.kind().as_str();
    seen.name = Some(format!("{}@{}", document.id(), document.version()));
    seen.digest = Some(document.digest());
    // What a metric or blueprint names must be there, and fit together.
    match Instrument::new(document, call.bench.shelf()) {
        Ok(whole) => seen.score_meaning = Some(whole.score_meaning()),
        Err(error) => seen.failure = Some(error),
    }
    seen
}

/// What a text is that cannot be read.
fn kind(text: &str) -> &'static str {
    match text {
        text if text.contains("sonometer_metric") => TargetKind::Metric.as_str(),
        text if text.contains("sonometer_blueprint") => TargetKind::Blueprint.as_str(),
        _ => TargetKind::Protocol.as_str(),
    }
}

fn of_stage(call: &Call, text: &str) -> Seen {
    let mut seen = Seen {
        kind: "stage",
        found: Diagnostics::new(),
        failure: None,
        name: None,
        score_meaning: None,
        digest: None,
    };
    let (stage, found) = match Stage::read(text) {
        Ok(read) => read,
        Err(error) => return Seen { found: error.diagnostics, ..seen },
    };
    seen.found = found;
    seen.name = Some(format!("{}@{}", stage.id, stage.version));
    match World::new(stage, &call.bench.for_stages()) {
        Ok(world) => {
            // Walkthroughs are run by `test`, whose work is bounded.
            world.lint().iter().for_each(|finding| seen.found.push(finding.clone()));
            seen.digest = Some(world.digest().to_owned());
        }
        Err(error) if error.place.is_empty() && !error.diagnostics.is_empty() => {
            error.diagnostics.iter().for_each(|finding| seen.found.push(finding.clone()));
        }
        Err(error) => seen.failure = Some(error),
    }
    seen.found.sort();
    seen
}

/// Arguments of `test`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Test {
    /// A protocol or stage by its id.
    target: Option<String>,
    /// The text of a protocol or stage in place of `target`.
    source: Option<String>,
    /// Also take each pattern line away in turn, and list those that no test needs. Of protocols with at most 300 lines.
    #[serde(default)]
    coverage: Option<bool>,
}

/// What `test` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Tested {
    /// id@version.
    name: String,
    tests: usize,
    failed: usize,
    /// The tests that failed; at most 20.
    failures: Vec<Failed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Failed {
    /// hit, miss, dialogue or walkthrough.
    kind: &'static str,
    /// The marker of a line, the name of a dialogue or walkthrough.
    of: String,
    /// The text of a line; empty otherwise.
    text: String,
    /// Its line in the source, from 1; 0 where there is none.
    line: usize,
    /// What was found and what was not.
    why: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Coverage {
    /// How many of a hundred lines a test needs.
    percent: usize,
    /// The pattern lines that no test needs; at most 20.
    unneeded: Vec<Unneeded>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Unneeded {
    marker: String,
    text: String,
    /// Its line in the source, from 1.
    line: usize,
}

pub(crate) fn test(call: &Call, arguments: Test) -> Result<Answer, Refusal> {
    let Test { target, source, coverage } = arguments;
    let coverage = coverage == Some(true);
    match named(("target", target.as_deref()), ("source", source.as_deref()))? {
        Named::Source(text) if Stage::is_meant(text) => walked(call, None, Some(text)),
        Named::Source(text) => {
            let document = Document::read_with(text, &no_files).map_err(|error| {
                Refusal::engine("source", error).and("the tool `check` says everything that it finds")
            })?;
            tested(document.0, text, "source", coverage)
        }
        Named::Name(name) => {
            if call.bench.own_world(name).is_some() || stage_named(name).is_ok() {
                return walked(call, Some(name), None);
            }
            if let Some((document, _)) = call.bench.own_target(name) {
                return tested(document.clone(), "", "target", coverage);
            }
            let entry = find_any(name, &TargetKind::ALL).map_err(|none| not_found(none, "target"))?;
            let document = entry.document().map_err(|error| Refusal::engine("target", error))?;
            tested(document.0, entry.source, "target", coverage)
        }
    }
}

fn tested(document: Document, source: &str, place: &str, coverage: bool) -> Result<Answer, Refusal> {
    let protocol = match document {
        Document::Protocol(protocol) => *protocol,
        composed => {
            let message =
                format!("a {} has no tests of its own; test its protocols", composed.kind().as_str());
            return Err(Refusal::invalid(place, message));
        }
    };
    let lines: usize = protocol.markers.iter().map(|marker| marker.all_lines().count()).sum();
    if coverage && lines > COVERED_LINES {
        let fix = "leave out `coverage`, or use `sonometer test --coverage`";
        return Err(limits::too_large("coverage", lines, COVERED_LINES, "pattern lines", fix));
    }
    let sensor = Sensor::new(protocol.clone()).map_err(|error| Refusal::engine(place, error))?;
    let words = tested_bytes(&protocol);
    limits::work(
        place,
        &Instrument::from(sensor),
        if coverage { words.saturating_mul(lines.max(1)) } else { words },
    )?;
    let bench = Bench::of(&protocol);
    let of = |error| Refusal::engine(place, error);
    let outcome = match coverage {
        true => bench.run(false).map_err(of)?,
        false => Outcome { ran: bench.run_tests().map_err(of)?, mutants: 0, unnoticed: Vec::new() },
    };
    let name = format!("{}@{}", protocol.id, protocol.version);
    let failed = outcome.failed();
    let failures = outcome.ran.iter().filter(|ran| !ran.broken.is_empty()).take(SHOWN);
    let failures = failures.map(|ran| failure(source, ran)).collect();
    let coverage = coverage.then(|| covered(source, &outcome));
    let tested = Tested { name, tests: outcome.ran.len(), failed, failures, coverage };
    Ok(Answer::new(told(&tested), &tested))
}

/// Bytes of everything that the tests of a protocol sense.
fn tested_bytes(protocol: &Protocol) -> usize {
    let lines = protocol.markers.iter().flat_map(|marker| marker.hit.iter().chain(&marker.miss));
    let dialogues = protocol.tests.iter().flat_map(|dialogue| dialogue.talk.iter());
    lines.map(|line| line.text.len()).sum::<usize>() + dialogues.map(|turn| turn.text.len()).sum::<usize>()
}

fn failure(source: &str, ran: &Ran<'_>) -> Failed {
    let (kind, of, text, span) = match ran.trial {
        Trial::Line { marker, line, wanted } => {
            (if wanted { "hit" } else { "miss" }, &marker.label, line.text.as_str(), line.span)
        }
        Trial::Dialogue(dialogue) => ("dialogue", &dialogue.name, "", dialogue.span),
    };
    let line = if source.is_empty() { 0 } else { line_and_column(source, span.start).0 };
    let mut why = why(ran);
    if why.is_empty() {
        why = ran.broken.iter().map(said).collect();
    }
    let why = why.into_iter().take(SHOWN).map(|why| cut(&why, 400)).collect();
    Failed { kind, of: of.clone(), text: quote(text), line, why }
}

/// What does not hold, without how it came about.
fn said(broken: &Broken) -> String {
    match broken {
        Broken::Marker { label, wanted: true } => format!("`{label}` should fire"),
        Broken::Marker { label, wanted: false } => format!("`{label}` should be silent"),
        Broken::Driven { label, role } => format!("`{label}` is not driven by `{role}`"),
        Broken::Fidelity => "the fidelity is another one".to_owned(),
        Broken::Score => "the score is another one".to_owned(),
    }
}

fn covered(source: &str, outcome: &Outcome<'_>) -> Coverage {
    let places = Places::of(source);
    let unneeded = |mutant: &Mutant<'_>| Unneeded {
        marker: mutant.marker.label.clone(),
        text: quote(&mutant.text),
        line: places.of_mutant(mutant).map_or(0, |span| line_and_column(source, span.start).0),
    };
    Coverage {
        percent: outcome.percent(),
        unneeded: outcome.unnoticed.iter().take(SHOWN).map(unneeded).collect(),
    }
}

fn told(tested: &Tested) -> String {
    let Tested { name, tests, failed, failures, coverage } = tested;
    let mut text = format!("{name}: {}, {failed} failed\n", counted(*tests, "test"));
    for Failed { kind, of, text: line, line: number, why } in failures {
        let place = if *number > 0 { format!(" (line {number})") } else { String::new() };
        let line = if line.is_empty() { String::new() } else { format!(" “{line}”") };
        let _ = writeln!(text, "failed: {kind} of `{of}`{place}{line}");
        why.iter().for_each(|why| text.push_str(&format!("  {why}\n")));
    }
    if *failed > failures.len() {
        let _ = writeln!(text, "({} more failed)", failed - failures.len());
    }
    if let Some(Coverage { percent, unneeded }) = coverage {
        let _ = writeln!(text, "coverage {percent} %");
        for Unneeded { marker, text: line, line: number } in unneeded {
            let place = if *number > 0 { format!(" (line {number})") } else { String::new() };
            let _ = writeln!(text, "no test needs `{marker}`{place}: {line}");
        }
    }
    text.trim_end().to_owned()
}

/// The walkthroughs of a stage, and the runs that no stage may let pass.
fn walked(call: &Call, name: Option<&str>, source: Option<&str>) -> Result<Answer, Refusal> {
    let place = if name.is_some() { "target" } else { "source" };
    let world = call.bench.world(name, source)?;
    let stage = world.stage();
    let said = |say: &[String]| say.iter().map(String::len).sum::<usize>();
    let walks: usize = stage.walkthroughs.iter().map(|(_, walk)| said(&walk.say)).sum();
    // Each thing that is said in a passing one is said over and over.
    let again = walks.saturating_mul(stage.envelope.max_turns as usize);
    limits::work(place, world.instrument(), walks.saturating_add(again))?;
    let mut failures = Vec::new();
    for (name, walkthrough) in &stage.walkthroughs {
        let walk = world.walk(walkthrough);
        if !walk.as_expected {
            let wanted = if walkthrough.passes { "pass" } else { "fail" };
            let came = if walk.verdict.passed { "passes" } else { "fails" };
            let why = format!("it {came} ({}), and should {wanted}", walk.verdict.reason.as_str());
            failures.push(Failed {
                kind: "walkthrough",
                of: name.clone(),
                text: String::new(),
                line: 0,
                why: vec![why],
            });
        }
    }
    let (passed, runs) = world.degenerate();
    failures.extend(passed.into_iter().map(|what| Failed {
        kind: "walkthrough",
        of: what,
        text: String::new(),
        line: 0,
        why: vec!["it passes, but must fail: silence and repetition pass no stage".to_owned()],
    }));
    let failed = failures.len();
    failures.truncate(SHOWN);
    let name = format!("{}@{}", stage.id, stage.version);
    let tested = Tested { name, tests: stage.walkthroughs.len() + runs, failed, failures, coverage: None };
    Ok(Answer::new(told(&tested), &tested))
}
