//! Bad tokens, counted for each client and for each beginning of a token in fixed minutes. Beyond the limit a token that was
//! not good lately is refused before the store is asked. Callers with a good token from the same address are not affected.

use crate::{Limits, network};
use sonometer_service::{Caller, Code, Refusal, Service};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// So many counts, and so many good tokens, are kept at most.
const MOST: usize = 65_536;
/// Clients beyond that share one count, with this times the limit of one.
const OTHERS: u64 = 64;
/// So many characters of a token are its beginning: the kind, and 32 bits.
const PREFIX: usize = 18;
const MINUTE_MS: i64 = 60_000;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Client(IpAddr),
    Prefix(String),
    Others,
}

#[derive(Debug, Default)]
struct Counted {
    minute: i64,
    failed: HashMap<Key, u64>,
    /// Tokens that were good in this minute, and in the one before, by a hash that nobody outside can compute.
    good: [HashSet<u64>; 2],
}

/// The counts of one process.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    hasher: RandomState,
    counted: Mutex<Counted>,
}

fn prefix(token: &str) -> String {
    token.chars().take(PREFIX).collect()
}

impl Failures {
    /// The caller behind a token.
    ///
    /// # Errors
    /// As [`Service::caller`]; `rate_limited` after too many bad tokens.
    pub(crate) async fn caller(
        &self,
        service: &Service,
        limits: &Limits,
        from: Option<IpAddr>,
        token: &str,
    ) -> Result<Caller, Refusal> {
        let now = service.now_ms();
        let from = from.map(network::of_one);
        self.admit(limits, from, token, now)?;
        let found = service.caller(token).await;
        match &found {
            Ok(_) => self.note_good(token, now),
            Err(refusal) if refusal.code == Code::Unauthorized && !token.is_empty() => {
                self.note_bad(from, token, now);
            }
            Err(_) => {}
        }
        found
    }

    fn at(&self, now_ms: i64) -> std::sync::MutexGuard<'_, Counted> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let minute = now_ms.div_euclid(MINUTE_MS);
        // A clock that is set back a little stays in its minute; one that was far ahead must not keep anybody out until it gets
        // there again.
        if minute > counted.minute || minute < counted.minute - 1 {
            counted.failed.clear();
            let last = std::mem::take(&mut counted.good[0]);
            counted.good[1] = if minute == counted.minute + 1 { last } else { HashSet::new() };
            counted.minute = minute;
        }
        counted
    }

    fn admit(&self, limits: &Limits, from: Option<IpAddr>, token: &str, now_ms: i64) -> Result<(), Refusal> {
        let mark = self.hasher.hash_one(token);
        let counted = self.at(now_ms);
        if token.is_empty() || counted.good.iter().any(|good| good.contains(&mark)) {
            return Ok(());
        }
        let over = |key: &Key, limit: u64| {
            limit > 0 && counted.failed.get(key).is_some_and(|failed| *failed >= limit)
        };
        let of_client = from.is_some_and(|from| over(&Key::Client(from), limits.failures_of_client));
        let of_prefix = over(&Key::Prefix(prefix(token)), limits.failures_of_prefix);
        let of_others = over(&Key::Others, limits.failures_of_client.saturating_mul(OTHERS));
        if !(of_client || of_prefix || of_others) {
            return Ok(());
        }
        let left = (counted.minute + 1) * MINUTE_MS - now_ms;
        let refusal = Refusal::new(
            Code::RateLimited,
            "too many bad tokens; check the token, and wait for the next minute",
        );
        Err(Refusal { retry_after: u64::try_from(left / 1_000).unwrap_or(0).clamp(1, 60), ..refusal })
    }

    fn note_good(&self, token: &str, now_ms: i64) {
        let mark = self.hasher.hash_one(token);
        let mut counted = self.at(now_ms);
        if counted.good[0].len() < MOST {
            counted.good[0].insert(mark);
        }
    }

    fn note_bad(&self, from: Option<IpAddr>, token: &str, now_ms: i64) {
        let mut counted = self.at(now_ms);
        let keys = [from.map(Key::Client), Some(Key::Prefix(prefix(token)))];
        for key in keys.into_iter().flatten() {
            let is_full = counted.failed.len() >= MOST && !counted.failed.contains_key(&key);
            let key = if is_full { Key::Others } else { key };
            *counted.failed.entry(key).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_tokens_are_counted_by_client_and_by_beginning_and_good_ones_go_through() {
        let failures = Failures::default();
        let limits = Limits { failures_of_client: 3, failures_of_prefix: 5, ..Limits::default() };
        let at = |last: u8| Some(IpAddr::from([192, 0, 2, last]));
        let start = 1_800_000_000_000_i64 / MINUTE_MS * MINUTE_MS;
        let bad = |from, token: &str| {
            let admitted = failures.admit(&limits, from, token, start + 10_000);
            if admitted.is_ok() {
                failures.note_bad(from, token, start + 10_000);
            }
            admitted
        };
        failures.note_good("good", start);
        for count in 0..3 {
            assert!(bad(at(1), &format!("sono_live_aaaaaaa{count}")).is_ok());
        }
        let refusal = bad(at(1), "sono_live_bbbbbbbb").expect_err("is one too many");
        assert_eq!((refusal.code, refusal.retry_after), (Code::RateLimited, 50));
        assert!(failures.admit(&limits, at(1), "good", start + 10_000).is_ok(), "it was good lately");
        assert!(failures.admit(&limits, at(1), "", start + 10_000).is_ok(), "no token is no guess");
        assert!(bad(at(2), "sono_live_bbbbbbbb").is_ok(), "another client");
        // From many addresses, one beginning.
        for last in 10..15 {
            assert!(bad(at(last), "sono_live_ccccccccdd").is_ok());
        }
        assert!(bad(at(20), "sono_live_ccccccccee").is_err());
        assert!(
            failures.admit(&limits, at(1), "sono_live_bbbbbbbb", start + MINUTE_MS).is_ok(),
            "a new minute"
        );
        assert!(failures.at(start + MINUTE_MS).failed.is_empty());
        // A clock that is set back.
        (0..3).for_each(|_| failures.note_bad(at(1), "sono_live_bbbbbbbb", start + MINUTE_MS));
        assert!(failures.admit(&limits, at(1), "sono_live_bbbbbbbb", start).is_err(), "by a minute");
        assert!(
            failures.admit(&limits, at(1), "sono_live_bbbbbbbb", start - 60 * MINUTE_MS).is_ok(),
            "by an hour"
        );
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let failures = Failures::default();
        let limits = Limits { failures_of_client: 1, failures_of_prefix: 0, ..Limits::default() };
        for number in 0..2 * MOST as u32 {
            failures.note_bad(Some(IpAddr::from(number.to_be_bytes())), "sono_live_aaaaaaaa", 0);
        }
        assert!(failures.at(0).failed.len() <= MOST + 1);
        let new = Some(IpAddr::from([250, 1, 1, 1]));
        assert!(
            failures.admit(&limits, new, "sono_live_bbbbbbbb", 0).is_err(),
            "those that are not kept share a count"
        );
    }
}
