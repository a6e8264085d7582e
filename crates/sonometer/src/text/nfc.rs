//! The form NFC of a short row of characters (Unicode Standard Annex #15).

use super::parts::{canonical_combining_class, put_together, take_apart};

/// A row in the form NFC: taken apart, its marks put in order, and put together.
pub(super) fn nfc(row: &str) -> String {
    let mut parts: Vec<(u8, char)> = Vec::new();
    for c in row.chars() {
        take_apart(c, &mut |part| parts.push((canonical_combining_class(part), part)));
    }
    // Marks are sorted between two characters of class 0. The sort is stable: marks of one class keep their order.
    for marks in parts.chunk_by_mut(|(a, _), (b, _)| (*a == 0) == (*b == 0)) {
        if marks[0].0 != 0 {
            marks.sort_by_key(|(class, _)| *class);
        }
    }
    let mut composed: Vec<char> = Vec::with_capacity(parts.len());
    // Where the last character of class 0 is, and the class of the character before this one.
    let mut base = None;
    let mut before = 0;
    for (class, c) in parts {
        if let Some(base) = base {
            // A character between them, of the same class or a higher one, keeps a mark from its base.
            let is_blocked = composed.len() > base + 1 && before >= class;
            if let Some(whole) = put_together(composed[base], c).filter(|_| !is_blocked) {
                composed[base] = whole;
                continue;
            }
        }
        if class == 0 {
            base = Some(composed.len());
        }
        before = class;
        composed.push(c);
    }
    composed.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    #[test]
    fn every_character_has_the_form_of_unicode() {
        for c in '\0'..=char::MAX {
            for row in [c.to_string(), format!("e{c}"), format!("{c}\u{323}\u{301}"), format!("\u{1100}{c}")]
            {
                assert_eq!(nfc(&row), row.nfc().collect::<String>(), "{row:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn every_row_has_the_form_of_unicode(
            row in "([aeoqKÅêか가क\u{1100}\u{1161}\u{11a8}\u{11ab}]|[\u{300}-\u{345}]|[\u{591}-\u{5c7}]|[\u{93c}\u{94d}\u{3099}\u{1d165}\u{344}]|.){0,12}"
        ) {
            prop_assert_eq!(nfc(&row), row.nfc().collect::<String>());
        }
    }
}
