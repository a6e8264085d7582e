//! What a protocol wants unfolded before its text is read a second time.

use crate::language::Language;
use crate::protocol::phrase::{Pattern, WordKind};
use crate::protocol::{Protocol, Unfold};
use crate::text::unfold::Unfolding;
use crate::text::vocabulary;

/// `None` if the protocol wants nothing undone.
pub(super) fn unfolding(protocol: &Protocol, language: Option<&'static Language>) -> Option<Unfolding> {
    if protocol.unfold.is_empty() {
        return None;
    }
    let mut words = vocabulary::Builder::default();
    // Of the ways to shorten `sooo`, one that gives a word of a pattern is taken, so the words must be known.
    if protocol.unfold.contains(&Unfold::Repeats) {
        for line in protocol.markers.iter().flat_map(|marker| marker.all_lines()) {
            collect_words(&line.pattern(), &mut words);
        }
    }
    Some(Unfolding::new(protocol.unfold.clone(), language, words.build()))
}

/// Adds the words that a pattern names exactly.
fn collect_words(pattern: &Pattern, words: &mut vocabulary::Builder) {
    match pattern {
        Pattern::Word(test) if test.kind == WordKind::Equal => words.add(&test.folded),
        Pattern::Exact(exact) => words.add(&exact.folded),
        Pattern::Phrases(phrases) => {
            phrases.iter().flat_map(|phrase| phrase.split(' ')).for_each(|word| words.add(word));
        }
        Pattern::Sequence(items) | Pattern::Either(items) => {
            items.iter().for_each(|item| collect_words(item, words));
        }
        Pattern::Optional(inner) | Pattern::Capture(inner) => collect_words(inner, words),
        Pattern::Near { left, right, .. } => {
            collect_words(left, words);
            collect_words(right, words);
        }
        _ => {}
    }
}
