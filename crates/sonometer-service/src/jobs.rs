//! Work that is answered later: batches of [`request::BATCH_JOB`] interactions or more, and whatever has a callback.
//!
//! How they are made, shown and cancelled; [`crate::worker`] does them.

use crate::caller::{Caller, key};
use crate::list::Listing;
use crate::measure::{BATCH, SENSE};
use crate::period::iso;
use crate::refusal::{Code, Refusal, shown};
use crate::request::{self, Callback};
use crate::store::{JobRow, Key, NewJob, Page};
use crate::{Answer, Service};
use serde::Serialize;
use serde_json::value::RawValue;
use sonometer::{Instrument, Unit};

/// So many jobs of one organization wait at most, of all nodes.
const MOST_JOBS: u64 = 10_000;
/// And so many bytes of their requests, which are kept until they end: otherwise one organization could fill the disk of all.
const MOST_JOB_BYTES: u64 = 1 << 30;
/// After so many seconds somebody who has too many may ask again.
const JOBS_RETRY: u64 = 60;
/// What is expected of a machine that nothing is known of yet.
const ITEMS_A_SECOND: u64 = 500;

/// Whether an organization has so many jobs under way, or with one more so many bytes of requests, that no other is taken.
fn too_many(jobs: u64, bytes: u64) -> Result<(), Refusal> {
    let held = match (jobs >= MOST_JOBS, bytes > MOST_JOB_BYTES) {
        (true, _) => format!("{MOST_JOBS} jobs of this organization have not ended"),
        (_, true) => {
            format!("the jobs of this organization that have not ended hold {} MiB", MOST_JOB_BYTES >> 20)
        }
        (false, false) => return Ok(()),
    };
    let refusal = Refusal::new(Code::RateLimited, format!("{held}, the limit; wait until some have ended"));
    Err(Refusal { retry_after: JOBS_RETRY, ..refusal })
}

#[derive(Serialize)]
struct Queued<'a> {
    job_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    items_queued: Option<usize>,
    estimated_seconds: u64,
    poll_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    callback_registered: Option<bool>,
}

#[derive(Serialize)]
struct Told<'a> {
    job_id: &'a str,
    status: &'a str,
    progress: Progress,
    created_at: String,
    estimated_remaining_seconds: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Jobs {
    jobs: Vec<Box<RawValue>>,
    total: u64,
    limit: u64,
    offset: u64,
}

/// A share of a whole, in hundredths.
#[derive(Serialize)]
struct Progress(#[serde(serialize_with = "crate::json::number")] Unit);

/// The error of a job that was begun too often.
pub(crate) fn given_up() -> String {
    Refusal::new(Code::Internal, "the job was started several times and never finished; nothing was charged")
        .inner_json()
}

impl Service {
    /// `POST /api/v1/sense/batch` of [`request::BATCH_JOB`] interactions or more: makes a job. Everything that can be wrong with the
    /// request is reported at once.
    pub(crate) async fn batch_later(
        &self,
        caller: &Caller,
        body: &str,
        idempotency_key: Option<&[u8]>,
        asked: request::Batch,
    ) -> Result<Answer, Refusal> {
        let instrument = self.tool(caller, &asked.target).await?;
        self.check_interactions(&asked)?;
        caller.standing().check()?;
        let total = asked.ids.len();
        let key = key(idempotency_key, body)?;
        self.later(caller, BATCH, body, key, &instrument, total, None).await
    }

    /// `POST /api/v1/sense` with a callback or a large file: makes a job of a request in which nothing is wrong, as far as can be told.
    pub(crate) async fn sense_later(
        &self,
        caller: &Caller,
        body: &str,
        key: Option<Key>,
        instrument: &Instrument,
        callback: Option<Callback>,
    ) -> Result<Answer, Refusal> {
        self.later(caller, SENSE, body, key, instrument, 1, callback).await
    }

    /// Makes a job.
    #[expect(clippy::too_many_arguments, reason = "each is another thing, and there are two callers")]
    async fn later(
        &self,
        caller: &Caller,
        route: &'static str,
        body: &str,
        key: Option<Key>,
        instrument: &Instrument,
        total: usize,
        callback: Option<Callback>,
    ) -> Result<Answer, Refusal> {
        let (jobs, bytes) = self.inner.store.jobs_under_way(caller.org()).await?;
        too_many(jobs, bytes.saturating_add(body.len() as u64))?;
        let created_ms = self.now_ms();
        if let Some(seconds) = self.inner.free_results.full(caller.org(), created_ms) {
            let message = format!(
                "the jobs of this organization that cost nothing have results of more than {} MiB today, the limit; \
                 send smaller batches, or wait until tomorrow (UTC)",
                self.inner.free_results.most() >> 20
            );
            return Err(Refusal { retry_after: seconds, ..Refusal::new(Code::RateLimited, message) });
        }
        let id = self.id("job");
        let ahead = self.inner.store.items_ahead(caller.org(), created_ms, &id).await?;
        let answer = crate::json::text(&Queued {
            job_id: &id,
            status: "processing",
            items_queued: (route == BATCH).then_some(total),
            estimated_seconds: seconds(ahead + total as u64, ITEMS_A_SECOND),
            poll_url: format!("/api/v1/jobs/{id}"),
            callback_registered: (route == SENSE).then_some(callback.is_some()),
        });
        let job = NewJob {
            id,
            org: caller.org().to_owned(),
            account: caller.account().to_owned(),
            mode: caller.mode(),
            token: caller.token().to_owned(),
            token_cap: caller.token_cap(),
            body: body.to_owned(),
            target_version: instrument.version().to_owned(),
            total: total as u64,
            created_ms,
            route,
            key,
            request: caller.request().to_owned(),
            callback: callback.map(|callback| (self.id("msg"), callback)),
            answer: answer.clone(),
        };
        let place = self.place_to_write(caller.org()).await?;
        let before = self.inner.store.create_job(job).await?;
        drop(place);
        self.inner.work_there.notify_one();
        let remaining = caller.standing().remaining();
        let replayed = before.is_some();
        let (status, body) = before.unwrap_or((202, answer));
        Ok(Answer { status, body, consumed: 0, remaining, replayed })
    }

    /// `GET /api/v1/jobs/{id}`.
    ///
    /// # Errors
    /// `job_not_found` for a job that is unknown, of another account, or was forgotten.
    pub async fn job(&self, caller: &Caller, id: &str) -> Result<String, Refusal> {
        let not_before = self.now_ms().saturating_sub(self.retention().results_ms());
        // No database is asked for what cannot be an id.
        let job = match is_id(id) {
            true => self.inner.store.job(caller.account(), id, not_before).await?,
            false => None,
        };
        let job =
            job.ok_or_else(|| Refusal::new(Code::JobNotFound, format!("unknown job `{}`", shown(id))))?;
        let ahead = match job.started_ms {
            0 => self.inner.store.items_ahead(caller.org(), job.created_ms, &job.id).await?,
            _ => 0,
        };
        Ok(told(&job, ahead, self.now_ms()))
    }

    /// `GET /api/v1/jobs`: the jobs of the account without their results, the newest first.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn jobs(&self, caller: &Caller, listing: &Listing) -> Result<String, Refusal> {
        let (now, Listing { limit, offset, .. }) = (self.now_ms(), *listing);
        let not_before = now.saturating_sub(self.retention().results_ms());
        let place = self.place_at_ledger(caller.org()).await?;
        let (rows, total) =
            self.inner.store.jobs(caller.account(), not_before, Page { limit, offset }).await?;
        drop(place);
        let mut jobs = Vec::with_capacity(rows.len());
        for job in &rows {
            jobs.push(
                RawValue::from_string(told(job, 0, now)).map_err(|e| Refusal::internal(&e.to_string()))?,
            );
        }
        Ok(crate::json::text(&Jobs { jobs, total, limit, offset }))
    }

    /// `DELETE /api/v1/jobs/{id}`: cancels a job that has not ended, and tells how it stands.
    ///
    /// # Errors
    /// As [`Service::job`].
    pub async fn cancel_job(&self, caller: &Caller, id: &str) -> Result<String, Refusal> {
        if is_id(id) {
            let _place = self.place_to_write(caller.org()).await?;
            self.inner.store.cancel_job(caller.account(), id, self.now_ms()).await?;
        }
        self.job(caller, id).await
    }

    /// How many jobs have not ended, and how many notifications are due.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn waiting(&self) -> Result<(u64, u64), Refusal> {
        self.inner.store.waiting().await
    }
}

fn is_id(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn seconds(items: u64, a_second: u64) -> u64 {
    items.div_ceil(a_second.max(1)).max(1)
}

fn told(job: &JobRow, ahead: u64, now_ms: i64) -> String {
    let ended = job.ended_ms > 0;
    // What failed or was cancelled stays as far as it came.
    let progress = match job.status == "completed" {
        true => 100,
        false => (100 * job.done.min(job.total)).checked_div(job.total).unwrap_or(0).min(99),
    };
    let remaining = if ended {
        0
    } else {
        let took = u64::try_from(now_ms.saturating_sub(job.started_ms)).unwrap_or(0);
        let pace = match (job.started_ms, job.done, took) {
            (1.., 1.., 1..) => (job.done * 1_000 / took).max(1),
            _ => ITEMS_A_SECOND,
        };
        seconds(ahead + job.total - job.done.min(job.total), pace)
    };
    // In a list there is none: the empty text is no JSON.
    let raw = || RawValue::from_string(job.result.clone()).ok();
    crate::json::text(&Told {
        job_id: &job.id,
        status: &job.status,
        progress: Progress(Unit::ratio(progress.into(), 100)),
        created_at: iso(job.created_ms),
        estimated_remaining_seconds: remaining,
        completed_at: ended.then(|| iso(job.ended_ms)),
        result: if job.status == "completed" { raw() } else { None },
        error: if job.status == "failed" { raw() } else { None },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_and_rest_mean_something() {
        let mut job = JobRow {
            id: "job_1".into(),
            status: "processing".into(),
            total: 1_000,
            done: 0,
            created_ms: 1_000,
            started_ms: 0,
            ended_ms: 0,
            result: String::new(),
        };
        let rest = |job: &JobRow, ahead, now| {
            let told: serde_json::Value = serde_json::from_str(&told(job, ahead, now)).expect("is JSON");
            (
                told["progress"].as_f64().unwrap_or(9.0),
                told["estimated_remaining_seconds"].as_u64().unwrap_or(9),
            )
        };
        assert_eq!(rest(&job, 4_000, 2_000), (0.0, 10), "those before it count");
        (job.started_ms, job.done) = (2_000, 250);
        assert_eq!(rest(&job, 0, 7_000), (0.25, 15), "50 a second so far");
        job.done = 1_000;
        assert_eq!(rest(&job, 0, 22_000).0, 0.99, "it is done when it is paid");
        (job.status, job.ended_ms, job.result) = ("completed".into(), 23_000, "{}".into());
        assert_eq!(rest(&job, 0, 99_000), (1.0, 0));
        (job.status, job.done) = ("cancelled".into(), 250);
        assert_eq!(rest(&job, 0, 99_000), (0.25, 0), "as far as it came");
    }

    #[test]
    fn jobs_are_bounded_by_number_and_by_the_bytes_of_their_requests() {
        assert_eq!(too_many(MOST_JOBS - 1, MOST_JOB_BYTES), Ok(()));
        for (jobs, bytes, told) in [
            (MOST_JOBS, 0, "10000 jobs of this organization have not ended, the limit; wait"),
            (
                1,
                MOST_JOB_BYTES + 1,
                "the jobs of this organization that have not ended hold 1024 MiB, the limit; wait",
            ),
        ] {
            let refusal = too_many(jobs, bytes).expect_err("is one too many");
            assert_eq!((refusal.code, refusal.retry_after), (Code::RateLimited, JOBS_RETRY));
            assert!(refusal.message.starts_with(told), "{}", refusal.message);
        }
    }
}
