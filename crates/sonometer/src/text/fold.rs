//! Folding: spellings that a reader takes for the same become the same string, and every place in it knows
//! where it was in the original.
//!
//! The fold of a character is compatibility decomposition, full case folding and the loss of Latin, Greek,
//! Cyrillic, Hebrew and Arabic diacritics; digits, apostrophes, quotes, hyphens, dashes, spaces and line ends
//! of all kinds become their ASCII forms, invisible characters vanish. Marks that make another letter stay:
//! vowel signs, nukta, virama, kana voicing, Thai, Lao and Tibetan tones and vowels. Canonically equivalent
//! texts have the same fold.
//!
//! **Case.** ASCII stays as it is, case included, so that a text of ASCII only, the common case, is used
//! unfolded: words are lower-cased when they are hashed. Other characters that fold to ASCII keep their case
//! (`É` to `E`); what stays outside ASCII is lower case (`Д` to `д`).
//!
//! **Context** matters in four places, and each looks only at what was folded before, so that folding twice
//! is folding once: a zero-width joiner stays between two symbols (an emoji sequence) and goes elsewhere; a
//! skin tone goes after a symbol and is a symbol itself elsewhere; Hangul letters join into syllables, since
//! composed Korean then needs no folding at all; kept marks are put in canonical order.

use super::chars::{CharFold, Class, char_fold, class, combining_class, is_extender, is_unchanged_anywhere};
use std::cell::Cell;
use std::num::NonZeroUsize;
use std::ops::Range;

const ZERO_WIDTH_JOINER: char = '\u{200D}';

/// Bytes of the fold for which one segment is noted, where look-ups begin. A segment has at least one byte, so that a look-up passes fewer
/// segments than this, side by side in memory; the notes take 8 bytes for each 64.
const BLOCK: usize = 64;

/// A text, its fold, and the map between them. Offsets are in bytes.
///
/// ```
/// use sonometer::text::fold::Folded;
///
/// let folded = Folded::new("Chloe\u{301}’s café");
/// assert_eq!(folded.text(), "Chloe's cafe");
/// assert_eq!(folded.original_range(0, 5), 0..7);
/// ```
#[derive(Clone, Debug)]
pub struct Folded<'t> {
    original: &'t str,
    is_ascii: bool,
    /// Empty when `is_ascii`.
    buffers: FoldBuffers,
    /// The last segment that ended, with the end in the original of the extenders behind it: one letter may have a text full of them, and
    /// each of as many matches asks for their end.
    ended: Cell<Option<(usize, usize)>>,
}

/// The memory of a [`Folded`], to be used for the next one.
#[derive(Clone, Debug, Default)]
pub struct FoldBuffers {
    text: String,
    segments: Vec<Segment>,
    /// By block of [`BLOCK`] bytes of the fold: the segment that holds its first byte. Hits come rule by rule, each time from the left
    /// again, so that neither the last look-up nor a search by halves finds a place in a long text without waiting for memory.
    blocks: Vec<usize>,
}

/// A stretch of the fold and where it comes from. It ends where the next one starts. Segments are in order,
/// cover the fold, and are separated in the original by what was dropped.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Start in the fold.
    folded: usize,
    /// Start in the original.
    original: usize,
    /// `None` for a run, in which every character has as many bytes in the fold as in the original, so that places
    /// differ by a constant. Otherwise the length in the original of what folds to the segment as a whole.
    original_len: Option<NonZeroUsize>,
}

impl<'t> Folded<'t> {
    /// Folds `original`.
    #[must_use]
    pub fn new(original: &'t str) -> Self {
        Self::with_buffers(original, FoldBuffers::default())
    }

    /// Folds `original` into memory that was used before.
    #[must_use]
    pub fn with_buffers(original: &'t str, mut buffers: FoldBuffers) -> Self {
        buffers.text.clear();
        buffers.segments.clear();
        buffers.blocks.clear();
        let is_ascii = original.is_ascii();
        if !is_ascii {
            // Folding seldom makes a text longer; at most 11 times (U+FDFA: 3 bytes to 33).
            buffers.text.reserve(original.len());
            let mut folder = Folder { original, output: buffers, joiner: None };
            folder.fold();
            buffers = folder.output;
            buffers.note_blocks();
        }
        Self { original, is_ascii, buffers, ended: Cell::default() }
    }

    /// The same fold once more, in memory that was used before.
    pub(crate) fn copy_into(&self, mut buffers: FoldBuffers) -> Self {
        buffers.text.clone_from(&self.buffers.text);
        buffers.segments.clone_from(&self.buffers.segments);
        buffers.blocks.clone_from(&self.buffers.blocks);
        Self { original: self.original, is_ascii: self.is_ascii, buffers, ended: self.ended.clone() }
    }

    /// Gives the memory back.
    #[must_use]
    pub fn into_buffers(self) -> FoldBuffers {
        self.buffers
    }

    /// The text that was folded.
    #[must_use]
    pub fn original(&self) -> &'t str {
        self.original
    }

    /// The folded text: the original itself when that is ASCII only.
    #[must_use]
    pub fn text(&self) -> &str {
        if self.is_ascii { self.original } else { &self.buffers.text }
    }

    /// Where the bytes `start..end` of the folded text are in the original.
    ///
    /// From the start of the character that the first byte comes from to the end of the one that the last
    /// byte comes from, with the marks, variation selectors and skin tones that were dropped directly after
    /// it. An empty range maps to an empty one. The result always lies on character boundaries of the
    /// original; offsets beyond the end of the folded text count as its end.
    #[must_use]
    pub fn original_range(&self, start: usize, end: usize) -> Range<usize> {
        // In a run a character of the fold is as long as its own, so that the edges of the one are those of the other.
        let is_whole = self.text().is_char_boundary(start) && self.text().is_char_boundary(end);
        if is_whole && let Some(range) = self.range_in_run(start, end) {
            return range;
        }
        self.range_between(start, end)
    }

    /// The same for whole characters of the fold. Neither text is looked at where they lie in a run: in a long text each look is a wait for
    /// memory.
    #[inline]
    pub(crate) fn range_of_whole(&self, start: usize, end: usize) -> Range<usize> {
        debug_assert!(self.text().is_char_boundary(start) && self.text().is_char_boundary(end));
        self.range_in_run(start, end).unwrap_or_else(|| self.range_between(start, end))
    }

    fn range_between(&self, start: usize, end: usize) -> Range<usize> {
        let end = end.min(self.text().len());
        let start = start.min(end);
        let from = self.source_start(start);
        if start == end { from..from } else { from..self.source_end(end).max(from) }
    }

    /// The smallest offset in the folded text whose source starts at or after `original_offset`; the length
    /// of the folded text if there is none.
    #[must_use]
    pub fn folded_offset(&self, original_offset: usize) -> usize {
        let offset = ceil_char_boundary(self.original, original_offset);
        if self.is_ascii {
            return offset;
        }
        let segments = &self.buffers.segments;
        let next = segments.partition_point(|segment| segment.original < offset);
        let next_start = segments.get(next).map_or(self.buffers.text.len(), |segment| segment.folded);
        match next.checked_sub(1).map(|before| segments[before]) {
            Some(run) if run.original_len.is_none() => next_start.min(run.folded + (offset - run.original)),
            _ => next_start,
        }
    }

    /// Where whole characters within one run are in the original, before its end, which may have dropped characters behind it: nearly all of
    /// most texts is in long runs.
    #[inline]
    fn range_in_run(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let (at, run) = self.segment_at(start)?;
        let next = self.buffers.segments.get(at + 1).map_or(self.buffers.text.len(), |next| next.folded);
        let is_within = run.original_len.is_none() && start < end && end < next;
        let original = |offset: usize| run.original + (offset - run.folded);
        is_within.then(|| original(start)..original(end))
    }

    /// Start in the original of the source of the folded byte at `offset`.
    fn source_start(&self, offset: usize) -> usize {
        if offset >= self.text().len() {
            return self.original.len();
        }
        let start = match self.segment_at(offset) {
            None => offset,
            Some((_, segment)) if segment.original_len.is_none() => {
                segment.original + (offset - segment.folded)
            }
            Some((_, segment)) => segment.original,
        };
        floor_char_boundary(self.original, start)
    }

    /// End in the original of the source of the folded byte before `end`, with its extenders; `end` is not 0.
    fn source_end(&self, end: usize) -> usize {
        let Some((index, segment)) = self.segment_at(end - 1) else { return end };
        let next = self.buffers.segments.get(index + 1);
        let source_end = match segment.original_len {
            Some(len) => segment.original + len.get(),
            None => {
                let source_end = ceil_char_boundary(self.original, segment.original + (end - segment.folded));
                let segment_end = next.map_or(self.buffers.text.len(), |next| next.folded);
                if end < segment_end {
                    return source_end;
                }
                source_end
            }
        };
        if let Some((_, end)) = self.ended.get().filter(|(ended, _)| *ended == index) {
            return end;
        }
        let next_source = next.map_or(self.original.len(), |next| next.original);
        let dropped = self.original.get(source_end..next_source).unwrap_or_default();
        let end =
            source_end + dropped.chars().take_while(|&c| is_extender(c)).map(char::len_utf8).sum::<usize>();
        self.ended.set(Some((index, end)));
        end
    }

    /// The segment that holds the folded byte at `offset`; `None` if the text is unfolded or ends before.
    #[inline]
    fn segment_at(&self, offset: usize) -> Option<(usize, Segment)> {
        let segments = &self.buffers.segments;
        let mut at = *self.buffers.blocks.get(offset / BLOCK)?;
        while segments.get(at + 1).is_some_and(|next| next.folded <= offset) {
            at += 1;
        }
        Some((at, segments[at]))
    }
}

impl FoldBuffers {
    /// Notes where look-ups begin, when the fold is done.
    fn note_blocks(&mut self) {
        let mut at = 0;
        for block in (0..self.text.len()).step_by(BLOCK) {
            while self.segments.get(at + 1).is_some_and(|next| next.folded <= block) {
                at += 1;
            }
            self.blocks.push(at);
        }
    }
}

/// The fold of `text` in lower case: for names and keys that are compared as a whole.
#[must_use]
pub fn fold_to_lower(text: &str) -> String {
    let folded = Folded::new(text);
    let mut lower = if folded.is_ascii { text.to_owned() } else { folded.buffers.text };
    lower.make_ascii_lowercase();
    lower
}

/// The name of a role as it is compared: folded, in lower case, without outer white space.
pub(crate) fn fold_role(role: &str) -> String {
    fold_to_lower(role).trim().to_owned()
}

/// Passes on what one character folds to, out of context.
#[inline]
pub(crate) fn each_folded(c: char, mut take: impl FnMut(char)) {
    match char_fold(c) {
        CharFold::Dropped => {}
        CharFold::Same => take(c),
        CharFold::Char(folded) => take(folded),
        CharFold::Text(text) => text.chars().for_each(take),
    }
}

/// A fold in progress.
struct Folder<'t> {
    original: &'t str,
    output: FoldBuffers,
    /// Start of a zero-width joiner that follows a symbol: written if another symbol comes next.
    joiner: Option<usize>,
}

impl Folder<'_> {
    fn fold(&mut self) {
        let mut position = 0;
        while let Some(rest) = self.original.get(position..) {
            // Nearly all of most texts: long stretches that fold to themselves are copied at once, and only what lies between them is
            // folded character by character.
            let unchanged = unchanged_prefix(rest);
            if !unchanged.is_empty() {
                self.settle_joiner(unchanged.chars().next());
                self.extend_run(position, unchanged);
                position += unchanged.len();
            }
            let Some(c) = rest[unchanged.len()..].chars().next() else { return };
            let source = position..position + c.len_utf8();
            position = source.end;
            self.fold_char(c, source);
        }
    }

    fn fold_char(&mut self, c: char, source: Range<usize>) {
        match char_fold(c) {
            CharFold::Dropped => {
                if c == ZERO_WIDTH_JOINER && self.ends_with_symbol() {
                    self.joiner = Some(source.start);
                }
            }
            CharFold::Same => {
                // A skin tone directly after its emoji; after a joiner it is part of the sequence.
                let is_skin_tone = matches!(c, '\u{1F3FB}'..='\u{1F3FF}');
                if !(is_skin_tone && self.joiner.is_none() && self.ends_with_symbol()) {
                    self.push_char(c, source);
                }
            }
            CharFold::Char(folded) => self.push_char(folded, source),
            CharFold::Text(text) => {
                self.settle_joiner(text.chars().next());
                if !self.insert_marks(text, source.end) {
                    self.push_record(source, text);
                }
            }
        }
    }

    /// Appends one folded character.
    fn push_char(&mut self, c: char, source: Range<usize>) {
        let mut utf8 = [0; 4];
        let text = &*c.encode_utf8(&mut utf8);
        self.settle_joiner(Some(c));
        if let Some((at, syllable)) = self.joined_syllable(c) {
            self.rewrite_tail(at, source.end, &[syllable]);
        } else if !self.insert_marks(text, source.end) {
            if text.len() == source.len() {
                self.extend_run(source.start, text);
            } else {
                self.push_record(source, text);
            }
        }
    }

    /// Appends `text`, which folds character by character from the same number of bytes at `original`.
    fn extend_run(&mut self, original: usize, text: &str) {
        let folded = self.output.text.len();
        let continues = self.output.segments.last().is_some_and(|last| {
            last.original_len.is_none() && last.original + (folded - last.folded) == original
        });
        if !continues {
            self.output.segments.push(Segment { folded, original, original_len: None });
        }
        self.output.text.push_str(text);
    }

    /// Appends what `source` as a whole folds to.
    fn push_record(&mut self, source: Range<usize>, text: &str) {
        let folded = self.output.text.len();
        self.output.segments.push(Segment {
            folded,
            original: source.start,
            original_len: NonZeroUsize::new(source.len()),
        });
        self.output.text.push_str(text);
    }

    /// Writes or forgets the joiner that waits, now that it is known what follows.
    fn settle_joiner(&mut self, next: Option<char>) {
        if let Some(original) = self.joiner.take()
            && next.is_some_and(|next| matches!(class(next), Class::Symbol | Class::Modifier))
        {
            self.extend_run(original, ZERO_WIDTH_JOINER.encode_utf8(&mut [0; 4]));
        }
    }

    fn ends_with_symbol(&self) -> bool {
        let last = self.output.text.chars().next_back();
        last.is_some_and(|last| matches!(class(last), Class::Symbol | Class::Modifier))
    }

    /// The Hangul syllable that the last folded character makes with `c`, and where that one starts.
    fn joined_syllable(&self, c: char) -> Option<(usize, char)> {
        // The conjoining vowels and final consonants.
        if !matches!(c, '\u{1161}'..='\u{1175}' | '\u{11A8}'..='\u{11C2}') {
            return None;
        }
        let (at, last) = self.output.text.char_indices().next_back()?;
        let last = u32::from(last);
        let c = u32::from(c);
        let code = match (last, c) {
            (0x1100..=0x1112, 0x1161..=0x1175) => 0xAC00 + ((last - 0x1100) * 21 + (c - 0x1161)) * 28,
            (0xAC00..=0xD7A3, 0x11A8..) if (last - 0xAC00) % 28 == 0 => last + (c - 0x11A7),
            _ => return None,
        };
        char::from_u32(code).map(|syllable| (at, syllable))
    }

    /// If canonical order puts some of `marks` before marks that were folded before them, sorts them in. Does
    /// nothing if `marks` belong at the end or are no marks with an order.
    fn insert_marks(&mut self, marks: &str, source_end: usize) -> bool {
        let lowest = marks.chars().map(combining_class).min().unwrap_or(0);
        if lowest == 0 {
            return false;
        }
        let text = &self.output.text;
        let higher = text.char_indices().rev().take_while(|&(_, last)| combining_class(last) > lowest);
        let Some((at, _)) = higher.last() else { return false };
        let mut tail: Vec<char> = text[at..].chars().chain(marks.chars()).collect();
        // Stable: marks of one class keep their order, which means something.
        tail.sort_by_key(|&mark| combining_class(mark));
        self.rewrite_tail(at, source_end, &tail);
        true
    }

    /// Replaces the fold from `at` on by `tail`, and makes it one record that ends at `source_end` in the
    /// original. The record begins earlier if `at` lies within one.
    fn rewrite_tail(&mut self, at: usize, source_end: usize, tail: &[char]) {
        self.output.text.truncate(at);
        self.output.text.extend(tail);
        let segments = &mut self.output.segments;
        let mut start = Segment { folded: at, original: source_end, original_len: None };
        while let Some(last) = segments.pop() {
            if last.folded < at && last.original_len.is_none() {
                // The run stays and ends here.
                start =
                    Segment { folded: at, original: last.original + (at - last.folded), original_len: None };
                segments.push(last);
                break;
            }
            start = last;
            if last.folded <= at {
                break;
            }
        }
        let original_len = NonZeroUsize::new(source_end - start.original);
        segments.push(Segment { original_len, ..start });
    }
}

/// The longest prefix of `text` that is its own fold whatever comes before it.
fn unchanged_prefix(text: &str) -> &str {
    let mut len = 0;
    loop {
        len += ascii_prefix(&text[len..]).len();
        let others = text[len..].chars().take_while(|&c| !c.is_ascii() && is_unchanged_anywhere(c));
        let others: usize = others.map(char::len_utf8).sum();
        if others == 0 {
            return &text[..len];
        }
        len += others;
    }
}

/// The longest ASCII prefix of `text`, found eight bytes at a time.
#[cfg_attr(small_build, optimize(speed))]
fn ascii_prefix(text: &str) -> &str {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    let bytes = text.as_bytes();
    let (words, rest) = bytes.as_chunks::<8>();
    let mut len = 0;
    for word in words {
        let high = u64::from_le_bytes(*word) & HIGH_BITS;
        if high != 0 {
            return &text[..len + (high.trailing_zeros() / 8) as usize];
        }
        len += word.len();
    }
    len += rest.iter().take_while(|byte| byte.is_ascii()).count();
    &text[..len]
}

pub(crate) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn ceil_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset += 1;
    }
    offset
}

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
