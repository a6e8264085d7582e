//! Section 1, classes: occurrences as ranges of folded characters.
//!
//! The smaller grammars are written again here, from the words at the head of the files of `sonometer::class`, as
//! questions about a whole stretch of text; the larger ones (money, dates, phones, web addresses, account numbers, and
//! postal codes, which give way to those) still ask the shared detectors, and so do protocols in another language than English.

mod grammar;
mod text;

use grammar::fits;
use sonometer::class::{self, Class, ClassSet, Occurrence, Vocabulary};
use std::ops::Range;
use text::Text;

/// The occurrences of a class.
pub(crate) fn occurrences(text: &[char], class: Class, words: Vocabulary) -> Vec<Range<usize>> {
    match words {
        Vocabulary::None | Vocabulary::English if grammar::is_written(class) => {
            longest_fits(text, class, words == Vocabulary::English)
        }
        _ => shared(text, class, words),
    }
}

/// The right shapes with wrong check digits.
pub(crate) fn near_misses(text: &[char], class: Class) -> Vec<Range<usize>> {
    if class == Class::Pan {
        return pan_near_misses(text);
    }
    in_chars(text, |text, out| class::find_near(text, ClassSet::of(&[class]), out))
}

/// From left to right: at the first position where the grammar fits, the longest fit; on at its end.
fn longest_fits(text: &[char], class: Class, english: bool) -> Vec<Range<usize>> {
    let text = Text::new(text, english);
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match longest(&text, class, at, |range| fits(&text, class, range)) {
            Some(end) => {
                found.push(at..end);
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// The end of the longest stretch from `at` on, between edges, that fits. An e-mail address is the longest there is; of
/// number words, 340 characters are a long run.
fn longest(text: &Text<'_>, class: Class, at: usize, fits: impl Fn(Range<usize>) -> bool) -> Option<usize> {
    if !text.is_edge(at) || !grammar::may_begin(text, class, at) {
        return None;
    }
    let ends = (at + 1..=text.len().min(at + 340)).rev();
    ends.filter(|end| text.is_edge(*end)).find(|end| fits(at..*end))
}

/// Reading from left to right, an occurrence is passed over; where the longest shape with a wrong checksum overlaps no
/// later occurrence, it is a near miss; where it does, the position has none.
fn pan_near_misses(text: &[char]) -> Vec<Range<usize>> {
    let occurrences = longest_fits(text, Class::Pan, false);
    let text = Text::new(text, false);
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if let Some(occurrence) = occurrences.iter().find(|o| o.start == at) {
            at = occurrence.end;
            continue;
        }
        match longest(&text, Class::Pan, at, |range| grammar::is_pan(&text, range, false)) {
            Some(end) if occurrences.iter().all(|o| o.end <= at || end <= o.start) => {
                found.push(at..end);
                at = end;
            }
            _ => at += 1,
        }
    }
    found
}

fn shared(text: &[char], class: Class, words: Vocabulary) -> Vec<Range<usize>> {
    in_chars(text, |text, out| class::find(text, ClassSet::of(&[class]), words, out))
}

fn in_chars(text: &[char], find: impl Fn(&str, &mut Vec<Occurrence>)) -> Vec<Range<usize>> {
    let string: String = text.iter().collect();
    let chars_before = |byte: u32| string[..byte as usize].chars().count();
    let mut out = Vec::new();
    find(&string, &mut out);
    out.iter().map(|o| chars_before(o.start)..chars_before(o.end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WRITTEN: [Class; 9] = [
        Class::Number,
        Class::Percent,
        Class::Ordinal,
        Class::Time,
        Class::Year,
        Class::Email,
        Class::Ip,
        Class::Ssn,
        Class::Pan,
    ];

    fn agree(text: &str, english: bool) -> Result<(), TestCaseError> {
        let words = if english { Vocabulary::English } else { Vocabulary::None };
        let text: Vec<char> = text.chars().collect();
        for class in WRITTEN {
            let found = occurrences(&text, class, words);
            prop_assert_eq!(found, shared(&text, class, words), "{:?}", class);
        }
        let theirs = in_chars(&text, |text, out| class::find_near(text, ClassSet::of(&[Class::Pan]), out));
        prop_assert_eq!(near_misses(&text, Class::Pan), theirs);
        Ok(())
    }

    /// An occurrence, or nearly one: up to two of its characters are taken out, put in or changed.
    fn nearly() -> impl Strategy<Value = String> {
        let right = prop::sample::select(vec![
            "4111 1111 1111 1111",
            "4111-1111-1111-1112",
            "378282246310005",
            "3782 822463 10005",
            "5105105105105100",
            "6011 1111 1111 1117",
            "4222222222222",
            "3056 930902 5904",
            "123-45-6789",
            "123 45 6789",
            "10.0.0.1",
            "255.255.255.255",
            "fe80::1",
            "::ffff:10.0.0.1",
            "2001:db8:0:1:1:1:1:1",
            "a.b@example.com",
            "x_y+z@a-b.co.uk",
            "o'neil@mail.example.org",
            "12:30",
            "23:59:59",
            "3pm",
            "3:05 p.m.",
            "12 am",
            "2021",
            "1999-2004",
            "1st",
            "11th",
            "1,002nd",
            "twentieth",
            "twenty-first",
            "second",
            "split second",
            "5 percent",
            "7.5 %",
            "ten per cent",
            "two hundred and five",
            "five thousand and hundred",
            "3.5 million",
            "1,000",
            "5 hundred and six",
        ]);
        let change = (
            any::<prop::sample::Index>(),
            0..3_u8,
            prop::sample::select("0159.,:;-_ @'%#$/+axé日".chars().collect::<Vec<_>>()),
        );
        (right, prop::collection::vec(change, 0..=2)).prop_map(|(right, changes)| {
            let mut chars: Vec<char> = right.chars().collect();
            for (place, kind, c) in changes {
                let at = place.index(chars.len());
                match kind {
                    0 if chars.len() > 1 => drop(chars.remove(at)),
                    1 => chars.insert(at, c),
                    _ => chars[at] = c,
                }
            }
            chars.into_iter().collect()
        })
    }

    fn fragments() -> impl Strategy<Value = String> {
        let between = prop::sample::select(vec![
            " ", " ", "", ", ", ". ", "-", " and ", ":", "/", ".", "\n", "(", "#", "5", "a ",
        ]);
        prop::collection::vec((nearly(), between), 1..4)
            .prop_map(|parts| parts.into_iter().map(|(part, between)| part + between).collect())
    }

    /// The fragments are worth something only if they make occurrences of every class.
    #[test]
    fn fragments_make_occurrences() {
        use proptest::strategy::ValueTree;
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let mut counts = WRITTEN.map(|class| (class, 0));
        for _ in 0..500 {
            let text: Vec<char> =
                fragments().new_tree(&mut runner).expect("a text").current().chars().collect();
            for (class, count) in &mut counts {
                *count += shared(&text, *class, Vocabulary::English).len();
            }
        }
        assert!(counts.iter().all(|(_, count)| *count >= 5), "{counts:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn agree_on_fragments(text in fragments(), english in any::<bool>()) {
            agree(&text, english)?;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn agree_on_texts(text in crate::generate::content(), english in any::<bool>()) {
            agree(&text, english)?;
        }
    }
}
