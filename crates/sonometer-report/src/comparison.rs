//! The report of two readings side by side.

use crate::names::Names;
use crate::paint::Tone;
use crate::sheet::{Cell, Gauge, Gauges, Line, Part, Row, Sheet, Table, columns};
use crate::subject::{Subject, reference};
use crate::text::ledger::signed;
use crate::words::counted;
use sonometer::compare::Direction;
use sonometer::protocol::Better;
use sonometer::{Comparison, Instrument, Unit};

/// The report of a comparison; `names` are those of its two sides, `a` and `b` in the place of one with something masked in it.
pub fn of_comparison<'r>(
    instrument: &Instrument,
    comparison: &Comparison,
    names: [&str; 2],
    price: bool,
) -> Sheet<'r> {
    let mut allowed = Names::of(instrument);
    let shown = |(name, letter)| if allowed.allows(name) { name } else { letter };
    let names: Vec<&str> = names.into_iter().zip(["a", "b"]).map(shown).collect();
    let sides = names.into_iter().zip([&comparison.a, &comparison.b]);
    let rows = sides.map(|(name, side)| {
        let markers = counted(usize::try_from(side.triggered).unwrap_or(usize::MAX), "marker");
        Gauge { rest: Line::of(Tone::Dim, format!("{markers} triggered")), ..Gauge::of(name, side.score) }
    });
    let delta = comparison.delta;
    let tone = match delta.direction {
        Direction::Improvement => Tone::Good,
        Direction::Decline => Tone::Bad,
        Direction::Unchanged => Tone::Strong,
    };
    let low = if instrument.better() == Better::Lower { " (low is good)" } else { "" };
    let change = Line::of(tone, delta.direction.as_str())
        .and(Tone::Plain, format!(" {}{low}", change(delta.score_change)));
    let ics = comparison.ics;
    let price = if price { format!(", ${}", ics.cost_usd) } else { String::new() };
    Sheet {
        kind: "comparison",
        subject: Subject { reference: kind_and_reference(instrument), ..Subject::from(instrument) },
        parts: vec![
            Part::Gauges(Gauges { rows: rows.collect(), ..Gauges::default() }),
            Part::Lines { title: String::new(), lines: vec![change] },
            Part::Table(shifts(comparison)),
        ],
        foot: format!("{} ICS{price}", ics.consumed).into(),
        ..Sheet::default()
    }
}

/// The markers that moved, from what to what.
fn shifts(comparison: &Comparison) -> Table {
    let all = comparison.resonance_shifts();
    let rows = all.filter(|(.., shift)| *shift != Unit::ZERO).map(|(label, a, b, shift)| {
        let label = Cell::from(Line::of(Tone::Strong, label));
        Row::of(vec![label, a.to_string().into(), "→".into(), b.to_string().into(), change(shift).into()])
    });
    let rows: Vec<Row> = rows.collect();
    let below = match comparison.a.resonance.len() - rows.len() {
        0 => String::new(),
        still => format!("{} as before", counted(still, "marker")),
    };
    Table { columns: columns(&["<", "", "<", "<", "<"]), rows, below, ..Table::default() }
}

/// With a sign unless it is 0.
fn change(change: Unit) -> String {
    if change == Unit::ZERO { change.to_string() } else { signed(change) }
}

/// `protocol courtesy@1.5`
fn kind_and_reference(instrument: &Instrument) -> String {
    match instrument.sensor() {
        Some(_) => format!("{} {}", instrument.kind().as_str(), reference(instrument)),
        None => reference(instrument),
    }
}
