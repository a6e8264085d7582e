//! Which thresholds labels and ordinary talk support, and what each costs. The counts are of items on which the threshold was not
//! chosen: for each fold it is chosen on the others.

use super::alarms::Rate;
use super::interval::{MILLION, Z_SQUARED};
use super::measure::Counts;
use super::result::Number;
use serde::ser::{Serialize, SerializeMap, Serializer};
use sonometer::Unit;

/// Shares of alarms that thresholds are proposed for, beside the one that was asked for.
const SHARES: [Unit; 4] = [Unit(1_000), Unit(2_000), Unit(5_000), Unit(10_000)];
/// What may be called an alarm where nobody says how many are too many: one piece of ordinary talk in two hundred.
pub(crate) const ALARMS: Unit = Unit(5_000);

/// With fewer cases of a class, a threshold rests on single items.
const FEW: u64 = 30;

/// A labelled case: what it is worth, its class, what the rule in use says where there is one, and the fold it is in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    pub(crate) value: Unit,
    pub(crate) truth: bool,
    pub(crate) now: Option<bool>,
    pub(crate) fold: usize,
}

/// A piece of ordinary talk: what it is worth, its talk, and the fold that is in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) value: Unit,
    pub(crate) talk: usize,
    pub(crate) fold: usize,
}

/// A threshold and what it costs.
#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    /// The share of alarms it was chosen for; `None`: whatever they are.
    pub(crate) limit: Option<Unit>,
    /// Positive from here on.
    pub(crate) from: Unit,
    /// The lowest and the highest threshold among those that were chosen without one fold. The further apart, the less the labels settle.
    pub(crate) range: (Unit, Unit),
    /// On cases that it was not chosen on.
    pub(crate) counts: Counts,
    /// The cases on which it and the rule in use differ; they alone decide between the two.
    pub(crate) changed: Option<Changed>,
    /// On ordinary talk that it was not chosen on, where there is some.
    pub(crate) alarms: Option<Rate>,
}

/// Cases that another threshold judges otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Changed {
    /// How many become right by it.
    pub(crate) right: u64,
    /// How many become wrong.
    pub(crate) wrong: u64,
}

impl Changed {
    fn add(&mut self, truth: bool, now: bool, then: bool) {
        if now != then {
            *(if then == truth { &mut self.right } else { &mut self.wrong }) += 1;
        }
    }

    /// Whether chance makes such a difference in fewer than one of twenty times: the sign test, by its normal approximation with
    /// correction for continuity.
    pub(crate) fn is_clear(self) -> bool {
        let all = u128::from(self.right + self.wrong);
        let apart = u128::from(self.right.abs_diff(self.wrong).saturating_sub(1));
        apart * apart * MILLION > Z_SQUARED * all
    }
}

/// What is said where a class has so few cases that the threshold rests on single items.
pub(crate) fn too_few(positives: u64, negatives: u64) -> Option<String> {
    let (number, class) =
        if positives <= negatives { (positives, "positive") } else { (negatives, "negative") };
    (0 < number && number < FEW).then(|| {
        let (cases, rests) = if number == 1 { ("case is", "one item decides") } else { ("cases are", "few items decide") };
        format!("only {number} {cases} {class}, so {rests} the proposed thresholds; label at least {FEW} of each class")
    })
}

/// A threshold for each share of alarms, the asked one among them, and the one that looks at the labels alone; without ordinary
/// talk only that. `figure` is what is to be high.
pub(crate) fn proposals(
    cases: &[Scored],
    pieces: &[Piece],
    asked: Unit,
    folds: usize,
    figure: &dyn Fn(&Counts) -> Option<Unit>,
) -> Vec<Proposal> {
    let mut limits: Vec<Option<Unit>> = Vec::new();
    if !pieces.is_empty() {
        limits.extend(SHARES.map(Some));
        limits.push(Some(asked));
        limits.sort_unstable();
        limits.dedup();
    }
    limits.push(None);
    let propose = |limit: Option<Unit>| {
        let choose = |hidden: Option<usize>| {
            let seen = |fold: usize| Some(fold) != hidden;
            let cases: Vec<(Unit, bool)> =
                cases.iter().filter(|case| seen(case.fold)).map(|case| (case.value, case.truth)).collect();
            let pieces = pieces.iter().filter(|piece| seen(piece.fold)).map(|piece| piece.value);
            best(&cases, limit.map_or(Unit::ZERO, |limit| least(pieces.collect(), limit)), figure)
        };
        let from = choose(None)?;
        let mut range = (from, from);
        let mut counts = Counts::default();
        let mut changed = cases.iter().any(|case| case.now.is_some()).then(Changed::default);
        let mut hits: Vec<(usize, bool)> = pieces.iter().map(|piece| (piece.talk, false)).collect();
        for fold in 0..folds {
            let own = choose(Some(fold)).unwrap_or(from);
            range = (range.0.min(own), range.1.max(own));
            for case in cases.iter().filter(|case| case.fold == fold) {
                let then = case.value >= own;
                counts.add(case.truth, then, 1);
                if let Some((changed, now)) = changed.as_mut().zip(case.now) {
                    changed.add(case.truth, now, then);
                }
            }
            for (hit, piece) in hits.iter_mut().zip(pieces).filter(|(_, piece)| piece.fold == fold) {
                hit.1 = piece.value >= own;
            }
        }
        let alarms = (!hits.is_empty()).then(|| Rate::within(&hits));
        Some(Proposal { limit, from, range, counts, changed, alarms })
    };
    limits.into_iter().filter_map(propose).collect()
}

/// The lowest value that at most the share `limit` of some values is above.
fn least(mut values: Vec<Unit>, limit: Unit) -> Unit {
    values.sort_unstable_by(|a, b| b.cmp(a));
    let allowed = values.len() as u128 * limit.0.max(0).unsigned_abs() as u128 / 1_000_000;
    usize::try_from(allowed).ok().and_then(|allowed| values.get(allowed)).copied().unwrap_or_default()
}

/// The threshold above `least` with the best figure: the roundest number between two values that occur. Of equally good ones the
/// highest. `None` where no case is above.
fn best(cases: &[(Unit, bool)], least: Unit, figure: &dyn Fn(&Counts) -> Option<Unit>) -> Option<Unit> {
    let mut sorted = cases.to_vec();
    sorted.sort_unstable_by_key(|pair| std::cmp::Reverse(pair.0));
    let mut counts = Counts::default();
    sorted.iter().for_each(|(_, truth)| counts.add(*truth, false, 1));
    let mut best: Option<(Unit, Unit, Unit)> = None;
    let groups: Vec<&[(Unit, bool)]> = sorted.chunk_by(|a, b| a.0 == b.0).collect();
    for (at, tied) in groups.iter().enumerate() {
        for (_, truth) in *tied {
            match truth {
                true => {
                    counts.true_positives += 1;
                    counts.false_negatives -= 1;
                }
                false => {
                    counts.false_positives += 1;
                    counts.true_negatives -= 1;
                }
            }
        }
        let value = tied[0].0;
        if value <= least {
            break;
        }
        if let Some(found) = figure(&counts)
            && best.is_none_or(|(highest, ..)| found > highest)
        {
            let below = groups.get(at + 1).map_or(Unit::ZERO, |next| next[0].0);
            best = Some((found, below.max(least), value));
        }
    }
    best.map(|(_, low, high)| between(low, high))
}

/// The number above `low`, at most `high`, with the fewest decimals; of these the nearest to the middle.
pub(crate) fn between(Unit(low): Unit, Unit(high): Unit) -> Unit {
    let middle = low + (high - low) / 2;
    for step in [100_000, 50_000, 10_000, 1_000, 100, 10] {
        let rounded = (middle + step / 2) / step * step;
        let near = [rounded, rounded - step, rounded + step];
        let inside = near.into_iter().filter(|value| low < *value && *value <= high && *value <= 1_000_000);
        if let Some(found) = inside.min_by_key(|value| (value - middle).abs()) {
            return Unit(found);
        }
    }
    Unit(high.clamp(1, 1_000_000))
}

impl Serialize for Proposal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counts = &self.counts;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("limit", &self.limit.map(Number))?;
        map.serialize_entry("threshold", &Number(self.from))?;
        map.serialize_entry("range", &[Number(self.range.0), Number(self.range.1)])?;
        map.serialize_entry("precision", &counts.precision().map(Number))?;
        map.serialize_entry("recall", &counts.recall().map(Number))?;
        map.serialize_entry("macro_f1", &counts.macro_f1().map(Number))?;
        map.serialize_entry("alarms", &self.alarms)?;
        if let Some(changed) = &self.changed {
            map.serialize_entry("changed", changed)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn macro_f1(counts: &Counts) -> Option<Unit> {
        counts.macro_f1()
    }

    #[test]
    fn thresholds_are_round_numbers_between_values() {
        for (low, high, expected) in [
            (0, 1_000_000, 500_000),
            (333_333, 571_429, 500_000),
            (500_000, 500_001, 500_001),
            (490_000, 500_000, 500_000),
        ] {
            assert_eq!(between(Unit(low), Unit(high)), Unit(expected));
        }
        for (low, high) in [(571_429, 575_000), (0, 30_000)] {
            let found = between(Unit(low), Unit(high)).0;
            assert!(low < found && found <= high, "{found}");
        }
    }

    /// Positives from 0.5 on, negatives below, and ordinary talk of which one piece in a hundred reaches 0.6.
    fn data() -> (Vec<Scored>, Vec<Piece>) {
        let case = |n: i64| Scored {
            value: Unit(n * 10_000),
            truth: n >= 50,
            now: Some(n >= 60),
            fold: n as usize % 5,
        };
        let piece = |n: usize| Piece {
            value: Unit(if n % 100 == 50 { 600_000 } else { 100_000 }),
            talk: n / 10,
            fold: n / 100 % 5,
        };
        ((0..100).map(case).collect(), (0..1000).map(piece).collect())
    }

    #[test]
    fn ordinary_talk_raises_the_threshold_and_the_cost_is_told() {
        let (cases, pieces) = data();
        let all = proposals(&cases, &pieces, Unit(20_000), 5, &macro_f1);
        let of = |limit| all.iter().find(|own| own.limit == limit).expect("is proposed");
        assert_eq!(of(None).from, Unit(500_000));
        assert_eq!(of(Some(Unit(20_000))).from, Unit(500_000), "two in a hundred may be alarms");
        let strict = of(Some(Unit(5_000)));
        assert!(strict.from > Unit(600_000) && strict.from <= Unit(610_000), "{strict:?}");
        assert_eq!(strict.alarms.map(|rate| rate.alarms), Some(0));
        assert!(strict.counts.recall() < Some(Unit(800_000)), "{strict:?}");
        assert_eq!(of(None).alarms.map(|rate| rate.alarms), Some(10));
    }

    #[test]
    fn without_ordinary_talk_labels_alone_propose() {
        let (cases, _) = data();
        let all = proposals(&cases, &[], ALARMS, 5, &macro_f1);
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].limit, all[0].from), (None, Unit(500_000)));
        assert!(all[0].alarms.is_none());
    }

    #[test]
    fn what_decides_is_told() {
        let (cases, _) = data();
        let own = &proposals(&cases, &[], ALARMS, 5, &macro_f1)[0];
        assert_eq!(
            own.changed,
            Some(Changed { right: 10, wrong: 0 }),
            "0.5 to 0.59 are positive and were not found"
        );
        assert!(own.changed.is_some_and(Changed::is_clear));
        assert_eq!(own.range, (Unit(500_000), Unit(500_000)));
        let unused: Vec<Scored> = cases.iter().map(|case| Scored { now: None, ..*case }).collect();
        assert_eq!(proposals(&unused, &[], ALARMS, 5, &macro_f1)[0].changed, None);
        // With so few, each fold that is left out changes the choice.
        let few = [(9, true), (6, true), (4, true), (5, false), (1, false)].into_iter().enumerate();
        let few: Vec<Scored> = few
            .map(|(fold, (tenths, truth))| Scored { value: Unit(tenths * 100_000), truth, now: None, fold })
            .collect();
        let own = &proposals(&few, &[], ALARMS, 5, &macro_f1)[0];
        assert_eq!((own.range, own.from), ((Unit(300_000), Unit(700_000)), Unit(600_000)));
    }

    #[test]
    fn a_difference_is_clear_when_chance_seldom_makes_it() {
        for (right, wrong, clear) in
            [(5, 0, false), (6, 0, true), (0, 6, true), (12, 8, false), (40, 20, true), (0, 0, false)]
        {
            assert_eq!(Changed { right, wrong }.is_clear(), clear, "{right} and {wrong}");
        }
    }

    #[test]
    fn few_labels_are_told() {
        assert_eq!(too_few(30, 30), None);
        assert_eq!(too_few(0, 50), None, "that no case is positive is told elsewhere");
        let told = "only 12 cases are positive, so few items decide the proposed thresholds; label at least 30 of each class";
        assert_eq!(too_few(12, 900).as_deref(), Some(told));
        assert!(
            too_few(900, 1)
                .is_some_and(|told| told.starts_with("only 1 case is negative, so one item decides"))
        );
    }
}
