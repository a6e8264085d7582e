//! One table of what the engine does and what it is meant to do: `cargo bench -p sonometer-bench --bench table`.
//!
//! Engine and reference run in turns in the same process, in CPU time of one thread; every figure is a median, and the
//! ratio is the median of the ratios of neighbouring runs. Other machines give other speeds; the ratios are what counts.

use cpu_time::ThreadTime;
use sonometer::{Interaction, Sensor};
use sonometer_bench::agreement::Agreement;
use sonometer_bench::baseline::Baseline;
use sonometer_bench::corpus::{self, Corpus};
use sonometer_bench::patterns::{self, Grams, PatternSet};
use sonometer_bench::workload::{compile, scanner, sense, sensor};
use std::hint::black_box;
use std::process::ExitCode;

const MIB: f64 = (1 << 20) as f64;
/// Runs of each side.
const ROUNDS: usize = 9;
/// Targets of the first version.
mod target {
    /// Throughput over that of the reference, sets a, b, c.
    pub(crate) const PHRASES: [f64; 3] = [3.0, 3.0, 4.0];
    /// Gap rules over the reference on set a: four times what Vectorscan with start of match did there (0.18).
    pub(crate) const GAP_RULES: f64 = 0.72;
    /// Seconds for a message of 1 KB, set a.
    pub(crate) const MESSAGE: f64 = 5e-6;
    /// Short messages in a second.
    pub(crate) const SHORT_MESSAGES: f64 = 150_000.0;
    /// Cost per byte of set c over that of set a.
    pub(crate) const GROWTH: f64 = 4.0;
    /// Seconds to compile 30,000 phrases.
    pub(crate) const COMPILE: f64 = 0.1;
    /// MiB that 30,000 compiled phrases take.
    pub(crate) const HEAP: f64 = 30.0;
}

fn main() -> ExitCode {
    let corpus = Corpus::load(corpus::BYTES);
    println!(
        "Text: {}, {} interactions, {} bytes.\n",
        corpus.source,
        corpus.interactions.len(),
        corpus.bytes()
    );
    let grams = Grams::of(&corpus);
    let sets = [patterns::A, patterns::B, patterns::C].map(|shape| grams.phrases(&shape));
    let compiled = Compiled::of(&sets[2]);
    let sensors = sets.each_ref().map(sensor);
    let baselines = sets.each_ref().map(Baseline::new);
    let mut agree = true;
    for ((set, sensor), baseline) in sets.iter().zip(&sensors).zip(&baselines) {
        let agreement = Agreement::of(&corpus, set, sensor, baseline);
        let kib = corpus.bytes() as f64 / 1024.0;
        let hits = (agreement.both + agreement.written_otherwise) as f64 / kib;
        println!("- set {}: {} phrases, {hits:.1} hits per KB; {agreement}", set.name, set.lines.len());
        agreement.unexplained.iter().take(10).for_each(|difference| println!("  - {difference}"));
        agree &= agreement.unexplained.is_empty();
    }
    let gap_rules = grams.gap_rules();
    let gap_sensor = sensor(&gap_rules);
    println!(
        "- set d: {} gap rules, {:.1} hits per KB",
        gap_rules.lines.len(),
        hits_per_kb(&corpus, &gap_sensor)
    );

    println!("\n| what | ours | aho-corasick | ratio | target | met |\n|---|---:|---:|---:|---:|---|");
    let mib = corpus.bytes() as f64 / MIB;
    let mut costs = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        let pair =
            Pair::of(|| sense_all(&sensors[at], &corpus.interactions), || find_all(&baselines[at], &corpus));
        let speeds = [mib / pair.ours, mib / pair.baseline];
        row(
            &format!("interactions of natural size, set {}, MiB/s", set.name),
            speeds,
            pair.ratio,
            Need::AtLeast(target::PHRASES[at], pair.ratio, "x"),
        );
        costs.push(pair);
    }
    let pair = Pair::of(|| sense_all(&gap_sensor, &corpus.interactions), || find_all(&baselines[0], &corpus));
    let need = Need::AtLeast(target::GAP_RULES, pair.ratio, "x");
    row(
        "the same, gap rules d (aho-corasick: set a), MiB/s",
        [mib / pair.ours, mib / pair.baseline],
        pair.ratio,
        need,
    );

    let scanner = scanner();
    let pair = Pair::of(|| sense_all(&scanner, &corpus.interactions), || find_all(&baselines[0], &corpus));
    row(
        "the same, nothing to find (aho-corasick: set a), MiB/s",
        [mib / pair.ours, mib / pair.baseline],
        pair.ratio,
        Need::Nothing,
    );
    // A marker costs once per interaction, a byte costs per byte: long texts show the latter alone.
    let long = corpus.messages(64 << 10, usize::MAX);
    let mib = long.iter().map(corpus::size).sum::<usize>() as f64 / MIB;
    for (at, set) in sets.iter().enumerate() {
        let pair = message_pair(&sensors[at], &baselines[at], &long);
        let speeds = [mib / pair.ours, mib / pair.baseline];
        let need = Need::AtLeast(target::PHRASES[at], pair.ratio, "x");
        row(&format!("texts of 64 KiB, set {}, MiB/s", set.name), speeds, pair.ratio, need);
    }

    let messages = corpus.messages(1024, 2_000);
    let pair = message_pair(&sensors[0], &baselines[0], &messages);
    let each = [pair.ours, pair.baseline].map(|seconds| seconds / messages.len() as f64);
    row(
        "1 KB message, set a, µs",
        each.map(|s| 1e6 * s),
        pair.ratio,
        Need::AtMost(1e6 * target::MESSAGE, 1e6 * each[0], " µs"),
    );
    let messages = corpus.messages(80, 20_000);
    let pair = message_pair(&sensors[0], &baselines[0], &messages);
    let each = [pair.ours, pair.baseline].map(|seconds| messages.len() as f64 / seconds);
    row(
        "messages of 80 bytes, set a, per second",
        each,
        pair.ratio,
        Need::AtLeast(target::SHORT_MESSAGES, each[0], "/s"),
    );

    let growth = [costs[2].ours / costs[0].ours, costs[2].baseline / costs[0].baseline];
    row(
        "cost per byte, c over a",
        growth,
        growth[1] / growth[0],
        Need::AtMost(target::GROWTH, growth[0], "x"),
    );
    let built =
        Pair::of(|| compile(&compiled.protocol).heap_bytes(), || Baseline::new(&sets[2]).heap_bytes());
    let times = [1e3 * built.ours, 1e3 * built.baseline];
    row(
        "30,000 phrases from text to sensor, ms",
        times,
        built.ratio,
        Need::AtMost(1e3 * target::COMPILE, times[0], " ms"),
    );
    let heap = [sensors[2].heap_bytes() as f64 / MIB, baselines[2].heap_bytes() as f64 / MIB];
    row(
        "30,000 phrases, tables on the heap, MiB",
        heap,
        heap[1] / heap[0],
        Need::AtMost(target::HEAP, heap[0], " MiB"),
    );
    if let Some(resident) = compiled.resident_mib {
        row(
            "30,000 phrases, growth of the process, MiB",
            [resident, f64::NAN],
            f64::NAN,
            Need::AtMost(target::HEAP, resident, " MiB"),
        );
    }
    if agree { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn sense_all(sensor: &Sensor, interactions: &[Interaction]) -> usize {
    interactions.iter().map(|interaction| sense(sensor, interaction)).sum()
}

fn find_all(baseline: &Baseline, corpus: &Corpus) -> usize {
    let mut spans = Vec::new();
    corpus.turns().for_each(|turn| baseline.find(turn, &mut spans));
    black_box(&spans).len()
}

fn message_pair(sensor: &Sensor, baseline: &Baseline, messages: &[Interaction]) -> Pair {
    let mut spans = Vec::new();
    let find = || {
        messages
            .iter()
            .map(|message| {
                spans.clear();
                baseline.find(&message.turns()[0].content, &mut spans);
                black_box(&spans).len()
            })
            .sum()
    };
    Pair::of(|| sense_all(sensor, messages), find)
}

fn hits_per_kb(corpus: &Corpus, sensor: &Sensor) -> f64 {
    let readings =
        corpus.interactions.iter().map(|i| sensor.sense(i).expect("the sets read texts and transcripts"));
    let hits: usize = readings.map(|reading| reading.evidence().count()).sum();
    hits as f64 / (corpus.bytes() as f64 / 1024.0)
}

/// Median seconds of both sides, and the median of the ratios of neighbouring runs.
struct Pair {
    ours: f64,
    baseline: f64,
    /// How many times faster than the reference.
    ratio: f64,
}

impl Pair {
    fn of(ours: impl FnMut() -> usize, baseline: impl FnMut() -> usize) -> Self {
        let (mut ours, mut baseline) = (timed(ours), timed(baseline));
        // Once to warm up.
        ours();
        baseline();
        let runs: Vec<[f64; 2]> = (0..ROUNDS).map(|_| [ours(), baseline()]).collect();
        let median = |of: fn(&[f64; 2]) -> f64| {
            let mut all: Vec<f64> = runs.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        };
        Self {
            ours: median(|run| run[0]),
            baseline: median(|run| run[1]),
            ratio: median(|run| run[1] / run[0]),
        }
    }
}

fn timed(mut run: impl FnMut() -> usize) -> impl FnMut() -> f64 {
    move || {
        let start = ThreadTime::now();
        black_box(run());
        start.elapsed().as_secs_f64()
    }
}

/// What a row must reach: the target, the figure it is compared with, and the unit of both.
enum Need {
    AtLeast(f64, f64, &'static str),
    AtMost(f64, f64, &'static str),
    /// The row is there to be compared with others.
    Nothing,
}

fn row(what: &str, [ours, baseline]: [f64; 2], ratio: f64, need: Need) {
    let need = match need {
        Need::AtLeast(target, reached, unit) => {
            format!("≥ {}{unit} | {}", figure(target), yes(reached >= target))
        }
        Need::AtMost(target, reached, unit) => {
            format!("≤ {}{unit} | {}", figure(target), yes(reached <= target))
        }
        Need::Nothing => "- | -".to_owned(),
    };
    let [ours, baseline, ratio] = [ours, baseline, ratio].map(figure);
    println!("| {what} | {ours} | {baseline} | {ratio} | {need} |");
}

fn yes(met: bool) -> &'static str {
    if met { "yes" } else { "**no**" }
}

/// Three figures, and no more than the measurement bears.
fn figure(value: f64) -> String {
    match value {
        v if v.is_nan() => "-".to_owned(),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// The largest set, and what the process grew by when it was compiled first.
struct Compiled {
    protocol: String,
    resident_mib: Option<f64>,
}

impl Compiled {
    fn of(set: &PatternSet) -> Self {
        let protocol = set.protocol();
        let before = resident_mib();
        let sensor = compile(&protocol);
        let resident = resident_mib().zip(before).map(|(after, before)| after - before);
        drop(sensor);
        Self { protocol, resident_mib: resident }
    }
}

/// Resident memory of this process, where the system tells.
fn resident_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}
