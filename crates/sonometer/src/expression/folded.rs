//! Classes without regard to case, written so that no case needs folding: `(?i)\p{L}` is `(?i)(?-i:[[\x{345}]\p{L}])`.
//!
//! `regex-syntax` folds a class character by character and sorts it after each range, wherever it stands: 1.5 million instructions
//! for each `\p{L}`, which were 46 % of loading a protocol with 27 lines such as `(?i)\p{L}*dumm\p{L}*`. What folding adds to a class is
//! little, and the same each time. It is asked of `regex-syntax` once for each class and thread.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Ast, ClassSet, Flag, Flags, Span};
use regex_syntax::hir::{ClassUnicode, HirKind};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The most bytes of classes and what folding changes of them that a thread remembers.
const MOST_KEPT: usize = 64 << 10;
/// How deep a class may stand at most, and how many brackets it may have: what is written nests one deeper, and the parser refuses what
/// nests deeper than 250.
const DEEPEST: usize = 200;
const MOST_BRACKETS: usize = 40;
/// The most ranges that are written: with more, reading them takes as long as folding.
const MOST_RANGES: usize = 32;

/// A pattern that is parsed to the same as `pattern`, in less time.
pub(super) fn written_out(pattern: &str) -> Cow<'_, str> {
    if !may_ignore_case(pattern) || !is_large(pattern) {
        return Cow::Borrowed(pattern);
    }
    let Ok(parsed) = Parser::new().parse(pattern) else { return Cow::Borrowed(pattern) };
    let mut classes = Vec::new();
    collect(&parsed, 0, &mut Reading::default(), &mut classes);
    let mut text = String::new();
    let mut done = 0;
    for class in classes {
        let (start, end) = (class.span.start.offset, class.span.end.offset);
        let Some(other) = class.written(&pattern[start..end]) else { continue };
        text.push_str(&pattern[done..start]);
        text.push_str(&other);
        done = end;
    }
    if done == 0 {
        return Cow::Borrowed(pattern);
    }
    text.push_str(&pattern[done..]);
    Cow::Owned(text)
}

/// Whether a group or the rest of one is read without regard to case.
fn may_ignore_case(pattern: &str) -> bool {
    let flags = |at: usize| pattern[at..].chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-');
    pattern.match_indices("(?").any(|(at, opening)| flags(at + opening.len()).any(|flag| flag == 'i'))
}

/// Whether a text may have a class of many characters, which `[a-z\d]` has not. Parsing twice takes longer than folding few, and `\w`
/// is folded within brackets only.
fn is_large(text: &str) -> bool {
    let beyond_ascii = |pair: &[u8]| pair[0] == b'-' && !pair[1].is_ascii();
    let words = |inside: &str| ["\\w", "\\W", "\\D", "\\S"].iter().any(|name| inside.contains(name));
    let mut brackets = text.split('[').skip(1).map(|rest| rest.split(']').next().unwrap_or(rest));
    text.contains("\\p") || text.as_bytes().windows(2).any(beyond_ascii) || brackets.any(words)
}

/// How the translator reads what comes next.
#[derive(Clone, Copy)]
struct Reading {
    ignores_case: bool,
    unicode: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Self { ignores_case: false, unicode: true }
    }
}

impl Reading {
    fn take(&mut self, flags: &Flags) {
        self.ignores_case = flags.flag_state(Flag::CaseInsensitive).unwrap_or(self.ignores_case);
        self.unicode = flags.flag_state(Flag::Unicode).unwrap_or(self.unicode);
    }
}

/// A class that is read without regard to case.
struct Class {
    span: Span,
    /// `[…]`, not a name alone.
    bracketed: bool,
    negated: bool,
}

/// Adds the classes from left to right that stand no deeper than [`DEEPEST`].
fn collect(parsed: &Ast, depth: usize, reading: &mut Reading, classes: &mut Vec<Class>) {
    if depth > DEEPEST {
        return;
    }
    let depth = depth + 1;
    let folds = reading.ignores_case && reading.unicode;
    match parsed {
        Ast::Flags(set) => reading.take(&set.flags),
        Ast::ClassUnicode(class) if folds && !class.is_negated() => {
            classes.push(Class { span: class.span, bracketed: false, negated: false });
        }
        // What is put in front of `a&&b` would belong to `a`.
        Ast::ClassBracketed(class) if folds && matches!(class.kind, ClassSet::Item(_)) => {
            classes.push(Class { span: class.span, bracketed: true, negated: class.negated });
        }
        Ast::Repetition(repetition) => collect(&repetition.ast, depth, reading, classes),
        Ast::Group(group) => {
            let mut inside = *reading;
            group.flags().into_iter().for_each(|flags| inside.take(flags));
            collect(&group.ast, depth, &mut inside, classes);
        }
        Ast::Alternation(parts) => parts.asts.iter().for_each(|part| collect(part, depth, reading, classes)),
        Ast::Concat(parts) => parts.asts.iter().for_each(|part| collect(part, depth, reading, classes)),
        _ => {}
    }
}

impl Class {
    /// The class with what folding changes of it.
    fn written(&self, text: &str) -> Option<String> {
        let opening = match (self.bracketed, self.negated) {
            (false, _) => "",
            (true, false) => "[",
            (true, true) => "[^",
        };
        let inside = text.strip_prefix(opening)?;
        // Where a bracket or a hyphen stands for itself because it is the first, it would be no longer. Not worth more code.
        let is_nested = text.bytes().filter(|byte| *byte == b'[').count() > MOST_BRACKETS;
        if !is_large(text) || is_nested || self.bracketed && inside.starts_with([']', '-']) {
            return None;
        }
        let changes = changes(text)?;
        let negation = if self.negated { "^" } else { "" };
        let changes = if changes.is_empty() { changes } else { format!("[{changes}]") };
        let closing = if self.bracketed { "" } else { "]" };
        Some(format!("(?-i:[{negation}{changes}{inside}{closing})"))
    }
}

type Changes = BTreeMap<Box<str>, Option<Box<str>>>;

thread_local! {
    /// What folding changes of each class, and the bytes of all.
    static MEMORY: RefCell<(Changes, usize)> = RefCell::default();
}

/// The ranges that folding adds to a class, or to one that `[^…]` leaves out. `None` where it is more than that, or is too much.
fn changes(class: &str) -> Option<String> {
    let known = MEMORY.try_with(|memory| memory.borrow().0.get(class).cloned());
    if let Ok(Some(known)) = known {
        return known.map(String::from);
    }
    let found = changes_of(class);
    let _ = MEMORY.try_with(|memory| {
        let (changes, bytes) = &mut *memory.borrow_mut();
        let more = class.len() + found.as_ref().map_or(0, String::len);
        if *bytes + more > MOST_KEPT {
            (*changes, *bytes) = Default::default();
        }
        if more <= MOST_KEPT {
            *bytes += more;
            changes.insert(class.into(), found.as_deref().map(Into::into));
        }
    });
    found
}

fn changes_of(class: &str) -> Option<String> {
    let (plain, folded) = (characters(class)?, characters(&format!("(?i){class}"))?);
    let beyond = |one: &ClassUnicode, other: &ClassUnicode| {
        let mut beyond = one.clone();
        beyond.difference(other);
        beyond
    };
    // A class in which both are, such as `[\P{L}a]`, is left as it is.
    let (more, less) = (beyond(&folded, &plain), beyond(&plain, &folded));
    let (written, other) = if class.starts_with("[^") { (less, more) } else { (more, less) };
    if !other.ranges().is_empty() || written.ranges().len() > MOST_RANGES {
        return None;
    }
    let mut text = String::new();
    for range in written.ranges() {
        let _ = write!(text, "\\x{{{:x}}}-\\x{{{:x}}}", u32::from(range.start()), u32::from(range.end()));
    }
    Some(text)
}

fn characters(class: &str) -> Option<ClassUnicode> {
    match regex_syntax::parse(class).ok()?.into_kind() {
        HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => Some(class),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_the_same(pattern: &str) -> bool {
        // The text of an error shows the whole pattern, which differs: only what is wrong is compared.
        let read = |pattern: &str| {
            regex_syntax::parse(pattern).map_err(|error| match error {
                regex_syntax::Error::Parse(error) => error.kind().to_string(),
                regex_syntax::Error::Translate(error) => error.kind().to_string(),
                error => error.to_string(),
            })
        };
        read(pattern) == read(&written_out(pattern))
    }

    #[test]
    fn what_folding_adds_is_written() {
        assert_eq!(written_out(r"(?i)\p{L}*dumm"), r"(?i)(?-i:[[\x{345}-\x{345}]\p{L}])*dumm");
        assert_eq!(written_out(r"(?i)[^\p{L}-]a"), r"(?i)(?-i:[^[\x{345}-\x{345}]\p{L}-])a");
        assert_eq!(written_out(r"(?i)[\w-]"), r"(?i)(?-i:[\w-])");
        for same in [
            r"\p{L}",
            r"(?i)[a-z]",
            r"(?i)[\dé]",
            r"(?i)a(?-i:\p{L})",
            r"(?i)[\P{L}a]",
            r"(?i)[\p{L}&&a]",
            r"(?i)\p{Nope}",
        ] {
            assert_eq!(written_out(same), same);
        }
    }

    #[test]
    fn expressions_of_many_kinds_stay_the_same() {
        for pattern in [
            r"(?i:é[À-ÿ]|b)\p{Lu}",
            r"(?:(?i)a|\p{L})\p{L}",
            r"(?i)[]\p{L}]",
            r"(?i)[-\p{L}]",
            r"(?i)[^-\p{L}]",
            r"(?i)[&\p{L}]",
            r"(?i)[~^\p{L}]",
            r"(?ix)[ \p{L} # no comment
              ] # \p{L}",
            r"(?i)(?-u:[a-z])\p{Greek}(?-u)[\x61]",
            r"(?i)[[:alpha:]\p{Lu}]",
            r"(?i)[[^\p{L}]\p{Lu}]",
            r"(?i)(?<place>\p{Ll}{2,})",
        ] {
            assert!(is_the_same(pattern), "{pattern}: {}", written_out(pattern));
        }
    }

    /// What is as deep as may be stays so.
    #[test]
    fn depth_refuses_the_same() {
        for depth in 1..300 {
            for (open, close) in [("(?:", ")"), ("[", "]"), ("(?:a|", ")"), ("(?:", ")*"), ("(?:b", ")")] {
                let pattern = format!(r"(?i){}\p{{L}}{}", open.repeat(depth), close.repeat(depth));
                assert!(is_the_same(&pattern), "{pattern}");
            }
        }
    }

    fn part() -> impl Strategy<Value = String> {
        let parts = [
            r"\p{L}",
            r"\p{Lu}",
            r"\P{L}",
            r"\w",
            r"\W",
            "[",
            "]",
            "[^",
            "-",
            "^",
            "&&",
            "(?i)",
            "(?-i:",
            "(?i:",
            ")",
            "|",
            "a",
            "É",
            "ſ",
            "[À-ÿ]",
            "*",
            r"\x{345}",
            "(?x)",
            " ",
            "#",
            "(?-u)",
            r"\pL",
            "~~",
            "[[:^alpha:]",
            "{2}",
            r"\]",
            r"\[",
        ];
        prop::sample::select(parts.map(String::from).to_vec())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

        #[test]
        fn every_expression_stays_the_same(parts in prop::collection::vec(part(), 1..10)) {
            let pattern = format!("(?i){}", parts.concat());
            prop_assert!(is_the_same(&pattern), "{pattern}: {}", written_out(&pattern));
        }
    }
}
