//! Colour and width, and making foreign text safe to show.

use anstyle::{AnsiColor, Style};
use sonometer::protocol::Effect;
use unicode_width::UnicodeWidthChar;

/// How output is painted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    /// Whether styles are written at all.
    pub(crate) colour: bool,
    /// Columns of a line.
    pub(crate) width: usize,
}

/// Cool colours are good news, warm colours bad.
const GOOD: [AnsiColor; 6] = [
    AnsiColor::Green,
    AnsiColor::Cyan,
    AnsiColor::Blue,
    AnsiColor::BrightGreen,
    AnsiColor::BrightCyan,
    AnsiColor::BrightBlue,
];
const BAD: [AnsiColor; 6] = [
    AnsiColor::Red,
    AnsiColor::Yellow,
    AnsiColor::Magenta,
    AnsiColor::BrightRed,
    AnsiColor::BrightYellow,
    AnsiColor::BrightMagenta,
];

/// The style of the `nth` marker whose finding means this.
pub(crate) fn of_marker(effect: Effect, nth: usize) -> Style {
    let colours = match effect {
        Effect::Improves => GOOD,
        Effect::Worsens => BAD,
    };
    Style::new().fg_color(Some(colours[nth % colours.len()].into()))
}

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();

impl Paint {
    /// `text` in a style, or plain.
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.styled(BOLD, text)
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        self.styled(DIM, text)
    }
}

/// What is shown in the place of a character: control characters and those that turn the direction of writing would let
/// a text take over the terminal.
pub(crate) fn safe(c: char) -> char {
    match c {
        '\t' => ' ',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

/// Foreign text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { safe(c) }).collect()
}

/// Columns that a character takes.
pub(crate) fn columns(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// `text` on one line, filled with spaces, or cut with an ellipsis, to `width` columns.
pub(crate) fn fit(text: &str, width: usize) -> String {
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
