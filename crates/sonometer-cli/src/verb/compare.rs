//! `sonometer compare`: two interactions, and what lies between them.

use crate::failure::{Exit, Failure};
use crate::input::{self, FileArguments};
use crate::page::PageArgument;
use crate::screen::Screen;
use crate::target::Source;
use sonometer::{ErrorCode, Instrument, Interaction, SenseOptions, Unit};
use sonometer_report::of_comparison;

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
    #[command(flatten)]
    page: PageArgument,
    /// The canonical JSON of the comparison
    #[arg(long)]
    pub(crate) json: bool,
    /// The price of one ICS (Interaction Computed Signal, the unit of billing) in US dollars
    #[arg(long, value_name = "USD", default_value = "0", value_parser = super::sense::rate)]
    rate: Unit,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let instrument = Source::find(&arguments.target)?.instrument()?;
    let read = |path: &str| read(path, &instrument, arguments, screen);
    let (a, b) = (read(&arguments.a)?, read(&arguments.b)?);
    let options = SenseOptions { usd_per_ics: arguments.rate, ..SenseOptions::default() };
    let comparison = instrument.compare(&a, &b, options).map_err(|error| {
        let (name, interaction) = match error.place.as_str() {
            "interaction_b" => (&arguments.b, &b),
            _ => (&arguments.a, &a),
        };
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
            None => input::refused(name, interaction.modality(), &error),
        }
    })?;
    let names = [(&a, &arguments.a), (&b, &arguments.b)];
    let names = names.map(|(interaction, path)| interaction.label().unwrap_or(path));
    let sheet = of_comparison(&instrument, &comparison, names, arguments.rate != Unit::ZERO);
    if arguments.json {
        screen.print_bytes(&(comparison.to_json() + "\n"))?;
    } else {
        screen.print(&sheet.to_text(&screen.paint.report()))?;
    }
    arguments.page.write(&[sheet])?;
    Ok(Exit::Done)
}

/// The one interaction of a file.
fn read(
    path: &str,
    instrument: &Instrument,
    arguments: &Arguments,
    screen: &Screen,
) -> Result<Interaction, Failure> {
    let input = input::Input::of(path, &arguments.file)?;
    let mut items = input.items();
    match (items.next(), items.next()) {
        (Some(item), None) => {
            item.tell_notes(screen, &[instrument]);
            item.interaction
        }
        _ => Err(Failure::unusable(format!("{path}: holds several interactions; give one"))),
    }
}
