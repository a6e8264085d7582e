//! Pattern sets of a given size and hit rate, drawn from a corpus.
//!
//! Sets a, b and c are plain phrases: word sequences that stand in the corpus, drawn so that the whole set occurs about
//! as often as asked for. Set d is gap rules: alternatives, inflections and bounded gaps around words of the corpus.

use crate::corpus::Corpus;
use crate::random::Random;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

/// A set of pattern lines, shared out to markers.
#[derive(Clone, Debug)]
pub struct PatternSet {
    /// Its name in results.
    pub name: &'static str,
    /// How many markers the lines are shared out to.
    pub markers: usize,
    /// The pattern lines; for plain phrases also the very words, in lower case, with one space between.
    pub lines: Vec<String>,
}

/// Size and hit rate of a set of phrases.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    name: &'static str,
    markers: usize,
    phrases: usize,
    hits_per_kb: usize,
}

/// 30 markers, 300 phrases, 4 hits per KB.
pub const A: Shape = Shape { name: "a", markers: 30, phrases: 300, hits_per_kb: 4 };
/// 300 markers, 3,000 phrases, 8 hits per KB.
pub const B: Shape = Shape { name: "b", markers: 300, phrases: 3_000, hits_per_kb: 8 };
/// 1,000 markers, 30,000 phrases, 20 hits per KB.
pub const C: Shape = Shape { name: "c", markers: 1_000, phrases: 30_000, hits_per_kb: 20 };
const GAP_RULES: usize = 200;

/// Gap rules as an author would write them; the rest of set d is drawn in the same shapes.
const WRITTEN_RULES: [&str; 17] = [
    "guarantee~ ..4.. (return|returns|profit|profits|yield|income)",
    "(risk|worry) ..1.. free",
    "you (should|must|need to|have to) ..3.. (stop|quit|change|try)",
    "i ..2.. (want|wish|need) to (quit|stop|change|cut down)",
    "(it|that) (sounds|seems) like (you|part)",
    "(is|would) it ..1.. (okay|ok|fine|possible) ..2.. (if|to)",
    "(thank|thanks) ..3.. (help|helping|time|work)",
    "(sorry|apolog*) ..4.. (late|trouble|delay|confusion)",
    "(could|can|would) you ..2.. (explain|tell|show|give)",
    "(no|any) ..1.. (idea|clue|reason) ..2.. (why|what|how)",
    "(because|since) ..6.. (therefore|so|then)",
    "not ..2.. (only|just) ..8.. (but|also)",
    "(always|never) ..3.. (work*|help*|chang*)",
    "(let|lets|let's) ..2.. (look|see|try|talk)",
    "(food|water|firewood) &3 (kids|family|children)",
    "(first|second|last) ..2.. (time|step|question)",
    "(prove|proof|evidence) ..4.. (claim|wrong|true)",
];

impl PatternSet {
    /// The marker that a line belongs to.
    pub fn marker_of(&self, line: usize) -> usize {
        line * self.markers / self.lines.len()
    }

    /// The label of a marker.
    pub fn label(&self, marker: usize) -> String {
        format!("marker_{}_{marker}", self.name)
    }

    /// The set as a protocol file, in which every match counts in full and every content is sufficient.
    pub fn protocol(&self) -> String {
        let mut text = format!(
            "sonometer: 1\nid: bench_{}\nversion: \"1.0\"\nsgm: \"1.0\"\nstatus: published\ntaxonomy: Signal\n\
             language: en\nfidelity: {{words: 1, sufficient: 0}}\nscore: mean\nmarkers:\n",
            self.name
        );
        let mut last = None;
        for (number, line) in self.lines.iter().enumerate() {
            let marker = self.marker_of(number);
            if last != Some(marker) {
                let label = self.label(marker);
                let _ = write!(text, "  - label: {label}\n    repeat: all\n    clear: |\n");
                last = Some(marker);
            }
            let _ = writeln!(text, "      {line}");
        }
        text
    }
}

/// The most words of a phrase.
const MOST_WORDS: usize = 4;
/// No phrase stands for more than this many times the average of its set.
const MOST_FREQUENT: usize = 20;

/// A word that makes up more than one in so many places of the corpus is frequent.
const FREQUENT_ONE_IN: usize = 2_000;

/// A word sequence: word numbers, 0 behind the last.
type Gram = [u32; MOST_WORDS];

/// The word sequences of a corpus, single spaces between, and how often each stands there: what sets are drawn from.
#[derive(Debug)]
pub struct Grams {
    bytes: usize,
    words: Vec<String>,
    /// The corpus as word numbers, 0 wherever a phrase cannot go on.
    places: Vec<u32>,
    counts: HashMap<Gram, u32>,
}

impl Grams {
    /// Counts the sequences of a corpus.
    pub fn of(corpus: &Corpus) -> Self {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let (words, places) = (vec![String::new()], vec![0]);
        let mut grams = Self { bytes: corpus.bytes(), words, places, counts: HashMap::new() };
        for piece in corpus.turns().flat_map(|turn| turn.split(' ').chain([""])) {
            let core = piece.trim_matches(|c: char| c.is_ascii_punctuation());
            if core.is_empty() || !core.bytes().all(|b| b.is_ascii_alphabetic() || b == b'\'') {
                grams.places.push(0);
                continue;
            }
            if !piece.starts_with(core) {
                grams.places.push(0);
            }
            let word = core.to_ascii_lowercase();
            let next = grams.words.len() as u32;
            let number = *numbers.entry(word.clone()).or_insert(next);
            if number == next {
                grams.words.push(word);
            }
            grams.places.push(number);
            if !piece.ends_with(core) {
                grams.places.push(0);
            }
        }
        grams.places.push(0);
        for at in 0..grams.places.len() {
            for len in 1..=MOST_WORDS {
                let Some(gram) = grams.at(at, len) else { break };
                *grams.counts.entry(gram).or_default() += 1;
            }
        }
        grams
    }

    /// The sequence of `len` words at a place, if no break lies inside.
    fn at(&self, place: usize, len: usize) -> Option<Gram> {
        let words = self.places.get(place..place + len)?;
        let mut gram = [0; MOST_WORDS];
        gram[..len].copy_from_slice(words);
        (!words.contains(&0)).then_some(gram)
    }

    fn text(&self, gram: &Gram) -> String {
        let words: Vec<&str> =
            gram.iter().take_while(|w| **w != 0).map(|w| &*self.words[*w as usize]).collect();
        words.join(" ")
    }

    /// Draws phrases where they stand in the corpus. A phrase is taken if it brings the average frequency nearer to the
    /// one asked for, so that frequent and rare ones alternate as they do among real cues.
    pub fn phrases(&self, shape: &Shape) -> PatternSet {
        let average = (shape.hits_per_kb * self.bytes / 1024).div_ceil(shape.phrases);
        let mut random = Random::new(shape.phrases as u64);
        let mut taken = BTreeSet::new();
        let mut hits = 0;
        // A corpus can be too small for the set: then the last draws take whatever is new.
        let most_draws = 400 * shape.phrases;
        for draw in 0..2 * most_draws {
            if taken.len() == shape.phrases {
                break;
            }
            let len = [1, 2, 2, 2, 2, 3, 3, 3, 4, 4][random.below(10)];
            let Some(gram) = self.at(random.below(self.places.len()), len) else { continue };
            let count = self.counts[&gram] as usize;
            let nearer = if hits < average * taken.len() { count >= average } else { count <= average };
            if (nearer && count <= MOST_FREQUENT * average || draw > most_draws) && taken.insert(gram) {
                hits += count;
            }
        }
        let lines = taken.iter().map(|gram| self.text(gram)).collect();
        PatternSet { name: shape.name, markers: shape.markers, lines }
    }

    /// Set d: the written rules, and others of the same shapes around two words that stand near each other in the corpus.
    pub fn gap_rules(&self) -> PatternSet {
        let mut random = Random::new(4);
        let mut lines: Vec<String> = WRITTEN_RULES.map(str::to_owned).into();
        while lines.len() < GAP_RULES {
            let place = random.below(self.places.len());
            let far = place + 1 + random.below(4);
            let (Some(first), Some(last)) = (self.telling_word(place), self.telling_word(far)) else {
                continue;
            };
            let mut any = || loop {
                if let Some(word) = self.telling_word(random.below(self.places.len())) {
                    break word;
                }
            };
            let (one, two, three) = (any(), any(), any());
            let gap = 2 + random.below(5);
            lines.push(match random.below(5) {
                0 => format!("{first} ..{gap}.. ({last}|{one}|{two})"),
                1 => format!("({first}|{one}|{two}) ..{gap}.. ({last}|{three})"),
                2 => format!("{first}~ ..{gap}.. {last}"),
                3 => format!("({first}|{one}) &{gap} ({last}|{two})"),
                _ => format!("({first}|{one}) ..1.. ({two} {three}|{last}) {one}?"),
            });
        }
        PatternSet { name: "d", markers: GAP_RULES / 10, lines }
    }

    /// So many phrases of words of the corpus that do not stand there: what most phrases of a large set are to most texts.
    pub fn absent(&self, phrases: usize) -> PatternSet {
        let mut random = Random::new(5);
        let mut taken = BTreeSet::new();
        while taken.len() < phrases {
            let len = [2, 2, 3, 3, 4][random.below(5)];
            let mut gram = [0; MOST_WORDS];
            gram[..len].fill_with(|| 1 + random.below(self.words.len() - 1) as u32);
            if !self.counts.contains_key(&gram) {
                taken.insert(gram);
            }
        }
        let lines = taken.iter().map(|gram| self.text(gram)).collect();
        PatternSet { name: "absent", markers: 1_000.min(phrases), lines }
    }

    /// The word at a place unless it is short or frequent: nobody writes rules around function words.
    fn telling_word(&self, place: usize) -> Option<&str> {
        let gram = self.at(place, 1)?;
        let word = &*self.words[gram[0] as usize];
        let rare = self.counts[&gram] as usize <= self.places.len() / FREQUENT_ONE_IN;
        (rare && word.len() >= 4).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_their_size_and_every_phrase_stands_in_the_corpus() {
        let corpus = Corpus::generated(300_000);
        let grams = Grams::of(&corpus);
        let absent = grams.absent(50);
        let (a, b, d) = (grams.phrases(&A), grams.phrases(&B), grams.gap_rules());
        assert_eq!([a.lines.len(), b.lines.len(), d.lines.len()], [300, 3_000, 200]);
        let text = corpus.turns().collect::<Vec<_>>().join("\n").to_ascii_lowercase();
        assert!(a.lines.iter().all(|phrase| text.contains(phrase.as_str())));
        assert!(absent.lines.iter().all(|phrase| !text.contains(&format!(" {phrase} "))));
        let markers: BTreeSet<usize> = (0..300).map(|line| a.marker_of(line)).collect();
        assert_eq!(markers, (0..30).collect());
    }
}
