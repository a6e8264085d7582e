//! Comparing: two interactions measured by the same target, and what lies between them.

mod estimate;

pub use estimate::{Estimate, Rates};

use crate::error::{Error, ErrorCode};
use crate::instrument::{Instrument, TargetKind};
use crate::interaction::Interaction;
use crate::json::Json;
use crate::measure::SenseOptions;
use crate::measure::fidelity::Fidelity;
use crate::measure::ics::Ics;
use crate::protocol::{Better, Mask};
use crate::unit::Unit;

/// Two interactions measured by the same target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What both were measured by: kind, id, version.
    pub target: (TargetKind, String, String),
    /// `interaction_a`, such as what was before.
    pub a: Side,
    /// `interaction_b`, such as what came after.
    pub b: Side,
    /// What lies between them.
    pub delta: Delta,
    /// What both consumed together; the same text twice is charged twice.
    pub ics: Ics,
}

/// One of the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The caller's label; `a` or `b` where there is none.
    pub label: String,
    /// The overall score.
    pub score: Unit,
    /// Every marker with its resonance, in the order of the target.
    pub resonance: Vec<(String, Unit)>,
    /// How many markers triggered.
    pub triggered: u64,
    /// Their keys, in the order of the target.
    pub markers: Vec<String>,
}

/// From a to b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The score of b minus that of a, -1 to 1.
    pub score_change: Unit,
    /// Whether b is better.
    pub direction: Direction,
    /// The triggered markers of b minus those of a.
    pub metamarker_change: i64,
}

/// Which way a score went, seen from what the target calls better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// b is better.
    Improvement,
    /// a is better.
    Decline,
    /// The scores are equal, to the last digit.
    Unchanged,
}

impl Direction {
    /// Its name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Improvement => "improvement",
            Self::Decline => "decline",
            Self::Unchanged => "unchanged",
        }
    }
}

/// A comparison shows no text, so that none of its masks needs a key.
fn without_text(options: SenseOptions) -> SenseOptions {
    SenseOptions { mask: Some(Mask::All), ..options }
}

impl Instrument {
    /// Measures two interactions and what lies between them.
    ///
    /// # Errors
    /// As [`Instrument::sense`], with `interaction_a` or `interaction_b` before the place; `insufficient_signal` at one of
    /// them if it does not hold enough: a difference to nothing would be no difference.
    pub fn compare(
        &self,
        a: &Interaction,
        b: &Interaction,
        options: SenseOptions,
    ) -> Result<Comparison, Error> {
        let (a, b) = (self.side(a, "interaction_a", options)?, self.side(b, "interaction_b", options)?);
        let score_change = Unit(b.score.0 - a.score.0);
        let gain = match self.better() {
            Better::Higher => score_change.0,
            Better::Lower => -score_change.0,
        };
        let direction = match gain.signum() {
            1 => Direction::Improvement,
            -1 => Direction::Decline,
            _ => Direction::Unchanged,
        };
        let metamarker_change = b.triggered.cast_signed() - a.triggered.cast_signed();
        let triggered = usize::try_from(a.triggered + b.triggered).unwrap_or(usize::MAX);
        let ics = Ics::of(triggered, options.usd_per_ics);
        let target = (self.kind(), self.id().to_owned(), self.version().to_owned());
        Ok(Comparison { target, a, b, delta: Delta { score_change, direction, metamarker_change }, ics })
    }

    /// One of two interactions; errors are placed at its `name`.
    fn side(&self, interaction: &Interaction, name: &str, options: SenseOptions) -> Result<Side, Error> {
        let placed = |error: Error| match error.place.strip_prefix("interaction") {
            Some("") => Error { place: name.to_owned(), ..error },
            _ => error,
        };
        let reading = self.sense_with(interaction, without_text(options)).map_err(placed)?;
        let Fidelity { index, sufficient, density, clarity, .. } = reading.fidelity();
        let Some(score) = reading.score().filter(|_| sufficient) else {
            let message = format!(
                "the content lacks sufficient signal: fidelity {index} (density {density}, clarity {clarity}); \
                 give more readable text"
            );
            return Err(Error::new(ErrorCode::InsufficientSignal, name, message));
        };
        let label = interaction.label().unwrap_or(name.trim_start_matches("interaction_")).to_owned();
        let resonance = reading.resonance().map(|(key, found)| (key.to_owned(), found.activation)).collect();
        let markers = reading.triggered().map(str::to_owned).collect();
        Ok(Side { label, score, resonance, triggered: reading.ics().consumed, markers })
    }
}

impl Comparison {
    /// Every marker with its resonance in a, in b, and the second minus the first.
    pub fn resonance_shifts(&self) -> impl Iterator<Item = (&str, Unit, Unit, Unit)> {
        self.a.resonance.iter().zip(&self.b.resonance).map(|((label, a), (_, b))| {
            let change = Unit(b.0 - a.0);
            (label.as_str(), *a, *b, change)
        })
    }

    /// The canonical JSON: the same bytes from every interface.
    pub fn to_json(&self) -> String {
        let mut json = Json::with_capacity(512);
        json.object(|json| self.write(json));
        json.into_text()
    }

    fn write(&self, json: &mut Json) {
        let (kind, id, version) = &self.target;
        json.key("target").object(|json| {
            json.key("type").string(kind.as_str());
            json.key("id").string(id);
            json.key("version").string(version);
        });
        for (name, side) in [("interaction_a", &self.a), ("interaction_b", &self.b)] {
            json.key(name).object(|json| {
                json.key("label").string(&side.label);
                json.key("score").number(side.score);
                json.key("resonance").object(|json| {
                    for (label, resonance) in &side.resonance {
                        json.key(label).number(*resonance);
                    }
                });
                json.key("metamarkers_triggered").count(side.triggered);
            });
        }
        json.key("delta").object(|json| {
            json.key("score_change").number(self.delta.score_change);
            json.key("direction").string(self.delta.direction.as_str());
            json.key("resonance_shifts").object(|json| {
                for (label, a, b, change) in self.resonance_shifts() {
                    json.key(label).object(|json| {
                        json.key("a").number(a);
                        json.key("b").number(b);
                        json.key("change").number(change);
                    });
                }
            });
            json.key("metamarker_change")
                .number(Unit(self.delta.metamarker_change.saturating_mul(1_000_000)));
        });
        json.key("ics").object(|json| {
            json.key("consumed").count(self.ics.consumed);
            json.key("cost_usd").number(self.ics.cost_usd);
        });
    }
}
