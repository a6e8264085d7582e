//! The published tables, read as their page says, hold what the engine goes by.

use sonometer::class::lists;
use sonometer::language::{LANGUAGES, TELLTALES, Words};
use sonometer::text::chars::{self, Class};
use sonometer::text::fold::Folded;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn docs() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "sonometer", "docs"].iter().collect()
}

/// The rows of a table, below its head.
fn rows(name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(docs().join("tables").join(name)).expect("is there");
    let mut lines = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let columns = lines.next().expect("has a head").len();
    let rows: Vec<_> = lines.collect();
    assert!(rows.iter().all(|row| row.len() == columns), "{name}: as many columns everywhere");
    rows
}

fn code(text: &str) -> u32 {
    u32::from_str_radix(text, 16).expect("is a code point")
}

fn character(text: &str) -> char {
    char::from_u32(code(text)).expect("is a character")
}

#[test]
fn every_character_has_its_properties() {
    let mut next = 0;
    for row in rows("characters.tsv") {
        let (first, last) = (code(&row[0]), code(&row[1]));
        // Between D800 and DFFF there are no characters.
        assert!(first == next || (next, first) == (0xD800, 0xE000), "no hole before {first:04X}");
        next = last + 1;
        for c in (first..=last).map(|code| char::from_u32(code).expect("is a character")) {
            let class = match row[2].as_str() {
                "Word" => Class::Word,
                "Ideograph" => Class::Ideograph,
                "Mark" => Class::Mark,
                "Symbol" => Class::Symbol,
                "Ignorable" => Class::Ignorable,
                "Modifier" => Class::Modifier,
                "Space" => Class::Space,
                "Separator" => Class::Separator,
                other => panic!("unknown class {other}"),
            };
            assert_eq!(chars::class(c), class, "{c:?}");
            assert_eq!(chars::is_upper(c), row[3] == "capital", "{c:?}");
            assert_eq!(chars::is_letter(c), row[4] == "letter", "{c:?}");
            assert_eq!(chars::is_extender(c), row[5] == "extends", "{c:?}");
            assert_eq!(chars::combining_class(c).to_string(), row[6], "{c:?}");
        }
    }
    assert_eq!(next, u32::from(char::MAX) + 1);
}

#[test]
fn every_fold_is_listed() {
    let mut listed = BTreeSet::new();
    for row in rows("folds.tsv") {
        let fold: String = match row[2].as_str() {
            "-" => String::new(),
            codes => codes.split(' ').map(character).collect(),
        };
        for code in code(&row[0])..=code(&row[1]) {
            let c = char::from_u32(code).expect("is a character");
            assert_eq!(Folded::new(&c.to_string()).text(), fold, "{c:?}");
            listed.insert(c);
        }
    }
    let others = ('\0'..=char::MAX).filter(|c| !listed.contains(c));
    for c in others {
        assert_eq!(Folded::new(&c.to_string()).text(), c.to_string(), "{c:?}");
    }
}

#[test]
fn stems_are_those_of_the_stemmers() {
    let mut pairs = 0;
    for row in rows("stems.tsv") {
        let language = LANGUAGES.iter().find(|language| language.code == row[0]).expect("is a language");
        let mut stem = String::new();
        language.stem.expect("has a stemmer")(&row[1], &mut stem);
        assert_eq!(stem, row[2], "{row:?}");
        pairs += 1;
    }
    assert!(pairs > 5000, "{pairs}");
}

#[test]
fn every_list_of_a_language_is_there() {
    let words = rows("words.tsv");
    let have = |language: &str, list: &str| -> Vec<&str> {
        let rows = words.iter().filter(|row| row[0] == language && row[1] == list);
        rows.map(|row| row[2].as_str()).collect()
    };
    let all = |words: Words| words.iter().collect::<Vec<_>>();
    for language in LANGUAGES {
        assert_eq!(have(language.code, "function_words"), all(language.function_words));
        assert_eq!(have(language.code, "homographs"), all(language.homographs));
        assert_eq!(have(language.code, "cues"), all(language.negation.cues));
        assert_eq!(have(language.code, "post_stops"), all(language.negation.post_stops));
        assert_eq!(have(language.code, "number_abbreviations"), all(language.number_abbreviations));
        let frequent = rows("frequency.tsv").iter().filter(|row| row[0] == language.code).count();
        assert_eq!(frequent, language.frequency.iter().count());
    }
    let told: usize = TELLTALES.iter().map(|told| told.words.iter().count()).sum();
    assert_eq!(rows("telltales.tsv").len(), told);
    let listed: usize = lists::words().iter().map(|list| list.words.len()).sum();
    assert_eq!(rows("class-words.tsv").len(), listed);
}

#[test]
fn the_tables_are_described_and_small() {
    let folder = docs().join("tables");
    let page = fs::read_to_string(folder.join("README.md")).expect("is there");
    let mut bytes = 0;
    for file in fs::read_dir(&folder).expect("is there") {
        let file = file.expect("can be read");
        let name = file.file_name().into_string().expect("is UTF-8");
        bytes += file.metadata().expect("is there").len();
        if !name.ends_with(".tsv") {
            continue;
        }
        assert!(page.contains(&format!("`{name}`")), "README.md describes {name}");
        let text = fs::read_to_string(file.path()).expect("is UTF-8");
        for column in text.lines().next().expect("has a head").split('\t') {
            let section = page.split(&format!("`{name}`")).nth(1).expect("has a section");
            assert!(section.contains(&format!("`{column}`")), "README.md describes {column} of {name}");
        }
    }
    assert!(bytes < 1_000_000, "{bytes}");
}
