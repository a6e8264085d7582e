//! What the tests of all classes share.

use super::{Class, ClassSet, Vocabulary, find};

/// The texts of the occurrences of one class, with English words.
pub(super) fn texts(class: Class, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    find(text, ClassSet::of(&[class]), Vocabulary::English, &mut found);
    found.iter().map(|one| text[one.start as usize..one.end as usize].to_owned()).collect()
}

/// Checks what is found of one class in texts of another language.
pub(super) fn check_words(class: Class, words: Vocabulary, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        let mut found = Vec::new();
        find(text, ClassSet::of(&[class]), words, &mut found);
        let found: Vec<&str> = found.iter().map(|one| &text[one.start as usize..one.end as usize]).collect();
        assert_eq!(found, *expected, "{text:?}");
    }
}

/// Checks what is found of one class in each text, and that asking for every class finds the same.
pub(super) fn check(class: Class, cases: &[(&str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| {
            let got = texts(class, text);
            let mut all = Vec::new();
            find(text, ClassSet::ALL, Vocabulary::English, &mut all);
            let all: Vec<_> = all.iter().filter(|one| one.class == class).collect();
            let same = all.len() == got.len()
                && all.iter().zip(&got).all(|(one, got)| text[one.start as usize..one.end as usize] == **got);
            (got != *expected || !same).then(|| format!("{text:?}: {got:?}, not {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{class:?}\n{}", wrong.join("\n"));
}
