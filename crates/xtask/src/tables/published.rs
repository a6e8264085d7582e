//! The tables of the engine as plain files, for whoever writes another engine from the page: `crates/sonometer/docs/tables`
//! and the page of the classes.

use super::grammar;
use sonometer::class::lists;
use sonometer::language::{LANGUAGES, Language, Script, TELLTALES};
use sonometer::text::chars::{self, Class};
use sonometer::text::fold::Folded;
use sonometer::text::unfold::CONFUSABLES;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Each file with its text.
pub(super) fn files() -> Result<Vec<(PathBuf, String)>, String> {
    let docs: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "sonometer", "docs"].iter().collect();
    let tables = docs.join("tables");
    let table = |name: &str, text: String| (tables.join(name), text);
    Ok(vec![
        (docs.join("classes.md"), grammar::page(Path::new(env!("CARGO_MANIFEST_DIR")))?),
        table("characters.tsv", characters()),
        table("folds.tsv", folds()),
        table("confusables.tsv", confusables()),
        table("languages.tsv", languages()),
        table("words.tsv", words()),
        table("frequency.tsv", frequency()),
        table("telltales.tsv", telltales()),
        table("stems.tsv", stems()),
        table("class-words.tsv", class_words()),
        table("iban.tsv", ibans()),
    ])
}

/// What is alike in a stretch of characters.
fn properties(c: char) -> String {
    let class = match chars::class(c) {
        Class::Word => "Word",
        Class::Ideograph => "Ideograph",
        Class::Mark => "Mark",
        Class::Symbol => "Symbol",
        Class::Ignorable => "Ignorable",
        Class::Modifier => "Modifier",
        Class::Space => "Space",
        Class::Separator => "Separator",
    };
    let yes = |is: bool, name| if is { name } else { "-" };
    let (capital, letter) = (yes(chars::is_upper(c), "capital"), yes(chars::is_letter(c), "letter"));
    let extends = yes(chars::is_extender(c), "extends");
    format!("{class}\t{capital}\t{letter}\t{extends}\t{}", chars::combining_class(c))
}

fn characters() -> String {
    let mut text = "first\tlast\tclass\tcapital\tletter\textends\tcombining\n".to_owned();
    for (first, last, properties) in stretches(properties) {
        let _ = writeln!(text, "{first:04X}\t{last:04X}\t{properties}");
    }
    text
}

/// The longest rows of characters of which `of` says the same.
fn stretches(of: impl Fn(char) -> String) -> Vec<(u32, u32, String)> {
    let mut stretches: Vec<(u32, u32, String)> = Vec::new();
    for c in '\0'..=char::MAX {
        let (code, said) = (u32::from(c), of(c));
        match stretches.last_mut() {
            Some((_, last, same)) if *same == said && *last + 1 == code => *last = code,
            _ => stretches.push((code, code, said)),
        }
    }
    stretches
}

/// The fold of every character that is not its own, out of context.
fn folds() -> String {
    let fold = |c: char| {
        let mut utf8 = [0; 4];
        let text = &*c.encode_utf8(&mut utf8);
        let folded = Folded::new(text);
        match folded.text() {
            same if same == text => "=".to_owned(),
            "" => "-".to_owned(),
            other => {
                let codes: Vec<String> = other.chars().map(|c| format!("{:04X}", u32::from(c))).collect();
                codes.join(" ")
            }
        }
    };
    let mut text = "first\tlast\tfold\n".to_owned();
    for (first, last, fold) in stretches(fold).iter().filter(|(.., fold)| fold != "=") {
        let _ = writeln!(text, "{first:04X}\t{last:04X}\t{fold}");
    }
    text
}

fn confusables() -> String {
    let mut text = "character\tcode\tletter\n".to_owned();
    for &(character, letter) in CONFUSABLES {
        let _ = writeln!(text, "{character}\t{:04X}\t{}", u32::from(character), char::from(letter));
    }
    text
}

fn languages() -> String {
    let mut text = "code\tversion\tscript\tstemmer\tcommas_stop\n".to_owned();
    for language in LANGUAGES {
        let Language { code, version, negation, stem, .. } = language;
        let script = match language.script {
            Script::Latin => "Latin",
            Script::Han => "Han",
        };
        let yes = |is| if is { "yes" } else { "no" };
        let (stemmer, commas_stop) = (yes(stem.is_some()), yes(negation.commas_stop));
        let _ = writeln!(text, "{code}\t{version}\t{script}\t{stemmer}\t{commas_stop}");
    }
    text
}

fn words() -> String {
    let mut text = "language\tlist\twords\tvalue\n".to_owned();
    for language in LANGUAGES {
        let negation = &language.negation;
        for (list, words) in [
            ("function_words", language.function_words),
            ("homographs", language.homographs),
            ("cues", negation.cues),
            ("post_cues", negation.post_cues),
            ("not_cues", negation.not_cues),
            ("stops", negation.stops),
            ("post_stops", negation.post_stops),
            ("abbreviations", language.abbreviations),
            ("number_abbreviations", language.number_abbreviations),
        ] {
            for words in words.iter() {
                let _ = writeln!(text, "{}\t{list}\t{words}\t", language.code);
            }
        }
        for (list, words) in
            [("spoken_digits", language.spoken_digits), ("digit_multipliers", language.digit_multipliers)]
        {
            for (word, value) in words.iter() {
                let _ = writeln!(text, "{}\t{list}\t{word}\t{value}", language.code);
            }
        }
    }
    text
}

fn frequency() -> String {
    let mut text = "language\tword\tclass\n".to_owned();
    for language in LANGUAGES {
        for (word, class) in language.frequency.iter() {
            let _ = writeln!(text, "{}\t{word}\t{class}", language.code);
        }
    }
    text
}

fn telltales() -> String {
    let mut text = "language\tword\n".to_owned();
    for told in TELLTALES {
        for word in told.words.iter() {
            let _ = writeln!(text, "{}\t{word}", told.code);
        }
    }
    text
}

/// What a frequent word is lengthened by, so that the pairs reach every rule of a stemmer. Many a word that comes of it is
/// none; a stemmer does not know that.
fn endings(language: &str) -> &'static [&'static str] {
    match language {
        "de" => &[
            "e", "en", "ern", "er", "em", "es", "s", "st", "est", "sten", "ung", "ungen", "lich", "liche",
            "keit", "heiten", "igkeit", "ig", "isch", "end", "niss", "nisse", "lichkeit", "igung", "ik",
            "bauen",
        ],
        "en" => &[
            "s", "es", "ed", "ing", "ly", "edly", "'s", "ness", "ful", "fulness", "ation", "ational", "ize",
            "ization", "able", "ibility", "ment", "er", "est", "ive", "iveness", "ousness", "ality", "ical",
            "ies", "ied", "ying", "logies", "sses", "y", "eed", "ll", "ance", "ion", "ism",
        ],
        "es" => &[
            "s",
            "os",
            "as",
            "ando",
            "iendo",
            "arlo",
            "amente",
            "mente",
            "acion",
            "aciones",
            "idad",
            "ivo",
            "ista",
            "aba",
            "aron",
            "ieron",
            "yendo",
            "uyen",
            "encia",
            "logia",
            "icos",
            "able",
            "ablemente",
            "ismo",
            "io",
            "eis",
            "gue",
            "adora",
            "ucion",
            "anza",
            "iria",
        ],
        _ => &[],
    }
}

/// Every frequent word, and with four endings each in turn, with its stem.
fn stems() -> String {
    let mut text = "language\tword\tstem\n".to_owned();
    let mut stemmed = String::new();
    for language in LANGUAGES {
        let (Some(stem), endings) = (language.stem, endings(language.code)) else { continue };
        let mut next = endings.iter().cycle();
        for (word, _) in language.frequency.iter() {
            for ending in std::iter::once(&"").chain(next.by_ref().take(4)) {
                let word = format!("{word}{ending}");
                stem(&word, &mut stemmed);
                let _ = writeln!(text, "{}\t{word}\t{stemmed}", language.code);
            }
        }
    }
    text
}

fn class_words() -> String {
    let mut text = "language\tlist\tword\tvalue\n".to_owned();
    for list in lists::words() {
        for word in list.words {
            let (word, value) = word.split_once(' ').unwrap_or((&word, ""));
            let language = if list.language.is_empty() { "-" } else { list.language };
            let _ = writeln!(text, "{language}\t{}\t{word}\t{value}", list.name);
        }
    }
    text
}

fn ibans() -> String {
    let mut text = "country\tstructure\n".to_owned();
    for (country, structure) in lists::ibans() {
        let _ = writeln!(text, "{country}\t{structure}");
    }
    text
}
