//! What threads share when they measure many messages: how much faster several are than one, and what they wait for. The figures of
//! `docs/measured/threads.md`.
//!
//! Each number of threads measures the same messages in turns with one thread; a ratio is the median of those of neighbouring runs. CPU
//! time tells what threads do to each other (a counter that moves between cores, an allocator they share) however busy the machine is;
//! the clock on the wall tells the rest, as far as the cores are free. What sleeps and wakes is counted: in the batch itself, and by
//! `strace` for the whole process, allocator and all.

use cpu_time::ProcessTime;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sonometer::batch::Sharing;
use sonometer::{Error, Instrument, Interaction, Reading};
use sonometer_bench::corpus::{Corpus, size};
use sonometer_bench::patterns::{self, Grams};
use sonometer_bench::timing::median;
use sonometer_bench::workload;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::process::Command;
use std::time::Instant;

const THREADS: [usize; 4] = [2, 4, 8, 16];
const ROUNDS: usize = 15;
/// Messages by their name, bytes and number, and what they are measured by: a protocol that ships, or set a.
const CASES: [Case; 3] = [
    Case { name: "64 bytes", bytes: 64, count: 40_000, protocol: None },
    Case { name: "1 KB", bytes: 1024, count: 4_000, protocol: None },
    Case { name: "1 KB, `personal-data`", bytes: 1024, count: 1_000, protocol: Some("personal-data") },
];

struct Case {
    name: &'static str,
    bytes: usize,
    count: usize,
    protocol: Option<&'static str>,
}

impl Case {
    fn instrument(&self, corpus: &Corpus) -> Instrument {
        match self.protocol {
            Some(name) => workload::shipped(name),
            None => Instrument::from(workload::sensor(&Grams::of(corpus).phrases(&patterns::A))),
        }
    }

    fn messages(&self, corpus: &Corpus) -> Vec<Interaction> {
        let messages = corpus.messages(self.bytes, self.count);
        assert_eq!(messages.len(), self.count, "the corpus is long enough");
        assert!(
            messages.iter().map(size).sum::<usize>() > self.bytes * self.count / 2,
            "and its words are not"
        );
        messages
    }
}

/// What goes over threads: messages in memory, or any number of them one after the other.
#[derive(Clone, Copy)]
enum Way {
    Slice,
    Stream,
}

const WAYS: [(&str, Way); 2] = [("`batch`", Way::Slice), ("`batch_each`", Way::Stream)];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let corpus = Corpus::load(8 << 20);
    if let [way, case, threads] = &arguments[..] {
        let number = |text: &String| text.parse::<usize>().expect("is a number");
        let case = &CASES[number(case)];
        let crew = Crew::of(WAYS[number(way)].1, number(threads));
        crew.run(&case.instrument(&corpus), &case.messages(&corpus));
        return;
    }
    let before = Busy::now();
    let began = ProcessTime::now();
    println!(
        "| messages | way | threads | time of one thread / time | CPU time of a message, with one thread = 1 |"
    );
    println!("|---|---|---:|---:|---:|");
    for case in &CASES {
        let (instrument, messages) = (case.instrument(&corpus), case.messages(&corpus));
        for (called, way) in WAYS {
            for threads in THREADS {
                let [one, many] = [1, threads].map(|threads| Crew::of(way, threads));
                let rounds = (0..ROUNDS).map(|_| {
                    let [one, many] = [&one, &many].map(|crew| crew.timed(&instrument, &messages));
                    (one.0 / many.0, many.1 / one.1)
                });
                let (wall, cpu): (Vec<f64>, Vec<f64>) = rounds.unzip();
                println!(
                    "| {} | {called} | {threads} | {:.2} | {:.2} |",
                    case.name,
                    median(wall),
                    median(cpu)
                );
            }
        }
    }
    let own = began.elapsed().as_secs_f64();
    if let (Some(before), Some(now)) = (before, Busy::now()) {
        let (busy, all) = (now.busy - before.busy, now.all - before.all);
        println!("\n| CPU time of the machine meanwhile | % |\n|---|---:|");
        for (who, seconds) in
            [("this program", own), ("others", (busy - own).max(0.0)), ("nobody", all - busy)]
        {
            println!("| {who} | {:.0} |", 100.0 * seconds / all);
        }
    }
    counts(&corpus);
}

/// The second table: what threads take to share messages.
fn counts(corpus: &Corpus) {
    println!(
        "\n| messages | threads | locks a message | of 1,000 locks, had by another | sleeps for 1,000 messages | wakes for 1,000 | calls of `futex` for 1,000, `batch_each` | `batch` |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for (number, case) in CASES.iter().enumerate() {
        let (instrument, messages) = (case.instrument(corpus), case.messages(corpus));
        for threads in [1].into_iter().chain(THREADS) {
            let Sharing { locks, contended, waits, wakes, .. } = stream(&instrument, &messages, threads);
            let each = |counted: u64| counted as f64 * 1000.0 / case.count as f64;
            let had = if locks == 0 { 0.0 } else { 1000.0 * contended as f64 / locks as f64 };
            let futex = [1, 0].map(|way| {
                let calls = futex_calls(&[way, number, threads]);
                calls.map_or("-".to_owned(), |calls| format!("{:.1}", each(calls)))
            });
            println!(
                "| {} | {threads} | {:.3} | {had:.1} | {:.2} | {:.2} | {} | {} |",
                case.name,
                locks as f64 / case.count as f64,
                each(waits),
                each(wakes),
                futex[0],
                futex[1]
            );
        }
    }
}

/// Threads that go one way.
struct Crew {
    threads: usize,
    /// Those of `batch` are there before; `batch_each` makes its own.
    pool: Option<ThreadPool>,
}

impl Crew {
    fn of(way: Way, threads: usize) -> Self {
        let pool = || ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        Self { threads, pool: matches!(way, Way::Slice).then(pool) }
    }

    fn run(&self, instrument: &Instrument, messages: &[Interaction]) {
        match &self.pool {
            Some(pool) => drop(black_box(pool.install(|| instrument.batch(messages)))),
            None => {
                black_box(stream(instrument, messages, self.threads));
            }
        }
    }

    /// Seconds on the wall and of CPU time.
    fn timed(&self, instrument: &Instrument, messages: &[Interaction]) -> (f64, f64) {
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        self.run(instrument, messages);
        (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64())
    }
}

fn stream(instrument: &Instrument, messages: &[Interaction], threads: usize) -> Sharing {
    let each = |outcome: Result<Reading, Error>| {
        black_box(outcome.expect("the set reads texts and transcripts"));
        ControlFlow::Continue(())
    };
    let threads = NonZeroUsize::new(threads).expect("is not 0");
    instrument.batch_each_counted::<_, ()>(threads, messages.iter(), |m| Ok(m.clone()), each).1
}

/// How often a run asks the system to sleep or to wake, as `strace` counts; `None` where it is not there.
fn futex_calls(arguments: &[usize; 3]) -> Option<u64> {
    let own = std::env::current_exe().ok()?;
    let mut strace = Command::new("strace");
    strace.args(["-f", "-c", "-e", "trace=futex"]).arg(own);
    let output = strace.args(arguments.map(|argument| argument.to_string())).output().ok()?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return None;
    }
    let row = told.lines().find(|line| line.trim_end().ends_with("futex"));
    // Without a row there was no call.
    row.map_or(Some(0), |row| row.split_whitespace().nth(3)?.parse().ok())
}

/// CPU time of the whole machine so far, in seconds.
struct Busy {
    busy: f64,
    all: f64,
}

impl Busy {
    /// `None` where the system does not say.
    fn now() -> Option<Self> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let ticks = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
        let ticks: Vec<f64> = ticks.map(|ticks| ticks.parse().unwrap_or(0.0) / 100.0).take(8).collect();
        // user, nice, system, idle, iowait, irq, softirq, steal
        let all: f64 = ticks.iter().sum();
        Some(Self { busy: all - ticks.get(3)? - ticks.get(4)?, all })
    }
}
