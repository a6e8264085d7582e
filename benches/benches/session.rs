//! A reply of 8 KB that comes in chunks of 4 and 5 bytes, as tokens do: `cargo bench -p sonometer-bench --bench session`.
//!
//! For every set it prints what a chunk costs in the 1st, 2nd, 4th and 8th KB (the mean over the KB: the work is done where
//! sentences end), what the session holds beside the text and the evidence, what sensing the whole at once costs a chunk,
//! and what it costs to sense everything so far again at each chunk. Before anything is timed, the reading at the end is
//! compared with that of the whole.

use cpu_time::ThreadTime;
use sonometer::{Interaction, Sensor, Session, SessionOptions, View};
use sonometer_bench::corpus::Corpus;
use sonometer_bench::patterns::{self, Grams};
use sonometer_bench::workload;

/// Bytes of the reply.
const BYTES: usize = 8 << 10;
/// Replies that are streamed, and how often each set is run; the median run counts.
const REPLIES: usize = 40;
const RUNS: usize = 9;

fn main() {
    let corpus = Corpus::load(REPLIES * BYTES * 2);
    let grams = Grams::of(&corpus);
    let replies = replies(&corpus);
    let shipped =
        |id: &str| workload::compile(sonometer_catalog::find(id, None).expect("the protocol ships").source);
    let sets = [
        ("a: 300 phrases", workload::sensor(&grams.phrases(&patterns::A))),
        ("b: 3,000 phrases", workload::sensor(&grams.phrases(&patterns::B))),
        ("d: 200 gap rules", workload::sensor(&grams.gap_rules())),
        ("personal-data", shipped("personal-data")),
        ("courtesy", shipped("courtesy")),
    ];
    println!(
        "ns for a chunk of 4 or 5 bytes, CPU time of one thread, {} replies of {BYTES} bytes",
        replies.len()
    );
    println!(
        "| set | 1st KB | 2nd KB | 4th KB | 8th KB | at once | again at each chunk, 8th KB | state, bytes | settled at the end |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (name, sensor) in &sets {
        check(sensor, &replies);
        let mut runs: Vec<[f64; 8]> = (0..RUNS).map(|_| stream(sensor, &replies)).collect();
        let mut of_kilobyte = |at: usize| {
            runs.sort_by(|a, b| a[at].total_cmp(&b[at]));
            runs[RUNS / 2][at]
        };
        let kilobytes = [0, 1, 3, 7].map(&mut of_kilobyte).map(|ns| format!("{ns:.0}")).join(" | ");
        let (state, settled) = state(sensor, &replies);
        println!(
            "| {name} | {kilobytes} | {:.0} | {:.0} | {state} | {settled} % |",
            at_once(sensor, &replies),
            again(sensor, &replies[0])
        );
    }
}

/// Texts of exactly so many bytes out of the corpus.
fn replies(corpus: &Corpus) -> Vec<String> {
    let mut replies = Vec::new();
    let mut text = String::new();
    for turn in corpus.interactions.iter().flat_map(|talk| talk.turns()) {
        text.push_str(&turn.content);
        text.push('\n');
        if text.len() >= BYTES {
            let mut end = BYTES;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            replies.push(std::mem::take(&mut text));
        }
        if replies.len() == REPLIES {
            break;
        }
    }
    replies
}

/// Chunks of 4 and 5 bytes in turn.
fn chunks(text: &str) -> impl Iterator<Item = &[u8]> {
    let mut rest = text.as_bytes();
    let mut size = 4;
    std::iter::from_fn(move || {
        let (chunk, later) = rest.split_at(size.min(rest.len()));
        (rest, size) = (later, 9 - size);
        (!chunk.is_empty()).then_some(chunk)
    })
}

fn begin(sensor: &Sensor) -> Session {
    sensor.session(SessionOptions::default())
}

fn check(sensor: &Sensor, replies: &[String]) {
    for reply in replies {
        let mut session = begin(sensor);
        chunks(reply).for_each(|chunk| drop(session.push(chunk).expect("is text")));
        let whole = sensor.sense(&Interaction::text(reply).expect("is short")).expect("texts are read");
        let streamed = session.finish().expect("is whole");
        assert_eq!(streamed.to_json(View::default()), whole.to_json(View::default()));
    }
}

/// Nanoseconds a chunk, by KB.
fn stream(sensor: &Sensor, replies: &[String]) -> [f64; 8] {
    let mut sums = [0.0; 8];
    let mut counts = [0_u32; 8];
    for reply in replies {
        let mut session = begin(sensor);
        let mut chunks = chunks(reply).peekable();
        let mut taken = 0;
        for kilobyte in 0..8 {
            let start = ThreadTime::now();
            while taken < (kilobyte + 1) << 10
                && let Some(chunk) = chunks.next()
            {
                taken += chunk.len();
                counts[kilobyte] += 1;
                std::hint::black_box(session.push(chunk).expect("is text"));
            }
            sums[kilobyte] += start.elapsed().as_nanos() as f64;
        }
    }
    std::array::from_fn(|at| sums[at] / f64::from(counts[at].max(1)))
}

/// The largest state of a session in bytes, and the share of the text that had settled before the end.
fn state(sensor: &Sensor, replies: &[String]) -> (usize, usize) {
    let (mut most, mut settled) = (0, 0);
    for reply in replies {
        let mut session = begin(sensor);
        for chunk in chunks(reply) {
            session.push(chunk).expect("is text");
            most = most.max(session.working_bytes());
        }
        settled += session.settled_to().offset;
    }
    (most, 100 * settled / replies.iter().map(String::len).sum::<usize>())
}

/// Nanoseconds a chunk where the whole is sensed at once.
fn at_once(sensor: &Sensor, replies: &[String]) -> f64 {
    let count: usize = replies.iter().map(|reply| chunks(reply).count()).sum();
    let interactions: Vec<_> =
        replies.iter().map(|reply| Interaction::text(reply).expect("is short")).collect();
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = ThreadTime::now();
            for interaction in &interactions {
                std::hint::black_box(sensor.sense(interaction).expect("texts are read"));
            }
            start.elapsed().as_nanos() as f64 / count as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

/// Nanoseconds a chunk where everything so far is sensed again, in the last KB.
fn again(sensor: &Sensor, reply: &str) -> f64 {
    let (mut end, mut count) = (0, 0);
    let mut time = 0.0;
    for chunk in chunks(reply) {
        end += chunk.len();
        if end > BYTES - 1024 && reply.is_char_boundary(end) {
            let start = ThreadTime::now();
            let interaction = Interaction::text(&reply[..end]).expect("is short");
            std::hint::black_box(sensor.sense(&interaction).expect("texts are read"));
            time += start.elapsed().as_nanos() as f64;
            count += 1;
        }
    }
    time / f64::from(count.max(1))
}
