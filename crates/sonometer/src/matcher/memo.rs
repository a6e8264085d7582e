//! What has been worked out of one program in one turn: how far a match reaches from each point. It is the same whatever
//! start leads there, so that the work of all starts together is bounded by the points there are
//! (`protocol/cost.rs`), and each start adds only those that no start before it came to.

use super::step::{Point, step};
use super::turn::TurnText;
use crate::sensor::Plan;
use crate::sensor::program::Program;

/// Ends of matches by point.
#[derive(Default)]
pub(super) struct Memo {
    table: Table,
    /// Points to work on, and whether what they lead to is known.
    todo: Vec<(Point, bool)>,
    /// How many points have been worked on, and ways gone from them, since this was made.
    pub(super) steps: u64,
}

/// So many points are kept; then all are forgotten, which costs less than a tenth as much again: what later starts need stands
/// within a pattern's reach.
const MOST_KEPT: usize = 1 << 17;

impl Memo {
    /// About the bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.table.keys.capacity() * (size_of::<u64>() + size_of::<u32>())
            + self.todo.capacity() * size_of::<(Point, bool)>()
    }

    /// Forgets everything, for another program or turn.
    pub(super) fn clear(&mut self) {
        self.table.clear();
    }

    /// The end (one past the last token) of the longest match that goes on from a point, its gaps widened to 2n + 2 tokens
    /// where `wide` says so. All calls between two times of [`Self::clear`] are for one program, turn and width.
    pub(super) fn longest(
        &mut self,
        plan: &Plan,
        turn: &TurnText<'_>,
        program: &Program,
        wide: bool,
        from: Point,
    ) -> Option<usize> {
        let Self { table, todo, steps } = self;
        if table.len > MOST_KEPT {
            table.clear();
        }
        let most = |n: u8| if wide { 2 * usize::from(n) + 2 } else { usize::from(n) };
        todo.clear();
        todo.push((from, false));
        // Instructions only lead to earlier ones or to later tokens, so this ends.
        while let Some((point, is_led_to)) = todo.pop() {
            if is_led_to {
                let mut best = 0;
                let own = step(plan, turn, program, point, most, |next| {
                    best = best.max(table.get(next.key()).unwrap_or(0));
                });
                table.put(point.key(), best.max(own.unwrap_or(0) as u32));
            } else if table.get(point.key()).is_none() {
                *steps += 1;
                todo.push((point, true));
                step(plan, turn, program, point, most, |next| {
                    *steps += 1;
                    if table.get(next.key()).is_none() {
                        todo.push((next, false));
                    }
                });
            }
        }
        // No match ends before its first token.
        table.get(from.key()).filter(|end| *end > 0).map(|end| end as usize)
    }
}

/// Numbers by number, in one flat hash table that is emptied without being written.
#[derive(Default)]
struct Table {
    /// A power of two of places, at most half of them taken: the round in the upper bits, the key in the others.
    keys: Vec<u64>,
    values: Vec<u32>,
    len: usize,
    /// Keys of other rounds are no keys; at least 1.
    round: u64,
}

impl Table {
    /// How many bits a key has.
    const KEY_BITS: u32 = 50;
    const FEWEST: usize = 1 << 10;

    fn clear(&mut self) {
        self.len = 0;
        self.round += 1;
        if self.round >> (u64::BITS - Self::KEY_BITS) != 0 {
            self.keys.fill(0);
            self.round = 1;
        }
    }

    fn get(&self, key: u64) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let at = self.place(self.full(key));
        (self.keys[at] == self.full(key)).then(|| self.values[at])
    }

    fn put(&mut self, key: u64, value: u32) {
        if 2 * self.len >= self.keys.len() {
            self.grow();
        }
        let key = self.full(key);
        let at = self.place(key);
        self.len += usize::from(self.keys[at] != key);
        (self.keys[at], self.values[at]) = (key, value);
    }

    fn full(&self, key: u64) -> u64 {
        self.round << Self::KEY_BITS | key
    }

    /// Where a key stands, or where it may be put.
    fn place(&self, full: u64) -> usize {
        let mask = self.keys.len() - 1;
        let mut at = (full.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.keys[at] >> Self::KEY_BITS == self.round && self.keys[at] != full {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let size = (2 * self.keys.len()).max(Self::FEWEST);
        let keys = std::mem::replace(&mut self.keys, vec![0; size]);
        let values = std::mem::replace(&mut self.values, vec![0; size]);
        self.round = self.round.max(1);
        for (key, value) in keys.into_iter().zip(values) {
            if key >> Self::KEY_BITS == self.round {
                let at = self.place(key);
                (self.keys[at], self.values[at]) = (key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn the_table_is_a_map_that_can_be_emptied(
            rounds in prop::collection::vec(prop::collection::vec((0..3_000_u64, any::<u32>()), 0..4_000), 1..4),
            round in prop_oneof![Just(0), Just((1_u64 << 14) - 2)],
        ) {
            let mut table = Table { round, ..Table::default() };
            for puts in rounds {
                table.clear();
                let mut map = BTreeMap::new();
                for (key, value) in puts {
                    let key = key << 18 | key;
                    table.put(key, value);
                    map.insert(key, value);
                    prop_assert_eq!(table.get(key), Some(value));
                }
                prop_assert_eq!(table.len, map.len());
                for key in (0..3_000_u64).map(|key| key << 18 | key) {
                    prop_assert_eq!(table.get(key), map.get(&key).copied());
                }
            }
        }
    }
}
