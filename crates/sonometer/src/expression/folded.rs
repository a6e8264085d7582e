//! Classes without regard to case, read so that no case needs folding: `(?i)\p{L}` as `(?i)(?-i:[[\x{345}]\p{L}])`.
//!
//! `regex-syntax` folds a class character by character and sorts it after each range, wherever it stands: 1.5 million instructions
//! for each `\p{L}`, which were 46 % of loading a protocol with 27 lines such as `(?i)\p{L}*dumm\p{L}*`. What folding adds to a class is
//! little, and the same each time. It is asked of `regex-syntax` once for each class and thread.

use super::Refusal;
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Ast, ClassSet, Flag, Flags};
use regex_syntax::hir::translate::Translator;
use regex_syntax::hir::{ClassUnicode, Hir, HirKind};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The most bytes of classes and what folding changes of them that a thread remembers.
const MOST_KEPT: usize = 64 << 10;
/// The most ranges that are written: with more, reading them takes as long as folding.
const MOST_RANGES: usize = 32;

/// A pattern as `regex-syntax` parses it, in less time.
pub(super) fn parse(pattern: &str) -> Result<Hir, Refusal> {
    let mut parsed = Parser::new().parse(pattern)?;
    if may_ignore_case(pattern) && is_large(pattern) {
        write_out(&mut parsed, pattern, &mut Reading::default());
    }
    Ok(Translator::new().translate(pattern, &parsed)?)
}

/// Whether a group or the rest of one is read without regard to case.
fn may_ignore_case(pattern: &str) -> bool {
    let flags = |at: usize| pattern[at..].chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-');
    pattern.match_indices("(?").any(|(at, opening)| flags(at + opening.len()).any(|flag| flag == 'i'))
}

/// Whether a text may have a class of many characters, which `[a-z\d]` has not. To write a class anew takes longer than folding few, and `\w`
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
    ignores_space: bool,
    unicode: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Self { ignores_case: false, ignores_space: false, unicode: true }
    }
}

impl Reading {
    fn take(&mut self, flags: &Flags) {
        self.ignores_case = flags.flag_state(Flag::CaseInsensitive).unwrap_or(self.ignores_case);
        self.ignores_space = flags.flag_state(Flag::IgnoreWhitespace).unwrap_or(self.ignores_space);
        self.unicode = flags.flag_state(Flag::Unicode).unwrap_or(self.unicode);
    }

    /// Whether a class is folded. One with spaces that do not count would be read otherwise by itself, and is left as it is.
    fn folds(self) -> bool {
        self.ignores_case && self.unicode && !self.ignores_space
    }
}

/// Writes out the classes of a pattern from left to right. It is not deep: its parser allows for 250 levels.
fn write_out(parsed: &mut Ast, pattern: &str, reading: &mut Reading) {
    let written = match parsed {
        Ast::Flags(set) => {
            reading.take(&set.flags);
            None
        }
        Ast::ClassUnicode(class) if reading.folds() && !class.is_negated() => {
            let text = &pattern[class.span.start.offset..class.span.end.offset];
            written("", text, "]")
        }
        // What is put in front of `a&&b` would belong to `a`.
        Ast::ClassBracketed(class) if reading.folds() && matches!(class.kind, ClassSet::Item(_)) => {
            let text = &pattern[class.span.start.offset..class.span.end.offset];
            written(if class.negated { "[^" } else { "[" }, text, "")
        }
        Ast::Repetition(repetition) => {
            write_out(&mut repetition.ast, pattern, reading);
            None
        }
        Ast::Group(group) => {
            let mut inside = *reading;
            group.flags().into_iter().for_each(|flags| inside.take(flags));
            write_out(&mut group.ast, pattern, &mut inside);
            None
        }
        Ast::Alternation(parts) => {
            parts.asts.iter_mut().for_each(|part| write_out(part, pattern, reading));
            None
        }
        Ast::Concat(parts) => {
            parts.asts.iter_mut().for_each(|part| write_out(part, pattern, reading));
            None
        }
        _ => None,
    };
    if let Some(written) = written {
        *parsed = written;
    }
}

/// A class with what folding changes of it. `opening` is what it begins with, `closing` what it lacks to be one in brackets.
fn written(opening: &str, text: &str, closing: &str) -> Option<Ast> {
    let inside = text.strip_prefix(opening)?;
    // Where a bracket or a hyphen stands for itself because it is the first, it would be no longer. Not worth more code.
    if !is_large(text) || !opening.is_empty() && inside.starts_with([']', '-']) {
        return None;
    }
    let changes = changes(text)?;
    let negation = if opening == "[^" { "^" } else { "" };
    let changes = if changes.is_empty() { changes } else { format!("[{changes}]") };
    // A class that is as deep as may be is one level deeper now, and left as it is.
    Parser::new().parse(&format!("(?-i:[{negation}{changes}{inside}{closing})")).ok()
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
        regex_syntax::parse(pattern).map_err(Refusal::from) == parse(pattern)
    }

    fn is_written_out(pattern: &str) -> bool {
        let parsed = || Parser::new().parse(pattern).expect("is an expression");
        let mut written = parsed();
        write_out(&mut written, pattern, &mut Reading::default());
        written != parsed()
    }

    #[test]
    fn what_folding_adds_is_written() {
        let changed = |class| changes(class).expect("few ranges");
        assert_eq!(changed(r"\p{L}"), r"\x{345}-\x{345}");
        assert_eq!(changed(r"[^\p{L}-]"), r"\x{345}-\x{345}");
        assert_eq!(changed(r"[\w-]"), "");
        for pattern in [r"(?i)\p{L}*dumm", r"(?i)[^\p{L}-]a", r"(?i)[\w-]", r"(?i:a|(?:\p{L}|b)+)"] {
            assert!(is_written_out(pattern) && is_the_same(pattern), "{pattern}");
        }
        for pattern in [
            r"\p{L}",
            r"(?i)[a-z]",
            r"(?i)[\dé]",
            r"(?i)a(?-i:\p{L})",
            r"(?i:a)\p{L}",
            r"(?i)[\P{L}a]",
            r"(?i)[\p{L}&&a]",
            r"(?ix)[ \p{L} ]",
            r"(?i)\p{Nope}",
        ] {
            assert!(!is_written_out(pattern), "{pattern}");
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
            assert!(is_the_same(pattern), "{pattern}");
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
            prop_assert!(is_the_same(&pattern), "{pattern}");
        }
    }
}
