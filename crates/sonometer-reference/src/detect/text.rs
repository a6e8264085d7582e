//! What the grammars of the classes ask of a text: edges, and what stands beside a stretch.

use std::ops::Range;

/// Folded text, and whether English words count.
pub(super) struct Text<'t> {
    chars: &'t [char],
    /// Whether English words count.
    pub(super) english: bool,
}

impl<'t> Text<'t> {
    /// Wraps a text.
    pub(super) fn new(chars: &'t [char], english: bool) -> Self {
        Self { chars, english }
    }

    /// The number of characters.
    pub(super) fn len(&self) -> usize {
        self.chars.len()
    }

    /// A stretch as a string.
    pub(super) fn slice(&self, range: Range<usize>) -> String {
        self.chars[range].iter().collect()
    }

    /// The character at `at`; U+0000 outside the text.
    pub(super) fn at(&self, at: usize) -> char {
        self.chars.get(at).copied().unwrap_or('\0')
    }

    /// The character `back` places before `at`.
    pub(super) fn before(&self, at: usize, back: usize) -> char {
        at.checked_sub(back).map_or('\0', |at| self.at(at))
    }

    /// Everything before `at`, and everything from `at` on, as strings; at most 40 characters of it.
    pub(super) fn around(&self, range: &Range<usize>) -> (String, String) {
        let from = range.start.saturating_sub(40);
        let to = self.len().min(range.end + 40);
        (self.slice(from..range.start), self.slice(range.end..to))
    }

    /// Whether a position is an edge: not strictly inside a word.
    pub(super) fn is_edge(&self, at: usize) -> bool {
        if at == 0 || at >= self.len() {
            return true;
        }
        let belongs = |at: usize| is_word(self.at(at)) || self.joins(at);
        !(belongs(at - 1) && belongs(at))
    }

    /// `.` and `,` between two digits, `'` between two word characters neither of which is a digit.
    fn joins(&self, at: usize) -> bool {
        let (before, after) = (self.before(at, 1), self.at(at + 1));
        match self.at(at) {
            '.' | ',' => before.is_ascii_digit() && after.is_ascii_digit(),
            '\'' => [before, after].iter().all(|c| is_word(*c) && !c.is_ascii_digit()),
            _ => false,
        }
    }

    /// Whether a stretch is the tail or the head of a longer code.
    pub(super) fn is_part_of_a_code(&self, range: &Range<usize>) -> bool {
        let beside = |sign: char, far: char| {
            sign == '-' && far.is_ascii_alphanumeric()
                || matches!(sign, '.' | '/' | ':') && far.is_ascii_digit()
        };
        beside(self.before(range.start, 1), self.before(range.start, 2))
            || beside(self.at(range.end), self.at(range.end + 1))
    }
}

/// An ASCII letter or digit, or a letter outside ASCII of a script that glues to digits.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || is_gluing_letter(c)
}

fn is_gluing_letter(c: char) -> bool {
    match c {
        '×' | '÷' | '\u{e00}'..='\u{eff}' => false,
        '\u{37e}' | '\u{387}' | '\u{589}' | '\u{58a}' | '\u{5be}' | '\u{5c0}' | '\u{5c3}' | '\u{5f3}'
        | '\u{5f4}' => false,
        '\u{600}'..='\u{60f}'
        | '\u{61b}'..='\u{61f}'
        | '\u{66a}'..='\u{66d}'
        | '\u{6d4}'
        | '\u{964}'
        | '\u{965}' => false,
        'ª' | 'µ' | 'º' | '\u{c0}'..='\u{1fff}' | '\u{2c00}'..='\u{2dff}' => true,
        '\u{a640}'..='\u{abff}' | '\u{ac00}'..='\u{d7ff}' => true,
        _ => false,
    }
}
