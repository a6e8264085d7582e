//! Which patterns may become lines of a weighted list: words, beginnings of words, and runs of neighbouring words, as the
//! engine sees them, that enough interactions hold; and signs of writing that are no words.

use super::kinds::{self, Kind};
use sonometer::language::Language;
use sonometer::text::chars::{Class, class, is_letter, is_upper};
use sonometer::text::fold::{Folded, fold_to_lower};
use sonometer::text::{GapKind, Token, tokens};
use sonometer::{Interaction, Turn};
use std::collections::{BTreeMap, BTreeSet};

/// The most words of a candidate.
pub const MOST_WORDS: usize = 3;

/// A protocol holds no more pattern lines than this.
const MOST_LINES: usize = 100_000;

/// The most letters of the beginning of a word.
pub(crate) const LONGEST_PREFIX: usize = 8;

/// What is looked for in the place of digits.
const NUMBER: &str = "<number>";

/// Patterns without words that tell how something is written.
const SIGNS: [&str; 10] =
    ["<question>", "<shout>", "/!/", NUMBER, "<money>", "<percent>", "<date>", "<time>", "<url>", "<email>"];

/// What counts as a candidate.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The most words of a candidate, 1 to [`MOST_WORDS`].
    pub(crate) words: usize,
    /// The fewest letters of the beginning of a word (`guarante*`), which finds inflections and compounds; 0: no beginnings.
    pub(crate) prefix: usize,
    /// How many interactions must hold it.
    pub(crate) support: usize,
    /// The roles whose turns are looked at, folded; `None`: every turn.
    pub(crate) by: Option<BTreeSet<String>>,
    pub(crate) language: Option<&'static Language>,
    /// Whether words that look like names are candidates.
    pub(crate) names: bool,
    /// Whether digits are candidates as they are; else they count as `<number>`.
    pub(crate) digits: bool,
    /// Kinds of lines beside words.
    pub(crate) kinds: Vec<Kind>,
    /// Folded words that are no candidates alone or among themselves.
    pub(crate) stop_list: BTreeSet<String>,
}

/// A run of words, by their numbers; 0 fills the end.
type Run = [u32; MOST_WORDS];

/// The candidates, the most frequent first, then by their text; at most as many as a protocol can hold.
pub(crate) fn find(interactions: &[&Interaction], choice: &Choice) -> Vec<String> {
    let mut words = Words::default();
    let mut prefixes: BTreeMap<String, usize> = BTreeMap::new();
    let names = if choice.names { BTreeSet::new() } else { names(interactions, choice) };
    let further = kinds::find(interactions, choice, &names, &choice.kinds);
    let mut support: BTreeMap<Run, usize> = BTreeMap::new();
    for interaction in interactions {
        let mut held: BTreeSet<Run> = BTreeSet::new();
        for turn in interaction.turns().iter().filter(|turn| choice.is_heard(turn)) {
            let folded = Folded::new(&turn.content);
            runs(&folded, choice, &names, &mut words, &mut held);
        }
        for prefix in words.prefixes(&held, choice) {
            *prefixes.entry(prefix).or_default() += 1;
        }
        held.into_iter().for_each(|run| *support.entry(run).or_default() += 1);
    }
    let prefixes = telling_prefixes(prefixes, &words, &support, choice);
    support.retain(|run, support| *support >= choice.support && words.is_wanted(run, choice));
    let told_by_part = |run: &Run, own: usize| {
        parts(run).into_iter().flatten().any(|part| support.get(&part).is_some_and(|support| *support == own))
    };
    let mut found: Vec<(usize, String)> = support
        .iter()
        .filter(|(run, own)| !told_by_part(run, **own))
        .map(|(run, own)| (*own, words.pattern(run)))
        .chain(prefixes)
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut patterns: Vec<String> = SIGNS.iter().map(|sign| (*sign).to_owned()).collect();
    patterns.extend(found.into_iter().map(|(_, pattern)| pattern).filter(|pattern| pattern != NUMBER));
    let known: BTreeSet<&str> = patterns.iter().map(String::as_str).collect();
    let further: Vec<String> = further.into_iter().filter(|line| !known.contains(line.as_str())).collect();
    patterns.extend(further);
    patterns.truncate(MOST_LINES);
    patterns
}

impl Choice {
    pub(super) fn is_heard(&self, turn: &Turn) -> bool {
        match (&self.by, &turn.role) {
            (None, _) => true,
            (Some(by), Some(role)) => by.contains(fold_to_lower(role).trim()),
            (Some(_), None) => false,
        }
    }
}

/// Every run of a turn, into `held`.
fn runs(
    folded: &Folded<'_>,
    choice: &Choice,
    names: &BTreeSet<String>,
    words: &mut Words,
    held: &mut BTreeSet<Run>,
) {
    let text = folded.text();
    let tokens = tokens(text, choice.language);
    // `None` where no candidate may stand.
    let number = |token: &Token, words: &mut Words| {
        let word = text[token.range()].to_ascii_lowercase();
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
        match () {
            () if is_number && !choice.digits => Some(words.number(NUMBER)),
            () if names.contains(&word) => None,
            () => Some(words.number(&word)),
        }
    };
    let numbers: Vec<Option<u32>> = tokens.iter().map(|token| number(token, words)).collect();
    for first in 0..tokens.len() {
        let mut run = Run::default();
        for (at, token) in tokens.iter().enumerate().skip(first).take(choice.words) {
            let (true, Some(number)) = (at == first || token.gap() == GapKind::Join, numbers[at]) else {
                break;
            };
            run[at - first] = number;
            held.insert(run);
        }
    }
}

/// The prefixes that tell more than any longer prefix, or any word, that begins so.
fn telling_prefixes(
    mut prefixes: BTreeMap<String, usize>,
    words: &Words,
    support: &BTreeMap<Run, usize>,
    choice: &Choice,
) -> Vec<(usize, String)> {
    prefixes.retain(|_, support| *support >= choice.support);
    let of_words = words.numbers.iter().filter_map(|(word, number)| {
        let support = support.get(&single(*number))?;
        Some((word.as_str(), *support))
    });
    let of_words: BTreeMap<&str, usize> = of_words.collect();
    let is_told = |prefix: &str, own: usize| {
        let mut longer = prefixes
            .range(prefix.to_owned()..)
            .skip(1)
            .map(|(text, support)| (text.as_str(), *support))
            .take_while(|(text, _)| text.starts_with(prefix));
        let mut words = of_words
            .range(prefix..)
            .map(|(text, support)| (*text, *support))
            .take_while(|(text, _)| text.starts_with(prefix));
        longer.any(|(_, support)| support == own) || words.any(|(_, support)| support == own)
    };
    let telling = prefixes.iter().filter(|(prefix, own)| !is_told(prefix, **own));
    telling.map(|(prefix, own)| (*own, format!("{prefix}*"))).collect()
}

fn single(number: u32) -> Run {
    let mut run = Run::default();
    run[0] = number;
    run
}

/// The runs that are one word shorter at either end.
fn parts(run: &Run) -> [Option<Run>; 2] {
    let len = run.iter().take_while(|word| **word != 0).count();
    if len < 2 {
        return [None, None];
    }
    let (mut front, mut back) = (*run, Run::default());
    front[len - 1] = 0;
    back[..len - 1].copy_from_slice(&run[1..len]);
    [Some(front), Some(back)]
}

/// Words that are written with a capital inside sentences in which most words are not. Only English is known to write
/// names, and little else, so; German writes every noun so.
pub(super) fn names(interactions: &[&Interaction], choice: &Choice) -> BTreeSet<String> {
    let Some(language) = choice.language.filter(|language| language.code == "en") else {
        return BTreeSet::new();
    };
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for turn in interactions.iter().flat_map(|i| i.turns()).filter(|turn| choice.is_heard(turn)) {
        let folded = Folded::new(&turn.content);
        let (text, tokens) = (folded.text(), tokens(folded.text(), choice.language));
        for sentence in tokens.chunk_by(|_, next| next.gap() != GapKind::End) {
            let words = || sentence.iter().map(|token| &text[token.range()]);
            if 2 * words().filter(|word| word.starts_with(is_upper)).count() >= sentence.len() {
                continue;
            }
            for word in words().skip(1) {
                let (capital, all) = counts.entry(word.to_ascii_lowercase()).or_default();
                *capital += usize::from(word.starts_with(is_upper));
                *all += 1;
            }
        }
    }
    counts.retain(|word, (capital, all)| 4 * *capital > 3 * *all && language.frequency_class(word) == 0);
    counts.into_keys().collect()
}

/// Numbers of words, from 1.
#[derive(Default)]
struct Words {
    numbers: BTreeMap<String, u32>,
    texts: Vec<String>,
}

impl Words {
    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        self.texts.push(word.to_owned());
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.numbers.insert(word.to_owned(), number);
        number
    }

    fn texts(&self, run: &Run) -> impl Iterator<Item = &str> {
        run.iter().take_while(|number| **number != 0).map(|number| self.texts[*number as usize - 1].as_str())
    }

    /// The beginnings of the words among `held`.
    fn prefixes(&self, held: &BTreeSet<Run>, choice: &Choice) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        if choice.prefix == 0 {
            return found;
        }
        let words = held.iter().filter(|run| run[1] == 0).flat_map(|run| self.texts(run));
        for word in words.filter(|word| !choice.stop_list.contains(*word)) {
            let letters = word.char_indices().take_while(|(_, c)| class(*c) == Class::Word && is_letter(*c));
            for (at, c) in letters.take(LONGEST_PREFIX).skip(choice.prefix - 1) {
                found.insert(word[..at + c.len_utf8()].to_owned());
            }
        }
        found
    }

    fn is_wanted(&self, run: &Run, choice: &Choice) -> bool {
        !self.texts(run).all(|word| choice.stop_list.contains(word))
    }

    /// The run as a pattern line. Between letters of scripts without spaces there is none.
    fn pattern(&self, run: &Run) -> String {
        let mut pattern = String::new();
        for word in self.texts(run) {
            let dense = |c: Option<char>| c.is_some_and(|c| class(c) == Class::Ideograph);
            let apart = !(dense(pattern.chars().next_back()) && dense(word.chars().next()));
            if !pattern.is_empty() && apart {
                pattern.push(' ');
            }
            pattern.push_str(word);
        }
        pattern
    }
}

/// The words of a stop list: one or several a line, `#` begins a comment; folded.
pub(crate) fn stop_words(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).map(fold_to_lower).filter(|word| word.contains(is_letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice() -> Choice {
        let language = sonometer::language::find("en");
        Choice {
            words: 2,
            prefix: 0,
            support: 2,
            by: None,
            language,
            names: false,
            digits: false,
            kinds: Vec::new(),
            stop_list: BTreeSet::new(),
        }
    }

    fn found(texts: &[&str], choice: &Choice) -> Vec<String> {
        let all: Vec<Interaction> =
            texts.iter().map(|text| Interaction::text(text).expect("is short")).collect();
        let all: Vec<&Interaction> = all.iter().collect();
        find(&all, choice).split_off(SIGNS.len())
    }

    #[test]
    fn runs_stop_where_phrases_stop() {
        let texts = ["red apples, green pears. ripe plums", "red apples, green pears. ripe plums", "red sky"];
        // `red apples` and `apples` are in the same texts: the shorter tells it.
        assert_eq!(found(&texts, &choice()), ["red", "apples", "green", "pears", "plums", "ripe"]);
        let texts = ["thank you", "thank you", "you", "thank"];
        assert_eq!(found(&texts, &choice()), ["thank", "you", "thank you"]);
    }

    #[test]
    fn an_interaction_supports_a_word_once() {
        assert_eq!(found(&["ha ha ha", "ho"], &choice()), [""; 0]);
    }

    #[test]
    fn digits_become_numbers_and_names_are_left_out() {
        let texts = ["only 3 left at Aldi", "only 12 left at Aldi", "only you, left aside", "3 days"];
        assert_eq!(
            found(&texts, &choice()),
            ["left", "only", "<number> left", "at", "only <number>"],
            "`left at` and `at` are in the same texts"
        );
        let all = Choice { names: true, digits: true, ..choice() };
        assert!(found(&texts, &all).contains(&"aldi".to_owned()));
        assert!(found(&["call 911", "911 now"], &all).contains(&"911".to_owned()));
    }

    #[test]
    fn prefixes_find_what_no_word_alone_finds() {
        let choice = Choice { words: 1, prefix: 4, ..choice() };
        let texts = ["guaranteed", "guarantees", "we guarantee", "guard", "guard dog"];
        // `guar*` finds them all; `guara*` and what is longer no more than `guarante*`; `guard*` no more than `guard`.
        assert_eq!(found(&texts, &choice), ["guar*", "guarante*", "guard"]);
        // A prefix needs no word that is itself frequent enough.
        assert_eq!(found(&["kaufen", "kaufst"], &choice), ["kauf*"]);
    }

    #[test]
    fn stop_words_do_not_stand_among_themselves() {
        let stop_list = stop_words("of the # and more\nAND");
        assert_eq!(stop_list.iter().collect::<Vec<_>>(), ["and", "of", "the"]);
        let choice = Choice { stop_list, ..choice() };
        let texts = ["end of the day", "end of the week", "of day, week of"];
        assert_eq!(found(&texts, &choice), ["day", "end", "week"]);
    }

    #[test]
    fn scripts_without_spaces_give_runs_of_characters() {
        let choice = Choice { language: None, ..choice() };
        assert_eq!(found(&["谢谢你", "谢 谢 ok", "谢天"], &choice), ["谢", "谢谢"]);
    }

    #[test]
    fn only_turns_of_the_role_are_heard() {
        let turn = |role: &str| Turn { role: Some(role.into()), content: role.into(), timestamp: None };
        let talk = Interaction::transcript(vec![turn("Agent"), turn("customer")]).expect("has roles");
        let choice = Choice { by: Some(BTreeSet::from(["agent".into()])), ..choice() };
        assert_eq!(find(&[&talk, &talk], &choice)[SIGNS.len()..], ["agent"]);
    }
}
