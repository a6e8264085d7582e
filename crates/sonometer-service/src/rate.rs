//! Requests of a token in fixed windows that begin at whole multiples of their length, so that the reset told is exact.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The length of a window.
pub const WINDOW_SECONDS: i64 = 60;

/// Where a token stands in its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Requests in a window at most.
    pub limit: u64,
    /// Requests left.
    pub remaining: u64,
    /// When the next window begins, in seconds since 1970.
    pub reset: i64,
    /// Whether this request is one too many.
    pub exceeded: bool,
    /// Seconds until the reset, at least 1.
    pub retry_after: u64,
}

/// The windows of this node.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    counted: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    window: i64,
    by_token: HashMap<String, u64>,
}

impl Windows {
    /// Counts a request.
    pub(crate) fn count(&self, token: &str, limit: u64, now_ms: i64) -> Window {
        let seconds = now_ms.div_euclid(1_000);
        let window = seconds.div_euclid(WINDOW_SECONDS);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that is set back stays in its window: it gives nobody requests anew.
        if window > counted.window {
            counted.window = window;
            counted.by_token.clear();
        }
        let reset = (counted.window + 1) * WINDOW_SECONDS;
        let used = counted.by_token.entry(token.to_owned()).or_insert(0);
        let exceeded = *used >= limit;
        *used = used.saturating_add(u64::from(!exceeded));
        let remaining = limit - (*used).min(limit);
        let retry_after = u64::try_from(reset - seconds).unwrap_or(0).max(1);
        Window { limit, remaining, reset, exceeded, retry_after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_within_a_window_and_anew_in_the_next() {
        let windows = Windows::default();
        let at = |ms| windows.count("t", 2, ms);
        let start = 1_800_000_000_000_i64 / 60_000 * 60_000;
        let first = at(start + 1_500);
        assert_eq!((first.remaining, first.exceeded, first.retry_after), (1, false, 59));
        assert_eq!(first.reset, start / 1_000 + 60);
        assert_eq!(at(start + 2_000).remaining, 0);
        let third = at(start + 59_999);
        assert!(third.exceeded && third.remaining == 0 && third.retry_after == 1);
        assert!(!windows.count("other", 2, start + 59_999).exceeded, "each token has its own");
        assert_eq!(at(start + 60_000).remaining, 1);
        assert_eq!(at(start).remaining, 0, "a clock set back gives nothing anew");
        assert!(windows.count("none", 0, start).exceeded);
    }
}
