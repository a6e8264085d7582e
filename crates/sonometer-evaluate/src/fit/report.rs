//! What fitting came to: for programs, and for the head of the file.

use super::data::Data;
use super::likeness::Alike;
use super::measure::{Aim, Figures};
use super::scale::Weighted;
use crate::evaluate::alarms::{Alarms, Rate};
use crate::evaluate::measure::Estimate;
use crate::evaluate::thresholds::Proposal;
use crate::report::places;
use serde::ser::SerializeMap;
use sonometer::Unit;
use sonometer_report::counted;
use sonometer_report::json::{self, number};

/// What is said where nothing tells how often ordinary talk triggers.
pub(crate) const NO_BACKGROUND: &str =
    "not measured: without --background nobody knows how often ordinary talk triggers";

/// What fitting came to: a protocol, and how good it is.
#[derive(Clone, Debug)]
pub struct FitReport {
    pub(crate) data: Data,
    pub(crate) aim: Aim,
    pub(crate) alike: Option<Alike>,
    pub(crate) candidates: usize,
    /// Of the lines those that a person wrote, and how many that person wrote.
    pub(crate) by_hand: Option<[usize; 2]>,
    /// Self tests of the author that passed before and fail now.
    pub(crate) broken: usize,
    pub(crate) weighted: Weighted,
    pub(crate) cost: f64,
    pub(crate) held_out: Figures,
    pub(crate) training: Figures,
    /// Alarms on ordinary talk that was not seen, where there is some.
    pub(crate) alarms: Option<Alarms>,
    /// What other triggers would cost.
    pub(crate) proposals: Vec<Proposal>,
    pub(crate) settings: String,
    pub(crate) protocol: String,
    pub(crate) features: Option<String>,
}

/// A figure as JSON has it.
#[derive(serde::Serialize)]
pub(super) struct Figure(#[serde(serialize_with = "number")] pub(super) Unit);

/// What became of the lines and tests that a person wrote.
#[derive(serde::Serialize)]
struct ByHand {
    lines: usize,
    of: usize,
    broken_tests: usize,
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
    positive: usize,
    candidates: usize,
    lines: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_hand: Option<ByHand>,
    regularisation: String,
    alike: Option<Alike>,
    held_out: Figures,
    training: Figures,
    alarms: Option<&'r Alarms>,
    thresholds: &'r [Proposal],
}

impl FitReport {
    /// The text of the protocol.
    pub fn protocol(&self) -> &str {
        &self.protocol
    }

    /// What the model is fitted to, as a file for scikit-learn's `load_svmlight_file`; only where that was asked for.
    pub fn features(&self) -> Option<&str> {
        self.features.as_deref()
    }

    /// The figures on items that were not seen, and on all items, by their names.
    pub fn figures(&self) -> [(&'static str, [(&'static str, Unit); 5]); 2] {
        [("held_out", self.held_out.all()), ("training", self.training.all())]
    }

    /// Alarms on ordinary talk that was not seen, for each piece as long as the items, and for each talk; `None` without a
    /// background.
    pub fn alarms(&self) -> Option<[Option<Estimate>; 2]> {
        let estimate = |rate: Rate| rate.share().map(|value| Estimate { value, interval: rate.interval });
        self.alarms.as_ref().map(|alarms| [estimate(alarms.pieces), estimate(alarms.talks)])
    }

    pub(crate) fn items(&self) -> String {
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
            format!("lines     {} of {} candidates{}", self.lines(), self.candidates, told_by_hand(self.by_hand)),
            "method    linear support vector machine, L2, squared hinge loss, by dual coordinate descent".into(),
            "          (Hsieh et al. 2008, ICML); activation is linear in it, the threshold at 0.5".into(),
            format!("alike     {}", Alike::told(self.alike)),
            format!("held out  {}", self.held_out.told()),
            format!("training  {}", self.training.told()),
            "Figures are of the engine's own readings; held out: lines, weights, C and threshold chosen without".into(),
            "the items they are measured on. Words were chosen by data, not by meaning: read them before use.".into(),
        ];
        match &self.alarms {
            Some(alarms) => {
                notes.push(format!("alarms    {}", alarms.told()));
                notes.push(format!(
                    "          on ordinary talk, held out: {}, sha-256 {}",
                    alarms.name, alarms.digest
                ));
            }
            None => notes.push(format!("alarms    {NO_BACKGROUND}")),
        }
        notes.extend(self.note_on_length().map(|note| format!("length    {note}")));
        notes
    }

    /// What to think of where long texts are of one class more often.
    pub(crate) fn note_on_length(&self) -> Option<String> {
        let auc = self.data.auc_of_length().filter(|auc| (auc - 0.5).abs() >= 0.1)?;
        let (which, auc) = if auc > 0.5 { ("longer", auc) } else { ("shorter", 1.0 - auc) };
        let auc = places(Unit((auc * 1e6).round() as i64));
        Some(format!("{which} items are positive more often: the number of words alone has an AUC of {auc}"))
    }

    /// One line of JSON, without its line break; `out`: the file that the protocol is written to.
    pub fn to_json(&self, out: Option<&str>) -> String {
        json::text(&Summary {
            out,
            bytes: self.protocol.len(),
            data: &self.data.name,
            sha256: &self.data.digest,
            label: &self.data.label,
            items: self.data.examples.len(),
            positive: self.data.positives(),
            candidates: self.candidates,
            lines: self.lines(),
            by_hand: self.by_hand.map(|[lines, of]| ByHand { lines, of, broken_tests: self.broken }),
            regularisation: self.cost.to_string(),
            alike: self.alike,
            held_out: self.held_out,
            training: self.training,
            alarms: self.alarms.as_ref(),
            thresholds: &self.proposals,
        })
    }

    /// Lines of the list.
    pub(crate) fn lines(&self) -> usize {
        self.weighted.lines.len()
    }
}

/// How much of a list a person wrote.
pub(crate) fn told_by_hand(by_hand: Option<[usize; 2]>) -> String {
    by_hand.map_or_else(String::new, |[kept, of]| format!(", {kept} of them from the {of} written by hand"))
}

impl Figures {
    /// In one line, for comments.
    pub(crate) fn told(&self) -> String {
        let [precision, recall, f1, macro_f1, auc] = self.all().map(|(_, value)| places(value));
        format!("macro-F1 {macro_f1}, AUC {auc}, precision {precision}, recall {recall}, F1 {f1}")
    }
}

impl serde::Serialize for Figures {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.all() {
            map.serialize_entry(name, &Figure(value))?;
        }
        map.serialize_entry("insufficient", &self.insufficient)?;
        map.end()
    }
}
