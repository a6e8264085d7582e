//! How the time a byte, or a chunk of a stream, takes grows with the length of a text.

use crate::corpus::{Corpus, for_instrument, size};
use crate::timing::median;
use cpu_time::ThreadTime;
use sonometer::{Instrument, Interaction, SessionOptions, Turn, Unit};
use std::hint::black_box;

/// Texts of 1 KB, of 1 MiB and of a large size, of the same talk.
#[derive(Clone, Debug)]
pub struct Lengths {
    texts: [Vec<Interaction>; 3],
}

impl Lengths {
    /// Texts of which the longest has about so many bytes.
    pub fn of(corpus: &Corpus, most: usize) -> Self {
        // Small texts are taken from all over the corpus, so that both read the same words.
        let small = corpus.messages(1024, usize::MAX).into_iter().step_by(2).take(1024).collect();
        Self { texts: [small, joined(corpus, 1 << 20), joined(corpus, most)] }
    }

    /// Nanoseconds a byte takes in texts of each length: the least CPU time of some rounds taken in turns.
    pub fn cost(&self, instrument: &Instrument, rounds: usize) -> [f64; 3] {
        let mut least = [f64::MAX; 3];
        let all = self.texts.each_ref().map(|texts| for_instrument(instrument, texts));
        for _ in 0..rounds {
            for (least, texts) in least.iter_mut().zip(&all) {
                *least = least.min(nanoseconds_a_byte(instrument, texts));
            }
        }
        least
    }
}

/// The largest cost of a long text over that of a short one; 1 is flat.
pub fn growth([short, middle, long]: [f64; 3]) -> f64 {
    middle.max(long) / short
}

/// One text of so many bytes: the corpus, repeated.
pub(crate) fn joined(corpus: &Corpus, bytes: usize) -> Vec<Interaction> {
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

/// Bytes of a long reply that is streamed, and of a short one.
const LONG: usize = 64 << 10;
const SHORT: usize = 1 << 10;

/// Replies that come in by chunks of 4 or 5 bytes, as tokens do: long ones, and short ones of as many bytes in all.
#[derive(Clone, Debug)]
pub struct Replies {
    long: Vec<Interaction>,
    short: Vec<Interaction>,
}

/// What streaming takes.
#[derive(Clone, Copy, Debug)]
pub struct Streamed {
    /// Nanoseconds a chunk of a long reply takes, with its share of beginning the session and of the reading at the end.
    pub chunk: f64,
    /// That over what a chunk of a short reply takes; 1 is flat.
    pub flat: f64,
    /// How much of the work on a long reply is the reading at the end, in percent.
    pub at_the_end: f64,
}

impl Replies {
    /// So many long replies.
    pub fn of(corpus: &Corpus, count: usize) -> Self {
        Self { long: corpus.messages(LONG, count), short: corpus.messages(SHORT, LONG / SHORT * count) }
    }

    /// The text of the long replies.
    pub fn long(&self) -> impl Iterator<Item = &str> {
        self.long.iter().map(|reply| &*reply.turns()[0].content)
    }

    /// Medians of some rounds in which long and short replies take turns.
    pub fn stream(&self, instrument: &Instrument, rounds: usize) -> Streamed {
        let [long, short] = [&self.long, &self.short].map(|replies| for_instrument(instrument, replies));
        let runs: Vec<[[f64; 2]; 2]> =
            (0..rounds).map(|_| [stream(instrument, &long), stream(instrument, &short)]).collect();
        let of = |figure: fn(&[[f64; 2]; 2]) -> f64| median(runs.iter().map(figure).collect());
        Streamed {
            chunk: of(|[[chunk, _], _]| *chunk),
            flat: of(|[[long, _], [short, _]]| long / short),
            at_the_end: of(|[[_, end], _]| *end),
        }
    }
}

/// Nanoseconds a chunk, and the percentage of it that is the reading at the end.
fn stream(instrument: &Instrument, replies: &[Interaction]) -> [f64; 2] {
    let (mut count, mut size, mut at_the_end) = (0_u32, 4, 0.0);
    let start = ThreadTime::now();
    for reply in replies {
        let mut session = instrument.session(SessionOptions::default());
        for turn in reply.turns() {
            if let Some(role) = &turn.role {
                session.begin_segment(role, None).expect("reads transcripts");
            }
            let mut rest = turn.content.as_bytes();
            while !rest.is_empty() {
                let (chunk, later) = rest.split_at(size.min(rest.len()));
                black_box(session.push(chunk).expect("is text"));
                (rest, size, count) = (later, 9 - size, count + 1);
            }
        }
        let end = ThreadTime::now();
        black_box(session.finish().expect("is whole").evidence().count());
        at_the_end += end.elapsed().as_nanos() as f64;
    }
    let all = start.elapsed().as_nanos() as f64;
    [all / f64::from(count.max(1)), 100.0 * at_the_end / all]
}

/// Microseconds of CPU that a turn of a conversation takes in a session, by the number of turns: with its share of beginning the session, the
/// reading at the end is left out. Every turn has words that many protocols find, and a time.
pub fn a_turn(instrument: &Instrument, turns: usize) -> f64 {
    let mut session = instrument.session(SessionOptions::default());
    let start = ThreadTime::now();
    for number in 0..turns {
        let turn = Turn {
            role: Some(if number % 2 == 0 { "customer" } else { "agent" }.into()),
            content: format!("Thank you, that is fine number {number}.").into(),
            timestamp: Some(Unit(number as i64 * 5_000_000)),
        };
        black_box(session.push_segment(turn).expect("reads transcripts"));
    }
    start.elapsed().as_nanos() as f64 / 1_000.0 / turns as f64
}
