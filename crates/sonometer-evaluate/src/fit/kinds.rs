//! Further kinds of lines that a fit may choose from, each a line that a person can read and write: negated words, words
//! with others between, words at the edges of sentences, words of questions, quotes, stems, insides of words.
//!
//! Which of them earn their place was measured ([`Kind::DEFAULT`]); the others can be asked for.

use super::candidates::Choice;
use sonometer::Interaction;
use sonometer::language::{Language, Words};
use sonometer::text::chars::{Class, class, is_letter};
use sonometer::text::fold::Folded;
use sonometer::text::{GapKind, Token, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A kind of lines beside words, beginnings of words, and runs of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `@not ..3.. good`: a word after a cue of negation of the language, as a line of its own.
    Negation,
    /// `never ..2.. again`: two words of a sentence with up to two others between.
    Gaps,
    /// `<start> please`, `thanks <end>`: the first and the last word of a sentence; and of a turn (`^`, `$`).
    Edges,
    /// `could <question>`: a word of a question.
    Questions,
    /// Quoted stretches, and lines that quote another text (`>`).
    Quotes,
    /// `promise~`: inflections, in languages with a stemmer.
    Stems,
    /// `/verr/i`: letters anywhere in a word, the most frequent ones; for compounds.
    Insides,
}

/// What negates, by the name of its list in the file.
pub(crate) const NOT: &str = "not";

/// Tokens between a cue and what it negates, and between the words of [`Kind::Gaps`].
const REACH: usize = 3;
const BETWEEN: usize = 2;

/// How long a piece of a word is, and how long the word must be; shorter pieces are in too many words.
const INSIDE: [usize; 3] = [4, 5, 6];
const SHORTEST: usize = 6;

/// Regular expressions, at most: each is run over the whole text, so that 300 cost more than all words together.
const MOST_INSIDES: usize = 300;

/// Lines of one kind, at most: more than the data can tell anything about.
const MOST: usize = 20_000;

/// Lines with a gap, at most: each takes up to 50 steps a word, and a protocol may take 400,000.
const MOST_APART: usize = 5_000;

/// Letters of a word with a stem.
const STEM: usize = 4;

const QUOTES: [&str; 3] = [
    r#"/["“„«「『][^"“”«»」』]{2,300}["“”»」』]/"#,
    r"/(^|\s)['‘][^'‘’]{2,200}['’](\s|[.,!?]|$)/",
    r"/(^|\n)>/",
];

impl Kind {
    /// All kinds, in their order.
    pub const ALL: [Self; 7] =
        [Self::Negation, Self::Gaps, Self::Edges, Self::Questions, Self::Quotes, Self::Stems, Self::Insides];

    /// Those that earn held-out accuracy on average over the data sets on which they were measured.
    pub const DEFAULT: [Self; 2] = [Self::Edges, Self::Quotes];

    /// The name, such as `negation`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Negation => "negation",
            Self::Gaps => "gaps",
            Self::Edges => "edges",
            Self::Questions => "questions",
            Self::Quotes => "quotes",
            Self::Stems => "stems",
            Self::Insides => "insides",
        }
    }

    /// The kind of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The cues of one word that negate what follows, folded; none without a language.
pub(crate) fn cues(language: Option<&'static Language>) -> Vec<&'static str> {
    let cues = language.map_or(Words::NONE, |language| language.negation.cues);
    cues.iter().filter(|cue| !cue.contains(' ')).collect()
}

/// The lines of some kinds that enough interactions hold: by kind, the most frequent first, then by their text.
pub(crate) fn find(
    interactions: &[&Interaction],
    choice: &Choice,
    names: &BTreeSet<String>,
    kinds: &[Kind],
) -> Vec<String> {
    let mut lines = Vec::new();
    let cues: BTreeSet<&str> = cues(choice.language).into_iter().collect();
    for kind in Kind::ALL.into_iter().filter(|kind| kinds.contains(kind)) {
        match kind {
            Kind::Quotes => lines.extend(QUOTES.map(str::to_owned)),
            _ => {
                let seen = |sentence: &Sentence, held: &mut BTreeSet<String>| {
                    sentence.hold(kind, &cues, choice, held);
                };
                let most = match kind {
                    Kind::Insides => MOST_INSIDES,
                    Kind::Negation | Kind::Gaps => MOST_APART,
                    _ => MOST,
                };
                lines.extend(frequent(interactions, choice, names, &seen).into_iter().take(most));
            }
        }
    }
    lines
}

/// What `seen` finds in the sentences of enough interactions, the most frequent first.
fn frequent(
    interactions: &[&Interaction],
    choice: &Choice,
    names: &BTreeSet<String>,
    seen: &dyn Fn(&Sentence, &mut BTreeSet<String>),
) -> Vec<String> {
    let mut support: BTreeMap<String, usize> = BTreeMap::new();
    for interaction in interactions {
        let mut held = BTreeSet::new();
        for turn in interaction.turns().iter().filter(|turn| choice.is_heard(turn)) {
            let folded = Folded::new(&turn.content);
            let (text, tokens) = (folded.text(), tokens(folded.text(), choice.language));
            let sentences: Vec<&[Token]> = tokens.chunk_by(|_, next| next.gap() != GapKind::End).collect();
            for (at, tokens) in sentences.iter().enumerate() {
                let next = sentences.get(at + 1).and_then(|next| next.first());
                let end = next.map_or(text.len(), |next| next.range().start);
                let last = tokens.last().map_or(end, |last| last.range().end);
                let words = tokens.iter().map(|token| word(&text[token.range()], choice, names)).collect();
                let edges = [at == 0, at + 1 == sentences.len()];
                seen(&Sentence { words, asks: text[last..end].contains('?'), edges }, &mut held);
            }
        }
        held.into_iter().for_each(|line| *support.entry(line).or_default() += 1);
    }
    let mut found: Vec<(String, usize)> =
        support.into_iter().filter(|(_, own)| *own >= choice.support).collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.into_iter().map(|(line, _)| line).collect()
}

/// A word in lower case; `None` for numbers and names, which no line of these kinds has.
fn word(text: &str, choice: &Choice, names: &BTreeSet<String>) -> Option<String> {
    let word = text.to_ascii_lowercase();
    let is_wanted = word.contains(is_letter) && !names.contains(&word) && !choice.stop_list.contains(&word);
    is_wanted.then_some(word)
}

/// A sentence as its words.
struct Sentence {
    words: Vec<Option<String>>,
    asks: bool,
    /// Whether it begins a turn, and whether it ends one.
    edges: [bool; 2],
}

impl Sentence {
    /// The lines of a kind that this sentence holds, into `held`.
    fn hold(&self, kind: Kind, cues: &BTreeSet<&str>, choice: &Choice, held: &mut BTreeSet<String>) {
        let words = || self.words.iter().flatten();
        match kind {
            Kind::Negation => self.negated(cues, held),
            Kind::Gaps => self.apart(held),
            Kind::Edges => self.at_edges(held),
            Kind::Questions if self.asks => held.extend(words().map(|word| format!("{word} <question>"))),
            Kind::Stems if choice.language.is_some_and(|language| language.stem.is_some()) => {
                let long = words().filter(|word| word.chars().count() >= STEM && word.chars().all(is_word));
                held.extend(long.map(|word| format!("{word}~")));
            }
            Kind::Insides => words().for_each(|word| insides(word, held)),
            _ => {}
        }
    }

    fn negated(&self, cues: &BTreeSet<&str>, held: &mut BTreeSet<String>) {
        let is_cue = |word: &Option<String>| word.as_deref().is_some_and(|word| cues.contains(word));
        for (at, _) in self.words.iter().enumerate().filter(|(_, word)| is_cue(word)) {
            let after = self.words.iter().skip(at + 1).take(REACH + 1).filter(|word| !is_cue(word));
            held.extend(after.flatten().map(|word| format!("@{NOT} ..{REACH}.. {word}")));
        }
    }

    fn apart(&self, held: &mut BTreeSet<String>) {
        for (at, first) in self.words.iter().enumerate() {
            let Some(first) = first else { continue };
            let others = self.words.iter().skip(at + 2).take(BETWEEN).flatten();
            held.extend(others.map(|second| format!("{first} ..{BETWEEN}.. {second}")));
        }
    }

    fn at_edges(&self, held: &mut BTreeSet<String>) {
        if let Some(Some(first)) = self.words.first() {
            held.insert(format!("<start> {first}"));
            if self.edges[0] {
                held.insert(format!("^ {first}"));
            }
            if let Some(Some(second)) = self.words.get(1) {
                held.insert(format!("<start> {}", joined(first, second)));
            }
        }
        if let Some(Some(last)) = self.words.last() {
            held.insert(format!("{last} <end>"));
            if self.edges[1] {
                held.insert(format!("{last} $"));
            }
        }
    }
}

/// Neighbouring words as a line writes them: none stands between letters of scripts without spaces.
fn joined(first: &str, second: &str) -> String {
    let dense = |c: Option<char>| c.is_some_and(|c| class(c) == Class::Ideograph);
    let apart = !(dense(first.chars().next_back()) && dense(second.chars().next()));
    format!("{first}{}{second}", if apart { " " } else { "" })
}

fn is_word(c: char) -> bool {
    class(c) == Class::Word && is_letter(c)
}

/// Stretches of letters behind the beginning of a word.
fn insides(word: &str, held: &mut BTreeSet<String>) {
    let letters: Vec<char> = word.chars().collect();
    if letters.len() < SHORTEST || !letters.iter().copied().all(is_word) {
        return;
    }
    for size in INSIDE {
        held.extend(
            letters[1..].windows(size).map(|piece| format!("/{}/i", piece.iter().collect::<String>())),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::matrix::Matrix;
    use crate::watch::Steps;
    use sonometer::{Protocol, language};

    fn found(texts: &[&str], code: &str, kind: Kind) -> Vec<String> {
        let all: Vec<Interaction> =
            texts.iter().map(|text| Interaction::text(text).expect("is short")).collect();
        let choice = Choice {
            words: 1,
            prefix: 0,
            support: 2,
            by: None,
            language: language::find(code),
            names: false,
            digits: false,
            kinds: vec![kind],
            stop_list: BTreeSet::new(),
        };
        let mut lines = find(&all.iter().collect::<Vec<_>>(), &choice, &BTreeSet::new(), &[kind]);
        lines.sort();
        lines
    }

    #[test]
    fn negated_words_stand_apart_within_reach_and_sentence() {
        let texts = ["It is not really good. Fine", "not good, I'd say", "good fine"];
        assert_eq!(found(&texts, "en", Kind::Negation), ["@not ..3.. good"]);
        assert_eq!(found(&["not a b c far", "not a b c far"], "en", Kind::Negation).len(), 4, "`a` to `far`");
        assert_eq!(found(&["not a b c d far", "not e f g h far"], "en", Kind::Negation), [""; 0]);
        assert_eq!(found(&texts, "", Kind::Negation), [""; 0], "no language, no cues");
        assert_eq!(found(&["不是很好", "不好"], "zh", Kind::Negation), ["@not ..3.. 好"]);
    }

    #[test]
    fn words_apart_and_at_edges_end_with_their_sentence() {
        let texts = ["never do that again. Ever", "never try this again", "again never"];
        assert_eq!(found(&texts, "en", Kind::Gaps), ["never ..2.. again"]);
        assert_eq!(
            found(&["Please wait. Now go", "Please wait now"], "en", Kind::Edges),
            ["<start> please", "<start> please wait", "^ please"]
        );
        assert_eq!(
            found(&["a cat. Stop!", "Go on. Stop"], "en", Kind::Edges),
            ["<start> stop", "stop $", "stop <end>"]
        );
    }

    #[test]
    fn questions_stems_and_insides_are_of_words_in_place() {
        let texts = ["Could you help? Thanks", "You could? Thanks"];
        assert_eq!(found(&texts, "en", Kind::Questions), ["could <question>", "you <question>"]);
        assert_eq!(found(&["the promise", "a promise of it"], "en", Kind::Stems), ["promise~"]);
        assert_eq!(found(&["the promise", "a promise"], "zh", Kind::Stems), [""; 0], "no stems");
        let insides = found(&["Volksfest", "Schützenfest"], "de", Kind::Insides);
        assert_eq!(insides, ["/fest/i"], "what both hold, behind the first letter");
    }

    /// Without a limit, such a text gives more lines than a protocol may take steps for.
    #[test]
    fn lines_with_gaps_stay_below_the_steps_of_a_protocol() {
        let name = |n: usize| {
            [n / 26, n % 26].map(|digit| char::from(b'a' + digit as u8)).iter().collect::<String>()
        };
        let words = |step: usize| (0..400).map(move |n| name(n * step % 401)).collect::<Vec<_>>().join(" ");
        let said: Vec<String> = (1..10).map(words).collect();
        let texts: Vec<&str> = said.iter().chain(&said).map(String::as_str).collect();
        let lines = found(&texts, "en", Kind::Gaps);
        assert_eq!(lines.len(), MOST_APART);
        let weigh: String = lines.iter().map(|line| format!("      {line} = 1\n")).collect();
        let head = "sonometer: 1\nid: x\nversion: 1\ntaxonomy: Signal\nlanguage: en\nmarkers:\n  - label: x\n    weigh: |\n";
        assert!(Protocol::read(&format!("{head}{weigh}")).is_ok());
    }

    /// Every kind of line is one that the engine reads, and finds in the text that it is from.
    #[test]
    fn the_engine_finds_what_was_found() {
        let said = "Could I never say 'no more' again, \"dear friend\"? Promises everywhere!";
        let texts = [said, said];
        let one = [Interaction::text(said).expect("is short")];
        for kind in Kind::ALL {
            let lines = found(&texts, "en", kind);
            assert!(!lines.is_empty(), "{kind}");
            let weigh: String = lines.iter().map(|line| format!("      {line} = 1\n")).collect();
            let source = format!(
                "sonometer: 1\nid: x\nversion: 1\ntaxonomy: Signal\nlanguage: en\nlists:\n  {NOT}: {}\nmarkers:\n  - label: x\n    \
                 repeat: once\n    weigh: |\n{weigh}",
                cues(language::find("en")).join(" | ")
            );
            let (protocol, _) = Protocol::read(&source).unwrap_or_else(|found| panic!("{kind}: {found:?}"));
            let mut watch = crate::unwatched;
            let steps = &mut Steps::new(&mut watch, "counting", 1);
            let matrix = Matrix::count(&protocol, 0, &[&one[0]], steps).expect("counts");
            let silent = kind == Kind::Quotes;
            let columns: Vec<u32> = (0..).take(if silent { 1 } else { lines.len() }).collect();
            let seen: Vec<u32> = matrix.rows[0].iter().map(|(column, _)| *column).collect();
            assert!(
                columns.iter().all(|column| silent || seen.contains(column)),
                "{kind}: {lines:?} {seen:?}"
            );
            assert!(!seen.is_empty(), "{kind}");
        }
    }
}
