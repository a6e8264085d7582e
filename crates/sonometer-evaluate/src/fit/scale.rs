//! From a model and its threshold to a marker in millionths.
//!
//! Activation is made to rise in a straight line from 0 to 1 with the decision value: so weights add up by eye, and a
//! weight of 0.08 is about 0.08 of activation. The threshold becomes the trigger 0.5, and the range of decision values
//! seen on held-out examples the range of activations, so that few are cut off.

use super::folds::Chosen;
use super::learn::Fitted;
use sonometer::Unit;

/// `half` of the marker: at its largest the saturation is almost a straight line.
pub(crate) const HALF: Unit = Unit(1_000_000_000);
/// `trigger` of the marker.
pub(crate) const TRIGGER: Unit = Unit(500_000);
/// The evidence that just triggers: E (1 + h) ÷ (E + h) = ½.
const AT_TRIGGER: Unit = Unit(499_751);
/// Weights are multiples of this, in millionths: more decimals tell nobody anything.
const STEP: f64 = 100.0;

/// The numbers of a weighted list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Weighted {
    /// Pattern and weight, none of them 0; the largest weight first, then by text.
    pub(crate) lines: Vec<(String, Unit)>,
    pub(crate) bias: Unit,
}

/// The marker of a model whose columns are `patterns`.
pub(crate) fn weighted(fitted: &Fitted, patterns: &[String], chosen: &Chosen) -> Weighted {
    let (weights, bias) = all_weights(fitted, patterns.len(), chosen);
    listed(patterns, weights, bias)
}

/// Patterns with their weights, in order, without those of weight 0.
pub(crate) fn listed(patterns: &[String], weights: Vec<Unit>, bias: Unit) -> Weighted {
    let lines = patterns.iter().zip(weights).filter(|(_, weight)| *weight != Unit::ZERO);
    let mut lines: Vec<(String, Unit)> = lines.map(|(pattern, weight)| (pattern.clone(), weight)).collect();
    lines.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Weighted { lines, bias }
}

/// A weight for each of so many columns, 0 for those that the model does not have, and the bias.
pub(crate) fn all_weights(fitted: &Fitted, columns: usize, chosen: &Chosen) -> (Vec<Unit>, Unit) {
    let (weights, bias) = plain_weights(fitted, columns, chosen);
    // The threshold was chosen on the lists of the folds. With few examples it can lie above all that this list reaches, which could never
    // trigger: then it lies where all its lines for the class are found.
    let most = bias.0 + weights.iter().map(|weight| weight.0.max(0)).sum::<i64>();
    let missing = (AT_TRIGGER.0 - most).max(0);
    let steps = (missing as f64 / STEP).ceil() * STEP;
    (weights, Unit(bias.0 + steps as i64))
}

/// The same without making sure that it can trigger: with one threshold and range for several models, their activations compare as their
/// decision values do.
pub(crate) fn plain_weights(fitted: &Fitted, columns: usize, chosen: &Chosen) -> (Vec<Unit>, Unit) {
    let scale = scale(chosen);
    let mut weights = vec![Unit::ZERO; columns];
    for (column, weight) in fitted.columns.iter().zip(&fitted.linear.weights) {
        weights[*column as usize] = rounded(weight * scale);
    }
    (weights, rounded(AT_TRIGGER.0 as f64 + scale * (fitted.linear.bias - chosen.threshold)))
}

/// The activation of a decision value: E (1 + h) ÷ (E + h), E being its evidence; above 0, at most 1, to four decimals.
pub(crate) fn activation(decision: f64, chosen: &Chosen) -> Unit {
    let evidence = AT_TRIGGER.0 as f64 + scale(chosen) * (decision - chosen.threshold);
    let half = HALF.0 as f64;
    let activation = evidence.max(0.0) * (1e6 + half) / (evidence.max(0.0) + half);
    Unit(rounded(activation).0.clamp(STEP as i64, 1_000_000))
}

/// Millionths of activation for one of the decision value.
fn scale(chosen: &Chosen) -> f64 {
    let (lowest, highest) = chosen.range;
    let reach = (chosen.threshold - lowest).max(highest - chosen.threshold);
    if reach > 0.0 { 500_000.0 / reach } else { 500_000.0 }
}

/// To the nearest step, within what a file can hold.
fn rounded(millionths: f64) -> Unit {
    let limit = 1_000_000_000.0;
    Unit(((millionths.clamp(-limit, limit) / STEP).round() * STEP) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::solver::Linear;

    #[test]
    fn the_threshold_becomes_the_trigger() {
        let fitted = Fitted { columns: vec![0, 2], linear: Linear { weights: vec![1.0, -0.5], bias: -0.25 } };
        let patterns = ["a", "b", "c"].map(str::to_owned);
        let chosen = Chosen { cost: 0, threshold: 0.25, range: (-0.75, 2.25) };
        let Weighted { lines, bias } = weighted(&fitted, &patterns, &chosen);
        assert_eq!(lines, [("a".to_owned(), Unit(250_000)), ("c".to_owned(), Unit(-125_000))]);
        // 0.499751 − 0.25 × 0.5, to four decimals.
        assert_eq!(bias, Unit(374_800));
    }

    #[test]
    fn a_list_can_always_trigger() {
        let fitted = Fitted { columns: vec![0, 1], linear: Linear { weights: vec![0.1, -0.5], bias: -0.25 } };
        let patterns = ["a", "b"].map(str::to_owned);
        let chosen = Chosen { cost: 0, threshold: 0.25, range: (-0.75, 2.25) };
        let Weighted { lines, bias } = weighted(&fitted, &patterns, &chosen);
        assert_eq!(lines[0], ("a".to_owned(), Unit(25_000)));
        // 0.499751 − 0.025, up to four decimals.
        assert_eq!(bias, Unit(474_800));
    }
}
