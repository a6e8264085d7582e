//! `sonometer extract`: what of a file would be sensed, and where it comes from.

use crate::failure::{Exit, Failure, counted};
use crate::input::{Input, InputArguments, Item, refused};
use crate::json::{self, Sufficiency, number, optional_number};
use crate::paint::{Paint, one_line};
use crate::screen::Screen;
use crate::target::Source;
use serde::Serialize;
use sonometer::protocol::Modality;
use sonometer::{Fidelity, Instrument, Interaction, Unit};
use sonometer_ingest::{Ingested, Place};

/// Arguments of `extract`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Adds whether the file holds enough for this protocol, metric or blueprint
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// JSON, one line per interaction: the interaction, its pieces with their places (in bytes of their turn), notes. `sense` takes it
    #[arg(long)]
    pub(crate) json: bool,
    /// The text alone; of a conversation, lines with roles
    #[arg(long, conflicts_with = "json")]
    text: bool,
}

/// The answer in JSON.
#[derive(Serialize)]
struct Answer<'a> {
    kind: &'a str,
    modality: &'a str,
    interaction: Shape<'a>,
    pieces: Vec<Span<'a>>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    sound: Option<Heard<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fidelity: Option<Sufficiency>,
}

/// What is known of a recording.
#[derive(Serialize)]
struct Heard<'a> {
    shown: &'a str,
    #[serde(serialize_with = "number")]
    seconds: Unit,
    heard_by: &'a str,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    confidence: Option<Unit>,
    transcript_sha256: &'a str,
}

/// An interaction as the interface writes it.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Shape<'a> {
    Content(&'a str),
    Segments(Vec<Segment<'a>>),
}

#[derive(Serialize)]
struct Segment<'a> {
    role: &'a str,
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    timestamp: Option<Unit>,
}

#[derive(Serialize)]
struct Span<'a> {
    turn: usize,
    start: usize,
    end: usize,
    place: &'a Place,
    shown: String,
    /// How sure the recogniser is.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    confidence: Option<Unit>,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let instrument =
        arguments.target.as_ref().map(|target| Source::find(target)?.instrument()).transpose()?;
    let input = Input::open(&arguments.input)?;
    let mut exit = Exit::Done;
    for item in input.items() {
        if arguments.text || arguments.json {
            // All of the text is shown.
            item.tell_notes(screen, &[]);
        }
        match shown(&item, instrument.as_ref(), arguments, &screen.paint) {
            Ok(text) if arguments.json || arguments.text => screen.print_bytes(&text)?,
            Ok(text) => screen.print(&text)?,
            Err(Shown::Item) => {
                if let Err(failure) = item.interaction {
                    exit = exit.or(screen.fail(&failure, arguments.json));
                }
            }
            Err(Shown::Other(failure)) => exit = exit.or(screen.fail(&failure, arguments.json)),
        }
        if exit == Exit::PipeClosed {
            return Ok(exit);
        }
    }
    Ok(exit)
}

/// Why nothing is shown.
enum Shown {
    /// The item itself is a failure.
    Item,
    Other(Failure),
}

fn shown(
    item: &Item,
    instrument: Option<&Instrument>,
    arguments: &Arguments,
    paint: &Paint,
) -> Result<String, Shown> {
    let Ok(interaction) = &item.interaction else { return Err(Shown::Item) };
    let told = |error| Shown::Other(refused(&item.name, interaction.modality(), &error));
    let fidelity = instrument.map(|instrument| instrument.fidelity(interaction)).transpose().map_err(told)?;
    Ok(if arguments.text {
        plain(interaction)
    } else if arguments.json {
        json::line(&answer(interaction, item.origin.as_ref(), fidelity))
    } else {
        report(paint, item, interaction, fidelity)
    })
}

fn plain(interaction: &Interaction) -> String {
    let mut text = String::new();
    for turn in interaction.turns() {
        match &turn.role {
            Some(role) => text.push_str(&format!("{role}: {}\n", turn.content.replace("\n\n", "\n"))),
            None => text.push_str(&turn.content),
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn answer<'a>(
    interaction: &'a Interaction,
    origin: Option<&'a Ingested>,
    fidelity: Option<Fidelity>,
) -> Answer<'a> {
    let turns = interaction.turns();
    let segment = |turn: &'a sonometer::Turn| Segment {
        role: turn.role.as_deref().unwrap_or_default(),
        content: &turn.content,
        timestamp: turn.timestamp,
    };
    let pieces = origin.map(|origin| origin.map.pieces()).unwrap_or_default();
    Answer {
        kind: origin.map_or("json", |origin| origin.kind.as_str()),
        modality: interaction.modality().as_str(),
        interaction: match interaction.modality() {
            Modality::Transcript | Modality::Audio => Shape::Segments(turns.iter().map(segment).collect()),
            Modality::Text | Modality::Document => Shape::Content(&turns[0].content),
        },
        pieces: pieces
            .iter()
            .map(|piece| Span {
                turn: piece.turn,
                start: piece.range.start,
                end: piece.range.end,
                place: &piece.place,
                shown: piece.place.to_string(),
                confidence: piece.confidence.map(Unit),
            })
            .collect(),
        notes: origin.map(|origin| origin.notes.as_slice()).unwrap_or_default(),
        sound: origin.and_then(|origin| origin.sound.as_deref()).map(|sound| Heard {
            shown: &sound.shown,
            seconds: sound.seconds,
            heard_by: &sound.heard_by,
            confidence: sound.transcript.confidence(),
            transcript_sha256: &sound.sha256,
        }),
        fidelity: fidelity.map(Into::into),
    }
}

fn report(paint: &Paint, item: &Item, interaction: &Interaction, fidelity: Option<Fidelity>) -> String {
    let turns = interaction.turns();
    let kind = item.origin.as_ref().map_or("an interaction in JSON", |origin| origin.kind.shown());
    let letters: usize = turns.iter().map(|turn| turn.content.chars().count()).sum();
    let mut text = format!(
        "{}  {}\n",
        paint.bold(&one_line(&item.name)),
        paint.dim(&format!(
            "{kind}, sensed as {}: {}, {}",
            interaction.modality().as_str(),
            counted(turns.len(), "turn"),
            counted(letters, "character")
        ))
    );
    let notes = item.origin.iter().flat_map(|origin| &origin.notes);
    notes.for_each(|note| text.push_str(&format!("  note: {}\n", one_line(note))));
    #[cfg(feature = "audio")]
    if let Some(sound) = item.origin.iter().find_map(|origin| origin.sound.as_ref()) {
        text.push_str(&format!("  {}\n", one_line(&crate::sound::shown(sound))));
    }
    if let Some(Fidelity { index, sufficient, .. }) = fidelity {
        let verdict = if sufficient { "sufficient" } else { "insufficient" };
        text.push_str(&format!("  fidelity {index}, {verdict}\n"));
    }
    text.push('\n');
    let rows = rows(interaction, item.origin.as_ref());
    let width = rows.iter().map(|(place, ..)| place.chars().count()).max().unwrap_or(0);
    for (place, role, content) in rows {
        let role = role.map_or_else(String::new, |role| format!("{}  ", paint.bold(&one_line(role))));
        for (number, line) in content.trim_end().lines().enumerate() {
            let (place, role) = if number == 0 { (place.as_str(), role.as_str()) } else { ("", "") };
            text.push_str(&format!(
                "  {}  {role}{}\n",
                paint.dim(&format!("{place:<width$}")),
                one_line(line)
            ));
        }
    }
    text
}

/// Place, role where a turn begins, and text of each piece.
fn rows<'a>(
    interaction: &'a Interaction,
    origin: Option<&Ingested>,
) -> Vec<(String, Option<&'a str>, &'a str)> {
    let turns = interaction.turns();
    match origin {
        Some(origin) => {
            let pieces = origin.map.pieces().iter();
            let row = |piece: &sonometer_ingest::Piece| {
                let turn = &turns[piece.turn];
                let role = turn.role.as_deref().filter(|_| piece.range.start == 0);
                let sure = piece.confidence.map_or_else(String::new, |sure| format!(" ({})", Unit(sure)));
                (one_line(&piece.place.to_string()) + &sure, role, &turn.content[piece.range.clone()])
            };
            pieces.map(row).collect()
        }
        None => turns.iter().map(|turn| (String::new(), turn.role.as_deref(), &*turn.content)).collect(),
    }
}
