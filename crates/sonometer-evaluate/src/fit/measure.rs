//! How well a protocol tells the classes apart: what the engine reads, and the usual figures about it.

use super::Example;
use super::matrix::sensor;
use crate::error::{Error, Place};
use crate::evaluate::measure::Counts;
use crate::evaluate::sensed::in_steps;
use crate::watch::Steps;
use sonometer::{Interaction, Protocol, SenseOptions, Sensor, Turn, Unit};

/// What the engine says of one example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// 0 where the content is insufficient.
    pub(crate) activation: Unit,
    pub(crate) triggered: bool,
    pub(crate) sufficient: bool,
    pub(crate) positive: bool,
}

/// Senses examples as `sonometer sense` would and looks at one marker.
pub(crate) fn outcomes(
    protocol: &Protocol,
    label: &str,
    examples: &[&Example],
    steps: &mut Steps<'_>,
) -> Result<Vec<Outcome>, Error> {
    let read = Reader::new(protocol, label)?;
    in_steps(examples, steps, |example| read.outcome(&example.interaction, example.positive))
}

/// The same of ordinary talk, which counts as negative.
pub(crate) fn ordinary(
    protocol: &Protocol,
    label: &str,
    interactions: &[&Interaction],
    steps: &mut Steps<'_>,
) -> Result<Vec<Outcome>, Error> {
    let read = Reader::new(protocol, label)?;
    in_steps(interactions, steps, |interaction| read.outcome(interaction, false))
}

/// A marker of a protocol, ready to read.
struct Reader<'p> {
    sensor: Sensor,
    label: &'p str,
}

impl<'p> Reader<'p> {
    fn new(protocol: &Protocol, label: &'p str) -> Result<Self, Error> {
        Ok(Self { sensor: sensor(protocol.clone())?, label })
    }

    fn outcome(&self, interaction: &Interaction, positive: bool) -> Result<Outcome, Error> {
        let options = SenseOptions::default().without_key(std::slice::from_ref(&self.sensor));
        let sensed = self.sensor.sense_with(interaction, options);
        let reading = sensed.map_err(|error| Error::engine(Place::of(&self.sensor.protocol().id), &error))?;
        let resonance = reading.resonance().find(|(own, _)| *own == self.label).map(|(_, r)| r);
        let resonance = resonance.unwrap_or_default();
        let sufficient = reading.fidelity().sufficient;
        Ok(Outcome {
            activation: if sufficient { resonance.activation } else { Unit::ZERO },
            triggered: sufficient && resonance.triggered,
            sufficient,
            positive,
        })
    }
}

/// How often the decisions were right.
pub(crate) fn counts(outcomes: &[Outcome]) -> Counts {
    let mut counts = Counts::default();
    outcomes.iter().for_each(|outcome| counts.add(outcome.positive, outcome.triggered, 1));
    counts
}

/// The figures of several folds: their counts together, and the mean of their AUC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    pub(crate) folds: usize,
    pub(crate) counts: Counts,
    auc: Option<f64>,
    /// Items that were not measured for lack of signal; they count as not triggered.
    pub(crate) insufficient: usize,
}

impl Figures {
    pub(crate) fn of_folds(folds: &[Vec<Outcome>]) -> Self {
        let all: Vec<Outcome> = folds.concat();
        Self {
            folds: folds.len(),
            counts: counts(&all),
            auc: mean_auc(folds),
            insufficient: all.iter().filter(|outcome| !outcome.sufficient).count(),
        }
    }

    /// By name, 0 where a figure is not defined; an AUC of one half where no fold has both classes.
    pub(crate) fn all(&self) -> [(&'static str, Unit); 5] {
        [
            ("precision", self.counts.precision().unwrap_or(Unit::ZERO)),
            ("recall", self.counts.recall().unwrap_or(Unit::ZERO)),
            ("f1", self.counts.f1().unwrap_or(Unit::ZERO)),
            ("macro_f1", self.counts.macro_f1().unwrap_or(Unit::ZERO)),
            ("auc", Unit((self.auc.unwrap_or(0.5) * 1e6).round() as i64)),
        ]
    }
}

/// What a threshold is chosen for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Aim {
    /// The mean F1 of both classes.
    #[default]
    MacroF1,
    /// The F1 of the positive class.
    F1,
}

impl Aim {
    /// 0 where the figure is not defined.
    pub(crate) fn of(self, counts: &Counts) -> Unit {
        let figure = match self {
            Self::MacroF1 => counts.macro_f1(),
            Self::F1 => counts.f1(),
        };
        figure.unwrap_or(Unit::ZERO)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MacroF1 => "macro-F1",
            Self::F1 => "F1",
        }
    }
}

/// The probability that a positive example scores above a negative one, ties counting half (the area under the ROC curve); `None`
/// without examples of both classes.
pub(crate) fn auc(scored: &[(f64, bool)]) -> Option<f64> {
    let mut sorted = scored.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut half_wins, mut positives) = (0_u64, 0_u64, 0_u64);
    for tied in sorted.chunk_by(|a, b| a.0 == b.0) {
        let positive = tied.iter().filter(|(_, positive)| *positive).count() as u64;
        let negative = tied.len() as u64 - positive;
        half_wins += positive * (2 * below + negative);
        below += negative;
        positives += positive;
    }
    let pairs = 2 * positives * below;
    (pairs > 0).then(|| half_wins as f64 / pairs as f64)
}

/// The mean AUC of the activations of several folds: models of different folds need not agree on a scale.
fn mean_auc(folds: &[Vec<Outcome>]) -> Option<f64> {
    let scored = |fold: &Vec<Outcome>| {
        fold.iter().map(|o| (o.activation.0 as f64, o.positive)).collect::<Vec<(f64, bool)>>()
    };
    mean(folds.iter().filter_map(|fold| auc(&scored(fold))))
}

pub(crate) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// A place between two neighbouring scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// What is aimed at, if scores above the cut are called positive.
    pub(crate) quality: Unit,
}

impl Cut {
    pub(crate) fn middle(self) -> f64 {
        self.low + (self.high - self.low) / 2.0
    }
}

/// What ordinary talk allows: no cut below this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limit(f64);

impl Limit {
    /// The lowest cut above which at most the share `most` of the scores of ordinary talk are.
    pub(crate) fn of(mut scores: Vec<f64>, most: Unit) -> Self {
        scores.sort_by(|a, b| b.total_cmp(a));
        let allowed = scores.len() as u128 * most.0.max(0).unsigned_abs() as u128 / 1_000_000;
        let last = usize::try_from(allowed).ok().and_then(|allowed| scores.get(allowed));
        Self(last.copied().unwrap_or(f64::NEG_INFINITY))
    }
}

/// The best cut between scores that occur, as far as ordinary talk allows. Of equally good ones, the widest, then the lowest. Where
/// nothing that occurs is above the limit, the limit. `None` where all scores are equal.
pub(crate) fn best_cut(scored: &[(f64, bool)], aim: Aim, limit: Option<Limit>) -> Option<Cut> {
    let mut sorted = scored.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut counts = Counts::default();
    sorted.iter().for_each(|(_, positive)| counts.add(*positive, true, 1));
    let mut best: Option<Cut> = None;
    let groups: Vec<&[(f64, bool)]> = sorted.chunk_by(|a, b| a.0 == b.0).collect();
    for pair in groups.windows(2) {
        for (_, positive) in pair[0] {
            if *positive {
                counts.true_positives -= 1;
                counts.false_negatives += 1;
            } else {
                counts.false_positives -= 1;
                counts.true_negatives += 1;
            }
        }
        let Limit(least) = limit.unwrap_or(Limit(f64::NEG_INFINITY));
        let cut = Cut { low: pair[0][0].0.max(least), high: pair[1][0].0, quality: aim.of(&counts) };
        if cut.high <= cut.low {
            continue;
        }
        let rank = |cut: Cut| (cut.quality, cut.high - cut.low);
        if best.is_none_or(|best| rank(cut) > rank(best)) {
            best = Some(cut);
        }
    }
    match limit {
        Some(Limit(least)) if groups.len() > 1 => {
            best.or(Some(Cut { low: least, high: least, quality: Unit::ZERO }))
        }
        _ => best,
    }
}

/// Whether a line of talk triggers any marker, whatever its fidelity.
pub(crate) fn line_triggers(sensor: &Sensor, role: Option<&str>, line: &str) -> Result<bool, Error> {
    triggers(sensor, |_| true, role, line)
}

/// Whether a line of talk triggers one marker of several, whatever its fidelity.
pub(crate) fn marker_triggers(
    sensor: &Sensor,
    label: &str,
    role: Option<&str>,
    line: &str,
) -> Result<bool, Error> {
    triggers(sensor, |own| own == label, role, line)
}

fn triggers(
    sensor: &Sensor,
    is_meant: impl Fn(&str) -> bool,
    role: Option<&str>,
    line: &str,
) -> Result<bool, Error> {
    let interaction = match role {
        Some(role) => Interaction::transcript(vec![Turn {
            role: Some(role.into()),
            content: line.into(),
            // The one turn is the first and the last, in seconds too.
            timestamp: Some(Unit::ZERO),
        }]),
        None => Interaction::text(line),
    };
    let options = SenseOptions { ignore_fidelity: true, ..SenseOptions::default() };
    let options = options.without_key(std::slice::from_ref(sensor));
    let reading = interaction.and_then(|interaction| sensor.sense_with(&interaction, options));
    let reading = reading.map_err(|error| Error::engine(Place::of(&sensor.protocol().id), &error))?;
    Ok(reading.resonance().any(|(label, resonance)| resonance.triggered && is_meant(label)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_counts_pairs() {
        assert_eq!(auc(&[(0.1, false), (0.2, true)]), Some(1.0));
        assert_eq!(auc(&[(0.1, true), (0.2, false)]), Some(0.0));
        assert_eq!(auc(&[(0.5, true), (0.5, false)]), Some(0.5));
        // Of six pairs, four are right and one is tied.
        let scored = [(1.0, false), (2.0, true), (2.0, false), (3.0, true), (4.0, true), (3.5, false)];
        assert_eq!(auc(&scored), Some((1.0 + 0.5 + 2.0 + 3.0) / 9.0));
        assert_eq!(auc(&[(0.1, true)]), None);
    }

    #[test]
    fn thresholds_stand_between_scores() {
        let scored = [(1.0, false), (2.0, false), (4.0, true), (5.0, true)];
        assert_eq!(
            best_cut(&scored, Aim::MacroF1, None),
            Some(Cut { low: 2.0, high: 4.0, quality: Unit::ONE })
        );
        assert_eq!(best_cut(&[(1.0, true), (1.0, false)], Aim::F1, None), None);
        // The F1 of the positive class alone accepts more alarms than the mean of both.
        let scored = [(1.0, false), (2.0, true), (3.0, false), (4.0, false), (5.0, true), (6.0, true)];
        assert_eq!(best_cut(&scored, Aim::F1, None).map(Cut::middle), Some(4.5));
    }

    #[test]
    fn ordinary_talk_pushes_the_threshold_up() {
        let scored = [(1.0, false), (2.0, true), (3.0, false), (5.0, true), (6.0, true)];
        let ordinary = || vec![5.5, 4.0, 0.0, 0.0, 0.0];
        let middle =
            |most: i64| best_cut(&scored, Aim::F1, Some(Limit::of(ordinary(), Unit(most)))).map(Cut::middle);
        assert_eq!(best_cut(&scored, Aim::F1, None).map(Cut::middle), Some(1.5));
        // One of five may be above: from 4 on. None: from 5.5 on.
        assert_eq!((middle(200_000), middle(0)), (Some(4.5), Some(5.75)));
        let high = Limit::of(vec![9.0], Unit::ZERO);
        assert_eq!(best_cut(&scored, Aim::F1, Some(high)).map(Cut::middle), Some(9.0), "nothing is above it");
    }
}
