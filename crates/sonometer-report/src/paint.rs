//! Text in tones and of a width, and making foreign text safe to show. What a tone looks like is the caller's business.

use sonometer::protocol::Effect;
use unicode_width::UnicodeWidthChar;

/// What a piece of text is to a reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As all the rest.
    #[default]
    Plain,
    /// What matters.
    Strong,
    /// What explains.
    Dim,
    /// Good news, and what is new.
    Good,
    /// Bad news, and what is gone.
    Bad,
    /// What needs attention.
    Warn,
    /// The `n`th marker whose finding means this.
    Marker(Effect, usize),
}

/// How much a piece of text stands out of the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stress {
    /// Not at all.
    None,
    /// Something was found here.
    Found,
    /// Several things were.
    Overlapping,
}

/// How text is painted.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    /// Columns of a line.
    pub width: usize,
    /// Gives a text its tone; `None`: tones do not show, so places stand in brackets.
    pub brush: Option<fn(Tone, Stress, &str) -> String>,
}

/// Plain text of a hundred columns.
impl Default for Paint {
    fn default() -> Self {
        Self { width: 100, brush: None }
    }
}

impl Paint {
    /// `text` in a tone.
    pub(crate) fn toned(&self, tone: Tone, text: &str) -> String {
        self.stressed(tone, Stress::None, text)
    }

    /// The same where something was found.
    pub(crate) fn stressed(&self, tone: Tone, stress: Stress, text: &str) -> String {
        match self.brush {
            Some(brush) if !text.is_empty() => brush(tone, stress, text),
            _ => text.to_owned(),
        }
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.toned(Tone::Strong, text)
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        self.toned(Tone::Dim, text)
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

/// Columns that a text takes on one line.
pub fn width(text: &str) -> usize {
    one_line(text).chars().map(columns).sum()
}

/// The end of a text, of at most `room` columns.
pub(crate) fn tail(text: &str, room: usize) -> String {
    let mut taken = 0;
    let fits = text.char_indices().rev().take_while(|(_, c)| {
        taken += columns(*c);
        taken < room
    });
    match fits.last() {
        Some((0, _)) => text.to_owned(),
        Some((from, _)) => format!("…{}", &text[from..]),
        None if text.is_empty() => String::new(),
        None => "…".to_owned(),
    }
}

/// A text in lines of at most `width` columns, each after `indent` spaces; empty for empty text.
pub fn paragraph(text: &str, width: usize, indent: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let long = |text: &str| text.chars().map(columns).sum::<usize>();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if indent + long(line) + 1 + long(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| format!("{}{line}\n", " ".repeat(indent))).collect()
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
