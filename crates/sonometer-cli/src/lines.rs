//! Lines out of bytes that come in bit by bit.

/// What came, and was not taken out yet.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// How many lines were taken out.
    taken: u64,
    /// Where the next line begins in `bytes`.
    from: usize,
}

impl Lines {
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.bytes.drain(..std::mem::take(&mut self.from));
        self.bytes.extend_from_slice(bytes);
    }

    /// The next line that is complete, with its number from 1.
    pub(crate) fn next_line(&mut self) -> Option<(u64, Vec<u8>)> {
        let rest = &self.bytes[self.from..];
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let line = rest[..end].to_vec();
        self.from += end + 1;
        Some(self.numbered(line))
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
