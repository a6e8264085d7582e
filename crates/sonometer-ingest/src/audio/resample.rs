//! Sound at 16,000 samples a second, from any other rate.
//!
//! A windowed sinc: each sample of the result is a weighted sum of the samples around its place, with the weights of an ideal
//! low-pass filter under a Kaiser window. `ZEROS` crossings on each side and `BETA` leave less than a thousandth of what lies
//! above half of the lower rate; up to nine tenths of it, the tone keeps its strength. The weights for each place between two samples that can
//! occur are worked out once.

use std::collections::VecDeque;

/// Samples a second that recognisers of speech want.
pub(crate) const RATE: u32 = 16_000;
/// Zero crossings of the sinc on each side.
const ZEROS: f64 = 24.0;
/// The shape of the window.
const BETA: f64 = 7.0;
/// Where the filter begins to close, as a share of half the lower rate.
const EDGE: f64 = 0.94;
/// The most places between two samples that have weights of their own; rates with more take the nearest.
const MOST_PHASES: u64 = 1_024;

/// One channel on its way from one rate to another.
#[derive(Debug)]
pub(crate) struct Resampler {
    from: u64,
    /// The weights for each phase, `taps` of them each; empty where nothing is to be done.
    weights: Vec<f32>,
    taps: usize,
    phases: u64,
    /// What has come in and is still needed.
    held: VecDeque<f32>,
    /// The place of the first of them, counted from half a filter before the first sample.
    first: u64,
    taken: u64,
    given: u64,
}

impl Resampler {
    /// From `from` samples a second, at least 1.
    pub(crate) fn new(from: u32) -> Self {
        let (from, to) = (u64::from(from.max(1)), u64::from(RATE));
        if from == to {
            return Self {
                from,
                weights: Vec::new(),
                taps: 0,
                phases: 1,
                held: VecDeque::new(),
                first: 0,
                taken: 0,
                given: 0,
            };
        }
        let phases = (to / common(from, to)).min(MOST_PHASES);
        // How many samples of the source one crossing is wide.
        let wide = (from as f64 / to as f64).max(1.0);
        let half = (ZEROS * wide).ceil() as usize;
        let taps = 2 * half;
        let mut weights = Vec::with_capacity(taps * phases as usize);
        for phase in 0..phases {
            let shift = phase as f64 / phases as f64;
            let row: Vec<f64> = (0..taps)
                .map(|tap| {
                    let at = tap as f64 + 1.0 - half as f64 - shift;
                    sinc(at / wide * EDGE) * kaiser(at / (half as f64))
                })
                .collect();
            // A constant stays what it is, in each phase.
            let sum: f64 = row.iter().sum();
            weights.extend(row.iter().map(|weight| (weight / sum) as f32));
        }
        // Before the first sample there is silence.
        let held = std::iter::repeat_n(0.0, half.saturating_sub(1)).collect();
        Self { from, weights, taps, phases, held, first: 0, taken: 0, given: 0 }
    }

    /// Takes samples; what is settled is appended to `out`.
    pub(crate) fn push(&mut self, samples: impl Iterator<Item = f32>, out: &mut Vec<i16>) {
        for sample in samples {
            // What is no number would spread over its neighbours.
            let sample = if sample.is_finite() { sample.clamp(-1.5, 1.5) } else { 0.0 };
            self.taken += 1;
            if self.taps == 0 {
                out.push(whole(sample));
            } else {
                self.held.push_back(sample);
            }
        }
        self.give(out);
    }

    /// The rest, as if silence followed.
    pub(crate) fn finish(&mut self, out: &mut Vec<i16>) {
        if self.taps == 0 {
            return;
        }
        let most = (self.taken * u64::from(RATE)).div_ceil(self.from);
        self.held.extend(std::iter::repeat_n(0.0, self.taps));
        let before = out.len();
        let left = most.saturating_sub(self.given);
        self.give(out);
        out.truncate(before + usize::try_from(left).unwrap_or(usize::MAX));
    }

    fn give(&mut self, out: &mut Vec<i16>) {
        if self.taps == 0 {
            return;
        }
        let held = self.held.make_contiguous();
        let mut base = self.first;
        loop {
            let place = self.given * self.from;
            let (mut at, rest) = (place / u64::from(RATE), place % u64::from(RATE));
            let mut phase = (rest * self.phases + u64::from(RATE) / 2) / u64::from(RATE);
            if phase == self.phases {
                (at, phase) = (at + 1, 0);
            }
            base = base.max(at);
            let start = (at - self.first) as usize;
            let Some(window) = held.get(start..start + self.taps) else { break };
            let row = &self.weights[phase as usize * self.taps..][..self.taps];
            out.push(whole(dot(window, row)));
            self.given += 1;
        }
        let used = (base - self.first) as usize;
        let used = used.min(self.held.len());
        self.held.drain(..used);
        self.first += used as u64;
    }
}

/// The sum of products, in eight lanes that a compiler can keep apart.
fn dot(samples: &[f32], weights: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 8];
    let (samples, weights) = (samples.chunks_exact(8), weights.chunks_exact(8));
    let rest: f32 = samples.remainder().iter().zip(weights.remainder()).map(|(a, b)| a * b).sum();
    for (samples, weights) in samples.zip(weights) {
        for lane in 0..8 {
            lanes[lane] += samples[lane] * weights[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

fn whole(sample: f32) -> i16 {
    // `as` stops at the ends of the range.
    (sample * 32_768.0).round() as i16
}

fn sinc(at: f64) -> f64 {
    if at.abs() < 1e-9 {
        return 1.0;
    }
    let angle = at * std::f64::consts::PI;
    angle.sin() / angle
}

/// The window of Kaiser, from -1 to 1.
fn kaiser(at: f64) -> f64 {
    if at.abs() >= 1.0 { 0.0 } else { bessel(BETA * (1.0 - at * at).sqrt()) / bessel(BETA) }
}

/// The modified Bessel function of order zero, by its series.
fn bessel(x: f64) -> f64 {
    let mut sum = 1.0;
    let mut term = 1.0;
    for step in 1..60 {
        term *= (x / 2.0 / f64::from(step)).powi(2);
        sum += term;
        if term < sum * 1e-12 {
            break;
        }
    }
    sum
}

fn common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tone of half strength, a second of it.
    fn tone(rate: u32, pitch: f64) -> Vec<f32> {
        let step = std::f64::consts::TAU * pitch / f64::from(rate);
        (0..rate).map(|n| (0.5 * (step * f64::from(n)).sin()) as f32).collect()
    }

    fn resampled(rate: u32, samples: &[f32], block: usize) -> Vec<i16> {
        let mut resampler = Resampler::new(rate);
        let mut out = Vec::new();
        for block in samples.chunks(block) {
            resampler.push(block.iter().copied(), &mut out);
        }
        resampler.finish(&mut out);
        out
    }

    /// The root of the mean square, without the ends.
    fn strength(samples: &[i16]) -> f64 {
        let middle = &samples[samples.len() / 8..samples.len() * 7 / 8];
        let sum: f64 = middle.iter().map(|sample| (f64::from(*sample) / 32_768.0).powi(2)).sum();
        (sum / middle.len() as f64).sqrt()
    }

    #[test]
    fn tones_keep_their_strength_length_and_shape() {
        for rate in [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 47_999, 48_000, 96_000, 192_000] {
            for pitch in [50.0, 440.0, 1_000.0, 3_300.0] {
                let out = resampled(rate, &tone(rate, pitch), 1_000);
                assert_eq!(out.len(), 16_000, "{rate}");
                let wanted = 0.5 / 2_f64.sqrt();
                assert!((strength(&out) / wanted - 1.0).abs() < 0.01, "{rate} {pitch}: {}", strength(&out));
                // The same tone, made at the rate of the result.
                let made = tone(RATE, pitch);
                let worst = (100..15_900).map(|n| (f64::from(out[n]) / 32_768.0 - f64::from(made[n])).abs());
                let worst = worst.fold(0.0, f64::max);
                assert!(worst < 0.004, "{rate} {pitch}: {worst}");
            }
        }
    }

    #[test]
    fn what_cannot_be_kept_is_gone() {
        for (rate, pitch) in [(44_100, 9_000.0), (48_000, 12_000.0), (48_000, 20_000.0), (96_000, 30_000.0)] {
            let left = strength(&resampled(rate, &tone(rate, pitch), 4_096));
            assert!(left < 0.0005, "{rate} {pitch}: {left}");
        }
    }

    #[test]
    fn blocks_do_not_matter() {
        let samples = tone(44_100, 700.0);
        let whole = resampled(44_100, &samples, samples.len());
        for block in [1, 7, 1_152] {
            assert_eq!(resampled(44_100, &samples, block), whole, "{block}");
        }
        assert!(resampled(44_100, &[], 5).is_empty());
        assert_eq!(resampled(8_000, &[f32::NAN, f32::INFINITY, 9.0], 5).len(), 6);
    }
}
