//! The differences for people, and their sums.

use super::moved::{Both, Moved, Number, Quote};
use super::protocols::Difference;
use crate::failure::counted;
use crate::json::Target;
use crate::paint::{BOLD, DIM, Paint, one_line};
use crate::target::reference;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use sonometer::{Instrument, Reading, Unit};
use std::collections::BTreeMap;

const COME: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const GONE: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// What changed in the protocol, metric or blueprint itself.
pub(super) fn protocols(paint: &Paint, old: &Instrument, new: &Instrument, found: &[Difference]) -> String {
    let names = format!("{} → {}", reference(old), reference(new));
    let mut text = format!("{}\n", paint.bold(&names));
    if found.is_empty() {
        text.push_str(&format!("  the {}s are the same\n", old.kind().as_str()));
    }
    let mut last: &[String] = &[];
    for difference in found {
        if difference.at != last {
            text.push_str(&format!("  {}\n", paint.styled(DIM, &one_line(&difference.at.join(" › ")))));
            last = &difference.at;
        }
        for (sign, style, value) in [('-', GONE, &difference.old), ('+', COME, &difference.new)] {
            if let Some(value) = value {
                text.push_str(&format!(
                    "    {}\n",
                    paint.styled(style, &format!("{sign} {}", one_line(value)))
                ));
            }
        }
    }
    text + "\n"
}

/// A reading that moved.
pub(super) fn moved(paint: &Paint, name: &str, id: Option<&str>, moved: &Moved) -> String {
    let title = match id {
        Some(id) => format!("{name}  {}", one_line(id)),
        None => name.to_owned(),
    };
    let mut text = format!("{}\n", paint.styled(BOLD, &title));
    let measured = |sufficient| if sufficient { "sufficient" } else { "insufficient" };
    if moved.sufficient.0 != moved.sufficient.1 {
        text.push_str(&format!("  {} → {}\n", measured(moved.sufficient.0), measured(moved.sufficient.1)));
    }
    let shown = |score: Option<Unit>| {
        score.map_or_else(|| "none (insufficient)".to_owned(), |score| score.to_string())
    };
    text.push_str(&format!("  score {} → {}\n", shown(moved.score.0), shown(moved.score.1)));
    for (style, sign, labels, what) in [
        (GONE, '-', &moved.silenced, "no longer triggered"),
        (COME, '+', &moved.triggered, "newly triggered"),
    ] {
        for label in labels {
            text.push_str(&format!(
                "  {}  {}\n",
                paint.styled(style, &format!("{sign} {label}")),
                paint.dim(what)
            ));
        }
    }
    for (style, sign, quotes) in [(GONE, '-', &moved.went), (COME, '+', &moved.came)] {
        for quote in quotes {
            text.push_str(&format!(
                "    {} {}\n",
                paint.styled(style, &sign.to_string()),
                quoted(paint, style, quote)
            ));
        }
    }
    text + "\n"
}

/// Evidence in its turn, in brackets where there is no colour.
fn quoted(paint: &Paint, style: Style, quote: &Quote) -> String {
    let role = quote.role.as_ref().map_or_else(String::new, |role| format!("{}: ", one_line(role)));
    let source = one_line(&quote.source);
    let source = match paint.colour {
        true => paint.styled(style.bold(), &source),
        false => format!("[{source}]{{{}}}", quote.marker),
    };
    let label = if paint.colour { format!("  {}", paint.dim(&quote.marker)) } else { String::new() };
    format!("{role}{}{source}{}{label}", one_line(&quote.before), one_line(&quote.after))
}

/// Sums over a corpus.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// Interactions that both versions could read.
    pub(super) read: usize,
    /// Those whose reading moved.
    pub(super) moved: usize,
    /// Those that both measured, and the sum of what their scores gained, in millionths.
    measured: i64,
    gained: i64,
    markers: BTreeMap<String, Counts>,
}

/// How often a marker moved.
#[derive(Debug, Default, Serialize)]
struct Counts {
    triggered: usize,
    silenced: usize,
    came: usize,
    went: usize,
}

impl Totals {
    pub(super) fn add(&mut self, old: &Reading, new: &Reading, moved: Option<&Moved>) {
        self.read += 1;
        if let Some(gain) = Moved::gain(old, new) {
            self.measured += 1;
            self.gained += gain;
        }
        let Some(moved) = moved else { return };
        self.moved += 1;
        let mut count =
            |label: &str, add: fn(&mut Counts)| add(self.markers.entry(label.to_owned()).or_default());
        moved.triggered.iter().for_each(|label| count(label, |counts| counts.triggered += 1));
        moved.silenced.iter().for_each(|label| count(label, |counts| counts.silenced += 1));
        moved.came.iter().for_each(|quote| count(&quote.marker, |counts| counts.came += 1));
        moved.went.iter().for_each(|quote| count(&quote.marker, |counts| counts.went += 1));
    }

    /// The mean of what scores gained, cut to a millionth.
    fn mean(&self) -> Unit {
        Unit(self.gained.checked_div(self.measured).unwrap_or(0))
    }

    /// For programs.
    pub(super) fn json<'t>(
        &'t self,
        old: &'t Instrument,
        new: &'t Instrument,
        found: &'t [Difference],
    ) -> impl Serialize + 't {
        let Self { read, moved, markers, .. } = self;
        let target = Both { old: Target::of_any(old), new: Target::of_any(new) };
        Summary {
            summary: Sums {
                protocol: target,
                read: *read,
                moved: *moved,
                mean_change: Number(self.mean()),
                markers,
                changes: found,
            },
        }
    }
}

#[derive(Serialize)]
struct Summary<'t> {
    summary: Sums<'t>,
}

#[derive(Serialize)]
struct Sums<'t> {
    protocol: Both<Target<'t>>,
    read: usize,
    moved: usize,
    mean_change: Number,
    markers: &'t BTreeMap<String, Counts>,
    changes: &'t [Difference],
}

/// The last lines.
pub(super) fn totals(paint: &Paint, totals: &Totals, limit: Option<usize>) -> String {
    let mut text = String::new();
    if let Some(hidden) = limit.map(|limit| totals.moved.saturating_sub(limit)).filter(|hidden| *hidden > 0) {
        text.push_str(&format!("{}\n\n", paint.dim(&format!("… and {} more", counted(hidden, "reading")))));
    }
    let mean = totals.mean();
    let sign = if mean > Unit::ZERO { "+" } else { "" };
    text.push_str(&format!(
        "{} of {} moved, mean change of the score {sign}{mean}\n",
        totals.moved,
        counted(totals.read, "reading")
    ));
    let width = totals.markers.keys().map(String::len).max().unwrap_or(0);
    for (label, counts) in &totals.markers {
        text.push_str(&format!(
            "  {label:<width$}  triggered +{} −{}, evidence +{} −{}\n",
            counts.triggered, counts.silenced, counts.came, counts.went
        ));
    }
    text
}
