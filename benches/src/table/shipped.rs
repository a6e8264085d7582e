//! What ships: readings, fidelity, streams, and long texts.

use super::{Bench, finds, reads_shipped};
use crate::baseline::Baseline;
use crate::corpus::for_instrument;
use crate::growth::{Lengths, Replies, growth};
use crate::patterns;
use crate::peers::Peer;
use crate::row::{Aim, Row};
use crate::timing::{Side, Turns, median};
use crate::vectorscan::Vectorscan;
use crate::workload::{newest, sensor, shipped};
use cpu_time::ThreadTime;
use sonometer::Instrument;
use std::cell::RefCell;
use std::hint::black_box;

/// A protocol, and the time of the reference on set a that it may take for the same text. Those that came later have no aim.
const READINGS: [(&str, f64); 4] =
    [("courtesy", 0.8), ("pressure-tactics", 1.5), ("personal-data", 2.0), ("affect", 2.5)];
/// Protocols whose fidelity is asked for by itself, and microseconds for that of 1 KB.
const FIDELITIES: [&str; 2] = ["personal-data", "affect"];
const FIDELITY: f64 = 6.0;
/// Nanoseconds for a chunk.
const STREAMS: [(&str, f64); 3] = [("courtesy", 200.0), ("affect", 400.0), ("personal-data", 400.0)];
const STREAM_OF_A: f64 = 120.0;
/// The cost of a byte, or chunk, at the end of something long over that at its beginning.
const FLAT: f64 = 1.2;

/// The aim for a protocol, where there is one.
fn aim_of(aims: &[(&str, f64)], id: &str, aim: fn(f64) -> Aim) -> Aim {
    aims.iter().find(|(known, _)| *known == id).map_or(Aim::None, |(_, value)| aim(*value))
}

/// All rows about what ships.
pub fn measure(bench: &mut Bench) {
    readings(bench);
    streams(bench);
    lengths(bench);
}

fn readings(bench: &mut Bench) {
    let messages = bench.corpus.messages(1024, 300);
    let reference: RefCell<Box<dyn Peer>> =
        RefCell::new(Box::new(Baseline::new(&bench.grams.phrases(&patterns::A))));
    for id in newest() {
        let instrument = shipped(id);
        let own = for_instrument(&instrument, &messages);
        let sides = vec![reads_shipped(&instrument, &own), finds(&reference, &messages)];
        let turns = Turns::of(bench.rounds, sides);
        let [ours, theirs] = [0, 1].map(|side| 1e6 * turns.seconds[side] / messages.len() as f64);
        let peer = Some(("aho-corasick, set a".to_owned(), theirs));
        let what = format!("{id}, a message of 1 KB, µs");
        let aim = aim_of(&READINGS, id, |times| Aim::Ratio(1.0 / times));
        bench.table.push(Row { what, ours, peer, ratio: turns.ratios[1], aim });
    }
    for id in FIDELITIES {
        let instrument = shipped(id);
        let fidelity = |i| usize::from(instrument.fidelity(i).expect("what ships reads texts").sufficient);
        let side: Side<'_> = Box::new(|| messages.iter().map(fidelity).sum());
        let ours = 1e6 * Turns::of(bench.rounds, vec![side]).seconds[0] / messages.len() as f64;
        bench.table.push(Row::alone(
            format!("{id}, `fidelity` alone, 1 KB, µs"),
            ours,
            Aim::AtMost(FIDELITY),
        ));
    }
}

fn streams(bench: &mut Bench) {
    let replies = Replies::of(&bench.corpus, if bench.full { 20 } else { 5 });
    let set = bench.grams.phrases(&patterns::A);
    let mut vectorscan = Vectorscan::stream(&set).map_err(|why| println!("- streams: skipped: {why}")).ok();
    let mut rows = |name: &str, instrument: &Instrument, aim: Aim, theirs: Option<f64>| {
        let ours = replies.stream(instrument, bench.rounds);
        let what = format!("{name}, stream of 64 KB, a chunk of 4 or 5 bytes, ns");
        let ratio = theirs.map_or(f64::NAN, |theirs| theirs / ours.chunk);
        let peer = theirs.map(|theirs| ("Vectorscan, ends only".to_owned(), theirs));
        bench.table.push(Row { what, ours: ours.chunk, peer, ratio, aim });
        let what = format!("{name}, a chunk of 64 KB over one of 1 KB");
        bench.table.push(Row::alone(what, ours.flat, Aim::AtMost(FLAT)));
        let what = format!("{name}, share of the work that waits for the end of the stream, %");
        bench.table.push(Row::alone(what, ours.at_the_end, Aim::None));
    };
    let theirs = vectorscan.as_mut().map(|vectorscan| {
        let texts: Vec<&str> = replies.long().collect();
        median((0..ROUNDS_THEIRS).map(|_| stream_theirs(vectorscan, &texts)).collect())
    });
    rows("set a", &sensor(&set).into(), Aim::AtMost(STREAM_OF_A), theirs);
    for id in newest() {
        rows(id, &shipped(id), aim_of(&STREAMS, id, Aim::AtMost), None);
    }
}

/// Rounds of the peer that streams.
const ROUNDS_THEIRS: usize = 25;

fn stream_theirs(vectorscan: &mut Vectorscan, replies: &[&str]) -> f64 {
    let (mut count, mut size) = (0_u32, 4);
    let start = ThreadTime::now();
    for reply in replies {
        vectorscan.begin();
        let mut rest = reply.as_bytes();
        while !rest.is_empty() {
            let (chunk, later) = rest.split_at(size.min(rest.len()));
            black_box(vectorscan.push(chunk));
            (rest, size, count) = (later, 9 - size, count + 1);
        }
    }
    start.elapsed().as_nanos() as f64 / f64::from(count.max(1))
}

fn lengths(bench: &mut Bench) {
    let lengths = Lengths::of(&bench.corpus, 10 << 20);
    for id in newest() {
        let cost = lengths.cost(&shipped(id), if bench.full { 5 } else { 2 });
        let what = format!("{id}, cost of a byte, 10 MB over 1 KB");
        bench.table.push(Row::alone(what, growth(cost), Aim::AtMost(FLAT)));
    }
}
