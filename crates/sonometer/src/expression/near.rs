//! How long a match can be, and so where it can stand: most expressions need a digit, and most texts have few of them.
//!
//! `\s*` or `[\p{L}'-]+` has no greatest length by itself. In a text it has: that of the longest run of white space, or of the longest
//! run without. So a length is a sum of bytes and of such runs, and each text tells how much that is.

#[cfg(feature = "perf")]
use super::known::{Reader, Writer};
use super::needs::Bytes;
use regex_syntax::hir::{Class, Hir, HirKind};
use std::ops::Range;

/// The greatest length of a match: so many bytes, and so many times the longest run of white space and the longest run of anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Length {
    bytes: usize,
    white: usize,
    other: usize,
}

impl Length {
    /// `None` where a match can be of any length.
    pub(super) fn of(parsed: &Hir) -> Option<Self> {
        match parsed.kind() {
            HirKind::Empty | HirKind::Look(_) => Some(Self::default()),
            HirKind::Literal(literal) => Some(Self { bytes: literal.0.len(), ..Self::default() }),
            HirKind::Class(_) => Some(Self { bytes: parsed.properties().maximum_len()?, ..Self::default() }),
            HirKind::Repetition(repetition) => match repetition.max {
                Some(most) => Self::of(&repetition.sub)?.times(most as usize),
                None => Self::of_run(&repetition.sub),
            },
            HirKind::Capture(group) => Self::of(&group.sub),
            HirKind::Concat(parts) => {
                parts.iter().try_fold(Self::default(), |sum, part| sum.plus(Self::of(part)?))
            }
            HirKind::Alternation(parts) => parts.iter().try_fold(Self::default(), |most, part| {
                let Self { bytes, white, other } = Self::of(part)?;
                let most = (most.bytes.max(bytes), most.white.max(white), most.other.max(other));
                Some(Self { bytes: most.0, white: most.1, other: most.2 })
            }),
        }
    }

    /// Of characters of a class without limit: those beyond ASCII count as white space and as anything else, so that they end neither run.
    fn of_run(parsed: &Hir) -> Option<Self> {
        let HirKind::Class(class) = parsed.kind() else { return None };
        let has = |wanted: fn(u8) -> bool| (0..0x80).any(|byte| wanted(byte) && holds(class, byte));
        match (has(is_white), has(|byte| !is_white(byte))) {
            (true, true) => None,
            (true, false) => Some(Self { white: 1, ..Self::default() }),
            (false, _) => Some(Self { other: 1, ..Self::default() }),
        }
    }

    #[cfg(feature = "perf")]
    pub(super) fn write(self, to: &mut Writer) {
        [self.bytes, self.white, self.other].into_iter().for_each(|number| to.number(number));
    }

    #[cfg(feature = "perf")]
    pub(super) fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self { bytes: from.number()?, white: from.number()?, other: from.number()? })
    }

    fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            bytes: self.bytes.checked_add(other.bytes)?,
            white: self.white.checked_add(other.white)?,
            other: self.other.checked_add(other.other)?,
        })
    }

    fn times(self, times: usize) -> Option<Self> {
        Some(Self {
            bytes: self.bytes.checked_mul(times)?,
            white: self.white.checked_mul(times)?,
            other: self.other.checked_mul(times)?,
        })
    }
}

fn holds(class: &Class, byte: u8) -> bool {
    match class {
        Class::Bytes(class) => class.iter().any(|range| (range.start()..=range.end()).contains(&byte)),
        Class::Unicode(class) => {
            // Sorted: of some classes there are hundreds of ranges beyond ASCII.
            let mut ascii = class.iter().take_while(|range| range.start().is_ascii());
            ascii.any(|range| (range.start()..=range.end()).contains(&char::from(byte)))
        }
    }
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// The places of a text where matches that need a digit can stand.
#[derive(Debug)]
pub(super) struct Digits {
    /// Where digits and characters beyond ASCII stand, some of which are digits too.
    places: Vec<usize>,
    /// The longest runs of white space and of anything else, each with the characters beyond ASCII.
    white: usize,
    other: usize,
}

impl Digits {
    /// The bytes of which one is needed.
    pub(super) fn bytes() -> Bytes {
        (b'0'..=b'9').fold(Bytes::BEYOND_ASCII, |mut set, byte| {
            set.add(byte);
            set
        })
    }

    /// Of a text from byte `from` on.
    pub(super) fn of(text: &str, from: usize) -> Self {
        let mut digits = Self { places: Vec::new(), white: 0, other: 0 };
        let (mut white, mut other) = (0, 0);
        for (at, byte) in text.bytes().enumerate().skip(from) {
            if byte.is_ascii_digit() || !byte.is_ascii() {
                digits.places.push(at);
            }
            white = if is_white(byte) || !byte.is_ascii() { white + 1 } else { 0 };
            other = if is_white(byte) { 0 } else { other + 1 };
            digits.white = digits.white.max(white);
            digits.other = digits.other.max(other);
        }
        digits
    }

    /// The most bytes that a match of that length has in the text; `None` if that is more than any text has.
    pub(super) fn longest(&self, Length { bytes, white, other }: Length) -> Option<usize> {
        let runs = white.checked_mul(self.white)?.checked_add(other.checked_mul(self.other)?)?;
        bytes.checked_add(runs)
    }

    /// The stretches of these bytes of the text in which every match of that length stands that has one of the digits; none touches the next
    /// one, and none begins or ends within a character, as all bytes beyond ASCII are among the digits. `None` if searching there saves
    /// little.
    pub(super) fn stretches(&self, own: Range<usize>, length: Length) -> Option<Vec<Range<usize>>> {
        let length = self.longest(length)?;
        let mut stretches: Vec<Range<usize>> = Vec::new();
        let mut covered = 0;
        for &place in &self.places {
            // A byte more, so that no match ends where the stretch does: what stands behind a match can matter to it (`\b`, `$`).
            let (from, to) = (
                place.saturating_sub(length).max(own.start),
                place.saturating_add(length).saturating_add(1).min(own.end),
            );
            match stretches.last_mut() {
                Some(last) if from <= last.end => {
                    covered += to - last.end;
                    last.end = to;
                }
                _ => {
                    covered += to - from;
                    stretches.push(from..to);
                }
            }
            if covered > own.len() / 2 {
                return None;
            }
        }
        Some(stretches)
    }
}
