//! What is kept of measurements that cost nothing: answers under keys, results of jobs, and dives. No quota bounds how many there are, so
//! each organization has so many bytes of them a day, as each process counts. An answer beyond that is not kept, and measured anew when it
//! is sent again, which costs nothing either. Beyond the bytes of results no job is made until the day ends; beyond those of dives none
//! is opened, and no action is taken that costs nothing.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// So many bytes of free answers under keys are kept in a day.
const ANSWERS: u64 = 32 << 20;
/// After so many bytes of free results of jobs, no other job is made on that day.
const RESULTS: u64 = 1 << 30;
/// After so many bytes of dives that cost nothing, no other dive is opened on that day, and no action taken that costs nothing. Actions
/// are kept four times as long as results, or longer, so it is a quarter of [`RESULTS`].
const DIVES: u64 = 256 << 20;
/// For each ICS that an action costs, so many bytes of dives are given back: more than an opening takes, so that dives which cost something
/// may be opened without end.
pub(crate) const DIVES_FOR_ICS: u64 = 4 << 10;
/// What an answer takes in the store beside its text: account, route, key and hash.
const ROW_BYTES: u64 = 512;
const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// Bytes of one kind that cost nothing and were kept today, by organization.
pub(crate) struct FreeBytes {
    most: AtomicU64,
    today: Mutex<Today>,
}

#[derive(Default)]
struct Today {
    day: i64,
    bytes: BTreeMap<String, u64>,
}

impl FreeBytes {
    /// Answers under keys.
    pub(crate) fn answers() -> Self {
        Self { most: AtomicU64::new(ANSWERS), today: Mutex::default() }
    }

    /// Results of jobs.
    pub(crate) fn results() -> Self {
        Self { most: AtomicU64::new(RESULTS), today: Mutex::default() }
    }

    /// Dives: their openings, actions that cost nothing, and cards of those that cost nothing at all.
    pub(crate) fn dives() -> Self {
        Self { most: AtomicU64::new(DIVES), today: Mutex::default() }
    }

    /// How many bytes there are in a day.
    pub(crate) fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    /// Changes that.
    pub(crate) fn set_most(&self, most: u64) {
        self.most.store(most, Ordering::Relaxed);
    }

    /// Whether so many bytes are kept; if so, they are counted.
    pub(crate) fn keeps(&self, org: &str, bytes: usize, now_ms: i64) -> bool {
        self.of(org, now_ms, |kept| {
            let with_these = kept.saturating_add(bytes as u64 + ROW_BYTES);
            let fits = with_these <= self.most();
            if fits {
                *kept = with_these;
            }
            fits
        })
    }

    /// Counts bytes that are kept whatever they come to.
    pub(crate) fn add(&self, org: &str, bytes: usize, now_ms: i64) {
        self.of(org, now_ms, |kept| *kept = kept.saturating_add(bytes as u64 + ROW_BYTES));
    }

    /// Counts so many bytes less, since something was paid.
    pub(crate) fn give_back(&self, org: &str, bytes: u64, now_ms: i64) {
        self.of(org, now_ms, |kept| *kept = kept.saturating_sub(bytes));
    }

    /// If the day of an organization is full: in how many seconds the next begins.
    pub(crate) fn full(&self, org: &str, now_ms: i64) -> Option<u64> {
        let is_full = self.of(org, now_ms, |kept| *kept >= self.most());
        let rest_ms = DAY_MS - now_ms.rem_euclid(DAY_MS);
        is_full.then_some(u64::try_from(rest_ms).unwrap_or_default().div_ceil(1_000))
    }

    fn of<T>(&self, org: &str, now_ms: i64, what: impl FnOnce(&mut u64) -> T) -> T {
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        let day = now_ms.div_euclid(DAY_MS);
        if today.day != day {
            *today = Today { day, bytes: BTreeMap::new() };
        }
        what(today.bytes.entry(org.to_owned()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_organization_has_its_bytes_each_day() {
        let free = FreeBytes::answers();
        let half = (ANSWERS / 2 - ROW_BYTES) as usize;
        assert!(free.keeps("a", half, 0) && free.keeps("a", half, 1));
        assert!(!free.keeps("a", 0, DAY_MS - 1), "the day of one is full");
        assert_eq!((free.full("a", DAY_MS - 1_001), free.full("b", 0)), (Some(2), None));
        assert!(free.keeps("b", half, DAY_MS - 1), "that of another is not");
        assert!(free.keeps("a", half, DAY_MS), "and there is another day");
        assert!(!free.keeps("a", half + 1, DAY_MS), "what does not fit is not counted");
        assert!(free.keeps("a", half, DAY_MS));
        assert!(free.keeps("a", 0, -1), "clocks may jump");
    }

    #[test]
    fn results_are_counted_beyond_the_bytes_of_the_day() {
        let free = FreeBytes::results();
        free.add("a", (RESULTS - 2 * ROW_BYTES) as usize, 5);
        assert_eq!(free.full("a", 5), None);
        free.add("a", 1 << 20, 5);
        assert_eq!(free.full("a", DAY_MS / 2), Some(43_200));
        assert_eq!((free.full("a", DAY_MS), free.full("b", 5)), (None, None));
    }
}
