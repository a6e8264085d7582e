//! What fitting and tuning came to, for people.

use super::paint::Paint;
use crate::fit::change::Change;
use crate::fit::measure::Figures;
use crate::fit::report::{FitReport, short};
use crate::fit::tune::Tuned;
use crate::words::counted;
use sonometer::Unit;

/// How many of the strongest lines are shown.
const SHOWN: usize = 5;

impl FitReport {
    /// Tables for people; `out`: the file that the protocol is written to.
    pub fn to_text(&self, paint: &Paint, out: Option<&str>) -> String {
        let mut text = format!("{}: {}\n", self.data.name, self.items());
        text.push_str(&format!(
            "{} of {}, C {}\n\n",
            counted(self.lines(), "line"),
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
        let positive = self.weighted.lines.iter().filter(|(_, weight)| *weight > Unit::ZERO).take(SHOWN);
        let negative =
            self.weighted.lines.iter().rev().filter(|(_, weight)| *weight < Unit::ZERO).take(SHOWN);
        text.push_str(&format!("\nfor      {}\n", positive.map(line).collect::<Vec<_>>().join(", ")));
        text.push_str(&format!("against  {}\n", negative.map(line).collect::<Vec<_>>().join(", ")));
        if let Some(out) = out {
            let size = self.protocol.len().div_ceil(1000);
            text.push_str(&format!("\nwrote {} ({size} KB)\n", paint.bold(out)));
        }
        text
    }
}

impl Change {
    /// Tables for people; `out`: the file that the protocol is written to.
    pub fn to_text(&self, paint: &Paint, out: Option<&str>) -> String {
        let Tuned { before, held_out, training, is_better, broken, .. } = &self.tuned;
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
        let wrote = out.map(|out| format!("wrote {}", paint.bold(out)));
        match (is_better, wrote) {
            (true, None) => {}
            (true, Some(wrote)) => text.push_str(&format!("\n{wrote}\n")),
            (false, wrote) => {
                let wrote = wrote.unwrap_or_else(|| "it stays".to_owned());
                let aim = self.aim.name();
                text.push_str(&format!(
                    "\nno better {aim} on items that tuning had not seen: {wrote} as it was\n"
                ));
            }
        }
        if *broken > 0 {
            let see =
                out.map_or_else(|| "its self tests".to_owned(), |out| format!("`sonometer test {out}`"));
            text.push_str(&format!("{} now fail: see {see}\n", counted(*broken, "self test")));
        }
        text
    }
}

/// Figures side by side, one row each.
fn table(paint: &Paint, rows: &[(&str, &Figures)]) -> String {
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
