//! `compare`.

use super::{Call, Used};
use crate::answer::{Answer, Refusal, decimal};
use crate::content::{Content, Target};
use crate::limits::{SHOWN, work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sonometer::{SenseOptions, Unit};
use sonometer_report::{reference, signed};
use std::fmt::Write;

/// Arguments of `compare`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Compare {
    #[serde(flatten)]
    target: Target,
    /// What was before: `text`, `turns` or `messages`.
    a: Content,
    /// What came after.
    b: Content,
    /// Also return the canonical JSON of the comparison as a second content block: the exact bytes of the engine.
    #[serde(default)]
    canonical: Option<bool>,
}

/// What `compare` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Compared {
    target: Used,
    score_a: f64,
    score_b: f64,
    /// `score_b` less `score_a`.
    change: f64,
    /// improvement, decline or unchanged, by which way is good for this target.
    direction: &'static str,
    /// The markers that moved, the largest change first; at most 20.
    moved: Vec<Moved>,
    /// Units of billing of both readings.
    ics: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Moved {
    marker: String,
    /// Its activation in `a`.
    a: f64,
    /// Its activation in `b`.
    b: f64,
}

pub(crate) fn compare(call: &Call, arguments: Compare) -> Result<Answer, Refusal> {
    let Compare { target, a, b, canonical } = arguments;
    let instrument = call.bench.instrument(target.target.as_deref(), target.source.as_deref())?;
    let (a, b) = (a.read("a")?, b.read("b")?);
    work("", &instrument, a.bytes() + b.bytes())?;
    let options = SenseOptions::default().without_key(instrument.sensors());
    let comparison = instrument.compare(&a.interaction, &b.interaction, options).map_err(|mut error| {
        error.place = error.place.replacen("interaction_", "", 1);
        Refusal::engine("", error)
    })?;
    let mut moved: Vec<_> =
        comparison.resonance_shifts().filter(|(.., change)| *change != Unit::ZERO).collect();
    moved.sort_by_key(|(.., change)| std::cmp::Reverse(change.0.abs()));
    let delta = comparison.delta;
    let mut text = format!(
        "{}: {} {} (a {}, b {}), {} ICS\n{}\n",
        reference(&instrument),
        delta.direction.as_str(),
        signed(delta.score_change),
        comparison.a.score,
        comparison.b.score,
        comparison.ics.consumed,
        instrument.score_meaning()
    );
    for (marker, a, b, change) in moved.iter().take(SHOWN) {
        let _ = writeln!(text, "{marker} {a} → {b} ({})", signed(*change));
    }
    match comparison.a.resonance.len() - moved.len() {
        0 => {}
        still => text.push_str(&format!("{} as before\n", sonometer_report::counted(still, "marker"))),
    }
    let compared = Compared {
        target: Used::of(&instrument),
        score_a: decimal(comparison.a.score),
        score_b: decimal(comparison.b.score),
        change: decimal(delta.score_change),
        direction: delta.direction.as_str(),
        moved: moved
            .iter()
            .take(SHOWN)
            .map(|(marker, a, b, _)| Moved { marker: (*marker).to_owned(), a: decimal(*a), b: decimal(*b) })
            .collect(),
        ics: comparison.ics.consumed,
    };
    Answer::new(text.trim_end().to_owned(), &compared).with_exact(
        "canonical",
        canonical == Some(true),
        || comparison.to_json(),
    )
}
