//! What characters are made of, and what they make together, as Unicode has it (Unicode Standard Annex #15).
//!
//! The tables are our own form of those of `unicode-normalization`, which looks characters up by hashing: its tables are three times as large,
//! and more so once they are compressed.

use super::compose_table::{
    CLASS_COUNTS, CLASS_FIRSTS, CLASSES, PAGES, REPLACED_FIRSTS, REPLACED_SECONDS, REPLACEDS, SHIFT,
    SPECIALS, WHOLE_FIRSTS, WHOLE_SECONDS, WHOLES,
};
use std::sync::LazyLock;

// Syllables of Hangul are in the order of their letters: first letter, vowel, and none or one of the last letters.
const SYLLABLE: u32 = 0xAC00;
const SYLLABLES: u32 = FIRSTS * PER_FIRST;
const FIRST: u32 = 0x1100;
const FIRSTS: u32 = 19;
const VOWEL: u32 = 0x1161;
const VOWELS: u32 = 21;
/// One before the first of the last letters.
const NO_LAST: u32 = 0x11A7;
/// With none.
const LASTS: u32 = 28;
const PER_FIRST: u32 = VOWELS * LASTS;

/// Whether a character is not its own composed form wherever it stands: a mark, or one that Unicode writes as others.
pub(super) fn is_special(c: char) -> bool {
    let code = u32::from(c);
    let page = PAGES.get((code >> SHIFT) as usize).map_or(0, |place| SPECIALS[usize::from(*place)]);
    page >> (code % (1 << SHIFT)) & 1 == 1
}

/// The canonical combining class of a character, by which marks are sorted; 0 for those that stay where they are.
pub(super) fn canonical_combining_class(c: char) -> u8 {
    // A stretch begins at the character or before it, or there is none.
    let Some(stretch) = CLASS_FIRSTS.partition_point(|first| *first <= c).checked_sub(1) else { return 0 };
    let is_in_it = u32::from(c) - u32::from(CLASS_FIRSTS[stretch]) < u32::from(CLASS_COUNTS[stretch]);
    if is_in_it { CLASSES[stretch] } else { 0 }
}

/// Takes a character apart, into what is not made of others. One that is whole is its own part.
pub(super) fn take_apart(c: char, push: &mut impl FnMut(char)) {
    let syllable = u32::from(c).wrapping_sub(SYLLABLE);
    if syllable < SYLLABLES {
        let letters =
            [FIRST + syllable / PER_FIRST, VOWEL + syllable % PER_FIRST / LASTS, NO_LAST + syllable % LASTS];
        letters.into_iter().filter(|letter| *letter != NO_LAST).filter_map(char::from_u32).for_each(push);
    } else if let Ok(at) = WHOLES.binary_search(&c) {
        take_apart(WHOLE_FIRSTS[at], push);
        push(WHOLE_SECONDS[at]);
    } else if let Ok(at) = REPLACEDS.binary_search(&c) {
        take_apart(REPLACED_FIRSTS[at], push);
        if REPLACED_SECONDS[at] != '\0' {
            push(REPLACED_SECONDS[at]);
        }
    } else {
        push(c);
    }
}

/// The one character that Unicode has for two.
pub(super) fn put_together(first: char, second: char) -> Option<char> {
    /// The places in `WHOLES`, ordered by the parts. Sorted when first needed: few texts need it, and every program would carry it.
    static BY_PARTS: LazyLock<Vec<u16>> = LazyLock::new(|| {
        let mut places: Vec<u16> = (0..WHOLES.len() as u16).collect();
        places.sort_unstable_by_key(|place| parts(*place));
        places
    });
    fn parts(place: u16) -> (char, char) {
        (WHOLE_FIRSTS[usize::from(place)], WHOLE_SECONDS[usize::from(place)])
    }

    let (a, b) = (u32::from(first), u32::from(second));
    let (letter, vowel) = (a.wrapping_sub(FIRST), b.wrapping_sub(VOWEL));
    if letter < FIRSTS && vowel < VOWELS {
        return char::from_u32(SYLLABLE + (letter * VOWELS + vowel) * LASTS);
    }
    let (syllable, last) = (a.wrapping_sub(SYLLABLE), b.wrapping_sub(NO_LAST));
    if syllable < SYLLABLES && syllable % LASTS == 0 && (1..LASTS).contains(&last) {
        return char::from_u32(a + last);
    }
    let found = BY_PARTS.binary_search_by_key(&(first, second), |place| parts(*place)).ok()?;
    Some(WHOLES[usize::from(BY_PARTS[found])])
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::char::{compose, decompose_canonical};
    use unicode_normalization::{IsNormalized, is_nfc_quick};

    /// The oracle is the crate that the tables are made with.
    #[test]
    fn every_character_is_as_in_unicode() {
        for c in '\0'..=char::MAX {
            let is_composed = is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes;
            let class = unicode_normalization::char::canonical_combining_class(c);
            assert_eq!(is_special(c), !is_composed || class != 0, "{c:?}");
            assert_eq!(canonical_combining_class(c), class, "{c:?}");
            let (mut parts, mut expected) = (Vec::new(), Vec::new());
            take_apart(c, &mut |part| parts.push(part));
            decompose_canonical(c, |part| expected.push(part));
            assert_eq!(parts, expected, "{c:?}");
        }
    }

    /// Every character before every one that is special, or a part of another.
    #[test]
    fn pairs_make_what_they_make_in_unicode() {
        let mut seconds: Vec<char> = ('\0'..=char::MAX).filter(|c| is_special(*c)).collect();
        seconds.extend(WHOLE_SECONDS);
        seconds.sort_unstable();
        seconds.dedup();
        let mut firsts: Vec<char> = WHOLE_FIRSTS.into_iter().chain(WHOLES).collect();
        firsts.extend([
            'a',
            '\u{10ff}',
            '\u{1100}',
            '\u{1112}',
            '\u{1113}',
            '가',
            '각',
            '힣',
            '\u{d788}',
            '\0',
            char::MAX,
        ]);
        for (first, second) in
            firsts.iter().flat_map(|first| seconds.iter().map(move |second| (*first, *second)))
        {
            assert_eq!(put_together(first, second), compose(first, second), "{first:?} {second:?}");
        }
    }
}
