//! What only a process of its own can tell: the first reading, and how much memory something takes. The bench starts itself anew with the
//! name of the work.

use crate::corpus::{Corpus, for_instrument};
use crate::workload::{compile, shipped, with_names};
use cpu_time::ProcessTime;
use sonometer::Interaction;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// The first argument of a process that was started for one piece of work.
pub const CHILD: &str = "--child";

/// What a piece of work took.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Milliseconds of CPU time.
    pub ms: f64,
    /// MiB by which the process had grown at most, where the system tells.
    pub peak: f64,
    /// MiB by which it has grown at the end, with the result kept.
    pub kept: f64,
}

/// Does what the arguments behind [`CHILD`] name, and prints its cost.
///
/// # Panics
/// If there is no such work: a mistake in this crate.
pub fn run_child(arguments: &[String]) {
    let mut input = String::new();
    match arguments {
        [work, id] if work == "first" => print(&measured(|| {
            let instrument = shipped(id);
            let text = Interaction::text("Thank you so much for your help.").expect("is short");
            let [text] = &for_instrument(&instrument, &[text])[..] else { panic!("one text") };
            let found = instrument.sense(text).expect("is read").evidence().count();
            (instrument, found)
        })),
        [work] if work == "catalogue" => print(&measured(|| {
            let entries = [
                sonometer_catalog::protocols(),
                sonometer_catalog::metrics(),
                sonometer_catalog::blueprints(),
            ];
            let entries = entries.into_iter().flatten();
            entries.map(|entry| shipped(&format!("{}@{}", entry.id, entry.version))).collect::<Vec<_>>()
        })),
        [work, id, mebibytes] if work == "long" => {
            let most = mebibytes.parse::<usize>().expect("a number of mebibytes") << 20;
            let text = crate::growth::joined(&Corpus::load(4 << 20), most);
            let instrument = shipped(id);
            let text = for_instrument(&instrument, &text);
            print(&measured(|| instrument.sense(&text[0]).expect("a reading")));
        }
        [work] if work == "compile" => {
            std::io::stdin().read_to_string(&mut input).expect("the protocol comes in whole");
            print(&measured(|| compile(&input)));
        }
        [work] if work == "names" => {
            std::io::stdin().read_to_string(&mut input).expect("the names come in whole");
            print(&measured(|| {
                let sensor = with_names(&input);
                let text = Interaction::text("I met Ramina and Lorato Kesi.").expect("is short");
                let found = sensor.sense(&text).expect("reads texts").evidence().count();
                (sensor, found)
            }));
        }
        _ => panic!("no such work: {arguments:?}"),
    }
}

/// Has a process of its own do some work, which may get a text.
///
/// # Panics
/// If it cannot be started, or fails.
pub fn of_child(arguments: &[&str], input: &str) -> Cost {
    let program = std::env::current_exe().expect("a program knows where it is");
    let mut child = Command::new(program);
    child.arg(CHILD).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = child.spawn().expect("a program can be started twice");
    let mut stdin = child.stdin.take().expect("is piped");
    // A process that reads no text may have ended before it came.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it was started");
    assert!(output.status.success(), "{arguments:?} ended with {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let figures: Vec<f64> = text.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
    let [ms, peak, kept] = figures[..] else { panic!("{arguments:?} printed {text:?}") };
    Cost { ms, peak, kept }
}

fn print(cost: &Cost) {
    println!("{} {} {}", cost.ms, cost.peak, cost.kept);
}

fn measured<T>(work: impl FnOnce() -> T) -> Cost {
    // From here on the system counts the peak anew; where it does not, the peak is that of the whole process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = status_mib("VmRSS:");
    let start = ProcessTime::now();
    let result = work();
    let ms = 1e3 * start.elapsed().as_secs_f64();
    let (peak, kept) = (status_mib("VmHWM:") - before, status_mib("VmRSS:") - before);
    drop(result);
    Cost { ms, peak, kept }
}

/// A figure about the memory of this process, where the system tells.
fn status_mib(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.map_or(f64::NAN, |kib| kib / 1024.0)
}
