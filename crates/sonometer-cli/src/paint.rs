//! Colour and width.

use anstyle::{AnsiColor, Style};
use sonometer::Unit;
use sonometer::protocol::Effect;
use sonometer_report::{self as report, Stress, Tone, bar_parts};
pub(crate) use sonometer_report::{columns_of as columns, fit, one_line, paragraph, safe};

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
fn of_marker(effect: Effect, nth: usize) -> Style {
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

    /// The same for reports.
    pub(crate) fn report(&self) -> report::Paint {
        report::Paint { width: self.width, brush: self.colour.then_some(coloured) }
    }
}

fn coloured(tone: Tone, stress: Stress, text: &str) -> String {
    let of = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    let style = match tone {
        Tone::Plain => Style::new(),
        Tone::Strong => BOLD,
        Tone::Dim => DIM,
        Tone::Good => of(AnsiColor::Green),
        Tone::Bad => of(AnsiColor::Red),
        Tone::Warn => of(AnsiColor::Yellow),
        Tone::Marker(effect, nth) => of_marker(effect, nth),
    };
    let style = match stress {
        Stress::None => style,
        Stress::Found => style.bold(),
        Stress::Overlapping => style.bold().underline(),
    };
    Paint { colour: true, width: 0 }.styled(style, text)
}

/// A bar of fixed length for a number between 0 and 1.
pub(crate) fn bar(paint: &Paint, value: Unit, style: Style) -> String {
    let (filled, rest) = bar_parts(value);
    format!("{}{}", paint.styled(style, &filled), paint.dim(&rest))
}
