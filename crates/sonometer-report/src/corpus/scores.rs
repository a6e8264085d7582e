//! All scores of a corpus, exactly: a count for each millionth that occurs, so memory is bounded by the scale and not by the corpus.

use sonometer::Unit;
use std::collections::BTreeMap;

/// How often each score occurred.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scores {
    /// For each score, how often it occurred and the number of the first talk that has it.
    counts: BTreeMap<i64, (u64, u64)>,
    count: u64,
    sum: i128,
}

/// The numbers that a distribution is described by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quantiles {
    pub(crate) least: Unit,
    pub(crate) tenth: Unit,
    pub(crate) quarter: Unit,
    pub(crate) median: Unit,
    pub(crate) three_quarters: Unit,
    pub(crate) nine_tenths: Unit,
    pub(crate) most: Unit,
}

impl Scores {
    pub(crate) fn add(&mut self, score: Unit, number: u64) {
        self.counts.entry(score.0).or_insert((0, number)).0 += 1;
        self.count += 1;
        self.sum += i128::from(score.0);
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// `None` where nothing was measured.
    pub(crate) fn mean(&self) -> Option<Unit> {
        (self.count > 0).then(|| Unit::ratio(self.sum, 1_000_000 * i128::from(self.count)))
    }

    /// The score that `part` of `whole` of all scores do not exceed: the lower one of two in the middle, so it is one that occurred.
    fn quantile(&self, part: u64, whole: u64) -> Unit {
        let rank = (self.count * part).div_ceil(whole).max(1);
        let mut passed = 0;
        for (score, (count, _)) in &self.counts {
            passed += count;
            if passed >= rank {
                return Unit(*score);
            }
        }
        Unit::ZERO
    }

    /// `None` where nothing was measured.
    pub(crate) fn quantiles(&self) -> Option<Quantiles> {
        (self.count > 0).then(|| Quantiles {
            least: self.quantile(0, 1),
            tenth: self.quantile(1, 10),
            quarter: self.quantile(1, 4),
            median: self.quantile(1, 2),
            three_quarters: self.quantile(3, 4),
            nine_tenths: self.quantile(9, 10),
            most: self.quantile(1, 1),
        })
    }

    /// How many scores there are in each of so many equal parts from 0 to 1; 1 belongs to the last.
    pub(crate) fn bins(&self, bins: usize) -> Vec<u64> {
        let mut counts = vec![0; bins];
        for (score, (count, _)) in &self.counts {
            let bin = usize::try_from(score.clamp(&0, &1_000_000) * bins as i64 / 1_000_000).unwrap_or(0);
            counts[bin.min(bins - 1)] += count;
        }
        counts
    }

    /// The first talks of the scores nearest to the median, the nearest first; not those that `is_taken`.
    pub(crate) fn in_the_middle(&self, most: usize, is_taken: impl Fn(u64) -> bool) -> Vec<u64> {
        let Some(Quantiles { median, .. }) = self.quantiles() else { return Vec::new() };
        let mut above = self.counts.range(median.0..).peekable();
        let mut below = self.counts.range(..median.0).rev().peekable();
        let mut found = Vec::new();
        while found.len() < most {
            let is_above = match (above.peek(), below.peek()) {
                (None, None) => break,
                (Some((up, _)), Some((down, _))) => *up - median.0 <= median.0 - *down,
                (up, _) => up.is_some(),
            };
            let next = if is_above { above.next() } else { below.next() };
            found.extend(next.map(|(_, (_, first))| *first).filter(|first| !is_taken(*first)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(scores: &[i64]) -> Scores {
        let mut all = Scores::default();
        scores.iter().zip(0..).for_each(|(score, number)| all.add(Unit(*score), number));
        all
    }

    #[test]
    fn quantiles_are_scores_that_occurred() {
        let four = of(&[400_000, 100_000, 300_000, 200_000]).quantiles().expect("has some");
        assert_eq!((four.least, four.median, four.most), (Unit(100_000), Unit(200_000), Unit(400_000)));
        assert_eq!((four.quarter, four.three_quarters), (Unit(100_000), Unit(300_000)));
        let one = of(&[7]).quantiles().expect("has one");
        assert_eq!([one.least, one.tenth, one.median, one.nine_tenths, one.most], [Unit(7); 5]);
        assert_eq!(of(&[]).quantiles(), None);
        assert_eq!(of(&[1_000_000, 999_999, 0]).bins(2), [1, 2]);
        assert_eq!(of(&[1, 2]).mean(), Some(Unit(2)), "rounded half up");
    }

    #[test]
    fn the_middle_is_what_is_nearest_to_the_median() {
        let all = of(&[0, 500_000, 500_000, 510_000, 480_000, 1_000_000]);
        assert_eq!(all.in_the_middle(3, |_| false), [1, 3, 4]);
        assert_eq!(all.in_the_middle(2, |number| number == 1), [3, 4]);
        assert_eq!(all.in_the_middle(9, |_| false).len(), 5, "each score once");
    }
}
