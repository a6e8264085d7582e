//! Answers that cost nothing and came with a key: they are kept like all others, but nothing else bounds how many there are. So many
//! bytes of them a day are kept for each organization, as each process counts. What is not kept is measured anew when it is sent
//! again, which costs nothing either.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// So many bytes of free answers of one organization are kept in a day.
const MOST_BYTES: u64 = 32 << 20;
/// What an answer takes in the store beside its text: account, route, key and hash.
const ROW_BYTES: u64 = 512;
const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// Bytes of free answers that were kept today, by organization.
#[derive(Default)]
pub(crate) struct FreeAnswers(Mutex<Today>);

#[derive(Default)]
struct Today {
    day: i64,
    bytes: BTreeMap<String, u64>,
}

impl FreeAnswers {
    /// Whether a free answer of so many bytes is kept; if so, it is counted.
    pub(crate) fn keeps(&self, org: &str, bytes: usize, now_ms: i64) -> bool {
        let mut today = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let day = now_ms.div_euclid(DAY_MS);
        if today.day != day {
            *today = Today { day, bytes: BTreeMap::new() };
        }
        let kept = today.bytes.entry(org.to_owned()).or_default();
        let with_this = kept.saturating_add(bytes as u64 + ROW_BYTES);
        if with_this > MOST_BYTES {
            return false;
        }
        *kept = with_this;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_organization_has_its_bytes_each_day() {
        let free = FreeAnswers::default();
        let half = (MOST_BYTES / 2 - ROW_BYTES) as usize;
        assert!(free.keeps("a", half, 0) && free.keeps("a", half, 1));
        assert!(!free.keeps("a", 0, DAY_MS - 1), "the day of one is full");
        assert!(free.keeps("b", half, DAY_MS - 1), "that of another is not");
        assert!(free.keeps("a", half, DAY_MS), "and there is another day");
        assert!(
            !free.keeps("a", half + 1, DAY_MS) && free.keeps("a", half, DAY_MS),
            "what does not fit is not counted"
        );
        assert!(free.keeps("a", 0, -1), "clocks may jump");
    }
}
