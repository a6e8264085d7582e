//! `sonometer test`: the self tests of protocols, and what no self test needs.

mod each;
mod report;
mod summary;

use super::dive::StageSource;
use crate::failure::{Exit, Failure};
use crate::findings::junit;
use crate::screen::Screen;
use crate::target::{Source, is_path};
use crate::watch::watch;
pub(super) use each::{Tested, tested};
use sonometer::Document;
use sonometer_author::test::Bench;
use std::path::PathBuf;

/// Arguments of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Protocol or stage files, or protocols and stages that ship
    #[arg(required = true, value_name = "TARGET")]
    targets: Vec<String>,
    /// Also fail on pattern lines that no test needs
    #[arg(long)]
    strict: bool,
    /// Mutation test: remove each pattern line, list entry and condition in turn, and show which removals no test
    /// notices
    #[arg(long)]
    coverage: bool,
    /// Fail if tests notice less than this percentage of the removals
    #[arg(long, value_name = "PERCENT", requires = "coverage", value_parser = clap::value_parser!(u8).range(0..=100))]
    fail_under: Option<u8>,
    /// One JSON object for each target
    #[arg(long)]
    json: bool,
    /// A report of each test instead, for continuous integration
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["json", "coverage"])]
    format: Option<Format>,
    /// Test again whenever a file changes
    #[arg(long)]
    watch: bool,
}

/// A format that names every test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One JUnit report
    Junit,
    /// The Test Anything Protocol, version 14
    Tap,
}

impl Arguments {
    pub(crate) fn json(&self) -> bool {
        self.json
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let work = |screen: &mut Screen| match arguments.format {
        Some(format) => each_of(arguments, format, screen),
        None => all(arguments, screen),
    };
    if !arguments.watch {
        return work(screen);
    }
    let files: Vec<PathBuf> =
        arguments.targets.iter().filter(|name| is_path(name)).map(PathBuf::from).collect();
    watch(&files, screen, arguments.json, work)
}

/// Every test of every target by its name; a target that cannot be tested is a test that fails.
fn each_of(arguments: &Arguments, format: Format, screen: &mut Screen) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    let mut tests: Vec<(&str, Vec<Tested>)> = Vec::new();
    for target in &arguments.targets {
        match tests_of(target) {
            Ok(own) => tests.push((target, own)),
            Err(Failure::Told(told)) => {
                tests.push((target, vec![Tested::untested(target, &told.message)]));
                exit = exit.or(screen.fail(&Failure::Told(told), false));
            }
            Err(closed) => return Err(closed),
        }
    }
    let all: usize = tests.iter().map(|(_, own)| own.len()).sum();
    let failed = tests.iter().any(|(_, own)| own.iter().any(|test| test.failed));
    match format {
        Format::Junit => screen.print_bytes(&junit("sonometer test", &each::cases(&tests)))?,
        Format::Tap => {
            let mut text = format!("TAP version 14\n1..{all}\n");
            let mut first = 1;
            for (target, own) in &tests {
                text.push_str(&each::tap(target, own, first));
                first += own.len();
            }
            screen.print_bytes(&text)?;
        }
    }
    Ok(if failed { exit.or(Exit::Finding) } else { exit })
}

fn tests_of(target: &str) -> Result<Vec<Tested>, Failure> {
    if let Some(stage) = StageSource::meant(target) {
        return each::of_stage(&stage);
    }
    let source = Source::find(target)?;
    match source.document()?.0 {
        Document::Protocol(protocol) => {
            tested(&protocol).map_err(|error| Failure::engine(&source.name, &error))
        }
        composed => Err(no_tests(&source, composed)),
    }
}

fn all(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    for target in &arguments.targets {
        match of_target(target, arguments, screen) {
            Ok(ended) => exit = exit.or(ended),
            Err(Failure::PipeClosed) => return Err(Failure::PipeClosed),
            Err(failure) => exit = exit.or(screen.fail(&failure, arguments.json)),
        }
    }
    Ok(exit)
}

/// What is said of a metric or blueprint: its numbers follow from those of its protocols, which have the tests.
fn no_tests(source: &Source, composed: Document) -> Failure {
    let kind = composed.kind().as_str();
    match source.compose(composed) {
        Ok(whole) => {
            let name = |sensor: &sonometer::Sensor| {
                format!("{}@{}", sensor.protocol().id, sensor.protocol().version)
            };
            let protocols: Vec<String> = whole.sensors().iter().map(name).collect();
            Failure::unusable(format!(
                "{}: a {kind} has no tests of its own; test its protocols: {}",
                source.name,
                protocols.join(" ")
            ))
        }
        Err(error) => Failure::engine(&source.name, &error),
    }
}

fn of_target(target: &str, arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    if let Some(stage) = StageSource::meant(target) {
        return super::dive::test(&stage, arguments.json, screen);
    }
    let source = Source::find(target)?;
    let protocol = match source.document()?.0 {
        Document::Protocol(protocol) => *protocol,
        composed => return Err(no_tests(&source, composed)),
    };
    let bench = Bench::of(&protocol);
    let outcome = bench.run(arguments.coverage).map_err(|error| Failure::engine(&source.name, &error))?;
    if arguments.json {
        screen.print_bytes(&summary::json(&source, &protocol, &outcome, arguments.coverage))?;
    } else {
        screen.print(&report::render(&screen.paint, &source, &protocol, &outcome, arguments))?;
        screen.print(&summary::line(&source, &protocol, &outcome, arguments.coverage))?;
    }
    let lines = outcome.unnoticed.iter().any(|mutant| mutant.span.is_some());
    let too_low = arguments.fail_under.is_some_and(|least| outcome.percent() < usize::from(least));
    let found = outcome.failed() > 0 || arguments.strict && lines || too_low;
    Ok(if found { Exit::Finding } else { Exit::Done })
}
