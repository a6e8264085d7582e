//! Requests of a token in fixed windows that begin at whole multiples of their length, so that the reset told is exact.

use crate::refusal::Refusal;
use crate::store::Store;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

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

/// A node takes this part of what is left for itself, and this many at most.
const PART: u64 = 16;
const MOST_TAKEN: u64 = 256;

/// The windows of this node. Where several nodes share a store, each takes some requests of a window for itself and asks again
/// when they are used up: together they never let through more than the limit, and hardly any request waits for the store.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    counted: Mutex<Counted>,
}

#[derive(Debug, Default)]
struct Counted {
    window: i64,
    by_token: HashMap<String, Arc<tokio::sync::Mutex<Slot>>>,
}

/// The requests of one token in this window.
#[derive(Debug, Default)]
struct Slot {
    /// Taken by this node and not used yet.
    own: u64,
    /// Taken by all nodes, as far as this one knows.
    taken: u64,
    /// Those that were let through here.
    used: u64,
}

impl Slot {
    /// How many to take, out of what is left as far as this node knows: less and less towards the end, so that little is left
    /// unused on other nodes.
    fn part(&self, limit: u64) -> u64 {
        (limit.saturating_sub(self.taken) / PART).clamp(1, MOST_TAKEN)
    }
}

impl Windows {
    /// Counts a request. With a store, all nodes on it count together.
    pub(crate) async fn count(
        &self,
        store: Option<&Store>,
        token: &str,
        limit: u64,
        now_ms: i64,
    ) -> Result<Window, Refusal> {
        let seconds = now_ms.div_euclid(1_000);
        let (window, slot) = self.slot(token, seconds.div_euclid(WINDOW_SECONDS));
        let mut slot = slot.lock().await;
        let exceeded = match store {
            None => slot.used >= limit,
            Some(store) => {
                if slot.own == 0 && slot.taken < limit {
                    let part = slot.part(limit);
                    slot.taken = store.take_requests(token, window, part).await?;
                    slot.own = part.saturating_sub(slot.taken.saturating_sub(limit));
                }
                slot.own == 0
            }
        };
        if !exceeded {
            slot.used += 1;
            slot.own = slot.own.saturating_sub(1);
        }
        let remaining = match store {
            None => limit.saturating_sub(slot.used),
            Some(_) => limit.saturating_sub(slot.taken) + slot.own,
        };
        let reset = (window + 1) * WINDOW_SECONDS;
        let retry_after = u64::try_from(reset - seconds).unwrap_or(0).max(1);
        Ok(Window { limit, remaining, reset, exceeded, retry_after })
    }

    fn slot(&self, token: &str, window: i64) -> (i64, Arc<tokio::sync::Mutex<Slot>>) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that is set back a little stays in its window: it gives nobody requests anew. One that is set back further had
        // been ahead, and staying would keep everybody in one window until it gets there again, perhaps for days.
        if window > counted.window || window < counted.window - 1 {
            counted.window = window;
            counted.by_token.clear();
        }
        (counted.window, counted.by_token.entry(token.to_owned()).or_default().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn counts_within_a_window_and_anew_in_the_next() {
        let windows = Windows::default();
        let count =
            async |token: &str, limit, ms| windows.count(None, token, limit, ms).await.expect("asks nobody");
        let at = async |ms| count("t", 2, ms).await;
        let start = 1_800_000_000_000_i64 / 60_000 * 60_000;
        let first = at(start + 1_500).await;
        assert_eq!((first.remaining, first.exceeded, first.retry_after), (1, false, 59));
        assert_eq!(first.reset, start / 1_000 + 60);
        assert_eq!(at(start + 2_000).await.remaining, 0);
        let third = at(start + 59_999).await;
        assert!(third.exceeded && third.remaining == 0 && third.retry_after == 1);
        assert!(!count("other", 2, start + 59_999).await.exceeded, "each token has its own");
        assert_eq!(at(start + 60_000).await.remaining, 1);
        assert_eq!(at(start).await.remaining, 0, "a clock set back gives nothing anew");
        assert_eq!(at(start - 86_400_000).await.remaining, 1, "one that was a day ahead begins anew");
        assert_eq!(at(start - 86_400_000).await.remaining, 0);
        assert!(count("none", 0, start).await.exceeded);
    }

    #[test]
    fn a_node_asks_seldom_and_leaves_little_unused() {
        for (limit, most_asked) in [(6_000_u64, 120_u64), (600, 81), (10, 10)] {
            let (mut slot, mut asked, mut through) = (Slot::default(), 0, 0);
            while slot.taken < limit {
                let part = slot.part(limit);
                asked += 1;
                slot.taken += part;
                through += part - slot.taken.saturating_sub(limit).min(part);
            }
            assert_eq!(through, limit);
            assert!(asked <= most_asked, "{limit}: {asked}");
        }
    }
}
