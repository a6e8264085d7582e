//! What fitting to pairs came to: for programs, for people, and for the head of the file.

use super::data::Data;
use super::likeness::Alike;
use super::report::{Figure, told_by_hand};
use super::scale::Weighted;
use crate::report::places;
use serde::ser::SerializeMap;
use sonometer::Unit;
use sonometer_report::counted;
use sonometer_report::json;

/// What fitting to pairs came to: a protocol, and how good it is.
#[derive(Clone, Debug)]
pub struct PairReport {
    pub(crate) data: Data,
    pub(crate) pairs: usize,
    pub(crate) texts: usize,
    /// What was kept together on one side of every fold, counted.
    pub(crate) groups: usize,
    pub(crate) alike: Option<Alike>,
    pub(crate) candidates: usize,
    pub(crate) by_hand: Option<[usize; 2]>,
    pub(crate) weighted: Weighted,
    pub(crate) cost: f64,
    pub(crate) folds: usize,
    pub(crate) held_out: PairFigures,
    pub(crate) training: PairFigures,
    pub(crate) settings: String,
    pub(crate) protocol: String,
}

/// How one pair was judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verdicts {
    /// By how much the text that the label names is ahead; `None`: one of both holds too little.
    pub(crate) lead: Option<i64>,
    /// 1 if it is the longer one, −1 if the other is.
    pub(crate) longer: i64,
    /// Whether both are nearly as long.
    pub(crate) even: bool,
}

/// Figures of some pairs; undecided ones count half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PairFigures {
    pub(crate) pairs: usize,
    pub(crate) accuracy: Option<Unit>,
    /// What choosing the longer text is worth.
    pub(crate) longer: Option<Unit>,
    /// Pairs of nearly the same length, and both figures on these.
    pub(crate) even: usize,
    pub(crate) even_accuracy: Option<Unit>,
    pub(crate) even_longer: Option<Unit>,
    pub(crate) unmeasured: usize,
}

impl PairFigures {
    /// By name, 0 where there are no such pairs.
    pub(crate) fn all(&self) -> [(&'static str, Unit); 4] {
        let figure = |own: Option<Unit>| own.unwrap_or(Unit::ZERO);
        [
            ("accuracy", figure(self.accuracy)),
            ("longer", figure(self.longer)),
            ("even_accuracy", figure(self.even_accuracy)),
            ("even_longer", figure(self.even_longer)),
        ]
    }

    fn told(&self) -> String {
        let [accuracy, longer, even_accuracy, even_longer] = self.all().map(|(_, value)| places(value));
        format!(
            "accuracy {accuracy} (the longer text: {longer}); {} that differ by at most a tenth in length: {even_accuracy} (the longer: \
             {even_longer})",
            counted(self.even, "pair")
        )
    }
}

impl serde::Serialize for PairFigures {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("pairs", &self.pairs)?;
        for (name, value) in self.all() {
            map.serialize_entry(name, &Figure(value))?;
        }
        map.serialize_entry("even_pairs", &self.even)?;
        map.serialize_entry("insufficient", &self.unmeasured)?;
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
    pairs: usize,
    texts: usize,
    groups: usize,
    candidates: usize,
    lines: usize,
    regularisation: String,
    alike: Option<Alike>,
    held_out: PairFigures,
    training: PairFigures,
}

impl PairReport {
    /// The text of the protocol.
    pub fn protocol(&self) -> &str {
        &self.protocol
    }

    /// The figures on pairs that were not seen, and on all pairs, by their names: `accuracy`, `longer` (what choosing the longer text is
    /// worth), and `even_accuracy` and `even_longer` of pairs that differ by at most a tenth in length.
    pub fn figures(&self) -> [(&'static str, [(&'static str, Unit); 4]); 2] {
        [("held_out", self.held_out.all()), ("training", self.training.all())]
    }

    pub(crate) fn items(&self) -> String {
        format!("{} of {} ({})", counted(self.pairs, "pair"), counted(self.texts, "text"), self.data.label)
    }

    pub(crate) fn told_alike(&self) -> String {
        let tied = format!("{} of pairs that share a text or have alike ones", counted(self.groups, "group"));
        match self.alike {
            Some(alike) => {
                format!("{} of texts like another; {tied}, each in one fold", counted(alike.items, "item"))
            }
            None => "not looked for: pairs that share a text are in different folds".to_owned(),
        }
    }

    /// The lines of the comment at the head of the file.
    pub(crate) fn notes(&self) -> Vec<String> {
        let by_hand = told_by_hand(self.by_hand);
        vec![
            format!("Fitted by `sonometer fit` {} to pairs, for `sonometer compare`:", env!("CARGO_PKG_VERSION")),
            "the text with the higher score is more of what the label says. A score by itself says nothing.".into(),
            format!("data      {}, sha-256 {}", self.data.name, self.data.digest),
            format!("pairs     {}", self.items()),
            format!("settings  {}, C {}, {} folds", self.settings, self.cost, self.folds),
            format!("lines     {} of {} candidates{by_hand}", self.weighted.lines.len(), self.candidates),
            "method    linear support vector machine, L2, squared hinge loss, on differences of counts".into(),
            "          (Joachims 2002, KDD; Hsieh et al. 2008, ICML)".into(),
            format!("alike     {}", self.told_alike()),
            format!("held out  {}", self.held_out.told()),
            format!("training  {}", self.training.told()),
            "Figures are of the engine's own readings; held out: lines, weights and C chosen without the pairs they".into(),
            "are measured on. Words were chosen by data, not by meaning: read them before use.".into(),
        ]
    }

    /// One line of JSON, without its line break; `out`: the file that the protocol is written to.
    pub fn to_json(&self, out: Option<&str>) -> String {
        json::text(&Summary {
            out,
            bytes: self.protocol.len(),
            data: &self.data.name,
            sha256: &self.data.digest,
            label: &self.data.label,
            pairs: self.pairs,
            texts: self.texts,
            groups: self.groups,
            candidates: self.candidates,
            lines: self.weighted.lines.len(),
            regularisation: self.cost.to_string(),
            alike: self.alike,
            held_out: self.held_out,
            training: self.training,
        })
    }
}
