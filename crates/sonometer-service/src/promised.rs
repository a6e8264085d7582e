//! What streams under way may come to. Each sends partial numbers only while the account can pay for all of them at once: if each looked
//! at the quota alone, many that begin together would all send numbers, and all but one would be refused their charge.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// ICS that the streams of this process may come to, by account.
#[derive(Clone, Default)]
pub(crate) struct Promised(Arc<Mutex<BTreeMap<String, u64>>>);

/// What one stream may come to, until it is dropped.
pub(crate) struct Promise {
    all: Promised,
    account: String,
    units: u64,
    together: u64,
}

impl Promised {
    /// Adds what a stream of an account may come to.
    pub(crate) fn add(&self, account: &str, units: u64) -> Promise {
        let mut by_account = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let together = by_account.entry(account.to_owned()).or_default();
        *together = together.saturating_add(units);
        Promise { all: self.clone(), account: account.to_owned(), units, together: *together }
    }
}

impl Promise {
    /// What this stream and those that were under way when it began may come to.
    pub(crate) fn together(&self) -> u64 {
        self.together
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        let mut by_account = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(together) = by_account.get_mut(&self.account) {
            *together = together.saturating_sub(self.units);
            if *together == 0 {
                by_account.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_an_account_are_counted_together_until_they_end() {
        let all = Promised::default();
        let first = all.add("a", 3);
        let second = all.add("a", 4);
        assert_eq!((first.together(), second.together(), all.add("b", 5).together()), (3, 7, 5));
        drop(first);
        assert_eq!(all.add("a", 1).together(), 5);
        drop(second);
        assert!(all.0.lock().expect("is free").is_empty());
    }
}
