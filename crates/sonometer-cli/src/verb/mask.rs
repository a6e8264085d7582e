//! `sonometer mask`: a text or a conversation as it may be shown, and nothing else.

use super::masks::{self, MaskArguments};
use crate::failure::{Exit, Failure};
use crate::input::{Input, InputArguments, Item, refused};
use crate::json;
use crate::screen::Screen;
use crate::target::Source;
use serde::Serialize;
use sonometer::{Instrument, Interaction, Reading, SenseOptions, Unit};
use sonometer_report::{Hidden, Names, Roles};

/// Arguments of `mask`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric or blueprint that ships (`id` or `id@version`), or a file of one
    target: String,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    masks: MaskArguments,
    /// One line of JSON, as `sense` reads it; a .jsonl input always gives one for each of its lines
    #[arg(long)]
    pub(crate) json: bool,
}

/// An interaction as `sense` reads it.
#[derive(Debug, Serialize)]
struct Masked<'i> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'i str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    segments: Option<Vec<Segment<'i>>>,
}

#[derive(Debug, Serialize)]
struct Segment<'i> {
    role: &'i str,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<Seconds>,
}

#[derive(Debug, Serialize)]
struct Seconds(#[serde(serialize_with = "json::number")] Unit);

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let instrument = Source::find(&arguments.target)?.instrument()?;
    let options = arguments.masks.options()?;
    masks::tell_if_none(&instrument, screen);
    let input = Input::open(&arguments.input)?;
    let as_json = arguments.json || input.is_several();
    let mut exit = Exit::Done;
    for item in input.items() {
        item.tell_notes(screen, &[&instrument]);
        match masked(&instrument, options, item, as_json, screen) {
            Ok(text) => screen.print_bytes(&text)?,
            Err(failure) => exit = exit.or(screen.fail(&failure, as_json)),
        }
        if exit == Exit::PipeClosed {
            return Ok(exit);
        }
    }
    Ok(exit)
}

fn masked(
    instrument: &Instrument,
    options: SenseOptions,
    item: Item,
    as_json: bool,
    screen: &Screen,
) -> Result<String, Failure> {
    let interaction = item.interaction?;
    let sensed = instrument.sense_with(&interaction, options);
    let reading = sensed.map_err(|error| refused(&item.name, interaction.modality(), &error))?;
    // A chat names its speakers by numbers of phones and addresses: roles and ids are shown as reports show them.
    let roles = Roles::of(&reading);
    if !as_json {
        return Ok(plain(&reading, &interaction, &roles));
    }
    let shown =
        item.id.as_deref().filter(|id| Names::of(instrument).allows_beside(id, &Hidden::of(&reading)));
    if shown.is_none() && item.id.is_some() {
        screen.note(&format!(
            "{}: the id is left out: read with its signs as spaces, something in it is masked",
            item.name
        ));
    }
    Ok(json::line(&of(&reading, &interaction, shown, &roles)))
}

fn of<'i>(
    reading: &Reading,
    interaction: &'i Interaction,
    id: Option<&'i str>,
    roles: &'i Roles,
) -> Masked<'i> {
    if !interaction.is_conversation() {
        return Masked { id, content: Some(reading.masked_turn(0).into_owned()), segments: None };
    }
    let segments = interaction.turns().iter().enumerate().map(|(at, turn)| Segment {
        role: roles.shown(turn.role.as_deref().unwrap_or_default()),
        content: reading.masked_turn(at).into_owned(),
        timestamp: turn.timestamp.map(Seconds),
    });
    Masked { id, content: None, segments: Some(segments.collect()) }
}

/// The text, or a line for each turn with its role.
fn plain(reading: &Reading, interaction: &Interaction, roles: &Roles) -> String {
    let mut text = String::new();
    for (at, turn) in interaction.turns().iter().enumerate() {
        if let Some(role) = &turn.role {
            text.push_str(&format!("{}: ", roles.shown(role)));
        }
        text.push_str(&reading.masked_turn(at));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}
