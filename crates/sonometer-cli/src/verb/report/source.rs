//! Where talks come from: files with an interaction a line, tables, files of one talk, folders, standard input. Everything is read twice,
//! since a report shows some talks whole after all were counted.

use super::Arguments;
use super::lines;
#[cfg(feature = "columns")]
use super::tables::Tabled;
use crate::advice;
use crate::failure::Failure;
use crate::file;
use crate::input::{FileArguments, Input};
#[cfg(feature = "columns")]
use crate::tables::files::{Format, Packing, is_pattern};
use sonometer::{Error, ErrorCode, Interaction};
use sonometer_ingest::Ingested;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

/// Talks that are handed on at once, and about how many bytes of text.
const CHUNK: usize = 64;
const CHUNK_BYTES: usize = 1 << 20;
/// Names of columns that a message tells.
const NAMES: usize = 40;

/// A talk.
#[derive(Debug)]
pub(super) struct Item {
    /// Its id, or where it is.
    pub(super) name: String,
    /// The file with the line or row: where to look for it.
    pub(super) place: String,
    /// The value of the column that talks are compared by.
    pub(super) group: Option<String>,
    pub(super) interaction: Result<Interaction, Error>,
    /// What is known of the file that it is the whole of.
    pub(super) origin: Option<Ingested>,
    /// Whether it was read as one text and is probably a conversation, whose turns `--turns` reads.
    pub(super) is_talk: bool,
}

/// Takes talks until it has enough.
pub(super) type Give<'g> = dyn FnMut(Vec<Item>) -> ControlFlow<()> + 'g;

/// One input.
#[derive(Debug)]
enum Place {
    /// A file with an interaction a line, of any size.
    Lines(String),
    #[cfg(feature = "columns")]
    Table(Box<Tabled>),
    /// A file that is one talk.
    File(String),
    /// Standard input, which can be read but once and is held.
    Held(Box<Input>),
}

/// All inputs.
#[derive(Debug)]
pub(super) struct Sources {
    places: Vec<Place>,
    /// How files of one talk are read.
    file: FileArguments,
    by: Option<String>,
    /// Keys of JSON lines by which talks could be compared, and whether some line had the one that is asked for.
    seen: Mutex<Seen>,
}

/// Keys of JSON lines.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) names: BTreeSet<String>,
    pub(super) is_found: bool,
}

impl Seen {
    /// Notes a key that talks could be compared by.
    pub(super) fn note(&mut self, name: &str) {
        if self.names.len() < NAMES && !self.names.contains(name) {
            self.names.insert(name.to_owned());
        }
    }
}

impl Sources {
    /// Looks at the inputs and refuses what cannot be read.
    pub(super) fn open(arguments: &Arguments) -> Result<Self, Failure> {
        let mut places = Vec::new();
        let by = arguments.by.as_deref();
        let file = FileArguments::with_turns(arguments.turns);
        for path in &arguments.input {
            #[cfg(feature = "columns")]
            if arguments.talks.any() || arguments.input_format.is_some() {
                places.push(Place::Table(Box::new(Tabled::open(path, arguments)?)));
                continue;
            }
            if path == "-" {
                if arguments.input.len() > 1 {
                    return Err(Failure::unusable(
                        "standard input: give `-` as the only input, or save it as a file",
                    ));
                }
                places.push(Place::Held(Box::new(Input::of(path, &file)?)));
            } else if Path::new(path).is_dir() {
                let files = in_folder(path)?;
                for file in files {
                    places.push(place(&file, arguments)?);
                }
            } else {
                places.push(place(path, arguments)?);
            }
        }
        if arguments.turns && places.iter().all(|place| matches!(place, Place::Lines(_))) {
            return Err(Failure::unusable(
                "--turns is for texts, documents and tables, and here is none of them; remove it",
            ));
        }
        let sources = Self { places, file, by: by.map(str::to_owned), seen: Mutex::default() };
        #[cfg(feature = "columns")]
        if sources.places.iter().any(|place| matches!(place, Place::Table(_))) {
            // A table has been asked for the column already.
            sources.seen().is_found = true;
        }
        Ok(sources)
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Refuses a column that no talk has; asked after all were read.
    pub(super) fn check_by(&self) -> Result<(), Failure> {
        let Some(by) = &self.by else { return Ok(()) };
        let seen = self.seen();
        if seen.is_found {
            return Ok(());
        }
        let names: Vec<&str> = seen.names.iter().map(String::as_str).collect();
        Err(Failure::unusable(match names.is_empty() {
            true => format!("--by {by}: the talks have no columns to compare them by; leave --by out"),
            false => format!("--by {by}: no talk has this column; columns: {}", names.join(", ")),
        }))
    }

    /// Reads all talks in their order, until enough were taken.
    pub(super) fn read(&self, give: &mut Give<'_>) -> Result<(), Failure> {
        let mut chunk = Chunk::default();
        let is_one = self.places.len() == 1;
        for place in &self.places {
            let flow = match place {
                Place::Lines(path) => {
                    let mut seen = Seen::default();
                    let flow = lines::read(path, is_one, self.by.as_deref(), &mut seen, &mut |item| {
                        chunk.add(item, give)
                    });
                    self.learn(seen);
                    flow?
                }
                #[cfg(feature = "columns")]
                Place::Table(table) => table.read(&mut |item| chunk.add(item, give))?,
                Place::File(path) => {
                    let input = Input::of(path, &self.file)?;
                    held(&input, &mut |item| chunk.add(item, give))
                }
                Place::Held(input) => held(input, &mut |item| chunk.add(item, give)),
            };
            if flow.is_break() {
                return Ok(());
            }
        }
        if !chunk.items.is_empty() {
            let _ = give(chunk.items);
        }
        Ok(())
    }

    fn learn(&self, seen: Seen) {
        let mut all = self.seen();
        all.is_found = all.is_found || seen.is_found;
        seen.names.iter().for_each(|name| all.note(name));
    }
}

/// Talks that are handed on together.
#[derive(Default)]
struct Chunk {
    items: Vec<Item>,
    bytes: usize,
}

impl Chunk {
    fn add(&mut self, item: Item, give: &mut Give<'_>) -> ControlFlow<()> {
        let turns = item.interaction.iter().flat_map(|interaction| interaction.turns());
        self.bytes += turns.map(|turn| turn.content.len()).sum::<usize>();
        self.items.push(item);
        if self.items.len() < CHUNK && self.bytes < CHUNK_BYTES {
            return ControlFlow::Continue(());
        }
        self.bytes = 0;
        give(std::mem::take(&mut self.items))
    }
}

/// The talks of an input that is held.
fn held(input: &Input, add: &mut dyn FnMut(Item) -> ControlFlow<()>) -> ControlFlow<()> {
    for own in input.items() {
        let interaction = own.interaction.map_err(|failure| match failure {
            Failure::Told(told) => {
                // Who tells it names the place, too.
                let message = told.message.strip_prefix(&format!("{}: ", own.name)).unwrap_or(&told.message);
                Error::new(told.code, "", message)
            }
            Failure::PipeClosed => Error::new(ErrorCode::Internal, "", "the output was closed"),
        });
        let place = own.name;
        let name = own.id.unwrap_or_else(|| place.clone());
        let is_talk = own.origin.as_ref().is_some_and(advice::is_conversation);
        add(Item { name, place, group: None, interaction, origin: own.origin, is_talk })?;
    }
    ControlFlow::Continue(())
}

/// What a file is, by its name.
fn place(path: &str, arguments: &Arguments) -> Result<Place, Failure> {
    #[cfg(feature = "columns")]
    {
        let packed = Packing::of_file(path) != Packing::Plain;
        let is_table = match Format::of_input(path) {
            None => crate::stores::is_address(path) || is_pattern(path) && !Path::new(path).exists(),
            Some(Format::Jsonl) => packed,
            Some(_) => true,
        };
        if is_table {
            return Ok(Place::Table(Box::new(Tabled::open(path, arguments)?)));
        }
    }
    #[cfg(not(feature = "columns"))]
    let _ = arguments;
    file::open(path)?;
    let is_lines = Path::new(path).extension().is_some_and(|extension| {
        extension.eq_ignore_ascii_case("jsonl") || extension.eq_ignore_ascii_case("ndjson")
    });
    Ok(if is_lines { Place::Lines(path.to_owned()) } else { Place::File(path.to_owned()) })
}

/// The files directly in a folder, by name, without hidden ones.
fn in_folder(folder: &str) -> Result<Vec<String>, Failure> {
    let failed =
        |error: std::io::Error| Failure::unusable(format!("{folder}: the folder cannot be read: {error}"));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_hidden =
            path.file_name().and_then(|name| name.to_str()).is_none_or(|name| name.starts_with(['.', '_']));
        if let (false, true, Some(path)) = (is_hidden, path.is_file(), path.to_str()) {
            files.push(path.to_owned());
        }
    }
    if files.is_empty() {
        return Err(Failure::unusable(format!(
            "{folder}: is a folder without files; name one with talks in it"
        )));
    }
    files.sort();
    Ok(files)
}
