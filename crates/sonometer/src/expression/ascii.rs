//! Machines for texts of ASCII alone. A class such as `\p{L}` has hundreds of ranges, each a path of bytes through the automaton, and an expression
//! may have it many times. In a text of ASCII only its part of ASCII can match, so a machine with these parts finds the same; it is built in a
//! tenth of the time, and takes as little room.

use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

/// A class of more ranges is worth a machine of its own: `\s` has 10, `\d` 71, `\p{L}` more than 600.
const MANY_RANGES: usize = 16;

/// Whether a machine for ASCII is much smaller.
pub(super) fn is_worth(parsed: &Hir) -> bool {
    match parsed.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => false,
        HirKind::Class(Class::Unicode(class)) => is_large(class),
        HirKind::Repetition(repetition) => is_worth(&repetition.sub),
        HirKind::Capture(group) => is_worth(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(is_worth),
    }
}

fn is_large(class: &ClassUnicode) -> bool {
    !class.is_ascii() && class.ranges().len() > MANY_RANGES
}

/// An expression that finds the same in texts of ASCII.
pub(super) fn narrowed(parsed: &Hir) -> Hir {
    match parsed.kind() {
        HirKind::Class(Class::Unicode(class)) if is_large(class) => {
            let mut own = class.clone();
            own.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7f')]));
            Hir::class(Class::Unicode(own))
        }
        // Without the Kelvin sign of `(?i)k`, the engine would take other literals to look ahead for, which was slower.
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => parsed.clone(),
        HirKind::Look(look) => Hir::look(of_ascii(*look)),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(narrowed(&repetition.sub));
            Hir::repetition(Repetition { sub, ..*repetition })
        }
        HirKind::Capture(group) => {
            let sub = Box::new(narrowed(&group.sub));
            Hir::capture(Capture { sub, name: group.name.clone(), ..*group })
        }
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(narrowed).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(narrowed).collect()),
    }
}

/// What tells the same of characters of ASCII.
fn of_ascii(look: Look) -> Look {
    match look {
        Look::WordUnicode => Look::WordAscii,
        Look::WordUnicodeNegate => Look::WordAsciiNegate,
        Look::WordStartUnicode => Look::WordStartAscii,
        Look::WordEndUnicode => Look::WordEndAscii,
        Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
        Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
        other => other,
    }
}
