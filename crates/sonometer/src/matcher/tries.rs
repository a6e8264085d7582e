//! Where programs are to be tried.

/// Starts at which rules are tried, each once. Sorted by counting: there are as many starts as tokens, and many tries.
#[derive(Default)]
pub(super) struct Tries {
    /// Rules and starts, as they were noted.
    noted: Vec<(u32, u32)>,
    /// The rules by their start.
    rules: Vec<u32>,
    /// Where the rules of each start are.
    from: Vec<u32>,
    /// For each rule the last round it was tried in; a round is a start.
    tried: Vec<u32>,
    round: u32,
}

impl Tries {
    /// About the bytes held on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.noted.capacity() * size_of::<(u32, u32)>()
            + (self.rules.capacity() + self.from.capacity() + self.tried.capacity()) * size_of::<u32>()
    }

    /// Notes a rule at each of these starts.
    pub(super) fn note(&mut self, rule: u32, starts: impl Iterator<Item = u32>) {
        self.noted.extend(starts.map(|start| (rule, start)));
    }

    /// Visits what was noted, by start, and forgets it. `rules` and `tokens`: how many there are.
    pub(super) fn visit(&mut self, rules: usize, tokens: usize, mut visit: impl FnMut(u32, u32)) {
        let Self { noted, rules: by_start, from, tried, round } = self;
        if tried.len() < rules {
            tried.resize(rules, 0);
        }
        from.clear();
        from.resize(tokens + 1, 0);
        for (_, start) in &*noted {
            from[*start as usize] += 1;
        }
        let mut sum = 0;
        for here in &mut *from {
            sum += *here;
            *here = sum;
        }
        by_start.clear();
        by_start.resize(noted.len(), 0);
        for (rule, start) in &*noted {
            let here = &mut from[*start as usize];
            *here -= 1;
            by_start[*here as usize] = *rule;
        }
        noted.clear();
        for (start, ends) in from.windows(2).enumerate() {
            if *round == u32::MAX {
                tried.fill(0);
                *round = 0;
            }
            *round += 1;
            for rule in &by_start[ends[0] as usize..ends[1] as usize] {
                let last = &mut tried[*rule as usize];
                if *last != *round {
                    *last = *round;
                    visit(*rule, start as u32);
                }
            }
        }
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
