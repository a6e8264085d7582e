//! How far a match of one program reaches from each point of one turn. That is the same for every start that leads to the
//! point, so the work of all starts together is bounded by the number of points (`protocol/cost.rs`): each start adds only
//! those that no start before it has reached.

use super::step::{Point, step};
use super::turn::TurnText;
use crate::sensor::Plan;
use crate::sensor::program::Program;

/// Ends of matches by point: one past the last token, and 0 for *no match from here*. 0 is free for that, since a match has
/// consumed at least one token and so ends at 1 or later.
#[derive(Default)]
pub(super) struct Memo {
    table: Table,
    /// Points to work on, and whether what they lead to is known.
    todo: Vec<(Point, bool)>,
    /// How many points have been worked on, and ways gone from them, since this was made.
    pub(super) steps: u64,
}

/// Beyond this many points all are forgotten before the next start, so that memory does not grow with the turn: 2^17 points
/// are a table of 2^18 places or, once it has grown over that, 2^19 (12 bytes each: 3 or 6 MiB). One start may go beyond, by
/// the points within its reach. Forgetting costs less than a tenth of the work again: starts go from left to right, and what
/// a later start needs stands within the reach of its pattern.
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
        // Depth first, on a stack of its own: a way can be as long as the program times its reach, and nothing that a protocol
        // or a text says may use up the stack of the thread. Each point is met twice, before and behind those it leads to.
        // Instructions lead to instructions emitted before them (`sensor/compile.rs` emits back to front) or to later tokens,
        // so there is no circle and this ends.
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

/// Numbers by number, in one flat hash table with open addressing. It is cleared for every rule and turn, mostly with few
/// entries in a table that an earlier turn made large; so clearing writes nothing. Instead each key carries the number of the
/// *round* it was put in, and keys of other rounds count as empty places.
//
// A place holds `round << 50 | key`. A key has 50 bits (`Point::key`: 32 of the token, 16 of the instruction, 2 flags), which
// leaves 14 for the round: after 2^14 - 1 = 16,383 rounds the keys are written over once and rounds begin again at 1. Round 0
// is never current while there are places, so that zeroed places are empty.
#[derive(Default)]
struct Table {
    /// As many places as a power of two, so that a mask finds one, at most half of them taken, so that probing stays short
    /// and always meets an empty one.
    keys: Vec<u64>,
    /// By place. Apart from the keys, since probing reads many keys and one value.
    values: Vec<u32>,
    /// Keys of the current round.
    len: usize,
    /// At least 1 as soon as there is a place.
    round: u64,
}

impl Table {
    const KEY_BITS: u32 = 50;
    /// The fewest places, 12 KiB: a start comes here only when more than 64 ways were not enough.
    const FEWEST_PLACES: usize = 1 << 10;

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
        // Neighbouring points differ in few low bits. Multiplying by 2^64 / golden ratio spreads these over the upper half,
        // of which 32 bits are taken: enough for tables of up to 2^32 places.
        let mut at = (full.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.keys[at] >> Self::KEY_BITS == self.round && self.keys[at] != full {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let size = (2 * self.keys.len()).max(Self::FEWEST_PLACES);
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
