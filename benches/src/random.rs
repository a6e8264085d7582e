//! A fixed generator: the same choices on every machine.

/// A linear congruential generator (Knuth's MMIX constants), read from its high bits.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that begins at `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `limit`, which is above 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.state) * limit as u128) >> 64) as usize
    }

    /// One of the items; there is at least one.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }

    /// One of the items, the earlier ones more often: the rank of words in a language falls off in much the same way.
    pub fn pick_early<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        let bound = self.below(items.len()) + 1;
        &items[self.below(bound)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_itself_and_reaches_every_number() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..200).map(|_| random.below(7)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        assert!((0..7).all(|n| numbers(1).contains(&n)) && numbers(1).iter().all(|n| *n < 7));
    }
}
