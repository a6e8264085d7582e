//! The engine and the reference, timed by criterion: `cargo bench -p sonometer-bench --bench engine`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sonometer_bench::baseline::Baseline;
use sonometer_bench::corpus::{self, Corpus};
use sonometer_bench::patterns::{self, Grams, PatternSet};
use sonometer_bench::workload::{compile, sense, sensor};
use std::hint::black_box;
use std::time::Duration;

fn all(criterion: &mut Criterion) {
    let corpus = Corpus::load(corpus::BYTES);
    println!("text: {}, {} bytes", corpus.source, corpus.bytes());
    let grams = Grams::of(&corpus);
    let phrases = [patterns::A, patterns::B, patterns::C].map(|shape| grams.phrases(&shape));
    throughput(criterion, &corpus, &phrases, &grams.gap_rules());
    messages(criterion, &corpus, &phrases[0]);
    compiling(criterion, &phrases);
}

fn throughput(criterion: &mut Criterion, corpus: &Corpus, phrases: &[PatternSet], gap_rules: &PatternSet) {
    let mut group = criterion.benchmark_group("throughput");
    group.throughput(Throughput::Bytes(corpus.bytes() as u64));
    for set in phrases.iter().chain([gap_rules]) {
        let sensor = sensor(set);
        group.bench_function(BenchmarkId::new(set.name, "sonometer"), |bencher| {
            bencher.iter(|| corpus.interactions.iter().map(|i| sense(&sensor, i)).sum::<usize>());
        });
    }
    for set in phrases {
        let baseline = Baseline::new(set);
        let mut spans = Vec::new();
        group.bench_function(BenchmarkId::new(set.name, "aho_corasick"), |bencher| {
            bencher.iter(|| {
                spans.clear();
                corpus.turns().for_each(|turn| baseline.find(turn, &mut spans));
                black_box(&spans).len()
            });
        });
    }
    group.finish();
}

fn messages(criterion: &mut Criterion, corpus: &Corpus, set: &PatternSet) {
    let sensor = sensor(set);
    for (name, bytes) in [("message_1kb", 1024), ("short_messages", 80)] {
        let messages = corpus.messages(bytes, 256);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(messages.len() as u64));
        group.bench_function(set.name, |bencher| {
            bencher.iter(|| messages.iter().map(|message| sense(&sensor, message)).sum::<usize>());
        });
        group.finish();
    }
}

fn compiling(criterion: &mut Criterion, sets: &[PatternSet]) {
    let mut group = criterion.benchmark_group("compile");
    for set in sets {
        let protocol = set.protocol();
        group.throughput(Throughput::Elements(set.lines.len() as u64));
        group.bench_function(set.name, |bencher| bencher.iter(|| compile(&protocol)));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = all
}
criterion_main!(benches);
