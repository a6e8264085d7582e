//! What of a corpus is drawn: scores, and their courses.

use super::course::Period;
use super::scores::Quantiles;
use super::{Corpus, TENTHS};
use crate::plot::{Columns, Plot, Track, permille};
use crate::sheet::{Bar, Cell, Part, Plots, Row, Table, columns};
use crate::words::grouped;
use sonometer::Unit;

/// Parts of the scale that scores are drawn in.
pub(crate) const BINS: usize = 20;

impl Corpus<'_> {
    /// How many talks have which score.
    pub(super) fn distribution(&self, all: Quantiles) -> Plots {
        let bins = self.scores.bins(BINS);
        let lines = vec![(permille_of(all.median), format!("median {}", all.median))];
        let ticks = [(0, "0"), (250, "0.25"), (500, "0.5"), (750, "0.75"), (1000, "1")];
        let drawing = Columns {
            title: "Talks by score".into(),
            across: "score".into(),
            up: "talks".into(),
            series: vec![("talks", bins)],
            ticks: ticks.map(|(at, tick)| (at, tick.to_owned())).to_vec(),
            lines,
        };
        let named = [
            ("least", all.least),
            ("a tenth below", all.tenth),
            ("a quarter below", all.quarter),
            ("median", all.median),
            ("a quarter above", all.three_quarters),
            ("a tenth above", all.nine_tenths),
            ("greatest", all.most),
        ];
        let rows = named.map(|(name, value)| {
            let bar = Cell::Bar(Some(Bar { value, interval: None }));
            Row::of(vec![name.into(), value.to_string().into(), bar])
        });
        Plots {
            title: "Scores".into(),
            plots: vec![Plot::Columns(drawing)],
            table: Some(Table {
                columns: columns(&["<talks", "score", "="]),
                rows: rows.to_vec(),
                ..Table::default()
            }),
            ..Plots::default()
        }
    }

    /// The course of scores, where talks have dates.
    pub(super) fn by_time<'r>(&self) -> Option<Part<'r>> {
        let (periods, span) = self.course.periods();
        if periods.len() < 2 {
            return None;
        }
        let along = |at: u64| permille(at, span.saturating_sub(1));
        let places = self.course.places();
        let points = places.iter().map(|(at, mean)| (along(*at), permille_of(*mean))).collect();
        // A date in the middle has room between those at the ends, one with an hour has none on a telephone.
        let is_free =
            |nth: &usize| (360..=640).contains(&along(places[*nth].0)) && self.course.length() != "hour";
        let middle =
            (1..periods.len() - 1).filter(is_free).min_by_key(|nth| along(places[*nth].0).abs_diff(500));
        let named: Vec<usize> = [0].into_iter().chain(middle).chain([periods.len() - 1]).collect();
        let ticks = named.iter().map(|nth| (along(places[*nth].0), periods[*nth].shown.clone())).collect();
        let drawing = Track {
            title: format!("Mean score by {}", self.course.length()),
            across: "time (UTC)".into(),
            up: "mean score".into(),
            points,
            ticks,
        };
        let row = |Period { shown, count, mean, .. }: Period| {
            let bar = Cell::Bar(Some(Bar { value: mean, interval: None }));
            Row::of(vec![shown.into(), grouped(count).into(), mean.to_string().into(), bar])
        };
        let head = match self.course.length() {
            "hour" => "<hour",
            "day" => "<day",
            _ => "<from",
        };
        Some(Part::Plots(Plots {
            title: "Course by time".into(),
            about: "By the time of the first turn of each talk, in UTC.".into(),
            plots: vec![Plot::Track(drawing)],
            table: Some(Table {
                title: "All periods".into(),
                columns: columns(&[head, "talks", "mean score", "="]),
                rows: periods.into_iter().map(row).collect(),
                folded: true,
                ..Table::default()
            }),
            ..Plots::default()
        }))
    }

    /// Where in a talk evidence stands.
    pub(super) fn within<'r>(&self) -> Option<Part<'r>> {
        let series = |at: usize| -> Vec<u64> { self.tenths.iter().map(|tenth| tenth[at]).collect() };
        let (improves, worsens) = (series(0), series(1));
        if self.long == 0 || improves.iter().chain(&worsens).all(|count| *count == 0) {
            return None;
        }
        let row = |at: usize| {
            let name = format!("{} to {} %", at * 10, at * 10 + 10);
            Row::of(vec![name.into(), grouped(improves[at]).into(), grouped(worsens[at]).into()])
        };
        let rows = (0..TENTHS).map(row).collect();
        let has_both = [&improves, &worsens].iter().all(|counts| counts.iter().any(|count| *count > 0));
        let mut series = vec![("improves the score", improves.clone()), ("worsens it", worsens.clone())];
        if !has_both {
            series.retain(|(_, counts)| counts.iter().any(|count| *count > 0));
        }
        let title = match series.as_slice() {
            [(one, _)] => {
                format!("Evidence that {one} by part of the talk").replace("worsens it", "worsens the score")
            }
            _ => "Evidence by part of the talk".into(),
        };
        let ticks = [(0, "beginning"), (500, "middle"), (1000, "end")];
        let drawing = Columns {
            title,
            across: "part of the talk".into(),
            up: "pieces of evidence".into(),
            series,
            ticks: ticks.map(|(at, tick)| (at, tick.to_owned())).to_vec(),
            lines: Vec::new(),
        };
        Some(Part::Plots(Plots {
            title: "Course within talks".into(),
            about: format!("Of {} talks with {TENTHS} turns or more.", grouped(self.long)),
            plots: vec![Plot::Columns(drawing)],
            table: Some(Table {
                columns: columns(&["<part", "improves", "worsens"]),
                rows,
                ..Table::default()
            }),
            ..Plots::default()
        }))
    }
}

fn permille_of(value: Unit) -> u64 {
    let thousandths = (value.clamp_to_one().0 + 500) / 1_000;
    u64::try_from(thousandths).unwrap_or(0)
}
