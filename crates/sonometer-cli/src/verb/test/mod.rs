//! `sonometer test`: the self tests of protocols, and what no self test needs.

mod bench;
mod mutant;
mod place;
mod report;
mod summary;
mod trial;

use super::dive::StageSource;
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use crate::target::Source;
use bench::Bench;
pub(super) use mutant::entries;
use sonometer::{Document, Error, Protocol};

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
    pub(crate) json: bool,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
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

/// How many tests a protocol has, and how many of them fail.
pub(super) fn failures(protocol: &Protocol) -> Result<(usize, usize), Error> {
    let ran = Bench::of(protocol).run_tests()?;
    Ok((ran.len(), ran.iter().filter(|ran| !ran.broken.is_empty()).count()))
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
