//! The fold of one character, as a definition: what the table holds is computed here, and only here.
//!
//! Compatibility decomposition, full case folding and the loss of diacritics, with the exceptions listed
//! below. ASCII is left as it is, case included.

use super::class::{decimal_digit, is_assigned, is_default_ignorable, is_enclosing, is_mark, is_upper};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical, decompose_compatible};

/// The fold of `c`; empty when `c` is dropped. Folding the result again changes nothing.
pub(crate) fn fold(c: char) -> String {
    let mut folded = step(c);
    loop {
        let again: String = folded.chars().map(step).collect();
        if again == folded {
            return folded;
        }
        folded = again;
    }
}

fn step(c: char) -> String {
    if is_default_ignorable(c) {
        return String::new();
    }
    if c.is_ascii() || !is_assigned(c) || is_hangul(c) {
        return c.to_string();
    }
    if let Some((_, fold)) = EXCEPTIONS.iter().find(|(sources, _)| sources.contains(c)) {
        return (*fold).to_owned();
    }
    if let Some(jamo) = halfwidth_jamo(c) {
        return jamo.to_string();
    }
    let canonical = decomposition(c, |c, emit| decompose_canonical(c, emit));
    if canonical != [c] {
        return canonical.into_iter().map(step).collect();
    }
    let compatible = decomposition(c, |c, emit| decompose_compatible(c, emit));
    if compatible != [c] {
        return compatibility_fold(&compatible);
    }
    leaf_fold(c)
}

fn decomposition(c: char, decompose: impl Fn(char, &mut dyn FnMut(char))) -> Vec<char> {
    let mut chars = Vec::new();
    decompose(c, &mut |part| chars.push(part));
    chars
}

fn compatibility_fold(parts: &[char]) -> String {
    // A diacritic shown on its own (¨ ¯ ¸): nothing is left of it but its place.
    if let [' ', marks @ ..] = parts
        && !marks.is_empty()
        && marks.iter().all(|&mark| is_mark(mark))
    {
        return " ".to_owned();
    }
    // Enclosed Hangul: composed syllables, and letters that cannot join what follows.
    let parts: Vec<char> =
        parts.iter().copied().nfc().map(|part| stand_alone_jamo(part).unwrap_or(part)).collect();
    let folded: String =
        parts.iter().map(|&part| if part == '⁄' { "/".to_owned() } else { step(part) }).collect();
    // A fraction must not run into the whole number before it: 2½ is not 21/2.
    if parts.contains(&'⁄') { format!(" {folded}") } else { folded }
}

/// The fold of a character without decomposition.
fn leaf_fold(c: char) -> String {
    if is_mark(c) {
        return if drops_mark(c) { String::new() } else { c.to_string() };
    }
    if let Some(digit) = decimal_digit(c) {
        return digit.to_string();
    }
    let folded: String = c.to_uppercase().flat_map(char::to_lowercase).collect();
    if !folded.chars().all(is_assigned) {
        return c.to_string();
    }
    if folded.is_ascii() && is_upper(c) { folded.to_ascii_uppercase() } else { folded }
}

/// Diacritics that a writer may leave out: overlays, Hebrew, Arabic and Syriac points, and everything placed
/// above, below or around its base in the Latin way; enclosing marks too. Kept are vowel signs (no combining
/// class), nukta, kana voicing and virama (7 to 9), and the vowel signs and tones of Telugu, Thai, Lao and
/// Tibetan (84 to 132), which distinguish words.
fn drops_mark(mark: char) -> bool {
    is_enclosing(mark) || matches!(canonical_combining_class(mark), 1 | 10..=36 | 200..)
}

/// Syllables, conjoining and compatibility letters. Left alone: joining letters into syllables depends on
/// context and is done while a text is folded; the compatibility letters of chat (ㅋㅋ, ㅠㅠ) never join.
fn is_hangul(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11FF}' | '\u{3131}'..='\u{318E}' | '\u{A960}'..='\u{A97C}' | '\u{AC00}'..='\u{D7A3}'
        | '\u{D7B0}'..='\u{D7FB}')
}

/// The compatibility letter that decomposes to the conjoining letter `c`.
fn stand_alone_jamo(c: char) -> Option<char> {
    matches!(c, '\u{1100}'..='\u{11FF}')
        .then(|| {
            ('\u{3131}'..='\u{318E}')
                .find(|&letter| decomposition(letter, |c, emit| decompose_compatible(c, emit)) == [c])
        })
        .flatten()
}

fn halfwidth_jamo(c: char) -> Option<char> {
    let (halfwidth, letter) = match c {
        '\u{FFA1}'..='\u{FFBE}' => (0xFFA1, 0x3131),
        '\u{FFC2}'..='\u{FFC7}' => (0xFFC2, 0x314F),
        '\u{FFCA}'..='\u{FFCF}' => (0xFFCA, 0x3155),
        '\u{FFD2}'..='\u{FFD7}' => (0xFFD2, 0x315B),
        '\u{FFDA}'..='\u{FFDC}' => (0xFFDA, 0x3161),
        _ => return None,
    };
    char::from_u32(u32::from(c) - halfwidth + letter)
}

/// Characters whose fold is not what Unicode says, and the fold.
const EXCEPTIONS: &[(&str, &str)] = &[
    // Letters that Unicode does not decompose, but that writers without the key replace.
    ("ø", "o"),
    ("Ø", "O"),
    ("ł", "l"),
    ("Ł", "L"),
    ("đð", "d"),
    ("ĐÐ", "D"),
    ("þ", "th"),
    ("Þ", "TH"),
    ("æ", "ae"),
    ("Æ", "AE"),
    ("œ", "oe"),
    ("Œ", "OE"),
    ("ħ", "h"),
    ("Ħ", "H"),
    ("ŧ", "t"),
    ("Ŧ", "T"),
    ("ȷ", "j"),
    ("ẞ", "SS"),
    // Apostrophes: typographic, modifier letters, primes, Greek breathings and accents on their own, geresh.
    // The ASCII grave accent stays, as all ASCII does.
    ("‘’‚‛′‵´΄᾽᾿῾ʹʻʼʽʾʿ՚׳❛❜＇｀", "'"),
    // Double quotes, and single angle quotes, which are never apostrophes.
    ("“”„‟«»‹›″‶ʺ״〝〞〟❝❞", "\""),
    // Hyphens and minus signs.
    ("‐‑‒−﹣－⁃֊־᐀᠆⸗⸚⹀⹝゠", "-"),
    // Dashes stand between phrases: a spaced hyphen.
    ("–—―⸺⸻︱︲﹘", " - "),
    ("\u{85}\u{2028}\u{2029}", "\n"),
    ("\u{1680}", " "),
    ("⁄", "/"),
    // Legal marks say nothing, and cling to words. The Arabic elongation stroke is mere width.
    ("™®©℠ـ", ""),
    // Kana voicing, typed as a character of its own.
    ("\u{309B}", "\u{3099}"),
    ("\u{309C}", "\u{309A}"),
];
