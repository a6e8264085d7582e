//! What is measured: text, one interaction, or one interaction per line.

use crate::failure::Failure;
use crate::{file, screen, transcript};
use clap::ValueEnum;
use serde::Deserialize;
use serde_json::value::RawValue;
use sonometer::{Error, Interaction};
use std::io::{self, Write};
use std::path::Path;

/// The form of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A text: all of the file.
    Text,
    /// One interaction, or an object that holds one under `interaction`.
    Json,
    /// The same, one per line.
    Jsonl,
    /// A conversation of lines such as `agent: Good morning.`
    Turns,
    /// The captions of a recording, as WebVTT.
    Vtt,
    /// The same, as SubRip.
    Srt,
}

/// The input of `sense` and `fidelity`.
#[derive(Debug, clap::Args)]
pub(crate) struct InputArguments {
    /// A .txt, .json, .jsonl, .vtt or .srt file, or `-` for standard input
    input: String,
    /// The form of the input, where its name does not tell
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Only this line of a .jsonl input, from 1
    #[arg(long, value_name = "N")]
    line: Option<usize>,
}

/// An input that has been read but not yet taken apart.
#[derive(Debug)]
pub(crate) struct Input {
    name: String,
    bytes: Vec<u8>,
    format: Format,
    only: Option<usize>,
}

/// One interaction of an input.
#[derive(Debug)]
pub(crate) struct Item {
    /// The name of the input, with the line where it has several.
    pub(crate) name: String,
    /// Its own id, where it has one.
    pub(crate) id: Option<String>,
    pub(crate) interaction: Result<Interaction, Failure>,
}

impl Input {
    /// The input of that name, all of it.
    pub(crate) fn of(path: &str, format: Option<Format>) -> Result<Self, Failure> {
        Self::open(&InputArguments { input: path.to_owned(), format, line: None })
    }

    pub(crate) fn open(arguments: &InputArguments) -> Result<Self, Failure> {
        let path = &arguments.input;
        if path == "-" {
            hint_at_typing();
        }
        let bytes = file::bytes(path)?;
        let name = shown(path).to_owned();
        if bytes.trim_ascii().is_empty() {
            return Err(Failure::unusable(format!("{name}: the input is empty")));
        }
        let format = match arguments.format {
            Some(format) => format,
            None if path == "-" => sniff(&bytes),
            None => by_name(path)?,
        };
        if arguments.line.is_some() && format != Format::Jsonl {
            return Err(Failure::unusable(format!(
                "{name}: --line picks from .jsonl inputs; leave it away here"
            )));
        }
        let input = Self { name, bytes, format, only: arguments.line };
        match input.only {
            Some(wanted) if input.lines().all(|(number, ..)| number != wanted) => {
                Err(Failure::unusable(format!("{}: there is no interaction on line {wanted}", input.name)))
            }
            _ => Ok(input),
        }
    }

    /// Whether it may hold several interactions.
    pub(crate) fn is_several(&self) -> bool {
        self.format == Format::Jsonl && self.only.is_none()
    }

    /// The interactions, in their order.
    pub(crate) fn items(&self) -> Box<dyn Iterator<Item = Item> + '_> {
        match self.format {
            Format::Text => self.whole(Interaction::text),
            Format::Turns => self.whole(transcript::turns),
            Format::Vtt => self.whole(transcript::vtt),
            Format::Srt => self.whole(transcript::srt),
            Format::Json => Box::new(std::iter::once(item(self.name.clone(), &self.bytes, 0))),
            Format::Jsonl => {
                let wanted = self.lines().filter(|(number, ..)| self.only.is_none_or(|only| only == *number));
                Box::new(
                    wanted.map(|(number, start, line)| item(format!("{}:{number}", self.name), line, start)),
                )
            }
        }
    }

    /// All of the input as one interaction that `read` makes of it.
    fn whole(&self, read: fn(&str) -> Result<Interaction, Error>) -> Box<dyn Iterator<Item = Item> + '_> {
        let text = file::utf8(&self.name, &self.bytes, 0);
        let interaction =
            text.and_then(|text| read(text).map_err(|error| Failure::engine(&self.name, &error)));
        Box::new(std::iter::once(Item { name: self.name.clone(), id: None, interaction }))
    }

    /// The lines that are not blank: number from 1, first byte, bytes.
    fn lines(&self) -> impl Iterator<Item = (usize, usize, &[u8])> {
        let mut start = 0;
        let lines = self.bytes.split(|byte| *byte == b'\n').enumerate().map(move |(at, line)| {
            let first = start;
            start += line.len() + 1;
            (at + 1, first, line)
        });
        lines.filter(|(_, _, line)| !line.trim_ascii().is_empty())
    }
}

/// The wrapping that lists of labelled interactions have.
#[derive(Deserialize)]
struct Wrapping<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    interaction: Option<&'a RawValue>,
}

/// Reads one interaction; `base` is where `bytes` begin in the input.
fn item(name: String, bytes: &[u8], base: usize) -> Item {
    let text = match file::utf8(&name, bytes, base) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(failure) => return Item { name, id: None, interaction: Err(failure) },
    };
    let (id, interaction) = unwrap(text);
    Item { interaction: interaction.map_err(|error| Failure::engine(&name, &error)), name, id }
}

/// An interaction with its own id, bare or under `interaction`.
pub(crate) fn unwrap(text: &str) -> (Option<String>, Result<Interaction, Error>) {
    let (id, inner) = match serde_json::from_str::<Wrapping<'_>>(text) {
        Ok(Wrapping { id, interaction }) => (id.map(plain), interaction.map(RawValue::get)),
        Err(_) => (None, None),
    };
    (id, Interaction::from_json(inner.unwrap_or(text)))
}

/// The id of an interaction, as [`unwrap`] gives it.
pub(crate) fn id(text: &str) -> Option<String> {
    serde_json::from_str::<Wrapping<'_>>(text).ok()?.id.map(plain)
}

/// How an input is called.
pub(crate) fn shown(path: &str) -> &str {
    if path == "-" { "standard input" } else { path }
}

/// Says how to end standard input where a person types it.
pub(crate) fn hint_at_typing() {
    if screen::typing() {
        // A hint; nothing is lost if it cannot be shown.
        let _ = writeln!(io::stderr(), "reading standard input; end it with Ctrl-D");
    }
}

/// A JSON string without its quotes; anything else as it is written.
fn plain(value: &RawValue) -> String {
    serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned())
}

fn by_name(path: &str) -> Result<Format, Failure> {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "txt" | "text" | "md" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        "jsonl" | "ndjson" => Ok(Format::Jsonl),
        "vtt" => Ok(Format::Vtt),
        "srt" => Ok(Format::Srt),
        _ => Err(Failure::unusable(format!(
            "{path}: its name does not tell its form; add --format text, json, jsonl, turns, vtt or srt"
        ))),
    }
}

/// The form of standard input: JSON that is meant to be an interaction is read strictly as one, so that a misspelt key
/// is not sensed as a text.
fn sniff(bytes: &[u8]) -> Format {
    let is_object = |bytes: &[u8]| {
        bytes.trim_ascii().starts_with(b"{") && serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
    };
    let lines = || bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    if is_object(bytes) {
        Format::Json
    } else if lines().all(is_object) {
        Format::Jsonl
    } else {
        Format::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_is_text_unless_it_is_json() {
        assert_eq!(sniff(b"hello {you}"), Format::Text);
        assert_eq!(sniff(b"{braced} text"), Format::Text);
        assert_eq!(sniff(b"[1, 2]"), Format::Text);
        assert_eq!(sniff(b" {\"content\": \"x\"}\n"), Format::Json);
        assert_eq!(sniff(b"{\n\"content\":\n\"x\"}\n"), Format::Json);
        assert_eq!(sniff(b"{\"content\": \"x\"}\n\n{\"content\": \"y\"}\n"), Format::Jsonl);
    }

    #[test]
    fn lines_keep_their_numbers_and_places() {
        let bytes = b"{\"a\":1}\n\n\r\n{\"b\":2}".to_vec();
        let input = Input { name: "x".into(), bytes, format: Format::Jsonl, only: None };
        let lines: Vec<(usize, usize)> = input.lines().map(|(number, start, _)| (number, start)).collect();
        assert_eq!(lines, [(1, 0), (4, 11)]);
    }

    #[test]
    fn unwraps_labelled_items() {
        let item = item("x:1".into(), br#"{"id": 7, "labels": [], "interaction": {"content": "hi"}}"#, 0);
        assert_eq!(item.id.as_deref(), Some("7"));
        assert_eq!(&*item.interaction.expect("reads").turns()[0].content, "hi");
    }
}
