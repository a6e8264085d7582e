//! What single characters are: the tables of `sonometer::text`, in the words of the specification.

use sonometer::text::chars;

/// What a folded character is to the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharClass {
    /// A letter or digit of a script that separates words.
    Word,
    /// A letter of a script without spaces.
    Ideograph,
    /// A combining mark.
    Mark,
    /// An emoji or another sign that stands alone.
    Symbol,
    /// Everything else.
    Other,
}

/// The class of a folded character. A skin tone that the folding keeps is a symbol.
pub(crate) fn class_of(c: char) -> CharClass {
    match chars::class(c) {
        chars::Class::Word => CharClass::Word,
        chars::Class::Ideograph => CharClass::Ideograph,
        chars::Class::Mark => CharClass::Mark,
        chars::Class::Symbol | chars::Class::Modifier => CharClass::Symbol,
        _ => CharClass::Other,
    }
}

/// Whether an original character is a capital.
pub(crate) fn is_upper_case(c: char) -> bool {
    chars::is_upper(c)
}

/// Whether an original character is a letter of any script.
pub(crate) fn is_letter(c: char) -> bool {
    chars::is_letter(c)
}

/// Whether an original character is a letter or digit, which a mask hides.
pub(crate) fn is_letter_or_digit(c: char) -> bool {
    matches!(class_of(c), CharClass::Word | CharClass::Ideograph)
}

/// Whether a character, when the folding drops it, belongs to the visible character before it.
pub(crate) fn extends(c: char) -> bool {
    matches!(chars::class(c), chars::Class::Mark | chars::Class::Modifier)
        || matches!(c, '\u{34f}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(c, '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a character is an emoji skin tone.
pub(crate) fn is_skin_tone(c: char) -> bool {
    chars::class(c) == chars::Class::Modifier
}
