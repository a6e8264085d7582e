//! A metric of four protocols beside the four sensed one by one: `cargo bench -p sonometer-bench --bench composition`.
//!
//! Both ways must find the same before anything is timed. The text that they share is folded and cut once in the metric.

use cpu_time::ThreadTime;
use sonometer::{Catalog, Error, Instrument, Interaction, Metric, Protocol, Sensor};
use sonometer_bench::corpus::{self, Corpus};
use sonometer_bench::patterns::{self, Grams};
use std::time::Duration;

/// Runs of each way, in turn; the median counts.
const RUNS: usize = 9;

struct Sets(Vec<Protocol>);

impl Catalog for Sets {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        Ok(self.0.iter().filter(|protocol| protocol.id == id).cloned().collect())
    }

    fn metrics(&self, _: &str) -> Result<Vec<Metric>, Error> {
        Ok(Vec::new())
    }
}

fn main() -> Result<(), Error> {
    let corpus = Corpus::load(corpus::BYTES);
    let grams = Grams::of(&corpus);
    let mut sets = [patterns::A, patterns::B].map(|shape| grams.phrases(&shape)).to_vec();
    sets.push(grams.gap_rules());
    let mut protocols = Vec::new();
    for set in &sets {
        protocols.push(Protocol::read(&set.protocol())?.0);
    }
    // The first once more: small protocols gain most from sharing.
    protocols.push(Protocol { id: "again".into(), ..protocols[0].clone() });
    let names: Vec<String> =
        protocols.iter().map(|protocol| format!(r#"{{"protocol": "{}"}}"#, protocol.id)).collect();
    let metric = format!(
        r#"{{"sonometer_metric": 1, "id": "bench", "version": "1.0", "components": [{}]}}"#,
        names.join(",")
    );
    let sensors: Vec<Sensor> = protocols.iter().cloned().map(Sensor::new).collect::<Result<_, _>>()?;
    let composition = Instrument::metric(&Metric::read(&metric)?.0, &Sets(protocols))?;

    let one_by_one = |talk: &Interaction| {
        sensors.iter().map(|sensor| sensor.sense(talk).map_or(0, |r| r.ics().consumed)).sum::<u64>()
    };
    let together = |talk: &Interaction| composition.sense(talk).map_or(0, |reading| reading.ics().consumed);
    for talk in &corpus.interactions {
        assert_eq!(one_by_one(talk), together(talk), "both ways find the same");
    }
    let time = |work: &dyn Fn(&Interaction) -> u64| {
        let start = ThreadTime::now();
        std::hint::black_box(corpus.interactions.iter().map(work).sum::<u64>());
        start.elapsed()
    };
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        times[0].push(time(&one_by_one));
        times[1].push(time(&together));
    }
    let [alone, shared] = times.map(median);
    let percent = 100 * shared.as_micros() / alone.as_micros().max(1);
    println!("{} bytes of {}, four protocols", corpus.bytes(), corpus.source);
    println!("one by one {} ms, together {} ms: {percent} %", alone.as_millis(), shared.as_millis());
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
