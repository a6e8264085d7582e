//! `sonometer batch` over tables: columns in, columns out.
//!
//! One thread reads ahead, some sense, one writes. Batches are read whole and sensed in parts, which the threads take as they have time: none
//! waits for the others at the end of a batch. Between them are channels of few of either, so memory does not grow with the input.

mod meter;
mod parts;
mod plan;

use super::{Arguments, Tally};
use crate::advice;
use crate::failure::{Exit, Failure};
use crate::file;
use crate::screen::Screen;
use crate::stores::{self, Destination};
use crate::tables::content::{Piece, TalkArguments};
use crate::tables::files::{self, Format, Packing};
use crate::tables::read::Tables;
use crate::tables::write::{self, Writer};
use crate::target::Source;
use meter::Meter;
use parts::{Parts, Target};
use plan::{Made, Plan};
use sha2::{Digest, Sha256};
use sonometer::SenseOptions;
use sonometer::batch::in_order;
use sonometer_arrow::{BadRows, Column};
use std::io::{self, IsTerminal, Write as _};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

/// Parts that a batch is sensed in. One of 8,192 short texts takes some 3 ms, a thousand times what it costs to hand over. Eight for each
/// thread may be under way: as many batches as there are threads.
const PARTS: usize = 8;

/// Options of tables.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Tables")]
pub(super) struct ColumnArguments {
    /// The format of the results: parquet, arrow, csv or jsonl [default: as the name of --out says]
    #[arg(long, value_name = "FORMAT", value_parser = Format::named)]
    format: Option<Format>,
    /// The format of the inputs: parquet, arrow, csv or jsonl [default: as their names say]
    #[arg(long, value_name = "FORMAT", value_parser = Format::named)]
    input_format: Option<Format>,
    /// What is measured, one column each: score, sufficient, fidelity, resonance, triggered, evidence, signal,
    /// actant_flow, temporal, ics or json [default: score,sufficient]
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', value_parser = measured)]
    pub(super) columns: Vec<Column>,
    #[command(flatten)]
    talks: TalkArguments,
    /// Texts consist of lines such as `agent: Good morning.`: each cell is a conversation, each line a turn
    #[arg(long, alias = "text-turns")]
    turns: bool,
    /// Columns of the input to write before the results, or `none` [default: all but those that are measured]
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    keep: Option<Vec<String>>,
    /// What becomes of rows that are no interactions: null (with the reason in the column `error`) or refuse
    #[arg(long, value_name = "HOW", value_parser = bad_rows)]
    bad_rows: Option<BadRows>,
}

fn measured(name: &str) -> Result<Column, String> {
    name.trim().parse().map_err(|error: sonometer::Error| error.message)
}

fn bad_rows(name: &str) -> Result<BadRows, String> {
    match name {
        "null" => Ok(BadRows::Null),
        "refuse" => Ok(BadRows::Refuse),
        _ => Err("write null or refuse".into()),
    }
}

impl ColumnArguments {
    fn any(&self) -> bool {
        self.talks.any()
            || self.turns
            || !self.columns.is_empty()
            || self.keep.is_some()
            || self.bad_rows.is_some()
    }
}

/// Whether tables are asked for: by an option of theirs, by several inputs, or by a name that is no plain file of JSON lines.
pub(super) fn asked(arguments: &Arguments) -> bool {
    let is_table = |path: &str, format: Option<Format>| {
        stores::is_address(path)
            || format.is_some_and(|format| format != Format::Jsonl)
            || format.is_some() && Packing::of_file(path) != Packing::Plain
    };
    let is_input_table = |path: &str| {
        is_table(path, Format::of_input(path))
            || Path::new(path).is_dir()
            || files::is_pattern(path) && !Path::new(path).exists()
    };
    let of = &arguments.tables;
    let formats = [of.format, of.input_format];
    of.any()
        || formats.into_iter().flatten().any(|format| format != Format::Jsonl)
        || arguments.input.len() > 1
        || arguments.input.iter().any(|path| is_input_table(path))
        || arguments.out.as_deref().is_some_and(|path| is_table(path, Format::of_file(path)))
}

pub(super) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let report = ", and make a page or a sum with `sonometer report`, which reads tables";
    for (option, given, instead) in [
        ("--summary", arguments.summary, report),
        ("--html", arguments.page.is_asked(), report),
        ("--profile", arguments.profile.is_some(), ""),
    ] {
        if given {
            return Err(Failure::unusable(format!(
                "{option} works with JSON lines only, and this run writes columns; leave it out{instead}"
            )));
        }
    }
    let instrument = Source::find(&arguments.target)?.instrument()?;
    arguments.masks.tell_if_idle(&instrument, screen);
    let options = SenseOptions { usd_per_ics: arguments.rate, ..arguments.masks.options()? };
    let tables = Tables::open(files::expand(&arguments.input, arguments.tables.input_format)?)?;
    let plan = Plan::new(&instrument, &arguments.tables, arguments.offsets, options, &tables)?;
    let out = Out::open(arguments, &plan, &tables)?;
    let Some(out) = out else {
        let out = arguments.out.as_deref().unwrap_or_default();
        screen.note(&format!("{out}: already whole, nothing is left to do; remove it to measure again"));
        return Ok(Exit::Done);
    };
    let before = out.before();
    let shown = arguments.out.is_some() || !io::stdout().is_terminal();
    let meter = Meter::new(tables.rows, tables.bytes, tables.count.clone(), before.items, shown);
    let threads = arguments.threads.number();
    let start = Instant::now();
    let name = tables.name().to_owned();
    let tally = thread::scope(|scope| {
        let (give, pieces) = sync_channel(2);
        let (hand, made) = sync_channel(2 * PARTS);
        let plan = &plan;
        let reader = scope.spawn(move || read(plan, tables, before.items, &give));
        let writer = scope.spawn(move || write_all(out, meter, &made));
        // Takes its ends of the channels along, so that nobody waits for it when it is over.
        let sensed = sense(plan, threads, pieces, hand);
        let read = reader.join().unwrap_or_else(|_| Err(crashed("reading")));
        let whole = sensed.and(read);
        let (out, tally) =
            writer.join().unwrap_or_else(|_| Err((None, crashed("writing")))).map_err(|(out, failure)| {
                close(out);
                failure
            })?;
        match whole {
            Err(failure) => {
                close(Some(out));
                Err(failure)
            }
            Ok(()) if before.items + tally.items == 0 => {
                close(Some(out));
                Err(Failure::unusable(format!("{}: the input has no rows", file::name(&name))))
            }
            Ok(()) => out.finish().map(|()| tally),
        }
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let tally = Tally { errors: before.errors + tally.errors, ..tally };
    screen.note(&tally.summary("row", before.items, seconds));
    if plan.holds_talks() {
        screen.note(&format!("{}: {}", file::name(&name), advice::AS_TURNS));
    }
    Ok(if tally.errors > 0 { Exit::Unusable } else { Exit::Done })
}

fn crashed(work: &str) -> Failure {
    Failure::told(sonometer::ErrorCode::Internal, format!("{work} ended with a panic; please report it"))
}

/// A run that failed leaves its parts, if it has any, to a later one.
fn close(out: Option<Out>) {
    if let Some(Out::Parts(parts)) = out
        && parts.is_empty()
    {
        parts.remove();
    }
}

/// Reads ahead, but for the first `done` rows of the output.
fn read(plan: &Plan, tables: Tables, done: u64, give: &SyncSender<Piece>) -> Result<(), Failure> {
    let go = |sent: bool| if sent { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let Some(mut grouper) = plan.grouper(tables.is_csv()) else {
        return tables.read(&plan.wanted, done, &mut |path, first, rows| {
            Ok(go(give.send(plan.piece(path, first, rows)?).is_ok()))
        });
    };
    // Conversations that are there are made again: only so it is noticed if one of them comes back.
    let mut left = done;
    let mut send = |mut piece: Piece| {
        let rows = piece.content.len() as u64;
        let skip = left.min(rows);
        left -= skip;
        if skip == rows {
            return true;
        }
        let (skip, rest) = (skip as usize, (rows - skip) as usize);
        piece.content = piece.content.slice(skip, rest);
        piece.rows = piece.rows.slice(skip, rest);
        piece.place.skip(skip);
        give.send(piece).is_ok()
    };
    let mut sent = true;
    tables.read(&plan.wanted, 0, &mut |path, first, rows| {
        for piece in grouper.add(path, first, &rows)? {
            sent = sent && send(piece);
        }
        Ok(go(sent))
    })?;
    if let Some(piece) = grouper.finish()?
        && sent
    {
        send(piece);
    }
    Ok(())
}

fn sense(
    plan: &Plan,
    threads: NonZeroUsize,
    pieces: Receiver<Piece>,
    hand: SyncSender<Made>,
) -> Result<(), Failure> {
    let parts = pieces.into_iter().flat_map(|piece| piece.cut(PARTS));
    let end = in_order(
        threads,
        parts,
        |part| plan.work(&part),
        |made| match made.map(|made| hand.send(made)) {
            Ok(Ok(())) => ControlFlow::Continue(()),
            // The writer says why.
            Ok(Err(_)) => ControlFlow::Break(Ok(())),
            Err(failure) => ControlFlow::Break(Err(failure)),
        },
    );
    end.break_value().unwrap_or(Ok(()))
}

fn write_all(
    mut out: Out,
    mut meter: Meter,
    made: &Receiver<Made>,
) -> Result<(Out, Tally), (Option<Out>, Failure)> {
    let mut tally = Tally::default();
    for made in made {
        if let Err(failure) = out.write(&made) {
            return Err((Some(out), failure));
        }
        tally += made.tally;
        meter.advance(made.tally.items);
    }
    Ok((out, tally))
}

/// Where the results go.
enum Out {
    Parts(Box<Parts>),
    Stdout(Box<Writer<io::Stdout>>),
}

impl Out {
    /// `None` where the output is whole already.
    fn open(arguments: &Arguments, plan: &Plan, tables: &Tables) -> Result<Option<Self>, Failure> {
        let asked = arguments.tables.format;
        let schema = plan.schema.clone();
        let Some(path) = &arguments.out else {
            let format = asked.unwrap_or(Format::Jsonl);
            if matches!(format, Format::Parquet | Format::Arrow) {
                let message = "standard output: parquet and arrow are written to files; name one with --out";
                return Err(Failure::unusable(message));
            }
            write::check(format, "standard output", &schema)?;
            let writer = Writer::new(format, Packing::Plain, &schema, true, io::stdout());
            return match writer {
                Ok(writer) => Ok(Some(Self::Stdout(Box::new(writer)))),
                Err(error) => Err(Failure::unusable(format!("standard output cannot be written: {error}"))),
            };
        };
        let format = asked.or_else(|| Format::of_file(path)).ok_or_else(|| {
            Failure::unusable(format!(
                "{path}: the name does not say the format; name it with --format {}",
                files::NAMES
            ))
        })?;
        write::check(format, path, &schema)?;
        let packing = match format {
            Format::Csv | Format::Jsonl => Packing::of_file(path),
            Format::Parquet | Format::Arrow => Packing::Plain,
        };
        let (path, to) = match stores::is_address(path) {
            false => (path.clone(), None),
            true => match stores::local(path)? {
                Some(path) => (path, None),
                None => (path.clone(), Some(Destination::open(path)?)),
            },
        };
        let target = Target { path, to, format, packing, schema };
        if Parts::is_done(&target, arguments.resume)? {
            // Each row becomes a row, where no conversations are made of them.
            let rows = tables.rows.filter(|_| plan.grouper(tables.is_csv()).is_none());
            return target.expect_own(rows).map(|()| None);
        }
        let plan = described(plan, tables, &target);
        Parts::open(target, &plan, arguments.resume).map(|parts| Some(Self::Parts(Box::new(parts))))
    }

    fn before(&self) -> Tally {
        match self {
            Self::Parts(parts) => parts.before,
            Self::Stdout(_) => Tally::default(),
        }
    }

    fn write(&mut self, made: &Made) -> Result<(), Failure> {
        match self {
            Self::Parts(parts) => parts.write(made),
            Self::Stdout(writer) => writer.write(&made.rows).map_err(|error| {
                let closed = error.downcast_ref::<io::Error>();
                if closed.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
                    return Failure::PipeClosed;
                }
                Failure::unusable(format!("standard output cannot be written: {error}"))
            }),
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Parts(parts) => parts.finish(),
            Self::Stdout(writer) => {
                let ended = writer.finish().and_then(|mut stdout| Ok(stdout.flush()?));
                ended
                    .map_err(|error| Failure::unusable(format!("standard output cannot be written: {error}")))
            }
        }
    }
}

/// What tells one run from another: parts of two are never joined. The files by name, size and time of the last change.
fn described(plan: &Plan, tables: &Tables, target: &Target) -> String {
    let Target { format, packing, .. } = target;
    let mut all = format!("{format:?} {packing:?} {}", plan.description());
    if target.to.is_some() {
        // Its folder of parts is named by the last part of its name alone.
        all.push_str(&format!("\n{}", target.path));
    }
    for table in tables.files() {
        all.push_str(&format!("\n{} {}", table.path, table.place.facts()));
    }
    let digest = Sha256::digest(all.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
