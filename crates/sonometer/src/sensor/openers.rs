//! What the matches of rules can begin with. A guard asks that at each token that it may hold back, with each chunk: to ask every rule
//! would touch some hundred programs, most of which are no longer in the cache by the time that the next chunk comes in.

use super::Rule;
use super::compile::Body;
use super::program::beginnings;
use crate::class::ClassSet;

/// The rules with a program, by what a match of them begins with.
#[derive(Debug, Default)]
pub(crate) struct Openers {
    /// Words, each with a rule that may begin with it; sorted.
    of_words: Vec<(u32, u32)>,
    /// Classes, each set with a rule that may begin with one of them.
    of_classes: Vec<(ClassSet, u32)>,
    /// Rules that may begin with something else.
    others: Vec<u32>,
}

impl Openers {
    pub(super) fn of(rules: &[Rule]) -> Self {
        let mut openers = Self::default();
        for (number, rule) in (0..).zip(rules) {
            let Body::Program(program) = &rule.body else { continue };
            let Some((words, classes)) = beginnings(&program.ops, program.entry) else {
                openers.others.push(number);
                continue;
            };
            openers.of_words.extend(words.into_iter().map(|word| (word, number)));
            if !classes.is_empty() {
                openers.of_classes.push((classes, number));
            }
        }
        openers.of_words.sort_unstable();
        openers.of_words.dedup();
        openers
    }

    /// The rules of which a match may begin at a token with this word; `some` tells whether one of the classes of a set may begin there.
    /// One that may begin with either can come twice.
    pub(crate) fn at(&self, word: u32, some: impl Fn(ClassSet) -> bool) -> impl Iterator<Item = u32> {
        let from = self.of_words.partition_point(|(own, _)| *own < word);
        let of_word = self.of_words[from..].iter().take_while(move |(own, _)| *own == word);
        let of_classes = self.of_classes.iter().filter(move |(classes, _)| some(*classes));
        let known = of_word.map(|(_, rule)| *rule).chain(of_classes.map(|(_, rule)| *rule));
        known.chain(self.others.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Class;
    use crate::{Protocol, Sensor};

    #[test]
    fn are_found_by_word_and_by_class() {
        let source = r#"{"sonometer": 1, "id": "x", "version": "1", "taxonomy": "Signal", "language": "en",
            "markers": [{"label": "x", "strong": ["please ... wait", "(call|<number>) ... me", "<date> ... late", "thank* ... you"],
            "hit": "please do wait"}]}"#;
        let sensor = Sensor::new(Protocol::read(source).expect("reads").0).expect("compiles");
        let plan = sensor.plan();
        let openers = plan.openers();
        let with = |word: &str, classes: &[Class]| -> Vec<u32> {
            let number = plan.vocabulary.number(word.as_bytes(), 0, word.len());
            let here = ClassSet::of(classes);
            openers.at(number, |some| !some.intersection(here).is_empty()).collect()
        };
        let anything = with("unheard", &[]);
        let [prefix] = anything[..] else { panic!("{openers:?}") };
        let [please, or] = ["please", "call"].map(|word| with(word, &[])[0]);
        let [number, date] = [Class::Number, Class::Date].map(|class| with("unheard", &[class])[0]);
        assert_eq!(or, number);
        let lines: Vec<u32> = [please, or, date, prefix].into();
        let is_line = |wanted: u32| lines.iter().filter(|line| **line == wanted).count() == 1;
        assert!(lines.iter().all(|line| is_line(*line)), "{lines:?} of {openers:?}");
        assert_eq!(with("call", &[Class::Date]), [or, date, prefix]);
    }

    /// So many optional words that to follow each way through them by itself would not come to an end.
    #[test]
    fn many_ways_to_begin_are_followed_once() {
        let line = format!("{}<date>", "(one?|two?) ".repeat(30));
        let source = format!(
            r#"{{"sonometer": 1, "id": "x", "version": "1", "taxonomy": "Signal", "language": "en",
            "markers": [{{"label": "x", "strong": ["{line}"], "hit": "5 May 2020"}}]}}"#
        );
        let Ok((protocol, _)) = Protocol::read(&source) else {
            panic!("{:?}", Protocol::read(&source).err())
        };
        let sensor = Sensor::new(protocol).expect("compiles");
        assert!(!sensor.plan().openers().of_classes.is_empty());
    }
}
