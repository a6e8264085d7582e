//! How the time a byte takes grows with the length of a text, for every shipped protocol and some pattern sets: texts of 1 KB, 1 MB
//! and 10 MB of the same talk, each figure the least CPU time of several rounds taken in turns. `growth [MEBIBYTES [NAME]]`; 1.0 is flat.

use cpu_time::ThreadTime;
use sonometer::{Instrument, Interaction};
use sonometer_bench::corpus::{Corpus, size};
use sonometer_bench::patterns::{self, Grams};
use sonometer_bench::workload::{sensor, shipped};
use std::hint::black_box;

const ROUNDS: usize = 5;
const MIB: usize = 1 << 20;

fn main() {
    let most = std::env::args().nth(1).and_then(|text| text.parse::<usize>().ok()).unwrap_or(10) * MIB;
    let corpus = Corpus::load(4 * MIB);
    // Small texts are taken from all over the corpus, so that both read the same words.
    let small: Vec<Interaction> =
        corpus.messages(1024, usize::MAX).into_iter().step_by(2).take(1024).collect();
    let middle = joined(&corpus, MIB);
    let large = joined(&corpus, most);
    println!("Text: {}. ns a byte in texts of 1 KB, 1 MiB, {} MiB.\n", corpus.source, most / MIB);
    println!("| what | 1 KB | 1 MiB | {} MiB | growth |\n|---|---:|---:|---:|---:|", most / MIB);
    let grams = Grams::of(&corpus);
    let mut all: Vec<(&str, Instrument)> =
        ["courtesy", "affect", "pressure-tactics", "personal-data"].map(|id| (id, shipped(id))).into();
    all.push(("set a", sensor(&grams.phrases(&patterns::A)).into()));
    all.push(("set d", sensor(&grams.gap_rules()).into()));
    let wanted = std::env::args().nth(2);
    all.retain(|(name, _)| wanted.as_ref().is_none_or(|wanted| wanted == name));
    for (name, instrument) in &all {
        let mut least = [f64::MAX; 3];
        for _ in 0..ROUNDS {
            for (at, texts) in [&small, &middle, &large].into_iter().enumerate() {
                least[at] = least[at].min(nanoseconds_a_byte(instrument, texts));
            }
        }
        let [short, middle, long] = least;
        println!("| {name} | {short:.1} | {middle:.1} | {long:.1} | {:.2} |", middle.max(long) / short);
    }
}

/// One text of so many bytes: the corpus, repeated.
fn joined(corpus: &Corpus, bytes: usize) -> Vec<Interaction> {
    let mut text = String::new();
    for turn in std::iter::repeat_with(|| corpus.turns()).flatten() {
        if text.len() + turn.len() + 1 > bytes {
            break;
        }
        text.push_str(turn);
        text.push('\n');
    }
    vec![Interaction::text(&text).expect("below the largest content")]
}

fn nanoseconds_a_byte(instrument: &Instrument, texts: &[Interaction]) -> f64 {
    let start = ThreadTime::now();
    for text in texts {
        black_box(instrument.sense(text).expect("a reading").evidence().count());
    }
    let bytes: usize = texts.iter().map(size).sum();
    start.elapsed().as_nanos() as f64 / bytes as f64
}
