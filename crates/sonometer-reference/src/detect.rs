//! Section 1, classes: occurrences as ranges of folded characters.

use sonometer::class::{self, Class, ClassSet, Occurrence, Vocabulary};
use std::ops::Range;

/// The occurrences of a class.
pub(crate) fn occurrences(text: &[char], class: Class, english: bool) -> Vec<Range<usize>> {
    let vocabulary = if english { Vocabulary::English } else { Vocabulary::None };
    in_chars(text, |text, out| class::find(text, ClassSet::of(&[class]), vocabulary, out))
}

/// The right shapes with wrong check digits.
pub(crate) fn near_misses(text: &[char], class: Class) -> Vec<Range<usize>> {
    in_chars(text, |text, out| class::find_near(text, ClassSet::of(&[class]), out))
}

fn in_chars(text: &[char], find: impl Fn(&str, &mut Vec<Occurrence>)) -> Vec<Range<usize>> {
    let string: String = text.iter().collect();
    let chars_before = |byte: u32| string[..byte as usize].chars().count();
    let mut out = Vec::new();
    find(&string, &mut out);
    out.iter().map(|o| chars_before(o.start)..chars_before(o.end)).collect()
}
