//! What a protocol wants unfolded before its text is read a second time.

use crate::language::Language;
use crate::protocol::phrase::{Pattern, WordKind};
use crate::protocol::{Protocol, Unfold};
use crate::text::unfold::Unfolding;
use crate::text::vocabulary::{Builder, WordSet};

/// `None` if the protocol wants nothing undone. The words that its patterns name become words of `vocabulary`, as most are already.
pub(super) fn unfolding(
    protocol: &Protocol,
    language: Option<&'static Language>,
    vocabulary: &mut Builder,
) -> Option<Unfolding> {
    if protocol.unfold.is_empty() {
        return None;
    }
    let mut named = WordSet::default();
    // Of the ways to shorten `sooo`, one that gives a word of a pattern is taken, so the words must be known.
    if protocol.unfold.contains(&Unfold::Repeats) {
        for line in protocol.markers.iter().flat_map(|marker| marker.all_lines()) {
            collect_words(&line.pattern(), &mut |word| named.insert(vocabulary.number(word)));
        }
    }
    Some(Unfolding::new(protocol.unfold.clone(), language, named))
}

/// Passes on the words that a pattern names exactly.
fn collect_words(pattern: &Pattern, add: &mut impl FnMut(&str)) {
    match pattern {
        Pattern::Word(test) if test.kind == WordKind::Equal => add(&test.folded),
        Pattern::Exact(exact) => add(&exact.folded),
        Pattern::Phrases(phrases) => {
            phrases.iter().flat_map(|phrase| phrase.split(' ')).for_each(add);
        }
        Pattern::Sequence(items) | Pattern::Either(items) => {
            items.iter().for_each(|item| collect_words(item, add));
        }
        Pattern::Optional(inner) | Pattern::Capture(inner) => collect_words(inner, add),
        Pattern::Near { left, right, .. } => {
            collect_words(left, add);
            collect_words(right, add);
        }
        _ => {}
    }
}
