//! Set d: 200 gap rules, as rules and as regular expressions, beside those who take expressions.

use super::parity::{self, Parity, Spans};
use super::{Bench, MIB, finds, reads};
use crate::corpus::Corpus;
use crate::gap_regex::{Dialect, regex_of};
use crate::patterns::PatternSet;
use crate::peers::{OneByOne, Peer, Span, all_spans};
use crate::plot::Group;
use crate::row::{Aim, Row};
use crate::timing::{Side, Turns};
use crate::vectorscan::Vectorscan;
use crate::workload::sensor;
use sonometer::Sensor;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Times Vectorscan with start of match: gap rules, expressions.
const AIMS: [f64; 2] = [12.0, 5.0];

/// All rows about rules.
pub fn measure(bench: &mut Bench) {
    // Each rule is a marker, so that evidence tells which it was.
    let rules = PatternSet { markers: 200, ..bench.grams.gap_rules() };
    let lines = |dialect| rules.lines.iter().map(|rule| regex_of(rule, dialect)).collect::<Vec<_>>();
    let written: Vec<String> = lines(Dialect::Rust).iter().map(|regex| format!("/{regex}/i")).collect();
    let expressions = PatternSet { lines: written, ..rules.clone() };
    let sensors = [sensor(&rules), sensor(&expressions)];
    let names = ["Sonometer, gap rules", "Sonometer, `/re/`"];
    let ours =
        [evidence(&bench.sample, &rules, &sensors[0]), evidence(&bench.sample, &expressions, &sensors[1])];

    let mut peers: Vec<RefCell<Box<dyn Peer>>> =
        vec![RefCell::new(Box::new(OneByOne::new(&lines(Dialect::Rust))))];
    for made in [Vectorscan::expressions, Vectorscan::ends].map(|make| make(&lines(Dialect::Vectorscan))) {
        match made {
            Ok(made) => peers.push(RefCell::new(Box::new(made))),
            Err(why) => println!("- set d: skipped: {why}"),
        }
    }
    let reading: parity::Reason = parity::other_reading;
    let compare = |engines, spans, reasons| Parity::of("d", engines, &bench.sample, spans, reasons);
    bench.parity.push(compare(names, [&ours[0], &ours[1]], [reading, reading]));
    for (number, peer) in peers.iter().enumerate() {
        let found = all_spans(&mut **peer.borrow_mut(), bench.sample.turns());
        // Vectorscan reports every end of a match, regex and ours one.
        let reasons: [parity::Reason; 2] =
            if number == 0 { [parity::none, parity::none] } else { [parity::same_rule, parity::same_rule] };
        let name = peer.borrow().name().to_owned();
        let ends = without_starts(&ours[1]);
        let of_ours = if number == 2 { &ends } else { &ours[1] };
        bench.parity.push(Parity::of("d", [names[1], &name], &bench.sample, [of_ours, &found], reasons));
    }

    let interactions = &bench.sample.interactions;
    let mut sides: Vec<Side<'_>> = sensors.iter().map(|sensor| reads(sensor, interactions)).collect();
    sides.extend(peers.iter().map(|peer| finds(peer, interactions)));
    let turns = Turns::of(bench.rounds, sides);
    let speed = |side: usize| bench.sample.bytes() as f64 / MIB / turns.seconds[side];
    let mut bars = vec![];
    for (at, form) in ["gap rules", "`/re/`"].into_iter().enumerate() {
        for (number, peer) in peers.iter().enumerate() {
            let side = number + 2;
            let aim = if number == 1 { Aim::Ratio(AIMS[at]) } else { Aim::None };
            let peer = Some((peer.borrow().name().to_owned(), speed(side)));
            // The ratio of medians: the sides of a turn are compared with its first alone.
            let ratio = turns.seconds[side] / turns.seconds[at];
            let what = format!("set d, 200 rules as {form}, MiB/s");
            bench.table.push(Row { what, ours: speed(at), peer, ratio, aim });
        }
        bars.push((format!("Sonometer, {}", form.trim_matches('`')), speed(at) / speed(2)));
    }
    bars.extend(
        peers
            .iter()
            .enumerate()
            .map(|(number, peer)| (peer.borrow().name().to_owned(), speed(number + 2) / speed(2))),
    );
    bench.groups.push(Group { title: "set d: 200 gap rules (regex = 1)".into(), bars });
}

/// The spans as one reports them who knows ends alone.
fn without_starts(spans: &Spans) -> Spans {
    spans.iter().map(|(turn, span)| (*turn, Span { start: 0, ..*span })).collect()
}

/// Our evidence as spans: the number of the rule, and its place.
fn evidence(corpus: &Corpus, set: &PatternSet, sensor: &Sensor) -> Spans {
    let markers: BTreeMap<String, usize> = (0..set.markers).map(|at| (set.label(at), at)).collect();
    let (mut spans, mut first) = (Spans::new(), 0);
    for interaction in &corpus.interactions {
        let reading = sensor.sense(interaction).expect("the sets read texts and transcripts");
        spans.extend(reading.evidence().map(|found| {
            let phrase = markers[found.metamarker];
            (first + found.turn, Span { phrase, start: found.range.start, end: found.range.end })
        }));
        first += interaction.turns().len();
    }
    spans
}
