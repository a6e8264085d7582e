//! Look-alikes of Latin letters: `раypal` with Cyrillic `р` and `а`, `ꜱᴍᴀʟʟ ᴄᴀᴘꜱ`.

use super::change::Changes;
use crate::text::chars::{Class, class};

pub(super) fn changes(text: &str) -> Changes {
    let mut changes = Changes::default();
    if text.is_ascii() {
        return changes;
    }
    // The changes before the run that is being read, and whether all of the run so far can be Latin.
    let (mut settled, mut latin) = (0, true);
    for (at, c) in text.char_indices() {
        // A word with one letter that cannot be Latin is of another script: all its changes are taken back.
        if class(c) != Class::Word {
            if !latin {
                changes.truncate(settled);
            }
            (settled, latin) = (changes.len(), true);
        } else if !c.is_ascii() {
            match look_alike(c) {
                Some(letter) => changes.push(at..at + c.len_utf8(), letter, 1),
                None => latin = false,
            }
        }
    }
    if !latin {
        changes.truncate(settled);
    }
    changes
}

fn look_alike(c: char) -> Option<u8> {
    let at = CONFUSABLES.binary_search_by_key(&c, |(look_alike, _)| *look_alike).ok()?;
    Some(CONFUSABLES[at].1)
}

/// Look-alikes of Latin letters, each with the letter in lower case, sorted: Latin letters with strokes, hooks and other
/// shapes, small capitals, Greek, Cyrillic and Armenian letters.
///
/// They are characters as folded text has them, so accents, full width, mathematical letters and capitals are gone:
/// `в` stands here for `В` as well, which looks like `B`. Where the capital and the small letter look like different
/// Latin letters, the small one decides (`ν` is `v`, although `Ν` looks like `N`).
#[rustfmt::skip]
pub static CONFUSABLES: &[(char, u8)] = &[
    ('ĸ', b'k'), ('ŋ', b'n'), ('ƀ', b'b'), ('ƅ', b'b'), ('ƈ', b'c'), ('ƒ', b'f'),
    ('ƙ', b'k'), ('ƚ', b'l'), ('ƞ', b'n'), ('ƥ', b'p'), ('ƭ', b't'), ('ƴ', b'y'), ('ƶ', b'z'),
    ('ƽ', b's'), ('ǀ', b'l'), ('ǥ', b'g'), ('ȥ', b'z'), ('ȼ', b'c'), ('ɇ', b'e'), ('ɉ', b'j'),
    ('ɋ', b'q'), ('ɍ', b'r'), ('ɏ', b'y'), ('ɑ', b'a'), ('ɓ', b'b'), ('ɖ', b'd'), ('ɗ', b'd'),
    ('ɠ', b'g'), ('ɡ', b'g'), ('ɢ', b'g'), ('ɣ', b'y'), ('ɦ', b'h'), ('ɨ', b'i'), ('ɩ', b'i'),
    ('ɪ', b'i'), ('ɫ', b'l'), ('ɭ', b'l'), ('ɯ', b'w'), ('ɱ', b'm'), ('ɲ', b'n'), ('ɳ', b'n'),
    ('ɴ', b'n'), ('ɵ', b'o'), ('ɽ', b'r'), ('ɾ', b'r'), ('ʀ', b'r'), ('ʂ', b's'), ('ʈ', b't'),
    ('ʉ', b'u'), ('ʋ', b'u'), ('ʏ', b'y'), ('ʐ', b'z'), ('ʙ', b'b'), ('ʜ', b'h'), ('ʝ', b'j'),
    ('ʟ', b'l'), ('ʠ', b'q'), ('α', b'a'), ('β', b'b'), ('γ', b'y'), ('ε', b'e'), ('ζ', b'z'),
    ('η', b'h'), ('ι', b'i'), ('κ', b'k'), ('μ', b'm'), ('ν', b'v'), ('ο', b'o'), ('ρ', b'p'),
    ('σ', b'o'), ('τ', b't'), ('υ', b'u'), ('χ', b'x'), ('ω', b'w'), ('ϳ', b'j'), ('а', b'a'),
    ('в', b'b'), ('г', b'r'), ('е', b'e'), ('к', b'k'), ('м', b'm'), ('н', b'h'), ('о', b'o'),
    ('р', b'p'), ('с', b'c'), ('т', b't'), ('у', b'y'), ('х', b'x'), ('ь', b'b'), ('є', b'e'),
    ('ѕ', b's'), ('і', b'i'), ('ј', b'j'), ('ѡ', b'w'), ('ѵ', b'v'), ('ү', b'y'), ('һ', b'h'),
    ('ҽ', b'e'), ('ӏ', b'l'), ('ԁ', b'd'), ('ԛ', b'q'), ('ԝ', b'w'), ('ա', b'w'), ('գ', b'q'),
    ('զ', b'q'), ('հ', b'h'), ('ո', b'n'), ('ռ', b'n'), ('ս', b'u'), ('ց', b'g'), ('ք', b'f'),
    ('օ', b'o'), ('ᴀ', b'a'), ('ᴄ', b'c'), ('ᴅ', b'd'), ('ᴇ', b'e'), ('ᴊ', b'j'), ('ᴋ', b'k'),
    ('ᴍ', b'm'), ('ᴏ', b'o'), ('ᴑ', b'o'), ('ᴘ', b'p'), ('ᴛ', b't'), ('ᴜ', b'u'), ('ᴠ', b'v'),
    ('ᴡ', b'w'), ('ᴢ', b'z'), ('ᶃ', b'g'), ('ꜰ', b'f'), ('ꜱ', b's'), ('ꞯ', b'q'),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold::Folded;

    fn unfolded(text: &str) -> String {
        changes(text).apply(text)
    }

    #[test]
    fn the_table_is_sorted_folded_and_of_words() {
        for pair in CONFUSABLES.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{pair:?}");
        }
        let never_seen =
            |c: &char| class(*c) != Class::Word || Folded::new(&c.to_string()).text() != c.to_string();
        let wrong: Vec<char> =
            CONFUSABLES.iter().map(|(c, _)| *c).filter(|c| c.is_ascii() || never_seen(c)).collect();
        assert_eq!(wrong, []);
        assert!(CONFUSABLES.iter().all(|(_, letter)| letter.is_ascii_lowercase()));
    }

    #[test]
    fn look_alikes_become_latin() {
        for (text, expected) in [
            ("раypal", "paypal"),
            ("ѕсаm оf аррӏе", "scam of apple"),
            ("ꜱᴍᴀʟʟ ᴄᴀᴘꜱ", "small caps"),
            ("hεllο wοrld", "hello world"),
            ("հօսѕе", "house"),
        ] {
            assert_eq!(unfolded(text), expected);
        }
    }

    #[test]
    fn words_with_other_letters_stay() {
        for text in ["привет", "paypал", "日本", "plain", "жаb"] {
            assert_eq!(unfolded(text), text);
        }
        // The run decides, not the text.
        assert_eq!(unfolded("жа аж ра-ж"), "жа аж pa-ж");
    }
}
