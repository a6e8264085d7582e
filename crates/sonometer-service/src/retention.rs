//! What is kept for a time only, and forgotten then: bit by bit, so that nobody waits for it, and so that nothing of it is left in
//! the files of the store.

use crate::Service;
use crate::period::Period;
use crate::refusal::Refusal;

const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// How long what is kept for a time only is kept, in days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Jobs that have ended, with their results and notifications.
    pub results_days: u64,
    /// Answers under an `Idempotency-Key`; 0: this month and the last.
    pub answers_days: u64,
    /// Actions and answers of closed dives.
    pub texts_days: u64,
    /// The audit log; 0: for ever.
    pub audit_days: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { results_days: 7, answers_days: 0, texts_days: 30, audit_days: 0 }
    }
}

fn ms(days: u64) -> i64 {
    i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY_MS)
}

/// The moment so many days ago.
fn before(now_ms: i64, days: u64) -> i64 {
    now_ms.saturating_sub(ms(days))
}

impl Retention {
    /// How long results of jobs are kept, in milliseconds: what is older is not shown, whether or not it was forgotten already.
    pub(crate) fn results_ms(self) -> i64 {
        ms(self.results_days)
    }
}

impl Service {
    /// Forgets what is older than [`Service::retention`] says.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn tidy(&self) -> Result<(), Refusal> {
        let (now, store, kept) = (self.now_ms(), self.store(), self.retention());
        let mut forgotten = store.forget_jobs(before(now, kept.results_days)).await?;
        forgotten += store.forget_steps(before(now, kept.texts_days)).await?;
        let answers = match kept.answers_days {
            0 => Period::at(now).start_of_last_ms(),
            days => before(now, days),
        };
        forgotten += store.forget_answers(answers).await?;
        if kept.audit_days > 0 {
            forgotten += store.forget_audit(before(now, kept.audit_days)).await?;
        }
        store.forget_windows(now).await?;
        // Also what was erased by others in between: contents of jobs that have ended.
        store.wipe().await?;
        if forgotten > 0 {
            tracing::info!(forgotten, "what is old was forgotten");
        }
        Ok(())
    }
}
