//! What holds of the prose of every page: lines that fit a screen, and abbreviations that are written out where they are first used.

use super::{Page, all};

/// The longest line of prose, in characters. Tables, code and quoted messages may be longer.
const LONGEST_LINE: usize = 160;

/// The most lines of the pages that everybody is sent to first. What does not fit belongs into `docs`.
const LONGEST_PAGES: [(&str, usize); 2] = [("README.md", 200), ("DESIGN.md", 350)];

/// An abbreviation of ours, and what must stand where a page first uses it.
const WRITTEN_OUT: [(&str, &str); 2] = [("ICS", "Interaction Computed Signal"), ("SGM", "measuring rules")];
const GLOSSARY: &str = "docs/glossary.md";

/// The lines of a page that are prose, with their numbers from 1 on.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let line = line.trim_start();
        let is_fence = line.starts_with("```");
        fence ^= is_fence;
        !fence && !is_fence && !line.starts_with(['|', '>'])
    })
}

fn too_long(page: &Page) -> impl Iterator<Item = String> {
    prose(&page.text).filter(|(_, line)| line.chars().count() > LONGEST_LINE).map(|(number, line)| {
        let length = line.chars().count();
        format!("{}:{number}: {length} characters, the most are {LONGEST_LINE}", page.path.display())
    })
}

/// Where a word stands by itself: not as a part of another one, nor of a name such as `X-ICS-Remaining`.
fn uses<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| !text[..*at].ends_with(joins) && !text[at + word.len()..].starts_with(joins))
}

/// Abbreviations that the page uses and does not write out at the first use, or without a link to the glossary.
fn unexplained(page: &Page) -> Vec<String> {
    let mut missing = Vec::new();
    for (short, long) in WRITTEN_OUT {
        let Some(first) = uses(&page.text, short).next() else { continue };
        let number = 1 + page.text[..first].matches('\n').count();
        // A heading, or the message that a page is about, may come before the sentence that explains it: the paragraph decides.
        let end = page.text[first..].find("\n\n").map_or(page.text.len(), |end| first + end);
        if !page.text[..end].split_whitespace().collect::<Vec<_>>().join(" ").contains(long) {
            missing.push(format!("{}:{number}: {short} is not written out ({long})", page.path.display()));
        }
        let explains =
            |link: &super::Link| link.to.split('#').next().is_some_and(|to| to.ends_with("glossary.md"));
        if !page.path.ends_with(GLOSSARY) && !page.links.iter().any(explains) {
            missing.push(format!("{}:{number}: {short} without a link to {GLOSSARY}", page.path.display()));
        }
    }
    missing
}

#[test]
fn prose_is_what_is_no_code_table_or_quote() {
    let text = "One.\n\n```text\nno\n```\n| no |\n> no\n  - two\n";
    let lines: Vec<(usize, &str)> = prose(text).filter(|(_, line)| !line.is_empty()).collect();
    assert_eq!(lines, [(1, "One."), (8, "  - two")]);
    let page = |text: String| Page::new("a.md".into(), text);
    assert_eq!(too_long(&page("ä".repeat(LONGEST_LINE))).count(), 0);
    assert_eq!(
        too_long(&page("a".repeat(LONGEST_LINE + 1))).next().expect("is too long"),
        "a.md:1: 161 characters, the most are 160"
    );
}

#[test]
fn an_abbreviation_is_explained_where_it_is_first_used() {
    let found = |text: &str| unexplained(&Page::new("docs/a.md".into(), text.into())).len();
    assert_eq!(found("`X-ICS-Remaining`, BASICS and nothing else."), 0);
    assert_eq!(found("An ICS ([Interaction\nComputed Signal](glossary.md)) is a unit."), 0);
    assert_eq!(found("An ICS (Interaction Computed Signal) is a unit."), 1);
    assert_eq!(
        found("Costs 2 ICS.\n\nAn ICS is an Interaction Computed Signal, see [there](glossary.md)."),
        1
    );
    assert_eq!(found("On SGM 1.5."), 2);
}

#[test]
fn no_line_of_prose_is_too_long() {
    let pages = all(&crate::test::root()).expect("can be read");
    let found: Vec<String> = pages.iter().flat_map(too_long).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_first_pages_are_short() {
    for (path, most) in LONGEST_PAGES {
        let text = std::fs::read_to_string(crate::test::root().join(path)).expect("is there");
        let lines = text.lines().count();
        assert!(lines <= most, "{path}: {lines} lines, the most are {most}; move something into docs");
    }
}

#[test]
fn every_page_says_what_ics_and_sgm_are() {
    let pages = all(&crate::test::root()).expect("can be read");
    let found: Vec<String> = pages.iter().flat_map(unexplained).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
