//! The number by which whole texts are ranked, of any target: its score, what that lacks to 1, or the resonance of markers.

use super::question::{Basis, side};
use crate::Error;
use crate::labels::{Path, Selector};
use sonometer::document::suggest;
use sonometer::{Instrument, Unit};

/// What the caller asks of a ranking: against grades, or within pairs.
#[derive(Debug)]
pub(crate) struct Wish<'w> {
    /// Which items take part.
    pub(crate) selector: &'w Selector,
    /// What ranks them.
    pub(crate) gauge: Gauge,
    /// Another label, for whose values the figures are shown as well.
    pub(crate) by: Option<&'w Path>,
    /// The most errors that are shown, of each kind.
    pub(crate) errors: usize,
    /// Whether they come with the computation of their readings.
    pub(crate) explain: bool,
}

/// What ranks.
#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    pub(crate) basis: Basis,
    /// The markers that the caller named, by their place in [`Instrument::markers`].
    asked: Vec<usize>,
    names: Vec<String>,
}

impl Gauge {
    /// `markers`: those the caller names; `low`: whether low scores rank high, where the caller says so. Without that they
    /// do where a text in which nothing is found scores 1, as in all questions; of metrics and blueprints high scores do.
    pub(crate) fn of(instrument: &Instrument, markers: &[String], low: Option<bool>) -> Result<Self, Error> {
        if !markers.is_empty() && low.is_some() {
            return Err(Error::unusable(
                "--lower and --higher apply to the score; with --marker the resonance is used, so remove them",
            ));
        }
        let labels: Vec<&str> = instrument.markers().map(|(key, _)| key).collect();
        let asked = markers.iter().map(|name| place(instrument, &labels, name));
        let asked = asked.collect::<Result<Vec<usize>, Error>>()?;
        let silence_is_one = instrument.sensor().is_some_and(|sensor| side(sensor.protocol()).1);
        let basis = match (asked.is_empty(), low.unwrap_or(silence_is_one)) {
            (false, _) => Basis::Markers,
            (true, true) => Basis::Complement,
            (true, false) => Basis::Score,
        };
        Ok(Self { basis, asked, names: markers.to_vec() })
    }

    /// The value of a text that was measured; `activations` of all markers, in their order.
    pub(crate) fn value(&self, score: Unit, activations: &[Unit]) -> Unit {
        match self.basis {
            Basis::Score => score,
            Basis::Complement => score.complement(),
            Basis::Markers => self.asked.iter().map(|at| activations[*at]).max().unwrap_or_default(),
        }
    }

    /// In words: `score`, `1 − score`, `resonance of a or b`.
    pub(crate) fn name(&self) -> String {
        match self.basis {
            Basis::Score => "score".to_owned(),
            Basis::Complement => "1 − score".to_owned(),
            Basis::Markers => format!("resonance of {}", self.names.join(" or ")),
        }
    }
}

/// The place of a marker among all of a target.
fn place(instrument: &Instrument, labels: &[&str], name: &str) -> Result<usize, Error> {
    labels.iter().position(|label| *label == name).ok_or_else(|| {
        let fix = match suggest(name, labels) {
            None => format!("its markers are {}", labels.join(", ")),
            Some(near) => format!("did you mean `{near}`?"),
        };
        Error::unusable(format!("`{}` has no marker `{name}`; {fix}", instrument.id()))
    })
}
