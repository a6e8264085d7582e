//! How matches begin. Every match of many expressions begins with one of a few words (`order`, `ticket`), and most texts have these in few
//! places. So a match is searched for only there. (The same for expressions that begin with a digit was tried, and gained nothing.)

use super::known::{Reader, Writer};
use super::near::Length;
use super::pieces::{Piece, SHORTEST, Threes, characters, number, piece};
use regex_syntax::hir::{Hir, HirKind, Repetition};

/// The most beginnings: looking each of them up takes about as long as searching three bytes of text.
const MOST: usize = 128;

/// How all matches of an expression begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heads {
    /// The numbers of their first three bytes, as [`pieces`](super::pieces) has them, sorted.
    numbers: Box<[u16]>,
    /// The greatest length of a match: from each place where one could begin, at most so many bytes are read.
    pub(super) length: Length,
}

impl Heads {
    /// `None` where matches can begin in many ways, be shorter than three bytes, or be of any length.
    pub(super) fn of(parsed: &Hir) -> Option<Self> {
        let length = Length::of(parsed)?;
        let heads = followed_by(vec![Piece::new()], parsed)?;
        let are_known = heads.iter().all(|head| head.len() == SHORTEST);
        are_known.then(|| Self { numbers: heads.iter().map(|head| number(head)).collect(), length })
    }

    pub(super) fn write(&self, to: &mut Writer) {
        to.number(self.numbers.len());
        self.numbers.iter().for_each(|number| to.number(usize::from(*number)));
        self.length.write(to);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let numbers = from.many(|from| u16::try_from(from.number()?).ok())?;
        Some(Self { numbers: numbers.into_boxed_slice(), length: Length::read(from)? })
    }
}

/// The beginnings with what a part adds to those that are still too short; `None` where that is too much.
fn followed_by(heads: Vec<Piece>, parsed: &Hir) -> Option<Vec<Piece>> {
    if heads.iter().all(|head| head.len() == SHORTEST) {
        return Some(heads);
    }
    match parsed.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(heads),
        HirKind::Literal(literal) => followed_by_one(&heads, &[piece(&literal.0)]),
        HirKind::Class(class) => followed_by_one(&heads, &characters(class)?),
        HirKind::Capture(group) => followed_by(heads, &group.sub),
        HirKind::Concat(parts) => parts.iter().try_fold(heads, followed_by),
        HirKind::Alternation(parts) => {
            let all: Option<Vec<_>> = parts.iter().map(|part| followed_by(heads.clone(), part)).collect();
            few(all?.concat())
        }
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let once = followed_by(heads.clone(), sub)?;
            // A part that repeats may be followed by itself, which is not looked at: once must fill the three bytes.
            if *max != Some(1) && once.iter().any(|head| head.len() < SHORTEST) {
                return None;
            }
            few(if *min == 0 { [heads, once].concat() } else { once })
        }
    }
}

fn followed_by_one(heads: &[Piece], of: &[Piece]) -> Option<Vec<Piece>> {
    let longer = |head: &Piece, next: &Piece| head.iter().chain(next).copied().take(SHORTEST).collect();
    few(heads.iter().flat_map(|head| of.iter().map(move |next| longer(head, next))).collect())
}

fn few(mut heads: Vec<Piece>) -> Option<Vec<Piece>> {
    heads.sort_unstable();
    heads.dedup();
    (heads.len() <= MOST).then_some(heads)
}

/// Asking at one place takes about as long as searching so many bytes.
const ASKED: usize = 32;
/// How many times the length of the text all places together may read. `order[^!]{300}!` reads 300 bytes from each word of `order order …`
/// and finds nothing; without a limit, the time of such expressions would grow with the square of the text.
const READ_AT_MOST: usize = 4;
/// The lengths of texts whose places are noted. Shorter texts are searched as fast as they are noted; places take four bytes of memory for
/// each byte of text, so 4 MiB at most.
const NOTED: std::ops::RangeInclusive<usize> = 128..=1 << 20;
const CHAINS: usize = 512;

/// Where in a text each number of three bytes stands. Numbers with the same nine lowest bits share a chain.
#[derive(Debug)]
pub(super) struct Places {
    /// By the lowest bits of a number: its first place, counted from 1; 0 for none.
    first: Box<[u32; CHAINS]>,
    /// By place: the next one in the chain.
    next: Vec<u32>,
}

impl Places {
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        if !NOTED.contains(&text.len()) {
            return None;
        }
        let (mut first, mut next) = (Box::new([0; CHAINS]), vec![0; text.len()]);
        // From the end on, so that chains go from left to right.
        for (at, three) in text.windows(SHORTEST).enumerate().rev() {
            let chain = &mut first[usize::from(number(three)) % CHAINS];
            next[at] = std::mem::replace(chain, at as u32 + 1);
        }
        Some(Self { first, next })
    }

    /// Where the heads stand in the text, from left to right; `None` if that is in so many places that the whole text is searched as fast.
    /// `longest` tells the most bytes of a match; it is asked only if there is a place.
    pub(super) fn starts(
        &self,
        text: &str,
        threes: &Threes,
        heads: &Heads,
        longest: impl FnOnce() -> Option<usize>,
    ) -> Option<Vec<usize>> {
        let most = text.len() / ASKED;
        let (mut starts, mut looks) = (Vec::new(), 0);
        for &wanted in heads.numbers.iter().filter(|wanted| threes.has(**wanted)) {
            let mut place = self.first[usize::from(wanted) % CHAINS];
            while let Some(at) = (place as usize).checked_sub(1) {
                (place, looks) = (self.next[at], looks + 1);
                // Bytes of other characters have the same lowest bits.
                if number(&text.as_bytes()[at..at + SHORTEST]) == wanted && text.is_char_boundary(at) {
                    starts.push(at);
                }
            }
            // Many heads can share a chain that is most of the text.
            if starts.len() > most || looks > text.len() {
                return None;
            }
        }
        if !starts.is_empty() && starts.len() > READ_AT_MOST * text.len() / longest()?.max(1) {
            return None;
        }
        starts.sort_unstable();
        Some(starts)
    }
}
