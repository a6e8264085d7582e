//! Properties of single characters: class, case, fold.
//!
//! They come from a generated table and never from the standard library, whose tables change with the
//! compiler.

use super::fold_table::{BLOCK_SHIFT, BLOCKS, END, ENTRIES, GROUP_SHIFT, GROUPS, HIGH, POOL, RECORDS};

/// What a character is to the tokenizer.
///
/// A character that the fold turns into one other character has the class of that one (`É` and `²` are
/// words). One that the fold turns into several has a class of its own; only the classes of folded text
/// decide about tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A letter or digit of a script that separates words; in ASCII exactly `[A-Za-z0-9]`.
    Word,
    /// A letter of a script written without spaces: Han, kana, Bopomofo, Thai, Lao, Khmer, Myanmar, Tibetan.
    Ideograph,
    /// A combining mark: it continues the token before it.
    Mark,
    /// An emoji or other pictograph, or a spacing modifier symbol. Never ASCII.
    Symbol,
    /// Invisible by definition: zero-width characters, direction controls, variation selectors, tags.
    Ignorable,
    /// An emoji skin tone.
    Modifier,
    /// A space or tab. Line ends are separators.
    Space,
    /// Everything else: punctuation, controls, line ends, currency and mathematical signs, `_`, U+FFFD.
    Separator,
}

/// The class of `c`.
#[must_use]
pub fn class(c: char) -> Class {
    Record::of(c).class()
}

/// Whether `c` is a capital (or title-case) letter or an enclosed or numeral capital, in any script with
/// case.
#[must_use]
pub fn is_upper(c: char) -> bool {
    Record::of(c).0 & UPPER != 0
}

/// Whether `c` is a letter of any script: no digit, no mark.
#[must_use]
pub fn is_letter(c: char) -> bool {
    Record::of(c).0 & LETTER != 0
}

/// The fold of one character, out of context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharFold {
    /// The character itself.
    Same,
    /// Nothing.
    Dropped,
    /// One other character.
    Char(char),
    /// Two or more characters.
    Text(&'static str),
}

pub(super) fn char_fold(c: char) -> CharFold {
    Record::of(c).fold(c)
}

/// Whether the fold leaves `c` alone in any context: no mark to sort, no skin tone, no Hangul vowel or final to join.
pub(super) fn is_unchanged_anywhere(c: char) -> bool {
    let record = Record::of(c);
    record.kind() == KIND_SAME
        && record.payload() == 0
        && record.class() != Class::Modifier
        && !matches!(c, '\u{1161}'..='\u{11C2}')
}

/// The canonical combining class of a mark that the fold keeps: 0 for those whose order matters, and for all
/// other characters.
pub fn combining_class(c: char) -> u8 {
    let record = Record::of(c);
    if record.class() == Class::Mark && record.kind() == KIND_SAME { record.payload() as u8 } else { 0 }
}

/// Whether `c`, when dropped, belongs to the visible character before it: marks, skin tones, variation
/// selectors, the tags of a flag, and the grapheme joiner between marks. Zero-width spaces and direction
/// controls do not.
pub fn is_extender(c: char) -> bool {
    matches!(class(c), Class::Mark | Class::Modifier)
        || matches!(c, '\u{34F}' | '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}'
            | '\u{E0020}'..='\u{E007F}' | '\u{E0100}'..='\u{E01EF}')
}

/// An element of `RECORDS`, as the generator packs it (crates/xtask/src/tables/pack.rs): from the lowest bit 3 of the class, 1
/// for capitals, 1 for letters, 2 of the kind of fold, 1 free, and 24 of what the kind needs: the combining class, the signed
/// distance to the folded character, or a place in `POOL` (16 bits) and a length (8).
#[derive(Clone, Copy)]
struct Record(u32);

const UPPER: u32 = 1 << 3;
const LETTER: u32 = 1 << 4;
const KIND_SAME: u32 = 0;
const KIND_DROPPED: u32 = 1;
const KIND_SHIFTED: u32 = 2;

impl Record {
    fn of(c: char) -> Self {
        // Three levels, group, block and entry, so that the many equal blocks and groups are stored once.
        let code = u32::from(c);
        let entry = if code < END {
            let group = usize::from(GROUPS[(code >> GROUP_SHIFT) as usize]);
            let block_in_group = (code >> BLOCK_SHIFT) as usize & ((1 << (GROUP_SHIFT - BLOCK_SHIFT)) - 1);
            let block = usize::from(BLOCKS[(group << (GROUP_SHIFT - BLOCK_SHIFT)) | block_in_group]);
            ENTRIES[(block << BLOCK_SHIFT) | (code as usize & ((1 << BLOCK_SHIFT) - 1))]
        } else {
            // The last range ends at the last code point.
            HIGH[HIGH.partition_point(|&(last, _)| last < code)].1
        };
        Self(RECORDS[usize::from(entry)])
    }

    fn class(self) -> Class {
        match self.0 & 7 {
            0 => Class::Word,
            1 => Class::Ideograph,
            2 => Class::Mark,
            3 => Class::Symbol,
            4 => Class::Ignorable,
            5 => Class::Modifier,
            6 => Class::Space,
            _ => Class::Separator,
        }
    }

    fn kind(self) -> u32 {
        (self.0 >> 5) & 3
    }

    fn payload(self) -> u32 {
        self.0 >> 8
    }

    fn fold(self, c: char) -> CharFold {
        match self.kind() {
            KIND_SAME => CharFold::Same,
            KIND_DROPPED => CharFold::Dropped,
            KIND_SHIFTED => {
                // An arithmetic shift, for the sign of the 24 bits.
                let distance = self.0.cast_signed() >> 8;
                u32::from(c)
                    .checked_add_signed(distance)
                    .and_then(char::from_u32)
                    .map_or(CharFold::Same, CharFold::Char)
            }
            _ => {
                let start = (self.payload() >> 8) as usize;
                let len = (self.payload() & 0xFF) as usize;
                POOL.get(start..start + len).map_or(CharFold::Same, CharFold::Text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::char::canonical_combining_class;

    fn folded(c: char) -> String {
        match char_fold(c) {
            CharFold::Same => c.to_string(),
            CharFold::Dropped => String::new(),
            CharFold::Char(folded) => folded.to_string(),
            CharFold::Text(text) => text.to_owned(),
        }
    }

    #[test]
    fn ascii_is_its_own_fold_and_has_the_plain_classes() {
        for c in '\0'..='\x7F' {
            assert_eq!(char_fold(c), CharFold::Same, "{c:?}");
            assert_eq!(is_upper(c), c.is_ascii_uppercase(), "{c:?}");
            assert_eq!(is_letter(c), c.is_ascii_alphabetic(), "{c:?}");
            let expected = match c {
                ' ' | '\t' => Class::Space,
                _ if c.is_ascii_alphanumeric() => Class::Word,
                _ => Class::Separator,
            };
            assert_eq!(class(c), expected, "{c:?}");
        }
    }

    #[test]
    fn folding_a_fold_changes_nothing_for_every_character() {
        for c in '\0'..=char::MAX {
            let once = folded(c);
            assert_eq!(once.chars().map(folded).collect::<String>(), once, "{c:?} U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn a_fold_is_never_ignorable_and_keeps_the_class_of_a_single_character() {
        for c in '\0'..=char::MAX {
            match char_fold(c) {
                CharFold::Dropped => assert!(matches!(class(c), Class::Mark | Class::Ignorable), "{c:?}"),
                CharFold::Char(folded) => assert_eq!(class(c), class(folded), "{c:?}"),
                CharFold::Same => assert_ne!(class(c), Class::Ignorable, "{c:?}"),
                CharFold::Text(text) => {
                    assert!(
                        text.chars().all(|c| !matches!(class(c), Class::Ignorable | Class::Modifier)),
                        "{c:?}"
                    );
                    // Marks that the fold may have to put in order come without a base, or after it.
                    let ordered = text.chars().filter(|&c| combining_class(c) > 0).count();
                    assert!(
                        ordered == text.chars().count()
                            || text.chars().next().is_some_and(|c| combining_class(c) == 0),
                        "{c:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn combining_classes_of_kept_marks_are_those_of_unicode() {
        let mut sorted = 0;
        for c in '\0'..=char::MAX {
            if class(c) == Class::Mark && char_fold(c) == CharFold::Same {
                assert_eq!(combining_class(c), canonical_combining_class(c), "{c:?}");
                sorted += usize::from(combining_class(c) != 0);
            } else {
                assert_eq!(combining_class(c), 0, "{c:?}");
            }
        }
        assert!(sorted > 50, "nuktas, viramas, Thai, Lao and Tibetan signs: {sorted}");
    }

    #[test]
    fn classes() {
        for (class_, chars) in [
            (Class::Word, "éДßαאعहㅋ٣²①Ⅳªʰ가한𝒜𐐀"),
            (Class::Ideograph, "漢字々〇ひカーｶㄅกຂកကཀ𠀀㐀豈"),
            (Class::Mark, "\u{301}\u{5B0}\u{64E}\u{93C}\u{94D}\u{93F}\u{3099}\u{E35}\u{20E3}"),
            (Class::Symbol, "😀❤★♥🇩👍⚕↔〰°˂🫨"),
            (
                Class::Ignorable,
                "\u{AD}\u{200B}\u{200D}\u{2060}\u{FEFF}\u{FE0F}\u{E0062}\u{202E}\u{61C}\u{180E}ـ™",
            ),
            (Class::Modifier, "\u{1F3FB}\u{1F3FF}"),
            (Class::Space, "\u{A0}\u{2009}\u{3000}\u{1680}¨"),
            (Class::Separator, "。、€£¥₹×÷≠→√¿·„«\u{FFFD}\u{85}\u{2028}_\u{E000}।"),
        ] {
            for c in chars.chars() {
                assert_eq!(class(c), class_, "{c:?} U+{:04X}", u32::from(c));
            }
        }
    }

    #[test]
    fn capitals_and_letters() {
        assert!("AÉДΣİẞǅႠᲐԱⅣⒶ𐐀".chars().all(is_upper));
        assert!(!"aéдσßıაא漢١5".chars().any(is_upper));
        assert!("aÉДאहʰ漢กー가".chars().all(is_letter));
        assert!(!"5٣²Ⅳ\u{301}\u{93F}。😀 ".chars().any(is_letter));
    }

    #[test]
    fn folds() {
        for (source, fold) in [
            ("É", "E"),
            ("é", "e"),
            ("Ａ", "A"),
            ("ß", "ss"),
            ("ẞ", "SS"),
            ("Æ", "AE"),
            ("œ", "oe"),
            ("Ø", "O"),
            ("ł", "l"),
            ("Đ", "D"),
            ("ð", "d"),
            ("Þ", "TH"),
            ("ħ", "h"),
            ("ı", "i"),
            ("İ", "I"),
            ("ﬁ", "fi"),
            ("Д", "д"),
            ("Й", "и"),
            ("Ё", "е"),
            ("Σ", "σ"),
            ("ς", "σ"),
            ("ΐ", "ι"),
            ("ᾳ", "α"),
            ("Ა", "ა"),
            ("Ꭰ", "ꭰ"),
            ("أ", "ا"),
            ("ﻻ", "لا"),
            ("שׁ", "ש"),
            ("ـ", ""),
            ("٣", "3"),
            ("३", "3"),
            ("๓", "3"),
            ("𝟛", "3"),
            ("②", "2"),
            ("’", "'"),
            ("ʼ", "'"),
            ("´", "'"),
            ("′", "'"),
            ("„", "\""),
            ("«", "\""),
            ("″", "\""),
            ("‑", "-"),
            ("−", "-"),
            ("—", " - "),
            ("…", "..."),
            ("\u{A0}", " "),
            ("\u{3000}", " "),
            ("\u{2028}", "\n"),
            ("\u{85}", "\n"),
            ("⁄", "/"),
            ("½", " 1/2"),
            ("。", "。"),
            ("｡", "。"),
            ("！", "!"),
            ("™", ""),
            ("®", ""),
            ("¨", " "),
            ("¯", " "),
            ("€", "€"),
            ("क़", "क\u{93C}"),
            ("が", "か\u{3099}"),
            ("ｶ", "カ"),
            ("ﾞ", "\u{3099}"),
            ("゛", "\u{3099}"),
            ("ー", "ー"),
            ("豈", "豈"),
            ("가", "가"),
            ("㉮", "가"),
            ("㉠", "ㄱ"),
            ("ㅋ", "ㅋ"),
            ("ﾤ", "ㄴ"),
            ("㎏", "kg"),
            ("\u{1FEF}", "`"),
        ] {
            let actual: String = source.chars().map(folded).collect();
            assert_eq!(actual, fold, "{source:?}");
        }
    }
}
