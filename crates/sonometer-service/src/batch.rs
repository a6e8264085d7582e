//! Batches: measured in order, answered in order, charged together.

use crate::catalogue::Tool;
use crate::evaluations::evaluated;
use crate::json::{number, whole};
use crate::measure::placed;
use crate::refusal::Refusal;
use crate::request::of_item;
use crate::store::Line;
use serde::Serialize;
use sonometer::{Fidelity, Interaction, Unit};

#[derive(Serialize)]
struct BatchAnswer<'a> {
    results: Vec<BatchItem<'a>>,
    summary: BatchSummary,
    ics: BatchPrice,
}

#[derive(Serialize)]
struct BatchItem<'a> {
    id: &'a str,
    #[serde(serialize_with = "number")]
    score: Unit,
    metamarkers: u64,
    #[serde(serialize_with = "number")]
    fidelity: Unit,
}

#[derive(Serialize)]
struct BatchSummary {
    total: usize,
    #[serde(serialize_with = "number")]
    average_score: Unit,
    total_metamarkers: u64,
}

#[derive(Serialize)]
struct BatchPrice {
    total_consumed: u64,
    #[serde(serialize_with = "number")]
    total_cost_usd: Unit,
}

/// What one item came to.
pub(crate) struct Measured {
    /// `None` if it holds too little.
    score: Option<Unit>,
    /// What is charged if it held enough.
    line: Line,
    fidelity: Fidelity,
}

/// Measures one after the other.
pub(crate) fn measure(instrument: &Tool, interactions: &[Interaction]) -> Result<Vec<Measured>, Refusal> {
    let all = interactions.iter().enumerate();
    all.map(|(index, interaction)| measure_one(instrument, index, interaction)).collect()
}

/// Measures the item with that index.
pub(crate) fn measure_one(
    instrument: &Tool,
    index: usize,
    interaction: &Interaction,
) -> Result<Measured, Refusal> {
    let place = format!("interactions[{index}]");
    let reading = instrument.sense(interaction).map_err(|e| of_item(placed(e, &place), index))?;
    evaluated(instrument, &reading, Some(index));
    let line = instrument.line(reading.triggered(), reading.ics().consumed);
    Ok(Measured { score: reading.score(), line, fidelity: reading.fidelity() })
}

/// How many bytes the names of their metamarkers have.
pub(crate) fn length(measured: &[Measured]) -> usize {
    measured.iter().map(|item| item.line.markers.len()).sum()
}

/// What is charged: whatever held enough.
pub(crate) fn lines(measured: &[Measured]) -> Vec<Line> {
    measured.iter().filter(|item| item.fidelity.sufficient).map(|item| item.line.clone()).collect()
}

/// The answer.
pub(crate) fn answer(ids: &[String], measured: &[Measured], cost: Unit) -> String {
    let units: u64 = measured.iter().map(|item| item.line.units).sum();
    // What holds too little was not measured, and changes no average.
    let scores: Vec<i128> = measured.iter().filter_map(|item| Some(item.score?.0.into())).collect();
    let average = match scores.len() {
        0 => Unit::ZERO,
        count => Unit::ratio(scores.iter().sum(), whole(count as u64).0.into()),
    };
    let results = ids.iter().zip(measured).map(|(id, item)| BatchItem {
        id,
        // The interface has a number here; the fidelity beside it says what it is worth.
        score: item.score.unwrap_or(Unit::ZERO),
        metamarkers: item.line.units,
        fidelity: item.fidelity.index,
    });
    crate::json::text(&BatchAnswer {
        results: results.collect(),
        summary: BatchSummary { total: measured.len(), average_score: average, total_metamarkers: units },
        ics: BatchPrice { total_consumed: units, total_cost_usd: cost },
    })
}
