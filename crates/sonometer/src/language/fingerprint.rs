//! What a reading depends on besides its protocol and its interaction: the engine and its tables, in one line.

use crate::language::{LANGUAGES, Language, TELLTALES, Words};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// The version of the Unicode character tables.
const UNICODE: &str = "16.0.0";

/// The engine and its tables, such as `sonometer 0.1.0; unicode 16.0.0; de-1 en-2 es-1 zh-1; tables 0123456789abcdef`.
///
/// Two engines with the same fingerprint give the same bytes. The last part is a digest over every list of every
/// language and over stems of its frequent words; it is there to notice a table that changed and kept its name.
pub fn fingerprint() -> String {
    // Made once, which takes 0.2 ms: columns say it with every batch.
    static MADE: LazyLock<String> = LazyLock::new(|| {
        let mut all = Digest::default();
        let mut text = format!("sonometer {}; unicode {UNICODE}; ", env!("CARGO_PKG_VERSION"));
        for language in LANGUAGES {
            let _ = write!(text, "{} ", language.version);
            all.number(language.digest());
        }
        for other in TELLTALES {
            all.word(other.code).list(other.words);
        }
        format!("{}; tables {:016x}", text.trim_end(), all.0)
    });
    MADE.clone()
}

impl Language {
    /// A digest over the tables of the language and over the stems of its frequent words.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        let negation = &self.negation;
        digest.word(self.code).number(self.script as u64).number(negation.commas_stop.into());
        for list in [
            self.function_words,
            self.homographs,
            negation.cues,
            negation.post_cues,
            negation.not_cues,
            negation.stops,
            negation.post_stops,
            self.abbreviations,
            self.number_abbreviations,
        ] {
            digest.list(list);
        }
        for pairs in [self.frequency, self.spoken_digits, self.digit_multipliers] {
            for (word, number) in pairs.iter() {
                digest.word(word).number(number.into());
            }
            digest.number(pairs.iter().count() as u64);
        }
        if let Some(stem) = self.stem {
            let mut stemmed = String::new();
            for (word, _) in self.frequency.iter() {
                stem(word, &mut stemmed);
                digest.word(&stemmed);
            }
        }
        digest.0
    }
}

/// FNV-1a of 64 bits: it guards against forgetting, not against forgery.
struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    fn number(&mut self, number: u64) -> &mut Self {
        number.to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
        self
    }

    /// No word has the byte 0, which ends it.
    fn word(&mut self, word: &str) -> &mut Self {
        word.bytes().chain([0]).for_each(|byte| self.byte(byte));
        self
    }

    fn list(&mut self, words: Words) -> &mut Self {
        for word in words.iter() {
            self.word(word);
        }
        self.number(words.iter().count() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{ENGLISH, NumberedWords};

    #[test]
    fn names_every_part() {
        let text = fingerprint();
        assert!(
            text.starts_with(concat!("sonometer ", env!("CARGO_PKG_VERSION"), "; unicode 16.0.0; ")),
            "{text}"
        );
        assert!(LANGUAGES.iter().all(|language| text.contains(language.version)), "{text}");
        assert_eq!(text, fingerprint());
    }

    #[test]
    fn the_tables_are_of_that_unicode() {
        let generated = include_str!("../text/fold_table.rs");
        let (major_minor, _) = UNICODE.rsplit_once('.').expect("three numbers");
        assert!(
            generated.lines().next().is_some_and(|line| line.contains(&format!("Unicode {major_minor};")))
        );
    }

    #[test]
    fn a_digest_sees_every_list() {
        let digest = |change: &dyn Fn(&mut Language)| {
            let mut changed =
                Language { negation: crate::language::Negation { ..ENGLISH.negation }, ..ENGLISH };
            change(&mut changed);
            changed.digest()
        };
        let changes: [&dyn Fn(&mut Language); 13] = [
            &|_| {},
            &|l| l.function_words = Words::new("a"),
            &|l| l.homographs = Words::new("a"),
            &|l| l.negation.cues = Words::new("a"),
            &|l| l.negation.post_cues = Words::new("a"),
            &|l| l.negation.not_cues = Words::new("a"),
            &|l| l.negation.stops = Words::new("a"),
            &|l| l.negation.post_stops = Words::new("a"),
            &|l| l.abbreviations = Words::new("a"),
            &|l| l.frequency = NumberedWords::new("a 1"),
            &|l| l.spoken_digits = NumberedWords::new("a 1"),
            &|l| l.digit_multipliers = NumberedWords::new("a 1"),
            &|l| l.stem = Some(crate::language::german_stem::stem),
        ];
        let digests: std::collections::BTreeSet<u64> = changes.iter().map(|change| digest(change)).collect();
        assert_eq!(digests.len(), changes.len());
        assert!(digests.contains(&ENGLISH.digest()));
    }
}
