//! What ships: readings, fidelity, streams, and long texts.

use super::{Bench, finds, reads_shipped};
use crate::baseline::Baseline;
use crate::growth::{Lengths, growth};
use crate::patterns;
use crate::peers::Peer;
use crate::row::{Aim, Row};
use crate::timing::{Side, Turns, median};
use crate::vectorscan::Vectorscan;
use crate::workload::{sensor, shipped};
use cpu_time::ThreadTime;
use sonometer::{Instrument, Interaction, SessionOptions};
use std::cell::RefCell;
use std::hint::black_box;

/// A protocol, and the time of the reference on set a that it may take for the same text.
const PROTOCOLS: [(&str, f64); 4] =
    [("courtesy", 0.8), ("pressure-tactics", 1.5), ("personal-data", 2.0), ("affect", 2.5)];
/// Microseconds for the fidelity of 1 KB.
const FIDELITY: f64 = 6.0;
/// Nanoseconds for a chunk.
const STREAMS: [(&str, f64); 3] = [("courtesy", 200.0), ("affect", 400.0), ("personal-data", 400.0)];
const STREAM_OF_A: f64 = 120.0;
/// The cost of a byte, or chunk, at the end of something long over that at its beginning.
const FLAT: f64 = 1.2;
/// Bytes of a reply that is streamed.
const REPLY: usize = 64 << 10;

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
    for (id, times) in PROTOCOLS {
        let instrument = shipped(id);
        let sides = vec![reads_shipped(&instrument, &messages), finds(&reference, &messages)];
        let turns = Turns::of(bench.rounds, sides);
        let [ours, theirs] = [0, 1].map(|side| 1e6 * turns.seconds[side] / messages.len() as f64);
        let peer = Some(("aho-corasick, set a".to_owned(), theirs));
        let what = format!("{id}, a message of 1 KB, µs");
        bench.table.push(Row { what, ours, peer, ratio: turns.ratios[1], aim: Aim::Ratio(1.0 / times) });
    }
    for (id, _) in &PROTOCOLS[2..] {
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
    let replies: Vec<Interaction> = bench.corpus.messages(REPLY, if bench.full { 20 } else { 5 });
    let replies: Vec<&str> = replies.iter().map(|reply| &*reply.turns()[0].content).collect();
    let set = bench.grams.phrases(&patterns::A);
    let mut instruments: Vec<(&str, Instrument, f64)> = vec![("set a", sensor(&set).into(), STREAM_OF_A)];
    instruments.extend(STREAMS.map(|(id, aim)| (id, shipped(id), aim)));
    let mut vectorscan = Vectorscan::stream(&set).map_err(|why| println!("- streams: skipped: {why}")).ok();
    let short: Vec<Interaction> = bench.corpus.messages(1024, 64 * replies.len());
    let short: Vec<&str> = short.iter().map(|reply| &*reply.turns()[0].content).collect();
    for (id, instrument, aim) in &instruments {
        let (mut runs, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..bench.rounds {
            runs.push([stream(instrument, &replies), stream(instrument, &short)]);
            if let (Some(vectorscan), "set a") = (&mut vectorscan, *id) {
                theirs.push(stream_theirs(vectorscan, &replies));
            }
        }
        let of = |figure: fn(&[Streamed; 2]) -> f64| median(runs.iter().map(figure).collect());
        let (ours, flat) = (of(|run| run[0].chunk), of(|run| run[0].chunk / run[1].chunk));
        let what = format!("{id}, stream of 64 KB, a chunk of 4 or 5 bytes, ns");
        let (mut peer, mut ratio) = (None, f64::NAN);
        if !theirs.is_empty() {
            let other = median(theirs);
            (peer, ratio) = (Some(("Vectorscan, ends only".to_owned(), other)), other / ours);
        }
        bench.table.push(Row { what, ours, peer, ratio, aim: Aim::AtMost(*aim) });
        let what = format!("{id}, a chunk of 64 KB over one of 1 KB");
        bench.table.push(Row::alone(what, flat, Aim::AtMost(FLAT)));
        let what = format!("{id}, share of the work that waits for the end of the stream, %");
        bench.table.push(Row::alone(what, of(|run| run[0].at_the_end), Aim::None));
    }
}

/// What streaming some replies took.
#[derive(Clone, Copy)]
struct Streamed {
    /// Nanoseconds a chunk, the reading at the end counted in.
    chunk: f64,
    /// How much of it is the reading at the end, in percent.
    at_the_end: f64,
}

fn stream(instrument: &Instrument, replies: &[&str]) -> Streamed {
    let (mut count, mut size, mut at_the_end) = (0_u32, 4, 0.0);
    let start = ThreadTime::now();
    for reply in replies {
        let mut session = instrument.session(SessionOptions::default());
        let mut rest = reply.as_bytes();
        while !rest.is_empty() {
            let (chunk, later) = rest.split_at(size.min(rest.len()));
            black_box(session.push(chunk).expect("is text"));
            (rest, size, count) = (later, 9 - size, count + 1);
        }
        let end = ThreadTime::now();
        black_box(session.finish().expect("is whole").evidence().count());
        at_the_end += end.elapsed().as_nanos() as f64;
    }
    let all = start.elapsed().as_nanos() as f64;
    Streamed { chunk: all / f64::from(count.max(1)), at_the_end: 100.0 * at_the_end / all }
}

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
    for (id, _) in PROTOCOLS {
        let cost = lengths.cost(&shipped(id), if bench.full { 5 } else { 2 });
        let what = format!("{id}, cost of a byte, 10 MB over 1 KB");
        bench.table.push(Row::alone(what, growth(cost), Aim::AtMost(FLAT)));
    }
}
