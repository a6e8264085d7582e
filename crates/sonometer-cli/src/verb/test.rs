//! `sonometer test`: the self tests of protocols, and the pattern lines that no self test needs.

use super::explain::{reasons, signed};
use crate::failure::{Exit, Failure, counted};
use crate::findings::{draw, snippet};
use crate::paint::{Paint, one_line};
use crate::screen::Screen;
use crate::target::Source;
use annotate_snippets::{Group, Level};
use sonometer::diagnostic::Span;
use sonometer::protocol::{LineList, Marker, Modality, TestLine};
use sonometer::{Error, Interaction, Protocol, Reading, SenseOptions, Sensor, Turn, Unit};

/// Arguments of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Protocol files, or protocols that ship
    #[arg(required = true, value_name = "TARGET")]
    targets: Vec<String>,
    /// Pattern lines that no test needs fail the test too
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    for target in &arguments.targets {
        match of_target(target, arguments, screen) {
            Ok(ended) => exit = exit.or(ended),
            Err(Failure::PipeClosed) => return Err(Failure::PipeClosed),
            Err(failure) => exit = exit.or(screen.fail(&failure, false)),
        }
    }
    Ok(exit)
}

fn of_target(target: &str, arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let source = Source::find(target)?;
    let (protocol, _) = source.read()?;
    let (mut tests, mut failed, mut idle) = (0, 0, 0);
    // A test line is a text or a transcript of one turn, whatever the protocol is used on.
    let modalities = vec![Modality::Text, Modality::Transcript];
    let bare = Protocol { modalities, markers: Vec::new(), ..protocol.clone() };
    for marker in &protocol.markers {
        let bench = Bench { bare: &bare, marker };
        let outcome = bench.run().map_err(|error| Failure::engine(&source.name, &error))?;
        tests += marker.hit.len() + marker.miss.len();
        failed += outcome.failed.len();
        idle += outcome.idle.len();
        screen.print(&outcome.render(&screen.paint, &source, marker, arguments.strict))?;
    }
    let mut summary = format!("{}: {}, ", source.name, counted(protocol.markers.len(), "marker"));
    summary.push_str(&match failed {
        0 if tests == 0 => "no test lines".to_owned(),
        0 => format!("{} passed", counted(tests, "test line")),
        _ => format!("{}: {} passed, {failed} failed", counted(tests, "test line"), tests - failed),
    });
    if idle > 0 {
        summary.push_str(&format!("; {} that no test needs", counted(idle, "pattern line")));
    }
    screen.print(&format!("{summary}\n"))?;
    let found = failed > 0 || arguments.strict && idle > 0;
    Ok(if found { Exit::Finding } else { Exit::Done })
}

/// One marker alone on the bench: no other marker can help or hinder it.
struct Bench<'p> {
    /// The protocol without its markers.
    bare: &'p Protocol,
    marker: &'p Marker,
}

/// What the tests of one marker came to.
struct Outcome<'p> {
    failed: Vec<Failed<'p>>,
    /// The pattern lines that no test needs.
    idle: Vec<Span>,
}

/// A test line that fails.
struct Failed<'p> {
    line: &'p TestLine,
    reading: Reading,
}

impl<'p> Bench<'p> {
    fn run(&self) -> Result<Outcome<'p>, Error> {
        let sensor = self.sensor(self.marker.clone())?;
        let mut outcome = Outcome { failed: Vec::new(), idle: Vec::new() };
        let (mut hits, mut misses) = (Vec::new(), Vec::new());
        for (lines, wanted, passed) in
            [(&self.marker.hit, true, &mut hits), (&self.marker.miss, false, &mut misses)]
        {
            for line in lines {
                let reading = try_line(&sensor, line)?;
                if is_triggered(&reading) == wanted {
                    passed.push((line, reading));
                } else {
                    outcome.failed.push(Failed { line, reading });
                }
            }
        }
        outcome.idle = self.idle_lines(&hits, &outcome.failed)?;
        outcome.idle.extend(self.idle_exceptions(&misses)?);
        Ok(outcome)
    }

    /// The positive lines without which every `hit` still passes. Weighted lists are left out: data, not tests, speak
    /// for their lines. What a failing test finds is left out too: that test comes first.
    fn idle_lines(&self, hits: &[(&TestLine, Reading)], failed: &[Failed<'_>]) -> Result<Vec<Span>, Error> {
        let mut idle = Vec::new();
        for (at, line) in
            self.marker.lines.iter().enumerate().filter(|(_, line)| line.list != LineList::Weigh)
        {
            let counted = |reading: &Reading| {
                let ledger = reading.ledger();
                ledger.markers.iter().flat_map(|marker| &marker.matches).any(|found| {
                    found.line == line.text && found.list == line.list && found.failed.is_empty()
                })
            };
            if failed.iter().any(|failed| counted(&failed.reading)) {
                continue;
            }
            let mut without = self.marker.clone();
            without.lines.remove(at);
            // Only where it counted can it be missed.
            if !self.changes(without, hits.iter().filter(|(_, reading)| counted(reading)), true)? {
                idle.push(line.span);
            }
        }
        Ok(idle)
    }

    /// The `except` lines without which every `miss` still passes.
    fn idle_exceptions(&self, misses: &[(&TestLine, Reading)]) -> Result<Vec<Span>, Error> {
        let mut idle = Vec::new();
        for (at, line) in self.marker.except.iter().enumerate() {
            let excepted = |(_, reading): &&(&TestLine, Reading)| {
                let ledger = reading.ledger();
                ledger
                    .markers
                    .iter()
                    .flat_map(|marker| &marker.matches)
                    .any(|found| found.failed.contains(&"except"))
            };
            let mut without = self.marker.clone();
            without.except.remove(at);
            if !self.changes(without, misses.iter().filter(excepted), false)? {
                idle.push(line.span);
            }
        }
        Ok(idle)
    }

    /// Whether a test that passed, triggered or not, ends otherwise with the marker `changed`.
    fn changes<'t>(
        &self,
        changed: Marker,
        tests: impl Iterator<Item = &'t (&'t TestLine, Reading)>,
        triggered: bool,
    ) -> Result<bool, Error> {
        let mut tests = tests.peekable();
        if tests.peek().is_none() {
            return Ok(false);
        }
        let sensor = self.sensor(changed)?;
        for (line, _) in tests {
            if is_triggered(&try_line(&sensor, line)?) != triggered {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn sensor(&self, marker: Marker) -> Result<Sensor, Error> {
        Sensor::new(Protocol { markers: vec![marker], ..self.bare.clone() })
    }
}

fn try_line(sensor: &Sensor, line: &TestLine) -> Result<Reading, Error> {
    let interaction = match &line.role {
        Some(role) => Interaction::transcript(vec![Turn {
            role: Some(role.as_str().into()),
            content: line.text.as_str().into(),
            // The one turn is the first and the last, in seconds too.
            timestamp: Some(Unit::ZERO),
        }])?,
        None => Interaction::text(&line.text)?,
    };
    sensor.sense_with(&interaction, SenseOptions { ignore_fidelity: true, ..SenseOptions::default() })
}

fn is_triggered(reading: &Reading) -> bool {
    reading.resonance().any(|(_, resonance)| resonance.triggered)
}

impl Outcome<'_> {
    fn render(&self, paint: &Paint, source: &Source, marker: &Marker, strict: bool) -> String {
        let mut text = String::new();
        for failed in &self.failed {
            text.push_str(&draw(paint, &[failed.group(source, marker)]));
        }
        if let Some(group) = self.idle_group(source, marker, strict) {
            text.push_str(&draw(paint, &[group]));
        }
        text
    }

    fn idle_group<'s>(&self, source: &'s Source, marker: &Marker, strict: bool) -> Option<Group<'s>> {
        let level = if strict { Level::ERROR } else { Level::NOTE };
        if self.idle.is_empty() {
            return None;
        }
        if marker.hit.is_empty() && marker.miss.is_empty() {
            let title = level.primary_title(format!("`{}` has no tests", marker.label));
            let place = snippet(source, [(self.idle[0], "")]);
            let fix = "write lines that must trigger it under `hit`, lines that must not under `miss`";
            return Some(title.element(place).element(Level::HELP.message(fix)));
        }
        let title = match self.idle.len() {
            1 => format!("no test needs this line of `{}`", marker.label),
            _ => format!("no test needs these lines of `{}`", marker.label),
        };
        let place = snippet(source, self.idle.iter().map(|span| (*span, "")));
        let excepts = marker.except.iter().filter(|line| self.idle.contains(&line.span)).count();
        let fix = match (excepts, self.idle.len() - excepts) {
            (_, 0) => "add a `miss` that only the line keeps silent, or remove it",
            (0, _) => "add a `hit` that only the line finds, or remove it",
            _ => "add a `hit` that only the line finds (a `miss` for an `except` line), or remove it",
        };
        Some(level.primary_title(title).element(place).element(Level::HELP.message(fix)))
    }
}

impl Failed<'_> {
    fn group<'s>(&self, source: &'s Source, marker: &Marker) -> Group<'s> {
        let (id, verdict) = match is_triggered(&self.reading) {
            true => ("miss", "is triggered by this line"),
            false => ("hit", "is not triggered by this line"),
        };
        let title = Level::ERROR.primary_title(format!("`{}` {verdict}", marker.label)).id(id);
        let mut group = title.element(snippet(source, [(self.line.span, "")]));
        for note in self.notes() {
            group = group.element(Level::NOTE.message(note));
        }
        group
    }

    /// What was found, what of it was dropped, and what it came to.
    fn notes(&self) -> Vec<String> {
        let ledger = self.reading.ledger();
        let mut notes = Vec::new();
        for marker in &ledger.markers {
            for found in &marker.matches {
                let what =
                    format!("`{}` ({}) found “{}”", found.line, found.list.as_str(), one_line(&found.source));
                notes.push(match found.failed.is_empty() {
                    true => format!("{what}: {}", signed(found.contribution)),
                    false => format!("{what}: dropped, {}", self.reason(reasons(found))),
                });
            }
            let activation = marker.resonance.activation;
            notes.push(match (marker.matches.is_empty(), marker.resonance.triggered) {
                (true, false) => "no pattern line matches".to_owned(),
                (_, true) => format!("activation {activation} reaches the trigger {}", marker.trigger),
                (_, false) => format!("activation {activation} stays below the trigger {}", marker.trigger),
            });
        }
        notes
    }

    fn reason(&self, reasons: String) -> String {
        match &self.line.role {
            None if reasons.contains("another side") => {
                format!("{reasons} (write the role before the line: `role: text`)")
            }
            _ => reasons,
        }
    }
}
