//! The table of speed: `cargo bench -p sonometer-bench --bench table [-- [--full] [--plot] [PART…]]`.
//!
//! Everything that is compared runs in turns in the same process, in CPU time of one thread; every figure is a median, and the
//! ratio is the median of the ratios of neighbouring runs. Other machines give other speeds; the ratios are what counts.
//! `--full` takes also what builds for minutes, `--plot` writes the picture of the page anew; parts are `phrases`, `rules`, `shipped`
//! and `processes`. The exit is 1 where spans differ and nothing explains it, never for a figure.

use sonometer_bench::corpus::{self, Corpus};
use sonometer_bench::plot;
use sonometer_bench::process;
use sonometer_bench::table::parity::ParityTable;
use sonometer_bench::table::{Bench, phrases, processes, rules, shipped};
use std::path::Path;
use std::process::ExitCode;

/// Where the picture is, from the folder of this crate.
const PLOT: &str = "../docs/measured/speed.svg";
/// Measures one part of the table.
type Measure = fn(&mut Bench);
const PARTS: [(&str, Measure); 4] = [
    ("phrases", phrases::measure),
    ("rules", rules::measure),
    ("shipped", shipped::measure),
    ("processes", processes::measure),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == process::CHILD) {
        process::run_child(&arguments[1..]);
        return ExitCode::SUCCESS;
    }
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let all = !PARTS.iter().any(|(name, _)| has(name));
    let mut bench = Bench::new(Corpus::load(corpus::BYTES), has("--full"));
    println!(
        "Text: {}; {} bytes, of which all engines read {}.",
        bench.corpus.source,
        bench.corpus.bytes(),
        bench.sample.bytes()
    );
    if bench.corpus.is_generated() {
        eprintln!(
            "notice: these figures are not those of docs/measured/speed.md: set SONOMETER_BENCH_DATA to the folder of labelled data for real talk"
        );
        if has("--plot") {
            eprintln!(
                "--plot writes the picture of the page, which shows real talk: set SONOMETER_BENCH_DATA, or leave --plot out"
            );
            return ExitCode::FAILURE;
        }
    }
    for (name, measure) in PARTS {
        if all || has(name) {
            measure(&mut bench);
        }
    }
    println!("\n{}", bench.table);
    if !bench.parity.is_empty() {
        println!("{}", ParityTable(&bench.parity));
    }
    if has("--plot") && all {
        let picture = plot::svg("Times as fast as aho-corasick (longer is better)", &bench.groups);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PLOT);
        if let Err(error) = std::fs::write(&path, picture) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    let unexplained: Vec<&String> = bench.parity.iter().flat_map(|parity| &parity.unexplained).collect();
    unexplained.iter().take(20).for_each(|difference| println!("- {difference}"));
    if unexplained.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
