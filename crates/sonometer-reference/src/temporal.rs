//! Section 9: temporal analysis, worked out from the definitions.

use crate::number::{Number, fraction};
use crate::part::Parts;
use std::collections::{BTreeMap, BTreeSet};

/// What temporal analysis comes to: the trend by name, and the phase shifts.
pub(crate) fn temporal(parts: &Parts<'_>, asked: Option<Number>, sufficient: bool) -> (&'static str, usize) {
    if !sufficient {
        return ("insufficient", 0);
    }
    let windows = windows(parts, asked);
    let numbers: BTreeSet<Number> = windows.iter().copied().collect();
    let x: Vec<Number> =
        numbers.into_iter().map(|number| parts.level(&|turn| windows[turn] == number)).collect();
    (trend(&x), phase_shifts(&x))
}

/// The number of the window of each turn.
fn windows(parts: &Parts<'_>, asked: Option<Number>) -> Vec<Number> {
    let turns = parts.scene.turns;
    let settings = parts.scene.protocol.temporal;
    let times: Option<Vec<Number>> = turns.iter().map(|turn| turn.time).collect();
    let Some(times) = times else {
        let t = turns.len() as Number;
        let mut length = Number::from(settings.turns);
        while t / length > 512 {
            length *= 2;
        }
        let n = (t / length).max(1);
        return (0..t).map(|i| i * n / t).collect();
    };
    let earliest = times.iter().min().copied().unwrap_or(0);
    let mut length = asked.unwrap_or(Number::from(settings.seconds.0));
    loop {
        let windows: Vec<Number> = times.iter().map(|t| (t - earliest).div_euclid(length)).collect();
        if windows.iter().collect::<BTreeSet<_>>().len() <= 512 {
            return windows;
        }
        length *= 2;
    }
}

/// The trend.
pub(crate) fn trend(x: &[Number]) -> &'static str {
    let n = x.len() as Number;
    if n < 4 {
        return "insufficient";
    }
    let pairs: Vec<(usize, usize)> =
        (0..x.len()).flat_map(|i| (i + 1..x.len()).map(move |j| (i, j))).collect();
    let s: Number = pairs.iter().map(|(i, j)| (x[*j] - x[*i]).signum()).sum();
    let mut equal: BTreeMap<Number, Number> = BTreeMap::new();
    for level in x {
        *equal.entry(*level).or_default() += 1;
    }
    let term = |t: Number| t * (t - 1) * (2 * t + 5);
    let v = term(n) - equal.values().map(|t| term(*t)).sum::<Number>();
    let slopes = pairs.iter().map(|(i, j)| fraction(x[*j] - x[*i], n - 1, (j - i) as Number));
    let c = median(slopes.collect());
    if s != 0 && (s.abs() - 1).pow(2) * 18_000_000 >= 2_705_543 * v && s.signum() == c.signum() {
        if c >= 50_000 {
            return "rising";
        }
        if c <= -50_000 {
            return "falling";
        }
    }
    let swings = steps(x).into_iter().filter(|step| *step >= 200_000).count();
    if swings > (x.len() - 1) / 2 { "volatile" } else { "stable" }
}

fn steps(x: &[Number]) -> Vec<Number> {
    (1..x.len()).map(|i| (x[i] - x[i - 1]).abs()).collect()
}

/// The value with as many below as above it; of an even number the mean of the middle two.
fn median(mut values: Vec<Number>) -> Number {
    values.sort();
    let n = values.len();
    if n % 2 == 1 { values[n / 2] } else { fraction(values[n / 2 - 1] + values[n / 2], 1, 2) }
}

/// The phase shifts.
pub(crate) fn phase_shifts(x: &[Number]) -> usize {
    if x.len() < 6 {
        return 0;
    }
    let sigma = (median(steps(x)) * 1_048 / 1_000).max(50_000);
    let digits = format!("{:b}", x.len()).len() as Number;
    let cut = best_cut(x, 3 * sigma * sigma * digits);
    let far = |before: &[Number], after: &[Number]| {
        let (last, first) = (&before[before.len() - 3..], &after[..3]);
        (median(first.to_vec()) - median(last.to_vec())).abs() >= 250_000
    };
    let phases: Vec<&[Number]> = cut.windows(2).map(|ends| &x[ends[0]..ends[1]]).collect();
    phases.windows(2).filter(|pair| far(pair[0], pair[1])).count()
}

/// A cut of a beginning of the series: cost, number of phases, the starts of its phases from the last to the first.
type Cut = (Number, usize, Vec<usize>);

/// The borders of the best cut, from 0 to n: the best cut of every beginning, written out whole.
fn best_cut(x: &[Number], price: Number) -> Vec<usize> {
    let mut best: Vec<Option<Cut>> = vec![Some((0, 0, Vec::new()))];
    for end in 1..=x.len() {
        let mut least: Option<Cut> = None;
        for start in 0..end.saturating_sub(2) {
            let Some((cost, phases, starts)) = &best[start] else { continue };
            let way = (
                cost + error(&x[start..end]) + price,
                phases + 1,
                [start].into_iter().chain(starts.iter().copied()).collect(),
            );
            if least.as_ref().is_none_or(|known| way < *known) {
                least = Some(way);
            }
        }
        best.push(least);
    }
    let (_, _, mut starts) = best[x.len()].clone().unwrap_or_default();
    starts.reverse();
    starts.push(x.len());
    starts
}

/// (L·Σx² − (Σx)²) ÷ L, halves up.
fn error(phase: &[Number]) -> Number {
    let length = phase.len() as Number;
    let sum: Number = phase.iter().sum();
    let squares: Number = phase.iter().map(|x| x * x).sum();
    fraction(length * squares - sum * sum, 1, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sonometer::Unit;
    use sonometer::measure::temporal;

    /// Levels that are often equal, and any levels; flat, and with a step or a slope.
    fn series() -> impl Strategy<Value = Vec<Number>> {
        let noise = prop_oneof![(0..=4_i64).prop_map(|n| n * 100_000), 0..=400_000_i64];
        let noise = prop::collection::vec(noise, 0..40);
        (noise, prop_oneof![Just(0_i64), -30_000..30_000_i64], 0..40_usize, -500_000..500_000_i64).prop_map(
            |(noise, slope, at, step)| {
                let level = |(k, noise): (usize, i64)| {
                    let shifted = noise + 300_000 + slope * k as i64 + if k >= at { step } else { 0 };
                    Number::from(shifted.clamp(0, 1_000_000))
                };
                noise.into_iter().enumerate().map(level).collect()
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn both_engines_say_the_same_of_a_series(x in series()) {
            let levels: Vec<Unit> = x.iter().map(|x| Unit(*x as i64)).collect();
            prop_assert_eq!(temporal::trend(&levels).as_str(), trend(&x));
            prop_assert_eq!(temporal::phase_shifts(&levels), phase_shifts(&x) as u64);
        }
    }
}
