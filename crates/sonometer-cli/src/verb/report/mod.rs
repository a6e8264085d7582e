//! `sonometer report`: one talk, or many, as a page or a document to hand on.

mod lines;
mod source;
#[cfg(feature = "columns")]
mod tables;

use super::masks::MaskArguments;
use crate::advice;
use crate::failure::{Exit, Failure, counted};
use crate::file;
use crate::input;
use crate::places;
use crate::screen::Screen;
#[cfg(feature = "columns")]
use crate::tables::{content::TalkArguments, files::Format as TableFormat};
use crate::target::Source;
use crate::threads::ThreadArgument;
use clap::ValueEnum;
use sonometer::batch::{guarded, in_order};
use sonometer::{Error, Evidence, Instrument, Reading, SenseOptions};
use sonometer_ingest::Ingested;
use sonometer_report::{Card, Corpus, Heard, Picked, Sheet, of_talk};
use source::{Item, Sources};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Arguments of `report`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol, metric or blueprint that ships (`id` or `id@version`), or a file of one
    target: String,
    /// Talks: .jsonl with an interaction a line; tables (.parquet, .arrow, .csv; also as .gz or .zst); any other file that
    /// `sense` reads; folders of them; or `-` for standard input. One talk is shown in full, of many what they came to
    #[arg(required = true)]
    input: Vec<String>,
    /// Where the report is written [default: standard output]
    #[arg(short = 'o', long, value_name = "FILE", value_parser = crate::page::out_file)]
    out: Option<String>,
    /// A page for browsers (html), or Markdown (md) [default: as the name of --out says, else html]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Also compare the talks by this column of a table, or this key of a JSON line or of its `labels`
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// Texts, documents and cells of tables consist of lines such as `agent: Good morning.`
    #[arg(long)]
    turns: bool,
    #[command(flatten)]
    masks: MaskArguments,
    #[command(flatten)]
    threads: ThreadArgument,
    #[cfg(feature = "columns")]
    #[command(flatten)]
    talks: TalkArguments,
    /// The format of the inputs, if they are tables: parquet, arrow, csv or jsonl [default: as their names say]
    #[cfg(feature = "columns")]
    #[arg(long, value_name = "FORMAT", value_parser = TableFormat::named)]
    input_format: Option<TableFormat>,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A page that holds all it needs.
    Html,
    /// Markdown with tables.
    Md,
}

impl Arguments {
    fn format(&self) -> Result<Format, Failure> {
        let out = self.out.as_deref().unwrap_or_default();
        let ending = Path::new(out).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match (self.format, ending.as_deref()) {
            (Some(format), _) => Ok(format),
            (None, Some("md" | "markdown")) => Ok(Format::Md),
            (None, None | Some("html" | "htm" | "xhtml")) => Ok(Format::Html),
            (None, Some(_)) => Err(Failure::unusable(format!(
                "{out}: the name does not say the format; let it end with .html or .md, or name the format with --format"
            ))),
        }
    }

    /// What the heading says of the inputs.
    fn source(&self) -> String {
        let mut names: Vec<&str> = self.input.iter().map(|path| input::shown(path)).collect();
        match names.len() {
            1..=3 => names.join(", "),
            count => {
                names.truncate(2);
                format!("{} and {} more", names.join(", "), count - 2)
            }
        }
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let target = Source::find(&arguments.target)?;
    let instrument = target.instrument()?;
    arguments.masks.tell_if_idle(&instrument, screen);
    let options = arguments.masks.options()?;
    let sources = Sources::open(arguments)?;
    // Before anything is sensed.
    arguments.format()?;
    let source = arguments.source();
    let mut corpus = Corpus::new(&instrument, &source, arguments.by.as_deref());
    let mut tally = Tally::default();
    count(arguments, &sources, &instrument, options, &mut |item, outcome| {
        tally.add(item, outcome);
        corpus.add(Heard { name: &item.name, group: item.group.as_deref(), outcome });
    })?;
    if corpus.is_empty() {
        return Err(Failure::unusable(format!("{source}: there are no talks in the input")));
    }
    sources.check_by()?;
    if corpus.len() == 1 {
        return single(arguments, &sources, &instrument, options, &source, screen);
    }
    let picked = again(&sources, &instrument, options, &corpus.wanted())?;
    let picked: Vec<Picked> = picked
        .into_iter()
        .map(|(number, item, reading)| Picked { number, name: item.name, reading })
        .collect();
    let sheet = corpus.sheet(&picked, cards(&instrument));
    write(arguments, &sheet, screen)?;
    let measured = corpus.len() - tally.insufficient - tally.errors;
    screen.note(&format!(
        "{}: {measured} measured, {} insufficient, {}",
        counted(usize::try_from(corpus.len()).unwrap_or(usize::MAX), "talk"),
        tally.insufficient,
        counted(usize::try_from(tally.errors).unwrap_or(usize::MAX), "error")
    ));
    if let Some(first) = &tally.first {
        let others = match tally.errors - 1 {
            0 => String::new(),
            1 => "; 1 other talk cannot be read either".to_owned(),
            more => format!("; {more} other talks cannot be read either"),
        };
        screen.note(&format!("{first}{others}"));
    }
    if let Some(told) = tally.told_of_texts() {
        screen.note(&told);
    }
    if cfg!(feature = "columns") && tally.rows > 0 && tally.rows == corpus.len() {
        screen.note(&format!("{source}: {}", advice::ROWS));
    }
    Ok(if tally.errors > 0 { Exit::Unusable } else { Exit::Done })
}

#[derive(Debug, Default)]
struct Tally {
    insufficient: u64,
    errors: u64,
    /// The first talk that could not be read, and why.
    first: Option<String>,
    /// Talks that were refused for a key that a row of a table may have.
    rows: u64,
    /// Texts that are probably conversations, and what to do about the first of them.
    texts: u64,
    first_text: Option<String>,
}

impl Tally {
    fn add(&mut self, item: &Item, outcome: Result<&Reading, &Error>) {
        if item.is_talk {
            self.texts += 1;
            self.first_text.get_or_insert_with(|| format!("{}: {}", item.place, advice::AS_TURNS));
        }
        match outcome {
            Ok(reading) => self.insufficient += u64::from(reading.score().is_none()),
            Err(error) => {
                self.errors += 1;
                self.rows += u64::from(advice::is_row(error));
                self.first.get_or_insert_with(|| format!("{}: {error}", item.place));
            }
        }
    }

    /// The note on texts that are probably conversations.
    fn told_of_texts(&self) -> Option<String> {
        let first = self.first_text.as_ref()?;
        Some(match self.texts - 1 {
            0 => first.clone(),
            1 => format!("{first}; 1 other text is alike"),
            more => format!("{first}; {more} other texts are alike"),
        })
    }
}

/// Senses every talk on all threads and hands them on in their order.
fn count(
    arguments: &Arguments,
    sources: &Sources,
    instrument: &Instrument,
    options: SenseOptions,
    each: &mut dyn FnMut(&Item, Result<&Reading, &Error>),
) -> Result<(), Failure> {
    thread::scope(|scope| {
        let (give, chunks) = sync_channel::<Vec<Item>>(2);
        let reader = scope.spawn(move || {
            sources.read(&mut |items| match give.send(items) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            })
        });
        let work = |items: Vec<Item>| -> Vec<(Item, Result<Reading, Error>)> {
            items
                .into_iter()
                .map(|mut item| {
                    let sensed = item.sense(instrument, options);
                    (item, sensed)
                })
                .collect()
        };
        let _ = in_order(arguments.threads.number(), chunks.into_iter(), work, |done| {
            done.iter().for_each(|(item, outcome)| each(item, outcome.as_ref()));
            ControlFlow::<()>::Continue(())
        });
        reader.join().unwrap_or_else(|_| {
            Err(Failure::told(sonometer::ErrorCode::Internal, "reading ended with a panic; please report it"))
        })
    })
}

/// The talks with these numbers, which ascend, read and sensed once more.
fn again(
    sources: &Sources,
    instrument: &Instrument,
    options: SenseOptions,
    wanted: &[u64],
) -> Result<Vec<(u64, Item, Reading)>, Failure> {
    let (mut next, mut found) = (0, Vec::new());
    let mut left = wanted.iter().copied().peekable();
    sources.read(&mut |items| {
        for mut item in items {
            if left.next_if_eq(&next).is_some()
                && let Ok(reading) = item.sense(instrument, options)
            {
                found.push((next, item, reading));
            }
            next += 1;
        }
        if left.peek().is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found)
}

/// The report of the only talk there is.
fn single(
    arguments: &Arguments,
    sources: &Sources,
    instrument: &Instrument,
    options: SenseOptions,
    source: &str,
    screen: &mut Screen,
) -> Result<Exit, Failure> {
    let mut failed = None;
    let mut only = None;
    sources.read(&mut |items| {
        for mut item in items {
            match item.sense(instrument, options) {
                Ok(reading) => only = Some((item, reading)),
                Err(error) => {
                    if item.is_talk {
                        screen.note(&format!("{}: {}", item.place, advice::AS_TURNS));
                    }
                    failed = Some(Failure::engine(&item.place, &error));
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    let Some((item, reading)) = only else {
        return Err(
            failed.unwrap_or_else(|| Failure::unusable(format!("{source}: there are no talks in the input")))
        );
    };
    let with_places = item.origin.as_ref().filter(|origin| places::shows_places(origin));
    if item.is_talk {
        screen.note(&format!("{}: {}", item.place, advice::AS_TURNS));
    }
    let all = with_places.map(Ingested::places);
    let place = |found: &Evidence<'_>| Some(all.as_ref()?.at(found.turn, found.range.start)?.to_string());
    let place: Option<&sonometer_report::Place<'_>> = if with_places.is_some() { Some(&place) } else { None };
    let sheet = of_talk(&reading, source, place, cards(instrument));
    write(arguments, &sheet, screen)?;
    Ok(match reading.fidelity().sufficient {
        true => Exit::Done,
        false => {
            let why = match &reading.fidelity().unheard {
                Some(roles) => format!("no turn has a role that is listened to: {roles}"),
                None => "the content lacks sufficient signal".to_owned(),
            };
            screen.note(&format!("{source}: {why}; the report has no score"));
            Exit::Insufficient
        }
    })
}

/// The accuracy cards of what measures.
fn cards(instrument: &Instrument) -> Vec<Card> {
    let of = |sensor: &sonometer::Sensor| {
        sonometer_catalog::card(&sensor.protocol().id, &sensor.protocol().version).map(Card::of)
    };
    instrument.sensors().iter().filter_map(of).collect()
}

/// Writes the report: a file is there whole or not at all.
fn write(arguments: &Arguments, sheet: &Sheet<'_>, screen: &mut Screen) -> Result<(), Failure> {
    let text = match arguments.format()? {
        Format::Html => sheet.to_html(),
        Format::Md => sheet.to_markdown(),
    };
    match &arguments.out {
        Some(path) => file::put(path, text.as_bytes()),
        None => screen.print_bytes(&text),
    }
}

impl Item {
    /// The reading of it, sufficient or not.
    fn sense(&mut self, instrument: &Instrument, options: SenseOptions) -> Result<Reading, Error> {
        let interaction =
            std::mem::replace(&mut self.interaction, Err(Error::invalid("", "was sensed already")));
        guarded(|| instrument.sense_with(&interaction?, options))
    }
}
