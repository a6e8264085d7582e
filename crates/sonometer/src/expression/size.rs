//! How large an expression is when it is compiled, worked out without compiling it.
//!
//! What counts is the size of the automata that the machines are made of, one that reads forward and one that reads backward, as
//! `regex-automata` reckons it: its states and what they hold ([`MAX_BYTES`] for each). The rules of its compiler are retold here
//! (`nfa/thompson/compiler.rs` of the version that is pinned), rounded up. Where the result could lie beyond the limit the machine
//! is built, and says itself; so the expressions that are taken are the same as if all were built.

use super::MAX_BYTES;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Repetition};
use regex_syntax::utf8::Utf8Sequences;

/// A state; on machines of 32 bits it is smaller.
const STATE: usize = 32;
/// A way from one state to another, kept in a list.
const WAY: usize = 8;
/// The number of a state, in the list of a union.
const STATE_NUMBER: usize = 4;
/// What every automaton has: the loop before the first byte, the whole match as a group, the end.
const FRAME: usize = 1024;

/// The limit of a machine that is built later, so high that a sound expression never fails to be built. [`may_be_too_large`] counts at
/// least one of the up to four states of each sequence of bytes, so no machine has more than four times what it reckoned.
pub(super) const LIMIT_BEHIND: usize = 4 * MAX_BYTES;

/// Whether an expression may grow beyond [`MAX_BYTES`].
///
/// All but one of the rules bound the size from above. Reading backward, sequences of bytes that begin alike share states through a
/// table of a thousand places that forgets what collides. It made what ships at most 2 in a hundred larger; an eighth is allowed for it.
pub(super) fn may_be_too_large(parsed: &Hir) -> bool {
    let bytes = Reckoning::default().of(parsed).saturating_add(FRAME);
    bytes.saturating_add(bytes / 8) > MAX_BYTES
}

/// Adds up the parts of an expression.
#[derive(Default)]
struct Reckoning<'h> {
    /// The classes so far: most stand several times, and comparing takes a tenth of going through their characters.
    classes: Vec<(&'h ClassUnicode, usize)>,
}

impl<'h> Reckoning<'h> {
    fn of(&mut self, parsed: &'h Hir) -> usize {
        match parsed.kind() {
            HirKind::Empty | HirKind::Look(_) => STATE,
            // As one of several literals a byte can take a state, a union and its end.
            HirKind::Literal(literal) => literal.0.len().saturating_mul(3 * (STATE + WAY)),
            HirKind::Class(Class::Bytes(class)) => 2 * STATE + WAY * class.ranges().len(),
            HirKind::Class(Class::Unicode(class)) => self.of_class(class),
            HirKind::Repetition(repetition) => self.of_repetition(repetition),
            HirKind::Capture(group) => self.of(&group.sub).saturating_add(2 * STATE),
            HirKind::Concat(parts) => parts.iter().map(|part| self.of(part)).fold(0, usize::saturating_add),
            HirKind::Alternation(parts) => {
                let each = parts.iter().map(|part| self.of(part).saturating_add(WAY));
                each.fold(2 * STATE, usize::saturating_add)
            }
        }
    }

    /// As often as it is written out, each time with a choice to stop, and a loop or an end.
    fn of_repetition(&mut self, repetition: &'h Repetition) -> usize {
        let times = repetition.max.unwrap_or(repetition.min).max(1) as usize;
        let once = self.of(&repetition.sub).saturating_add(STATE + 2 * WAY);
        once.saturating_mul(times).saturating_add(3 * (STATE + 2 * WAY))
    }

    fn of_class(&mut self, class: &'h ClassUnicode) -> usize {
        if class.is_ascii() {
            return 2 * STATE + WAY * class.ranges().len();
        }
        if let Some((_, bytes)) = self.classes.iter().find(|(known, _)| *known == class) {
            return *bytes;
        }
        let bytes = of_class(class);
        self.classes.push((class, bytes));
        bytes
    }
}

/// The sequences of bytes that the characters of a class are written as. Reading backward each byte is a state of its own, unless the
/// sequence before has the same up to it; reading forward never takes more.
fn of_class(class: &ClassUnicode) -> usize {
    let mut bytes = 2 * STATE;
    let mut before = Sequence::default();
    let mut add = |own: Sequence| {
        let shared = own.iter().zip(&before).take_while(|(own, before)| own == before).count();
        let length = own.iter().take_while(|range| range.1 > 0).count();
        bytes += length.saturating_sub(shared) * STATE + STATE_NUMBER;
        before = own;
    };
    for range in class.iter() {
        let (first, last) = (range.start(), range.end());
        if u32::from(first) >> 6 == u32::from(last) >> 6 {
            // They differ in the last byte at most, as nearly all ranges of letters do: one sequence, and no need to look for more.
            let (mut from, mut to) = ([0; 4], [0; 4]);
            first.encode_utf8(&mut from);
            last.encode_utf8(&mut to);
            add(std::array::from_fn(|at| (from[at], to[at])));
            continue;
        }
        for sequence in Utf8Sequences::new(first, last) {
            let ranges = sequence.as_slice();
            add(std::array::from_fn(|at| ranges.get(at).map_or((0, 0), |range| (range.start, range.end))));
        }
    }
    bytes
}

/// The ranges of up to four bytes; (0, 0) behind the last.
type Sequence = [(u8, u8); 4];
