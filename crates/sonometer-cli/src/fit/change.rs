//! What tuning came to: for people, for programs, and for the head of the file.

use super::data::{Data, file_name};
use super::measure::{Aim, Figures};
use super::report::table;
use super::tune::Tuned;
use crate::failure::counted;
use crate::json;
use crate::paint::Paint;

/// What tuning came to.
#[derive(Debug)]
pub(crate) struct Change<'t> {
    pub(crate) data: &'t Data,
    /// The protocol that was tuned.
    pub(crate) target: &'t str,
    pub(crate) label: &'t str,
    pub(crate) aim: Aim,
    pub(crate) tuned: &'t Tuned,
}

#[derive(serde::Serialize)]
struct Summary<'r> {
    out: &'r str,
    data: &'r str,
    sha256: &'r str,
    label: &'r str,
    items: usize,
    positive: usize,
    marker: &'r str,
    changed: bool,
    changes: Vec<Step<'r>>,
    before: Figures,
    held_out: Figures,
    training: Figures,
    broken_tests: usize,
}

#[derive(serde::Serialize)]
struct Step<'r> {
    name: &'r str,
    before: &'r str,
    after: &'r str,
}

impl Change<'_> {
    /// The text of the file: with a comment at its head if it is a new one.
    pub(crate) fn file(&self) -> String {
        let Tuned { text, before, held_out, is_better, .. } = self.tuned;
        if !is_better {
            return text.clone();
        }
        let notes = [
            format!(
                "Marker `{}` of {} tuned by `sonometer fit` {}:",
                self.label,
                file_name(self.target),
                env!("CARGO_PKG_VERSION")
            ),
            self.steps().join(", "),
            format!("data      {}, sha-256 {}", self.data.name, self.data.digest),
            format!(
                "items     {}, {} positive ({})",
                counted(self.data.examples.len(), "item"),
                self.data.positives(),
                self.data.label
            ),
            format!("before    {}", before.told()),
            format!("held out  {} ({} folds, for {})", held_out.told(), held_out.folds, self.aim.name()),
        ];
        notes.iter().map(|note| format!("# {note}\n")).collect::<String>() + text
    }

    fn steps(&self) -> Vec<String> {
        let step = |(name, before, after): &(&str, String, String)| format!("{name} {before} → {after}");
        self.tuned.changes.iter().map(step).collect()
    }

    pub(crate) fn told(&self, paint: &Paint, out: &str) -> String {
        let Tuned { before, held_out, training, is_better, broken, .. } = self.tuned;
        let mut text = format!(
            "{}: {}, {} positive ({})\n`{}` of {}: {}\n\n",
            self.data.name,
            counted(self.data.examples.len(), "item"),
            self.data.positives(),
            self.data.label,
            self.label,
            self.target,
            if self.tuned.changes.is_empty() { "no change".to_owned() } else { self.steps().join(", ") }
        );
        let mut rows = vec![("before", before), ("held out", held_out)];
        if *is_better {
            rows.push(("training", training));
        }
        text.push_str(&table(paint, &rows));
        let wrote = paint.bold(out);
        if *is_better {
            text.push_str(&format!("\nwrote {wrote}\n"));
        } else {
            text.push_str(&format!(
                "\nno better {} on items that tuning had not seen: wrote {wrote} as it was\n",
                self.aim.name()
            ));
        }
        if *broken > 0 {
            text.push_str(&format!(
                "{} now fail: see `sonometer test {out}`\n",
                counted(*broken, "self test")
            ));
        }
        text
    }

    pub(crate) fn json(&self, out: &str) -> String {
        let Tuned { changes, before, held_out, training, is_better, broken, .. } = self.tuned;
        json::line(&Summary {
            out,
            data: &self.data.name,
            sha256: &self.data.digest,
            label: &self.data.label,
            items: self.data.examples.len(),
            positive: self.data.positives(),
            marker: self.label,
            changed: *is_better,
            changes: changes.iter().map(|(name, before, after)| Step { name, before, after }).collect(),
            before: *before,
            held_out: *held_out,
            training: *training,
            broken_tests: *broken,
        })
    }
}
