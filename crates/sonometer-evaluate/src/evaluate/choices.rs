//! Several markers of which one holds: the one that each reading chooses, against the value of a label.

use super::cases;
use super::choice::{Choice, Values};
use super::interval::{bootstrap, wilson};
use super::measure::{Counts, Estimate, share};
use super::result::Data;
use super::sensed::{self, Outcome, sense};
use super::spans::MapEntry;
use crate::Error;
use crate::labels::{Item, Labelled, Path, Selector};
use crate::watch::Watch;
use sonometer::{Reading, Sensor, Unit};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// An item, what is right about it, and what was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    item: usize,
    cluster: usize,
    /// The values that are right; more than one where the label is a list.
    right: BTreeSet<usize>,
    /// The value chosen, and the activation that decided.
    pub(crate) chosen: Option<(usize, Unit)>,
    sufficient: bool,
}

impl Case {
    fn is_right(&self) -> bool {
        self.chosen.is_some_and(|(value, _)| self.right.contains(&value))
    }
}

/// The figures of a choice, in the order of the report.
pub(crate) const FIGURES: [&str; 2] = ["accuracy", "macro_f1"];

/// Figures of some items.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) items: usize,
    /// By [`FIGURES`].
    pub(crate) estimates: [Option<Estimate>; 2],
}

/// A value of another label, how many items have it, and how many of them are right.
pub(crate) type Part = (String, u64, u64);

/// An item of which a wrong value was chosen.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) item: Item,
    pub(crate) reading: Reading,
    /// The right values, and the one chosen.
    pub(crate) right: Vec<String>,
    pub(crate) chosen: Option<String>,
    /// The activation that decided.
    pub(crate) value: Unit,
}

/// An evaluation of choices.
#[derive(Clone, Debug)]
pub(crate) struct ChoiceEvaluation {
    pub(crate) sensor: Sensor,
    pub(crate) data: Data,
    pub(crate) values: Values,
    pub(crate) figures: Figures,
    /// The same of items that hold enough to be measured.
    pub(crate) covered: Figures,
    pub(crate) independent: bool,
    /// Each value against all others.
    pub(crate) counts: Vec<Counts>,
    /// By the value of the label, then by the value chosen; the last column: nothing was chosen.
    pub(crate) confusion: Vec<Vec<u64>>,
    /// Another label, and the items by its values.
    pub(crate) by: Option<(String, Vec<Part>)>,
    /// How many are wrong, and the surest of them.
    pub(crate) errors: (usize, Vec<Wrong>),
    pub(crate) explain: bool,
    pub(crate) notes: Vec<String>,
}

/// What is asked besides the label.
pub(crate) struct Asked<'o> {
    pub(crate) choice: Choice,
    pub(crate) map: &'o [MapEntry],
    pub(crate) by: Option<&'o str>,
    pub(crate) errors: usize,
    pub(crate) explain: bool,
}

/// Senses every item, and compares what is chosen with the label.
pub(crate) fn evaluate(
    sensor: &Sensor,
    labelled: &Labelled,
    (selector, path): (&Selector, &Path),
    items: &[Item],
    asked: &Asked<'_>,
    watch: Watch<'_>,
) -> Result<ChoiceEvaluation, Error> {
    let labels: Vec<BTreeSet<String>> = items.iter().map(|item| path.values(item)).collect();
    let there: BTreeSet<String> = labels.iter().flatten().cloned().collect();
    let values = Values::of(sensor.protocol(), asked.choice, asked.map, &there)?;
    let by = asked.by.map(|by| labelled.path(by, items)).transpose()?;
    let outcomes = sensed::sense_all(sensor, labelled, items, watch)?;
    let clusters = cases::clusters(selector, items);
    let number = |name: &String| values.names.iter().position(|own| own == name);
    let case = |(item, (outcome, labels)): (usize, (&Outcome, &BTreeSet<String>))| Case {
        item,
        cluster: clusters[item],
        right: labels.iter().filter_map(number).collect(),
        chosen: values.choose(outcome),
        sufficient: outcome.sufficient,
    };
    let judged = outcomes.iter().zip(&labels).enumerate().filter(|(_, (_, labels))| !labels.is_empty());
    let cases: Vec<Case> = judged.map(case).collect();
    let all: Vec<&Case> = cases.iter().collect();
    let measured: Vec<&Case> = cases.iter().filter(|case| case.sufficient).collect();
    let (figures, independent) = figures(&all, values.names.len());
    let (covered, _) = self::figures(&measured, values.names.len());
    let mut data = super::data(labelled, selector, path, items.len(), items.len() - cases.len());
    (data.positive, data.negative) = (None, None);
    let counts = counts(&all, values.names.len(), |_| 1);
    let silent = values.names.iter().zip(&counts).filter(|(_, counts)| counts.predicted() == 0);
    let silent = silent.map(|(name, _)| format!("`{name}` was never chosen"));
    let notes = sensed::unheard(&outcomes).into_iter().chain(silent);
    Ok(ChoiceEvaluation {
        notes: notes.collect(),
        sensor: sensor.clone(),
        data,
        confusion: confusion(&all, values.names.len()),
        by: by.map(|path| (path.to_string(), parts(&path, items, &cases))),
        errors: worst(sensor, labelled, &values, items, &cases, asked.errors)?,
        explain: asked.explain,
        values,
        figures,
        covered,
        independent,
        counts,
    })
}

/// Each value against all others, where a cluster counts as often as `weight` says.
fn counts(cases: &[&Case], values: usize, weight: impl Fn(usize) -> u64) -> Vec<Counts> {
    let mut counts = vec![Counts::default(); values];
    for case in cases {
        let times = weight(case.cluster);
        for (value, counts) in counts.iter_mut().enumerate() {
            let is_chosen = case.chosen.is_some_and(|(chosen, _)| chosen == value);
            counts.add(case.right.contains(&value), is_chosen, times);
        }
    }
    counts
}

/// The mean F1 of the values that an item has or that were chosen.
fn macro_f1(counts: &[Counts]) -> Option<Unit> {
    let each: Vec<i128> = counts.iter().filter_map(|own| own.f1()).map(|f1| i128::from(f1.0)).collect();
    (!each.is_empty()).then(|| Unit::ratio(each.iter().sum(), 1_000_000 * each.len() as i128))
}

/// Accuracy and macro-F1; with them, whether every case is a cluster of its own.
fn figures(cases: &[&Case], values: usize) -> (Figures, bool) {
    let mut numbers = BTreeMap::new();
    for case in cases {
        let next = numbers.len();
        numbers.entry(case.cluster).or_insert(next);
    }
    let independent = numbers.len() == cases.len();
    let right = |weight: &dyn Fn(usize) -> u64| {
        let right: u64 = cases.iter().filter(|case| case.is_right()).map(|case| weight(case.cluster)).sum();
        (right, cases.iter().map(|case| weight(case.cluster)).sum::<u64>())
    };
    let (hits, whole) = right(&|_| 1);
    let [mut accuracy, f1] = bootstrap(numbers.len(), |weights| {
        let weight = |cluster: usize| u64::from(weights[numbers[&cluster]]);
        let (hits, whole) = right(&weight);
        [share(hits, whole), macro_f1(&counts(cases, values, weight))]
    });
    if independent {
        accuracy = wilson(hits, whole);
    }
    let estimates = [
        share(hits, whole).map(|value| Estimate { value, interval: accuracy }),
        macro_f1(&counts(cases, values, |_| 1)).map(|value| Estimate { value, interval: f1 }),
    ];
    (Figures { items: cases.len(), estimates }, independent)
}

/// How often which value was chosen for which; an item with several right values counts for each that is not chosen, or once where one
/// of them is.
fn confusion(cases: &[&Case], values: usize) -> Vec<Vec<u64>> {
    let mut table = vec![vec![0; values + 1]; values];
    for case in cases {
        let chosen = case.chosen.map_or(values, |(value, _)| value);
        match case.right.contains(&chosen) {
            true => table[chosen][chosen] += 1,
            false => case.right.iter().for_each(|right| table[*right][chosen] += 1),
        }
    }
    table
}

fn parts(path: &Path, items: &[Item], cases: &[Case]) -> Vec<Part> {
    let mut parts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for case in cases {
        for value in path.values(&items[case.item]) {
            let part = parts.entry(value).or_default();
            part.0 += 1;
            part.1 += u64::from(case.is_right());
        }
    }
    parts.into_iter().map(|(value, (items, right))| (value, items, right)).collect()
}

/// The wrong ones that were chosen with the highest activation; of equal ones, the first of the data.
fn worst(
    sensor: &Sensor,
    labelled: &Labelled,
    values: &Values,
    items: &[Item],
    cases: &[Case],
    most: usize,
) -> Result<(usize, Vec<Wrong>), Error> {
    let mut wrong: Vec<&Case> = cases.iter().filter(|case| !case.is_right()).collect();
    wrong.sort_by_key(|case| Reverse(case.chosen.map(|(_, activation)| activation)));
    let shown = wrong.iter().take(most).map(|case| {
        let item = items[case.item].clone();
        let name = |value: usize| values.names[value].clone();
        Ok(Wrong {
            reading: sense(sensor, labelled, &item)?,
            right: case.right.iter().copied().map(name).collect(),
            chosen: case.chosen.map(|(value, _)| name(value)),
            value: case.chosen.map_or(Unit::ZERO, |(_, activation)| activation),
            item,
        })
    });
    let shown = shown.collect::<Result<_, Error>>()?;
    Ok((wrong.len(), shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_of_each_value_against_the_rest() {
        let case = |item: usize, right: &[usize], chosen: Option<usize>| Case {
            item,
            cluster: item,
            right: right.iter().copied().collect(),
            chosen: chosen.map(|value| (value, Unit::ONE)),
            sufficient: chosen.is_some(),
        };
        let cases =
            [case(0, &[0], Some(0)), case(1, &[1], Some(0)), case(2, &[1], Some(1)), case(3, &[0, 1], None)];
        let all: Vec<&Case> = cases.iter().collect();
        let (figures, independent) = figures(&all, 2);
        // F1 of the first value: 2·1 ÷ (2·1 + 1 + 1), of the second: 2·1 ÷ (2·1 + 0 + 2).
        let values: Vec<Unit> = figures.estimates.iter().flatten().map(|own| own.value).collect();
        assert_eq!((values, independent), (vec![Unit(500_000), Unit(500_000)], true));
        assert_eq!(confusion(&all, 2), [[1, 0, 1], [1, 1, 1]]);
    }
}
