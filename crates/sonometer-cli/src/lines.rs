//! Lines out of bytes that come in bit by bit.

use crate::blocks::LONGEST_LINE_BYTES;

/// What came, and was not taken out yet.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// How many lines were taken out.
    taken: u64,
    /// Where the next line begins in `bytes`.
    from: usize,
    /// Up to where no line end was found: what was looked through is not looked through again.
    looked: usize,
}

impl Lines {
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.looked = self.bytes.len() - self.from;
        self.bytes.drain(..std::mem::take(&mut self.from));
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether nothing came yet.
    pub(crate) fn is_new(&self) -> bool {
        self.taken == 0 && self.bytes.is_empty()
    }

    /// The next line that is complete, with its number from 1.
    pub(crate) fn next_line(&mut self) -> Option<(u64, Vec<u8>)> {
        let looked = std::mem::take(&mut self.looked);
        let rest = &self.bytes[self.from..];
        let end = looked + rest[looked..].iter().position(|byte| *byte == b'\n')?;
        let line = rest[..end].to_vec();
        self.from += end + 1;
        Some(self.numbered(line))
    }

    /// The number of the line that comes in, if it is longer than any interaction can be. Asked after [`Lines::next_line`] gave
    /// all that is complete.
    pub(crate) fn too_long(&self) -> Option<u64> {
        (self.bytes.len() - self.from > LONGEST_LINE_BYTES).then_some(self.taken + 1)
    }

    /// What stands behind the last line end.
    pub(crate) fn last_line(&mut self) -> Option<(u64, Vec<u8>)> {
        let line = self.bytes.split_off(self.from);
        (!line.is_empty()).then(|| self.numbered(line))
    }

    fn numbered(&mut self, mut line: Vec<u8>) -> (u64, Vec<u8>) {
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if self.taken == 0 && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(..3);
        }
        self.taken += 1;
        (self.taken, line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_they_are_cut() {
        let text = "\u{feff}a\r\n\nbc\nd".as_bytes();
        for size in 1..=text.len() {
            let (mut lines, mut told) = (Lines::default(), Vec::new());
            for chunk in text.chunks(size) {
                lines.take(chunk);
                told.extend(std::iter::from_fn(|| lines.next_line()));
            }
            told.extend(lines.last_line());
            let told: Vec<(u64, &[u8])> =
                told.iter().map(|(number, line)| (*number, line.as_slice())).collect();
            assert_eq!(told, [(1, &b"a"[..]), (2, b""), (3, b"bc"), (4, b"d")], "{size}");
        }
    }

    #[test]
    fn a_line_that_never_ends_is_noticed() {
        let mut lines = Lines::default();
        lines.take(b"a\n");
        assert!(lines.next_line().is_some());
        let chunk = vec![b'x'; 16 << 20];
        for _ in 0..LONGEST_LINE_BYTES / chunk.len() {
            lines.take(&chunk);
            assert!(lines.next_line().is_none() && lines.too_long().is_none());
        }
        lines.take(b"x");
        assert!(lines.next_line().is_none());
        assert_eq!(lines.too_long(), Some(2));
    }
}
