//! What every match of an expression has in it, so that a text without it need not be searched: a digit, an `@`, one of some words.

use super::Characters;
#[cfg(feature = "perf")]
use super::heads::{Heads, Places};
#[cfg(feature = "perf")]
use super::known::{Reader, Writer};
use super::near::{Digits, Length};
use super::pieces::{Pieces, Threes};
use regex_syntax::hir::{Class, Hir, HirKind};
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::ops::Range;

/// What a text has, for all expressions that may be looked for in it.
#[derive(Debug)]
pub(crate) struct Seen<'t> {
    text: &'t str,
    /// What stands before this byte is looked back at only.
    from: usize,
    bytes: Bytes,
    /// Noted when an expression first asks; `None` inside where the text may have a guise of a letter (`pieces.rs`).
    threes: OnceCell<Option<Threes>>,
    /// Likewise; `None` inside where the text is too short or too long.
    #[cfg(feature = "perf")]
    places: OnceCell<Option<Places>>,
    /// Likewise.
    digits: OnceCell<Digits>,
    characters: Characters,
}

impl<'t> Seen<'t> {
    /// A text from byte `from` on.
    pub(crate) fn of(text: &'t str, from: usize) -> Self {
        let bytes = Bytes::of(&text.as_bytes()[from..]);
        let characters = match bytes.is_ascii() {
            true => Characters::of(&text[..from]),
            false => Characters::All,
        };
        Self {
            text,
            from,
            bytes,
            threes: OnceCell::new(),
            #[cfg(feature = "perf")]
            places: OnceCell::new(),
            digits: OnceCell::new(),
            characters,
        }
    }

    /// Those of all of the text.
    pub(crate) fn characters(&self) -> Characters {
        self.characters
    }

    /// All of the text, also what is looked back at.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    fn own(&self) -> &'t str {
        &self.text[self.from..]
    }

    fn threes(&self) -> Option<&Threes> {
        self.threes.get_or_init(|| Threes::of(self.own(), &self.bytes)).as_ref()
    }

    fn may_have(&self, pieces: &Pieces) -> bool {
        self.threes().is_none_or(|threes| pieces.may_be_in(threes))
    }

    fn digits(&self) -> &Digits {
        self.digits.get_or_init(|| Digits::of(self.text, self.from))
    }

    /// Where matches that begin so can begin, from left to right; `None` where that is not known, or in many places.
    #[cfg(feature = "perf")]
    fn starts(&self, heads: &Heads) -> Option<Vec<usize>> {
        let threes = self.threes()?;
        let places = self.places.get_or_init(|| Places::of(self.own().as_bytes())).as_ref()?;
        let longest = || self.digits().longest(heads.length);
        let mut starts = places.starts(self.own(), threes, heads, longest)?;
        starts.iter_mut().for_each(|start| *start += self.from);
        Some(starts)
    }
}

/// A set of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bytes([u64; 4]);

impl Bytes {
    const NONE: Self = Self([0; 4]);
    /// The bytes of characters beyond ASCII. They are not told apart.
    pub(super) const BEYOND_ASCII: Self = Self([0, 0, u64::MAX, u64::MAX]);

    /// The bytes of a text.
    fn of(text: &[u8]) -> Self {
        let mut set = Self::NONE;
        if text.len() <= 256 {
            text.iter().for_each(|byte| set.add(*byte));
            return set;
        }
        // A place of its own for each byte, so that no step waits for the one before.
        let mut seen = [false; 256];
        text.iter().for_each(|byte| seen[usize::from(*byte)] = true);
        (0..=255).filter(|byte| seen[usize::from(*byte)]).for_each(|byte| set.add(byte));
        set
    }

    fn is_ascii(&self) -> bool {
        self.0[2..] == [0, 0]
    }

    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte / 64)] & 1 << (byte % 64) != 0
    }

    pub(super) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    fn with(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own |= other);
        self
    }

    fn without(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(own, other)| *own &= !other);
        self
    }

    fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own & !other == 0)
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(own, other)| own & other != 0)
    }

    /// How common its bytes are in what people write, about: a set of few and rare ones says most.
    fn frequency(&self) -> u32 {
        let [low, high, beyond, far_beyond] = self.0;
        let of_bits = |mut bits: u64, first: u8| {
            let mut sum = 0;
            while bits != 0 {
                sum += frequency(first + bits.trailing_zeros() as u8);
                bits &= bits - 1;
            }
            sum
        };
        of_bits(low, 0) + of_bits(high, 64) + (beyond.count_ones() + far_beyond.count_ones()) / 16
    }
}

fn frequency(byte: u8) -> u32 {
    match byte {
        b' ' => 170,
        b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'h' | b'r' => 60,
        b'a'..=b'z' => 20,
        _ => 4,
    }
}

/// What every match has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// So many bytes: `(\S+\s+){100}` has 200.
    shortest: usize,
    /// Of each of these sets a byte.
    sets: Vec<Bytes>,
    /// One of these pieces of text.
    pieces: Option<Pieces>,
    /// How matches begin.
    #[cfg(feature = "perf")]
    heads: Option<Heads>,
    /// Of an expression that needs a digit: the greatest length of a match.
    near_digits: Option<Length>,
}

/// The most sets that are kept: those of the rarest bytes.
const MOST: usize = 6;

impl Needs {
    pub(super) fn of(parsed: &Hir) -> Self {
        let mut sets = sets(parsed);
        sets.sort_by_cached_key(Bytes::frequency);
        sets.dedup();
        let digits = Digits::bytes();
        let needs_digit = sets.iter().any(|set| set.is_within(&digits));
        sets.truncate(MOST);
        let near_digits = if needs_digit { Length::of(parsed) } else { None };
        let shortest = parsed.properties().minimum_len().unwrap_or(0);
        Self {
            shortest,
            sets,
            pieces: Pieces::of(parsed),
            #[cfg(feature = "perf")]
            heads: Heads::of(parsed),
            near_digits,
        }
    }

    #[cfg(feature = "perf")]
    pub(super) fn write(&self, to: &mut Writer) {
        to.number(self.shortest);
        to.number(self.sets.len());
        for Bytes([low, high, beyond, far_beyond]) in &self.sets {
            to.bits(u128::from(*high) << 64 | u128::from(*low));
            to.bits(u128::from(*far_beyond) << 64 | u128::from(*beyond));
        }
        to.flag(self.pieces.is_some());
        self.pieces.iter().for_each(|pieces| pieces.write(to));
        to.flag(self.heads.is_some());
        self.heads.iter().for_each(|heads| heads.write(to));
        to.flag(self.near_digits.is_some());
        self.near_digits.iter().for_each(|length| length.write(to));
    }

    #[cfg(feature = "perf")]
    pub(super) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let set = |from: &mut Reader<'_>| {
            let (first, second) = (from.bits()?, from.bits()?);
            Some(Bytes([first as u64, (first >> 64) as u64, second as u64, (second >> 64) as u64]))
        };
        let (shortest, sets) = (from.number()?, from.many(set)?);
        let pieces = if from.flag()? { Some(Pieces::read(from)?) } else { None };
        let heads = if from.flag()? { Some(Heads::read(from)?) } else { None };
        let near_digits = if from.flag()? { Some(Length::read(from)?) } else { None };
        Some(Self { shortest, sets, pieces, heads, near_digits })
    }

    /// Where in a text all matches begin, from left to right; `None`: anywhere.
    #[cfg(feature = "perf")]
    pub(super) fn starts(&self, seen: &Seen<'_>) -> Option<Vec<usize>> {
        seen.starts(self.heads.as_ref()?)
    }

    /// Where in a text all matches stand, from left to right; `None`: anywhere.
    pub(super) fn stretches(&self, seen: &Seen<'_>) -> Option<Vec<Range<usize>>> {
        let length = self.near_digits?;
        seen.digits().stretches(seen.from..seen.text.len(), length)
    }

    pub(super) fn are_in(&self, seen: &Seen<'_>) -> bool {
        // Pieces say more than most sets, but are noted only where the rarest byte, often a digit, is there.
        let (rarest, others) = self.sets.split_at(self.sets.len().min(1));
        let meet = |sets: &[Bytes]| sets.iter().all(|set| set.meets(&seen.bytes));
        let fits = self.shortest <= seen.own().len();
        fits && meet(rarest)
            && self.pieces.as_ref().is_none_or(|pieces| seen.may_have(pieces))
            && meet(others)
    }
}

fn sets(parsed: &Hir) -> Vec<Bytes> {
    match parsed.kind() {
        HirKind::Empty | HirKind::Look(_) => Vec::new(),
        HirKind::Literal(literal) => literal.0.iter().map(|byte| one(*byte)).collect(),
        HirKind::Class(class) => vec![of_class(class)],
        HirKind::Repetition(repetition) if repetition.min == 0 => Vec::new(),
        HirKind::Repetition(repetition) => sets(&repetition.sub),
        HirKind::Capture(group) => sets(&group.sub),
        HirKind::Concat(parts) => parts.iter().flat_map(sets).collect(),
        HirKind::Alternation(parts) => of_one(&parts.iter().map(sets).collect::<Vec<_>>()),
    }
}

/// Alternatives with their sets: which of them a match takes is open, so one set of each together is what it needs.
fn of_one(parts: &[Vec<Bytes>]) -> Vec<Bytes> {
    let Some((first, others)) = parts.split_first() else { return Vec::new() };
    // What looks rarest in one may not go with the others (`10.` beside `1:`: a digit is in both). Only a few are tried of a few.
    let mut first: Vec<&Bytes> = first.iter().collect();
    first.sort_by_cached_key(|set| Reverse(set.frequency()));
    let tried = if others.len() < 8 { first.len().min(MOST) } else { first.len().min(1) };
    let with_others = |set: &Bytes| {
        others.iter().try_fold(*set, |all, other| {
            let least = other.iter().min_by_key(|set| set.without(&all).frequency());
            least.map(|set| all.with(set))
        })
    };
    let (common, rare) = first.split_at(first.len() - tried);
    // The most common one as well: a class such as `\d`, in which what others need lies.
    common.first().into_iter().chain(rare).filter_map(|set| with_others(set)).collect()
}

fn one(byte: u8) -> Bytes {
    let mut set = Bytes::NONE;
    set.add(byte);
    set
}

fn of_class(class: &Class) -> Bytes {
    let mut set = Bytes::NONE;
    match class {
        Class::Bytes(class) => {
            class.iter().for_each(|range| (range.start()..=range.end()).for_each(|byte| set.add(byte)));
        }
        Class::Unicode(class) => {
            for range in class.iter() {
                let (first, last) = (u32::from(range.start()), u32::from(range.end()));
                (first..=last.min(0x7F)).for_each(|byte| set.add(byte as u8));
                if last > 0x7F {
                    set = set.with(&Bytes::BEYOND_ASCII);
                    // Ranges are sorted: what follows is beyond ASCII, too.
                    break;
                }
            }
        }
    }
    set
}
