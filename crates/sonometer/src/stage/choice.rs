//! Seeded variation without a running generator: every draw stands for itself, so that what is said at turn 9 does not
//! depend on what was drawn before, a replay needs nothing but seed and actions, and a further list shifts no other.

use crate::error::Error;
use sha2::{Digest, Sha256};

/// The largest seed, 2^53 − 1: every client of JSON keeps it.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// Reads a seed: decimal digits, 0 to [`MAX_SEED`].
///
/// # Errors
/// `invalid_request` with the place `seed`.
pub fn read_seed(text: &str) -> Result<u64, Error> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|seed| is_plain && *seed <= MAX_SEED).ok_or_else(|| {
        // Whatever it is, an error is no place to repeat a long text.
        let shown: String = text.chars().take(40).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        Error::invalid(
            "seed",
            format!("`{shown}{more}` is not a seed; give a whole number from 0 to {MAX_SEED}"),
        )
    })
}

/// Where draws come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Urn<'u> {
    /// The digest of the stage, as text.
    pub(super) stage: &'u str,
    pub(super) seed: u64,
}

impl Urn<'_> {
    /// One of `of` places (at least one), for something of this name at this turn; lists use turn 0.
    ///
    /// The number is the first eight bytes, most significant first, of SHA-256 over `sono-stage-1`, the digest of the stage,
    /// the seed, the name (each of these with a line feed behind it; the seed in decimal digits), the turn and the try, both
    /// as decimal digits with a line feed. Numbers that would prefer some places are drawn again with the next try.
    pub(super) fn draw(&self, name: &str, turn: u32, of: usize) -> usize {
        let of = of.max(1) as u64;
        // The numbers above the largest multiple of `of` are not shared out evenly.
        let highest = u64::MAX - (u64::MAX % of + 1) % of;
        let numbers = (0_u32..).map(|attempt| {
            let Self { stage, seed } = self;
            let digest =
                Sha256::digest(format!("sono-stage-1\n{stage}\n{seed}\n{name}\n{turn}\n{attempt}\n"));
            digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
        });
        let number = numbers.into_iter().find(|number| *number <= highest).unwrap_or(0);
        (number % of) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_depends_on_all_it_is_told_and_on_nothing_else() {
        let urn = Urn { stage: "sha256:00", seed: 7 };
        let many = |urn: &Urn<'_>, name: &str, turn| urn.draw(name, turn, 1 << 40);
        let one = many(&urn, "mood", 0);
        assert_eq!(one, many(&urn, "mood", 0));
        for other in [
            many(&urn, "product", 0),
            many(&urn, "mood", 1),
            many(&Urn { seed: 8, ..urn }, "mood", 0),
            many(&Urn { stage: "sha256:01", ..urn }, "mood", 0),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn draws_are_shared_out_evenly() {
        let mut drawn = [0; 5];
        for seed in 0..5_000 {
            drawn[Urn { stage: "s", seed }.draw("mood", 0, 5)] += 1;
        }
        assert!(drawn.iter().all(|count| (900..1_100).contains(count)), "{drawn:?}");
        assert_eq!(Urn { stage: "s", seed: MAX_SEED }.draw("mood", 0, 1), 0);
    }
}
