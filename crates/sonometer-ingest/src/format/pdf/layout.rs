//! Lines into paragraphs, so that no sentence is broken by the end of a line, column or page.

use super::{Line, Page, tidy};
use crate::format::captions::role;
use std::collections::{BTreeMap, BTreeSet};

/// The part of a paragraph that stands on one page.
#[derive(Debug, PartialEq)]
pub(super) struct Part {
    /// From 1.
    pub(super) page: u32,
    /// The paragraph of that page, from 1.
    pub(super) number: u32,
    pub(super) text: String,
    /// What stands between the part before and this one.
    pub(super) between: &'static str,
}

/// The paragraphs, each with its parts; with `turns`, one begins with every line that names a role.
pub(super) fn paragraphs(pages: &[Page], turns: bool) -> Vec<Vec<Part>> {
    let words = words(pages);
    let mut paragraphs: Vec<Vec<Part>> = Vec::new();
    for (page_number, page) in (1..).zip(pages) {
        let mut number = 0;
        let mut before: Option<&Line> = None;
        let edges = edges(page);
        for (at, line) in page.lines.iter().enumerate() {
            let names_role = turns && role(&line.text).is_some();
            let goes_on = !names_role
                && match (before, paragraphs.last().and_then(|paragraph| paragraph.last())) {
                    (Some(before), _) => !begins(&edges, before, line, page.lines.get(at + 1)),
                    // From page to page only a sentence that is cut off goes on.
                    (None, Some(part)) => is_cut_off(&part.text) && begins_lower(&line.text),
                    (None, None) => false,
                };
            match paragraphs.last_mut().filter(|_| goes_on) {
                Some(paragraph) if paragraph.last().is_some_and(|part| part.page == page_number) => {
                    if let Some(part) = paragraph.last_mut() {
                        let between = join(&mut part.text, &line.text, &words);
                        part.text.push_str(between);
                        part.text.push_str(&line.text);
                    }
                }
                Some(paragraph) => {
                    number += 1;
                    let between =
                        paragraph.last_mut().map_or("", |part| join(&mut part.text, &line.text, &words));
                    paragraph.push(Part { page: page_number, number, text: line.text.clone(), between });
                }
                None => {
                    number += 1;
                    paragraphs.push(vec![Part {
                        page: page_number,
                        number,
                        text: line.text.clone(),
                        between: "",
                    }]);
                }
            }
            before = Some(line);
        }
    }
    paragraphs
}

/// Where the blocks of a page begin and end, from left to right.
fn edges(page: &Page) -> BTreeMap<usize, (f64, f64)> {
    let mut edges = BTreeMap::new();
    for line in &page.lines {
        let (left, right) = edges.entry(line.block).or_insert((f64::MAX, f64::MIN));
        (*left, *right) = (line.left.min(*left), line.right.max(*right));
    }
    edges
}

/// Whether a paragraph begins with `line`.
fn begins(edges: &BTreeMap<usize, (f64, f64)>, before: &Line, line: &Line, after: Option<&Line>) -> bool {
    let height = (before.bottom - before.top).max(1.0);
    let own_height = (line.bottom - line.top).max(1.0);
    let is_ended = !is_cut_off(&before.text);
    let lower = begins_lower(&line.text);
    if is_item(&line.text) {
        return true;
    }
    // Headings are larger.
    if own_height > height * 1.2 || height > own_height * 1.2 {
        return is_ended || !lower;
    }
    let gap = line.top - before.bottom;
    if line.block != before.block {
        // Columns, and paragraphs that something stands between.
        return is_ended || !lower;
    }
    if gap > height * 0.6 {
        return true;
    }
    let (left, right) = edges.get(&line.block).copied().unwrap_or((line.left, line.right));
    // Would the first word of this line have fitted on the line before?
    let first = line.text.split(' ').next().unwrap_or_default().chars().count() as f64;
    let letter = (line.right - line.left) / (line.text.chars().count().max(1) as f64);
    let has_room = right - before.right > (first + 1.0) * letter * 1.5;
    let is_indented = line.left - left > height * 0.8
        && before.left - left < height * 0.4
        && after.is_none_or(|after| after.block != line.block || line.left - after.left > height * 0.4);
    // What comes after a list.
    let is_outdented = before.left - line.left > height * 0.5 && before.left - left > height * 0.5;
    has_room && (is_ended || !lower) || (is_indented || is_outdented) && is_ended
}

/// Joins a line to what stands before: the text between them. A hyphen that only broke a word is taken away.
fn join(before: &mut String, line: &str, words: &BTreeSet<String>) -> &'static str {
    if before.ends_with('\u{ad}') {
        before.pop();
        return "";
    }
    let Some(head) = before.strip_suffix(['-', '\u{2010}']) else {
        // Chinese and Japanese have no spaces.
        return if before.ends_with(tidy::is_wide) && line.starts_with(tidy::is_wide) { "" } else { " " };
    };
    let first = head.rsplit(|c: char| !c.is_alphabetic() && c != '-').next().unwrap_or_default();
    let second = line.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let is_broken = if head.ends_with(char::is_alphabetic) && begins_lower(line) {
        // A compound that stands somewhere with its hyphen keeps it.
        !words.contains(&format!("{first}-{second}").to_lowercase())
    } else {
        // Capitals do not tell the end of a word from the beginning of one; here it must stand somewhere as a whole.
        is_capitals(first)
            && is_capitals(second)
            && words.contains(&format!("{first}{second}").to_lowercase())
    };
    if is_broken {
        let length = head.len();
        before.truncate(length);
    }
    ""
}

fn is_capitals(word: &str) -> bool {
    !word.is_empty() && word.chars().all(char::is_uppercase)
}

/// Words that stand whole within lines.
fn words(pages: &[Page]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        let whole = line.text.trim_end_matches(['-', '\u{2010}']);
        let mut own: Vec<&str> =
            whole.split(|c: char| !c.is_alphabetic() && c != '-').filter(|word| word.len() > 1).collect();
        if whole.len() < line.text.len() {
            // The half of a word at the end is none.
            own.pop();
        }
        words.extend(own.into_iter().filter(|word| !word.ends_with('-')).map(str::to_lowercase));
    }
    words
}

/// Whether a text ends in the middle of a sentence.
fn is_cut_off(text: &str) -> bool {
    let text = text.trim_end_matches(['"', '\'', '”', '’', ')', ']', '»']);
    !text.ends_with(['.', '!', '?', ':', '。', '！', '？', '؟', '۔', '…'])
}

fn begins_lower(text: &str) -> bool {
    text.chars()
        .find(|c| c.is_alphanumeric())
        .is_some_and(|c| c.is_lowercase() || c.is_alphabetic() && !c.is_uppercase())
}

/// Whether a line is the first of an item: a bullet, or a short number.
fn is_item(text: &str) -> bool {
    let Some((mark, rest)) = text.split_once(' ') else { return false };
    let is_bullet = matches!(mark, "•" | "–" | "—" | "-" | "*" | "◦" | "▪" | "●" | "○" | "‣" | "\u{f0b7}");
    let digits = mark.trim_end_matches(['.', ')']);
    let is_number = mark.len() > digits.len()
        && digits.len() <= 2
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.is_empty();
    !rest.is_empty() && (is_bullet || is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(lines: &[(&str, f64, f64, usize)]) -> Page {
        let line = |(at, (text, left, right, block)): (usize, &(&str, f64, f64, usize))| {
            let top = 100.0 + 14.0 * at as f64;
            Line {
                left: *left,
                right: *right,
                top,
                bottom: top + 12.0,
                text: (*text).to_owned(),
                block: *block,
            }
        };
        Page { height: 800.0, lines: lines.iter().enumerate().map(line).collect() }
    }

    fn told(pages: &[Page]) -> Vec<String> {
        let whole = |parts: Vec<Part>| {
            parts
                .iter()
                .map(|part| format!("{}{}@{}.{}", part.between, part.text, part.page, part.number))
                .collect::<String>()
        };
        paragraphs(pages, false).into_iter().map(whole).collect()
    }

    #[test]
    fn lines_become_paragraphs() {
        let first = page(&[
            ("A sentence that goes on and on over the hyphen-", 50.0, 500.0, 1),
            ("ation of well-known words, and well-", 50.0, 500.0, 1),
            ("known ones too. It ends.", 50.0, 200.0, 1),
            ("Another one begins here and is cut", 50.0, 500.0, 1),
        ]);
        let second = page(&[
            ("off by the page.", 50.0, 200.0, 1),
            ("• an item", 50.0, 100.0, 1),
            ("• another", 50.0, 100.0, 1),
        ]);
        assert_eq!(
            told(&[first, second]),
            [
                "A sentence that goes on and on over the hyphenation of well-known words, and well-known ones too. It ends.@1.1",
                "Another one begins here and is cut@1.2 off by the page.@2.1",
                "• an item@2.2",
                "• another@2.3"
            ]
        );
    }

    #[test]
    fn broken_capitals_are_joined_where_they_stand_whole_elsewhere() {
        let own = page(&[
            ("Of EVALUATION this is the ARITHMETIC EVALUA-", 50.0, 500.0, 1),
            ("TION of the SO-", 50.0, 500.0, 1),
            ("NAME that is meant.", 50.0, 200.0, 1),
        ]);
        assert_eq!(
            told(&[own]),
            ["Of EVALUATION this is the ARITHMETIC EVALUATION of the SO-NAME that is meant.@1.1"]
        );
    }

    #[test]
    fn scripts_without_spaces_are_joined_without() {
        let own = page(&[
            ("第二段：非常感谢您的耐心等待，我们会", 50.0, 500.0, 1),
            ("尽快处理您的问题。", 50.0, 200.0, 1),
        ]);
        assert_eq!(told(&[own]), ["第二段：非常感谢您的耐心等待，我们会尽快处理您的问题。@1.1"]);
    }
}
