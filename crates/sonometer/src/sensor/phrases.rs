//! All plain phrases of a sensor in one tree over word numbers.
//!
//! A bit per adjacent pair of first and second word rejects nearly every place before the tree is touched. The bits grow by two to
//! four bytes a pair: 10,000 pairs are 32 KiB and stay in the cache, where automata over bytes fall out of it.

/// The tree of phrases.
#[derive(Debug, Default)]
pub(crate) struct Phrases {
    /// By word number: the node after this first word, 0 for none. Empty where no phrase is: most sensors have no list files.
    roots: Vec<u32>,
    /// Hash table of (node, word) -> node, for all but the first children; a place without a target is empty (node 0 is no
    /// node). Half of its places are taken.
    edges: Vec<Edge>,
    /// Bits of pairs (first word, second word), by their hash: no pair of a phrase is missed, and about one other pair in
    /// sixteen passes by chance.
    pairs: Vec<u64>,
    /// By number; node 0 stands for none, and one more at the end says where the rules of the last one end.
    nodes: Vec<Node>,
    /// The rules of all nodes, node by node.
    rules: Vec<u32>,
}

/// A node of the tree. Nodes are numbered from the root down and from left to right, so that the first child, most often
/// the only one, is the next node: a walk mostly stays within a line of the cache.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Where its rules begin in `rules`; they end where those of the next node begin.
    rules: u32,
    /// The word of the first child, 0 for none; with [`Node::MORE`] if there are further ones, in `edges`.
    first_child: u32,
}

impl Node {
    /// Free in a word number, which has 28 bits (`text/token.rs`).
    const MORE: u32 = 1 << 31;
}

#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    node: u32,
    word: u32,
    target: u32,
}

/// Collects phrases before the tree is laid out: all words in one row, as a list for each of 300,000 phrases would be most of the
/// work and of the memory.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    words: Vec<u32>,
    phrases: Vec<Phrase>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Phrase {
    /// The first two words; 0, which is no word, for a second one that is not there. Most phrases differ here already, and are put in
    /// order without a look at the others.
    first_two: u64,
    /// Its words are `words[start..end]`. Fewer than 2^32: a protocol has at most 16 MiB (2^24 bytes), and writing out adds at most 2^18
    /// words (`sensor/parted.rs`).
    start: u32,
    end: u32,
    rule: u32,
}

impl Builder {
    /// Makes room for so many phrases.
    pub(crate) fn reserve(&mut self, phrases: usize) {
        self.phrases.reserve(phrases);
    }

    /// Adds a phrase of word numbers for a rule.
    pub(crate) fn add(&mut self, phrase: impl IntoIterator<Item = u32>, rule: u32) {
        let start = self.words.len();
        self.words.extend(phrase);
        let word = |at: usize| self.words.get(start + at).copied().unwrap_or(0);
        let first_two = u64::from(word(0)) << 32 | u64::from(word(1));
        self.phrases.push(Phrase { first_two, start: start as u32, end: self.words.len() as u32, rule });
    }

    /// The phrases of one word.
    pub(crate) fn single_words(&self) -> impl Iterator<Item = u32> {
        self.phrases
            .iter()
            .filter(|phrase| phrase.end - phrase.start == 1)
            .map(|phrase| (phrase.first_two >> 32) as u32)
    }

    /// Lays out the tree; `count` is the number of word numbers. `twins`: the rules with the same phrases as a rule.
    pub(crate) fn build<'r>(self, count: usize, twins: impl Fn(u32) -> &'r [u32]) -> Phrases {
        let Self { words, mut phrases } = self;
        let words_of = |phrase: &Phrase| &words[phrase.start as usize..phrase.end as usize];
        // Sorted, each phrase stands behind its own beginnings, so that a node is numbered before its children and its first
        // child directly behind it. Equal entries are the same, so an unstable sort gives one order.
        phrases.sort_unstable_by(|a, b| {
            a.first_two
                .cmp(&b.first_two)
                .then_with(|| words_of(a).cmp(words_of(b)))
                .then_with(|| a.rule.cmp(&b.rule))
        });
        phrases.dedup_by(|b, a| a.rule == b.rule && a.first_two == b.first_two && words_of(a) == words_of(b));
        let mut roots = vec![0; if phrases.is_empty() { 0 } else { count }];
        let mut edges: Vec<(u32, u32, u32)> = Vec::new();
        let mut nodes = vec![Node::default()];
        let mut rules = Vec::with_capacity(phrases.len());
        let mut pairs = Vec::new();
        // Sorted phrases share their beginnings with the phrase before: `path` holds its nodes.
        let (mut path, mut last): (Vec<u32>, &[u32]) = (Vec::new(), &[]);
        for phrase in &phrases {
            let own = words_of(phrase);
            let shared = last.iter().zip(own).take_while(|(a, b)| a == b).count();
            path.truncate(shared);
            for (at, &word) in own.iter().enumerate().skip(shared) {
                let node = nodes.len() as u32;
                // What is added to `rules` from now on and until the next node is its own: equal phrases are neighbours.
                nodes.push(Node { rules: rules.len() as u32, first_child: 0 });
                match at.checked_sub(1).map(|before| path[before]) {
                    None => roots[word as usize] = node,
                    Some(parent) => match &mut nodes[parent as usize].first_child {
                        none @ 0 => *none = word,
                        first => {
                            *first |= Node::MORE;
                            edges.push((parent, word, node));
                        }
                    },
                }
                if at == 1 {
                    pairs.push((own[0], word));
                }
                path.push(node);
            }
            rules.push(phrase.rule);
            rules.extend(twins(phrase.rule));
            last = own;
        }
        nodes.push(Node { rules: rules.len() as u32, first_child: 0 });
        nodes.shrink_to_fit();
        rules.shrink_to_fit();
        Phrases { roots, edges: table(&edges), pairs: bits(&pairs), nodes, rules }
    }
}

/// Twice as many places as edges, not the next power of two, which would be up to twice the memory; never none, as a look-up ends at
/// an empty place.
fn table(edges: &[(u32, u32, u32)]) -> Vec<Edge> {
    let mut table = vec![Edge::default(); (2 * edges.len()).max(4)];
    for &(node, word, target) in edges {
        let mut place = place(node, word, table.len());
        while table[place].target != 0 {
            place = next(place, table.len());
        }
        table[place] = Edge { node, word, target };
    }
    table
}

/// Where an edge is looked for first, in a table of so many places: the 32 bits of its hash are taken as a fraction of them.
#[inline]
fn place(node: u32, word: u32, places: usize) -> usize {
    ((mix(node, word) as u64 * places as u64) >> 32) as usize
}

/// The place behind a place; the first stands behind the last.
#[inline]
fn next(place: usize, places: usize) -> usize {
    if place + 1 == places { 0 } else { place + 1 }
}

/// Sixteen to thirty-two bits a pair, a power of two of them: at most one bit in sixteen is set, so at most about one place in
/// sixteen passes by chance. Never none: a mask is made of their number.
fn bits(pairs: &[(u32, u32)]) -> Vec<u64> {
    let size = (16 * pairs.len()).next_power_of_two().max(64);
    let mut words = vec![0; size / 64];
    for &(first, second) in pairs {
        let bit = mix(first, second) & (size - 1);
        words[bit / 64] |= 1 << (bit % 64);
    }
    words
}

/// Spreads two numbers over the upper half of a product with 2^64 / golden ratio, and takes that half: 32 bits, enough for tables
/// of up to 2^32 places.
#[inline]
fn mix(a: u32, b: u32) -> usize {
    ((u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

impl Phrases {
    /// The node after a first word, 0 for none.
    #[inline]
    pub(crate) fn root(&self, word: u32) -> u32 {
        self.roots.get(word as usize).copied().unwrap_or(0)
    }

    /// Whether a phrase may begin with these two words.
    #[inline]
    pub(crate) fn may_begin(&self, first: u32, second: u32) -> bool {
        let bit = mix(first, second) & (64 * self.pairs.len() - 1);
        self.pairs[bit / 64] >> (bit % 64) & 1 != 0
    }

    /// The node behind `word` (a word that some pattern has), 0 for none.
    #[inline]
    pub(crate) fn step(&self, node: u32, word: u32) -> u32 {
        let first_child = self.nodes[node as usize].first_child;
        // Never for none, as `word` is not 0. The first child is numbered directly behind its parent.
        if first_child & !Node::MORE == word {
            return node + 1;
        }
        if first_child & Node::MORE == 0 {
            return 0;
        }
        let mut place = place(node, word, self.edges.len());
        loop {
            let edge = self.edges[place];
            if edge.target == 0 || edge.node == node && edge.word == word {
                return edge.target;
            }
            place = next(place, self.edges.len());
        }
    }

    /// Whether some phrase goes on behind a node.
    pub(crate) fn goes_on(&self, node: u32) -> bool {
        self.nodes[node as usize].first_child != 0
    }

    /// The rules whose phrase ends at a node.
    #[inline]
    pub(crate) fn rules_at(&self, node: u32) -> &[u32] {
        &self.rules[self.nodes[node as usize].rules as usize..self.nodes[node as usize + 1].rules as usize]
    }

    /// Bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        4 * (self.roots.len() + self.rules.len())
            + self.nodes.len() * size_of::<Node>()
            + self.edges.len() * size_of::<Edge>()
            + 8 * self.pairs.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_every_phrase_and_its_rules() {
        let phrases = [(vec![1, 2], 0), (vec![1, 2, 3], 1), (vec![1], 2), (vec![4, 2], 3), (vec![1, 2], 4)];
        let mut builder = Builder::default();
        for (phrase, rule) in phrases.clone() {
            builder.add(phrase, rule);
        }
        let tree = builder.build(5, |rule| if rule == 3 { &[7, 9] } else { &[] });
        let rules = |words: &[u32]| -> Vec<u32> {
            let node = words[1..]
                .iter()
                .fold(tree.root(words[0]), |node, w| if node == 0 { 0 } else { tree.step(node, *w) });
            if node == 0 { Vec::new() } else { tree.rules_at(node).to_vec() }
        };
        assert_eq!(rules(&[1, 2]), [0, 4]);
        assert_eq!(rules(&[1, 2, 3]), [1]);
        assert_eq!(rules(&[1]), [2]);
        assert_eq!(rules(&[4, 2]), [3, 7, 9]);
        assert!(rules(&[4]).is_empty() && rules(&[2]).is_empty() && rules(&[4, 2, 3]).is_empty());
        assert!(tree.may_begin(1, 2) && tree.may_begin(4, 2));
    }
}
