//! Work whose worker died while a clock was ahead. Its claim ends only when the clocks get there, which may be days later. So claims
//! that end later than one made now are watched: a worker that lives changes its claim twice a second; one that stays the same for
//! a while, by the time that passes here and no clock, is ended. Notifications that were planned by such a clock become due.

use crate::refusal::Refusal;
use crate::store::Claimable;
use crate::{Service, webhook, worker};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::sleep;

/// How often they are looked at.
const LOOK: Duration = Duration::from_secs(5);

/// Claims that end too late, each with its end and since when it is the same.
#[derive(Debug, Default)]
pub struct LateClaims(BTreeMap<(Claimable, String), (i64, Instant)>);

impl LateClaims {
    /// Takes what there is now; what has been the same for as long as that, with its end.
    fn unchanged(
        &mut self,
        what: Claimable,
        there: Vec<(String, i64)>,
        now: Instant,
        for_long: Duration,
    ) -> Vec<(String, i64)> {
        let mut before = std::mem::take(&mut self.0);
        let mut old = Vec::new();
        for (id, end) in there {
            let key = (what, id);
            let seen = before.remove(&key);
            let since = seen.filter(|(own, _)| *own == end).map(|(_, since)| since);
            if since.is_some_and(|since| now.saturating_duration_since(since) >= for_long) {
                old.push((key.1.clone(), end));
            }
            self.0.insert(key, (end, since.unwrap_or(now)));
        }
        before.retain(|(other, _), _| *other != what);
        self.0.append(&mut before);
        old
    }
}

impl Service {
    /// Ends claims of workers that died while a clock was ahead, and plans of such a clock, until `stop` is set.
    pub async fn watch_claims(self, mut stop: watch::Receiver<bool>) {
        let mut late = LateClaims::default();
        while !*stop.borrow_and_update() {
            if let Err(refusal) = self.end_late_claims(&mut late, None).await {
                tracing::debug!(%refusal, "claims could not be looked at");
            }
            match self.end_late_plans().await {
                Ok(0) => {}
                Ok(late) => {
                    tracing::warn!(
                        late,
                        "notifications were planned by a clock that was ahead; they are sent now"
                    );
                    self.inner.mail_there.notify_one();
                }
                Err(refusal) => tracing::debug!(%refusal, "plans of notifications could not be looked at"),
            }
            tokio::select! {
                () = sleep(LOOK) => {}
                _ = stop.changed() => {}
            }
        }
    }

    /// Looks once; how many were ended. `patience`: how long a claim must be the same, else twice its length.
    ///
    /// # Errors
    /// `unavailable`.
    #[doc(hidden)]
    pub async fn end_late_claims(
        &self,
        late: &mut LateClaims,
        patience: Option<Duration>,
    ) -> Result<usize, Refusal> {
        let mut ended = 0;
        for (what, lease_ms) in [(Claimable::Job, worker::LEASE_MS), (Claimable::Delivery, webhook::LEASE_MS)]
        {
            let latest = self.now_ms().saturating_add(lease_ms);
            let there = self.store().claims_beyond(what, latest).await?;
            let patience = patience.unwrap_or(Duration::from_millis(2 * lease_ms.unsigned_abs()));
            for (id, end) in late.unchanged(what, there, Instant::now(), patience) {
                if self.store().end_claim(what, &id, end).await? {
                    tracing::warn!(id, ?what, "its worker died while a clock was ahead; it is begun anew");
                    ended += 1;
                }
            }
        }
        Ok(ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stays_the_same_is_old() {
        let mut late = LateClaims::default();
        let begun = Instant::now();
        let mut look = |seconds, there: &[(&str, i64)]| {
            let there = there.iter().map(|(id, end)| ((*id).to_owned(), *end)).collect();
            let now = begun + Duration::from_secs(seconds);
            let old = late.unchanged(Claimable::Job, there, now, Duration::from_secs(30));
            // Others are none of its business.
            assert!(late.unchanged(Claimable::Delivery, Vec::new(), now, Duration::ZERO).is_empty());
            old.into_iter().map(|(id, _)| id).collect::<Vec<_>>()
        };
        assert!(look(0, &[("dead", 9), ("alive", 9), ("gone", 9)]).is_empty());
        assert!(look(29, &[("dead", 9), ("alive", 10)]).is_empty());
        assert_eq!(look(31, &[("dead", 9), ("alive", 11), ("gone", 9)]), ["dead"]);
        assert_eq!(look(62, &[("alive", 12), ("gone", 9)]), ["gone"], "it was away, and came again at 31");
    }
}
