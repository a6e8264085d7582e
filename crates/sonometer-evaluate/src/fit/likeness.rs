//! Which examples are alike: near-duplicates, and texts of one template (`I hate X`, `I hate Y`). They stay on one side of
//! every fold, else held-out figures tell how well a list remembers what it has seen.
//!
//! Two texts are alike if they share three tenths of their pairs of neighbouring words (Jaccard), begin and end counting as
//! words. Pairs, and not longer runs, because one word in the place of another spoils two of them: of the four pairs of
//! `I hate X` two are left of six. Candidates come from MinHash (A. Z. Broder, 1997, SEQUENCES) in bands (A. Gionis, P. Indyk,
//! R. Motwani, 1999, VLDB), on whole numbers, so they are the same on every machine.

use super::Example;
use crate::Error;
use crate::watch::{Steps, Watch};
use sonometer::Turn;
use sonometer::text::fold::{Folded, fold_to_lower};
use sonometer::text::tokens;
use sonometer_report::counted;
use std::collections::BTreeMap;

/// Bands of MinHash; texts are compared if they agree in one.
const BANDS: usize = 40;
/// Hashes of a band. Texts that share 0.3 of their pairs agree in one of the bands with 1 − (1 − 0.3²)⁴⁰ = 0.977.
const ROWS: usize = 2;
/// From which share of common pairs on texts are alike, in millionths.
const ALIKE: u64 = 300_000;
/// With how many of those that come next in its band a text is compared: of a template with thousands of texts, chains suffice.
const NEIGHBOURS: usize = 24;
/// After how many texts or comparisons the watch is asked.
const SPAN: usize = 4_096;

/// Examples by what must not be parted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clusters {
    /// The cluster of each example, numbered from 0 in the order of their first examples.
    pub(crate) of: Vec<usize>,
    /// What was joined by likeness; `None`: nothing was looked for.
    pub(crate) alike: Option<Alike>,
}

/// What was joined by likeness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Alike {
    /// Examples that another one of another group is like.
    pub(crate) items: usize,
    /// Clusters of all examples.
    pub(crate) groups: usize,
    /// Examples of the largest cluster.
    pub(crate) largest: usize,
    /// Pairs that are alike and stay apart, since their cluster would hold more than a tenth of all examples.
    pub(crate) apart: usize,
}

impl Clusters {
    /// Examples of one group together, and, if `by_likeness`, those that are alike.
    pub(crate) fn of(
        examples: &[Example],
        by_likeness: bool,
        is_heard: &dyn Fn(&Turn) -> bool,
        watch: Watch<'_>,
    ) -> Result<Self, Error> {
        let mut forest = Forest::new(examples.len());
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, example) in examples.iter().enumerate() {
            let first = *groups.entry(&example.group).or_insert(at);
            forest.join(first, at, usize::MAX);
        }
        if !by_likeness {
            return Ok(Self { of: forest.numbers(), alike: None });
        }
        let steps = &mut Steps::new(watch, "comparing", BANDS + 1);
        let mut all = Vec::with_capacity(examples.len());
        for some in examples.chunks(SPAN) {
            all.extend(some.iter().map(|example| shingles(example, is_heard)));
            steps.advance(0)?;
        }
        // The likest first, so that the limit parts what is least alike.
        let mut pairs = pairs(&all, steps)?;
        pairs.sort_unstable_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let most = (examples.len() / 10).max(10);
        let (mut items, mut apart) = (vec![false; examples.len()], 0);
        for (share, a, b) in pairs {
            if examples[a].group != examples[b].group {
                (items[a], items[b]) = (true, true);
            }
            // The same text is the same text, however often it occurs.
            let limit = if share == 1_000_000 { usize::MAX } else { most };
            apart += usize::from(!forest.join(a, b, limit));
        }
        let of = forest.numbers();
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        of.iter().for_each(|cluster| *sizes.entry(*cluster).or_default() += 1);
        let alike = Alike {
            items: items.into_iter().filter(|alike| *alike).count(),
            groups: sizes.len(),
            largest: sizes.into_values().max().unwrap_or(0),
            apart,
        };
        Ok(Self { of, alike: Some(alike) })
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.of.iter().max().map_or(0, |last| last + 1)
    }
}

impl Alike {
    /// In one line, for comments and reports.
    pub(crate) fn told(alike: Option<Self>) -> String {
        let Some(Self { items, groups, largest, apart }) = alike else {
            return "not looked for".to_owned();
        };
        let mut text = format!(
            "{} like another, kept in one fold; {}, the largest of {largest}",
            counted(items, "item"),
            counted(groups, "group")
        );
        if apart > 0 {
            text.push_str(&format!("; {} kept apart by the limit of a tenth", counted(apart, "alike pair")));
        }
        text
    }
}

/// The hashes of the pairs of neighbouring words of the turns that are heard, ascending; digits count as one number.
fn shingles(example: &Example, is_heard: &dyn Fn(&Turn) -> bool) -> Vec<u64> {
    const EDGE: u64 = 1;
    const NUMBER: u64 = 2;
    let mut found = Vec::new();
    for turn in example.interaction.turns().iter().filter(|turn| is_heard(turn)) {
        let folded = Folded::new(&turn.content);
        let text = folded.text();
        let mut last = EDGE;
        for token in tokens(text, None) {
            let word = fold_to_lower(&text[token.range()]);
            let own = match word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')) {
                true => NUMBER,
                false => word.bytes().fold(FNV, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME)),
            };
            found.push(mixed(last.rotate_left(32) ^ own));
            last = own;
        }
        found.push(mixed(last.rotate_left(32) ^ EDGE));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// FNV-1a of 64 bits (Fowler, Noll, Vo).
const FNV: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The last steps of SplitMix64 (Steele, Lea, Flood 2014): every bit of the result depends on every bit given.
fn mixed(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The least hash of a text under the permutation number `seed`.
fn least(shingles: &[u64], seed: u64) -> u64 {
    shingles.iter().map(|shingle| mixed(shingle ^ mixed(seed))).min().unwrap_or(0)
}

/// Pairs that are alike: the share of what they have in common, in millionths, and both places, the lower first.
fn pairs(shingles: &[Vec<u64>], steps: &mut Steps<'_>) -> Result<Vec<(u64, usize, usize)>, Error> {
    let mut candidates: Vec<(usize, usize)> = Vec::new();
    let mut different = 0;
    for band in 0..BANDS {
        let mut keys: Vec<([u64; ROWS], usize)> = Vec::with_capacity(shingles.len());
        for (at, own) in shingles.iter().enumerate() {
            keys.push((std::array::from_fn(|row| least(own, (band * ROWS + row) as u64)), at));
        }
        keys.sort_unstable();
        for bucket in keys.chunk_by(|a, b| a.0 == b.0) {
            for (at, (_, first)) in bucket.iter().enumerate() {
                candidates
                    .extend(bucket[at + 1..].iter().take(NEIGHBOURS).map(|(_, other)| (*first, *other)));
            }
        }
        // Texts of one template meet in most bands: without this, each pair of theirs would be held up to forty times.
        if candidates.len() > 2 * different || band + 1 == BANDS {
            candidates.sort_unstable();
            candidates.dedup();
            different = candidates.len();
        }
        steps.advance(1)?;
    }
    let mut alike = Vec::new();
    for some in candidates.chunks(SPAN) {
        let compared = some.iter().map(|(a, b)| (share(&shingles[*a], &shingles[*b]), *a, *b));
        alike.extend(compared.filter(|(share, ..)| *share >= ALIKE));
        steps.advance(0)?;
    }
    steps.advance(1)?;
    Ok(alike)
}

/// The share of the elements of two ascending lists that are in both, in millionths, rounded down.
fn share(a: &[u64], b: &[u64]) -> u64 {
    let (mut at, mut other, mut common) = (0, 0, 0_usize);
    while let (Some(x), Some(y)) = (a.get(at), b.get(other)) {
        common += usize::from(x == y);
        at += usize::from(x <= y);
        other += usize::from(y <= x);
    }
    let all = a.len() + b.len() - common;
    if all == 0 { 0 } else { common as u64 * 1_000_000 / all as u64 }
}

/// Trees of what belongs together, with their sizes.
pub(crate) struct Forest {
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl Forest {
    pub(crate) fn new(count: usize) -> Self {
        Self { parent: (0..count).collect(), size: vec![1; count] }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    /// Joins the trees of two, unless the whole would have more than `most`; whether they are together now.
    pub(crate) fn join(&mut self, a: usize, b: usize, most: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        let (first, other) = (a.min(b), a.max(b));
        if first != other {
            if self.size[first] + self.size[other] > most {
                return false;
            }
            self.parent[other] = first;
            self.size[first] += self.size[other];
        }
        true
    }

    pub(crate) fn numbers(mut self) -> Vec<usize> {
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let roots: Vec<usize> = (0..self.parent.len()).map(|at| self.root(at)).collect();
        roots
            .into_iter()
            .map(|root| {
                let next = numbers.len();
                *numbers.entry(root).or_insert(next)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unwatched;
    use sonometer::Interaction;

    fn examples(texts: &[&str]) -> Vec<Example> {
        let example = |(at, text): (usize, &&str)| Example {
            group: at.to_string(),
            interaction: Interaction::text(text).expect("is short"),
            positive: false,
        };
        texts.iter().enumerate().map(example).collect()
    }

    fn clusters(examples: &[Example]) -> (Vec<usize>, Alike) {
        let clusters = Clusters::of(examples, true, &|_| true, &mut unwatched).expect("ends");
        (clusters.of, clusters.alike.expect("was looked for"))
    }

    #[test]
    fn texts_of_one_template_stay_together() {
        let texts = [
            "I hate mornings.",
            "I hate Mondays!",
            "The bus leaves at 9 from platform 3.",
            "the bus leaves at 12 from platform 4",
            "nothing else is like this one here",
        ];
        let (of, alike) = clusters(&examples(&texts));
        assert_eq!(of, [0, 0, 1, 1, 2]);
        assert_eq!(alike, Alike { items: 4, groups: 3, largest: 2, apart: 0 });
    }

    #[test]
    fn groups_are_joined_whatever_they_say() {
        let mut all = examples(&["one thing", "another matter", "I hate rain", "I hate snow"]);
        all[1].group = "0".into();
        let apart = Clusters::of(&all, false, &|_| true, &mut unwatched).expect("ends");
        assert_eq!(apart.of, [0, 0, 1, 2]);
        let (of, alike) = clusters(&all);
        assert_eq!((of, alike.items), (vec![0, 0, 1, 1], 2));
    }

    #[test]
    fn a_cluster_ends_at_a_tenth_but_the_same_text_is_one() {
        let words: Vec<String> = (0..40).map(|n| format!("I hate thing{}", n.min(20))).collect();
        let texts: Vec<&str> = words.iter().map(String::as_str).collect();
        let (of, alike) = clusters(&examples(&texts));
        assert!(of[20..].iter().all(|own| *own == of[20]), "the same text is in one cluster: {of:?}");
        assert!(of[..20].iter().all(|own| *own != of[20]), "it is full: {of:?}");
        assert_eq!((alike.largest, alike.items), (20, 40));
        assert!(alike.apart > 0);
    }

    #[test]
    fn the_share_counts_what_is_common() {
        assert_eq!(share(&[1, 2, 3], &[2, 3, 4, 5]), 400_000);
        assert_eq!(share(&[], &[]), 0);
    }
}
