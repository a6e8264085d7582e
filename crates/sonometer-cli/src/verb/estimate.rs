//! `sonometer estimate`: what sensing will cost, before it is done.

use crate::failure::{Exit, Failure};
use crate::paint::one_line;
use crate::screen::Screen;
use crate::target::Source;
use sonometer::Unit;
use sonometer::protocol::Modality;

/// Arguments of `estimate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric or blueprint that ships (`id` or `id@version`), or a file of one
    target: String,
    /// The length of the content, in characters
    #[arg(long, value_name = "CHARACTERS")]
    length: u64,
    /// What it is: text, transcript, audio or document
    #[arg(long, value_name = "MODALITY", default_value = "text", value_parser = modality)]
    modality: Modality,
    /// JSON: the figures of the interface document that do not depend on an account
    #[arg(long)]
    pub(crate) json: bool,
    /// The price of one ICS (Interaction Computed Signal, the unit of billing) in US dollars
    #[arg(long, value_name = "USD", default_value = "0", value_parser = super::sense::rate)]
    rate: Unit,
}

fn modality(name: &str) -> Result<Modality, String> {
    Modality::from_name(name).ok_or_else(|| format!("write one of {}", Modality::NAMES.join(", ")))
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let source = Source::find(&arguments.target)?;
    let instrument = source.instrument()?;
    let estimate = instrument
        .estimate(arguments.length, arguments.modality, sonometer_catalog::rates_of)
        .map_err(|error| Failure::engine(&source.name, &error))?;
    if arguments.json {
        screen.print_bytes(&(estimate.to_json(arguments.rate) + "\n"))?;
        return Ok(Exit::Done);
    }
    let paint = &screen.paint;
    let (kind, id, version) = (instrument.kind().as_str(), instrument.id(), instrument.version());
    let basis = match estimate.measured {
        true => "from how often its markers triggered in measured texts",
        false => "no rates are known for it, so this is the most",
    };
    let cost = |ics: Unit| match arguments.rate {
        Unit::ZERO => String::new(),
        rate => format!("  ${}", ics.times(rate)),
    };
    let whole = |count: u64| Unit::ratio(count.into(), 1);
    let row = |name: &str, ics: Unit, why: &str| {
        format!("  {name:<7}  {:>10} ICS{}  {}\n", ics.to_string(), cost(ics), paint.dim(why))
    };
    let text = format!(
        "{} {}\n{}{}{}",
        paint.bold(&one_line(instrument.name())),
        paint.dim(&format!("({kind} {id}@{version})")),
        row("least", whole(estimate.min), "nothing found"),
        row("typical", estimate.typical, basis),
        row("most", whole(estimate.max), "every marker triggered"),
    );
    screen.print(&text)?;
    Ok(Exit::Done)
}
