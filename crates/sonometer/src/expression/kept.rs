//! What a machine writes down while it searches, kept for the next search.

use std::sync::{Mutex, PoisonError};

/// The most that are kept: more threads at once make their own and drop it afterwards, so a burst leaves no more memory behind.
const MOST_KEPT: usize = 4;

/// Working memory, lent to one search at a time.
#[derive(Debug)]
pub(crate) struct Kept<T>(Mutex<Vec<T>>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Kept<T> {
    /// Does some work with what was kept, or with what `make` makes where all of it is lent.
    pub(crate) fn lend<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        // The lock is held for a push or a pop only, so a thread that panicked with it has left the list whole.
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = all().pop();
        let mut lent = kept.unwrap_or_else(make);
        let result = work(&mut lent);
        let mut all = all();
        if all.len() < MOST_KEPT {
            all.push(lent);
        }
        result
    }
}
