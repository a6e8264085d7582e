//! The text of an answer, written before its charge is made.
//!
//! An answer holds what it costs, and that is certain only within the transaction. But it is nearly always as expected, so it is
//! written where the content was measured, by many at once. The one writer of charges writes it again only if the cost is
//! another one: a long answer does not keep the charges of others waiting.

use crate::refusal::Refusal;
use sonometer::Unit;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Writes an answer, given what it costs in US dollars.
pub type WriteAnswer = Box<dyn Fn(Unit) -> String + Send + Sync>;

/// An answer that is written for the cost that is expected, and can be written for any other.
pub struct Draft {
    cost: Unit,
    text: String,
    /// `None`: the answer does not say what it costs.
    write: Option<WriteAnswer>,
}

impl Draft {
    /// Writes the answer for the cost that is expected. To be called where it may take its time.
    pub fn new(expected: Unit, write: WriteAnswer) -> Self {
        Self { cost: expected, text: write(expected), write: Some(write) }
    }

    /// An answer that does not say what it costs.
    pub fn of(text: String) -> Self {
        Self { cost: Unit::ZERO, text, write: None }
    }

    /// How many bytes it has, as expected.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The answer at a cost.
    ///
    /// # Errors
    /// `internal` if it cannot be written: a panic would end the only writer of the process.
    pub(super) fn at(&self, cost: Unit) -> Result<Cow<'_, str>, Refusal> {
        let Some(write) = self.write.as_ref().filter(|_| cost != self.cost) else {
            return Ok(Cow::Borrowed(&self.text));
        };
        let written = catch_unwind(AssertUnwindSafe(|| write(cost)));
        written.map(Cow::Owned).map_err(|_| Refusal::internal("an answer could not be written"))
    }

    /// The answer at the cost that was charged.
    pub(super) fn finish(self, cost: Unit) -> String {
        match self.write {
            Some(write) if cost != self.cost => write(cost),
            _ => self.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn an_answer_is_written_again_only_at_another_cost() {
        let written = Arc::new(AtomicUsize::new(0));
        let count = written.clone();
        let draft = Draft::new(
            Unit(5),
            Box::new(move |cost| {
                count.fetch_add(1, Ordering::SeqCst);
                format!("costs {cost}")
            }),
        );
        assert_eq!(draft.at(Unit(5)).as_deref(), Ok("costs 0.000005"));
        assert_eq!(written.load(Ordering::SeqCst), 1);
        assert_eq!(draft.at(Unit(7)).as_deref(), Ok("costs 0.000007"));
        assert_eq!(draft.finish(Unit(5)), "costs 0.000005");
        assert_eq!(written.load(Ordering::SeqCst), 2);
        let write: WriteAnswer = Box::new(|_| panic!("on purpose"));
        let broken = Draft { cost: Unit(1), text: String::new(), write: Some(write) };
        assert!(broken.at(Unit(2)).is_err());
        assert_eq!(Draft::of("free".to_owned()).at(Unit(9)).as_deref(), Ok("free"));
    }
}
