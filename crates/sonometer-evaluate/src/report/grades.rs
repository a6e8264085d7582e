//! The report of an evaluation against grades.

use super::common::{
    at_line, cells, coverage, id, insufficient, left_out, places, share_bar, sheet as common,
};
use crate::evaluate::graded::{Bin, GradedEvaluation, Wrong};
use crate::evaluate::measure::Estimate;
use sonometer::Unit;
use sonometer_report::{
    Boxes, Case, Cases, Cell, Group, Line, Part, Plot, Plots, Row, Sheet, Table, Talk, Text, Tone, columns,
    counted,
};

/// The most points that are drawn; of more, evenly chosen ones.
const POINTS: usize = 3_000;

/// The whole evaluation.
pub(super) fn sheet(evaluation: &GradedEvaluation) -> Sheet<'_> {
    let GradedEvaluation { subject, data, notes, gauge, items, covered_items, .. } = evaluation;
    let mut sheet = common(subject.clone(), data, notes);
    let lacking = items - covered_items;
    sheet.facts.extend([
        ("ranked by", gauge.name()),
        ("items", format!("{items}{}", left_out(data, "not labelled"))),
        coverage(evaluation.coverage(), lacking as u64, ["ranks last", "rank last"]),
    ]);
    let mut rows = vec![figure("Spearman's rho", *items, evaluation.correlation)];
    if lacking > 0 {
        rows.push(figure("of what is covered", *covered_items, evaluation.covered));
    }
    sheet.parts.push(Part::Table(Table {
        title: "Figures".into(),
        columns: columns(&["<", "items", "rho", "<95 % interval"]),
        rows,
        below: method(evaluation.independent).into(),
        ..Table::default()
    }));
    sheet.parts.extend(values(evaluation));
    sheet.parts.push(Part::Table(markers(evaluation)));
    if let Some((label, parts)) = &evaluation.by {
        let label_head = format!("<{label}");
        sheet.parts.push(Part::Table(Table {
            title: format!("By {label}"),
            columns: columns(&[&label_head, "items", "rho", "<95 % interval"]),
            rows: parts.iter().map(|(value, items, own)| figure(value, *items, *own)).collect(),
            ..Table::default()
        }));
    }
    let [high, low] = &evaluation.errors;
    sheet.parts.push(wrong("Ranked far above the grade", high, evaluation.explain));
    sheet.parts.push(wrong("Ranked far below the grade", low, evaluation.explain));
    sheet
}

/// How the intervals were worked out.
fn method(independent: bool) -> &'static str {
    match independent {
        true => "95 % intervals: Fisher's z with the variance of Bonett and Wright (2000)",
        false => "95 % intervals: bootstrap (1,999 draws of whole groups)",
    }
}

fn figure(name: &str, items: usize, own: Option<Estimate>) -> Row {
    let name = Line::of(Tone::Plain, name).into();
    Row::of(vec![name, items.to_string().into(), coefficient(own).into(), interval(own)])
}

/// Three places with a sign.
fn signed(value: Unit) -> String {
    let size = places(Unit(value.0.abs()));
    match value.0 {
        _ if size == "0.000" => size,
        0.. => format!("+{size}"),
        _ => format!("-{size}"),
    }
}

/// `+0.123`, or `n/a`.
fn coefficient(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(|| "n/a".into(), |estimate| signed(estimate.value))
}

/// `[+0.065, +0.181]`, or nothing.
fn interval(estimate: Option<Estimate>) -> Cell {
    let interval = estimate.and_then(|estimate| estimate.interval);
    let text =
        interval.map_or_else(String::new, |span| format!("[{}, {}]", signed(span.low), signed(span.high)));
    Line::of(Tone::Dim, text).into()
}

/// The grades of a bin.
fn grades(bin: &Bin) -> String {
    let (from, to) = bin.grades;
    // Three places are enough to know which are meant.
    let short = |grade: f64| Unit::parse(&grade.to_string()).map_or_else(|| grade.to_string(), short);
    if from == to { short(from) } else { format!("{} to {}", short(from), short(to)) }
}

fn short(grade: Unit) -> String {
    match grade.0 % 1_000_000 {
        0 => grade.to_string(),
        _ if grade.0 < 0 => format!("-{}", places(Unit(grade.0.abs()))),
        _ => places(grade),
    }
}

/// The values of each bin of grades, drawn and in numbers.
fn values(evaluation: &GradedEvaluation) -> [Part<'_>; 2] {
    let bins = &evaluation.bins;
    let step = evaluation.items.div_ceil(POINTS).max(1);
    let mut number = 0_usize;
    let thousandths = |value: &Unit| value.clamp_to_one().0.unsigned_abs() / 1000;
    let groups = bins.iter().map(|bin| {
        let mut drawn = |_: &&Unit| {
            number += 1;
            number.is_multiple_of(step)
        };
        Group {
            points: bin.points.iter().filter(|value| drawn(value)).map(thousandths).collect(),
            quartiles: bin.quartiles().each_ref().map(thousandths),
        }
    });
    let drawing = Boxes {
        title: format!("{} by grade", evaluation.gauge.name()),
        across: "grades, in bins",
        groups: groups.collect(),
    };
    let row = |(at, bin): (usize, &Bin)| {
        let [first, median, third] = bin.quartiles();
        let [number, grades, items, mean, median, half] = [
            (at + 1).to_string(),
            grades(bin),
            bin.values.len().to_string(),
            places(bin.mean()),
            places(median),
            format!("{} to {}", places(first), places(third)),
        ]
        .map(Cell::from);
        Row::of(vec![number, grades, items, share_bar(Some(bin.mean())), mean, median, half])
    };
    let table = Table {
        title: "Values by grade".into(),
        columns: columns(&["*", "<grade", "items", "=", "mean", "median", "*middle half"]),
        rows: bins.iter().enumerate().map(row).collect(),
        ..Table::default()
    };
    let plots = Plots {
        title: "Values by grade".into(),
        about: "Every item is a point, in columns from the lowest grades to the highest; a box holds the middle half of a \
                column, its line is the median."
            .into(),
        plots: if bins.is_empty() { Vec::new() } else { vec![Plot::Boxes(drawing)] },
        ..Plots::default()
    };
    [Part::Plots(plots), Part::Table(table)]
}

fn markers(evaluation: &GradedEvaluation) -> Table {
    let rows = evaluation.markers.iter().map(|marker| {
        let mut cells =
            cells([marker.label.clone(), marker.triggered.to_string(), coefficient(marker.correlation)]);
        cells.push(interval(marker.correlation));
        Row { page_only: marker.correlation.is_none(), ..Row::of(cells) }
    });
    let silent = evaluation.markers.iter().filter(|marker| marker.correlation.is_none());
    Table {
        title: "Markers".into(),
        about: "The rank correlation of each marker's resonance with the grade.".into(),
        columns: columns(&["<marker", "triggered", "rho", "<95 % interval"]),
        rows: rows.collect(),
        silent: Some(("never differs", silent.map(|marker| marker.label.clone()).collect())),
        ..Table::default()
    }
}

fn wrong<'r>(title: &str, worst: &'r [Wrong], explained: bool) -> Part<'r> {
    let case = |wrong: &'r Wrong| Case {
        name: id(&wrong.item, &[&wrong.sensed]),
        about: place(wrong),
        warning: insufficient(&wrong.sensed),
        lines: Vec::new(),
        texts: vec![Text { explained, ..Talk::of(&wrong.sensed).into() }],
    };
    let about = match worst.len() {
        0 => "none shown".to_owned(),
        shown => format!("{}, the furthest first", counted(shown, "item")),
    };
    Part::Cases(Cases { title: title.into(), about, cases: worst.iter().map(case).collect() })
}

/// Where an item stands.
fn place(wrong: &Wrong) -> String {
    let grade = format!(
        "grade {} (above {} of all), value {} (above {})",
        wrong.case.grade,
        places(wrong.graded_above),
        wrong.case.value,
        places(wrong.ranked_above)
    );
    at_line(&wrong.item, &grade)
}
