//! Where the tokens and sentences of turns stand, for relations that are counted in them.

use crate::matcher::TurnText;
use crate::sensor::Plan;
use crate::text::chars::{self, Class};
use crate::text::vocabulary::role;

/// The turns of an interaction as written.
#[derive(Clone, Debug, Default)]
pub(super) struct Layouts {
    turns: Vec<Layout>,
}

/// One turn.
#[derive(Clone, Debug, Default)]
struct Layout {
    /// Bytes of the original that each token stands for.
    tokens: Vec<(u32, u32)>,
    /// The first tokens of the second sentence and those after it.
    sentences: Vec<u32>,
    /// By token: the stem of a content word, empty for other tokens. No entries at all where no marker has an `echo`.
    words: Vec<Box<str>>,
}

/// A place in a turn: on which tokens, and in which sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    first: usize,
    /// One past the last token; at least one past the first.
    last: usize,
    first_sentence: usize,
    last_sentence: usize,
}

impl Layouts {
    /// Notes a turn, or the next piece of it.
    pub(super) fn add(&mut self, plan: &Plan, number: usize, turn: &TurnText<'_>) {
        if self.turns.len() <= number {
            self.turns.resize_with(number + 1, Layout::default);
        }
        let layout = &mut self.turns[number];
        // Pieces of a turn number their tokens from 0; here they go on.
        let before = layout.tokens.len() as u32;
        if before > 0 {
            // A later piece begins a sentence.
            layout.sentences.push(before);
        }
        layout.sentences.extend(turn.sentences.iter().map(|first| before + first));
        layout.tokens.extend(turn.tokens.iter().map(|token| {
            let range = turn.original_range(token.start as usize, token.end as usize);
            ((turn.base + range.start) as u32, (turn.base + range.end) as u32)
        }));
        if plan.relates.words {
            layout.words.extend(content_words(plan, turn));
        }
    }

    /// The spot of bytes of a turn's original text.
    pub(super) fn spot(&self, turn: u32, start: u32, end: u32) -> Spot {
        let layout = &self.turns[turn as usize];
        let first = layout.tokens.partition_point(|token| token.1 <= start);
        let last = layout.tokens.partition_point(|token| token.0 < end);
        // A place between tokens is in the sentence of the token before it: in a session that one is known, and the next may not
        // have come in yet.
        let (from, to) =
            if first < last { (first, last - 1) } else { (first.saturating_sub(1), first.saturating_sub(1)) };
        Spot {
            first,
            last: last.max(first + 1),
            first_sentence: layout.sentence_of(from),
            last_sentence: layout.sentence_of(to),
        }
    }

    /// How many tokens are known to stand behind a place.
    pub(super) fn tokens_behind(&self, turn: u32, start: u32, end: u32) -> usize {
        let tokens = self.turns.get(turn as usize).map_or(0, |layout| layout.tokens.len());
        if tokens == 0 { 0 } else { tokens.saturating_sub(self.spot(turn, start, end).last) }
    }

    /// How many sentences lie between the one in which a place ends and the one that comes next in the turn.
    pub(super) fn sentences_behind(&self, turn: u32, start: u32, end: u32) -> usize {
        let Some(layout) = self.turns.get(turn as usize).filter(|layout| !layout.tokens.is_empty()) else {
            return 0;
        };
        // The next piece begins a sentence.
        (layout.sentences.len() + 1).saturating_sub(self.spot(turn, start, end).last_sentence)
    }

    /// The content words of a sentence of a turn, each once, sorted.
    pub(super) fn words_of_sentence(&self, turn: u32, sentence: usize) -> Vec<&str> {
        let layout = &self.turns[turn as usize];
        let edge = |number: usize| match number.checked_sub(1) {
            None => 0,
            Some(at) => layout.sentences.get(at).map_or(layout.tokens.len(), |first| *first as usize),
        };
        distinct(layout.words.get(edge(sentence)..edge(sentence + 1)).unwrap_or_default())
    }

    /// The content words of a turn, each once, sorted.
    pub(super) fn words_of_turn(&self, turn: u32) -> Vec<&str> {
        distinct(&self.turns[turn as usize].words)
    }
}

impl Layout {
    /// The number of the sentence that a token stands in.
    fn sentence_of(&self, token: usize) -> usize {
        self.sentences.partition_point(|first| *first as usize <= token)
    }
}

impl Spot {
    /// How many tokens stand between this spot and one behind it.
    pub(super) fn words_before(&self, later: &Self) -> usize {
        later.first.saturating_sub(self.last)
    }

    /// How many sentence ends lie between this spot and one behind it.
    pub(super) fn sentences_before(&self, later: &Self) -> usize {
        later.first_sentence.saturating_sub(self.last_sentence)
    }

    /// The sentence it begins in.
    pub(super) fn sentence(&self) -> usize {
        self.first_sentence
    }
}

/// By token: what words are compared by for an `echo`; empty for words that are not content words (semantics, Strength).
fn content_words(plan: &Plan, turn: &TurnText<'_>) -> Vec<Box<str>> {
    let stem = plan.language.and_then(|language| language.stem);
    let mut buffer = String::new();
    let tokens = turn.tokens.iter().enumerate();
    tokens
        .map(|(at, token)| {
            let word = turn.word(at);
            // Asked before anything is copied: half of all words are function words.
            if token.is_symbol() || plan.vocabulary.roles(token.word()) & role::FUNCTION != 0 {
                return "".into();
            }
            let is_ideograph = word.chars().next().is_some_and(|c| chars::class(c) == Class::Ideograph);
            if !is_ideograph && word.chars().nth(2).is_none() {
                return "".into();
            }
            let word = word.to_ascii_lowercase();
            match stem {
                Some(stem) => {
                    stem(&word, &mut buffer);
                    buffer.as_str().into()
                }
                None => word.into(),
            }
        })
        .collect()
}

fn distinct(words: &[Box<str>]) -> Vec<&str> {
    let mut words: Vec<&str> = words.iter().map(|word| &**word).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    words
}
