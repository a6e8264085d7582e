//! Power that fails: of what the server wrote only what it had synced is sure to be on the disk, and of the rest anything may be, in
//! any order, down to single sectors. `strace` tells what was written, synced and answered, in order. From that, files are made as a
//! disk may hold them at a moment, and everything that was answered until then must be in them.

use crate::{SONOMETER, Served, admin_of, done, folder, send, server};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// What a disk writes whole or not at all.
const SECTOR: usize = 512;
/// The files of the database that calls write. `-shm` is shared memory, which SQLite makes anew.
const FILES: [&str; 2] = ["db.sqlite", "db.sqlite-wal"];
/// So many moments are looked at, unless `SONOMETER_MOMENTS` says otherwise.
const MOMENTS: usize = 30;

/// What the server did, in the order in which it was done.
enum Event {
    Changed(usize, Change),
    /// A process begins to sync a file.
    Syncs(String, usize),
    /// What was written before it began to is on the disk.
    Synced(String),
    /// The request of this id was answered with 200.
    Answered(String),
}

enum Change {
    Write(usize, Vec<u8>),
    Cut(usize),
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Write(at, new) => {
                bytes.resize(bytes.len().max(at + new.len()), 0);
                bytes[*at..at + new.len()].copy_from_slice(new);
            }
            Self::Cut(length) => bytes.resize(*length, 0),
        }
    }
}

/// Numbers that look thrown and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

/// What becomes of that which was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// None of it is on the disk.
    Lost,
    /// All of it up to some moment is.
    Beginning,
    /// Any sectors of any writes are.
    Any,
}

/// A file on a disk: what is sure, and what was changed since.
#[derive(Default)]
struct Disk<'e> {
    sure: Vec<u8>,
    since: Vec<&'e Change>,
    /// How many changes became sure.
    settled: usize,
}

impl Disk<'_> {
    fn after(&self, fate: Fate, dice: &mut Dice) -> Vec<u8> {
        let mut bytes = self.sure.clone();
        let most = match fate {
            Fate::Lost => 0,
            Fate::Beginning => dice.below(self.since.len() + 1),
            Fate::Any => self.since.len(),
        };
        for change in &self.since[..most] {
            match change {
                Change::Write(at, new) if fate == Fate::Any => {
                    for (number, sector) in new.chunks(SECTOR).enumerate() {
                        if dice.below(2) == 0 {
                            Change::Write(at + number * SECTOR, sector.to_vec()).apply(&mut bytes);
                        }
                    }
                }
                change if fate == Fate::Beginning || dice.below(2) == 0 => change.apply(&mut bytes),
                _ => {}
            }
        }
        bytes
    }
}

/// What a machine with these files would hold after some events, and what was answered by then.
struct Machine<'e> {
    disks: [Disk<'e>; FILES.len()],
    syncing: BTreeMap<&'e str, (usize, usize)>,
    answered: BTreeSet<&'e str>,
    believes_syncs: bool,
}

impl<'e> Machine<'e> {
    fn run(base: &[u8], events: &'e [Event], believes_syncs: bool) -> Self {
        let disks = [Disk { sure: base.to_vec(), ..Disk::default() }, Disk::default()];
        let mut machine = Self { disks, syncing: BTreeMap::new(), answered: BTreeSet::new(), believes_syncs };
        events.iter().for_each(|event| machine.take(event));
        machine
    }

    fn take(&mut self, event: &'e Event) {
        match event {
            Event::Changed(file, change) => self.disks[*file].since.push(change),
            Event::Syncs(process, file) => {
                let disk = &self.disks[*file];
                self.syncing.insert(process, (*file, disk.settled + disk.since.len()));
            }
            Event::Synced(process) => {
                let Some((file, until)) = self.syncing.remove(process.as_str()) else { return };
                let disk = &mut self.disks[file];
                if self.believes_syncs {
                    let count = until.saturating_sub(disk.settled);
                    disk.since.drain(..count).for_each(|change| change.apply(&mut disk.sure));
                    disk.settled += count;
                }
            }
            Event::Answered(id) => drop(self.answered.insert(id)),
        }
    }

    /// The power fails now. What was answered and is in no ledger, or why there is none.
    fn fails(&self, folder: &Path, fate: Fate, dice: &mut Dice) -> Result<usize, String> {
        for (name, disk) in FILES.iter().zip(&self.disks) {
            fs::write(folder.join(name), disk.after(fate, dice)).expect("can be written");
        }
        let _ = fs::remove_file(folder.join("db.sqlite-shm"));
        let ask = |arguments: &[&str]| match admin_of("db.sqlite", folder, arguments) {
            (0, out, _) => Ok(out),
            (code, out, err) => Err(format!("{arguments:?}: {code} {out} {err}")),
        };
        let checked = ask(&["check"])?;
        assert!(checked.contains("0 wrong; 0 rows of the ledger wrong"), "{checked}");
        let bill = ask(&["usage", "first", "--format", "jsonl"])?;
        Ok(self.answered.iter().filter(|id| !bill.contains(&format!("\"{id}\""))).count())
    }
}

/// The bytes of a text that `strace -xx` prints: `\x41\x42`.
fn unescaped(text: &str) -> Vec<u8> {
    text.split("\\x").skip(1).map(|pair| u8::from_str_radix(&pair[..2], 16).expect("is a byte")).collect()
}

/// Reads a trace. A call that another process interrupts stands on two lines.
fn events(trace: &str, folder: &Path) -> Vec<Event> {
    let paths = FILES.map(|file| folder.join(file).to_str().expect("is UTF-8").as_bytes().to_vec());
    let mut events = Vec::new();
    let mut open: BTreeMap<&str, &str> = BTreeMap::new();
    for line in trace.lines() {
        let Some((process, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        if let Some(first) = call.strip_suffix("<unfinished ...>") {
            open.insert(process, first.trim_end());
            events.extend(begun(process, first, &paths));
        } else if let Some((_, rest)) =
            call.strip_prefix("<... ").and_then(|call| call.split_once(" resumed>"))
        {
            let first = open.remove(process).expect("was begun");
            events.extend(ended(process, &format!("{first}{rest}"), &paths));
        } else {
            events.extend(begun(process, call, &paths));
            events.extend(ended(process, call, &paths));
        }
    }
    events
}

/// Name, file and arguments of a call, if it is about a file of the database.
fn about<'c>(call: &'c str, paths: &[Vec<u8>]) -> Option<(&'c str, usize, &'c str)> {
    let (name, rest) = call.split_once('(')?;
    let (about, arguments) = rest.split_once('>')?;
    let path = unescaped(about.split_once('<')?.1);
    Some((name, paths.iter().position(|own| *own == path)?, arguments))
}

/// An answer may be on its way as soon as it is begun to be sent, and a sync covers what was written before it began.
fn begun(process: &str, call: &str, paths: &[Vec<u8>]) -> Option<Event> {
    if let Some(("fsync" | "fdatasync", file, _)) = about(call, paths) {
        return Some(Event::Syncs(process.to_owned(), file));
    }
    let is_sent = ["sendto(", "writev(", "write("].iter().any(|name| call.starts_with(name));
    let text = unescaped(call.split('"').nth(1).filter(|_| is_sent)?);
    let text = String::from_utf8_lossy(&text);
    let id = text.lines().find_map(|line| line.strip_prefix("x-request-id: "));
    text.starts_with("HTTP/1.1 200 ").then(|| Event::Answered(id.expect("every answer has one").to_owned()))
}

fn ended(process: &str, call: &str, paths: &[Vec<u8>]) -> Option<Event> {
    let (name, file, rest) = about(call, paths)?;
    let number = |text: &str| text.trim().parse::<usize>().unwrap_or_else(|_| panic!("{text} in {name}"));
    // Padded with spaces where the call stood on two lines.
    let (arguments, result) = rest.rsplit_once("= ")?;
    let arguments = arguments.trim_end().strip_suffix(')')?;
    let last = || number(arguments.rsplit(',').next().expect("has one"));
    match name {
        "fsync" | "fdatasync" => (result.trim() == "0").then(|| Event::Synced(process.to_owned())),
        "pwrite64" => {
            let bytes = unescaped(arguments.split('"').nth(1).expect("has bytes"));
            assert_eq!(number(result), bytes.len(), "is written whole");
            Some(Event::Changed(file, Change::Write(last(), bytes)))
        }
        "ftruncate" => Some(Event::Changed(file, Change::Cut(last()))),
        other => panic!("{other} is not expected: {call}"),
    }
}

#[test]
fn what_was_answered_outlives_a_power_failure() {
    if server().is_some() {
        println!("skipped: power failures (PostgreSQL syncs its own files)");
        return;
    }
    if !Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|ran| ran.success()) {
        println!("skipped: power failures (strace is not there or may not trace; Debian's package strace)");
        return;
    }
    let folder = folder("power");
    let served = Served::start(&folder, &[]);
    let token = served.token();
    done(&folder, &["account", "first", "--quota", "1000000", "--per-minute", "1000000"]);
    served.stop();
    let base = fs::read(folder.join("db.sqlite")).expect("is there");
    let mut strace = Command::new("strace");
    // By hexadecimal digits, so that no byte looks like something else.
    // The server stays a child of this process, and strace ends behind it.
    strace.args(["-D", "-f", "-y", "-xx", "-s", "1000000", "-o", "trace", "-e"]);
    strace.args(["trace=write,writev,pwrite64,ftruncate,fsync,fdatasync,sendto", SONOMETER]);
    let mut served = Served::start_by(strace, "db.sqlite", &folder, &[]);
    let units = thread::scope(|scope| {
        let ask = |client: usize| {
            let (address, token) = (&served.address, &token);
            scope.spawn(move || {
                let asked = (0..100).map(|number| send(address, token, &format!("{client}-{number}")));
                asked.map(|told| told.expect("answers").1).sum::<u64>()
            })
        };
        let clients: Vec<_> = (0..3).map(ask).collect();
        clients.into_iter().map(|client| client.join().expect("ends well")).sum::<u64>()
    });
    assert!(units > 300);
    served.signal("-KILL");
    let _ = served.child.wait();
    // Numbers with less than five digits have spaces behind them.
    let process = served.child.id().to_string();
    let is_last = |line: &str| {
        line.split_once(' ')
            .is_some_and(|(of, what)| of == process && what.trim_start() == "+++ killed by SIGKILL +++")
    };
    let begun = Instant::now();
    let trace = loop {
        let trace = fs::read_to_string(folder.join("trace")).expect("is there");
        if trace.lines().rev().take(100).any(is_last) {
            break trace;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "strace does not end");
        thread::sleep(Duration::from_millis(50));
    };
    let events = events(&trace, &folder);
    let count = |is: fn(&Event) -> bool| events.iter().filter(|event| is(event)).count();
    let answers = count(|event| matches!(event, Event::Answered(_)));
    let pages = count(|event| matches!(event, Event::Changed(0, Change::Write(..))));
    // Pages reach the file itself when the log has 1,000 of them; how many come so far depends on how many charges share a commit.
    assert!(answers == 300 && pages > 0, "{answers} answers, {pages} pages of the file itself");
    let disk = folder.join("disk");
    fs::create_dir(&disk).expect("can be made");
    let mut dice = Dice(21);
    let mut failures = 0;
    let moments =
        std::env::var("SONOMETER_MOMENTS").ok().and_then(|count| count.parse().ok()).unwrap_or(MOMENTS);
    for moment in 0..moments {
        // Half of them right behind an answer, where it matters most.
        let mut at = dice.below(events.len());
        while moment % 2 == 0 && at > 0 && !matches!(events[at - 1], Event::Answered(_)) {
            at -= 1;
        }
        let machine = Machine::run(&base, &events[..at], true);
        for fate in [Fate::Lost, Fate::Beginning, Fate::Any] {
            let missing = machine.fails(&disk, fate, &mut dice);
            assert_eq!(missing, Ok(0), "{fate:?} after event {at}, of {} answered", machine.answered.len());
            failures += 1;
        }
    }
    // What this would say of a server that answers before it syncs.
    let careless = Machine::run(&base, &events, false).fails(&disk, Fate::Lost, &mut dice);
    assert_eq!(careless, Ok(300));
    println!(
        "{failures} failures of power within {} events and {answers} answers: nothing is lost",
        events.len()
    );
    let _ = fs::remove_dir_all(folder);
}
