//! What parsing tells of an expression.

use super::edges::Edges;
#[cfg(feature = "perf")]
use super::known::{self, Reader, Writer};
use super::needs::Needs;
use super::{MAX_BYTES, Machine, PLACE_GROUP, Refusal, parse, size};
use regex_syntax::hir::{Hir, HirKind};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of a sound expression before it is built.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// Whether a group of it is the place.
    pub(super) has_place: bool,
    /// Whether a match can be empty, as far as its parts tell: `\b` can, though nowhere in the empty text.
    pub(super) can_be_empty: bool,
    /// Whether texts of ASCII have a machine of their own.
    #[cfg(feature = "perf")]
    pub(super) is_worth_ascii: bool,
    pub(super) needs: Needs,
    pub(super) edges: Edges,
}

/// The most bytes that a thread remembers, for about 400 expressions; the protocol with the most that ships has 81.
const MOST_KEPT: usize = 256 << 10;
/// What an entry takes beside its pattern: at most six sets of bytes, the numbers of some pieces, two sets of characters.
const ENTRY: usize = 512;

#[derive(Default)]
struct Memory {
    facts: BTreeMap<Box<str>, Arc<Facts>>,
    bytes: usize,
    /// A table is being made: all is kept, and nothing is asked of a table.
    #[cfg(feature = "perf")]
    is_for_a_table: bool,
}

thread_local! {
    /// A protocol is read and then compiled, and its lines repeat expressions: none of them is parsed twice.
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// The facts of a pattern.
pub(super) fn of(pattern: &str) -> Result<Arc<Facts>, Refusal> {
    // In a thread that ends there is no memory, and all is parsed.
    let known = MEMORY.try_with(|memory| memory.borrow().facts.get(pattern).cloned());
    if let Ok(Some(known)) = known {
        return Ok(known);
    }
    #[cfg(feature = "perf")]
    let worked_out = if is_for_a_table() { None } else { known::facts_of(pattern) };
    #[cfg(not(feature = "perf"))]
    let worked_out = None;
    let facts = Arc::new(worked_out.map_or_else(|| Facts::new(pattern), Ok)?);
    let _ = MEMORY.try_with(|memory| memory.borrow_mut().keep(pattern, &facts));
    Ok(facts)
}

/// The facts of all patterns that are asked for in between, parsed anew.
#[cfg(feature = "perf")]
pub(super) fn met_by(read: impl FnOnce()) -> BTreeMap<Box<str>, Arc<Facts>> {
    MEMORY.with(|memory| memory.replace(Memory { is_for_a_table: true, ..Memory::default() }));
    read();
    MEMORY.with(|memory| memory.take().facts)
}

#[cfg(feature = "perf")]
fn is_for_a_table() -> bool {
    MEMORY.try_with(|memory| memory.borrow().is_for_a_table).unwrap_or(false)
}

impl Memory {
    fn keep(&mut self, pattern: &str, facts: &Arc<Facts>) {
        let bytes = pattern.len() + ENTRY;
        #[cfg(feature = "perf")]
        let most = if self.is_for_a_table { usize::MAX } else { MOST_KEPT };
        #[cfg(not(feature = "perf"))]
        let most = MOST_KEPT;
        if self.bytes + bytes > most {
            *self = Self::default();
        }
        if bytes <= most {
            self.bytes += bytes;
            self.facts.insert(pattern.into(), Arc::clone(facts));
        }
    }
}

impl Facts {
    fn new(pattern: &str) -> Result<Self, Refusal> {
        let parsed = parse(pattern)?;
        if size::may_be_too_large(&parsed) {
            // Near the limit only building tells.
            Machine::new(pattern, MAX_BYTES)?;
        }
        Ok(Self {
            has_place: has_place(&parsed),
            can_be_empty: parsed.properties().minimum_len() == Some(0),
            #[cfg(feature = "perf")]
            is_worth_ascii: super::ascii::is_worth(&parsed),
            needs: Needs::of(&parsed),
            edges: Edges::of(&parsed),
        })
    }

    #[cfg(feature = "perf")]
    pub(super) fn write(&self, to: &mut Writer) {
        to.flag(self.has_place);
        to.flag(self.can_be_empty);
        to.flag(self.is_worth_ascii);
        self.needs.write(to);
        self.edges.write(to);
    }

    #[cfg(feature = "perf")]
    pub(super) fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            has_place: from.flag()?,
            can_be_empty: from.flag()?,
            is_worth_ascii: from.flag()?,
            needs: Needs::read(from)?,
            edges: Edges::read(from)?,
        })
    }
}

fn has_place(parsed: &Hir) -> bool {
    match parsed.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => false,
        HirKind::Repetition(repetition) => has_place(&repetition.sub),
        HirKind::Capture(group) => group.name.as_deref() == Some(PLACE_GROUP) || has_place(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(has_place),
    }
}
