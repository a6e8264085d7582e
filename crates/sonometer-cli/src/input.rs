//! What is measured: a file of any kind that is known, one interaction, or one interaction per line.

use crate::advice::advice;
use crate::failure::Failure;
use crate::screen::Screen;
#[cfg(feature = "audio")]
use crate::sound::{self, SoundArguments};
use crate::{file, screen};
use sonometer::protocol::Modality;
use sonometer::{Error, ErrorCode, Instrument, Interaction};
use sonometer_evaluate::not_utf8;
use sonometer_ingest::{Hints, Ingested, Kind, Limits, Line, Quoted, apart};
use sonometer_report::Names;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most bytes of an input with an interaction a line, which is held at once.
const LINES: usize = 1 << 30;

/// The verb under which the command reads a file in a process apart.
pub(crate) const READ_APART: &str = "read-apart";

/// What the caller knows of a file, or wishes.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FileArguments {
    /// The format of the input, if the content does not show it: text, json, jsonl, turns, timed, vtt, srt, whatsapp,
    /// chat, speech, pdf, docx, odt, html, markdown, rtf, mail, sheet, csv or audio
    #[arg(long, value_name = "KIND", value_parser = kind)]
    format: Option<Kind>,
    /// The document consists of lines such as `agent: Good morning.`
    #[arg(long)]
    turns: bool,
    /// The column of a table whose cells are the turns: its heading, or letters such as B
    #[arg(long, alias = "text-column", value_name = "NAME")]
    column: Option<String>,
    /// The column that says who speaks
    #[arg(long, value_name = "NAME", requires = "column")]
    role_column: Option<String>,
    /// The sheet of a workbook
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// Quoted parts of mails: cut or keep
    #[arg(long, value_name = "HOW", default_value = "cut", value_parser = quoted)]
    quoted: Quoted,
    /// Names in the file and the roles they are: `Ann Lee=agent,Bo=customer`
    #[arg(long, value_name = "NAME=ROLE", value_delimiter = ',', value_parser = role)]
    role_map: Vec<(String, String)>,
    /// Sense the file as text, document or transcript, for a protocol that does not read its kind
    #[arg(long = "as", value_name = "MODALITY", value_parser = modality)]
    modality: Option<Modality>,
    #[cfg(feature = "audio")]
    #[command(flatten)]
    sound: SoundArguments,
}

fn kind(name: &str) -> Result<Kind, String> {
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    Kind::from_name(name).ok_or_else(|| format!("write one of {}", names.join(", ")))
}

fn quoted(name: &str) -> Result<Quoted, String> {
    match name {
        "cut" => Ok(Quoted::Cut),
        "keep" => Ok(Quoted::Keep),
        _ => Err("write cut or keep".into()),
    }
}

fn role(pair: &str) -> Result<(String, String), String> {
    match pair.split_once('=') {
        Some((name, role)) if !name.trim().is_empty() && !role.trim().is_empty() => {
            Ok((name.trim().to_owned(), role.trim().to_owned()))
        }
        _ => Err("write NAME=ROLE, such as `Ann Lee=agent`".into()),
    }
}

fn modality(name: &str) -> Result<Modality, String> {
    match Modality::from_name(name) {
        Some(modality) if modality != Modality::Audio => Ok(modality),
        _ => Err("write text, document or transcript".into()),
    }
}

impl FileArguments {
    /// Nothing is known but whether lines such as `agent: Good morning.` are turns.
    pub(crate) fn with_turns(turns: bool) -> Self {
        Self { turns, ..Self::default() }
    }

    /// An option that is for recordings alone.
    fn unfit_for_others(&self) -> Option<&'static str> {
        #[cfg(feature = "audio")]
        return self.sound.unfit_for_others();
        #[cfg(not(feature = "audio"))]
        None
    }

    /// An option that is for one file, where there are several.
    fn unfit_for_several(&self) -> Option<&'static str> {
        #[cfg(feature = "audio")]
        return self.sound.unfit_for_several();
        #[cfg(not(feature = "audio"))]
        None
    }

    fn hints(&self, path: &str, kind: Kind) -> Hints {
        Hints {
            name: (path != "-").then(|| path.to_owned()),
            kind: Some(kind),
            turns: self.turns,
            column: self.column.clone(),
            role_column: self.role_column.clone(),
            sheet: self.sheet.clone(),
            quoted: self.quoted,
            roles: self.role_map.clone(),
            modality: self.modality,
            builtin_pdf: false,
        }
    }

    /// An option that does not fit interactions in JSON: nothing is accepted and ignored.
    fn unfit_for_json(&self) -> Option<&'static str> {
        [
            ("--turns", self.turns),
            ("--column", self.column.is_some()),
            ("--sheet", self.sheet.is_some()),
            ("--quoted", self.quoted != Quoted::Cut),
            ("--role-map", !self.role_map.is_empty()),
            ("--as", self.modality.is_some()),
        ]
        .into_iter()
        .find_map(|(name, is_given)| is_given.then_some(name))
    }
}

/// The input of verbs that sense.
#[derive(Debug, clap::Args)]
pub(crate) struct InputArguments {
    /// A text, document (PDF, Word, OpenDocument, HTML, Markdown, RTF), mail, table, chat, caption or JSON file, a
    /// recording with its transcript or a recogniser, or `-` for standard input
    pub(crate) input: String,
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// Only this line of a .jsonl input; the first is 1
    #[arg(long, value_name = "N")]
    pub(crate) line: Option<usize>,
}

/// An input that has been read but not yet taken apart.
#[derive(Debug)]
pub(crate) struct Input {
    name: String,
    bytes: Vec<u8>,
    kind: Kind,
    hints: Hints,
    #[cfg(feature = "audio")]
    sound: SoundArguments,
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
    /// What is known of the file it comes from; `None` for interactions in JSON.
    pub(crate) origin: Option<Ingested>,
    /// What to type instead, where it is probably read in another way than was meant.
    advice: Option<String>,
    /// What was left out of a line that is a chat of another program.
    left_out: Vec<String>,
}

impl Item {
    /// Tells what a person should know of the file. A note with a text in it that a target masks is not shown.
    pub(crate) fn tell_notes(&self, screen: &Screen, targets: &[&Instrument]) {
        let of_file = self.origin.iter().flat_map(|origin| &origin.notes);
        let notes = of_file.chain(&self.left_out).chain(&self.advice);
        for note in notes {
            let is_shown = targets.iter().all(|target| Names::of(target).allows(note));
            let note = if is_shown { note } else { "a note on it is left out, since a text in it is masked" };
            screen.note(&format!("{}: {note}", self.name));
        }
        #[cfg(feature = "audio")]
        if let Some(sound) = self.origin.iter().find_map(|origin| origin.sound.as_ref()) {
            screen.note(&format!("{}: {}", self.name, sound::shown(sound)));
        }
    }
}

/// An error of the engine about an interaction, with the way out where a protocol does not read documents.
pub(crate) fn refused(name: &str, modality: Modality, error: &Error) -> Failure {
    let mut error = error.clone();
    // Of a comparison, `interaction_a` or `interaction_b`.
    let is_whole = ["interaction", "interaction_a", "interaction_b"].contains(&error.place.as_str());
    if modality == Modality::Document && is_whole && error.message.contains("not document") {
        error.message.push_str("; to sense the text of the file, use `--as text`");
    }
    if modality == Modality::Audio && is_whole && error.message.contains("not audio") {
        error.message.push_str("; to sense the words, use `--as transcript`");
    }
    Failure::engine(name, &error)
}

impl Input {
    /// The input of that name, all of it.
    pub(crate) fn of(path: &str, file: &FileArguments) -> Result<Self, Failure> {
        if let Some(option) = file.unfit_for_several() {
            return Err(Failure::unusable(format!(
                "{option} works with one recording only; for several, put each one's file next to it under the same \
                 name, and remove {option}"
            )));
        }
        Self::open(&InputArguments { input: path.to_owned(), file: file.clone(), line: None })
    }

    pub(crate) fn open(arguments: &InputArguments) -> Result<Self, Failure> {
        let path = &arguments.input;
        if path == "-" {
            hint_at_typing();
        }
        let (bytes, kind) = read(path, &arguments.file)?;
        let name = shown(path).to_owned();
        if bytes.trim_ascii().is_empty() {
            return Err(Failure::unusable(format!("{name}: the input is empty")));
        }
        let kind = match kind {
            Some(kind) => kind,
            None => kind_of(&bytes, path)?,
        };
        if let (Kind::Json | Kind::Jsonl, Some(told)) = (kind, not_utf8(&bytes)) {
            return Err(Failure::unusable(format!("{name}: {told}")));
        }
        if arguments.line.is_some() && kind != Kind::Jsonl {
            return Err(Failure::unusable(format!("{name}: --line works with .jsonl files only; remove it")));
        }
        if let (Kind::Json | Kind::Jsonl, Some(option)) = (kind, arguments.file.unfit_for_json()) {
            return Err(Failure::unusable(format!(
                "{name}: {option} does not apply to interactions in JSON; remove it"
            )));
        }
        if let (true, Some(option)) = (kind != Kind::Audio, arguments.file.unfit_for_others()) {
            return Err(Failure::unusable(format!(
                "{name}: {option} applies to recordings only, and this file is {}; remove it",
                kind.shown()
            )));
        }
        let hints = arguments.file.hints(path, kind);
        #[cfg(feature = "audio")]
        let sound = arguments.file.sound.clone();
        let input = Self {
            name,
            bytes,
            kind,
            hints,
            #[cfg(feature = "audio")]
            sound,
            only: arguments.line,
        };
        match input.only {
            Some(wanted) if input.lines().all(|(number, ..)| number != wanted) => {
                Err(Failure::unusable(format!("{}: line {wanted} has no interaction", input.name)))
            }
            _ => Ok(input),
        }
    }

    /// Whether it may hold several interactions.
    pub(crate) fn is_several(&self) -> bool {
        self.kind == Kind::Jsonl && self.only.is_none()
    }

    /// The interactions, in their order.
    pub(crate) fn items(&self) -> Box<dyn Iterator<Item = Item> + '_> {
        match self.kind {
            Kind::Json => Box::new(std::iter::once(item(self.name.clone(), &self.bytes, 0))),
            Kind::Jsonl => {
                let wanted = self.lines().filter(|(number, ..)| self.only.is_none_or(|only| only == *number));
                Box::new(
                    wanted.map(|(number, start, line)| item(format!("{}:{number}", self.name), line, start)),
                )
            }
            _ => Box::new(std::iter::once(self.whole())),
        }
    }

    /// All of the input as one interaction. Files that large libraries read are read in a process apart.
    fn whole(&self) -> Item {
        let (interaction, origin) = match self.read() {
            Ok(read) => (Ok(read.interaction.clone()), Some(read)),
            Err(failure) => (Err(failure), None),
        };
        let advice = origin.as_ref().and_then(|read| advice(read, &self.hints));
        Item { name: self.name.clone(), id: None, interaction, origin, advice, left_out: Vec::new() }
    }

    fn read(&self) -> Result<Ingested, Failure> {
        #[cfg(feature = "audio")]
        if self.kind == Kind::Audio {
            let own = own()?;
            let helper = || helper(&own);
            return sound::read(&self.name, &self.bytes, &self.hints, &self.sound, &helper);
        }
        let read = if self.kind.is_intricate() {
            apart::read(helper(&own()?), &self.bytes, &self.hints, &apart::Budget::default())
        } else {
            sonometer_ingest::read(&self.bytes, &self.hints)
        };
        read.map_err(|failure| Failure::engine(&self.name, &failure.error))
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

/// The bytes of an input, and what it is if that had to be found out. A file is refused as soon as more of it was
/// read than a file of its kind may have.
fn read(path: &str, arguments: &FileArguments) -> Result<(Vec<u8>, Option<Kind>), Failure> {
    let limits = Limits::default();
    let (mut reader, mut bytes) = (file::reader(path)?, Vec::new());
    file::fill(&mut *reader, path, &mut bytes, limits.file_bytes + 1)?;
    if bytes.len() <= limits.file_bytes {
        return Ok((bytes, arguments.format));
    }
    let kind = match arguments.format {
        Some(kind) => kind,
        None => kind_of(&bytes, path)?,
    };
    let most = match kind {
        Kind::Audio => limits.audio_bytes,
        // In JSON a text can be longer than it is.
        Kind::Json => 2 * limits.text_bytes,
        Kind::Jsonl => LINES,
        _ => return Err(file::too_large(path, limits.file_bytes)),
    };
    file::fill(&mut *reader, path, &mut bytes, most + 1)?;
    match (bytes.len() > most, kind) {
        (false, _) => Ok((bytes, Some(kind))),
        (true, Kind::Jsonl) => {
            let message = format!(
                "{}: the file is larger than {} MiB, the limit; `sonometer batch` reads files of any size",
                shown(path),
                LINES >> 20
            );
            Err(Failure::told(ErrorCode::PayloadTooLarge, message))
        }
        (true, _) => Err(file::too_large(path, most)),
    }
}

fn kind_of(bytes: &[u8], path: &str) -> Result<Kind, Failure> {
    sonometer_ingest::sniff(bytes, (path != "-").then_some(path))
        .map_err(|failure| Failure::engine(shown(path), &failure.error))
}

/// The command itself, which is the process apart too.
fn own() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        let message =
            format!("cannot find the path of the `sonometer` command: {error}; call it by its full path");
        Failure::told(ErrorCode::Internal, message)
    })
}

fn helper(own: &Path) -> Command {
    let mut helper = Command::new(own);
    helper.arg(READ_APART);
    helper
}

/// Reads one interaction; `base` is where `bytes` begin in the input.
fn item(name: String, bytes: &[u8], base: usize) -> Item {
    let text = match file::utf8(&name, bytes, base) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(failure) => {
            let left_out = Vec::new();
            return Item { name, id: None, interaction: Err(failure), origin: None, advice: None, left_out };
        }
    };
    let Line { id, interaction, left_out } = sonometer_ingest::line(text);
    let interaction = interaction.map_err(|error| Failure::engine(&name, &error));
    Item { interaction, name, id, origin: None, advice: None, left_out: left_out.notes() }
}

/// How an input is called.
pub(crate) fn shown(path: &str) -> &str {
    if path == "-" { "standard input" } else { path }
}

/// Says how to end standard input where a person types it.
pub(crate) fn hint_at_typing() {
    if screen::typing() {
        // A hint; nothing is lost if it cannot be shown.
        let _ = writeln!(io::stderr(), "reading standard input; end with Ctrl-D");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_numbers_and_places() {
        let bytes = b"{\"a\":1}\n\n\r\n{\"b\":2}".to_vec();
        let input = Input {
            name: "x".into(),
            bytes,
            kind: Kind::Jsonl,
            hints: Hints::default(),
            #[cfg(feature = "audio")]
            sound: SoundArguments::default(),
            only: None,
        };
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
