//! Reads real talk by one of the pattern sets, for a profiler: `sets a|b|c|absent|d|d-regex|names natural|long|compile|source [ROUNDS]`. `natural`
//! are interactions with their turns, `long` texts of 64 KiB, `compile` goes from text to sensor, `source` prints the text. What is worth a look is in
//! `counted_workload`: `valgrind --tool=callgrind --toggle-collect='*counted_workload*'`. Prints CPU time and what was found.

use cpu_time::ThreadTime;
use sonometer::{Interaction, Sensor};
use sonometer_bench::corpus::Corpus;
use sonometer_bench::gap_regex::{Dialect, regex_of};
use sonometer_bench::patterns::{self, Grams};
use sonometer_bench::process::{CHILD, run_child};
use sonometer_bench::workload;
use std::process::ExitCode;
use std::time::Duration;

const MIB: usize = 1 << 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // What a new process takes: `sets --child compile` or `--child names`, the text on standard input; milliseconds, MiB at most, MiB kept.
    if let [first, work @ ..] = &arguments[..]
        && first == CHILD
    {
        run_child(work);
        return ExitCode::SUCCESS;
    }
    let [set, how, rest @ ..] = &arguments[..] else {
        eprintln!("sets a|b|c|absent|d|d-regex|names natural|long|compile|source [ROUNDS]");
        return ExitCode::FAILURE;
    };
    let rounds = rest.first().and_then(|rounds| rounds.parse().ok()).unwrap_or(1_usize);
    let corpus = Corpus::load(4 * MIB);
    let Some(source) = source(set, &Grams::of(&corpus)) else {
        eprintln!("no set is called `{set}`");
        return ExitCode::FAILURE;
    };
    if how == "source" {
        print!("{}", source.text());
        return ExitCode::SUCCESS;
    }
    let texts = match &**how {
        "long" => corpus.messages(64 << 10, 16),
        _ => Corpus::load(MIB).interactions,
    };
    let work: &dyn Fn() -> usize = match &**how {
        "compile" => &|| counted_workload(|| source.compile().heap_bytes()),
        _ => {
            let sensor = source.compile();
            read(&sensor, &texts);
            &move || counted_workload(|| read(&sensor, &texts))
        }
    };
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let begun = ThreadTime::now();
        let found = work();
        best = best.min(begun.elapsed());
        println!("{found}");
    }
    println!("{set} {how}: {:.2} ms at best of {rounds}", 1e3 * best.as_secs_f64());
    ExitCode::SUCCESS
}

/// What a sensor is compiled from.
enum Source {
    Protocol(String),
    Names(String),
}

impl Source {
    fn text(&self) -> &str {
        match self {
            Self::Protocol(text) | Self::Names(text) => text,
        }
    }

    fn compile(&self) -> Sensor {
        match self {
            Self::Protocol(text) => workload::compile(text),
            Self::Names(names) => workload::with_names(names),
        }
    }
}

fn source(set: &str, grams: &Grams) -> Option<Source> {
    let set = match set {
        "a" => grams.phrases(&patterns::A),
        "b" => grams.phrases(&patterns::B),
        "c" => grams.phrases(&patterns::C),
        "absent" => grams.absent(30_000),
        "d" => grams.gap_rules(),
        "d-regex" => {
            let mut rules = grams.gap_rules();
            rules.lines.iter_mut().for_each(|rule| *rule = format!("/{}/i", regex_of(rule, Dialect::Rust)));
            rules
        }
        "names" => return Some(Source::Names(workload::names(50_000))),
        _ => return None,
    };
    Some(Source::Protocol(set.protocol()))
}

/// The part that is counted. What is found is dropped within it, as in every use.
#[inline(never)]
fn counted_workload(work: impl Fn() -> usize) -> usize {
    work()
}

/// The pieces of evidence of all texts.
fn read(sensor: &Sensor, texts: &[Interaction]) -> usize {
    let evidence = |text| sensor.sense(text).expect("the sets read texts and talks").evidence().count();
    texts.iter().map(evidence).sum()
}
