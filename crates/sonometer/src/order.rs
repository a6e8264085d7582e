//! Putting things into the order of a small number that each of them has, in time linear in how many there are. What was found comes in by place in
//! the text and is asked for by rule: a fitted list finds something in most words, and comparing took a fifth of such a reading.

/// Fewer things are sorted by comparing: those are put in their places one by one.
const FEW: usize = 32;
/// Likewise where there are more numbers than so many for each thing, as counting touches each number.
const NUMBERS: usize = 16;

/// Whether counting is worth while for so many things with so many numbers.
pub(crate) fn is_worth_counting(things: usize, numbers: usize) -> bool {
    things >= FEW && numbers <= NUMBERS * things
}

/// Sorts things by their numbers, all below `numbers`, and by key where they have the same one; stable. Does nothing where that
/// [is not worth while](is_worth_counting): behind it comes a sort that compares, the only one in the module for browsers, which then mostly finds all
/// in order. `spare` is working memory.
pub(crate) fn by_number<T, K: Ord>(
    all: &mut [T],
    spare: &mut Spare,
    numbers: usize,
    number: impl Fn(&T) -> usize,
    key: impl Fn(&T) -> K,
) {
    if !is_worth_counting(all.len(), numbers) {
        return;
    }
    let Spare { places, targets } = spare;
    // How many have each number; then, summed up, where the next one of each goes.
    places.clear();
    places.resize(numbers, 0);
    all.iter().for_each(|one| places[number(one)] += 1);
    let mut sum = 0;
    for place in places.iter_mut() {
        sum += std::mem::replace(place, sum);
    }
    targets.clear();
    targets.extend(all.iter().map(|one| {
        let place = &mut places[number(one)];
        *place += 1;
        *place - 1
    }));
    // Within the list, as a second one of a long text would take as much memory again. Each exchange brings one thing to where it goes.
    for at in 0..all.len() {
        while targets[at] as usize != at {
            let to = targets[at] as usize;
            all.swap(at, to);
            targets.swap(at, to);
        }
    }
    for same in all.chunk_by_mut(|a, b| number(a) == number(b)) {
        // Mostly they came in that way.
        if !same.is_sorted_by_key(&key) {
            same.sort_by_key(&key);
        }
    }
}

/// Working memory of [`by_number`].
#[derive(Debug, Default)]
pub(crate) struct Spare {
    places: Vec<u32>,
    targets: Vec<u32>,
}

impl Spare {
    /// About the bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        (self.places.capacity() + self.targets.capacity()) * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_stable_sort(
            rounds in prop::collection::vec((prop::collection::vec((0_usize..40, 0_u8..5), 0..90), 40_usize..800), 1..4),
        ) {
            let mut spare = Spare::default();
            for (all, numbers) in rounds {
                let numbered: Vec<(usize, u8, usize)> =
                    all.into_iter().zip(0..).map(|((number, key), at)| (number, key, at)).collect();
                let (mut ours, mut plain) = (numbered.clone(), numbered);
                by_number(&mut ours, &mut spare, numbers, |one| one.0, |one| one.1);
                if is_worth_counting(plain.len(), numbers) {
                    plain.sort_by_key(|one| (one.0, one.1));
                }
                prop_assert_eq!(ours, plain);
            }
        }
    }
}
