//! Languages as data: what the engine must know of a language, and nothing of it in code but the stemmer.
//!
//! Every word here is as text looks after folding: lower-case ASCII letters, `'` as the apostrophe, or one Han character;
//! a phrase is words with one space between them.

mod chinese;
mod chinese_frequency;
mod english;
mod english_frequency;
pub mod english_stem;
pub mod fingerprint;
mod german;
mod german_frequency;
pub mod german_stem;
mod spanish;
mod spanish_frequency;
pub mod spanish_stem;
mod telltale;
mod words;

pub use chinese::CHINESE;
pub use english::ENGLISH;
pub use german::GERMAN;
pub use spanish::SPANISH;
pub use telltale::{TELLTALES, Telltales};
pub(crate) use words::Pairs;
pub use words::{NumberedWords, Words};

/// What the engine knows of one language.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// Its ISO 639-1 code, such as `en`.
    pub code: &'static str,
    /// The name of these tables. It changes when a list or the stemmer does, and is part of the engine's fingerprint.
    pub version: &'static str,
    /// What it is written in.
    pub script: Script,
    /// Words that tell by their share of a text that it is written in this language.
    pub function_words: Words,
    /// Words of this language that other languages count among those they are told by (English `die`, German `her`).
    pub homographs: Words,
    /// What negates, and what only looks like it.
    pub negation: Negation,
    /// Words of two letters and more after which a full stop does not end the sentence, without the full stop.
    pub abbreviations: Words,
    /// Words of two letters and more after which a full stop does not end the sentence before a digit (`No. 5`).
    pub number_abbreviations: Words,
    /// Frequent words, each with the binary logarithm of its occurrences in a million words, rounded down.
    pub frequency: NumberedWords,
    /// The words for 0 to 9 as people say digits one by one (`oh` for 0, German `zwo`), each with its value.
    pub spoken_digits: NumberedWords,
    /// Words that repeat the spoken digit after them (`double seven`), each with how often it then stands.
    pub digit_multipliers: NumberedWords,
    /// Writes the stem of a folded word into the buffer, replacing what was there; `None` if the language has no
    /// stemmer.
    pub stem: Option<fn(&str, &mut String)>,
}

/// What a language is written in. A word in other letters is none of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Latin letters, which fold to ASCII.
    Latin,
    /// Han characters, each a token of its own.
    Han,
}

impl Script {
    /// Whether a folded token that begins with `first` can be read by whoever reads the script: an ASCII character for
    /// Latin; for Han a digit, `〇`, or a character of U+3400–4DBF, U+4E00–9FFF, U+F900–FAFF, U+20000–3FFFF.
    pub const fn reads(self, first: char) -> bool {
        match self {
            Self::Latin => first.is_ascii(),
            Self::Han => matches!(
                first,
                '0'..='9'
                    | '〇'
                    | '\u{3400}'..='\u{4DBF}'
                    | '\u{4E00}'..='\u{9FFF}'
                    | '\u{F900}'..='\u{FAFF}'
                    | '\u{20000}'..='\u{3FFFF}'
            ),
        }
    }
}

/// The words and phrases of negation, in the tradition of NegEx and ConText. A cue that overlaps one of `not_cues`
/// negates nothing.
#[derive(Clone, Copy, Debug)]
pub struct Negation {
    /// What negates the words after it.
    pub cues: Words,
    /// Those of the cues that negate the words before them as well (German `nicht`).
    pub post_cues: Words,
    /// Phrases with a cue in them that does not negate what follows, such as `not only`.
    pub not_cues: Words,
    /// Single words that end the reach of a cue, such as `but`.
    pub stops: Words,
    /// Single words that end the reach of a cue towards the words before it, besides `stops` (German `und`).
    pub post_stops: Words,
    /// Whether a comma ends the reach of a cue, as any *break* gap then does: in Chinese it parts clauses.
    pub commas_stop: bool,
}

impl Language {
    /// Is the folded `word` a function word?
    pub fn is_function_word(&self, word: &str) -> bool {
        self.function_words.contains(word)
    }

    /// The words that other languages are told by and this one does not write, in no order, some more than once. None
    /// for a script of its own: there, what is foreign shows in its letters.
    pub fn foreign_words(&self) -> impl Iterator<Item = &'static str> {
        let others = TELLTALES.iter().filter(|other| self.script == Script::Latin && other.code != self.code);
        others.flat_map(|other| self.homographs.leave_out(self.function_words.leave_out(other.words.iter())))
    }

    /// Is the folded `word` an abbreviation, after which a full stop does not end the sentence?
    pub fn is_abbreviation(&self, word: &str) -> bool {
        self.abbreviations.contains(word)
    }

    /// How frequent the folded `word` is: the binary logarithm of its occurrences in a million words, rounded down.
    /// 0 for a word that is not frequent: the rarest word of a phrase is the one with the smallest class.
    pub fn frequency_class(&self, word: &str) -> u8 {
        self.frequency.get(word).unwrap_or(0)
    }
}

/// Every language there is, sorted by code.
pub static LANGUAGES: &[&Language] = &[&GERMAN, &ENGLISH, &SPANISH, &CHINESE];

/// The language of a code such as `en` or of a longer BCP 47 tag such as `en-GB`, in whatever case. `None` if the
/// engine does not know it.
pub fn find(code: &str) -> Option<&'static Language> {
    let primary = code.split('-').next().unwrap_or(code);
    LANGUAGES.iter().copied().find(|language| language.code.eq_ignore_ascii_case(primary))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does `phrase` contain the words of `part`, one after the other?
    fn contains(phrase: &str, part: &str) -> bool {
        format!(" {phrase} ").contains(&format!(" {part} "))
    }

    fn assert_sorted(name: &str, words: &[&str]) {
        for pair in words.windows(2) {
            assert!(pair[0] < pair[1], "{name}: `{}` before `{}`", pair[0], pair[1]);
        }
    }

    fn assert_folded(phrase: &str) {
        for word in phrase.split(' ') {
            assert!(!word.is_empty(), "`{phrase}` has one space between words and none around");
            let latin = word.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'');
            let han =
                word.chars().count() == 1 && word.chars().all(|c| !c.is_ascii() && Script::Han.reads(c));
            assert!(latin || han, "`{phrase}` is folded");
            assert_eq!(crate::text::fold::fold_to_lower(word), word);
            assert!(!word.starts_with('\'') && !word.ends_with('\''), "`{phrase}` has whole words");
        }
    }

    #[test]
    fn finds_a_language_by_code_and_by_tag() {
        assert_eq!(find("en").map(|l| l.code), Some("en"));
        assert_eq!(find("en-GB").map(|l| l.code), Some("en"));
        assert_eq!(find("EN-us").map(|l| l.code), Some("en"));
        for unknown in ["", "e", "eng", "en_GB", "xx", "-en", "english"] {
            assert!(find(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn lists_are_sorted_folded_and_free_of_repetitions() {
        for language in LANGUAGES {
            let lists = [
                ("function words", all(language.function_words), true),
                ("homographs", all(language.homographs), false),
                ("cues", all(language.negation.cues), true),
                ("post cues", all(language.negation.post_cues), false),
                ("not cues", all(language.negation.not_cues), true),
                ("stops", all(language.negation.stops), true),
                ("post stops", all(language.negation.post_stops), false),
                ("abbreviations", all(language.abbreviations), language.script == Script::Latin),
                (
                    "number_abbreviations",
                    all(language.number_abbreviations),
                    language.script == Script::Latin,
                ),
                ("frequency", first_of(language.frequency), true),
                ("spoken digits", first_of(language.spoken_digits), true),
                ("digit multipliers", first_of(language.digit_multipliers), false),
            ];
            for (name, words, needed) in lists {
                assert!(!needed || !words.is_empty(), "{} {name}", language.code);
                assert_sorted(&format!("{} {name}", language.code), &words);
                words.iter().for_each(|word| assert_folded(word));
            }
        }
    }

    fn all(words: Words) -> Vec<&'static str> {
        words.iter().collect()
    }

    fn first_of(words: NumberedWords) -> Vec<&'static str> {
        words.iter().map(|(word, _)| word).collect()
    }

    #[test]
    fn every_digit_can_be_spoken() {
        for language in LANGUAGES {
            for digit in 0..=9 {
                assert!(
                    language.spoken_digits.iter().any(|(_, value)| value == digit),
                    "{} {digit}",
                    language.code
                );
            }
            assert!(language.spoken_digits.iter().all(|(_, value)| value <= 9));
            assert!(language.digit_multipliers.iter().all(|(_, times)| times >= 2));
        }
    }

    #[test]
    fn what_negates_backwards_is_a_cue() {
        for language in LANGUAGES {
            let Negation { cues, post_cues, stops, post_stops, .. } = language.negation;
            assert!(post_cues.iter().all(|cue| cues.contains(cue)), "{}", language.code);
            assert!(post_stops.iter().all(|stop| !stops.contains(stop)), "{}", language.code);
        }
    }

    #[test]
    fn telltales_are_sorted_and_folded() {
        assert!(TELLTALES.windows(2).all(|pair| pair[0].code < pair[1].code));
        for Telltales { code, words } in TELLTALES {
            assert_sorted(code, &all(*words));
            words.iter().for_each(assert_folded);
            assert!(words.iter().all(|word| word.len() > 1 || word == "i"), "{code}");
        }
    }

    #[test]
    fn homographs_are_told_by_another_language() {
        for language in LANGUAGES {
            for word in language.homographs.iter() {
                let other = |t: &&Telltales| t.code != language.code && t.words.contains(word);
                assert!(TELLTALES.iter().any(|t| other(&t)), "{}: `{word}`", language.code);
                assert!(!language.is_function_word(word), "{}: `{word}` counts already", language.code);
            }
        }
    }

    #[test]
    fn foreign_words_tell_languages_apart() {
        let words = |text: &str, language: &Language| {
            let foreign: Vec<&str> = language.foreign_words().collect();
            text.split(' ').filter(|word| foreign.contains(word)).count()
        };
        for (text, own) in [
            ("the war is over and they want you to come with me", &ENGLISH),
            ("das war alles was ich so in der stadt gesehen habe", &GERMAN),
            ("no me digas que te vas a la casa de tus amigos", &SPANISH),
        ] {
            for language in LANGUAGES.iter().filter(|l| l.script == Script::Latin) {
                let found = words(text, language);
                assert!(
                    if language.code == own.code { found == 0 } else { found >= 3 },
                    "{text}: {}",
                    language.code
                );
            }
            assert_eq!(words(text, &CHINESE), 0);
        }
    }

    #[test]
    fn only_negation_cues_have_several_words() {
        for language in LANGUAGES {
            let single = [
                language.function_words,
                language.homographs,
                language.negation.stops,
                language.negation.post_stops,
                language.abbreviations,
            ];
            for word in single.into_iter().flat_map(Words::iter) {
                assert!(!word.contains(' '), "{word}");
            }
            assert!(language.frequency.iter().all(|(word, _)| !word.contains(' ')));
            assert!(language.abbreviations.iter().all(|word| word.len() > 1));
            assert!(language.number_abbreviations.iter().all(|word| word.len() > 1));
        }
    }

    #[test]
    fn every_not_cue_disarms_a_cue() {
        for language in LANGUAGES {
            let Negation { cues, not_cues, .. } = language.negation;
            for phrase in not_cues.iter() {
                assert!(cues.iter().any(|cue| contains(phrase, cue)), "`{phrase}` contains no cue");
                assert!(!cues.contains(phrase), "`{phrase}` is a cue as well");
            }
        }
    }

    #[test]
    fn no_cue_is_disarmed_by_a_phrase_inside_it() {
        for language in LANGUAGES {
            for cue in language.negation.cues.iter() {
                for phrase in language.negation.not_cues.iter() {
                    assert!(!contains(cue, phrase), "`{cue}` contains `{phrase}`");
                }
            }
        }
    }

    #[test]
    fn stops_are_no_cues() {
        for language in LANGUAGES {
            for stop in language.negation.stops.iter() {
                assert!(!language.negation.cues.contains(stop), "{stop}");
            }
        }
    }

    #[test]
    fn english_text_is_full_of_english_function_words() {
        let share = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            100 * words.iter().filter(|word| ENGLISH.is_function_word(word)).count() / words.len()
        };
        assert!(share("i think you should tell them what we have been through before it is too late") > 60);
        assert!(share("ich war in der stadt und habe an die alten zeiten gedacht so also das war es") < 10);
        assert!(share("no me gusta nada de lo que has visto a la salida del cine en la noche") < 10);
    }

    #[test]
    fn frequency_tells_the_frequent_from_the_rare() {
        assert_eq!(ENGLISH.frequency_class("the"), 15);
        assert!(ENGLISH.frequency_class("you") > ENGLISH.frequency_class("because"));
        assert!(ENGLISH.frequency_class("because") > ENGLISH.frequency_class("sorry"));
        assert_eq!(ENGLISH.frequency_class("unacceptable"), 0);
        assert!(ENGLISH.frequency.iter().all(|(_, class)| class > 0), "0 is for words not listed");
    }

    #[test]
    fn knows_abbreviations() {
        assert!(ENGLISH.is_abbreviation("mr") && ENGLISH.is_abbreviation("vs"));
        assert!(!ENGLISH.is_abbreviation("no") && !ENGLISH.is_abbreviation("etc"));
    }

    #[test]
    fn every_stemmer_replaces_what_the_buffer_held() {
        for language in LANGUAGES {
            if let Some(stem) = language.stem {
                let mut out = String::from("leftover");
                stem("", &mut out);
                assert_eq!(out, "");
            }
        }
    }
}
