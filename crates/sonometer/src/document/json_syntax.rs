//! Whether a text is JSON, and where it ceases to be: without recursion, in one pass, and in the words that the tree of `json.rs`
//! turns into findings.

use super::{MAX_NESTING, MAX_NODES};

/// Where a text ceases to be JSON, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The byte; the end of the text where something is missing there.
    pub(super) at: usize,
    pub(super) reason: &'static str,
}

const EOF_IN_LIST: &str = "EOF while parsing a list";
const EOF_IN_MAP: &str = "EOF while parsing an object";
const EOF_IN_STRING: &str = "EOF while parsing a string";
const EOF_IN_VALUE: &str = "EOF while parsing a value";

/// Checks that `text` is one JSON value and white space around it. What comes back is how many values each list and map holds,
/// in the order in which they begin; those that no tree reaches, being too deep or too many, are left out.
pub(super) fn check(text: &str) -> Result<Vec<usize>, Fault> {
    let mut checker = Checker {
        bytes: text.as_bytes(),
        at: 0,
        open: Vec::new(),
        numbers: [0; MAX_NESTING],
        sizes: Vec::new(),
    };
    checker.value()?;
    match checker.after_space() {
        Some(_) => Err(checker.here("trailing characters")),
        None => Ok(checker.sizes),
    }
}

/// How many bytes of the inside of a string stand for themselves: no quote, no backslash, no control character.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let mut length = 0;
    let (chunks, _) = bytes.as_chunks::<8>();
    for chunk in chunks {
        let word = u64::from_le_bytes(*chunk);
        // The high bit of a byte is set where that byte is below the subtrahend, and wrongly only behind one that is.
        let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
        let quote = word ^ (ONES * u64::from(b'"'));
        let backslash = word ^ (ONES * u64::from(b'\\'));
        let found = (below(word, 0x20) | below(quote, 1) | below(backslash, 1)) & HIGH;
        if found != 0 {
            return length + found.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let is_special = |byte: &u8| *byte < b' ' || matches!(*byte, b'"' | b'\\');
    bytes[length..].iter().position(is_special).map_or(bytes.len(), |more| length + more)
}

struct Checker<'s> {
    bytes: &'s [u8],
    at: usize,
    /// The brackets that are open, the innermost last.
    open: Vec<u8>,
    /// The numbers of the outermost of them, as they stand in `sizes`.
    numbers: [usize; MAX_NESTING],
    sizes: Vec<usize>,
}

impl Checker<'_> {
    /// One value, with all that is in it.
    fn value(&mut self) -> Result<(), Fault> {
        loop {
            let mut is_first = self.begin()?;
            // Closes what ends here, until a further value has to come.
            loop {
                let Some(&bracket) = self.open.last() else { return Ok(()) };
                let (close, end, missing) = match bracket {
                    b'[' => (b']', EOF_IN_LIST, "expected `,` or `]`"),
                    _ => (b'}', EOF_IN_MAP, "expected `,` or `}`"),
                };
                match self.after_space() {
                    Some(byte) if byte == close => {
                        self.at += 1;
                        self.open.pop();
                        is_first = false;
                    }
                    Some(b',') if !is_first => {
                        self.at += 1;
                        break;
                    }
                    Some(_) if is_first => break,
                    Some(_) => return Err(self.here(missing)),
                    None => return Err(self.here(end)),
                }
            }
            if self.open.last() == Some(&b'{') {
                self.key()?;
            }
            self.count();
        }
    }

    /// A scalar, or the opening bracket of a list or map: whether it is a bracket.
    fn begin(&mut self) -> Result<bool, Fault> {
        match self.after_space() {
            None => return Err(self.here(EOF_IN_VALUE)),
            Some(b'n') => self.word(b"null")?,
            Some(b't') => self.word(b"true")?,
            Some(b'f') => self.word(b"false")?,
            Some(b'-') => {
                self.at += 1;
                self.number()?;
            }
            Some(b'0'..=b'9') => self.number()?,
            Some(b'"') => {
                self.at += 1;
                self.string()?;
            }
            Some(bracket @ (b'[' | b'{')) => {
                self.at += 1;
                self.open(bracket);
                return Ok(true);
            }
            Some(_) => return Err(self.here("expected value")),
        }
        Ok(false)
    }

    fn open(&mut self, bracket: u8) {
        if self.open.len() < MAX_NESTING && self.sizes.len() <= MAX_NODES {
            self.numbers[self.open.len()] = self.sizes.len();
            self.sizes.push(0);
        }
        self.open.push(bracket);
    }

    /// One value more in the innermost list or map.
    fn count(&mut self) {
        let number = self.open.len().checked_sub(1).and_then(|level| self.numbers.get(level));
        if let Some(size) = number.and_then(|number| self.sizes.get_mut(*number)) {
            *size += 1;
        }
    }

    fn key(&mut self) -> Result<(), Fault> {
        match self.after_space() {
            Some(b'"') => self.at += 1,
            Some(_) => return Err(self.here("key must be a string")),
            None => return Err(self.here(EOF_IN_MAP)),
        }
        self.string()?;
        match self.after_space() {
            Some(b':') => self.at += 1,
            Some(_) => return Err(self.here("expected `:`")),
            None => return Err(self.here(EOF_IN_MAP)),
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Fault> {
        for expected in word {
            match self.next() {
                None => return Err(self.behind(EOF_IN_VALUE)),
                Some(byte) if byte != *expected => return Err(self.behind("expected ident")),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// A number behind its sign.
    fn number(&mut self) -> Result<(), Fault> {
        const INVALID: &str = "invalid number";
        match self.next() {
            Some(b'0') if matches!(self.peek(), Some(b'0'..=b'9')) => return Err(self.here(INVALID)),
            Some(b'0') => {}
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.behind(INVALID)),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            let start = self.at;
            self.digits();
            if self.at == start {
                return Err(self.here(INVALID));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            match self.next() {
                Some(b'0'..=b'9') => self.digits(),
                _ => return Err(self.behind(INVALID)),
            }
        }
        Ok(())
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    /// A string behind its first quote. Halves of surrogate pairs pass: only the tree can tell that they are alone.
    fn string(&mut self) -> Result<(), Fault> {
        loop {
            self.at += plain_length(&self.bytes[self.at..]);
            match self.next() {
                None => return Err(self.behind(EOF_IN_STRING)),
                Some(b'"') => return Ok(()),
                Some(b'\\') => self.escape()?,
                Some(_) => {
                    let reason = "control character (\\u0000-\\u001F) found while parsing a string";
                    return Err(Fault { at: self.at - 1, reason });
                }
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        const INVALID: &str = "invalid escape";
        match self.next() {
            None => Err(self.behind(EOF_IN_STRING)),
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => {
                let digits = self.bytes.get(self.at..self.at + 4);
                self.at = (self.at + 4).min(self.bytes.len());
                match digits {
                    Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(()),
                    Some(_) => Err(self.behind(INVALID)),
                    None => Err(self.behind(EOF_IN_STRING)),
                }
            }
            Some(_) => Err(self.behind(INVALID)),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn after_space(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    /// A fault at the byte that comes next.
    fn here(&self, reason: &'static str) -> Fault {
        self.fault((self.at + 1).min(self.bytes.len()), reason)
    }

    /// A fault at the byte that was read last.
    fn behind(&self, reason: &'static str) -> Fault {
        self.fault(self.at, reason)
    }

    /// A fault at the byte before `end`, or behind it if it is a line break.
    fn fault(&self, end: usize, reason: &'static str) -> Fault {
        let at = match end.checked_sub(1) {
            Some(last) if self.bytes[last] != b'\n' => last,
            _ => end,
        };
        Fault { at, reason }
    }
}
