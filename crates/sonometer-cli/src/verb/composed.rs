//! `sonometer sense` with a metric or a blueprint: the score, its parts, and what was found.

use super::protocols::paragraph;
use super::sense::{Arguments, hinted, title, unheard};
use crate::failure::{Exit, Failure};
use crate::input::{Input, Item, refused};
use crate::paint::bar;
use crate::paint::{BOLD, Paint, one_line};
use crate::places;
use crate::screen::Screen;
use anstyle::Style;
use sonometer::{
    ErrorCode, Evidence, Fidelity, Instrument, Profile, Protocol, Reading, SenseOptions, TargetKind, Unit,
    WeakSignal,
};
use sonometer_evaluate::report::ledger;
use sonometer_ingest::Ingested;

pub(super) fn run(
    composition: &Instrument,
    arguments: &Arguments,
    screen: &mut Screen,
) -> Result<Exit, Failure> {
    let options = arguments.options()?;
    let input = Input::open(&arguments.input)?;
    let mut exit = Exit::Done;
    let mut first = true;
    for item in input.items() {
        let title = title(&input, &item);
        item.tell_notes(screen);
        let origin = item.origin.clone();
        match sense(composition, item, options, arguments) {
            Ok(reading) if arguments.json => {
                if arguments.explain {
                    screen.print_bytes(&(reading.ledger_json() + "\n"))?;
                    continue;
                }
                screen.print_bytes(&(reading.to_json(arguments.view()) + "\n"))?;
            }
            Ok(reading) => {
                let gap = if first { "" } else { "\n" };
                screen.print(&format!(
                    "{gap}{}",
                    report(&screen.paint, &reading, &title, origin.as_ref(), arguments)
                ))?;
                first = false;
            }
            Err(failure) => exit = exit.or(screen.fail(&failure, arguments.json)),
        }
        if exit == Exit::PipeClosed {
            return Ok(exit);
        }
    }
    Ok(exit)
}

fn sense(
    composition: &Instrument,
    item: Item,
    options: SenseOptions,
    arguments: &Arguments,
) -> Result<Reading, Failure> {
    let interaction = item.interaction?;
    arguments.view().check_composed().map_err(|error| Failure::engine(&item.name, &error))?;
    let reading = composition
        .sense_with(&interaction, options)
        .map_err(|error| refused(&item.name, interaction.modality(), &error))?;
    if reading.fidelity().sufficient {
        return Ok(reading);
    }
    let lacking = reading.parts().iter().filter(|reading| !reading.fidelity().sufficient);
    let lacking: Vec<String> = lacking.map(|reading| format!("`{}`", reading.protocol().id)).collect();
    let Fidelity { index, density, clarity, .. } = reading.fidelity();
    let message = format!(
        "{}: the content lacks sufficient signal for {} in `{}`: fidelity {index} (density {density}, \
         clarity {clarity}); give more readable text",
        item.name,
        lacking.join(", "),
        composition.id()
    );
    Err(Failure::lacking(ErrorCode::InsufficientSignal, message, reading.fidelity()))
}

fn report(
    paint: &Paint,
    reading: &Reading,
    title: &str,
    origin: Option<&Ingested>,
    arguments: &Arguments,
) -> String {
    let composition = reading.instrument();
    let mut text = String::new();
    if !title.is_empty() {
        text.push_str(&format!("{}\n", paint.dim(title)));
    }
    let (kind, id, version) = (composition.kind().as_str(), composition.id(), composition.version());
    text.push_str(&format!(
        "{} {}\n",
        paint.bold(&one_line(composition.name())),
        paint.dim(&format!("({kind} {id}@{version})"))
    ));
    let row = |name: &str, value: Unit, style: Style, rest: &str| {
        format!("  {name}  {} {value}{rest}\n", bar(paint, value, style))
    };
    let parts = composition.parts();
    let width = parts.iter().map(|part| part.id.len()).max().unwrap_or(0).max("fidelity".len());
    if let Some(score) = reading.score() {
        text.push_str(&row(&format!("{:<width$}", "score"), score, BOLD, ""));
        let meaning = paragraph(&composition.score_meaning(), paint.width, width + 4);
        meaning.lines().for_each(|line| text.push_str(&format!("{}\n", paint.dim(line))));
    }
    text.push_str(&row(&format!("{:<width$}", "fidelity"), reading.fidelity().index, BOLD, ""));
    text.push('\n');
    for (at, part) in parts.iter().enumerate() {
        let turned = if part.complement { ", low is good" } else { "" };
        let rest = format!("  ({}, weight {}{turned})", part.kind.as_str(), part.weight);
        let name = format!("{:<width$}", part.id);
        if let Some(score) = reading.part_score(at) {
            text.push_str(&row(&name, score, Style::new(), &paint.dim(&rest)));
        }
    }
    text.push_str(&found(paint, reading, origin));
    if arguments.profile != Profile::Raw {
        text.push_str(&against(reading));
    }
    if arguments.profile == Profile::Discovery {
        text.push_str(&nearly(reading));
    }
    text.push_str(&unheard(paint, reading.unheard()));
    if arguments.explain {
        text.push_str(&explained(paint, reading));
    }
    let ics = reading.ics();
    let price = if arguments.rate == Unit::ZERO { String::new() } else { format!(", ${}", ics.cost_usd) };
    text.push_str(&format!("\n  {} ICS{price}\n", ics.consumed));
    text
}

/// The computation of each protocol, then of the average.
fn explained(paint: &Paint, reading: &Reading) -> String {
    let composition = reading.instrument();
    let mut text = String::new();
    for own in reading.parts() {
        let Protocol { id, version, .. } = own.protocol();
        text.push_str(&format!("\n  {}\n", paint.bold(&format!("{id}@{version}"))));
        text.push_str(&ledger(&paint.report(), &own.ledger()));
    }
    text.push_str(&format!("\n  {}\n", paint.bold("how the parts became one score")));
    let parts = composition.parts();
    // Only what was measured is explained.
    let part_score = |at: usize| reading.part_score(at).unwrap_or(Unit::ZERO);
    // A metric within a blueprint is an average of its own, rounded.
    let inner = parts.iter().enumerate().filter(|(_, part)| part.kind == TargetKind::Metric);
    for (at, part) in inner {
        let shares = part.of.iter().map(|share| {
            let score = reading.parts()[share.sensor].score().unwrap_or(Unit::ZERO);
            (share.weight, share.complement, score)
        });
        let sum = weighted(&shares.collect::<Vec<_>>());
        text.push_str(&format!("    {}  {sum} = {}\n", part.id, part_score(at)));
    }
    let whole = parts.iter().enumerate().map(|(at, p)| (p.weight, p.complement, part_score(at)));
    let sum = weighted(&whole.collect::<Vec<_>>());
    let score = reading.score().unwrap_or(Unit::ZERO);
    text.push_str(&format!("  {}  {sum} = {score}\n", paint.bold("score")));
    text
}

/// `(3·0.5 + 2·(1 − 0.1)) ÷ 5`
fn weighted(shares: &[(Unit, bool, Unit)]) -> String {
    let term = |(weight, complement, score): &(Unit, bool, Unit)| match complement {
        true => format!("{weight}·(1 − {score})"),
        false => format!("{weight}·{score}"),
    };
    let terms: Vec<String> = shares.iter().map(term).collect();
    let weights: i64 = shares.iter().map(|(weight, ..)| weight.0).sum();
    format!("({}) ÷ {}", terms.join(" + "), Unit(weights))
}

/// The evidence of each protocol that found something.
fn found(paint: &Paint, reading: &Reading, origin: Option<&Ingested>) -> String {
    let mut text = String::new();
    for (at, own) in reading.parts().iter().enumerate() {
        let evidence: Vec<Evidence<'_>> = reading.evidence().filter(|found| found.part == at).collect();
        if evidence.is_empty() {
            continue;
        }
        let protocol = own.protocol();
        let label = |found: &Evidence<'_>| &protocol.markers[found.marker].label;
        text.push_str(&format!(
            "\n  {} {}\n",
            one_line(&protocol.name),
            paint.dim(&format!("({}@{})", protocol.id, protocol.version))
        ));
        let width = evidence.iter().map(|found| label(found).len()).max().unwrap_or(0);
        for found in evidence {
            let label = paint.bold(&format!("{:<width$}", label(&found)));
            text.push_str(&format!(
                "    {label}  {:<8}  {}{}\n",
                found.score.to_string(),
                one_line(&found.source),
                places::after(paint, origin, &found)
            ));
        }
    }
    text
}

/// What nearly triggered.
fn nearly(reading: &Reading) -> String {
    let signals = reading.weak_signals();
    let line =
        |weak: WeakSignal<'_>| format!("    {}  {}  {}\n", weak.metamarker, weak.proximity, hinted(&weak));
    let text: String = signals.map(line).collect();
    if text.is_empty() { text } else { format!("\n  nearly triggered\n{text}") }
}

/// What counts against markers, with what it takes away.
fn against(reading: &Reading) -> String {
    let line = |found: Evidence<'_>| {
        format!("    {}  {}  “{}”\n", found.metamarker, found.score, one_line(&found.source))
    };
    let text: String = reading.against().map(line).collect();
    if text.is_empty() { text } else { format!("\n  counts against\n{text}") }
}
