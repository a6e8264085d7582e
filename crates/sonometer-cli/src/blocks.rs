//! Lines of an input of any size, a block at a time.
//!
//! A block is what the input has ready, up to its last line break, so that the lines of a pipe are answered as they come
//! and those of a file are handed over in numbers.

use sonometer::interaction::MAX_CONTENT_BYTES;
use std::io::{self, Read};

/// Bytes that are asked of the input at once.
const READ: usize = 64 << 10;
/// The longest line that is kept: beyond it no interaction can be.
pub(crate) const LONGEST_LINE_BYTES: usize = 2 * MAX_CONTENT_BYTES;

/// What is said of a longer one.
pub(crate) const TOO_LONG: &str =
    "the line is longer than 128 MiB; the limit for an interaction is 64 MiB of content";

/// Some lines.
#[derive(Debug)]
pub(crate) enum Block {
    /// Whole lines; `first` is the number of the first of them, from 1.
    Lines { first: u64, bytes: Vec<u8> },
    /// A line that was left out for its length of `size` bytes.
    TooLong { number: u64, size: usize },
    /// The input cannot be read any further.
    Unreadable(io::Error),
}

impl Block {
    /// The lines that are not blank, with their numbers.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let (first, bytes) = match self {
            Self::Lines { first, bytes } => (*first, bytes.as_slice()),
            Self::TooLong { .. } | Self::Unreadable(_) => (0, &[][..]),
        };
        (first..).zip(bytes.split(|byte| *byte == b'\n')).filter(|(_, line)| !line.trim_ascii().is_empty())
    }

    /// Bytes of the input.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Lines { bytes, .. } => bytes.len(),
            Self::TooLong { size, .. } => *size,
            Self::Unreadable(_) => 0,
        }
    }
}

/// The blocks of an input.
#[derive(Debug)]
pub(crate) struct Blocks<R> {
    reader: R,
    /// What was read and not given out: the beginning of a line, or after [`Blocks::put_back`] some lines.
    rest: Vec<u8>,
    /// The number of the line that `rest` begins with.
    next: u64,
    /// Bytes given out.
    taken: usize,
    most: usize,
    over: bool,
}

impl<R: Read> Blocks<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, rest: Vec::new(), next: 1, taken: 0, most: LONGEST_LINE_BYTES, over: false }
    }

    /// Bytes given out so far.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// Gives lines out once more, from the line `number` on; nothing must have been taken since.
    pub(crate) fn put_back(&mut self, number: u64, bytes: &[u8]) {
        self.taken -= bytes.len();
        self.next = number;
        self.rest.splice(..0, bytes.iter().copied());
    }

    /// Reads on; whether there was something.
    fn read(&mut self) -> io::Result<bool> {
        let length = self.rest.len();
        self.rest.resize(length + READ, 0);
        let count = loop {
            match self.reader.read(&mut self.rest[length..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => break done,
            }
        };
        self.rest.truncate(length + count.as_ref().copied().unwrap_or(0));
        count.map(|count| count > 0)
    }

    fn block(&mut self) -> io::Result<Option<Block>> {
        // Where no line break was found yet.
        let mut searched = 0;
        loop {
            if let Some(at) = self.rest[searched..].iter().rposition(|byte| *byte == b'\n') {
                let rest = self.rest.split_off(searched + at + 1);
                return Ok(Some(self.give(rest)));
            }
            searched = self.rest.len();
            if searched > self.most {
                return self.skip().map(Some);
            }
            if self.over || !self.read()? {
                self.over = true;
                return Ok((!self.rest.is_empty()).then(|| self.give(Vec::new())));
            }
        }
    }

    /// Gives out what was read, but for `rest`.
    fn give(&mut self, rest: Vec<u8>) -> Block {
        let bytes = std::mem::replace(&mut self.rest, rest);
        let first = self.next;
        self.next += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.taken += bytes.len();
        Block::Lines { first, bytes }
    }

    /// Drops the line in hand up to its end.
    fn skip(&mut self) -> io::Result<Block> {
        let mut size = 0;
        loop {
            if let Some(at) = self.rest.iter().position(|byte| *byte == b'\n') {
                size += at + 1;
                self.rest.drain(..=at);
                break;
            }
            size += self.rest.len();
            self.rest = Vec::new();
            if !self.read()? {
                self.over = true;
                break;
            }
        }
        self.taken += size;
        self.next += 1;
        Ok(Block::TooLong { number: self.next - 1, size })
    }
}

impl<R: Read> Iterator for Blocks<R> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        self.block().unwrap_or_else(|error| {
            self.over = true;
            self.rest.clear();
            Some(Block::Unreadable(error))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes in pieces.
    struct Pieces(Vec<Vec<u8>>);

    impl Read for Pieces {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            into[..piece.len()].copy_from_slice(&piece);
            Ok(piece.len())
        }
    }

    fn pieces(pieces: &[&str]) -> Blocks<Pieces> {
        Blocks::new(Pieces(pieces.iter().map(|piece| piece.as_bytes().to_vec()).collect()))
    }

    fn shown(blocks: impl Iterator<Item = Block>) -> Vec<String> {
        let show = |block: Block| match &block {
            Block::TooLong { number, size } => format!("{number} too long: {size}"),
            Block::Unreadable(error) => error.to_string(),
            Block::Lines { .. } => {
                let lines = block.lines().map(|(n, line)| format!("{n}:{}", String::from_utf8_lossy(line)));
                lines.collect::<Vec<_>>().join(" ")
            }
        };
        blocks.map(show).collect()
    }

    #[test]
    fn lines_are_given_out_as_they_come() {
        let blocks = pieces(&["a\nb", "c\n", "\n\nd\ne", "f", "g"]);
        assert_eq!(shown(blocks), ["1:a", "2:bc", "5:d", "6:efg"]);
        assert_eq!(shown(pieces(&[])), [""; 0]);
        assert_eq!(shown(pieces(&["a\n"])), ["1:a"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_not_kept() {
        let mut blocks = pieces(&["a\nbbbb", "bbb", "bbbb\nc\n", "dddddddddd"]);
        blocks.most = 6;
        assert_eq!(shown(&mut blocks), ["1:a", "2 too long: 12", "3:c", "4 too long: 10"]);
        assert_eq!(blocks.taken(), 26);
    }

    #[test]
    fn lines_can_be_put_back() {
        let mut blocks = pieces(&["a\nb\nc\n", "d\n"]);
        assert_eq!(shown(blocks.by_ref().take(1)), ["1:a 2:b 3:c"]);
        blocks.put_back(2, b"b\nc\n");
        assert_eq!(blocks.taken(), 2);
        assert_eq!(shown(blocks), ["2:b 3:c", "4:d"]);
    }
}
