//! What the print of a page did to the text, undone: joined letters, the order of scripts from right to left, edges of pages.

use super::Page;
use std::collections::BTreeMap;
use unicode_normalization::char::decompose_compatible;

/// A word without letters that were joined for print (`ﬁ`, Arabic forms), and without signs that are not seen.
pub(super) fn plain(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '\u{fb00}'..='\u{fb06}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' => {
                decompose_compatible(c, |c| out.push(c))
            }
            '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}' => {}
            // The bullet of symbol fonts.
            '\u{f0b7}' => out.push('•'),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Left,
    Right,
    Neutral,
}

fn way(c: char) -> Way {
    match c {
        c if is_digit(c) => Way::Right,
        '\u{590}'..='\u{8ff}' => Way::Left,
        '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' => Way::Left,
        c if c.is_alphanumeric() => Way::Right,
        _ => Way::Neutral,
    }
}

/// Digits are read from left to right in every script, those of Arabic and Persian too.
fn is_digit(c: char) -> bool {
    matches!(c, '0'..='9' | '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}')
}

fn way_of(word: &str) -> Way {
    let of = |wanted: fn(char) -> bool| {
        word.chars().filter(|c| wanted(*c)).map(way).find(|way| *way != Way::Neutral)
    };
    // A number goes with the letters that it stands with.
    of(|c| !is_digit(c)).or_else(|| of(is_digit)).unwrap_or(Way::Neutral)
}

/// Whether a word is read from right to left.
pub(super) fn is_from_right(word: &str) -> bool {
    way_of(word) == Way::Left
}

/// Whether two words that touch are read in one way, so that they may be one.
pub(super) fn fits(word: &str, next: &str) -> bool {
    let (one, other) = (way_of(word), way_of(next));
    one == other || one == Way::Neutral || other == Way::Neutral
}

/// Letters of scripts that have no spaces.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..)
}

/// The letters of a word as they are seen from left to right, in the order in which they are read, and the other way round.
pub(super) fn turned(word: &str) -> String {
    let letters: Vec<char> = word.chars().rev().map(mirrored).collect();
    let mut out = String::with_capacity(word.len());
    let mut rest = &letters[..];
    while let Some(first) = rest.iter().position(|c| is_digit(*c)) {
        let (before, number) = rest.split_at(first);
        // A number keeps its order, with what stands between its digits.
        let mut length = 1;
        while number.get(length).is_some_and(|c| is_digit(*c))
            || number.get(length).is_some_and(|c| is_within_number(*c))
                && number.get(length + 1).is_some_and(|c| is_digit(*c))
        {
            length += 1;
        }
        out.extend(before);
        out.extend(number[..length].iter().rev());
        rest = &number[length..];
    }
    out.extend(rest);
    out
}

fn is_within_number(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | '/' | '\u{66b}' | '\u{66c}')
}

/// The line of words that stand from left to right as they are seen, in the order in which they are read. Joined letters are
/// taken apart only then: apart, the pair lam-alef would be turned too.
pub(super) fn ordered(words: &[String]) -> String {
    plain(&in_order(words))
}

fn in_order(words: &[String]) -> String {
    let ways: Vec<Way> = words.iter().map(|word| way_of(word)).collect();
    let count = |wanted: Way| ways.iter().filter(|way| **way == wanted).count();
    let (left, right) = (count(Way::Left), count(Way::Right));
    if left == 0 {
        return words.join(" ");
    }
    let as_read: Vec<(String, Way)> = words
        .iter()
        .zip(&ways)
        .map(|(word, way)| match way {
            Way::Left => (turned(word), *way),
            _ => (word.clone(), *way),
        })
        .collect();
    // A line is read in the direction of most of its words; stretches of the other kind keep theirs.
    let line_way = if left >= right { Way::Left } else { Way::Right };
    let mut order: Vec<&(String, Way)> = as_read.iter().collect();
    if line_way == Way::Left {
        order.reverse();
    }
    let other = if line_way == Way::Left { Way::Right } else { Way::Left };
    let mut out: Vec<&(String, Way)> = Vec::with_capacity(order.len());
    for run in order.chunk_by(|a, b| (a.1 == other) == (b.1 == other)) {
        if run[0].1 == other { out.extend(run.iter().rev()) } else { out.extend(run) }
    }
    let mut line = String::new();
    for (word, _) in out {
        // A full stop is a word of its own at the end of such lines.
        let is_sign = word.chars().all(|c| matches!(c, '.' | ',' | '،' | '؛' | '؟' | '!' | '?' | ':' | ';'));
        if !line.is_empty() && !is_sign {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

fn mirrored(c: char) -> char {
    match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '«' => '»',
        '»' => '«',
        c => c,
    }
}

/// Takes away what stands at the upper and lower edge of at least three pages and most of them, numbers aside; how many lines.
pub(super) fn drop_repeated(pages: &mut [Page]) -> usize {
    let mut seen: BTreeMap<(bool, String), usize> = BTreeMap::new();
    for page in pages.iter() {
        let mut own: Vec<(bool, String)> = edges(page).into_iter().map(|(_, key)| key).collect();
        own.sort();
        own.dedup();
        for key in own {
            *seen.entry(key).or_default() += 1;
        }
    }
    let with_text = pages.iter().filter(|page| !page.lines.is_empty()).count();
    // Even and odd pages may differ.
    let is_repeated =
        |key: &(bool, String)| seen.get(key).is_some_and(|count| *count >= 3 && count * 5 >= with_text * 2);
    let mut dropped = 0;
    for page in pages.iter_mut() {
        let mut gone: Vec<usize> =
            edges(page).into_iter().filter(|(_, key)| is_repeated(key)).map(|(at, _)| at).collect();
        gone.sort_unstable();
        // A box that stands on its head is at both edges.
        gone.dedup();
        for at in gone.into_iter().rev() {
            page.lines.remove(at);
            dropped += 1;
        }
    }
    dropped
}

/// The lines in the upper and lower tenth of a page, at most two of each, with what they say but for numbers.
fn edges(page: &Page) -> Vec<(usize, (bool, String))> {
    let at_edge = |wants_top: bool| {
        let lines = page.lines.iter().enumerate().filter(move |(_, line)| match wants_top {
            true => line.bottom < page.height * 0.1,
            false => line.top > page.height * 0.9,
        });
        let mut lines: Vec<_> = lines.collect();
        lines.sort_by(
            |(_, a), (_, b)| if wants_top { a.top.total_cmp(&b.top) } else { b.top.total_cmp(&a.top) },
        );
        lines.truncate(2);
        lines
            .into_iter()
            .map(move |(at, line)| (at, (wants_top, without_numbers(&line.text))))
            .collect::<Vec<_>>()
    };
    [at_edge(true), at_edge(false)].concat()
}

fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c.is_numeric() && out.ends_with('#') => {}
            c if c.is_numeric() => out.push('#'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_were_joined_are_several() {
        assert_eq!(plain("eﬃcient oﬀ"), "efficient off");
        assert_eq!(plain("ﻻ\u{200f}"), "لا");
    }

    #[test]
    fn lines_from_right_to_left_are_read_so() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(ordered(&words(". 12 مويلا اركش")), "شكرا اليوم 12.");
        assert_eq!(ordered(&words("one תחא two three")), "one אחת two three");
        assert_eq!(ordered(&words("םולש two three םולש")), "שלום two three שלום");
        assert_eq!(ordered(&words("plain words.")), "plain words.");
        // Lam-alef as one letter; digits of Persian, alone and with letters; a mark that belongs to its letter.
        assert_eq!(ordered(&words("ﮏﺗﻻ ۱۳۳ ﻪﺤﻔﺻ")), "صفحه ۱۳۳ لاتک");
        assert_eq!(ordered(&words("(۱۲.۵ﻞﮑﺷ")), "شکل۱۲.۵)");
        assert_eq!(ordered(&words("ﮤﺘﺴﺑ")), "بست\u{6d5}\u{654}");
    }
}
