//! Sets a, b and c: plain phrases, beside everybody who can find them.

use super::parity::{self, Parity};
use super::{Bench, MIB, finds, reads};
use crate::agreement::Agreement;
use crate::baseline::Baseline;
use crate::corpus;
use crate::patterns::{self, PatternSet};
use crate::peers::{Alternation, DoubleArray, Peer, Span, all_spans};
use crate::plot::Group;
use crate::row::{Aim, Row};
use crate::timing::{Side, Turns};
use crate::vectorscan::Vectorscan;
use crate::workload::{scanner, sense, sensor};
use sonometer::{Interaction, Sensor};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Times the reference, sets a, b, c.
const AIMS: [f64; 3] = [3.5, 3.5, 3.0];
/// Times Vectorscan, the same sets.
const AIMS_BESIDE_VECTORSCAN: [f64; 3] = [2.5, 3.0, 6.0];

/// All rows about phrases.
pub fn measure(bench: &mut Bench) {
    let sets = [patterns::A, patterns::B, patterns::C].map(|shape| bench.grams.phrases(&shape));
    let sensors = sets.each_ref().map(sensor);
    let mut costs = Vec::new();
    for (at, (set, sensor)) in sets.iter().zip(&sensors).enumerate() {
        costs.push(beside_peers(bench, at, set, sensor));
    }
    let name = "cost per byte, set c over set a";
    let [ours, theirs] = [0, 1].map(|side| costs[2][side] / costs[0][side]);
    let peer = Some(("aho-corasick".to_owned(), theirs));
    bench.table.push(Row { what: name.into(), ours, peer, ratio: theirs / ours, aim: Aim::AtMost(2.5) });

    let silent = Silent { absent: bench.grams.absent(30_000), nothing: scanner() };
    let absent = sensor(&silent.absent);
    let long = bench.corpus.messages(64 << 10, usize::MAX);
    let natural = bench.sample.interactions.clone();
    let (short, small) = (bench.corpus.messages(1024, 1_000), bench.corpus.messages(80, 10_000));
    let a = (&sensors[0], &sets[0]);
    speed(
        bench,
        "30,000 phrases that are absent, MiB/s",
        (&absent, &silent.absent),
        &natural,
        Aim::Ratio(AIMS[2]),
    );
    speed(bench, "nothing to find (peer: set a), MiB/s", (&silent.nothing, &sets[0]), &natural, Aim::None);
    for (at, (set, sensor)) in sets.iter().zip(&sensors).enumerate() {
        let what = format!("set {}, texts of 64 KiB, MiB/s", set.name);
        speed(bench, &what, (sensor, set), &long, Aim::Ratio(AIMS[at]));
    }
    message(bench, a, &short);
    let turns = beside_reference(bench.rounds, a, &small);
    let [ours, theirs] = [0, 1].map(|side| small.len() as f64 / turns.seconds[side]);
    let peer = Some(("aho-corasick".to_owned(), theirs));
    let what = "set a, messages of 80 bytes, a second".into();
    bench.table.push(Row { what, ours, peer, ratio: turns.ratios[1], aim: Aim::AtLeast(300_000.0) });
}

/// Where nothing is found.
struct Silent {
    absent: PatternSet,
    nothing: Sensor,
}

/// One row for each peer; seconds of ours and of the reference.
fn beside_peers(bench: &mut Bench, at: usize, set: &PatternSet, sensor: &Sensor) -> [f64; 2] {
    let reference = Baseline::new(set);
    let agreement = Agreement::of(&bench.sample, set, sensor, &reference);
    bench.parity.push(of_agreement(set, agreement));
    let peers: Vec<RefCell<Box<dyn Peer>>> =
        peers(set, reference, at, bench.full).into_iter().map(RefCell::new).collect();
    let expected = all_spans(&mut **peers[0].borrow_mut(), bench.sample.turns());
    for peer in &peers[1..] {
        let found = all_spans(&mut **peer.borrow_mut(), bench.sample.turns());
        let name = peer.borrow().name().to_owned();
        let names = ["aho-corasick", &name];
        let parity = if name.starts_with("regex") {
            let spans = [&parity::places(&expected), &parity::places(&found)];
            Parity::of(set.name, names, &bench.sample, spans, [overlaps_or_underscore, parity::none])
        } else {
            let of_starts = name == "Vectorscan, start of match";
            let reasons: [parity::Reason; 2] =
                if of_starts { [underscore_or_start, other_start] } else { [parity::none, parity::none] };
            Parity::of(set.name, names, &bench.sample, [&expected, &found], reasons)
        };
        bench.parity.push(parity);
    }
    let interactions = &bench.sample.interactions;
    let json = || interactions.iter().map(|interaction| sense(sensor, interaction)).sum();
    let mut sides: Vec<Side<'_>> = vec![reads(sensor, interactions), Box::new(json)];
    sides.extend(peers.iter().map(|peer| finds(peer, interactions)));
    let turns = Turns::of(bench.rounds, sides);
    let speed = |side: usize| bench.sample.bytes() as f64 / MIB / turns.seconds[side];
    let (lines, name) = (set.lines.len(), set.name);
    let mut bars = vec![("Sonometer".to_owned(), turns.ratios[2])];
    let mut rows = Vec::new();
    for (number, peer) in peers.iter().enumerate() {
        let (side, who) = (number + 2, peer.borrow().name().to_owned());
        let aim = match who.as_str() {
            "aho-corasick" => Aim::Ratio(AIMS[at]),
            "Vectorscan, start of match" => Aim::Ratio(AIMS_BESIDE_VECTORSCAN[at]),
            _ => Aim::None,
        };
        bars.push((who.clone(), turns.seconds[2] / turns.seconds[side]));
        let what = format!("set {name}, {} phrases, MiB/s", figure(lines));
        let peer = Some((who, speed(side)));
        rows.push(Row { what, ours: speed(0), peer, ratio: turns.ratios[side], aim });
    }
    let peer = Some(("aho-corasick".to_owned(), speed(2)));
    let ratio = turns.seconds[2] / turns.seconds[1];
    let what = format!("set {name}, with canonical JSON, MiB/s");
    rows.push(Row { what, ours: speed(1), peer, ratio, aim: Aim::None });
    rows.into_iter().for_each(|row| bench.table.push(row));
    bench.groups.push(Group { title: format!("set {name}: {} phrases", figure(lines)), bars });
    [turns.seconds[0], turns.seconds[2]]
}

fn figure(count: usize) -> String {
    crate::row::figure(count as f64)
}

/// The reference first. What is left out is said.
fn peers(set: &PatternSet, reference: Baseline, at: usize, full: bool) -> Vec<Box<dyn Peer>> {
    let mut peers: Vec<Box<dyn Peer>> = vec![Box::new(reference), Box::new(DoubleArray::new(set))];
    if full || at < 2 {
        peers.push(Box::new(Baseline::full_table(set)));
    } else {
        println!("- set {}: no full table of aho-corasick without `--full`", set.name);
    }
    if at == 0 || full && at == 1 {
        peers.push(Box::new(Alternation::new(set)));
    } else {
        println!("- set {}: no alternation of regex (300 phrases always, 3,000 with `--full`)", set.name);
    }
    let mut add = |made: Result<Vectorscan, String>| match made {
        Ok(made) => peers.push(Box::new(made)),
        Err(why) => println!("- set {}: skipped: {why}", set.name),
    };
    add(Vectorscan::literals(set));
    if full || at < 2 {
        add(Vectorscan::expressions(
            &set.lines.iter().map(|line| format!(r"\b{line}\b")).collect::<Vec<_>>(),
        ));
    } else {
        println!(
            "- set {}: no Vectorscan with start of match without `--full` (it builds for a minute)",
            set.name
        );
    }
    peers
}

/// Ours beside the reference, as a comparison of two engines.
fn of_agreement(set: &PatternSet, agreement: Agreement) -> Parity {
    let counted = |reasons: &[(&'static str, usize)]| -> BTreeMap<&'static str, usize> {
        reasons.iter().copied().filter(|(_, count)| *count > 0).collect()
    };
    Parity {
        set: set.name.to_owned(),
        engines: ["Sonometer".to_owned(), "aho-corasick".to_owned()],
        both: agreement.both,
        only: [
            counted(&[("written otherwise", agreement.written_otherwise)]),
            counted(&[
                ("inside a word", agreement.inside_a_word),
                ("beside another script", agreement.beside_other_script),
                ("overlapping itself", agreement.overlapping_itself),
            ]),
        ],
        unexplained: agreement.unexplained,
    }
}

/// `\b` takes `_` for a letter.
fn beside_underscore(text: &str, span: &Span, _: &[Span]) -> Option<&'static str> {
    let is = |at: usize| text.as_bytes().get(at) == Some(&b'_');
    (is(span.start.wrapping_sub(1)) || is(span.end)).then_some("beside `_`")
}

/// Vectorscan gives some matches of one letter another start, and loses a few; which ones changes from run to run. Of longer ones none may
/// be missing.
fn underscore_or_start(text: &str, span: &Span, others: &[Span]) -> Option<&'static str> {
    let is_letter = span.end == span.start + 1;
    beside_underscore(text, span, others)
        .or_else(|| other_start(text, span, others))
        .or(is_letter.then_some("one letter, lost"))
}

fn other_start(_: &str, span: &Span, others: &[Span]) -> Option<&'static str> {
    let empty = span.start >= span.end;
    let same = |other: &Span| (other.phrase, other.end) == (span.phrase, span.end);
    (empty || others.iter().any(same)).then_some("given another start")
}

fn overlaps_or_underscore(text: &str, span: &Span, others: &[Span]) -> Option<&'static str> {
    parity::overlaps(text, span, others).or_else(|| beside_underscore(text, span, others))
}

fn beside_reference(rounds: usize, (sensor, set): (&Sensor, &PatternSet), texts: &[Interaction]) -> Turns {
    let reference: RefCell<Box<dyn Peer>> = RefCell::new(Box::new(Baseline::new(set)));
    Turns::of(rounds, vec![reads(sensor, texts), finds(&reference, texts)])
}

fn speed(bench: &mut Bench, what: &str, pair: (&Sensor, &PatternSet), texts: &[Interaction], aim: Aim) {
    let turns = beside_reference(bench.rounds, pair, texts);
    let mib = texts.iter().map(corpus::size).sum::<usize>() as f64 / MIB;
    let peer = Some(("aho-corasick".to_owned(), mib / turns.seconds[1]));
    bench.table.push(Row {
        what: what.into(),
        ours: mib / turns.seconds[0],
        peer,
        ratio: turns.ratios[1],
        aim,
    });
}

/// A message of 1 KB beside the reference and Vectorscan, with our reading and with its JSON.
fn message(bench: &mut Bench, (sensor, set): (&Sensor, &PatternSet), texts: &[Interaction]) {
    let mut peers: Vec<RefCell<Box<dyn Peer>>> = vec![RefCell::new(Box::new(Baseline::new(set)))];
    if let Ok(vectorscan) = Vectorscan::literals(set) {
        peers.push(RefCell::new(Box::new(vectorscan)));
    }
    let mut sides: Vec<Side<'_>> = vec![reads(sensor, texts)];
    sides.extend(peers.iter().map(|peer| finds(peer, texts)));
    let turns = Turns::of(bench.rounds, sides);
    let each = |side: usize| 1e6 * turns.seconds[side] / texts.len() as f64;
    for (number, peer) in peers.iter().enumerate() {
        // Three tenths of the time of the reference.
        let aim = if number == 0 { Aim::Ratio(1.0 / 0.3) } else { Aim::None };
        let peer = Some((peer.borrow().name().to_owned(), each(number + 1)));
        let what = "set a, a message of 1 KB, µs".into();
        bench.table.push(Row { what, ours: each(0), peer, ratio: turns.ratios[number + 1], aim });
    }
}
