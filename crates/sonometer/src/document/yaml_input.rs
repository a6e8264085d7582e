//! The characters that the YAML parser reads, with a guard against sources made to exhaust it.
//!
//! The scanner holds back every token of a `[ ]` or `{ }` that could still turn out to be a key, and inserts
//! tokens into that queue; up to 255 levels deep. Both are bounded here, while the scanner reads, because no event
//! arrives in time to stop it. The two calls that give a token away are the scanner's own: it skips one
//! bracket and then the spaces after it, and it looks four characters ahead before every token. They hold for
//! the exact version of the parser that the workspace pins; the tests below fail if they change.

use super::MAX_NESTING;
use saphyr_parser::input::SkipTabs;
use saphyr_parser::{Input, StrInput};
use std::cell::Cell;

/// How many tokens, roughly, one outermost `[ ]` or `{ }` may hold: some 150,000 entries.
const MAX_TOKENS_IN_BRACKETS: usize = 1_000_000;

/// Where and why the guard cut the input short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    pub(super) reason: Reason,
    /// How many characters were read before.
    pub(super) index: usize,
}

/// Why the guard cut the input short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// Brackets are nested too deep.
    TooDeep,
    /// Brackets hold too much.
    TooLong,
}

/// A string input that ends early when brackets get out of hand, and then says why.
pub(super) struct GuardedInput<'s, 'c> {
    inner: StrInput<'s>,
    stop: &'c Cell<Option<Stop>>,
    /// How many characters have been read.
    index: usize,
    last_skipped: char,
    depth: usize,
    tokens: usize,
}

impl<'s, 'c> GuardedInput<'s, 'c> {
    pub(super) fn new(text: &'s str, stop: &'c Cell<Option<Stop>>) -> Self {
        Self { inner: StrInput::new(text), stop, index: 0, last_skipped: '\0', depth: 0, tokens: 0 }
    }

    fn cut(&mut self, reason: Reason) {
        self.stop.set(Some(Stop { reason, index: self.index }));
        self.inner = StrInput::new("");
    }
}

impl Input for GuardedInput<'_, '_> {
    fn lookahead(&mut self, count: usize) {
        self.inner.lookahead(count);
        if count == 4 && self.depth > 0 {
            self.tokens += 1;
            if self.tokens > MAX_TOKENS_IN_BRACKETS {
                self.cut(Reason::TooLong);
            }
        }
    }

    fn skip(&mut self) {
        self.last_skipped = self.inner.peek();
        self.inner.skip();
        self.index += 1;
    }

    fn skip_ws_to_eol(&mut self, skip_tabs: SkipTabs) -> (usize, Result<SkipTabs, &'static str>) {
        match std::mem::replace(&mut self.last_skipped, '\0') {
            '[' | '{' if self.depth == MAX_NESTING => self.cut(Reason::TooDeep),
            '[' | '{' => self.depth += 1,
            ']' | '}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.tokens = 0;
                }
            }
            _ => {}
        }
        let skipped = self.inner.skip_ws_to_eol(skip_tabs);
        self.index += skipped.0;
        skipped
    }

    fn buflen(&self) -> usize {
        self.inner.buflen()
    }

    fn bufmaxlen(&self) -> usize {
        self.inner.bufmaxlen()
    }

    fn raw_read_ch(&mut self) -> char {
        self.index += 1;
        self.inner.raw_read_ch()
    }

    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        let read = self.inner.raw_read_non_breakz_ch();
        self.index += usize::from(read.is_some());
        read
    }

    fn skip_n(&mut self, count: usize) {
        self.inner.skip_n(count);
        self.index += count;
    }

    fn peek(&self) -> char {
        self.inner.peek()
    }

    fn peek_nth(&self, n: usize) -> char {
        self.inner.peek_nth(n)
    }

    fn peek_opt(&self) -> Option<char> {
        self.inner.peek_opt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saphyr_parser::Parser;

    fn parse(text: &str) -> Option<Reason> {
        let stop = Cell::new(None);
        let parser = Parser::new(GuardedInput::new(text, &stop));
        for event in parser {
            if event.is_err() {
                break;
            }
        }
        stop.get().map(|stop| stop.reason)
    }

    #[test]
    fn sees_every_bracket_and_only_brackets() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert_eq!(parse(&deep(MAX_NESTING)), None);
        assert_eq!(parse(&deep(MAX_NESTING + 1)), Some(Reason::TooDeep));
        assert_eq!(parse(&"{a: ".repeat(MAX_NESTING + 1)), Some(Reason::TooDeep));
        assert_eq!(parse(&format!("- {}", deep(17))), Some(Reason::TooDeep));
        assert_eq!(parse(&format!("a: {}", deep(17))), Some(Reason::TooDeep));
        assert_eq!(parse(&format!("a: &x {}", deep(17))), Some(Reason::TooDeep));
        let harmless = ["x[", "\"[\" ", "'{ '", "a [ b"].map(|item| format!("- {item}\n").repeat(100));
        assert!(harmless.iter().all(|text| parse(text).is_none()));
        let block = format!("a: |\n{}b: c", "  [ { [\n".repeat(100));
        assert_eq!(parse(&block), None);
        // Brackets one after the other do not add up.
        assert_eq!(parse(&"- [{a: b}, [c]] # [\n".repeat(100)), None);
    }

    #[test]
    fn bounds_what_brackets_hold() {
        let list = |n: usize| format!("[{}]", "a,".repeat(n));
        assert_eq!(parse(&list(100_000)), None);
        let colons = format!("[{}", ": ".repeat(2_000_000));
        let aliases = format!("- [{}", "*a ".repeat(2_000_000));
        for many in [colons, aliases] {
            assert_eq!(parse(&many), Some(Reason::TooLong), "{}", &many[..9]);
        }
    }
}
