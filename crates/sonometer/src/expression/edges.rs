//! Whether matches of an expression stay on one side of the end of a sentence, whatever the text is: most hold no full stop, no question mark
//! and no line break, and begin with none. This is told by the characters that an expression can read, so no text needs to be searched for it.

#[cfg(feature = "perf")]
use super::known::{Reader, Writer};
use regex_syntax::hir::{Class, Hir, HirKind};

/// What an expression can read: as the first character of a match, and anywhere in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edges {
    first: Signs,
    all: Signs,
    /// Whether a match can be empty: it has no first character.
    can_be_empty: bool,
}

impl Edges {
    pub(super) fn of(parsed: &Hir) -> Self {
        match parsed.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::EMPTY,
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
                Ok(text) => {
                    text.chars().rev().fold(Self::EMPTY, |rest, c| Self::one(Signs::of(c)).before(rest))
                }
                Err(_) => Self::one(Signs::ALL),
            },
            HirKind::Class(class) => Self::one(Signs::of_class(class)),
            HirKind::Repetition(repetition) => {
                let once = Self::of(&repetition.sub);
                Self { can_be_empty: once.can_be_empty || repetition.min == 0, ..once }
            }
            HirKind::Capture(group) => Self::of(&group.sub),
            HirKind::Concat(parts) => {
                parts.iter().rev().fold(Self::EMPTY, |rest, part| Self::of(part).before(rest))
            }
            HirKind::Alternation(parts) => {
                let parts = parts.iter().map(Self::of);
                parts.reduce(Self::or).unwrap_or(Self::EMPTY)
            }
        }
    }

    #[cfg(feature = "perf")]
    pub(super) fn write(self, to: &mut Writer) {
        for Signs { ascii, beyond } in [self.first, self.all] {
            to.bits(ascii);
            to.byte(beyond);
        }
        to.flag(self.can_be_empty);
    }

    #[cfg(feature = "perf")]
    pub(super) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let mut signs = || Some(Signs { ascii: from.bits()?, beyond: from.byte()? });
        Some(Self { first: signs()?, all: signs()?, can_be_empty: from.flag()? })
    }

    /// Whether no match reaches over the end of `gap`, what stands behind the last word of a sentence: such a match reads the last character
    /// of it. One that can begins before the gap, and reads all of it, or with a character of it. `stays`: whether a character of the
    /// gap is certain to be there when the text is read.
    pub(super) fn end_in(&self, gap: &str, stays: &dyn Fn(char) -> bool) -> bool {
        let reads_last = gap.chars().next_back().is_none_or(|last| self.all.has(last));
        let reads_all = || gap.chars().all(|c| self.all.has(c) || !stays(c));
        let begins = || gap.chars().any(|c| self.first.has(c));
        !self.can_be_empty && (!reads_last || !reads_all() && !begins())
    }

    /// Whether a match may begin with a byte, be it the first one of a character.
    pub(super) fn may_begin(&self, byte: u8) -> bool {
        self.can_be_empty
            || if byte.is_ascii() { self.first.has(char::from(byte)) } else { self.first.beyond != 0 }
    }

    /// What two expressions together can read.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            first: self.first.with(other.first),
            all: self.all.with(other.all),
            can_be_empty: self.can_be_empty || other.can_be_empty,
        }
    }

    const EMPTY: Self = Self { first: Signs::NONE, all: Signs::NONE, can_be_empty: true };

    fn one(signs: Signs) -> Self {
        Self { first: signs, all: signs, can_be_empty: false }
    }

    /// This, and `rest` directly behind it.
    fn before(self, rest: Self) -> Self {
        Self {
            first: if self.can_be_empty { self.first.with(rest.first) } else { self.first },
            all: self.all.with(rest.all),
            can_be_empty: self.can_be_empty && rest.can_be_empty,
        }
    }
}

/// The signs beyond ASCII that end sentences, each with a bit of its own; all other characters beyond ASCII share one.
const ENDS: [char; 7] = ['。', '！', '？', '؟', '।', '॥', '۔'];

/// A set of characters, those of ASCII and of [`ENDS`] told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Signs {
    ascii: u128,
    beyond: u8,
}

impl Signs {
    const NONE: Self = Self { ascii: 0, beyond: 0 };
    const ALL: Self = Self { ascii: u128::MAX, beyond: u8::MAX };
    const OTHER: Self = Self { ascii: 0, beyond: 1 << ENDS.len() };

    fn of(c: char) -> Self {
        if c.is_ascii() {
            return Self { ascii: 1 << u32::from(c), beyond: 0 };
        }
        match ENDS.iter().position(|end| *end == c) {
            Some(at) => Self { ascii: 0, beyond: 1 << at },
            None => Self::OTHER,
        }
    }

    fn of_class(class: &Class) -> Self {
        let mut signs = Self::NONE;
        match class {
            Class::Bytes(class) => {
                // A byte beyond ASCII is a part of any character there.
                class.iter().for_each(|range| {
                    signs = signs.with(Self::between(range.start().into(), range.end().into()))
                });
                if class.iter().any(|range| !range.end().is_ascii()) {
                    signs.beyond = u8::MAX;
                }
            }
            Class::Unicode(class) => {
                // Sorted: of some classes there are hundreds of ranges beyond ASCII, which are not looked at one by one.
                let ranges = class.ranges();
                let ascii = ranges.iter().take_while(|range| range.start().is_ascii());
                ascii.for_each(|range| signs = signs.with(Self::between(range.start(), range.end())));
                if ranges.last().is_some_and(|last| !last.end().is_ascii()) {
                    signs = signs.with(Self::OTHER);
                }
                let has = |c: char| {
                    let at = ranges.partition_point(|range| range.end() < c);
                    ranges.get(at).is_some_and(|range| range.start() <= c)
                };
                ENDS.into_iter().filter(|end| has(*end)).for_each(|end| signs = signs.with(Self::of(end)));
            }
        }
        signs
    }

    /// The characters of ASCII from `first` to `last`; bytes beyond ASCII are told apart elsewhere.
    fn between(first: char, last: char) -> Self {
        if !first.is_ascii() {
            return Self::NONE;
        }
        let most = u32::from(last).min(127);
        Self { ascii: (u128::MAX >> (127 - most)) & (u128::MAX << u32::from(first)), beyond: 0 }
    }

    fn with(self, other: Self) -> Self {
        Self { ascii: self.ascii | other.ascii, beyond: self.beyond | other.beyond }
    }

    fn has(self, c: char) -> bool {
        let one = Self::of(c);
        self.ascii & one.ascii != 0 || self.beyond & one.beyond != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{Characters, Expression, parse};
    use proptest::prelude::*;

    fn ends_in(pattern: &str, gap: &str) -> bool {
        Edges::of(&parse(pattern).expect("is an expression")).end_in(gap, &|_| true)
    }

    #[test]
    fn what_reads_no_end_stays_before_it() {
        for pattern in [
            r"\p{L}*dumm\p{L}*",
            "du (?:idiot|depp)",
            "!",
            r"[.]{3,}",
            r"\?[?!]+",
            "(?i)stop[^.?!\n]{0,9}now",
        ] {
            for gap in [". ", "! ", "? ", ".\" ", "...\n"] {
                assert!(ends_in(pattern, gap), "{pattern} {gap:?}");
            }
        }
        assert!(ends_in("[^。]{1,9}", "。") && !ends_in("[^。]{1,9}", ". "));
    }

    #[test]
    fn what_may_read_on_does_not() {
        for (pattern, gap) in [
            (r"stop.{0,9}now", ". "),
            (r"(?:^|[.!?]\s*)You", ". "),
            (r"\s*you", ". "),
            (r"[A-Z.]+ you", ". "),
            ("a*", ". "),
            (r"[^a]b", "。"),
            (r"\W+you", "؟ "),
        ] {
            assert!(!ends_in(pattern, gap), "{pattern} {gap:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Whatever stands around it.
        #[test]
        fn no_match_reaches_over_what_it_ends_in(
            parts in prop::collection::vec(
                (
                    prop::sample::select(vec![
                        "a", r"\.", r"\s", "[^.]", "[^a?]", "[。a]", r"\W", r"\b", r"\p{L}", "[!? ]", "(?:ab|é)", "^", "$", "!",
                    ]),
                    prop::sample::select(vec!["", "", "*", "+", "?", "{1,2}"]),
                ),
                1..4,
            ),
            before in "[ab.! é。]{0,5}",
            gap in prop::sample::select(vec![". ", "! ", "?\n", ".” ", ".\"\n\n", "。", "?$ ", ".) "]),
            after in "[ab.! é。]{0,5}",
        ) {
            let pattern: String = parts.iter().flat_map(|(part, times)| [*part, *times]).collect();
            let Ok(parsed) = parse(&pattern) else { return Ok(()) };
            if !Edges::of(&parsed).end_in(gap, &|_| true) {
                return Ok(());
            }
            let text = format!("{before}{gap}{after}");
            let at = before.len() + gap.len();
            let expression = Expression::new(&pattern).expect("is an expression");
            for start in (0..at).filter(|start| text.is_char_boundary(*start)) {
                let found = expression.find_at(&text, start, Characters::of(&text));
                prop_assert!(!found.clone().is_some_and(|found| found.start < at && at < found.end), "{pattern} {text:?} {found:?}");
            }
        }
    }
}
