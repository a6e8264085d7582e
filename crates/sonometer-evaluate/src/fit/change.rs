//! What tuning came to: for programs, and for the head of the file.

use super::data::{Data, file_name};
use super::likeness::Alike;
use super::measure::{Aim, Figures};
use super::tune::Tuned;
use sonometer_report::counted;
use sonometer_report::json;

/// What tuning came to.
#[derive(Clone, Debug)]
pub struct Change {
    pub(crate) data: Data,
    /// The protocol that was tuned.
    pub(crate) target: String,
    pub(crate) label: String,
    pub(crate) aim: Aim,
    pub(crate) alike: Option<Alike>,
    pub(crate) tuned: Tuned,
}

#[derive(serde::Serialize)]
struct Summary<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<&'r str>,
    data: &'r str,
    sha256: &'r str,
    label: &'r str,
    items: usize,
    positive: usize,
    marker: &'r str,
    changed: bool,
    changes: Vec<Step<'r>>,
    alike: Option<Alike>,
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

impl Change {
    /// The text of the protocol: with a comment at its head if it is a new one.
    pub fn protocol(&self) -> String {
        let Tuned { text, before, held_out, is_better, .. } = &self.tuned;
        if !is_better {
            return text.clone();
        }
        let notes = [
            format!(
                "Marker `{}` of {} tuned by `sonometer fit` {}:",
                self.label,
                file_name(&self.target),
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
            format!("alike     {}", Alike::told(self.alike)),
            format!("before    {}", before.told()),
            format!("held out  {} ({} folds, for {})", held_out.told(), held_out.folds, self.aim.name()),
        ];
        notes.iter().map(|note| format!("# {note}\n")).collect::<String>() + text
    }

    pub(crate) fn steps(&self) -> Vec<String> {
        let step = |(name, before, after): &(&str, String, String)| format!("{name} {before} → {after}");
        self.tuned.changes.iter().map(step).collect()
    }

    /// Whether tuning did better on items that it had not seen; else the protocol is as it was.
    pub fn is_better(&self) -> bool {
        self.tuned.is_better
    }

    /// One line of JSON, without its line break; `out`: the file that the protocol is written to.
    pub fn to_json(&self, out: Option<&str>) -> String {
        let Tuned { changes, before, held_out, training, is_better, broken, .. } = &self.tuned;
        json::text(&Summary {
            out,
            data: &self.data.name,
            sha256: &self.data.digest,
            label: &self.data.label,
            items: self.data.examples.len(),
            positive: self.data.positives(),
            marker: &self.label,
            changed: *is_better,
            changes: changes.iter().map(|(name, before, after)| Step { name, before, after }).collect(),
            alike: self.alike,
            before: *before,
            held_out: *held_out,
            training: *training,
            broken_tests: *broken,
        })
    }
}
