//! Senses the interactions of JSON-lines files one by one, as a slice and as a stream on one and on two threads, with the
//! command `batch` on one and on two threads, and by sessions in chunks of random sizes, and compares the bytes:
//! `equal COMMAND PROTOCOL… -- FILE…`.

use sonometer::batch::line_json;
use sonometer::{
    Error, Instrument, Interaction, OffsetUnit, Profile, Protocol, Reading, Sensor, SessionOptions, View,
};
use sonometer_bench::random::Random;
use std::error::Error as AnyError;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::process::{Command, ExitCode, Stdio};

const VIEW: View<'_> =
    View { profile: Profile::Discovery, offsets: Some(OffsetUnit::Bytes), flow: None, temporal: None };
const THREADS: [usize; 2] = [1, 2];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut parts = arguments.split(|argument| argument == "--");
    let (Some([command, protocols @ ..]), Some(files)) = (parts.next(), parts.next()) else {
        eprintln!("usage: equal COMMAND PROTOCOL... -- FILE...");
        return ExitCode::FAILURE;
    };
    match compare(command, protocols, files) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(different) => {
            eprintln!("{different} readings differ");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what was compared; how many readings differ.
fn compare(command: &str, protocols: &[String], files: &[String]) -> Result<u64, Box<dyn AnyError>> {
    let (mut readings, mut insufficient, mut errors, mut different) = (0_u64, 0_u64, 0_u64, 0_u64);
    for protocol in protocols {
        let (read, _) = Protocol::read(&std::fs::read_to_string(protocol)?)?;
        let instrument = Instrument::from(Sensor::new(read)?);
        for file in files {
            let text = std::fs::read_to_string(file)?;
            let interactions: Vec<_> = text.lines().map(interaction).collect();
            let alone: Vec<_> =
                interactions.iter().map(|i| instrument.sense(i.as_ref().map_err(Clone::clone)?)).collect();
            readings += alone.iter().flatten().count() as u64;
            insufficient +=
                alone.iter().flatten().filter(|reading| !reading.fidelity().sufficient).count() as u64;
            errors += alone.iter().filter(|outcome| outcome.is_err()).count() as u64;
            let before = different;
            different += of_sessions(&instrument, &interactions, &alone);
            for threads in THREADS {
                different += of_engine(&instrument, threads, &interactions, &alone)?;
                different += of_command(command, protocol, file, threads, &alone)?;
            }
            if different > before {
                println!("{protocol} on {file}: {} readings differ", different - before);
            }
        }
    }
    println!(
        "compared byte by byte: {readings} readings ({insufficient} of them insufficient) and {errors} errors, {} files by {} \
         protocols: one by one, in random chunks by sessions, as a slice, as a stream and by the command, on 1 and on 2 threads",
        files.len(),
        protocols.len()
    );
    if readings == 0 { Err("there was nothing to compare".into()) } else { Ok(different) }
}

/// The interaction of a line, bare or under `interaction`.
fn interaction(line: &str) -> Result<Interaction, Error> {
    #[derive(serde::Deserialize)]
    struct Wrapping<'a> {
        #[serde(borrow)]
        interaction: Option<&'a serde_json::value::RawValue>,
    }
    let inner = serde_json::from_str::<Wrapping<'_>>(line).ok().and_then(|wrapping| wrapping.interaction);
    Interaction::from_json(inner.map_or(line, serde_json::value::RawValue::get))
}

/// How many outcomes of the two forms of the engine differ.
fn of_engine(
    instrument: &Instrument,
    threads: usize,
    interactions: &[Result<Interaction, Error>],
    alone: &[Result<Reading, Error>],
) -> Result<u64, Box<dyn AnyError>> {
    let mut different = 0;
    let sound: Vec<Interaction> = interactions.iter().flatten().cloned().collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let batch = pool.install(|| instrument.batch(&sound));
    let expected = interactions.iter().zip(alone).filter(|(interaction, _)| interaction.is_ok());
    for ((_, expected), found) in expected.zip(&batch) {
        different += u64::from(!same(expected, found));
    }
    let mut expected = alone.iter();
    let threads = NonZeroUsize::new(threads).ok_or("no threads")?;
    let _ = instrument.batch_each::<_, ()>(threads, interactions.iter(), Clone::clone, |found| {
        different += u64::from(!expected.next().is_some_and(|expected| same(expected, &found)));
        ControlFlow::Continue(())
    });
    Ok(different + expected.count() as u64)
}

/// How many interactions come out differently when they come in in chunks of 1 to 32 bytes.
fn of_sessions(
    instrument: &Instrument,
    interactions: &[Result<Interaction, Error>],
    alone: &[Result<Reading, Error>],
) -> u64 {
    let mut random = Random::new(0x5e55_1015);
    let mut different = 0;
    for (interaction, expected) in interactions.iter().zip(alone) {
        if let Ok(interaction) = interaction {
            different += u64::from(!same(expected, &stream(instrument, interaction, &mut random)));
        }
    }
    different
}

fn stream(instrument: &Instrument, interaction: &Interaction, random: &mut Random) -> Result<Reading, Error> {
    let mut session = instrument.session(SessionOptions::default());
    for turn in interaction.turns() {
        if let Some(role) = &turn.role {
            session.begin_segment(role, turn.timestamp)?;
        }
        let mut rest = turn.content.as_bytes();
        while !rest.is_empty() {
            let (chunk, later) = rest.split_at((1 + random.below(32)).min(rest.len()));
            session.push(chunk)?;
            rest = later;
        }
    }
    session.finish()
}

/// Whether the bytes are equal; of errors, code and message (their places name the item).
fn same(expected: &Result<Reading, Error>, found: &Result<Reading, Error>) -> bool {
    match (expected, found) {
        (Ok(expected), Ok(found)) => expected.to_json(VIEW) == found.to_json(VIEW),
        (Err(expected), Err(found)) => (expected.code, &expected.message) == (found.code, &found.message),
        _ => false,
    }
}

/// How many lines of the command differ from the readings.
fn of_command(
    command: &str,
    protocol: &str,
    file: &str,
    threads: usize,
    alone: &[Result<Reading, Error>],
) -> Result<u64, Box<dyn AnyError>> {
    let mut batch = Command::new(command);
    batch.args(["batch", protocol, file, "--profile", "discovery", "--offsets", "bytes", "--threads"]);
    batch.arg(threads.to_string()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = batch.spawn()?;
    let output = child.stdout.take().ok_or("the command has no output")?;
    let mut different = 0;
    let mut expected = (1..).zip(alone);
    for line in BufReader::new(output).lines() {
        let line = line?;
        different +=
            u64::from(!expected.next().is_some_and(|(number, expected)| is_line(&line, number, expected)));
    }
    child.wait()?;
    Ok(different + expected.count() as u64)
}

/// Whether a line of the command is that of this outcome.
fn is_line(line: &str, number: u64, expected: &Result<Reading, Error>) -> bool {
    match expected {
        Ok(reading) => {
            let result = format!(",\"result\":{}}}", reading.to_json(VIEW));
            line.starts_with(&format!("{{\"line\":{number},\"id\":")) && line.ends_with(&result)
        }
        Err(error) => {
            let id = line.split_once("\"id\":").and_then(|(_, rest)| rest.split_once(",\"error\":"));
            let id = id.and_then(|(id, _)| serde_json::from_str::<Option<String>>(id).ok()).flatten();
            let mut error = error.clone();
            if let Some(column) = error.place.strip_prefix("line 1, ") {
                error.place = column.to_owned();
            }
            line_json(number, id.as_deref(), Err(&error), VIEW).trim_end() == line
        }
    }
}
