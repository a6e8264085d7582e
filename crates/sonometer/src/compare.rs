//! Comparing: two interactions measured by the same target, and what lies between them.

use crate::composition::{Composition, TargetKind};
use crate::error::{Error, ErrorCode};
use crate::fidelity::Fidelity;
use crate::ics::Ics;
use crate::interaction::Interaction;
use crate::json::Json;
use crate::protocol::{Better, Mask};
use crate::resonance::Resonance;
use crate::sense::SenseOptions;
use crate::sensor::Sensor;
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

impl Sensor {
    /// Measures two interactions and what lies between them.
    ///
    /// # Errors
    /// As [`Sensor::sense`], with `interaction_a` or `interaction_b` before the place; `insufficient_signal` at one of
    /// them if it does not hold enough: a difference to nothing would be no difference.
    pub fn compare(
        &self,
        a: &Interaction,
        b: &Interaction,
        options: SenseOptions,
    ) -> Result<Comparison, Error> {
        let measure = |interaction: &Interaction, name: &'static str| {
            let reading = self.sense_with(interaction, without_text(options))?;
            let resonance = reading.resonance().map(owned).collect();
            side(name, interaction, reading.fidelity(), reading.score(), resonance, reading.ics())
        };
        let protocol = self.protocol();
        let target = (TargetKind::Protocol, protocol.id.clone(), protocol.version.clone());
        compare(target, protocol.better, [a, b], options, measure)
    }
}

impl Composition {
    /// Measures two interactions and what lies between them.
    ///
    /// # Errors
    /// As [`Sensor::compare`].
    pub fn compare(
        &self,
        a: &Interaction,
        b: &Interaction,
        options: SenseOptions,
    ) -> Result<Comparison, Error> {
        let measure = |interaction: &Interaction, name: &'static str| {
            let reading = self.sense_with(interaction, without_text(options))?;
            let resonance = reading.resonance().map(owned).collect();
            side(name, interaction, reading.fidelity(), reading.score(), resonance, reading.ics())
        };
        let target = (self.kind(), self.id().to_owned(), self.version().to_owned());
        compare(target, self.better(), [a, b], options, measure)
    }
}

fn owned((label, resonance): (&str, Resonance)) -> (String, Unit) {
    (label.to_owned(), resonance.activation)
}

fn side(
    name: &str,
    interaction: &Interaction,
    fidelity: Fidelity,
    score: Option<Unit>,
    resonance: Vec<(String, Unit)>,
    ics: Ics,
) -> Result<Side, Error> {
    let Some(score) = score.filter(|_| fidelity.sufficient) else {
        let Fidelity { index, density, clarity, .. } = fidelity;
        let message = format!(
            "the content lacks sufficient signal: fidelity {index} (density {density}, clarity {clarity}); \
             give more readable text"
        );
        return Err(Error::new(ErrorCode::InsufficientSignal, name, message));
    };
    let label = interaction.label().unwrap_or(name.trim_start_matches("interaction_")).to_owned();
    Ok(Side { label, score, resonance, triggered: ics.consumed })
}

fn compare(
    target: (TargetKind, String, String),
    better: Better,
    [a, b]: [&Interaction; 2],
    options: SenseOptions,
    side: impl Fn(&Interaction, &'static str) -> Result<Side, Error>,
) -> Result<Comparison, Error> {
    let placed = |interaction, name: &'static str| {
        side(interaction, name).map_err(|error| match error.place.strip_prefix("interaction") {
            Some("") => Error { place: name.to_owned(), ..error },
            _ => error,
        })
    };
    let (a, b) = (placed(a, "interaction_a")?, placed(b, "interaction_b")?);
    let score_change = Unit(b.score.0 - a.score.0);
    let gain = match better {
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
    Ok(Comparison { target, a, b, delta: Delta { score_change, direction, metamarker_change }, ics })
}

impl Comparison {
    /// Every marker with its resonance in a, in b, and the second minus the first.
    pub fn resonance_shifts(&self) -> impl Iterator<Item = (&str, Unit, Unit, Unit)> {
        self.a.resonance.iter().zip(&self.b.resonance).map(|((label, a), (_, b))| {
            let change = Unit(b.0 - a.0);
            (label.as_str(), *a, *b, change)
        })
    }

    /// The canonical JSON: the same bytes from every door.
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
