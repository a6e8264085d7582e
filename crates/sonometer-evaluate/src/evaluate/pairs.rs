//! Pairs of texts of which a label says which is more of something, against which of them the target ranks higher.
//!
//! A pair is *right* if the text that the label names ranks higher, *wrong* if the other one does, *tied* if both have the
//! same value, *unmeasured* if one of them holds too little. What is tied or unmeasured is worth half a hit, as a coin
//! would be; it is counted by itself too.

use super::cases::clusters;
use super::gauge::{Gauge, Wish};
use super::interval::{bootstrap, wilson};
use super::measure::{Estimate, share};
use super::question::Basis;
use super::result::Data;
use super::sensed::each;
use crate::error::{Error, Place};
use crate::labels::{Class, Item, Labelled, Path, Selector};
use crate::watch::Watch;
use sonometer::{ErrorCode, Instrument, Interaction, Reading, SenseOptions, Unit};
use sonometer_report::Subject;
use sonometer_report::counted;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The figures, in the order of the report.
pub(crate) const FIGURES: [&str; 3] = ["accuracy", "decided", "decided_accuracy"];

/// What became of some pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Tally {
    pub(crate) right: u64,
    pub(crate) wrong: u64,
    pub(crate) tied: u64,
    pub(crate) unmeasured: u64,
}

impl Tally {
    fn add(&mut self, verdict: Verdict, times: u64) {
        *match verdict {
            Verdict::Right => &mut self.right,
            Verdict::Wrong => &mut self.wrong,
            Verdict::Tied => &mut self.tied,
            Verdict::Unmeasured => &mut self.unmeasured,
        } += times;
    }

    pub(crate) fn pairs(&self) -> u64 {
        self.decided() + self.tied + self.unmeasured
    }

    pub(crate) fn decided(&self) -> u64 {
        self.right + self.wrong
    }

    /// The share of right pairs, those that are not decided worth one half.
    pub(crate) fn accuracy(&self) -> Option<Unit> {
        share(2 * self.right + self.tied + self.unmeasured, 2 * self.pairs())
    }

    /// The share of pairs that are decided.
    pub(crate) fn decided_share(&self) -> Option<Unit> {
        share(self.decided(), self.pairs())
    }

    /// Of these, the share that is right.
    pub(crate) fn decided_accuracy(&self) -> Option<Unit> {
        share(self.right, self.decided())
    }

    fn values(&self) -> [Option<Unit>; 3] {
        [self.accuracy(), self.decided_share(), self.decided_accuracy()]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Right,
    Wrong,
    Tied,
    Unmeasured,
}

/// One labelled pair.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The place of its item.
    pub(crate) item: usize,
    cluster: usize,
    /// Whether the label names the first text.
    pub(crate) first: bool,
    /// The value of what the label names, minus that of the other; `None` if one of them was not measured.
    pub(crate) lead: Option<Unit>,
    /// The same of the resonance of each marker.
    leads: Vec<Unit>,
}

impl Case {
    fn verdict(&self) -> Verdict {
        match self.lead.map(|lead| lead.0.signum()) {
            None => Verdict::Unmeasured,
            Some(0) => Verdict::Tied,
            Some(1) => Verdict::Right,
            Some(_) => Verdict::Wrong,
        }
    }
}

/// Tally and figures of some pairs.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) tally: Tally,
    /// By [`FIGURES`].
    pub(crate) estimates: [Option<Estimate>; 3],
}

impl Figures {
    fn of(cases: &[&Case]) -> (Self, bool) {
        let mut numbers = BTreeMap::new();
        for case in cases {
            let next = numbers.len();
            numbers.entry(case.cluster).or_insert(next);
        }
        let tally = |weight: &dyn Fn(usize) -> u64| {
            let mut tally = Tally::default();
            cases.iter().for_each(|case| tally.add(case.verdict(), weight(numbers[&case.cluster])));
            tally
        };
        let own = tally(&|_| 1);
        let mut intervals = bootstrap(numbers.len(), |weights| tally(&|at| weights[at].into()).values());
        let independent = numbers.len() == cases.len();
        if independent {
            intervals[1] = wilson(own.decided(), own.pairs());
            intervals[2] = wilson(own.right, own.decided());
        }
        let mut intervals = intervals.into_iter();
        let estimates = own.values().map(|value| {
            let interval = intervals.next().flatten();
            value.map(|value| Estimate { value, interval })
        });
        (Self { tally: own, estimates }, independent)
    }
}

/// A marker as a judge of its own.
#[derive(Clone, Debug)]
pub(crate) struct MarkerFigures {
    pub(crate) label: String,
    /// Pairs in which it resonates more in the text that the label names.
    pub(crate) right: u64,
    /// Pairs in which it resonates more in the other.
    pub(crate) wrong: u64,
}

/// What is left where pairs count as decided only from some difference on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) least: Unit,
    pub(crate) right: u64,
    pub(crate) wrong: u64,
}

/// A pair that was judged wrongly.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) item: Item,
    pub(crate) case: Case,
    /// What the label names, then the other, as the lists of the page have them: a, b.
    pub(crate) sensed: [Reading; 2],
    pub(crate) values: [Unit; 2],
}

/// An evaluation of pairs.
#[derive(Clone, Debug)]
pub(crate) struct PairEvaluation {
    pub(crate) instrument: Instrument,
    pub(crate) subject: Subject,
    pub(crate) data: Data,
    pub(crate) gauge: Gauge,
    pub(crate) figures: Figures,
    /// On the pairs of which both texts were measured.
    pub(crate) covered: Figures,
    pub(crate) independent: bool,
    /// What choosing the longer text would be worth.
    pub(crate) longer: Option<Unit>,
    pub(crate) markers: Vec<MarkerFigures>,
    pub(crate) by: Option<(String, Vec<(String, Tally)>)>,
    /// From the largest difference to the smallest.
    pub(crate) points: Vec<Point>,
    /// How many were judged wrongly, and the worst of them.
    pub(crate) errors: (usize, Vec<Wrong>),
    /// Whether errors come with the computation of their readings.
    pub(crate) explain: bool,
    pub(crate) notes: Vec<String>,
}

/// Which text the label of each item names: the first (`a`, or what is in the positive class), the second (`b`, or the negative
/// class), or `None`.
pub(crate) fn truths(
    labels: &Labelled,
    selector: &Selector,
    path: &Path,
    items: &[Item],
) -> Result<Vec<Option<bool>>, Error> {
    let class = |own: &Option<Class>, name: &str| match own {
        Some(class) => Ok(class.clone()),
        None => name.parse::<Class>().map_err(Error::unusable),
    };
    let (first, second) = (class(&selector.positive, "a")?, class(&selector.negative, "b")?);
    let truth = |item: &Item| {
        let Some(value) = path.find(&item.labels).filter(|value| !value.is_null()) else { return Ok(None) };
        let holds = |class: &Class| class.holds(value).map_err(|wrong| labels.wrong(item, path, &wrong));
        match (holds(&first)?, holds(&second)?) {
            (true, true) => Err(labels.wrong(
                item,
                path,
                "in both classes; choose values for --positive and --negative \
                                                          that do not overlap",
            )),
            (true, false) => Ok(Some(true)),
            (false, true) => Ok(Some(false)),
            (false, false) => Ok(None),
        }
    };
    let truths = items.iter().map(truth).collect::<Result<Vec<_>, Error>>()?;
    if truths.iter().all(Option::is_none) {
        let message = format!(
            "no pair has `{first}` or `{second}` as `{path}`; give the value for the first text with --positive and for \
             the second with --negative"
        );
        return Err(Error::at(Place::of(&labels.name), message));
    }
    Ok(truths)
}

/// Compares every pair and judges the comparisons.
pub(crate) fn evaluate(
    instrument: &Instrument,
    labels: &Labelled,
    truths: &[Option<bool>],
    items: &[Item],
    wish: Wish<'_>,
    data: Data,
    watch: Watch<'_>,
) -> Result<PairEvaluation, Error> {
    let Wish { selector, gauge, by, errors, explain } = wish;
    let compared = each(items, watch, |item| compare(instrument, &gauge, labels, item))?;
    let clusters = clusters(selector, items);
    let case = |(item, first): (usize, bool)| {
        let sign = if first { 1 } else { -1 };
        let own = compared[item].as_ref();
        Case {
            item,
            cluster: clusters[item],
            first,
            lead: own.map(|(lead, _)| Unit(lead.0 * sign)),
            leads: own.map_or_else(Vec::new, |(_, leads)| leads.iter().map(|l| Unit(l.0 * sign)).collect()),
        }
    };
    let labelled = truths.iter().enumerate().filter_map(|(item, truth)| Some((item, (*truth)?)));
    let cases: Vec<Case> = labelled.map(case).collect();
    let (figures, independent) = Figures::of(&cases.iter().collect::<Vec<_>>());
    let covered: Vec<&Case> = cases.iter().filter(|case| case.lead.is_some()).collect();
    let covered = Figures::of(&covered).0;
    let mut notes: Vec<String> = Vec::new();
    notes.extend(shared(items, &cases).filter(|_| selector.group.is_none()));
    Ok(PairEvaluation {
        subject: instrument.into(),
        longer: longer(items, &cases),
        markers: markers(instrument, &cases),
        by: by.map(|path| (path.to_string(), parts(path, items, &cases))),
        points: points(&cases),
        errors: worst(instrument, &gauge, labels, items, &cases, errors)?,
        instrument: instrument.clone(),
        data,
        gauge,
        figures,
        covered,
        independent,
        explain,
        notes,
    })
}

/// The value of the first text minus that of the second, and the same of every marker's resonance.
type Leads = (Unit, Vec<Unit>);

/// What the comparison of a pair says; `None` if one of the texts holds too little.
fn compare(
    instrument: &Instrument,
    gauge: &Gauge,
    labels: &Labelled,
    item: &Item,
) -> Result<Option<Leads>, Error> {
    let [first, second] = both(labels, item)?;
    let comparison = match instrument.compare(first, second, SenseOptions::default()) {
        Ok(comparison) => comparison,
        Err(error) if error.code == ErrorCode::InsufficientSignal => return Ok(None),
        Err(error) => return Err(Error::engine(labels.place(item), &error)),
    };
    let lead = match gauge.basis {
        // The score of b minus that of a.
        Basis::Score => Unit(-comparison.delta.score_change.0),
        Basis::Complement => comparison.delta.score_change,
        Basis::Markers => {
            let value = |side: &sonometer::Side| {
                let activations: Vec<Unit> = side.resonance.iter().map(|(_, own)| *own).collect();
                gauge.value(side.score, &activations)
            };
            Unit(value(&comparison.a).0 - value(&comparison.b).0)
        }
    };
    let leads = comparison.resonance_shifts().map(|(_, a, b, _)| Unit(a.0 - b.0)).collect();
    Ok(Some((lead, leads)))
}

fn both<'i>(labels: &Labelled, item: &'i Item) -> Result<[&'i Interaction; 2], Error> {
    match &item.other {
        Some(other) => Ok([&item.interaction, other]),
        None => Err(Error::at(labels.place(item), "is not a pair")),
    }
}

/// Code points of all that is said.
pub(crate) fn length(interaction: &Interaction) -> usize {
    interaction.turns().iter().map(|turn| turn.content.chars().count()).sum()
}

/// The accuracy of choosing the longer text: what a measure has to beat that is not to be about length.
fn longer(items: &[Item], cases: &[Case]) -> Option<Unit> {
    let mut tally = Tally::default();
    for case in cases {
        let item = &items[case.item];
        let other = item.other.as_ref().map_or(0, length);
        let order = length(&item.interaction).cmp(&other);
        let order = if case.first { order } else { order.reverse() };
        tally.add(
            match order {
                std::cmp::Ordering::Greater => Verdict::Right,
                std::cmp::Ordering::Less => Verdict::Wrong,
                std::cmp::Ordering::Equal => Verdict::Tied,
            },
            1,
        );
    }
    tally.accuracy()
}

/// What is said where a text occurs in several pairs: these are not independent of each other.
fn shared(items: &[Item], cases: &[Case]) -> impl Iterator<Item = String> {
    let mut texts: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for item in cases.iter().map(|case| &items[case.item]) {
        for interaction in [Some(&item.interaction), item.other.as_ref()].into_iter().flatten() {
            let said = interaction.turns().iter().map(|turn| &*turn.content).collect();
            *texts.entry(said).or_default() += 1;
        }
    }
    let several = texts.values().filter(|count| **count > 1).count();
    let note = (several > 0).then(|| {
        format!(
            "{} in more than one pair, so the pairs are not independent and the intervals are too narrow; use --group",
            match several {
                1 => "1 text occurs".to_owned(),
                _ => format!("{} occur", counted(several, "text")),
            }
        )
    });
    note.into_iter()
}

fn markers(instrument: &Instrument, cases: &[Case]) -> Vec<MarkerFigures> {
    let mut all: Vec<MarkerFigures> = instrument
        .markers()
        .map(|(key, _)| MarkerFigures { label: key.to_owned(), right: 0, wrong: 0 })
        .collect();
    for case in cases {
        for (marker, lead) in all.iter_mut().zip(&case.leads) {
            match lead.0.signum() {
                1 => marker.right += 1,
                -1 => marker.wrong += 1,
                _ => {}
            }
        }
    }
    all
}

fn parts(path: &Path, items: &[Item], cases: &[Case]) -> Vec<(String, Tally)> {
    let mut parts: BTreeMap<String, Tally> = BTreeMap::new();
    for case in cases {
        for value in path.values(&items[case.item]) {
            parts.entry(value).or_default().add(case.verdict(), 1);
        }
    }
    parts.into_iter().collect()
}

/// Of every difference that occurs, how many pairs differ at least as much, right and wrong.
fn points(cases: &[Case]) -> Vec<Point> {
    let mut leads: Vec<Unit> = cases.iter().filter_map(|case| case.lead).filter(|lead| lead.0 != 0).collect();
    leads.sort_by_key(|lead| Reverse(lead.0.abs()));
    let (mut right, mut wrong) = (0, 0);
    let tied = leads.chunk_by(|a, b| a.0.abs() == b.0.abs());
    tied.map(|tied| {
        right += tied.iter().filter(|lead| lead.0 > 0).count() as u64;
        wrong += tied.iter().filter(|lead| lead.0 < 0).count() as u64;
        Point { least: Unit(tied[0].0.abs()), right, wrong }
    })
    .collect()
}

/// The pairs that differ most to the wrong side; of equal ones, the first of the data.
fn worst(
    instrument: &Instrument,
    gauge: &Gauge,
    labels: &Labelled,
    items: &[Item],
    cases: &[Case],
    most: usize,
) -> Result<(usize, Vec<Wrong>), Error> {
    let mut wrong: Vec<&Case> = cases.iter().filter(|case| case.verdict() == Verdict::Wrong).collect();
    wrong.sort_by_key(|case| case.lead);
    let count = wrong.len();
    let shown = wrong.into_iter().take(most).map(|case| {
        let item = &items[case.item];
        let sense = |interaction: &Interaction| {
            let options = SenseOptions::default().without_key(instrument.sensors());
            let sensed = instrument.sense_with(interaction, options);
            sensed.map_err(|error| Error::engine(labels.place(item), &error))
        };
        let [first, second] = both(labels, item)?;
        let sensed = [sense(first)?, sense(second)?];
        let values = [&sensed[0], &sensed[1]].map(|sensed| {
            let activations: Vec<Unit> = sensed.resonance().map(|(_, own)| own.activation).collect();
            sensed.score().map_or(Unit::ZERO, |score| gauge.value(score, &activations))
        });
        Ok(Wrong { item: item.clone(), case: case.clone(), sensed, values })
    });
    Ok((count, shown.collect::<Result<_, Error>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(cluster: usize, lead: Option<i64>) -> Case {
        Case { item: cluster, cluster, first: true, lead: lead.map(Unit), leads: vec![] }
    }

    #[test]
    fn figures_worked_by_hand() {
        // 3 right, 1 wrong, 1 tied, 1 unmeasured: (3 + ½ + ½) ÷ 6, 4 of 6 decided, 3 of 4 of these right.
        let leads = [Some(5), Some(1), Some(900_000), Some(-1), Some(0), None];
        let cases: Vec<Case> = leads.iter().enumerate().map(|(at, lead)| case(at, *lead)).collect();
        let (figures, independent) = Figures::of(&cases.iter().collect::<Vec<_>>());
        assert!(independent);
        assert_eq!(figures.tally, Tally { right: 3, wrong: 1, tied: 1, unmeasured: 1 });
        let values = figures.estimates.map(|estimate| estimate.map(|estimate| estimate.value));
        assert_eq!(values, [Some(Unit(666_667)), Some(Unit(666_667)), Some(Unit(750_000))]);
        assert_eq!(figures.estimates[2].and_then(|estimate| estimate.interval), wilson(3, 4));
    }

    #[test]
    fn pairs_of_one_group_are_not_independent() {
        let cases: Vec<Case> =
            (0..60).map(|at| case(at / 10, Some(if at / 10 % 2 == 0 { 1 } else { -1 }))).collect();
        let alone: Vec<Case> =
            cases.iter().enumerate().map(|(at, c)| Case { cluster: at, ..c.clone() }).collect();
        let width = |cases: &[Case]| {
            let (figures, independent) = Figures::of(&cases.iter().collect::<Vec<_>>());
            let interval = figures.estimates[2].and_then(|estimate| estimate.interval).expect("is there");
            (interval.high - interval.low, independent)
        };
        let (grouped, single) = (width(&cases), width(&alone));
        assert_eq!((grouped.1, single.1), (false, true));
        assert!(grouped.0 > single.0, "{grouped:?} {single:?}");
    }

    #[test]
    fn differences_are_counted_from_the_clearest_on() {
        let leads = [Some(300), Some(-300), Some(200), Some(0), None, Some(-100)];
        let cases: Vec<Case> = leads.iter().enumerate().map(|(at, lead)| case(at, *lead)).collect();
        let found: Vec<_> = points(&cases).iter().map(|p| (p.least.0, p.right, p.wrong)).collect();
        assert_eq!(found, [(300, 1, 1), (200, 2, 1), (100, 2, 2)]);
    }
}
