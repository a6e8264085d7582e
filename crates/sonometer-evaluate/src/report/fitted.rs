//! What fitting and tuning came to, for people.

use super::common::{alarms, cells, share, thresholds};
use crate::fit::change::Change;
use crate::fit::likeness::Alike;
use crate::fit::measure::Figures;
use crate::fit::report::{FitReport, NO_BACKGROUND};
use crate::fit::tune::Tuned;
use sonometer::Unit;
use sonometer_report::{Line, Paint, Part, Row, Sheet, Subject, Table, Tone, columns, counted};

/// How many of the strongest lines are shown.
const SHOWN: usize = 5;

impl FitReport {
    /// What text and page show; `out`: the file that the protocol is written to.
    pub fn sheet(&self, out: Option<&str>) -> Sheet<'_> {
        let mut facts = vec![
            ("items", self.items()),
            (
                "lines",
                format!(
                    "{} of {}, C {}",
                    counted(self.lines(), "line"),
                    counted(self.candidates, "candidate"),
                    self.cost
                ),
            ),
        ];
        let line = |(pattern, weight): &(String, Unit)| format!("{pattern} = {weight}");
        let positive = self.weighted.lines.iter().filter(|(_, weight)| *weight > Unit::ZERO).take(SHOWN);
        let negative =
            self.weighted.lines.iter().rev().filter(|(_, weight)| *weight < Unit::ZERO).take(SHOWN);
        facts.push(("alike", Alike::told(self.alike)));
        facts.extend(alarms(self.alarms.as_ref()));
        facts.push(("for", positive.map(line).collect::<Vec<_>>().join(", ")));
        facts.push(("against", negative.map(line).collect::<Vec<_>>().join(", ")));
        let insufficient = self.held_out.insufficient;
        let lacking = (insufficient > 0).then(|| {
            format!(
                "{} without sufficient signal count as not triggered; --sufficient sets how much is enough",
                counted(insufficient, "item")
            )
        });
        let blind = self.alarms.is_none().then(|| format!("alarms {NO_BACKGROUND}"));
        Sheet {
            kind: "fit",
            subject: Subject {
                name: "Fitted list".into(),
                reference: self.data.label.clone(),
                ..Subject::default()
            },
            on: self.data.name.clone(),
            facts,
            parts: vec![
                table(&[("held out", &self.held_out), ("training", &self.training)]),
                thresholds(None, &self.proposals),
            ],
            notes: lacking.into_iter().chain(self.note_on_length()).chain(blind).collect(),
            foot: out.map_or_else(Line::default, |out| {
                let size = self.protocol.len().div_ceil(1000);
                Line::from("wrote ").and(Tone::Strong, out).and(Tone::Plain, format!(" ({size} KB)"))
            }),
        }
    }

    /// Tables for people; `out`: the file that the protocol is written to.
    pub fn to_text(&self, paint: &Paint, out: Option<&str>) -> String {
        self.sheet(out).to_text(paint)
    }

    /// A page that needs no network.
    pub fn to_html(&self, out: Option<&str>) -> String {
        self.sheet(out).to_html()
    }
}

impl Change {
    /// What text and page show; `out`: the file that the protocol is written to.
    pub fn sheet(&self, out: Option<&str>) -> Sheet<'_> {
        let Tuned { before, held_out, training, is_better, broken, .. } = &self.tuned;
        let items = format!(
            "{}, {} positive ({})",
            counted(self.data.examples.len(), "item"),
            self.data.positives(),
            self.data.label
        );
        let changes = match self.tuned.changes.is_empty() {
            true => "none".to_owned(),
            false => self.steps().join(", "),
        };
        let mut rows = vec![("before", before), ("held out", held_out)];
        if *is_better {
            rows.push(("training", training));
        }
        let mut notes = Vec::new();
        if !is_better {
            let aim = self.aim.name();
            notes.push(format!(
                "no better {aim} on items that tuning had not seen: the protocol stays as it was"
            ));
        }
        if *broken > 0 {
            let see =
                out.map_or_else(|| "its self tests".to_owned(), |out| format!("`sonometer test {out}`"));
            notes.push(format!("{} now fail: see {see}", counted(*broken, "self test")));
        }
        Sheet {
            kind: "fit",
            subject: Subject {
                name: format!("Marker `{}`", self.label),
                reference: self.target.clone(),
                ..Subject::default()
            },
            on: self.data.name.clone(),
            facts: vec![("items", items), ("alike", Alike::told(self.alike)), ("changes", changes)],
            parts: vec![table(&rows)],
            notes,
            foot: out.map_or_else(Line::default, |out| Line::from("wrote ").and(Tone::Strong, out)),
        }
    }

    /// Tables for people; `out`: the file that the protocol is written to.
    pub fn to_text(&self, paint: &Paint, out: Option<&str>) -> String {
        self.sheet(out).to_text(paint)
    }

    /// A page that needs no network.
    pub fn to_html(&self, out: Option<&str>) -> String {
        self.sheet(out).to_html()
    }
}

/// Figures side by side, one row each.
fn table<'r>(rows: &[(&str, &Figures)]) -> Part<'r> {
    let row = |(name, figures): &(&str, &Figures)| {
        let mut all = cells([(*name).to_owned()]);
        all.extend(cells(figures.all().map(|(_, value)| share(Some(value)))));
        Row::of(all)
    };
    Part::Table(Table {
        title: "Figures".into(),
        columns: columns(&["<", "precision", "recall", "F1", "macro-F1", "AUC"]),
        rows: rows.iter().map(row).collect(),
        ..Table::default()
    })
}
