//! Tokens of text beyond ASCII, character by character. On ASCII text it gives what [`super::ascii`] gives.

use super::chars::{Class, class};
use super::token::Sink;

const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// Cuts any folded text into tokens.
pub(super) fn cut(text: &str, sink: &mut impl Sink) {
    let mut open: Option<Open> = None;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let next = || text[end..].chars().next();
        match class(c) {
            Class::Word => match &mut open {
                Some(Open { kind: Kind::Word, end: last, .. }) => *last = end,
                _ => Open::begin(&mut open, text, sink, Kind::Word, at, end),
            },
            Class::Mark => match &mut open {
                Some(token) => token.end = end,
                None => Open::begin(&mut open, text, sink, Kind::Word, at, end),
            },
            Class::Ideograph => Open::begin(&mut open, text, sink, Kind::Ideograph, at, end),
            Class::Symbol | Class::Modifier => {
                let flag = is_regional(c);
                match &mut open {
                    Some(token @ Open { kind: Kind::Joined, .. }) => {
                        (token.kind, token.end) = (if flag { Kind::HalfFlag } else { Kind::Symbol }, end)
                    }
                    Some(token @ Open { kind: Kind::HalfFlag, .. }) if flag => {
                        (token.kind, token.end) = (Kind::Symbol, end);
                    }
                    _ => Open::begin(
                        &mut open,
                        text,
                        sink,
                        if flag { Kind::HalfFlag } else { Kind::Symbol },
                        at,
                        end,
                    ),
                }
            }
            _ if c == ZERO_WIDTH_JOINER && open.as_ref().is_some_and(Open::is_symbol) => {
                // Joins only if a symbol follows; else it belongs to the gap, and what comes next begins a token of its own.
                if next().is_some_and(|n| matches!(class(n), Class::Symbol | Class::Modifier))
                    && let Some(token) = &mut open
                {
                    token.kind = Kind::Joined;
                } else {
                    Open::close(&mut open, text, sink);
                }
            }
            // The sign is passed over; the next character, which `joins` has seen, goes on with the word.
            _ if joins(text, at, c, next()) && matches!(open, Some(Open { kind: Kind::Word, .. })) => {}
            _ => Open::close(&mut open, text, sink),
        }
    }
    Open::close(&mut open, text, sink);
}

/// Whether the sign at `at` joins the characters around it to one word.
fn joins(text: &str, at: usize, sign: char, next: Option<char>) -> bool {
    let around = text[..at].chars().next_back().zip(next);
    around.is_some_and(|(before, after)| match sign {
        '\'' => is_word_letter(before) && is_word_letter(after),
        '.' | ',' => before.is_ascii_digit() && after.is_ascii_digit(),
        _ => false,
    })
}

fn is_word_letter(c: char) -> bool {
    class(c) == Class::Word && !c.is_ascii_digit()
}

fn is_regional(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}

/// The token being read.
struct Open {
    kind: Kind,
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Ideograph,
    Symbol,
    /// One regional indicator, waiting for the other half of its flag.
    HalfFlag,
    /// A symbol and a joiner.
    Joined,
}

impl Open {
    fn is_symbol(&self) -> bool {
        matches!(self.kind, Kind::Symbol | Kind::HalfFlag | Kind::Joined)
    }

    fn begin(
        open: &mut Option<Self>,
        text: &str,
        sink: &mut impl Sink,
        kind: Kind,
        start: usize,
        end: usize,
    ) {
        Self::close(open, text, sink);
        *open = Some(Self { kind, start, end });
    }

    fn close(open: &mut Option<Self>, text: &str, sink: &mut impl Sink) {
        if let Some(token) = open.take() {
            sink.token(text, token.start, token.end, token.is_symbol());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, Debug, PartialEq)]
    struct Words(Vec<(String, bool)>);

    impl Sink for Words {
        fn token(&mut self, text: &str, start: usize, end: usize, symbol: bool) {
            self.0.push((text[start..end].to_owned(), symbol));
        }
    }

    fn words(text: &str) -> Vec<String> {
        let mut words = Words::default();
        cut(text, &mut words);
        words.0.into_iter().map(|(word, _)| word).collect()
    }

    #[test]
    fn words_ideographs_and_symbols() {
        assert_eq!(words("привет, don't 3.5 1,000 a.b"), ["привет", "don't", "3.5", "1,000", "a", "b"]);
        assert_eq!(words("你好吗 abc字d"), ["你", "好", "吗", "abc", "字", "d"]);
        assert_eq!(
            words("ok👍👍 🇩🇪🇫🇷🇩 👩\u{200d}💻x"),
            ["ok", "👍", "👍", "🇩🇪", "🇫🇷", "🇩", "👩\u{200d}💻", "x"]
        );
        assert_eq!(words("👩\u{200d} x"), ["👩", "x"]);
        assert_eq!(words("' 'a' 5'5 a'5 .5, 5."), ["a", "5", "5", "a", "5", "5", "5"]);
    }

    #[test]
    fn both_scanners_agree_on_ascii() {
        // A small generator of hostile ASCII around block edges (64 bytes).
        let alphabet = b"ab'.,5 5'a-\n!Z_@";
        let mut state = 7u32;
        for len in 0..300 {
            let text: String = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    char::from(alphabet[(state >> 24) as usize % alphabet.len()])
                })
                .collect();
            let (mut fast, mut slow) = (Words::default(), Words::default());
            super::super::ascii::cut(&text, &mut fast);
            cut(&text, &mut slow);
            assert_eq!(fast, slow, "{text:?}");
        }
    }
}
