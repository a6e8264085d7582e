//! `sonometer fidelity`: whether an input holds enough to be measured. That it does not is an answer, not an error.

use crate::failure::{Exit, Failure};
use crate::input::{Input, InputArguments, Item, refused};
use crate::json::{self, Sufficiency, Target, number};
use crate::paint::bar;
use crate::paint::{BOLD, Paint, one_line};
use crate::screen::Screen;
use crate::target::Source;
use anstyle::{AnsiColor, Style};
use sonometer::{Fidelity, Instrument, Unit};
use sonometer_report::Names;

/// Arguments of `fidelity`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric or blueprint that ships (`id` or `id@version`), or a file of one
    target: String,
    #[command(flatten)]
    input: InputArguments,
    /// JSON, one line per interaction
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(serde::Serialize)]
struct Answer<'a> {
    target: Target<'a>,
    fidelity: Sufficiency,
    ics: Price,
}

#[derive(serde::Serialize)]
struct Price {
    consumed: u64,
    #[serde(serialize_with = "number")]
    cost_usd: Unit,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let instrument = Source::find(&arguments.target)?.instrument()?;
    let input = Input::open(&arguments.input)?;
    let mut names = Names::of(&instrument);
    let mut exit = Exit::Done;
    for item in input.items() {
        let title = match (&item.id, input.is_several()) {
            (Some(id), true) if names.allows(id) => format!("{}  {}", item.name, one_line(id)),
            _ => item.name.clone(),
        };
        item.tell_notes(screen, &[&instrument]);
        match measure(&instrument, item) {
            Ok(fidelity) if arguments.json => screen.print_bytes(&answer(&instrument, fidelity))?,
            Ok(fidelity) => screen.print(&report(&screen.paint, &title, fidelity))?,
            Err(failure) => exit = exit.or(screen.fail(&failure, arguments.json)),
        }
        if exit == Exit::PipeClosed {
            return Ok(exit);
        }
    }
    Ok(exit)
}

fn measure(instrument: &Instrument, item: Item) -> Result<Fidelity, Failure> {
    let interaction = item.interaction?;
    let told = |error| refused(&item.name, interaction.modality(), &error);
    instrument.fidelity(&interaction).map_err(told)
}

fn answer(instrument: &Instrument, fidelity: Fidelity) -> String {
    json::line(&Answer {
        target: Target::of_any(instrument),
        fidelity: fidelity.into(),
        ics: Price { consumed: 0, cost_usd: Unit::ZERO },
    })
}

fn report(paint: &Paint, title: &str, fidelity: Fidelity) -> String {
    let (verdict, colour) = match fidelity.sufficient {
        true => ("sufficient", AnsiColor::Green),
        false => ("insufficient", AnsiColor::Yellow),
    };
    let verdict = paint.styled(Style::new().bold().fg_color(Some(colour.into())), verdict);
    let row = |name: &str, value: Unit, style| format!("  {name:<8}  {} {value}\n", bar(paint, value, style));
    format!(
        "{}  {verdict}\n{}{}{}",
        one_line(title),
        row("fidelity", fidelity.index, BOLD),
        row("density", fidelity.density, Style::new()),
        row("clarity", fidelity.clarity, Style::new()),
    )
}
