//! From rows of features to a model of few columns.

use super::matrix::{Matrix, Row};
use super::solver::{self, Linear};
use crate::Error;
use crate::watch::Steps;

/// Gradients of a finished model differ by at most this.
const TOLERANCE: f64 = 1e-3;

/// What bounds a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The most columns.
    pub(crate) size: usize,
    /// In how many training examples of one class a column must occur.
    pub(crate) support: usize,
    /// Whether the rarer class weighs as much as the other.
    pub(crate) balanced: bool,
}

/// A model over some columns of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Fitted {
    /// Columns with a weight, ascending.
    pub(crate) columns: Vec<u32>,
    /// The weight of each, and the bias.
    pub(crate) linear: Linear,
}

impl Fitted {
    /// The decision value of a row of the whole matrix.
    pub(crate) fn decide(&self, row: &Row) -> f64 {
        self.linear.decide(&narrow(row, &self.columns))
    }
}

/// What models are fitted to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Training<'m> {
    pub(crate) matrix: &'m Matrix,
    pub(crate) positive: &'m [bool],
    /// Rows of ordinary talk, of the same columns.
    pub(crate) ordinary: &'m [Row],
}

/// The rows of a training that a model sees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) labelled: Vec<usize>,
    pub(crate) ordinary: Vec<usize>,
}

/// Fits a model to the rows that it may see: all columns with enough support among labelled rows, then, if these are too many,
/// again with those that matter most, by the variance they explain: w² p (1 − p), with p the share of labelled rows that have the
/// column.
pub(crate) fn learn(
    training: Training<'_>,
    seen: &Seen,
    cost: f64,
    bounds: Bounds,
    steps: &mut Steps<'_>,
) -> Result<Fitted, Error> {
    let support = training.matrix.support(&seen.labelled, training.positive);
    let is_supported = |column: &u32| support[*column as usize].into_iter().max() >= Some(bounds.support);
    let columns: Vec<u32> = (0..).take(support.len()).filter(is_supported).collect();
    let fitted = fit(training, seen, cost, bounds, columns, steps)?;
    if fitted.columns.len() <= bounds.size {
        return Ok(fitted);
    }
    let importance = |weight: f64, column: u32| {
        let share = support[column as usize].iter().sum::<usize>() as f64 / seen.labelled.len() as f64;
        weight * weight * share * (1.0 - share)
    };
    let mut ranked: Vec<(f64, u32)> =
        fitted.linear.weights.iter().zip(&fitted.columns).map(|(w, c)| (importance(*w, *c), *c)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.truncate(bounds.size);
    let mut kept: Vec<u32> = ranked.into_iter().map(|(_, column)| column).collect();
    kept.sort_unstable();
    fit(training, seen, cost, bounds, kept, steps)
}

fn fit(
    training: Training<'_>,
    seen: &Seen,
    cost: f64,
    bounds: Bounds,
    columns: Vec<u32>,
    steps: &mut Steps<'_>,
) -> Result<Fitted, Error> {
    let labelled = seen.labelled.iter().map(|row| &training.matrix.rows[*row]);
    let ordinary = seen.ordinary.iter().map(|row| &training.ordinary[*row]);
    let places = places(&columns, training.matrix.patterns.len());
    let rows: Vec<Row> = labelled.chain(ordinary).map(|row| placed(row, &places)).collect();
    let mut positive: Vec<bool> = seen.labelled.iter().map(|row| training.positive[*row]).collect();
    let all = positive.len();
    let positives = positive.iter().filter(|positive| **positive).count();
    let by_class = match bounds.balanced {
        // As `class_weight="balanced"` of scikit-learn: n ÷ (2 nᵢ).
        true => [all - positives, positives].map(|own| cost * all as f64 / (2.0 * own.max(1) as f64)),
        false => [cost, cost],
    };
    let mut costs: Vec<f64> = positive.iter().map(|positive| by_class[usize::from(*positive)]).collect();
    // Ordinary talk counts as negative. All of it together costs as much as the labelled rows, and none more than one of these.
    let share = (all as f64 / seen.ordinary.len().max(1) as f64).min(1.0);
    costs.resize(rows.len(), cost * share);
    positive.resize(rows.len(), false);
    let rows: Vec<&Row> = rows.iter().collect();
    let linear = solver::fit(&rows, &positive, columns.len(), &costs, TOLERANCE, steps)?;
    Ok(Fitted { columns, linear })
}

/// Where each of so many columns is among `columns`; `u32::MAX`: nowhere. A look-up where rows are many.
fn places(columns: &[u32], all: usize) -> Vec<u32> {
    let mut places = vec![u32::MAX; all];
    (0..).zip(columns).for_each(|(place, column)| places[*column as usize] = place);
    places
}

fn placed(row: &Row, places: &[u32]) -> Row {
    let placed = row.iter().map(|(column, value)| (places[*column as usize], *value));
    placed.filter(|(place, _)| *place != u32::MAX).collect()
}

/// A row with the columns `columns` only, numbered by their places there.
pub(crate) fn narrow(row: &Row, columns: &[u32]) -> Row {
    let narrowed = row.iter().filter_map(|(column, value)| {
        let place = columns.binary_search(column).ok()?;
        Some((u32::try_from(place).ok()?, *value))
    });
    narrowed.collect()
}

/// Rows by fold: `of[i]` is the fold of example i.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) of: Vec<usize>,
    pub(crate) count: usize,
}

impl Parts {
    /// The examples of a fold.
    pub(crate) fn inside(&self, fold: usize) -> Vec<usize> {
        (0..self.of.len()).filter(|at| self.of[*at] == fold).collect()
    }

    /// The examples of all other folds.
    pub(crate) fn outside(&self, fold: usize) -> Vec<usize> {
        (0..self.of.len()).filter(|at| self.of[*at] != fold).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_models_are_cut_to_what_matters() {
        let rows: Vec<Row> = (0..20_u32).map(|at| vec![(at % 2, 1.0), (2 + at % 5, 1.0)]).collect();
        let patterns = (0..7).map(|c: u32| c.to_string()).collect();
        let matrix = Matrix { patterns, rows, bags: Vec::new() };
        let positive: Vec<bool> = (0..20).map(|at| at % 2 == 0).collect();
        let columns = |bounds| {
            let mut watch = crate::unwatched;
            let steps = &mut Steps::new(&mut watch, "fitting", 1);
            let training = Training { matrix: &matrix, positive: &positive, ordinary: &[] };
            let seen = Seen { labelled: (0..20).collect(), ordinary: Vec::new() };
            learn(training, &seen, 1.0, bounds, steps).expect("is not stopped").columns
        };
        let bounds = Bounds { size: 2, support: 1, balanced: false };
        assert_eq!(columns(bounds), [0, 1]);
        let bounds = Bounds { support: 5, size: 9, ..bounds };
        assert_eq!(columns(bounds), [0, 1]);
    }
}
