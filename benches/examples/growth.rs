//! How the time a byte takes grows with the length of a text, for every shipped protocol and some pattern sets: texts of 1 KB, 1 MB
//! and 10 MB of the same talk, each figure the least CPU time of several rounds taken in turns; by how much a process grows at most that reads
//! the longest for the first time; and what a chunk of a stream takes.
//! `growth [MEBIBYTES [NAME]]`; 1.0 is flat.

use sonometer::Instrument;
use sonometer_bench::corpus::Corpus;
use sonometer_bench::growth::{Lengths, Replies, Streamed, growth};
use sonometer_bench::patterns::{self, Grams};
use sonometer_bench::process;
use sonometer_bench::workload::{newest, sensor, shipped};

const ROUNDS: usize = 5;
const MIB: usize = 1 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == process::CHILD) {
        return process::run_child(&arguments[1..]);
    }
    let most = std::env::args().nth(1).and_then(|text| text.parse::<usize>().ok()).unwrap_or(10) * MIB;
    let corpus = Corpus::load(4 * MIB);
    let lengths = Lengths::of(&corpus, most);
    println!("Text: {}. ns a byte in texts of 1 KB, 1 MiB, {} MiB.\n", corpus.source, most / MIB);
    println!(
        "| what | 1 KB | 1 MiB | {} MiB | growth | MiB | ns a chunk | 64 KB over 1 KB | at the end |",
        most / MIB
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let replies = Replies::of(&corpus, 5);
    let grams = Grams::of(&corpus);
    let mut all: Vec<&str> = newest();
    all.extend(["set a", "set d"]);
    let wanted = std::env::args().nth(2);
    all.retain(|name| wanted.as_ref().is_none_or(|wanted| wanted == name));
    for name in all {
        let instrument: &Instrument = &match name {
            "set a" => sensor(&grams.phrases(&patterns::A)).into(),
            "set d" => sensor(&grams.gap_rules()).into(),
            id => shipped(id),
        };
        let cost = lengths.cost(instrument, ROUNDS);
        let [short, middle, long] = cost;
        print!("| {name} | {short:.1} | {middle:.1} | {long:.1} | {:.2} |", growth(cost));
        match name.starts_with("set ") {
            true => print!(" - |"),
            false => {
                let long = process::of_child(&["long", name, &(most / MIB).to_string()], "");
                print!(" {:.0} |", long.peak);
            }
        }
        let Streamed { chunk, flat, at_the_end } = replies.stream(instrument, ROUNDS);
        println!(" {chunk:.0} | {flat:.2} | {at_the_end:.1} % |");
    }
}
