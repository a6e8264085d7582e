//! Text in tones and of a width, and making foreign text safe to show. What a tone looks like is the caller's business.

use sonometer::protocol::Effect;
use unicode_width::UnicodeWidthChar;

/// What a piece of text is to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As all the rest.
    Plain,
    /// What matters.
    Strong,
    /// What explains.
    Dim,
    /// Good news.
    Good,
    /// What needs attention.
    Warn,
    /// The `n`th marker whose finding means this.
    Marker(Effect, usize),
    /// The same, where it was found.
    Found(Effect, usize),
    /// What needs attention, where it was found.
    FoundWarn,
}

/// How text is painted.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    /// Columns of a line.
    pub width: usize,
    /// Gives a text its tone.
    pub brush: fn(Tone, &str) -> String,
}

/// Plain text of a hundred columns.
impl Default for Paint {
    fn default() -> Self {
        Self { width: 100, brush: |_, text| text.to_owned() }
    }
}

impl Paint {
    /// `text` in a tone.
    pub(crate) fn toned(&self, tone: Tone, text: &str) -> String {
        (self.brush)(tone, text)
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.toned(Tone::Strong, text)
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        self.toned(Tone::Dim, text)
    }
}

impl Tone {
    /// The same where something was found: `[thank you]`.
    pub(crate) fn found(self) -> Self {
        match self {
            Self::Plain => Self::Strong,
            Self::Marker(effect, nth) => Self::Found(effect, nth),
            Self::Warn => Self::FoundWarn,
            tone => tone,
        }
    }
}

/// What is shown in the place of a character: control characters and those that turn the direction of writing would let
/// a text take over the terminal.
pub fn safe(c: char) -> char {
    match c {
        '\t' => ' ',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

/// Foreign text on one line.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { safe(c) }).collect()
}

/// Columns that a character takes.
pub fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// `text` on one line, filled with spaces, or cut with an ellipsis, to `width` columns.
pub fn fit(text: &str, width: usize) -> String {
    let text = one_line(text);
    let mut taken: usize = text.chars().map(columns).sum();
    if taken <= width {
        return text + &" ".repeat(width - taken);
    }
    let mut cut = String::new();
    taken = 0;
    for c in text.chars() {
        if taken + columns(c) + 1 > width {
            break;
        }
        taken += columns(c);
        cut.push(c);
    }
    cut + "…" + &" ".repeat(width - taken - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_steer_the_terminal() {
        assert_eq!(one_line("a\u{1b}[31mb\r\nc\u{9b}d\u{202e}e"), "a␛[31mb  c\u{fffd}d\u{fffd}e");
    }

    #[test]
    fn fits_by_columns_not_by_characters() {
        assert_eq!(fit("agent", 7), "agent  ");
        assert_eq!(fit("customer", 5), "cust…");
        assert_eq!(fit("客户", 5), "客户 ");
        assert_eq!(fit("客户客户", 4), "客… ");
    }
}
