use super::*;
use crate::language::ENGLISH;
use crate::text::fold::Folded;
use crate::text::vocabulary;
use proptest::prelude::*;

/// All steps, with a vocabulary.
struct Steps(Unfolding, Vocabulary);

impl Steps {
    fn unfold(&self, folded: &str) -> Option<Unfolded> {
        self.0.unfold(folded, &self.1)
    }
}

/// Undoes everything; `freee`, `zoom` and what the language knows are known words. The vocabulary has `wzz`, which no pattern names.
fn everything() -> Steps {
    let steps = Unfold::NAMES.iter().filter_map(|name| Unfold::from_name(name)).collect();
    let (mut words, mut named) = (vocabulary::Builder::default(), WordSet::default());
    words.number("wzz");
    for word in ["freee", "a", "zoom", "b", "bzz"] {
        named.insert(words.number(word));
    }
    Steps(Unfolding::new(steps, Some(&ENGLISH), named), words.build())
}

/// What `original` unfolds to, and the original text of each of these parts of it.
fn unfolded(original: &str, parts: &[&str]) -> (String, Vec<String>) {
    let folded = Folded::new(original);
    let unfolded = everything().unfold(folded.text()).expect("something to undo");
    let sources = parts.iter().map(|part| {
        let start = unfolded.text().find(part).expect("a part of the unfolded text");
        let range = unfolded.folded_range(start..start + part.len());
        original[folded.original_range(range.start, range.end)].to_owned()
    });
    (unfolded.text().to_owned(), sources.collect())
}

#[test]
fn every_step_knows_where_it_was() {
    for (original, expected, parts) in [
        ("é ridicul0us!", "e ridiculous!", [("ridiculous", "ridicul0us"), ("o", "0"), ("us", "us")]),
        ("“sooooo” seeee", "\"so\" see", [("so", "sooooo"), ("see", "seeee"), ("e", "e")]),
        (
            "1, c\u{a0}a n n o t go",
            "1, cannot go",
            [("cannot", "c\u{a0}a n n o t"), ("o", "o"), ("go", "go")],
        ),
        ("my раypal £", "my paypal £", [("paypal", "раypal"), ("pay", "раy"), ("£", "£")]),
        ("at double seven one", "at 771", [("77", "double seven"), ("7", "double"), ("71", "seven one")]),
    ] {
        let (wanted, sources): (Vec<&str>, Vec<&str>) = parts.into_iter().unzip();
        assert_eq!(
            unfolded(original, &wanted),
            (expected.to_owned(), sources.into_iter().map(str::to_owned).collect())
        );
    }
}

#[test]
fn steps_work_on_what_the_steps_before_made() {
    // Zero-width characters are gone before, look-alikes are letters for leet, leet gives rows of one letter, letters make
    // a word, the word is a digit.
    let (text, found) = unfolded("о\u{200b}h, f0uuur s i х 1", &["0461"]);
    assert_eq!((text.as_str(), found), ("0461", vec!["о\u{200b}h, f0uuur s i х 1".to_owned()]));
    let (text, found) = unfolded("f ʀ 3 e", &["free"; 0]);
    assert_eq!((text.as_str(), found.len()), ("f r 3 e", 0));
}

#[test]
fn words_of_every_pattern_are_known() {
    let unfolding = everything();
    for (text, expected) in [("freeee", "free"), ("zooooom", "zoom"), ("bzzzz", "bzz"), ("wzzzz", "wz")] {
        assert_eq!(unfolding.unfold(text).expect("a row").text(), expected);
    }
}

#[test]
fn plain_text_unfolds_to_nothing() {
    for text in ["", "Plain text of 2 lines,\nwith 3.5 numbers!", "中文", "привет 👍🏽"] {
        assert!(everything().unfold(Folded::new(text).text()).is_none(), "{text}");
    }
}

#[test]
fn long_rows_take_time_in_proportion_to_their_length() {
    let steps = everything();
    for part in ["a ", "1", "so", "x", "xxxy", "one ", "a.b c ", "1 one", "п", "р", "double ", "a1!"] {
        let text = part.repeat(1_000_000 / part.len());
        if let Some(unfolded) = steps.unfold(&text) {
            let all = unfolded.folded_range(0..unfolded.text().len());
            assert!(all.end <= text.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn places_are_in_order_and_on_characters(
        parts in prop::collection::vec(
            "[a-z]{1,4}|[ .'!,_*-]|[0-9]{1,3}|aaaa|x x x|one |double |[арвжо]{1,3}|[é½ﬁ中👍\\u{200b}\\u{301}$@|]|SoOOO",
            0..24,
        ),
    ) {
        let original = parts.concat();
        let folded = Folded::new(&original);
        if let Some(unfolded) = everything().unfold(folded.text()) {
            let (mut last, mut covered) = (0..0, 0);
            for (at, c) in unfolded.text().char_indices() {
                let here = unfolded.folded_range(at..at + c.len_utf8());
                prop_assert!(!here.is_empty());
                prop_assert!(here == last || here.start >= last.end, "{here:?} after {last:?}");
                prop_assert!(folded.text().get(here.clone()).is_some());
                if !c.is_ascii() {
                    prop_assert_eq!(&folded.text()[here.clone()], &unfolded.text()[at..at + c.len_utf8()]);
                }
                let from_start = unfolded.folded_range(0..at + c.len_utf8());
                prop_assert_eq!(from_start.end, here.end);
                covered += here.len();
                last = here;
            }
            prop_assert!(covered > 0 || unfolded.text().is_empty());
        }
    }
}
