//! Talks by the value of a column.

use super::scores::Scores;
use crate::names::{Hidden, Names};
use sonometer::{Reading, Unit};
use std::collections::BTreeMap;

/// Groups that are told apart; talks of others are counted together.
const MOST: usize = 200;
/// Groups keep their scores in so many steps, so that each takes a bounded room.
const STEP: i64 = 1_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    groups: BTreeMap<String, Group>,
    /// Talks without a value.
    none: Group,
    others: Group,
}

/// What one group came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// The place among all groups, from 1, in the order in which they came.
    number: usize,
    pub(crate) talks: u64,
    /// The exact sum of scores, in millionths.
    sum: i128,
    /// Scores rounded to thousandths.
    scores: Scores,
    /// By the place of the marker, how often it triggered.
    pub(crate) triggered: Vec<u64>,
    /// Whether its name may not be shown.
    is_hidden: bool,
}

impl Groups {
    pub(crate) fn add(
        &mut self,
        value: Option<&str>,
        measured: Option<(&Reading, Unit)>,
        names: &mut Names,
        hidden: &Hidden,
    ) {
        let count = self.groups.len();
        let group = match value {
            None => &mut self.none,
            Some(value) if !self.groups.contains_key(value) && count >= MOST => &mut self.others,
            Some(value) => {
                let group = self.groups.entry(value.to_owned()).or_default();
                if group.number == 0 {
                    group.number = count + 1;
                }
                group.is_hidden = group.is_hidden || !names.allows_beside(value, hidden);
                group
            }
        };
        group.talks += 1;
        let Some((reading, score)) = measured else { return };
        group.sum += i128::from(score.0);
        group.scores.add(Unit((score.0 + STEP / 2) / STEP * STEP), 0);
        for (at, (_, found)) in reading.resonance().enumerate() {
            if at == group.triggered.len() {
                group.triggered.push(0);
            }
            group.triggered[at] += u64::from(found.triggered);
        }
    }

    /// The largest groups first; those without a value, and those that are counted together, last.
    pub(crate) fn shown(&self) -> Vec<(String, &Group)> {
        let name = |(value, own): (&String, &Group)| match own.is_hidden {
            true => format!("group {}", own.number),
            false if value.is_empty() => "(empty)".to_owned(),
            false => value.clone(),
        };
        let mut all: Vec<(String, &Group)> =
            self.groups.iter().map(|(value, own)| (name((value, own)), own)).collect();
        all.sort_by(|(_, a), (_, b)| b.talks.cmp(&a.talks).then(a.number.cmp(&b.number)));
        let further = [("other groups", &self.others), ("(no value)", &self.none)];
        all.extend(
            further.into_iter().filter(|(_, own)| own.talks > 0).map(|(name, own)| (name.to_owned(), own)),
        );
        all
    }

    /// Whether the name of some group is not shown.
    pub(crate) fn hides(&self) -> bool {
        self.groups.values().any(|own| own.is_hidden)
    }
}

impl Group {
    pub(crate) fn measured(&self) -> u64 {
        self.scores.count()
    }

    /// `None` where nothing was measured.
    pub(crate) fn mean(&self) -> Option<Unit> {
        let count = self.scores.count();
        (count > 0).then(|| Unit::ratio(self.sum, 1_000_000 * i128::from(count)))
    }

    /// First quartile, median and third quartile, to a thousandth.
    pub(crate) fn quartiles(&self) -> Option<[Unit; 3]> {
        self.scores.quantiles().map(|all| [all.quarter, all.median, all.three_quarters])
    }
}
