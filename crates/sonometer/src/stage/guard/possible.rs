//! What a guard can come to at all, whatever an agent says: the ground of the lint.

use super::{Fact, Guard, Quantity, Relation};
use crate::unit::Unit;

/// Whether a guard can hold, and whether it must. Whatever is not known for certain counts as able to be either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stage) struct Outcome {
    pub(in crate::stage) can: bool,
    pub(in crate::stage) must: bool,
}

impl Outcome {
    pub(in crate::stage) const OPEN: Self = Self { can: true, must: false };

    pub(in crate::stage) fn surely(truth: bool) -> Self {
        Self { can: truth, must: truth }
    }
}

/// What is known of the things that guards ask.
pub(in crate::stage) trait Bounds {
    /// The least and the most a quantity that is not written out can be.
    fn range(&self, quantity: &Quantity) -> (Unit, Unit);
    /// What a question can be answered.
    fn fact(&self, fact: &Fact) -> Outcome;
}

/// What a guard can come to.
pub(in crate::stage) fn outcome(guard: &Guard, bounds: &dyn Bounds) -> Outcome {
    match guard {
        Guard::All(parts) => parts.iter().fold(Outcome::surely(true), |whole, part| {
            let part = outcome(part, bounds);
            Outcome { can: whole.can && part.can, must: whole.must && part.must }
        }),
        Guard::Any(parts) => parts.iter().fold(Outcome::surely(false), |whole, part| {
            let part = outcome(part, bounds);
            Outcome { can: whole.can || part.can, must: whole.must || part.must }
        }),
        Guard::Not(part) => {
            let part = outcome(part, bounds);
            Outcome { can: !part.must, must: !part.can }
        }
        Guard::Compare(left, relation, right) => {
            let range = |quantity: &Quantity| match quantity {
                Quantity::Number(number) => (*number, *number),
                other => bounds.range(other),
            };
            compare(range(left), *relation, range(right))
        }
        Guard::Is(fact) => bounds.fact(fact),
    }
}

fn compare(left: (Unit, Unit), relation: Relation, right: (Unit, Unit)) -> Outcome {
    let less = Outcome { can: left.0 < right.1, must: left.1 < right.0 };
    let at_most = Outcome { can: left.0 <= right.1, must: left.1 <= right.0 };
    let not = |outcome: Outcome| Outcome { can: !outcome.must, must: !outcome.can };
    let equal =
        Outcome { can: left.0 <= right.1 && right.0 <= left.1, must: left.0 == left.1 && left == right };
    match relation {
        Relation::Less => less,
        Relation::AtMost => at_most,
        Relation::Greater => not(at_most),
        Relation::AtLeast => not(less),
        Relation::Equal => equal,
        Relation::Unequal => not(equal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_ranges() {
        let range = |low, high| (Unit(low), Unit(high));
        let cases = [
            (range(0, 1), Relation::Less, range(1, 2), true, false),
            (range(0, 1), Relation::Less, range(2, 2), true, true),
            (range(2, 3), Relation::Less, range(1, 2), false, false),
            (range(2, 3), Relation::AtMost, range(1, 2), true, false),
            (range(2, 3), Relation::Greater, range(1, 1), true, true),
            (range(2, 3), Relation::AtLeast, range(4, 5), false, false),
            (range(2, 2), Relation::Equal, range(2, 2), true, true),
            (range(2, 3), Relation::Equal, range(3, 4), true, false),
            (range(2, 3), Relation::Unequal, range(4, 4), true, true),
        ];
        for (left, relation, right, can, must) in cases {
            assert_eq!(
                compare(left, relation, right),
                Outcome { can, must },
                "{left:?} {relation:?} {right:?}"
            );
        }
    }
}
