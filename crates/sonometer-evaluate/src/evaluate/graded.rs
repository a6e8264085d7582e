//! A label that is a grade, against the number by which the target ranks: their rank correlation.

use super::cases::clusters;
use super::gauge::{Gauge, Wish};
use super::interval::bootstrap;
use super::measure::Estimate;
use super::result::Data;
use super::sensed::each;
use super::spearman::{Order, interval, spearman};
use crate::Error;
use crate::labels::{Item, Labelled, Path, holds_number};
use crate::watch::Watch;
use serde_json::{Number, Value};
use sonometer::{Instrument, Reading, SenseOptions, Unit};
use sonometer_report::Subject;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A labelled item.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) item: usize,
    cluster: usize,
    /// The grade as it is written.
    pub(crate) grade: f64,
    /// What it ranks by; 0 where it holds too little.
    pub(crate) value: Unit,
    pub(crate) sufficient: bool,
    /// What each marker came to.
    activations: Vec<Unit>,
    triggered: Vec<bool>,
}

/// The items with some grades.
#[derive(Clone, Debug)]
pub(crate) struct Bin {
    /// The lowest and the highest grade in it.
    pub(crate) grades: (f64, f64),
    /// The values, from the lowest to the highest.
    pub(crate) values: Vec<Unit>,
    /// The values in the order of the grades, for drawing.
    pub(crate) points: Vec<Unit>,
}

impl Bin {
    /// The mean of the values.
    pub(crate) fn mean(&self) -> Unit {
        let sum: i128 = self.values.iter().map(|value| i128::from(value.0)).sum();
        Unit::ratio(sum, 1_000_000 * self.values.len().max(1) as i128)
    }

    /// A quarter of the values lies below the first, half below the second, three quarters below the third; between two
    /// values, the line between them.
    pub(crate) fn quartiles(&self) -> [Unit; 3] {
        let last = self.values.len().saturating_sub(1);
        [1, 2, 3].map(|quarter| {
            let (at, part) = (last * quarter / 4, (last * quarter % 4) as i64);
            let low = self.values.get(at).copied().unwrap_or_default();
            let high = self.values.get(at + 1).copied().unwrap_or(low);
            Unit::ratio(i128::from(low.0 * (4 - part) + high.0 * part), 4_000_000)
        })
    }
}

/// A marker by itself.
#[derive(Clone, Debug)]
pub(crate) struct MarkerFigures {
    pub(crate) label: String,
    pub(crate) triggered: u64,
    /// The correlation of its resonance with the grade.
    pub(crate) correlation: Option<Estimate>,
}

/// A value of another label, how many items have it, and the correlation over these.
pub(crate) type Part = (String, usize, Option<Estimate>);

/// An item whose value and grade rank far apart.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) item: Item,
    pub(crate) case: Case,
    pub(crate) sensed: Reading,
    /// The share of the others that are graded lower, and of those whose value is lower.
    pub(crate) graded_above: Unit,
    pub(crate) ranked_above: Unit,
}

/// An evaluation against grades.
#[derive(Clone, Debug)]
pub(crate) struct GradedEvaluation {
    pub(crate) instrument: Instrument,
    pub(crate) subject: Subject,
    pub(crate) data: Data,
    pub(crate) gauge: Gauge,
    /// How many items have a grade, and how many of them were measured.
    pub(crate) items: usize,
    pub(crate) covered_items: usize,
    /// The correlation over all, and over those that were measured.
    pub(crate) correlation: Option<Estimate>,
    pub(crate) covered: Option<Estimate>,
    pub(crate) independent: bool,
    pub(crate) bins: Vec<Bin>,
    pub(crate) markers: Vec<MarkerFigures>,
    pub(crate) by: Option<(String, Vec<Part>)>,
    /// What ranks far higher than it is graded, and what ranks far lower.
    pub(crate) errors: [Vec<Wrong>; 2],
    pub(crate) explain: bool,
    pub(crate) notes: Vec<String>,
}

/// The grade of each item; `None`: not labelled.
pub(crate) fn grades(labels: &Labelled, path: &Path, items: &[Item]) -> Result<Vec<Option<f64>>, Error> {
    let grade = |item: &Item| match path.find(&item.labels) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(number)) => match Number::as_f64(number) {
            Some(grade) if grade.is_finite() => Ok(Some(grade)),
            _ => Err(labels.wrong(item, path, "outside the range of supported numbers")),
        },
        Some(other) => {
            let fix = if holds_number(other) { "; write it without quotes" } else { "" };
            Err(labels.wrong(item, path, &format!("`{other}`; a grade must be a number, or null{fix}")))
        }
    };
    items.iter().map(grade).collect()
}

/// Senses every item and compares values with grades.
pub(crate) fn evaluate(
    instrument: &Instrument,
    labels: &Labelled,
    grades: &[Option<f64>],
    items: &[Item],
    wish: Wish<'_>,
    data: Data,
    watch: Watch<'_>,
) -> Result<GradedEvaluation, Error> {
    let Wish { selector, gauge, by, errors, explain } = wish;
    let sensed = each(items, watch, |item| {
        let sensed = sense(instrument, labels, item)?;
        let resonance = sensed.resonance();
        let (activations, triggered): (Vec<Unit>, Vec<bool>) =
            resonance.map(|(_, own)| (own.activation, own.triggered)).unzip();
        let value = sensed.score().map(|score| gauge.value(score, &activations));
        Ok((value.is_some(), value.unwrap_or(Unit::ZERO), activations, triggered))
    })?;
    let clusters = clusters(selector, items);
    let graded = sensed.into_iter().zip(grades).zip(clusters).enumerate();
    let cases: Vec<Case> = graded
        .filter_map(|(item, (((sufficient, value, activations, triggered), grade), cluster))| {
            Some(Case { item, cluster, grade: (*grade)?, value, sufficient, activations, triggered })
        })
        .collect();
    let all: Vec<&Case> = cases.iter().collect();
    let measured: Vec<&Case> = cases.iter().filter(|case| case.sufficient).collect();
    let (correlation, independent) = correlation(&all, |case| case.value);
    let (covered, _) = self::correlation(&measured, |case| case.value);
    let mut notes = Vec::new();
    if correlation.is_none() {
        let what = match cases.windows(2).all(|two| two[0].grade == two[1].grade) {
            true => "all grades are equal",
            false => "all values are equal",
        };
        notes.push(format!("{what}: there is nothing to correlate"));
    }
    Ok(GradedEvaluation {
        subject: instrument.into(),
        items: cases.len(),
        covered_items: measured.len(),
        bins: bins(&cases),
        markers: markers(instrument, &all),
        by: by.map(|path| (path.to_string(), parts(path, items, &cases))),
        errors: worst(instrument, labels, items, &cases, errors)?,
        instrument: instrument.clone(),
        data,
        gauge,
        correlation,
        covered,
        independent,
        explain,
        notes,
    })
}

fn sense(instrument: &Instrument, labels: &Labelled, item: &Item) -> Result<Reading, Error> {
    let options = SenseOptions::default().without_key(instrument.sensors());
    let sensed = instrument.sense_with(&item.interaction, options);
    sensed.map_err(|error| Error::engine(labels.place(item), &error))
}

/// Grades are finite.
fn by_grade(a: &f64, b: &f64) -> Ordering {
    a.partial_cmp(b).unwrap_or(Ordering::Equal)
}

/// The correlation of a value with the grade; with it, whether every case is a cluster of its own.
fn correlation(cases: &[&Case], value: impl Fn(&Case) -> Unit) -> (Option<Estimate>, bool) {
    let mut numbers = BTreeMap::new();
    for case in cases {
        let next = numbers.len();
        numbers.entry(case.cluster).or_insert(next);
    }
    let independent = numbers.len() == cases.len();
    let grades: Vec<f64> = cases.iter().map(|case| case.grade).collect();
    let values: Vec<Unit> = cases.iter().map(|case| value(case)).collect();
    let (x, y) = (Order::of(&grades, by_grade), Order::of(&values, Unit::cmp));
    let estimate = spearman(&x, &y, &vec![1; cases.len()]).map(|value| {
        let interval = if independent {
            interval(value, cases.len() as u64)
        } else {
            let clusters: Vec<usize> = cases.iter().map(|case| numbers[&case.cluster]).collect();
            let [interval] = bootstrap(numbers.len(), |weights| {
                let weights: Vec<i128> = clusters.iter().map(|at| weights[*at].into()).collect();
                [spearman(&x, &y, &weights)]
            });
            interval
        };
        Estimate { value, interval }
    });
    (estimate, independent)
}

/// The most grades that have a bin each; where there are more, a bin has as many items as another.
const BINS: usize = 10;

fn bins(cases: &[Case]) -> Vec<Bin> {
    let mut sorted: Vec<&Case> = cases.iter().collect();
    sorted.sort_by(|a, b| by_grade(&a.grade, &b.grade));
    let equal: Vec<&[&Case]> = sorted.chunk_by(|a, b| by_grade(&a.grade, &b.grade).is_eq()).collect();
    let mut bins: BTreeMap<usize, Vec<&Case>> = BTreeMap::new();
    let mut below = 0;
    for (at, block) in equal.iter().enumerate() {
        let bin = if equal.len() <= BINS { at } else { below * BINS / sorted.len() };
        bins.entry(bin).or_default().extend(*block);
        below += block.len();
    }
    let bin = |cases: Vec<&Case>| {
        let points: Vec<Unit> = cases.iter().map(|case| case.value).collect();
        let mut values = points.clone();
        values.sort_unstable();
        let grade = |case: Option<&&Case>| case.map_or(0.0, |case| case.grade);
        Bin { grades: (grade(cases.first()), grade(cases.last())), values, points }
    };
    bins.into_values().map(bin).collect()
}

fn markers(instrument: &Instrument, cases: &[&Case]) -> Vec<MarkerFigures> {
    let labels = instrument.markers().enumerate();
    labels
        .map(|(at, (key, _))| MarkerFigures {
            label: key.to_owned(),
            triggered: cases.iter().filter(|case| case.triggered[at]).count() as u64,
            correlation: correlation(cases, |case| case.activations[at]).0,
        })
        .collect()
}

fn parts(path: &Path, items: &[Item], cases: &[Case]) -> Vec<Part> {
    let mut parts: BTreeMap<String, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        for value in path.values(&items[case.item]) {
            parts.entry(value).or_default().push(case);
        }
    }
    let figures =
        |(value, cases): (String, Vec<&Case>)| (value, cases.len(), correlation(&cases, |case| case.value).0);
    parts.into_iter().map(figures).collect()
}

/// The items whose value ranks furthest above their grade, and furthest below; of equal ones, the first of the data.
fn worst(
    instrument: &Instrument,
    labels: &Labelled,
    items: &[Item],
    cases: &[Case],
    most: usize,
) -> Result<[Vec<Wrong>; 2], Error> {
    let grades: Vec<f64> = cases.iter().map(|case| case.grade).collect();
    let values: Vec<Unit> = cases.iter().map(|case| case.value).collect();
    let (graded, ranked) = (Order::of(&grades, by_grade).shares(), Order::of(&values, Unit::cmp).shares());
    let of = |sign: i64| {
        let gap = |at: usize| (ranked[at].0 - graded[at].0) * sign;
        let mut wrong: Vec<usize> = (0..cases.len()).filter(|at| gap(*at) > 0).collect();
        wrong.sort_by_key(|at| std::cmp::Reverse(gap(*at)));
        let shown = wrong.into_iter().take(most).map(|at| {
            let case = cases[at].clone();
            let item = items[case.item].clone();
            let sensed = sense(instrument, labels, &item)?;
            Ok(Wrong { item, case, sensed, graded_above: graded[at], ranked_above: ranked[at] })
        });
        shown.collect::<Result<Vec<_>, Error>>()
    };
    Ok([of(1)?, of(-1)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(item: usize, grade: f64, value: i64) -> Case {
        let value = Unit(value);
        Case { item, cluster: item, grade, value, sufficient: true, activations: vec![], triggered: vec![] }
    }

    #[test]
    fn a_grade_in_quotes_is_told_to_lose_them() {
        let told = |grade: &str| {
            let line = format!(r#"{{"interaction": {{"content": "x"}}, "labels": {{"csat": {grade}}}}}"#);
            let items = Labelled::read_single("calls.jsonl", line.as_bytes()).expect("reads");
            grades(&items, &Path::from("csat"), items.items()).map_err(|error| error.to_string())
        };
        assert_eq!(told("4.5"), Ok(vec![Some(4.5)]));
        let number = told("\"4.5\"").expect_err("is a text");
        assert!(number.ends_with("a grade must be a number, or null; write it without quotes"), "{number}");
        assert!(told("\"good\"").is_err_and(|text| text.ends_with("a grade must be a number, or null")));
    }

    #[test]
    fn few_grades_have_a_bin_each_and_many_share() {
        let few: Vec<Case> = (0..30).map(|n| case(n, (n % 3) as f64 / 2.0, n as i64)).collect();
        let found: Vec<_> = bins(&few).iter().map(|bin| (bin.grades.0, bin.values.len())).collect();
        assert_eq!(found, [(0.0, 10), (0.5, 10), (1.0, 10)]);
        let many: Vec<Case> = (0..57).map(|n| case(n, n as f64, n as i64)).collect();
        let bins = bins(&many);
        assert_eq!((bins.len(), bins.iter().map(|bin| bin.values.len()).sum::<usize>()), (10, 57));
        assert!(bins.windows(2).all(|two| two[0].grades.1 < two[1].grades.0));
    }

    #[test]
    fn quartiles_lie_between_values() {
        let bin = |values: &[i64]| {
            let values: Vec<Unit> = values.iter().copied().map(Unit).collect();
            Bin { grades: (0.0, 0.0), points: values.clone(), values }
        };
        assert_eq!(bin(&[0, 100, 200, 300, 400]).quartiles(), [Unit(100), Unit(200), Unit(300)]);
        assert_eq!(bin(&[0, 100]).quartiles(), [Unit(25), Unit(50), Unit(75)]);
        assert_eq!(bin(&[7]).quartiles(), [Unit(7); 3]);
        assert_eq!(bin(&[1, 2]).mean(), Unit(2));
    }

    #[test]
    fn groups_are_drawn_as_a_whole() {
        let mut cases: Vec<Case> = (0..40).map(|n| case(n, (n / 4) as f64, (n as i64 * 37) % 23)).collect();
        let alone = correlation(&cases.iter().collect::<Vec<_>>(), |case| case.value);
        cases.iter_mut().for_each(|case| case.cluster = case.item / 4);
        let grouped = correlation(&cases.iter().collect::<Vec<_>>(), |case| case.value);
        assert_eq!((alone.1, grouped.1), (true, false));
        let value = |found: &Option<Estimate>| found.map(|estimate| estimate.value);
        assert_eq!(value(&alone.0), value(&grouped.0));
        assert_ne!(alone.0, grouped.0);
    }
}
