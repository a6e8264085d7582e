//! Where programs are to be tried: each rule at each start once, however many anchors ask for it; from the first start to the
//! last.

use crate::names;

/// Up to this many are sorted by the standard library, which inserts so few one by one; more are sorted by counting, which
/// takes a pass over all tokens.
const FEW: usize = 20;

/// Starts at which rules are tried. Many are sorted by counting, in time linear in their number and the tokens, as a start is
/// the number of a token (DESIGN.md, Finding).
#[derive(Default)]
pub(super) struct Tries {
    /// (start, rule) as noted, some of them more than once.
    noted: Vec<(u32, u32)>,
    /// The same by their start.
    ordered: Vec<(u32, u32)>,
    /// Where in it those of each start go.
    places: Vec<u32>,
    /// By rule: the last round it was tried in. A round is one start of one turn; numbers go on from turn to turn, so that
    /// nothing is written between turns, and after 2^32 - 1 rounds all are set back.
    tried: Vec<u32>,
    round: u32,
    /// By rule: a pass, and the start before which all that are wanted have been noted in it. Passes are numbered as rounds.
    noted_to: Vec<(u32, u32)>,
    pass: u32,
    /// How many have been noted since this was made.
    #[cfg(test)]
    pub(super) noted_in_all: u64,
}

impl Tries {
    /// About the bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        (self.noted.capacity() + self.ordered.capacity()) * size_of::<(u32, u32)>()
            + self.noted_to.capacity() * size_of::<(u32, u32)>()
            + (self.places.capacity() + self.tried.capacity()) * size_of::<u32>()
    }

    /// The anchors of another kind are looked at, from the left again.
    pub(super) fn begin_pass(&mut self) {
        if self.pass == u32::MAX {
            self.noted_to.fill((0, 0));
            self.pass = 0;
        }
        self.pass += 1;
    }

    /// The first of the starts `from..to` of a rule that has not been noted in this pass. Anchors stand side by side, and each has
    /// the starts of a whole reach; as they are looked at from left to right, all but the last few of these are known already.
    pub(super) fn not_before(&mut self, rule: u32, from: u32, to: u32) -> u32 {
        let (pass, noted) = names::at(&mut self.noted_to, rule);
        if *pass != self.pass {
            (*pass, *noted) = (self.pass, 0);
        }
        let first = from.max(*noted);
        *noted = to.max(*noted);
        first
    }

    /// Notes a rule at each of these starts.
    #[cfg_attr(small_build, optimize(speed))]
    pub(super) fn note(&mut self, rule: u32, starts: impl Iterator<Item = u32>) {
        self.noted.extend(starts.map(|start| (start, rule)));
    }

    /// Visits each rule and start that was noted, by start, and forgets them. `rules` and `tokens`: how many there are.
    #[cfg_attr(small_build, optimize(speed))]
    pub(super) fn visit(&mut self, rules: usize, tokens: usize, mut visit: impl FnMut(u32, u32)) {
        if self.noted.len() <= FEW {
            // Stable or not does not matter for what is found (hits are sorted later), but keeps both ways alike.
            self.noted.sort_by_key(|(start, _)| *start);
        } else {
            self.sort_by_counting(tokens);
        }
        if self.tried.len() < rules {
            self.tried.resize(rules, 0);
        }
        #[cfg(test)]
        {
            self.noted_in_all += self.noted.len() as u64;
        }
        let mut last = None;
        for &(start, rule) in &self.noted {
            if last != Some(start) {
                last = Some(start);
                if self.round == u32::MAX {
                    self.tried.fill(0);
                    self.round = 0;
                }
                self.round += 1;
            }
            let tried = &mut self.tried[rule as usize];
            if *tried != self.round {
                *tried = self.round;
                visit(rule, start);
            }
        }
        self.noted.clear();
    }

    #[cfg_attr(small_build, optimize(speed))]
    fn sort_by_counting(&mut self, tokens: usize) {
        // How many begin at each token; then, summed up, where those of each token go.
        self.places.clear();
        self.places.resize(tokens, 0);
        for (start, _) in &self.noted {
            self.places[*start as usize] += 1;
        }
        let mut sum = 0;
        for place in &mut self.places {
            let here = *place;
            *place = sum;
            sum += here;
        }
        self.ordered.clear();
        self.ordered.resize(self.noted.len(), (0, 0));
        for noted in &self.noted {
            let place = &mut self.places[noted.0 as usize];
            self.ordered[*place as usize] = *noted;
            *place += 1;
        }
        std::mem::swap(&mut self.noted, &mut self.ordered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn each_is_visited_once(
            rounds in proptest::collection::vec(proptest::collection::vec((0u32..5, 0u32..9), 0..40), 1..4),
            round in prop_oneof![Just(0), u32::MAX - 12..=u32::MAX],
        ) {
            let mut tries = Tries { round, ..Tries::default() };
            for noted in rounds {
                for (rule, start) in &noted {
                    tries.note(*rule, *start..*start + 1);
                }
                let mut visited = Vec::new();
                tries.visit(5, 9, |rule, start| visited.push((rule, start)));
                let all: BTreeSet<(u32, u32)> = visited.iter().copied().collect();
                prop_assert_eq!(visited.len(), all.len());
                prop_assert!(visited.is_sorted_by_key(|(_, start)| *start));
                prop_assert_eq!(all, noted.into_iter().collect::<BTreeSet<_>>());
            }
        }
    }
}
