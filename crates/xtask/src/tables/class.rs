//! What a character is to the tokenizer.

use unicode_general_category::{GeneralCategory as Gc, get_general_category};
use unicode_script::{Script, UnicodeScript};

/// The classes, in the order of their three bits in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Word = 0,
    Ideograph = 1,
    Mark = 2,
    Symbol = 3,
    Ignorable = 4,
    Modifier = 5,
    Space = 6,
    Separator = 7,
}

/// Whether `c` exists in the oldest Unicode version among the generator's inputs. Nothing else enters the
/// table (reserved blocks excepted), so that a newer compiler or crate cannot change it.
pub(crate) fn is_assigned(c: char) -> bool {
    get_general_category(c) != Gc::Unassigned
}

/// The class of a character that the fold leaves alone.
pub(crate) fn class(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            '0'..='9' | 'A'..='Z' | 'a'..='z' => Class::Word,
            ' ' | '\t' => Class::Space,
            _ => Class::Separator,
        };
    }
    if is_default_ignorable(c) {
        return Class::Ignorable;
    }
    match c {
        '\u{1F3FB}'..='\u{1F3FF}' => return Class::Modifier,
        // Emoji whose general category is mathematical or dash.
        '\u{2194}' | '\u{25FB}'..='\u{25FE}' | '\u{3030}' => return Class::Symbol,
        // Stand for what is missing: no word, and no emoji either.
        '\u{FFFC}' | '\u{FFFD}' => return Class::Separator,
        // Written inside kanji and kana, but shared by scripts.
        '\u{3006}' | '\u{3031}'..='\u{3035}' | '\u{303C}' | '\u{30FC}' => return Class::Ideograph,
        _ => {}
    }
    match get_general_category(c) {
        Gc::NonspacingMark | Gc::SpacingMark | Gc::EnclosingMark => Class::Mark,
        Gc::UppercaseLetter
        | Gc::LowercaseLetter
        | Gc::TitlecaseLetter
        | Gc::ModifierLetter
        | Gc::OtherLetter
        | Gc::LetterNumber
            if is_unspaced(c.script()) =>
        {
            Class::Ideograph
        }
        Gc::UppercaseLetter
        | Gc::LowercaseLetter
        | Gc::TitlecaseLetter
        | Gc::ModifierLetter
        | Gc::OtherLetter
        | Gc::DecimalNumber
        | Gc::LetterNumber
        | Gc::OtherNumber => Class::Word,
        Gc::OtherSymbol | Gc::ModifierSymbol => Class::Symbol,
        Gc::SpaceSeparator => Class::Space,
        Gc::Unassigned => reserved_class(c),
        _ => Class::Separator,
    }
}

/// Blocks whose future characters are known: an emoji or an ideograph of a later Unicode version must not cut
/// a text.
fn reserved_class(c: char) -> Class {
    match c {
        '\u{1F000}'..='\u{1FAFF}' | '\u{1FC00}'..='\u{1FFFD}' => Class::Symbol,
        '\u{20000}'..='\u{2FFFD}' | '\u{30000}'..='\u{3FFFD}' => Class::Ideograph,
        _ => Class::Separator,
    }
}

/// Scripts that do not put spaces between words.
fn is_unspaced(script: Script) -> bool {
    matches!(
        script,
        Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Bopomofo
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
            | Script::Tibetan
    )
}

/// Default_Ignorable_Code_Point: invisible by definition, the ranges reserved for more of them included.
pub(crate) fn is_default_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFF8}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Upper and title case letters, and the numerals and enclosed letters that have case.
pub(crate) fn is_upper(c: char) -> bool {
    matches!(get_general_category(c), Gc::UppercaseLetter | Gc::TitlecaseLetter)
        || matches!(c,
            '\u{2160}'..='\u{216F}'
            | '\u{24B6}'..='\u{24CF}'
            | '\u{1F130}'..='\u{1F149}'
            | '\u{1F150}'..='\u{1F169}'
            | '\u{1F170}'..='\u{1F189}')
}

/// Letters of any kind: no digit, no mark.
pub(crate) fn is_letter(c: char) -> bool {
    matches!(
        get_general_category(c),
        Gc::UppercaseLetter
            | Gc::LowercaseLetter
            | Gc::TitlecaseLetter
            | Gc::ModifierLetter
            | Gc::OtherLetter
    )
}

/// The value of a decimal digit of any script.
pub(crate) fn decimal_digit(c: char) -> Option<u32> {
    let is_digit =
        |code: u32| char::from_u32(code).is_some_and(|c| get_general_category(c) == Gc::DecimalNumber);
    let code = u32::from(c);
    // Unicode encodes decimal digits in contiguous tens, zero first.
    is_digit(code).then(|| (0..code).rev().take_while(|&before| is_digit(before)).count() as u32 % 10)
}

/// Combining marks of any kind.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(get_general_category(c), Gc::NonspacingMark | Gc::SpacingMark | Gc::EnclosingMark)
}

/// Marks that enclose the character before them: decoration, as in a keycap.
pub(crate) fn is_enclosing(c: char) -> bool {
    get_general_category(c) == Gc::EnclosingMark
}
