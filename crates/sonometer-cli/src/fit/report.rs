//! What fitting came to: for people, for programs, and for the head of the file.

use super::data::Data;
use super::measure::{Aim, Figures};
use super::scale::Weighted;
use crate::failure::counted;
use crate::json::{self, number};
use crate::paint::Paint;
use serde::ser::SerializeMap;
use sonometer::Unit;

/// How many of the strongest lines are shown.
const SHOWN: usize = 5;

/// What fitting came to.
#[derive(Debug)]
pub(crate) struct Report<'d> {
    pub(crate) data: &'d Data,
    pub(crate) aim: Aim,
    pub(crate) candidates: usize,
    pub(crate) lines: usize,
    pub(crate) cost: f64,
    pub(crate) held_out: Figures,
    pub(crate) training: Figures,
    pub(crate) settings: String,
}

#[derive(serde::Serialize)]
struct Summary<'r> {
    out: &'r str,
    bytes: usize,
    data: &'r str,
    sha256: &'r str,
    label: &'r str,
    items: usize,
    positive: usize,
    candidates: usize,
    lines: usize,
    regularisation: String,
    held_out: Figures,
    training: Figures,
}

impl Report<'_> {
    fn items(&self) -> String {
        let items = counted(self.data.examples.len(), "item");
        format!("{items}, {} positive ({})", self.data.positives(), self.data.label)
    }

    /// The lines of the comment at the head of the file.
    pub(crate) fn notes(&self) -> Vec<String> {
        let folds = self.held_out.folds;
        let mut notes = vec![
            format!("Fitted by `sonometer fit` {}.", env!("CARGO_PKG_VERSION")),
            format!("data      {}, sha-256 {}", self.data.name, self.data.digest),
            format!("items     {}", self.items()),
            format!("settings  {}, C {}, {folds} folds, threshold for {}", self.settings, self.cost, self.aim.name()),
            format!("lines     {} of {} candidates", self.lines, self.candidates),
            "method    linear support vector machine, L2, squared hinge loss, by dual coordinate descent".into(),
            "          (Hsieh et al. 2008, ICML); activation is linear in it, the threshold at 0.5".into(),
            format!("held out  {}", self.held_out.told()),
            format!("training  {}", self.training.told()),
            "Figures are of the engine's own readings; held out: lines, weights, C and threshold chosen without".into(),
            "the items they are measured on. Words were chosen by data, not by meaning: read them before use.".into(),
        ];
        notes.extend(self.note_on_length().map(|note| format!("length    {note}")));
        notes
    }

    /// What to think of where long texts are of one class more often.
    fn note_on_length(&self) -> Option<String> {
        let auc = self.data.auc_of_length().filter(|auc| (auc - 0.5).abs() >= 0.1)?;
        let (which, auc) = if auc > 0.5 { ("longer", auc) } else { ("shorter", 1.0 - auc) };
        let auc = short(Unit((auc * 1e6).round() as i64));
        Some(format!("{which} items are positive more often: the number of words alone has an AUC of {auc}"))
    }

    pub(crate) fn told(&self, paint: &Paint, weighted: &Weighted, out: &str, bytes: usize) -> String {
        let mut text = format!("{}: {}\n", self.data.name, self.items());
        text.push_str(&format!(
            "{} of {}, C {}\n\n",
            counted(self.lines, "line"),
            counted(self.candidates, "candidate"),
            self.cost
        ));
        text.push_str(&table(paint, &[("held out", &self.held_out), ("training", &self.training)]));
        if self.held_out.insufficient > 0 {
            text.push_str(&format!(
                "{}  {} without sufficient signal count as not triggered; --sufficient sets how much is enough\n",
                paint.dim("  note"),
                counted(self.held_out.insufficient, "item")
            ));
        }
        if let Some(note) = self.note_on_length() {
            text.push_str(&format!("{}  {note}\n", paint.dim("  note")));
        }
        let line = |(pattern, weight): &(String, Unit)| format!("{pattern} = {weight}");
        let positive = weighted.lines.iter().filter(|(_, weight)| *weight > Unit::ZERO).take(SHOWN);
        let negative = weighted.lines.iter().rev().filter(|(_, weight)| *weight < Unit::ZERO).take(SHOWN);
        text.push_str(&format!("\nfor      {}\n", positive.map(line).collect::<Vec<_>>().join(", ")));
        text.push_str(&format!("against  {}\n", negative.map(line).collect::<Vec<_>>().join(", ")));
        text.push_str(&format!("\nwrote {} ({} KB)\n", paint.bold(out), bytes.div_ceil(1000)));
        text
    }

    pub(crate) fn json(&self, out: &str, bytes: usize) -> String {
        json::line(&Summary {
            out,
            bytes,
            data: &self.data.name,
            sha256: &self.data.digest,
            label: &self.data.label,
            items: self.data.examples.len(),
            positive: self.data.positives(),
            candidates: self.candidates,
            lines: self.lines,
            regularisation: self.cost.to_string(),
            held_out: self.held_out,
            training: self.training,
        })
    }
}

/// Figures side by side, one row each.
pub(crate) fn table(paint: &Paint, rows: &[(&str, &Figures)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let head = format!("  {:width$}  precision  recall     F1  macro-F1    AUC", "");
    let mut text = format!("{}\n", paint.dim(&head));
    for (name, figures) in rows {
        let [precision, recall, f1, macro_f1, auc] = figures.all().map(|(_, value)| short(value));
        text.push_str(&format!(
            "  {name:width$}  {precision:>9}  {recall:>6}  {f1:>5}  {macro_f1:>8}  {auc:>5}\n"
        ));
    }
    text
}

impl Figures {
    /// In one line, for comments.
    pub(crate) fn told(&self) -> String {
        let [precision, recall, f1, macro_f1, auc] = self.all().map(|(_, value)| short(value));
        format!("macro-F1 {macro_f1}, AUC {auc}, precision {precision}, recall {recall}, F1 {f1}")
    }
}

/// With three decimals.
fn short(value: Unit) -> String {
    let thousandths = (value.0 + 500) / 1000;
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

impl serde::Serialize for Figures {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Value(#[serde(serialize_with = "number")] Unit);

        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.all() {
            map.serialize_entry(name, &Value(value))?;
        }
        map.serialize_entry("insufficient", &self.insufficient)?;
        map.end()
    }
}
