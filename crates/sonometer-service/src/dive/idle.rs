//! Dives that somebody left: closed by the service, so that every dive has a card in the end.

use crate::Service;
use crate::refusal::Refusal;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// So many are looked for at once.
const TOGETHER: u64 = 32;

impl Service {
    /// Closes the dives in which nothing happened for a time: how many. Several nodes may do it at once.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn close_idle_dives(&self, idle: Duration) -> Result<u64, Refusal> {
        let idle_ms = i64::try_from(idle.as_millis()).unwrap_or(i64::MAX).max(1);
        let mut closed = 0;
        loop {
            let now = self.now_ms();
            let ids = self.inner.store.idle_dives(now.saturating_sub(idle_ms), TOGETHER).await?;
            if ids.is_empty() {
                return Ok(closed);
            }
            for id in ids {
                let Some(row) = self.inner.store.dive_of_any(&id).await? else { continue };
                match self.close_row(&row, None).await {
                    Ok(card) => closed += u64::from(card.is_some()),
                    Err(refusal) if refusal.code == crate::Code::Unavailable => return Err(refusal),
                    Err(refusal) => {
                        tracing::error!(dive = id, %refusal, "an idle dive cannot be closed");
                        self.inner.store.put_off(&id, now).await?;
                    }
                }
            }
        }
    }

    /// Repeats it until `stop` says so.
    pub async fn watch_idle_dives(self, idle: Duration, mut stop: watch::Receiver<bool>) {
        let pause = (idle / 8).clamp(Duration::from_millis(100), Duration::from_secs(60));
        while !*stop.borrow_and_update() {
            match self.close_idle_dives(idle).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "idle dives were closed"),
                Err(refusal) => tracing::warn!(%refusal, "idle dives could not be closed"),
            }
            tokio::select! {
                () = sleep(pause) => {}
                _ = stop.changed() => {}
            }
        }
    }
}
