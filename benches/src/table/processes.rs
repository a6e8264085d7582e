//! What needs a process of its own: the first reading, and memory.

use super::Bench;
use crate::baseline::Baseline;
use crate::patterns::{self, PatternSet};
use crate::process::{Cost, of_child};
use crate::row::{Aim, Row};
use crate::timing::{Side, Turns, median};
use crate::workload::{compile, names, newest};
use std::fmt::Write;

/// Milliseconds that the first reading by a protocol may take, and by the largest blueprint.
const FIRST: f64 = 15.0;
const FIRST_OF_BLUEPRINT: (&str, f64) = ("service-call", 25.0);
/// Processes that are started for a median.
const STARTS: usize = 11;
/// Phrases of the largest set, and how many stand in one line: a protocol has at most 100,000.
const MOST_PHRASES: usize = 300_000;
const IN_A_LINE: usize = 10;

/// All rows about processes.
pub fn measure(bench: &mut Bench) {
    let protocols = newest().into_iter().map(|id| (id, FIRST));
    for (id, aim) in protocols.chain([FIRST_OF_BLUEPRINT]) {
        let cost = middle(STARTS, &["first", id], "");
        let what = format!("{id}, first reading in a new process, CPU ms");
        bench.table.push(Row::alone(what, cost.ms, Aim::AtMost(aim)));
    }
    let cost = middle(3, &["catalogue"], "");
    for (what, ours, aim) in [
        ("everything that ships, loaded and kept, CPU ms", cost.ms, Aim::None),
        ("the same, peak of memory, MiB", cost.peak, Aim::AtMost(40.0)),
        ("the same, memory kept, MiB", cost.kept, Aim::None),
    ] {
        bench.table.push(Row::alone(what, ours, aim));
    }
    let set = bench.grams.phrases(&patterns::C);
    let protocol = set.protocol();
    let sides: Vec<Side<'_>> =
        vec![Box::new(|| compile(&protocol).heap_bytes()), Box::new(|| Baseline::new(&set).heap_bytes())];
    let built = Turns::of(bench.rounds.min(7), sides);
    let [ours, theirs] = [0, 1].map(|side| 1e3 * built.seconds[side]);
    let peer = Some(("aho-corasick".to_owned(), theirs));
    let what = "set c, from text to sensor, ms".into();
    bench.table.push(Row { what, ours, peer, ratio: built.ratios[1], aim: Aim::AtMost(25.0) });
    let cost = middle(5, &["compile"], &protocol);
    let kept = Baseline::new(&set).heap_bytes() as f64 / super::MIB;
    let peer = Some(("aho-corasick, its own count".to_owned(), kept));
    let what = "set c, memory kept, MiB".into();
    let ratio = kept / cost.kept;
    bench.table.push(Row { what, ours: cost.kept, peer, ratio, aim: Aim::AtMost(10.0) });
    bench.table.push(Row::alone("set c, peak of memory, MiB", cost.peak, Aim::None));

    let cost = middle(5, &["names"], &names(50_000));
    for (what, ours, aim) in [
        ("first reading, CPU ms", cost.ms, 40.0),
        ("memory kept, MiB", cost.kept, 10.0),
        ("peak of memory, MiB", cost.peak, 10.0),
    ] {
        bench.table.push(Row::alone(format!("a list file of 50,000 names, {what}"), ours, Aim::AtMost(aim)));
    }
    let cost = middle(1, &["compile"], &in_long_lines(&bench.grams.absent(MOST_PHRASES)));
    for (what, ours) in [
        ("from text to sensor, ms", cost.ms),
        ("memory kept, MiB", cost.kept),
        ("peak of memory, MiB", cost.peak),
    ] {
        bench.table.push(Row::alone(format!("300,000 phrases, {what}"), ours, Aim::None));
    }
}

/// The medians of some processes.
fn middle(times: usize, arguments: &[&str], input: &str) -> Cost {
    let costs: Vec<Cost> = (0..times).map(|_| of_child(arguments, input)).collect();
    let of = |figure: fn(&Cost) -> f64| median(costs.iter().map(figure).collect());
    Cost { ms: of(|cost| cost.ms), peak: of(|cost| cost.peak), kept: of(|cost| cost.kept) }
}

/// The protocol of a set whose phrases are alternatives, some in each line.
pub fn in_long_lines(set: &PatternSet) -> String {
    let lines = set.lines.chunks(IN_A_LINE).map(|phrases| {
        let mut line = String::from("(");
        phrases.iter().enumerate().for_each(|(at, phrase)| {
            let _ = write!(line, "{}{phrase}", if at > 0 { "|" } else { "" });
        });
        line + ")"
    });
    PatternSet { name: "large", markers: set.markers, lines: lines.collect() }.protocol()
}
