//! One by one and by the batch, on one and on two threads: `cargo bench -p sonometer-bench --bench batch`.
//!
//! Threads share the machine with everything else on it, so the clock on the wall is what counts here. Before anything is
//! measured, the bytes of each way are compared with those of one by one.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sonometer::{Error, Instrument, Interaction, Reading, View};
use sonometer_bench::corpus::Corpus;
use sonometer_bench::patterns::{self, Grams};
use sonometer_bench::workload;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

fn batch(criterion: &mut Criterion) {
    let corpus = Corpus::load(1 << 20);
    let instrument = Instrument::from(workload::sensor(&Grams::of(&corpus).phrases(&patterns::A)));
    let interactions = &corpus.interactions;
    let expected: Vec<String> = interactions.iter().map(|i| json(&instrument.sense(i))).collect();
    let mut group = criterion.benchmark_group("batch");
    group.throughput(Throughput::Bytes(corpus.bytes() as u64)).sample_size(20);
    group.bench_function("one by one", |bench| {
        bench.iter(|| interactions.iter().map(|i| json(&instrument.sense(i)).len()).sum::<usize>());
    });
    for count in [1, 2] {
        let threads = NonZeroUsize::new(count).expect("is not 0");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads start");
        let slice = || pool.install(|| instrument.batch(interactions));
        assert!(slice().iter().map(json).eq(expected.iter().cloned()), "the slice differs");
        group.bench_function(format!("slice, threads: {count}"), |bench| {
            bench.iter(|| slice().iter().map(|reading| json(reading).len()).sum::<usize>());
        });
        let mut found = Vec::new();
        stream(&instrument, threads, interactions, |reading| found.push(json(&reading)));
        assert!(found == expected, "the stream differs");
        group.bench_function(format!("stream, threads: {count}"), |bench| {
            bench.iter(|| {
                let mut bytes = 0;
                stream(&instrument, threads, interactions, |reading| bytes += json(&reading).len());
                bytes
            });
        });
    }
}

fn stream(
    instrument: &Instrument,
    threads: NonZeroUsize,
    interactions: &[Interaction],
    mut each: impl FnMut(Result<Reading, Error>),
) {
    let _ = instrument.batch_each::<_, ()>(
        threads,
        interactions.iter(),
        |i| Ok(i.clone()),
        |reading| {
            each(reading);
            ControlFlow::Continue(())
        },
    );
}

fn json(reading: &Result<Reading, Error>) -> String {
    reading.as_ref().expect("the sets read texts and transcripts").to_json(View::default())
}

criterion_group!(benches, batch);
criterion_main!(benches);
