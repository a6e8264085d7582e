//! Text that goes on: which occurrences hang on what nobody has read yet.

use super::text::Text;
use super::{
    ADDRESSES, Addresses, ClassSet, Vocabulary, gives_way_to, heads, may_begin, payment, with_words,
};
use crate::class::Class;
use std::cell::Cell;

/// The first place from byte `from` on where it is not certain what begins there, because a scanner looks behind the end of
/// the folded `text`: an occurrence may begin there, end somewhere else or be none, depending on what follows. Everything before it stays as it
/// is, however the text goes on. `near` are the classes whose near misses matter too ([`super::find_near`]).
///
/// This asks the scanners themselves, so no list of lead-ins and abbreviations can fall behind them. Not asked are those that find nothing
/// at a place, whatever follows: the first four bytes of a word rule them out, or it stands in a run without white space that is complete
/// and has no sign of an address.
pub(crate) fn first_open(
    text: &str,
    from: usize,
    wanted: ClassSet,
    near: ClassSet,
    vocabulary: Vocabulary,
) -> Option<usize> {
    let read = wanted.iter().fold(wanted.union(near), |read, class| read.union(gives_way_to(class)));
    let beyond = Cell::new(false);
    let view = Text::open(text, vocabulary, &beyond);
    let more = !matches!(vocabulary, Vocabulary::None | Vocabulary::English);
    let mut resume = [from; Class::ALL.len()];
    let mut before = from.checked_sub(1).map_or(0, |before| view.at(before));
    // What follows may belong to the last run without white space, and the sign of an address may be in it.
    let last_run = view.bytes().iter().rposition(|byte| *byte <= b' ').map_or(0, |white| white + 1);
    let mut addresses = Addresses::new(view.bytes(), from);
    for (at, &byte) in view.bytes().iter().enumerate().skip(from) {
        let inside = before.is_ascii_alphanumeric() && byte.is_ascii_alphanumeric();
        before = byte;
        if inside {
            continue;
        }
        let mut here = may_begin(byte).intersection(read);
        if byte.is_ascii_alphabetic() && !here.is_empty() {
            here = heads::narrowed(here, view.bytes(), at);
        }
        if more {
            here = here.union(with_words(byte).intersection(read));
        }
        if at < last_run && !here.intersection(ADDRESSES).is_empty() && !addresses.may_begin(at) {
            here = here.without(ADDRESSES);
        }
        if here.is_empty() || !view.edge(at) {
            continue;
        }
        for class in here.iter() {
            if at < resume[class as usize] {
                continue;
            }
            beyond.set(false);
            let end = class.longest_at(&view, at);
            if near.contains(class) && end.is_none() {
                match class {
                    Class::Pan => payment::pan_near(&view, at),
                    _ => payment::iban_near(&view, at),
                };
            }
            if beyond.get() {
                return Some(at);
            }
            if let Some(end) = end {
                resume[class as usize] = end;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::{Occurrence, find, find_near};
    use proptest::prelude::*;

    fn open(text: &str) -> Option<usize> {
        first_open(text, 0, ClassSet::ALL, ClassSet::NONE, Vocabulary::English)
    }

    #[test]
    fn what_could_go_on_is_open() {
        for (text, at) in [
            ("paid. $ ", Some(6)),
            ("born in Jan. ", Some(8)),
            ("see you soon. ", None),
            ("call ext. ", None),
            ("555-010-2030 ext. ", Some(0)),
            ("it is 5. ", None),
            ("it is 5 ", Some(6)),
            ("mail bob@example.org, ", None),
            ("mail bob@exam", Some(5)),
        ] {
            assert_eq!(open(text), at, "{text:?}");
        }
    }

    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            " ", " ", ". ", ".", ",", "-", "/", ":", "@", "$", "€", "%", "5", "12", "2021", "4111", "May",
            "Jan", "five", "hundred", "and", "US", "EUR", "ext", "x", "bob", "com", "www", "http://", "(",
            ")", "+", "_", "'", "é",
        ]);
        prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// Where a long turn can be parted is asked only from the last of them on.
        #[test]
        fn nothing_goes_on_over_a_question(
            known in pieces(),
            sign in prop::sample::select(vec!["? ", "! "]),
            more in pieces(),
            words in prop::sample::select(vec![
                Vocabulary::None, Vocabulary::English, Vocabulary::German, Vocabulary::Spanish, Vocabulary::Chinese,
            ]),
        ) {
            let text = format!("{known}{sign}");
            let found = |text: &str, end: usize| -> (Vec<Occurrence>, Vec<Occurrence>) {
                let (mut all, mut near) = (Vec::new(), Vec::new());
                find(text, ClassSet::ALL, words, &mut all);
                find_near(text, ClassSet::ALL, &mut near);
                let before = |o: &Occurrence| (o.start as usize) < end;
                (all.into_iter().filter(before).collect(), near.into_iter().filter(before).collect())
            };
            prop_assert_eq!(found(&text, text.len()), found(&format!("{text}{more}"), text.len()), "{:?}", text);
        }

        #[test]
        fn what_is_not_open_stays(known in pieces(), more in pieces()) {
            let end = open(&known).unwrap_or(known.len());
            let found = |text: &str| -> Vec<Occurrence> {
                let mut all = Vec::new();
                find(text, ClassSet::ALL, Vocabulary::English, &mut all);
                // What gives way hangs on what covers it, which can begin later only if it begins before `end` too.
                all.into_iter().filter(|o| (o.start as usize) < end).collect()
            };
            prop_assert_eq!(found(&known), found(&format!("{known}{more}")));
        }
    }
}
