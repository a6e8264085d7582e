//! `sonometer batch`: many interactions, one line of JSON each, in and out; or tables, by columns.

#[cfg(feature = "columns")]
mod columns;
mod summary;

use super::masks::MaskArguments;
use super::sense::{profile, rate, unit};
use crate::advice;
use crate::blocks::{Block, Blocks, TOO_LONG};
use crate::failure::{Exit, Failure, counted};
use crate::file;
use crate::input;
use crate::page::PageArgument;
use crate::progress::Bar;
use crate::resume;
use crate::screen::Screen;
use crate::target::Source;
use crate::threads::ThreadArgument;
use sonometer::batch::{guarded, in_order, line_json};
use sonometer::{Error, ErrorCode, Instrument, OffsetUnit, Profile, SenseOptions, Sensor, Unit, View};
use sonometer_ingest::{LeftOut, Line};
use sonometer_report::Names;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, IsTerminal, Read, Write};
use std::ops::{AddAssign, ControlFlow};
use std::time::Instant;
use summary::Summary;

/// Arguments of `batch`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A protocol that ships (`id` or `id@version`), or a protocol file; over tables a metric or blueprint, too
    target: String,
    /// Interactions, one line of JSON each: a file, or `-` for standard input; or tables (.parquet, .arrow, .csv,
    /// .jsonl; the last two also as .gz or .zst): files, folders, patterns such as `talks/**/*.parquet`
    #[arg(required = true)]
    input: Vec<String>,
    /// Where the results are written: one line of JSON each, or a table [default: standard output]
    #[arg(short = 'o', long, value_name = "FILE", value_parser = crate::page::out_file)]
    out: Option<String>,
    /// Continue after what an earlier run wrote to FILE; for --summary and --html, what is there is measured again
    #[arg(long, requires = "out")]
    resume: bool,
    /// How much of each reading is written: raw, detailed or discovery [default: raw]
    #[arg(long, value_parser = profile)]
    profile: Option<Profile>,
    /// Adds the places of evidence, counted in this unit: bytes, chars or utf16
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    offsets: Option<OffsetUnit>,
    /// The price of one ICS (Interaction Computed Signal, the unit of billing) in US dollars
    #[arg(long, value_name = "USD", default_value = "0", value_parser = rate)]
    rate: Unit,
    #[command(flatten)]
    masks: MaskArguments,
    /// Print what the whole batch came to: the distribution of scores, how often each marker triggered, and the worst
    /// scores with their evidence
    #[arg(long, requires = "out")]
    summary: bool,
    /// With --summary: as one JSON object
    #[arg(long, requires = "summary")]
    json: bool,
    #[command(flatten)]
    page: PageArgument,
    #[command(flatten)]
    threads: ThreadArgument,
    #[cfg(feature = "columns")]
    #[command(flatten)]
    tables: columns::ColumnArguments,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    #[cfg(feature = "columns")]
    if columns::asked(arguments) {
        return columns::run(arguments, screen);
    }
    match &arguments.input[..] {
        [input] => lines(arguments, input, screen),
        // Only where the feature is off.
        _ => Err(Failure::unusable(
            "several inputs are read by the feature `columns`, which this command lacks",
        )),
    }
}

/// One line of JSON for each line of JSON.
fn lines(arguments: &Arguments, input: &str, screen: &mut Screen) -> Result<Exit, Failure> {
    let options = SenseOptions { usd_per_ics: arguments.rate, ..arguments.masks.options()? };
    let view = View {
        profile: arguments.profile.unwrap_or(Profile::Raw),
        offsets: arguments.offsets,
        ..View::default()
    };
    let fix = format!(
        "to measure interactions by it, write `sonometer sense {} {input} --json`; to measure texts of a table, name their \
         column with --text-column",
        arguments.target
    );
    let sensor = Source::find(&arguments.target)?.sensor(&fix)?;
    arguments.masks.tell_if_idle(&Instrument::from(sensor.clone()), screen);
    let sums = arguments.summary || arguments.page.is_asked();
    let source = input::shown(input).to_owned();
    let bench = Bench { sensor, options, view, sums, source };
    let (reader, size) = open(input)?;
    let mut blocks = Blocks::new(reader);
    let mut before = resume::Before::default();
    let mut summary = Summary::default();
    let mut out: Box<dyn Write> = match &arguments.out {
        Some(path) => {
            let mut file = create(path, arguments.resume)?;
            if arguments.resume {
                let mut sense = |line, bytes: Option<&[u8]>| {
                    let done = bytes.map_or_else(|| bench.too_long(line), |bytes| bench.line(line, bytes));
                    summary.add(done.summary);
                    done.text
                };
                before = resume::pass(path, &mut file, &mut blocks, sums, &mut sense)?;
            }
            Box::new(file)
        }
        None => Box::new(io::stdout().lock()),
    };
    let mut tally = Tally { errors: before.errors, ..Tally::default() };
    let (mut rows, mut no_json) = (0, 0);
    let mut skipped = Skipped::default();
    // The bar and the outcomes would be in each other's way.
    let shown = arguments.out.is_some() || !io::stdout().is_terminal();
    let mut bar = Bar::of("sensing (bytes)", if shown { size } else { 0 });
    bar.advance(blocks.taken());
    let start = Instant::now();
    let end = in_order(
        arguments.threads.number(),
        blocks,
        |block| bench.block(block),
        |done| {
            let written = out.write_all(done.text.as_bytes()).and_then(|()| out.flush());
            if let Err(error) = written {
                return ControlFlow::Break(unwritten(arguments.out.as_deref(), &error));
            }
            bar.advance(done.bytes);
            tally += done.tally;
            rows += done.rows;
            no_json += done.no_json;
            skipped.add(done.skipped);
            summary.add(done.summary);
            match done.trouble {
                Some(error) => ControlFlow::Break(unreadable(input, &error)),
                None => ControlFlow::Continue(()),
            }
        },
    );
    drop(bar);
    if let ControlFlow::Break(failure) = end {
        return Err(failure);
    }
    if before.lines + tally.items == 0 {
        return Err(Failure::unusable(format!("{}: the input is empty", input::shown(input))));
    }
    let instrument = Instrument::from(bench.sensor);
    summary.withhold(&instrument);
    let sheet = summary.sheet(&instrument, &bench.source, before.lines);
    arguments.page.write(std::slice::from_ref(&sheet))?;
    match (arguments.summary, arguments.json) {
        (false, _) => {}
        (true, true) => screen.print_bytes(&summary.json(&instrument, before.lines))?,
        (true, false) => screen.print(&sheet.to_text(&screen.paint.report()))?,
    }
    screen.note(&tally.summary("item", before.lines, start.elapsed().as_secs_f64()));
    for note in skipped.notes(&mut Names::of(&instrument)) {
        screen.note(&format!("{}: {note}", input::shown(input)));
    }
    if cfg!(feature = "columns") && rows > 0 && rows == tally.items {
        screen.note(&format!("{}: {}", input::shown(input), advice::ROWS));
    }
    if 2 * no_json > tally.items {
        screen.note(&format!("{}: {}", input::shown(input), advice::NO_JSON));
    }
    Ok(if tally.errors > 0 { Exit::Unusable } else { Exit::Done })
}

/// What a line is made with.
#[derive(Debug)]
struct Bench {
    sensor: Sensor,
    options: SenseOptions,
    view: View<'static>,
    /// Whether the readings are summed up.
    sums: bool,
    /// The name of the input, as the sums show it.
    source: String,
}

/// What was made of some lines.
#[derive(Debug, Default)]
struct Done {
    text: String,
    tally: Tally,
    summary: Summary,
    /// Bytes of the input.
    bytes: usize,
    /// Lines that were refused for a key that a row of a table may have.
    rows: u64,
    /// Lines that are no JSON at all.
    no_json: u64,
    /// What was left out of lines that are chats of other programs.
    skipped: Skipped,
    /// Why there is no further block.
    trouble: Option<io::Error>,
}

impl Bench {
    fn block(&self, block: Block) -> Done {
        let mut done = Done::default();
        match &block {
            Block::Lines { .. } => {
                block.lines().for_each(|(number, bytes)| done.add(self.line(number, bytes)))
            }
            Block::TooLong { number, .. } => {
                done = self.too_long(*number);
            }
            Block::Unreadable(_) => {}
        }
        done.bytes = block.size();
        if let Block::Unreadable(trouble) = block {
            done.trouble = Some(trouble);
        }
        done
    }

    /// The outcome of one line.
    fn line(&self, number: u64, bytes: &[u8]) -> Done {
        let Line { id, interaction, left_out } = match std::str::from_utf8(bytes) {
            Ok(text) => sonometer_ingest::line(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(error) => {
                let place = format!("byte {}", error.valid_up_to());
                let wrong = Error::invalid(place, "not UTF-8; save the input as UTF-8");
                Line { id: None, interaction: Err(wrong), left_out: LeftOut::default() }
            }
        };
        let sensed = guarded(|| {
            let reading = self.sensor.sense_with(&interaction?, self.options)?;
            let mut done = Done {
                text: line_json(number, id.as_deref(), Ok(&reading), self.view),
                tally: Tally {
                    items: 1,
                    insufficient: u64::from(!reading.fidelity().sufficient),
                    errors: 0,
                    ics: reading.ics().consumed,
                },
                skipped: Skipped::of(number, left_out),
                ..Done::default()
            };
            if self.sums {
                let better = self.sensor.protocol().better;
                done.summary.reading(number, id.as_deref(), &self.source, better, reading);
            }
            Ok(done)
        });
        sensed.unwrap_or_else(|mut error| {
            // There is one line, and it is named already.
            if let Some(column) = error.place.strip_prefix("line 1, ") {
                error.place = column.to_owned();
            }
            self.error(number, id.as_deref(), &error)
        })
    }

    /// The outcome of a line that is too long to be taken in.
    fn too_long(&self, number: u64) -> Done {
        self.error(number, None, &Error::new(ErrorCode::PayloadTooLarge, "", TOO_LONG))
    }

    /// The outcome of a line that cannot be sensed.
    fn error(&self, number: u64, id: Option<&str>, error: &Error) -> Done {
        let mut done = Done {
            text: line_json(number, id, Err(error), self.view),
            tally: Tally { items: 1, errors: 1, ..Tally::default() },
            rows: u64::from(advice::is_row(error)),
            no_json: u64::from(advice::is_no_json(error)),
            ..Done::default()
        };
        done.summary.error(error.code);
        done
    }
}

impl Done {
    fn add(&mut self, later: Self) {
        self.text.push_str(&later.text);
        self.tally += later.tally;
        self.rows += later.rows;
        self.no_json += later.no_json;
        self.skipped.add(later.skipped);
        self.summary.add(later.summary);
    }
}

/// What was left out of chats, summed up: a line of output has no place for it.
#[derive(Debug, Default)]
struct Skipped {
    /// Chats of which something was left out.
    chats: usize,
    parts: usize,
    notices: usize,
    /// The first line with a notice, and what it says.
    first: Option<(u64, String)>,
}

impl Skipped {
    fn of(number: u64, left_out: LeftOut) -> Self {
        let LeftOut { parts, notices } = left_out;
        Self {
            chats: usize::from(parts + notices.len() > 0),
            parts,
            notices: notices.len(),
            first: notices.into_iter().next().map(|notice| (number, notice)),
        }
    }

    fn add(&mut self, later: Self) {
        self.chats += later.chats;
        self.parts += later.parts;
        self.notices += later.notices;
        self.first = self.first.take().or(later.first);
    }

    /// What is said of it at the end. A key with a text in it that is masked is not named.
    fn notes(&self, names: &mut Names) -> Vec<String> {
        let mut notes = Vec::new();
        if self.parts > 0 {
            notes.push(format!(
                "left out {} that nobody said, of {}: tool calls, tool results, reasoning, images, sound or files",
                counted(self.parts, "part"),
                counted(self.chats, "chat")
            ));
        }
        if let Some((line, notice)) = &self.first {
            let more = match self.notices - 1 {
                0 => String::new(),
                more => format!("; {} like it, in this and other lines", counted(more, "further notice")),
            };
            let notice = if names.allows(notice) { notice.as_str() } else { "an unknown key was skipped" };
            notes.push(format!("line {line}: {notice}{more}"));
        }
        notes
    }
}

/// What came of the lines or rows so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Tally {
    items: u64,
    insufficient: u64,
    errors: u64,
    ics: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.items += other.items;
        self.insufficient += other.insufficient;
        self.errors += other.errors;
        self.ics += other.ics;
    }
}

impl Tally {
    /// What is said at the end. `noun`: `item` or `row`; `kept` of them were there before, and their errors are counted.
    fn summary(&self, noun: &str, kept: u64, seconds: f64) -> String {
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let before = if kept > 0 { format!(" after {kept} that were there") } else { String::new() };
        format!(
            "{}{before}: {} insufficient, {}; {} ICS; {:.0} {noun}s/s",
            counted(number(self.items), noun),
            self.insufficient,
            counted(number(self.errors), "error"),
            self.ics,
            self.items as f64 / seconds.max(1e-9)
        )
    }
}

/// The input and its size in bytes, 0 where it has none yet.
fn open(path: &str) -> Result<(Box<dyn Read + Send>, usize), Failure> {
    if path == "-" {
        input::hint_at_typing();
        return Ok((Box::new(file::expect_utf8(path, io::stdin())?), 0));
    }
    let file = file::open(path)?;
    if let Some(told) = advice::no_lines(path) {
        return Err(Failure::unusable(told));
    }
    let size = file.metadata().map_or(0, |data| usize::try_from(data.len()).unwrap_or(0));
    Ok((Box::new(file::expect_utf8(path, file)?), size))
}

/// The file of the outcomes, locked, so that the lines of two runs do not get mixed. One that holds something is only gone on with
/// when told to.
fn create(path: &str, resume: bool) -> Result<File, Failure> {
    let file =
        OpenOptions::new().create(true).truncate(false).read(resume).write(true).append(!resume).open(path);
    let file = file.map_err(|error| unwritten(Some(path), &error))?;
    // What cannot be locked, such as a pipe, is written all the same.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(Failure::unusable(format!("{path}: another run is writing it; wait until that ends")));
    }
    if !resume && file.metadata().is_ok_and(|data| data.len() > 0) {
        return Err(Failure::unusable(format!(
            "{path}: already exists and is not empty; use --resume to continue it, or remove it"
        )));
    }
    Ok(file)
}

fn unwritten(path: Option<&str>, error: &io::Error) -> Failure {
    match path {
        None if error.kind() == io::ErrorKind::BrokenPipe => Failure::PipeClosed,
        None => Failure::unusable(format!("standard output cannot be written: {error}")),
        Some(path) => file::unwritable(path, error),
    }
}

fn unreadable(path: &str, error: &io::Error) -> Failure {
    Failure::unusable(format!("{}: cannot be read: {error}", input::shown(path)))
}
