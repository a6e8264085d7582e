//! `sonometer compare`: two interactions, and what lies between them.

use crate::failure::{Exit, Failure, counted};
use crate::input::{self, FileArguments, Item};
use crate::paint::bar;
use crate::paint::{BOLD, Paint, one_line};
use crate::screen::Screen;
use crate::target::Source;
use anstyle::{AnsiColor, Style};
use sonometer::compare::Direction;
use sonometer::protocol::Better;
use sonometer::{Comparison, ErrorCode, Instrument, Interaction, SenseOptions, Unit};

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric or blueprint that ships (`id` or `id@version`), or a file of one
    target: String,
    /// The first interaction, such as what was before: a file, or `-`
    a: String,
    /// The second
    b: String,
    #[command(flatten)]
    file: FileArguments,
    /// The canonical JSON of the comparison
    #[arg(long)]
    pub(crate) json: bool,
    /// The price of one ICS (Interaction Computed Signal, the unit of billing) in US dollars
    #[arg(long, value_name = "USD", default_value = "0", value_parser = super::sense::rate)]
    rate: Unit,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let instrument = Source::find(&arguments.target)?.instrument()?;
    let (a, b) = (read(&arguments.a, arguments)?, read(&arguments.b, arguments)?);
    let options = SenseOptions { usd_per_ics: arguments.rate, ..SenseOptions::default() };
    let comparison = instrument.compare(&a, &b, options).map_err(|error| {
        let name = if error.place == "interaction_b" { &arguments.b } else { &arguments.a };
        let fidelity = match (error.code, error.place.as_str()) {
            (ErrorCode::InsufficientSignal, "interaction_b") => instrument.fidelity(&b).ok(),
            (ErrorCode::InsufficientSignal, _) => instrument.fidelity(&a).ok(),
            _ => None,
        };
        match fidelity {
            Some(fidelity) => {
                let message = format!("{name}: {}: {}", error.place, error.message);
                Failure::lacking(error.code, message, fidelity)
            }
            None => Failure::engine(name, &error),
        }
    })?;
    if arguments.json {
        screen.print_bytes(&(comparison.to_json() + "\n"))?;
    } else {
        let names = [(&a, &arguments.a), (&b, &arguments.b)];
        let names = names.map(|(interaction, path)| interaction.label().unwrap_or(path));
        screen.print(&report(&screen.paint, &instrument, &comparison, names))?;
    }
    Ok(Exit::Done)
}

/// The one interaction of a file.
fn read(path: &str, arguments: &Arguments) -> Result<Interaction, Failure> {
    let input = input::Input::of(path, &arguments.file)?;
    let mut items = input.items();
    match (items.next(), items.next()) {
        (Some(Item { interaction, .. }), None) => interaction,
        _ => Err(Failure::unusable(format!("{path}: holds several interactions; give one"))),
    }
}

fn report(paint: &Paint, instrument: &Instrument, comparison: &Comparison, names: [&str; 2]) -> String {
    let mut text = format!(
        "{} {}\n",
        paint.bold(&one_line(instrument.name())),
        paint.dim(&format!("({} {}@{})", instrument.kind().as_str(), instrument.id(), instrument.version()))
    );
    let width = names.iter().map(|name| one_line(name).chars().count()).max().unwrap_or(0);
    for (name, side) in names.iter().zip([&comparison.a, &comparison.b]) {
        let markers = counted(usize::try_from(side.triggered).unwrap_or(usize::MAX), "marker");
        text.push_str(&format!(
            "  {:<width$}  {} {:<8}  {}\n",
            one_line(name),
            bar(paint, side.score, BOLD),
            side.score.to_string(),
            paint.dim(&format!("{markers} triggered"))
        ));
    }
    let delta = comparison.delta;
    let colour = match delta.direction {
        Direction::Improvement => Style::new().bold().fg_color(Some(AnsiColor::Green.into())),
        Direction::Decline => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
        Direction::Unchanged => BOLD,
    };
    let low = if instrument.better() == Better::Lower { " (low is good)" } else { "" };
    text.push_str(&format!(
        "\n  {} {}{low}\n",
        paint.styled(colour, delta.direction.as_str()),
        signed(delta.score_change)
    ));
    let moved: Vec<_> = comparison.resonance_shifts().filter(|(.., change)| *change != Unit::ZERO).collect();
    let width = moved.iter().map(|(label, ..)| label.len()).max().unwrap_or(0);
    for (label, a, b, change) in &moved {
        let label = paint.bold(&format!("{label:<width$}"));
        let (a, b) = (a.to_string(), b.to_string());
        text.push_str(&format!("    {label}  {a:>8} -> {b:<8}  {}\n", signed(*change)));
    }
    let still = comparison.a.resonance.len() - moved.len();
    if still > 0 {
        text.push_str(&format!("    {}\n", paint.dim(&format!("{} as before", counted(still, "marker")))));
    }
    let ics = comparison.ics;
    let price = if ics.cost_usd == Unit::ZERO { String::new() } else { format!(", ${}", ics.cost_usd) };
    text.push_str(&format!("\n  {} ICS{price}\n", ics.consumed));
    text
}

fn signed(change: Unit) -> String {
    if change > Unit::ZERO { format!("+{change}") } else { change.to_string() }
}
