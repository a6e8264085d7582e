//! Putting things into the order of a small number that each of them has, in time linear in how many there are. What was found comes in by place in
//! the text and is asked for by rule: a fitted list finds something in most words, and comparing took a fifth of such a reading.

/// Fewer things are sorted by comparing: those are put in their places one by one.
const FEW: usize = 32;
/// Likewise where there are more numbers than so many for each thing, as counting touches each number.
const NUMBERS: usize = 8;

/// Whether counting is worth while for so many things with so many numbers.
pub(crate) fn is_worth_counting(things: usize, numbers: usize) -> bool {
    things >= FEW && numbers <= NUMBERS * things
}

/// Brings things into the order of their numbers, all below `numbers`; those of one number stay as they were. It is for a sort that comes behind it
/// and then finds nearly all in order, and does nothing where that [is not worth while](is_worth_counting). `spare` is working memory.
pub(crate) fn by_number<T>(all: &mut [T], spare: &mut Spare, numbers: usize, number: impl Fn(&T) -> usize) {
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
            rounds in prop::collection::vec((prop::collection::vec(0_usize..40, 0..90), 40_usize..400), 1..4),
        ) {
            let mut spare = Spare::default();
            for (all, numbers) in rounds {
                let numbered: Vec<(usize, usize)> = all.into_iter().zip(0..).collect();
                let (mut ours, mut plain) = (numbered.clone(), numbered);
                by_number(&mut ours, &mut spare, numbers, |one| one.0);
                if is_worth_counting(plain.len(), numbers) {
                    plain.sort_by_key(|one| one.0);
                }
                prop_assert_eq!(ours, plain);
            }
        }
    }
}
