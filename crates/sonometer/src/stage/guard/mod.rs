//! Guards: the conditions of a stage, over what was sensed and what the world keeps.
//!
//! A guard is a truth made of comparisons and questions by `and`, `or`, `not` and brackets. All its numbers are millionths;
//! it calls nothing, repeats nothing and ends after as many steps as it has parts.

mod parse;
mod possible;

pub(super) use parse::{Known, Place, WORDS, parse};
pub(super) use possible::{Bounds, Outcome, outcome};

use crate::unit::Unit;
use std::fmt;

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// `a and b`: all of them, at least two.
    All(Vec<Self>),
    /// `a or b`: one of them, at least two.
    Any(Vec<Self>),
    /// `not a`.
    Not(Box<Self>),
    /// `score >= 0.5`.
    Compare(Quantity, Relation, Quantity),
    /// `fired(apology)`.
    Is(Fact),
}

/// A number that a guard compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Written out.
    Number(Unit),
    /// `count(label)`: the pieces of evidence of a marker in the action.
    Count(String),
    /// `times(label)`: in how many actions of the dive so far, this one included, the marker has fired.
    Times(String),
    /// `a(label)`: the resonance of a marker in the action.
    Resonance(String),
    /// `score`: of the action; in `pass` the mean of all actions.
    Score,
    /// `fidelity`: of the action.
    Fidelity,
    /// `on_target`: the share of actions that were on target; in `pass` only.
    OnTarget,
    /// `turn`: how many actions there were, this one included.
    Turn,
    /// `turns_here`: how many of them in this scene, this one included.
    TurnsHere,
    /// A variable.
    Variable(String),
}

/// A question that a guard asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// `fired(label)`: the marker reached its trigger in the action.
    Fired(String),
    /// `reached(scene)`: the dive has been in this scene.
    Reached(String),
    /// `checkpoint(name)`: it is reached.
    Checkpoint(String),
    /// `flag(name)`: it is tripped.
    Flag(String),
    /// `all(checkpoints)`.
    AllCheckpoints,
    /// `any(checkpoints)`.
    AnyCheckpoint,
    /// `any(flags)`.
    AnyFlag,
    /// `none(flags)`.
    NoFlag,
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// What guards ask.
pub(super) trait Facts {
    /// The value of a quantity that is not written out.
    fn value(&self, quantity: &Quantity) -> Unit;
    /// The answer to a question.
    fn is(&self, fact: &Fact) -> bool;
}

impl Guard {
    /// Whether it holds. Every part is looked at from the left until the answer is known.
    pub(super) fn holds(&self, facts: &dyn Facts) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(facts)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(facts)),
            Self::Not(part) => !part.holds(facts),
            Self::Compare(left, relation, right) => {
                let value = |quantity: &Quantity| match quantity {
                    Quantity::Number(number) => *number,
                    other => facts.value(other),
                };
                relation.holds(value(left), value(right))
            }
            Self::Is(fact) => facts.is(fact),
        }
    }
}

impl Relation {
    const ALL: [(Self, &'static str); 6] = [
        (Self::AtMost, "<="),
        (Self::AtLeast, ">="),
        (Self::Unequal, "!="),
        (Self::Equal, "="),
        (Self::Less, "<"),
        (Self::Greater, ">"),
    ];

    fn holds(self, left: Unit, right: Unit) -> bool {
        match self {
            Self::Equal => left == right,
            Self::Unequal => left != right,
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Greater => left > right,
            Self::AtLeast => left >= right,
        }
    }
}

impl fmt::Display for Guard {
    /// The one way to write it: reading it gives the same guard.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, parts: &[Self], word: &str| {
            parts.iter().enumerate().try_for_each(|(at, part)| {
                let before = if at == 0 { "" } else { word };
                // The same word needs brackets too: `a and (b and c)` is written so.
                match part {
                    Self::All(_) | Self::Any(_) => write!(f, "{before}({part})"),
                    _ => write!(f, "{before}{part}"),
                }
            })
        };
        match self {
            Self::All(parts) => join(f, parts, " and "),
            Self::Any(parts) => join(f, parts, " or "),
            Self::Not(part) => match **part {
                Self::Is(_) | Self::Not(_) => write!(f, "not {part}"),
                _ => write!(f, "not ({part})"),
            },
            Self::Compare(left, relation, right) => {
                let sign =
                    Relation::ALL.iter().find(|(known, _)| known == relation).map_or("=", |(_, sign)| sign);
                write!(f, "{left} {sign} {right}")
            }
            Self::Is(fact) => fact.fmt(f),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Count(label) => write!(f, "count({label})"),
            Self::Times(label) => write!(f, "times({label})"),
            Self::Resonance(label) => write!(f, "a({label})"),
            Self::Score => f.write_str("score"),
            Self::Fidelity => f.write_str("fidelity"),
            Self::OnTarget => f.write_str("on_target"),
            Self::Turn => f.write_str("turn"),
            Self::TurnsHere => f.write_str("turns_here"),
            Self::Variable(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fired(label) => write!(f, "fired({label})"),
            Self::Reached(scene) => write!(f, "reached({scene})"),
            Self::Checkpoint(name) => write!(f, "checkpoint({name})"),
            Self::Flag(name) => write!(f, "flag({name})"),
            Self::AllCheckpoints => f.write_str("all(checkpoints)"),
            Self::AnyCheckpoint => f.write_str("any(checkpoints)"),
            Self::AnyFlag => f.write_str("any(flags)"),
            Self::NoFlag => f.write_str("none(flags)"),
        }
    }
}
