//! Pieces of text of which every match of an expression holds one: `name`, `passport`, `order` or `ticket`. A text in which none of them
//! can stand need not be searched. `(lost|missing) .* (order|parcel)` has two such sets, and needs a piece of each.
//!
//! Bytes are compared by their lowest five bits, so that capitals and small letters are the same, those of Latin-1 too, and three in a row
//! have one of 32,768 numbers. Which numbers a text has is noted once for all expressions; what it seems to have and has not is searched
//! in vain. Without regard to case `ſ` is an `s` and the Kelvin sign a `k`. To count these two would double the ways to write most words,
//! so a text that may have one of them is always searched.

#[cfg(feature = "perf")]
use super::known::{Reader, Writer};
use super::needs::Bytes;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};
use std::cmp::Reverse;

/// The most sets that are kept: those whose pieces are the rarest.
const MOST_SETS: usize = 3;

/// A piece: the lowest five bits of each byte.
pub(super) type Piece = Vec<u8>;

/// The most pieces of which one is needed, and the most ways to write them that are looked at.
const MOST: usize = 96;
/// The most characters that may stand at one place of a piece.
const MOST_AT_ONE_PLACE: usize = 3;
/// The shortest piece.
pub(super) const SHORTEST: usize = 3;
/// The longest that grows further: only its ends and its middle are looked at, and copying it at each step would take longer the longer
/// it is.
const LONGEST: usize = 64;

/// What is a letter of ASCII without regard to case.
const GUISES: [char; 2] = ['ſ', '\u{212A}'];

/// The number of three bytes.
pub(super) fn number(three: &[u8]) -> u16 {
    three.iter().fold(0, |number, byte| number << 5 | u16::from(byte & 31))
}

/// Which numbers of three bytes a text has: one bit for each of 32,768.
#[derive(Debug)]
pub(super) struct Threes(Box<[u64; 512]>);

impl Threes {
    /// Of a text with these bytes; `None` if it may have a letter of ASCII in the guise of another character.
    pub(super) fn of(text: &str, bytes: &Bytes) -> Option<Self> {
        // Two bytes of each.
        let may_have = |[one, other]: &[u8; 2]| bytes.has(*one) && bytes.has(*other);
        (![[0xC5, 0xBF], [0x84, 0xAA]].iter().any(may_have)).then(|| Self::of_bytes(text.as_bytes()))
    }

    fn of_bytes(text: &[u8]) -> Self {
        let mut set = Box::new([0; 512]);
        let (first, rest) = text.split_at(text.len().min(SHORTEST - 1));
        let mut last = usize::from(number(first));
        for byte in rest {
            last = (last << 5 | usize::from(byte & 31)) & 0x7FFF;
            set[last / 64] |= 1 << (last % 64);
        }
        Self(set)
    }

    pub(super) fn has(&self, number: u16) -> bool {
        self.0[usize::from(number / 64) & 511] & 1 << (number % 64) != 0
    }
}

/// The sets of pieces of an expression, each piece as the numbers of its first three bytes, those in its middle and its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pieces(Vec<Box<[[u16; 3]]>>);

impl Pieces {
    /// `None` where nothing of a match is certain.
    pub(super) fn of(parsed: &Hir) -> Option<Self> {
        let mut sets = needed(parsed).0;
        sets.sort_by_cached_key(|set| Reverse(worth(set)));
        sets.truncate(MOST_SETS);
        (!sets.is_empty()).then(|| Self(sets.into_iter().map(numbers).collect()))
    }

    #[cfg(feature = "perf")]
    pub(super) fn write(&self, to: &mut Writer) {
        to.number(self.0.len());
        for set in &self.0 {
            to.number(set.len());
            set.iter().flatten().for_each(|number| to.number(usize::from(*number)));
        }
    }

    #[cfg(feature = "perf")]
    pub(super) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let number = |from: &mut Reader<'_>| u16::try_from(from.number()?).ok();
        let piece = |from: &mut Reader<'_>| Some([number(from)?, number(from)?, number(from)?]);
        Some(Self(from.many(|from| Some(from.many(piece)?.into_boxed_slice()))?))
    }

    pub(super) fn may_be_in(&self, threes: &Threes) -> bool {
        let may_be = |piece: &[u16; 3]| piece.iter().all(|number| threes.has(*number));
        self.0.iter().all(|set| set.iter().any(may_be))
    }
}

fn numbers(mut set: Vec<Piece>) -> Box<[[u16; 3]]> {
    set.sort_unstable();
    set.dedup();
    let numbers = set.iter().map(|piece| {
        let last = piece.len() - SHORTEST;
        [0, last / 2, last].map(|at| number(&piece[at..at + SHORTEST]))
    });
    numbers.collect()
}

/// The sets of pieces of each of which every match holds one.
fn needed(parsed: &Hir) -> Sets {
    let mut sets = Sets::default();
    match parsed.kind() {
        HirKind::Concat(parts) => {
            // As many parts in a row as can be written out are one piece.
            let mut run = vec![Piece::new()];
            for part in parts {
                let Some(written) = written(part) else {
                    sets.add(std::mem::replace(&mut run, vec![Piece::new()]));
                    needed(part).0.into_iter().for_each(|set| sets.add(set));
                    continue;
                };
                if fit(&run, &written) {
                    run = joined(run, &written);
                } else {
                    sets.add(std::mem::replace(&mut run, written));
                }
            }
            sets.add(run);
        }
        HirKind::Alternation(parts) => {
            // Which alternative a match takes is open: the best sets of all together are one.
            let best = |part| needed(part).0.into_iter().max_by_key(|set| worth(set));
            let all: Option<Vec<Vec<Piece>>> = parts.iter().map(best).collect();
            all.into_iter().for_each(|all| sets.add(all.concat()));
        }
        HirKind::Repetition(repetition) if repetition.min > 0 => return needed(&repetition.sub),
        HirKind::Capture(group) => return needed(&group.sub),
        _ => written(parsed).into_iter().for_each(|set| sets.add(set)),
    }
    sets
}

#[derive(Default)]
struct Sets(Vec<Vec<Piece>>);

impl Sets {
    /// Takes a set of whose pieces enough is known.
    fn add(&mut self, set: Vec<Piece>) {
        if set.len() <= MOST && set.iter().all(|piece| piece.len() >= SHORTEST) {
            self.0.push(set);
        }
    }
}

/// How much a set tells: long pieces are rarer than short ones, and few are found more seldom than many.
fn worth(set: &[Piece]) -> (usize, Reverse<usize>) {
    let shortest = set.iter().map(Vec::len).min().unwrap_or(usize::MAX);
    (shortest.min(2 * SHORTEST), Reverse(set.len()))
}

/// All that a part can match, written out; `None` where that is too much.
fn written(parsed: &Hir) -> Option<Vec<Piece>> {
    // Counted first: most parts of a large expression are too much, and half of it would be written out before that shows.
    ways(parsed)?;
    write(parsed)
}

/// How many ways to write a part there are, [`MOST`] at most.
fn ways(parsed: &Hir) -> Option<usize> {
    let ways = match parsed.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(_) => 1,
        HirKind::Class(class) => characters(class)?.len(),
        HirKind::Capture(group) => ways(&group.sub)?,
        HirKind::Repetition(Repetition { min: 0, max: Some(1), sub, .. }) => ways(sub)? + 1,
        HirKind::Repetition(_) => return None,
        HirKind::Concat(parts) => parts.iter().try_fold(1, |all, part| {
            let all = all * ways(part)?;
            (all <= MOST).then_some(all)
        })?,
        HirKind::Alternation(parts) => parts.iter().try_fold(0, |all, part| {
            let all = all + ways(part)?;
            (all <= MOST).then_some(all)
        })?,
    };
    Some(ways)
}

/// As [`written`], of a part that is not too much.
fn write(parsed: &Hir) -> Option<Vec<Piece>> {
    match parsed.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(vec![Piece::new()]),
        HirKind::Literal(literal) => Some(vec![piece(&literal.0)]),
        HirKind::Class(class) => characters(class),
        HirKind::Capture(group) => write(&group.sub),
        HirKind::Repetition(Repetition { min: 0, max: Some(1), sub, .. }) => {
            let mut pieces = write(sub)?;
            pieces.push(Piece::new());
            Some(pieces)
        }
        HirKind::Repetition(_) => None,
        HirKind::Concat(parts) => parts.iter().try_fold(vec![Piece::new()], |before, part| {
            let after = write(part)?;
            fit(&before, &after).then(|| joined(before, &after))
        }),
        HirKind::Alternation(parts) => {
            let all: Option<Vec<Vec<Piece>>> = parts.iter().map(write).collect();
            all.map(|all| all.concat()).filter(|all| all.len() <= MOST)
        }
    }
}

/// Whether each of the one before each of the other is not too much.
fn fit(before: &[Piece], after: &[Piece]) -> bool {
    before.len() * after.len() <= MOST && before.iter().all(|piece| piece.len() <= LONGEST)
}

/// Each of the one before each of the other.
fn joined(before: Vec<Piece>, after: &[Piece]) -> Vec<Piece> {
    match (&before[..], after) {
        // Most often a run begins, or a look stands in it.
        ([only], _) if only.is_empty() => after.to_vec(),
        (_, [only]) if only.is_empty() => before,
        _ => {
            before.iter().flat_map(|one| after.iter().map(move |other| [&one[..], other].concat())).collect()
        }
    }
}

/// The lowest five bits of each byte.
pub(super) fn piece(text: &[u8]) -> Piece {
    text.iter().map(|byte| byte & 31).collect()
}

/// What the characters of a class are, capitals and small letters being the same. `None` if that is much.
pub(super) fn characters(class: &Class) -> Option<Vec<Piece>> {
    // Classes of bytes, `(?-u:[a-z])`, are hardly ever written.
    let Class::Unicode(class) = class else { return None };
    let mut pieces = Vec::new();
    for c in class.iter().flat_map(|range| range.start()..=range.end()).filter(|c| !GUISES.contains(c)) {
        let piece = piece(c.encode_utf8(&mut [0; 4]).as_bytes());
        if !pieces.contains(&piece) {
            if pieces.len() == MOST_AT_ONE_PLACE {
                return None;
            }
            pieces.push(piece);
        }
    }
    Some(pieces)
}
