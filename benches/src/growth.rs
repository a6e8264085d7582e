//! How the time a byte takes grows with the length of a text.

use crate::corpus::{Corpus, size};
use cpu_time::ThreadTime;
use sonometer::{Instrument, Interaction};
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
        for _ in 0..rounds {
            for (least, texts) in least.iter_mut().zip(&self.texts) {
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
fn joined(corpus: &Corpus, bytes: usize) -> Vec<Interaction> {
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
