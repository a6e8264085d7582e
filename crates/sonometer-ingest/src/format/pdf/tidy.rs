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
        '\u{590}'..='\u{8ff}' if !('\u{660}'..='\u{669}').contains(&c) => Way::Left,
        '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' => Way::Left,
        c if c.is_alphanumeric() => Way::Right,
        _ => Way::Neutral,
    }
}

fn way_of(word: &str) -> Way {
    word.chars().map(way).find(|way| *way != Way::Neutral).unwrap_or(Way::Neutral)
}

/// The line of words that stand from left to right as they are seen, in the order in which they are read.
pub(super) fn ordered(words: &[String]) -> String {
    let ways: Vec<Way> = words.iter().map(|word| way_of(word)).collect();
    let count = |wanted: Way| ways.iter().filter(|way| **way == wanted).count();
    let (left, right) = (count(Way::Left), count(Way::Right));
    if left == 0 {
        return words.join(" ");
    }
    let turned: Vec<(String, Way)> = words
        .iter()
        .zip(&ways)
        .map(|(word, way)| match way {
            Way::Left => (word.chars().rev().map(mirrored).collect(), *way),
            _ => (word.clone(), *way),
        })
        .collect();
    // A line is read in the direction of most of its words; stretches of the other kind keep theirs.
    let line_way = if left >= right { Way::Left } else { Way::Right };
    let mut order: Vec<&(String, Way)> = turned.iter().collect();
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
    }
}
