//! What the reports of all kinds of evaluation share.

use crate::evaluate::alarms::{Alarms, Rate, hundredths};
use crate::evaluate::measure::{Counts, Estimate};
use crate::evaluate::result::Data;
use crate::evaluate::thresholds::Proposal;
use crate::labels::Item;
use sonometer::{Reading, Unit};
use sonometer_report::{Bar, Cell, Hidden, Line, Names, Part, Row, Sheet, Subject, Table, Tone, columns};

/// Three places, rounded half up.
pub(crate) fn places(value: Unit) -> String {
    let thousandths = (value.0 + 500) / 1_000;
    format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}

/// A share, or `n/a`.
pub(crate) fn share(value: Option<Unit>) -> String {
    value.map_or_else(|| "n/a".into(), places)
}

/// The id of an item beside its readings; none if it has a text in it that they hide, since a line says which item it is.
pub(super) fn id(item: &Item, readings: &[&Reading]) -> String {
    if item.id == line(item) {
        return item.id.clone();
    }
    let is_shown =
        |reading: &&Reading| Names::of(reading.instrument()).allows_beside(&item.id, &Hidden::of(reading));
    if readings.iter().all(is_shown) { item.id.clone() } else { String::new() }
}

/// The line of an item, with what else is said of it behind its name; the line alone is left out where it is the name.
pub(super) fn at_line(item: &Item, more: &str) -> String {
    match (item.id == line(item), more) {
        (true, more) => more.to_owned(),
        (false, "") => line(item),
        (false, more) => format!("{}, {more}", line(item)),
    }
}

/// The line of an item, which is its id where the data give none.
fn line(item: &Item) -> String {
    format!("line {}", item.line)
}

/// `[0.712, 0.789]` in small print, or nothing.
fn interval(estimate: Option<Estimate>) -> Cell {
    let interval = estimate.and_then(|estimate| estimate.interval);
    let text =
        interval.map_or_else(String::new, |span| format!("[{}, {}]", places(span.low), places(span.high)));
    Line::of(Tone::Dim, text).into()
}

/// A bar for a share without an interval.
pub(super) fn share_bar(value: Option<Unit>) -> Cell {
    Cell::Bar(value.map(|value| Bar { value, interval: None }))
}

/// A cell for each text.
pub(super) fn cells<const N: usize>(texts: [String; N]) -> Vec<Cell> {
    texts.map(Cell::from).into()
}

/// What was evaluated on what; `notes` come before all figures.
pub(super) fn sheet<'r>(subject: Subject, data: &Data, notes: &[String]) -> Sheet<'r> {
    let classes = match (&data.positive, &data.negative) {
        (None, _) => String::new(),
        (Some(positive), Some(negative)) => format!("; positive: {positive}, negative: {negative}"),
        (Some(positive), None) => format!("; positive: {positive}, negative: the rest"),
    };
    let mut facts = vec![("label", format!("{}{classes}", data.label))];
    let chosen = data.r#where.iter().map(|filter| format!("where {filter}"));
    let chosen: Vec<String> = chosen.chain(data.fold.as_ref().map(|fold| format!("fold {fold}"))).collect();
    if !chosen.is_empty() {
        facts.push(("chosen", chosen.join(", ")));
    }
    facts.extend(data.group.clone().map(|group| ("group", group)));
    Sheet {
        kind: "evaluation",
        subject,
        on: data.file.clone(),
        facts,
        notes: notes.to_vec(),
        ..Sheet::default()
    }
}

/// What fitting to `on` by the label `reference` came to; `out`: the file that the protocol is written to.
pub(super) fn fitted_sheet<'r>(name: String, reference: &str, on: &str, out: Option<&str>) -> Sheet<'r> {
    Sheet {
        kind: "fit",
        subject: Subject { name, reference: reference.to_owned(), ..Subject::default() },
        on: on.to_owned(),
        foot: out.map_or_else(Line::default, |out| Line::from("wrote ").and(Tone::Strong, out)),
        ..Sheet::default()
    }
}

/// `; 3 not labelled, left out`, or nothing.
pub(super) fn left_out(data: &Data, why: &str) -> String {
    match data.left_out {
        0 => String::new(),
        n => format!("; {n} {why}, left out"),
    }
}

/// Alarms on ordinary talk, if they were counted.
pub(super) fn alarms(alarms: Option<&Alarms>) -> Vec<(&'static str, String)> {
    alarms.map_or_else(Vec::new, |alarms| vec![("background", alarms.source()), ("alarms", alarms.told())])
}

/// How many of the cases held enough. `consequence` is what is said of one and of several that did not.
pub(super) fn coverage(
    share: Option<Unit>,
    insufficient: u64,
    consequence: [&str; 2],
) -> (&'static str, String) {
    let told = match share {
        Some(share) if insufficient == 1 => {
            format!("{}: 1 holds too little to be measured and {}", places(share), consequence[0])
        }
        Some(share) if insufficient > 0 => {
            format!("{}: {insufficient} hold too little to be measured and {}", places(share), consequence[1])
        }
        _ => "1.000: all hold enough to be measured".to_owned(),
    };
    ("coverage", told)
}

/// A row for each figure: its bar, its interval, and the same on what is covered, if that is less than all. `important` are the
/// figures that stand out; `method` says how the intervals were worked out.
pub(super) fn figures<'r>(
    names: &[&str],
    all: &[Option<Estimate>],
    covered: Option<&[Option<Estimate>]>,
    important: &[usize],
    method: &str,
) -> Part<'r> {
    let row = |(at, name): (usize, &&str)| {
        let tone = if important.contains(&at) { Tone::Strong } else { Tone::Plain };
        let bar = all[at].map(|Estimate { value, interval }| Bar {
            value,
            interval: interval.map(|span| (span.low, span.high)),
        });
        let value = |own: Option<Estimate>| Cell::from(share(own.map(|own| own.value)));
        let mut cells = vec![Line::of(tone, *name).into(), Cell::Bar(bar), value(all[at]), interval(all[at])];
        if let Some(covered) = covered {
            cells.extend([value(covered[at]), interval(covered[at])]);
        }
        Row::of(cells)
    };
    let heads: &[&str] = match covered {
        Some(_) => &["<", "=", "<all", "<", "<covered", "<"],
        None => &["<", "=", "<value", "<95 % interval"],
    };
    // What is the same in all draws has no width by them, however few cases there are.
    let is_flat =
        |own: &Option<Estimate>| own.and_then(|own| own.interval).is_some_and(|span| span.low == span.high);
    let flat = all.iter().chain(covered.unwrap_or_default()).any(is_flat);
    let flat = if flat { "; an interval with equal ends says nothing, since all draws agree" } else { "" };
    Part::Table(Table {
        title: "Figures".into(),
        columns: columns(heads),
        rows: names.iter().enumerate().map(row).collect(),
        below: format!("{method}{flat}"),
        ..Table::default()
    })
}

/// What is wrong with a reading that measured nothing, or nothing.
pub(super) fn insufficient(reading: &Reading) -> String {
    let fidelity = reading.fidelity();
    match fidelity.sufficient {
        true => String::new(),
        false => format!("insufficient (fidelity {})", fidelity.index),
    }
}

/// What each threshold would cost, the one in use first, where its counts are given.
pub(super) fn thresholds<'r>(
    used: Option<(String, Counts, Option<Rate>)>,
    proposals: &[Proposal],
) -> Part<'r> {
    let with_alarms = proposals.iter().any(|proposal| proposal.alarms.is_some());
    let row = |name: String, from: String, range: String, counts: &Counts, alarms: Option<Rate>| {
        let mut all = cells([name, from, range]);
        if with_alarms {
            all.push(alarms.map_or_else(String::new, Rate::told).into());
        }
        let figures = [counts.precision(), counts.recall(), counts.f1(), counts.macro_f1()];
        all.extend(cells(figures.map(share)));
        Row::of(all)
    };
    let used =
        used.map(|(from, counts, alarms)| row("as it is".to_owned(), from, String::new(), &counts, alarms));
    let proposed = proposals.iter().map(|own| {
        let name = own.limit.map_or("labels alone".to_owned(), |limit| format!("{} %", hundredths(limit)));
        let (low, high) = own.range;
        let range = if low == high { low.to_string() } else { format!("{low} to {high}") };
        row(name, own.from.to_string(), range, &own.counts, own.alarms)
    });
    let heads: &[&str] = match with_alarms {
        true => &[
            "<alarms allowed",
            "from",
            "range",
            "<alarms on ordinary talk",
            "precision",
            "recall",
            "F1",
            "macro-F1",
        ],
        false => &["<chosen by", "from", "range", "precision", "recall", "F1", "macro-F1"],
    };
    Part::Table(Table {
        title: "Proposed thresholds".into(),
        columns: columns(heads),
        rows: used.into_iter().chain(proposed).collect(),
        below: "Figures and alarms are of items and talks that the threshold was not chosen on: each part of the data is judged by a \
                threshold that the other parts chose. Range: from the lowest to the highest of these."
            .into(),
        ..Table::default()
    })
}

/// Sixteen of so many rows, evenly chosen, with the first and the last.
pub(super) fn evenly(rows: usize) -> impl Iterator<Item = usize> {
    const ROWS: usize = 16;
    let shown = rows.min(ROWS);
    (0..shown).map(move |nth| if rows <= ROWS { nth } else { nth * (rows - 1) / (ROWS - 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_chosen_evenly_with_first_and_last() {
        assert_eq!(evenly(3).collect::<Vec<_>>(), [0, 1, 2]);
        let many: Vec<usize> = evenly(100).collect();
        assert_eq!((many.len(), many[0], many[15]), (16, 0, 99));
        assert_eq!(evenly(0).count(), 0);
    }

    #[test]
    fn one_and_several_that_hold_too_little_are_told_so() {
        let told = |insufficient| {
            coverage(Some(Unit(500_000)), insufficient, ["counts as negative", "count as negative"]).1
        };
        assert_eq!(told(0), "1.000: all hold enough to be measured");
        assert_eq!(told(1), "0.500: 1 holds too little to be measured and counts as negative");
        assert_eq!(told(2), "0.500: 2 hold too little to be measured and count as negative");
    }
}
