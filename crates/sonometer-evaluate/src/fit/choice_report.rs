//! What fitting a choice came to: for programs, and for the head of the file.

use super::choice::{Outcome, add, macro_f1};
use super::data::Data;
use super::likeness::Alike;
use super::measure::Aim;
use super::report::Figure;
use crate::evaluate::measure::Counts;
use crate::report::places;
use serde::ser::SerializeMap;
use sonometer::Unit;
use sonometer_report::counted;
use sonometer_report::json;
use std::collections::BTreeSet;

/// What fitting a choice came to: a protocol with one marker for each value of a label, and how good it is.
#[derive(Clone, Debug)]
pub struct ChoiceReport {
    pub(crate) data: Data,
    pub(crate) classes: Vec<ClassReport>,
    pub(crate) alike: Option<Alike>,
    pub(crate) candidates: usize,
    pub(crate) cost: f64,
    pub(crate) folds: usize,
    pub(crate) aim: Aim,
    pub(crate) held_out: ChoiceFigures,
    pub(crate) training: ChoiceFigures,
    pub(crate) settings: String,
    pub(crate) protocol: String,
}

/// One value of the label and its marker.
#[derive(Clone, Debug)]
pub(crate) struct ClassReport {
    pub(crate) value: String,
    pub(crate) marker: String,
    pub(crate) items: usize,
    pub(crate) lines: usize,
    pub(crate) trigger: Unit,
    pub(crate) strongest: Vec<(String, Unit)>,
    pub(crate) chance: Chance,
}

/// How well one class was told from the rest on items that were not seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance {
    /// By the highest activation.
    pub(crate) choice: Counts,
    /// By its own trigger.
    pub(crate) trigger: Counts,
    /// Of its activation.
    pub(crate) auc: Unit,
}

/// Figures of all classes together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ChoiceFigures {
    /// The mean F1 of the classes, chosen by the highest activation.
    macro_f1: Unit,
    /// The share of items of which the highest activation is a right one.
    accuracy: Unit,
    /// The mean F1 of the classes by their triggers.
    trigger_macro_f1: Unit,
    /// The share of items of which exactly one marker triggers.
    one_triggered: Unit,
    insufficient: usize,
}

impl ChoiceFigures {
    pub(crate) fn of(outcomes: &[Outcome], truth: &[BTreeSet<usize>], classes: usize) -> Self {
        let (mut choice, mut trigger) = (vec![Counts::default(); classes], vec![Counts::default(); classes]);
        let (mut right, mut single, mut insufficient) = (0, 0, 0);
        for outcome in outcomes {
            let own = &truth[outcome.at];
            add(&mut choice, own, outcome.choice());
            right += usize::from(outcome.choice().is_some_and(|choice| own.contains(&choice)));
            let triggered = |class: usize| outcome.read.as_ref().is_some_and(|read| read[class].1);
            for (class, counts) in trigger.iter_mut().enumerate() {
                counts.add(own.contains(&class), triggered(class), 1);
            }
            single += usize::from((0..classes).filter(|class| triggered(*class)).count() == 1);
            insufficient += usize::from(outcome.read.is_none());
        }
        let share = |part: usize| Unit((part as i64 * 1_000_000) / outcomes.len().max(1) as i64);
        Self {
            macro_f1: macro_f1(&choice),
            accuracy: share(right),
            trigger_macro_f1: macro_f1(&trigger),
            one_triggered: share(single),
            insufficient,
        }
    }

    /// By name.
    pub(crate) fn all(&self) -> [(&'static str, Unit); 4] {
        [
            ("macro_f1", self.macro_f1),
            ("accuracy", self.accuracy),
            ("trigger_macro_f1", self.trigger_macro_f1),
            ("one_triggered", self.one_triggered),
        ]
    }

    fn told(&self) -> String {
        let [macro_f1, accuracy, triggers, one] = self.all().map(|(_, value)| places(value));
        format!(
            "by the highest activation macro-F1 {macro_f1}, accuracy {accuracy}; by triggers macro-F1 {triggers}, exactly one in {one}"
        )
    }
}

impl serde::Serialize for ChoiceFigures {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.all() {
            map.serialize_entry(name, &Figure(value))?;
        }
        map.serialize_entry("insufficient", &self.insufficient)?;
        map.end()
    }
}

#[derive(serde::Serialize)]
struct Summary<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<&'r str>,
    bytes: usize,
    data: &'r str,
    sha256: &'r str,
    label: &'r str,
    items: usize,
    candidates: usize,
    regularisation: String,
    alike: Option<Alike>,
    classes: Vec<Class<'r>>,
    held_out: ChoiceFigures,
    training: ChoiceFigures,
}

#[derive(serde::Serialize)]
struct Class<'r> {
    value: &'r str,
    marker: &'r str,
    items: usize,
    lines: usize,
    trigger: Figure,
    precision: Figure,
    recall: Figure,
    f1: Figure,
    auc: Figure,
    trigger_precision: Figure,
    trigger_recall: Figure,
    trigger_f1: Figure,
}

impl ChoiceReport {
    /// The text of the protocol.
    pub fn protocol(&self) -> &str {
        &self.protocol
    }

    /// The figures on items that were not seen, and on all items, by their names: `macro_f1` and `accuracy` of the choice by the highest
    /// activation, `trigger_macro_f1`, and `one_triggered`, the share of items of which exactly one marker triggers.
    pub fn figures(&self) -> [(&'static str, [(&'static str, Unit); 4]); 2] {
        [("held_out", self.held_out.all()), ("training", self.training.all())]
    }

    pub(crate) fn items(&self) -> String {
        let classes: Vec<String> =
            self.classes.iter().map(|class| format!("{} {}", class.items, class.value)).collect();
        format!("{}: {} ({})", counted(self.data.examples.len(), "item"), classes.join(", "), self.data.label)
    }

    /// The lines of the comment at the head of the file.
    pub(crate) fn notes(&self) -> Vec<String> {
        let lines: usize = self.classes.iter().map(|class| class.lines).sum();
        let mut notes = vec![
            format!("Fitted by `sonometer fit --choice` {}.", env!("CARGO_PKG_VERSION")),
            "One marker for each value. All activations share one scale: of a reading that is sufficient, the marker".into(),
            "with the highest activation is the choice (of equals the first). Triggers are chosen for each marker by".into(),
            "itself: none or several may trigger. The score says nothing of which one holds.".into(),
            format!("data      {}, sha-256 {}", self.data.name, self.data.digest),
            format!("items     {}", self.items()),
            format!(
                "settings  {}, C {}, {} folds, triggers for {}",
                self.settings,
                self.cost,
                self.folds,
                self.aim.of_class()
            ),
            format!("lines     {lines} of all markers, of {} candidates for each", self.candidates),
            "method    linear support vector machine for several classes (Crammer and Singer 2001, JMLR), all weights".into(),
            "          learned together, by the sequential dual method (Keerthi et al. 2008, KDD)".into(),
            format!("alike     {}", Alike::told(self.alike)),
            format!("held out  {}", self.held_out.told()),
        ];
        for class in &self.classes {
            let [precision, recall, f1] = figures(&class.chance.choice).map(places);
            notes.push(format!("          {}: precision {precision}, recall {recall}, F1 {f1}", class.value));
        }
        notes.push(format!("training  {}", self.training.told()));
        notes.push(
            "Figures are of the engine's own readings; held out: lines, weights, C and thresholds chosen without".into(),
        );
        notes.push("the items they are measured on. Words were chosen by data, not by meaning: read them before use.".into());
        notes
    }

    /// One line of JSON, without its line break; `out`: the file that the protocol is written to.
    pub fn to_json(&self, out: Option<&str>) -> String {
        let class = |own: &'_ ClassReport| {
            let [precision, recall, f1] = figures(&own.chance.choice).map(Figure);
            let [trigger_precision, trigger_recall, trigger_f1] = figures(&own.chance.trigger).map(Figure);
            (precision, recall, f1, trigger_precision, trigger_recall, trigger_f1)
        };
        let classes = self.classes.iter().map(|own| {
            let (precision, recall, f1, trigger_precision, trigger_recall, trigger_f1) = class(own);
            Class {
                value: &own.value,
                marker: &own.marker,
                items: own.items,
                lines: own.lines,
                trigger: Figure(own.trigger),
                precision,
                recall,
                f1,
                auc: Figure(own.chance.auc),
                trigger_precision,
                trigger_recall,
                trigger_f1,
            }
        });
        json::text(&Summary {
            out,
            bytes: self.protocol.len(),
            data: &self.data.name,
            sha256: &self.data.digest,
            label: &self.data.label,
            items: self.data.examples.len(),
            candidates: self.candidates,
            regularisation: self.cost.to_string(),
            alike: self.alike,
            classes: classes.collect(),
            held_out: self.held_out,
            training: self.training,
        })
    }
}

/// Precision, recall and F1, 0 where they are not defined.
pub(crate) fn figures(counts: &Counts) -> [Unit; 3] {
    [counts.precision(), counts.recall(), counts.f1()].map(|figure| figure.unwrap_or(Unit::ZERO))
}
