//! The parts of the table of speed, each a few rows about one thing.

pub mod parity;
pub mod phrases;
pub mod processes;
pub mod rules;
pub mod shipped;

use crate::corpus::Corpus;
use crate::patterns::Grams;
use crate::peers::{Peer, Span};
use crate::plot::Group;
use crate::row::Table;
use crate::timing::Side;
use sonometer::{Instrument, Interaction, Sensor};
use std::cell::RefCell;
use std::hint::black_box;

/// Bytes in a MiB.
pub const MIB: f64 = (1 << 20) as f64;

/// What all parts measure on, and where they put what they measured.
pub struct Bench {
    /// 4 MB of text, which the sets are drawn from and memory and growth are measured on.
    pub corpus: Corpus,
    /// Its first part: what every engine reads.
    pub sample: Corpus,
    /// The sequences of words in the corpus.
    pub grams: Grams,
    /// Also what takes minutes.
    pub full: bool,
    /// How often each side runs.
    pub rounds: usize,
    /// The table of speed.
    pub table: Table,
    /// Who found the same.
    pub parity: Vec<parity::Parity>,
    /// The bars of the plot.
    pub groups: Vec<Group>,
}

impl Bench {
    /// On 4 MB of text.
    pub fn new(corpus: Corpus, full: bool) -> Self {
        let mut bytes = 0;
        let part = corpus.interactions.iter().take_while(|interaction| {
            bytes += crate::corpus::size(interaction);
            bytes <= 1 << 20
        });
        let sample = Corpus { source: corpus.source, interactions: part.cloned().collect() };
        let grams = Grams::of(&corpus);
        let rounds = if full { 41 } else { 25 };
        let (table, parity, groups) = (Table::default(), Vec::new(), Vec::new());
        Self { corpus, sample, grams, full, rounds, table, parity, groups }
    }
}

/// Reads interactions: every piece of evidence, and no JSON.
pub fn reads<'s>(sensor: &'s Sensor, interactions: &'s [Interaction]) -> Side<'s> {
    let read = |i| sensor.sense(i).expect("the sets read texts and transcripts").evidence().count();
    Box::new(move || interactions.iter().map(read).sum())
}

/// The same for what ships.
pub fn reads_shipped<'s>(instrument: &'s Instrument, interactions: &'s [Interaction]) -> Side<'s> {
    let read = |i| instrument.sense(i).expect("what ships reads texts").evidence().count();
    Box::new(move || interactions.iter().map(read).sum())
}

/// Has a peer find everything in every turn.
pub fn finds<'s>(peer: &'s RefCell<Box<dyn Peer>>, interactions: &'s [Interaction]) -> Side<'s> {
    let mut spans: Vec<Span> = Vec::new();
    Box::new(move || {
        let mut peer = peer.borrow_mut();
        let mut found = 0;
        for turn in interactions.iter().flat_map(|interaction| interaction.turns()) {
            spans.clear();
            peer.find(&turn.content, &mut spans);
            found += black_box(&spans).len();
        }
        found
    })
}
