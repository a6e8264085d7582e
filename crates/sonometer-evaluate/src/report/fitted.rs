//! What fitting and tuning came to, for people.

use super::common::{alarms, cells, fitted_sheet, share, thresholds};
use crate::fit::change::Change;
use crate::fit::choice_report::{self, ChoiceFigures, ChoiceReport};
use crate::fit::likeness::Alike;
use crate::fit::measure::Figures;
use crate::fit::pair_report::{PairFigures, PairReport};
use crate::fit::report::{FitReport, NO_BACKGROUND, told_by_hand};
use crate::fit::tune::Tuned;
use sonometer::Unit;
use sonometer_report::{Line, Paint, Part, Row, Sheet, Table, Tone, columns, counted};

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
                    "{} of {}{}, C {}",
                    counted(self.lines(), "line"),
                    counted(self.candidates, "candidate"),
                    told_by_hand(self.by_hand),
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
        let broken = (self.broken > 0).then(|| broken(self.broken, out));
        let blind = self.alarms.is_none().then(|| format!("alarms {NO_BACKGROUND}"));
        Sheet {
            facts,
            parts: vec![
                table(&[("held out", &self.held_out), ("training", &self.training)]),
                thresholds(None, &self.proposals),
            ],
            notes: lacking.into_iter().chain(broken).chain(self.note_on_length()).chain(blind).collect(),
            foot: out.map_or_else(Line::default, |out| {
                let size = self.protocol.len().div_ceil(1000);
                Line::from("wrote ").and(Tone::Strong, out).and(Tone::Plain, format!(" ({size} KB)"))
            }),
            ..fitted_sheet("Fitted list".into(), &self.data.label, &self.data.name, out)
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

impl ChoiceReport {
    /// What text and page show; `out`: the file that the protocol is written to.
    pub fn sheet(&self, out: Option<&str>) -> Sheet<'_> {
        let lines: usize = self.classes.iter().map(|class| class.lines).sum();
        let mut facts = vec![
            ("items", self.items()),
            (
                "lines",
                format!(
                    "{} of all markers, of {} for each, C {}",
                    counted(lines, "line"),
                    counted(self.candidates, "candidate"),
                    self.cost
                ),
            ),
            ("alike", Alike::told(self.alike)),
        ];
        for class in &self.classes {
            let strongest: Vec<String> =
                class.strongest.iter().map(|(pattern, weight)| format!("{pattern} = {weight}")).collect();
            facts.push((
                "marker",
                format!("{}, from {}: {}", class.marker, class.trigger, strongest.join(", ")),
            ));
        }
        let figure = |value: Unit| share(Some(value));
        let classes = self.classes.iter().map(|class| {
            let [precision, recall, f1] = choice_report::figures(&class.chance.choice).map(figure);
            let [by_precision, by_recall, by_f1] = choice_report::figures(&class.chance.trigger).map(figure);
            let auc = figure(class.chance.auc);
            Row::of(cells([class.value.clone(), precision, recall, f1, auc, by_precision, by_recall, by_f1]))
        });
        let row = |(name, figures): (&str, &ChoiceFigures)| {
            let [macro_f1, accuracy, triggers, one] = figures.all().map(|(_, value)| figure(value));
            Row::of(cells([name.to_owned(), macro_f1, accuracy, triggers, one]))
        };
        let together = [("held out", &self.held_out), ("training", &self.training)].map(row);
        Sheet {
            facts,
            parts: vec![
                Part::Table(Table {
                    title: "Figures".into(),
                    columns: columns(&["<", "macro-F1", "accuracy", "triggers: macro-F1", "exactly one"]),
                    rows: together.into(),
                    ..Table::default()
                }),
                Part::Table(Table {
                    title: "Classes, held out".into(),
                    columns: columns(&[
                        "<", "precision", "recall", "F1", "AUC", "trigger: precision", "recall", "F1",
                    ]),
                    rows: classes.collect(),
                    ..Table::default()
                }),
            ],
            notes: vec![
                "The marker with the highest activation is the choice; triggers are chosen for each marker by itself.".into(),
            ],
            ..fitted_sheet("Fitted choice".into(), &self.data.label, &self.data.name, out)
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

impl PairReport {
    /// What text and page show; `out`: the file that the protocol is written to.
    pub fn sheet(&self, out: Option<&str>) -> Sheet<'_> {
        let line = |(pattern, weight): &(String, Unit)| format!("{pattern} = {weight}");
        let lines = &self.weighted.lines;
        let more: Vec<String> =
            lines.iter().filter(|(_, own)| *own > Unit::ZERO).take(SHOWN).map(line).collect();
        let less: Vec<String> =
            lines.iter().rev().filter(|(_, own)| *own < Unit::ZERO).take(SHOWN).map(line).collect();
        let row = |(name, own): (&str, &PairFigures)| {
            let [accuracy, longer, even_accuracy, even_longer] =
                own.all().map(|(_, value)| share(Some(value)));
            Row::of(cells([
                name.to_owned(),
                accuracy,
                longer,
                own.even.to_string(),
                even_accuracy,
                even_longer,
            ]))
        };
        Sheet {
            facts: vec![
                ("pairs", self.items()),
                (
                    "lines",
                    format!(
                        "{} of {}, C {}",
                        counted(lines.len(), "line"),
                        counted(self.candidates, "candidate"),
                        self.cost
                    ),
                ),
                ("alike", self.told_alike()),
                ("more", more.join(", ")),
                ("less", less.join(", ")),
            ],
            parts: vec![Part::Table(Table {
                title: "Pairs ranked rightly".into(),
                columns: columns(&["<", "all", "the longer", "of even length", "right", "the longer"]),
                rows: [("held out", &self.held_out), ("training", &self.training)].map(row).into(),
                ..Table::default()
            })],
            notes: vec![
                "Of even length: both texts differ by at most a tenth. Undecided pairs count half.".into(),
            ],
            ..fitted_sheet("Fitted ranking".into(), &self.data.label, &self.data.name, out)
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
            notes.push(self::broken(*broken, out));
        }
        Sheet {
            facts: vec![
                ("items", items),
                ("alike", Alike::told(self.alike)),
                (if *is_better { "changes" } else { "tried" }, changes),
            ],
            parts: vec![table(&rows)],
            notes,
            ..fitted_sheet(format!("Marker `{}`", self.label), &self.target, &self.data.name, out)
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

/// What is said of self tests that fail now.
fn broken(tests: usize, out: Option<&str>) -> String {
    let see = out.map_or_else(|| "its self tests".to_owned(), |out| format!("`sonometer test {out}`"));
    format!("{} now fail: see {see}", counted(tests, "self test"))
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
