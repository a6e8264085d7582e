//! What a protocol's language knows, or the absence of it.

use sonometer::class::Vocabulary;
use sonometer::language::{self, NumberedWords, Script, Words};

/// The language of a protocol; `None` inside if it has none, or one without data.
pub(crate) struct Language(Option<&'static language::Language>);

impl Language {
    /// The language of this code.
    pub(crate) fn of(code: Option<&str>) -> Self {
        Self(code.and_then(language::find))
    }

    /// Whether the protocol has a language with data.
    pub(crate) fn is_known(&self) -> bool {
        self.0.is_some()
    }

    /// Whose number words, months and currencies the classes read.
    pub(crate) fn class_words(&self) -> Vocabulary {
        self.0.map_or(Vocabulary::None, |language| Vocabulary::of(language.code))
    }

    /// Whether a full stop after this folded, lower-case word ends no sentence before a digit.
    pub(crate) fn is_number_abbreviation(&self, word: &str) -> bool {
        self.0.is_some_and(|language| language.number_abbreviations.iter().any(|known| known == word))
    }

    /// Whether a full stop after this folded, lower-case word ends no sentence.
    pub(crate) fn is_abbreviation(&self, word: &str) -> bool {
        self.0.is_some_and(|language| language.abbreviations.iter().any(|known| known == word))
    }

    /// Whether this is one of the words that every text of the language is full of.
    pub(crate) fn is_function_word(&self, word: &str) -> bool {
        self.0.is_some_and(|language| language.function_words.iter().any(|known| known == word))
    }

    /// Whether another language is told by this word, and this one does not write it.
    pub(crate) fn is_foreign_word(&self, word: &str) -> bool {
        let Some(own) = self.0 else { return false };
        let is_in = |words: Words| words.iter().any(|known| known == word);
        let told = |other: &language::Telltales| other.code != own.code && is_in(other.words);
        own.script == Script::Latin
            && language::TELLTALES.iter().any(told)
            && !is_in(own.function_words)
            && !is_in(own.homographs)
    }

    /// Whether this is in the table of frequent words.
    pub(crate) fn is_frequent(&self, word: &str) -> bool {
        self.0.is_some_and(|language| language.frequency.iter().any(|(frequent, _)| frequent == word))
    }

    /// The digit that a word says.
    pub(crate) fn spoken_digit(&self, word: &str) -> Option<char> {
        let value = number_of(self.0?.spoken_digits, word)?;
        char::from_digit(value.into(), 10)
    }

    /// How often a word says the digit after it.
    pub(crate) fn multiplier(&self, word: &str) -> Option<usize> {
        number_of(self.0?.digit_multipliers, word).map(usize::from)
    }

    /// Whether a folded token is written in another script.
    pub(crate) fn is_foreign(&self, word: &str) -> bool {
        self.0.is_some_and(|language| word.chars().next().is_some_and(|c| !language.script.reads(c)))
    }

    /// The stem of a folded, lower-case word; words with non-ASCII letters, and all words of a language without a
    /// stemmer, stem to themselves.
    pub(crate) fn stem(&self, word: &str) -> String {
        match self.0.and_then(|language| language.stem) {
            Some(stem) if word.is_ascii() => {
                let mut out = String::new();
                stem(word, &mut out);
                out
            }
            _ => word.to_owned(),
        }
    }

    /// What negates.
    pub(crate) fn cues(&self) -> Vec<Vec<String>> {
        self.phrases(|negation| negation.cues)
    }

    /// Which of the cues negate what stands before them too.
    pub(crate) fn post_cues(&self) -> Vec<Vec<String>> {
        self.phrases(|negation| negation.post_cues)
    }

    /// What ends the reach of a cue backwards, besides what ends it forwards.
    pub(crate) fn post_stops(&self) -> Vec<Vec<String>> {
        self.phrases(|negation| negation.post_stops)
    }

    /// Whether a *break* gap ends the reach of a cue.
    pub(crate) fn commas_stop(&self) -> bool {
        self.0.is_some_and(|language| language.negation.commas_stop)
    }

    /// What only looks like it.
    pub(crate) fn not_cues(&self) -> Vec<Vec<String>> {
        self.phrases(|negation| negation.not_cues)
    }

    /// What ends the reach of a cue.
    pub(crate) fn stops(&self) -> Vec<Vec<String>> {
        self.phrases(|negation| negation.stops)
    }

    fn phrases(&self, list: fn(&language::Negation) -> Words) -> Vec<Vec<String>> {
        let list = self.0.map_or(Words::NONE, |language| list(&language.negation));
        list.iter().map(|phrase| phrase.split(' ').map(str::to_owned).collect()).collect()
    }
}

/// The number of a word in a table.
fn number_of(table: NumberedWords, word: &str) -> Option<u8> {
    table.iter().find(|(known, _)| *known == word).map(|(_, number)| number)
}
