//! The differences for people, and their sums.

use super::moved::{Both, Moved, Number, Quote};
use super::protocols::Difference;
use crate::failure::counted;
use crate::json::Target;
use crate::target::reference;
use serde::Serialize;
use sonometer::{Instrument, Reading, Unit};
use sonometer_report::{Case, Cases, Cell, Line, Part, Row, Sheet, Subject, Table, Tone, columns, signed};
use std::collections::BTreeMap;

/// What changed in the protocol, metric or blueprint itself, without any reading.
pub(super) fn sheet(old: &Instrument, new: &Instrument, found: &[Difference]) -> Sheet<'static> {
    let mut lines = Vec::new();
    if found.is_empty() {
        lines.push(Line::from(format!("the {}s are the same", old.kind().as_str())));
    }
    let mut last: &[String] = &[];
    for difference in found {
        if difference.at != last {
            lines.push(Line::of(Tone::Dim, difference.at.join(" › ")));
            last = &difference.at;
        }
        for (sign, tone, value) in [('-', Tone::Bad, &difference.old), ('+', Tone::Good, &difference.new)] {
            lines.extend(value.iter().map(|value| Line::of(tone, format!("  {sign} {value}"))));
        }
    }
    Sheet {
        kind: "difference",
        subject: Subject {
            name: new.name().to_owned(),
            reference: format!("{} → {}", reference(old), reference(new)),
            description: String::new(),
        },
        parts: vec![Part::Lines { title: String::new(), lines }],
        ..Sheet::default()
    }
}

/// A reading that moved.
pub(super) fn case(name: &str, id: Option<&str>, moved: &Moved) -> Case<'static> {
    let measured = |sufficient| if sufficient { "sufficient" } else { "insufficient" };
    let (before, after) = moved.sufficient;
    let mut lines = Vec::new();
    if before != after {
        lines.push(Line::from(format!("{} → {}", measured(before), measured(after))));
    }
    let shown = |score: Option<Unit>| {
        score.map_or_else(|| "none (insufficient)".to_owned(), |score| score.to_string())
    };
    lines.push(Line::from(format!("score {} → {}", shown(moved.score.0), shown(moved.score.1))));
    for (tone, sign, labels, what) in [
        (Tone::Bad, '-', &moved.silenced, "no longer triggered"),
        (Tone::Good, '+', &moved.triggered, "newly triggered"),
    ] {
        lines.extend(
            labels
                .iter()
                .map(|label| Line::of(tone, format!("{sign} {label}")).and(Tone::Dim, format!("  {what}"))),
        );
    }
    for (tone, sign, quotes) in [(Tone::Bad, '-', &moved.went), (Tone::Good, '+', &moved.came)] {
        lines.extend(quotes.iter().map(|quote| quoted(tone, sign, quote)));
    }
    Case { name: id.map_or_else(|| name.to_owned(), |id| format!("{name}  {id}")), lines, ..Case::default() }
}

/// Evidence in its turn.
fn quoted(tone: Tone, sign: char, quote: &Quote) -> Line {
    let role = quote.role.as_ref().map_or_else(String::new, |role| format!("{role}: "));
    Line::of(tone, format!("  {sign} "))
        .and(Tone::Plain, format!("{role}{}", quote.before))
        .and(tone, format!("[{}]", quote.source))
        .and(Tone::Dim, format!("{{{}}}", quote.marker))
        .and(Tone::Plain, &quote.after)
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
    /// Those that neither measured.
    unmeasured: usize,
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
        self.unmeasured += usize::from(old.score().is_none() && new.score().is_none());
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

    /// `3 of 12 readings moved, mean change of the score +0.1`, and how many neither version measured
    pub(super) fn line(&self) -> String {
        let mean = self.mean();
        let mean = if mean == Unit::ZERO { mean.to_string() } else { signed(mean) };
        let unmeasured = match self.unmeasured {
            0 => String::new(),
            count => format!("; neither version measured {count} of them, which hold too little"),
        };
        let read = counted(self.read, "reading");
        format!("{} of {read} moved, mean change of the score {mean}{unmeasured}", self.moved)
    }

    /// How often each marker moved.
    pub(super) fn table(&self) -> Part<'static> {
        let row = |(label, counts): (&String, &Counts)| {
            let all = [label.clone(), format!("triggered +{} −{},", counts.triggered, counts.silenced)];
            let evidence = format!("evidence +{} −{}", counts.came, counts.went);
            Row::of(all.into_iter().chain([evidence]).map(Cell::from).collect())
        };
        Part::Table(Table {
            title: self.line(),
            columns: columns(&["<", "<", "<"]),
            rows: self.markers.iter().map(row).collect(),
            ..Table::default()
        })
    }

    /// The readings that moved, for a page.
    pub(super) fn cases<'r>(&self, cases: Vec<Case<'r>>) -> Part<'r> {
        let about = sonometer_report::shown_of(cases.len(), self.moved as u64, "in the order of the data");
        Part::Cases(Cases { title: "Readings that moved".into(), about, cases })
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
