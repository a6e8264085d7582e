//! What works on jobs.
//!
//! A job is claimed for a time. A worker that dies loses the claim, and another begins anew: measuring has no effect, and
//! the charge is one transaction with the end of the job, under the id of the job. So a job that is begun five times is
//! charged once, and one that fails or is cancelled not at all.

use crate::Service;
use crate::batch;
use crate::catalogue::Tool;
use crate::cause::{Cause, Kind};
use crate::effort::Effort;
use crate::file::Subject;
use crate::measure::{BATCH, SENSE, sense_now};
use crate::period::Period;
use crate::ports::Waits;
use crate::refusal::{Code, Refusal};
use crate::request::{self, Asked, Target, of_item};
use crate::spans::SPANS;
use crate::store::{Along, Charge, Claimed, Draft, JobEnd, Line};
use sonometer::{Instrument, Interaction, Unit};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, interval_at, sleep};
use tracing::{Instrument as _, info_span};

/// So many jobs a process works on at once, so that large ones do not keep small ones waiting. What they measure waits its turn
/// for a thread like everything else.
pub const JOBS_AT_ONCE: usize = 4;
/// How long a claim lasts without a sign of life.
pub(crate) const LEASE_MS: i64 = 15_000;
/// How often a worker says how far it is.
const SIGN_OF_LIFE: Duration = Duration::from_millis(500);
/// How often somebody looks for jobs of others that were left behind.
const LOOK: Duration = Duration::from_secs(1);
/// So many jobs of one organization are worked on at once by a process: half of [`JOBS_AT_ONCE`], so that whenever a worker is
/// free, at most one organization has its share.
const JOBS_OF_ONE: usize = JOBS_AT_ONCE / 2;
/// Items of a batch are measured together up to so many steps, a tenth of a second at worst, and then wait their turn again.
const SLICE_STEPS: u64 = 32_000_000;

/// How many jobs of each organization this process works on. Held while a worker chooses, so that two do not take the last share.
pub(crate) type Working = Mutex<BTreeMap<String, usize>>;

impl Service {
    /// Works on jobs, one after the other, until `stop` says so. What is under way then is handed back.
    pub async fn work_on_jobs(self, mut stop: watch::Receiver<bool>) {
        let worker = self.id("wrk");
        while !*stop.borrow_and_update() {
            match self.next_job(&worker).await {
                Ok(Some(job)) => {
                    let org = job.org.clone();
                    self.one_job(&worker, job, &stop).await;
                    let mut working = self.inner.working.lock().await;
                    if let Some(count) = working.get_mut(&org) {
                        *count = count.saturating_sub(1);
                    }
                    working.retain(|_, count| *count > 0);
                    // What was passed over because of it may be done now.
                    self.inner.work_there.notify_one();
                }
                Ok(None) => {
                    tokio::select! {
                        () = self.inner.work_there.notified() => {}
                        () = sleep(LOOK) => {}
                        _ = stop.changed() => {}
                    }
                }
                Err(_) => sleep(LOOK).await,
            }
        }
    }

    /// The next job: of an organization that has none under way before others, of none that has its share.
    async fn next_job(&self, worker: &str) -> Result<Option<Claimed>, Refusal> {
        let mut working = self.inner.working.lock().await;
        let full = working.iter().find(|(_, count)| **count >= JOBS_OF_ONE).map(|(org, _)| org.as_str());
        let store = &self.inner.store;
        let claimed = store.claim_job(worker, self.now_ms(), LEASE_MS, full.unwrap_or_default()).await?;
        if let Some(job) = &claimed {
            *working.entry(job.org.clone()).or_default() += 1;
            // Another worker may find one, too.
            self.inner.work_there.notify_one();
        }
        Ok(claimed)
    }

    async fn one_job(&self, worker: &str, job: Claimed, stop: &watch::Receiver<bool>) {
        let id = job.id.clone();
        let span = info_span!(target: SPANS, parent: None, "job", id);
        let outcome = self.run_job(worker, job, stop).instrument(span).await;
        let ended = match outcome {
            Ok(()) => Ok(()),
            // Somebody else has it, or it was cancelled: nothing to tell.
            Err(Stopped::Lost) => Ok(()),
            Err(Stopped::Asked) => self.inner.store.hand_back(&id, worker).await,
            // Worth another try, once the lease ends.
            Err(Stopped::Refused(refusal)) if refusal.code == Code::Unavailable => Ok(()),
            Err(Stopped::Refused(refusal)) => {
                self.inner.store.fail_job(&id, worker, &refusal.inner_json(), self.now_ms()).await
            }
        };
        if let Err(refusal) = ended {
            tracing::warn!(job = id, %refusal, "a job could not be ended; its lease will");
        }
        self.inner.mail_there.notify_one();
    }

    async fn run_job(&self, worker: &str, job: Claimed, stop: &watch::Receiver<bool>) -> Result<(), Stopped> {
        let count = Arc::new(Count::default());
        let measured = {
            let mut work = pin!(self.do_job(&job, count.clone()));
            let mut signs = interval_at(Instant::now() + SIGN_OF_LIFE, SIGN_OF_LIFE);
            loop {
                tokio::select! {
                    ended = &mut work => break ended,
                    _ = signs.tick() => {
                        let lease = self.now_ms().saturating_add(LEASE_MS);
                        let so_far = count.done.load(Ordering::Relaxed);
                        let mine = self.inner.store.progress(&job.id, worker, so_far, lease).await.unwrap_or(true);
                        if !mine || *stop.borrow() {
                            // Whatever is fetched is dropped here, and the slice that is measured is the last.
                            return Err(if mine { Stopped::Asked } else { Stopped::Lost });
                        }
                    }
                }
            }
        };
        let Done { lines, answer } = measured?;
        let at_ms = self.now_ms();
        if lines.iter().all(|line| line.units == 0) {
            self.inner.free_results.add(&job.org, answer.bytes(), at_ms);
        }
        let charge = Charge {
            account: job.account,
            mode: job.mode,
            token: job.token,
            token_cap: job.token_cap,
            period: Period::at(at_ms),
            at_ms,
            route: if job.route == SENSE { SENSE } else { BATCH },
            key: None,
            cause: Cause { request: job.request, key: job.key, kind: Kind::Job },
            along: Along::Job(JobEnd { id: job.id.clone(), worker: worker.to_owned() }),
            id: job.id,
            lines,
            answer,
        };
        match self.charge_now(charge).await {
            Ok(_) => Ok(()),
            Err(refusal) if refusal.code == Code::JobNotFound => Err(Stopped::Lost),
            Err(refusal) => Err(refusal.into()),
        }
    }
}

impl Service {
    /// What a job has to do: fetches what is a file, measures.
    async fn do_job(&self, job: &Claimed, count: Arc<Count>) -> Result<Done, Refusal> {
        let version = Some(job.target_version.clone());
        let shelf = self.shelf_of(&job.org, job.revision).await?;
        if job.route == SENSE {
            let request::Sense { root, target, look, .. } = request::sense(&job.body)?;
            let instrument = self.tool_of(&job.org, &shelf, &Target { version, ..target }).await?;
            let asked = Asked::under(&root, "interaction")?;
            let subject = self.subject_of_job(&job.org, &asked, &instrument).await?;
            let effort = Effort::sensing(&instrument, 1, length(&subject.interaction));
            let work = move || sense_now(&instrument, subject, look, |_| Unit::ZERO);
            let (line, answer) = self.work(&job.org, effort, work).await??;
            return Ok(Done { lines: vec![line], answer });
        }
        let asked = request::batch(&job.body)?;
        let instrument = self.tool_of(&job.org, &shelf, &Target { version, ..asked.target.clone() }).await?;
        let measured = match asked.files {
            0 => {
                let items = request::items(&asked.root).iter().enumerate();
                let read = |(index, node)| {
                    Asked::item(node, index).read().map_err(|refusal| of_item(refusal, index))
                };
                let interactions: Vec<Interaction> = items.map(read).collect::<Result<_, _>>()?;
                self.measure_slices(&job.org, interactions, &instrument, &count).await?
            }
            _ => self.measure_files(&job.org, &asked, &instrument, &count).await?,
        };
        let effort = Effort::reading(batch::length(&measured));
        let done = move || {
            let lines = batch::lines(&measured);
            let write = Box::new(move |cost| batch::answer(&asked.ids, &measured, cost));
            Done { lines, answer: Draft::new(Unit::ZERO, write) }
        };
        self.work(&job.org, effort, done).await
    }

    /// A batch in slices, each of which waits its turn.
    async fn measure_slices(
        &self,
        org: &str,
        interactions: Vec<Interaction>,
        instrument: &Arc<Tool>,
        count: &Count,
    ) -> Result<Vec<batch::Measured>, Refusal> {
        let mut measured = Vec::with_capacity(interactions.len());
        let mut rest = interactions.into_iter().enumerate().peekable();
        while rest.peek().is_some() {
            let (mut slice, mut bytes) = (Vec::new(), 0);
            let fits = |items, bytes| Effort::sensing(instrument, items, bytes).cost() <= SLICE_STEPS;
            while let Some((_, next)) = rest.peek()
                && (slice.is_empty() || fits(slice.len() + 1, bytes + length(next)))
            {
                bytes += length(next);
                slice.extend(rest.next());
            }
            let effort = Effort::sensing(instrument, slice.len(), bytes);
            let with = instrument.clone();
            let work = move || -> Result<Vec<_>, Refusal> {
                slice.iter().map(|(index, one)| batch::measure_one(&with, *index, one)).collect()
            };
            measured.extend(self.work(org, effort, work).await??);
            count.done.store(measured.len() as u64, Ordering::Relaxed);
            // Short slices are measured here: others are let in between.
            tokio::task::yield_now().await;
        }
        Ok(measured)
    }

    /// A batch with files: one after the other, so that only one is held at a time.
    async fn measure_files(
        &self,
        org: &str,
        asked: &request::Batch,
        instrument: &Arc<Tool>,
        count: &Count,
    ) -> Result<Vec<batch::Measured>, Refusal> {
        let mut measured = Vec::with_capacity(asked.ids.len());
        for (index, node) in request::items(&asked.root).iter().enumerate() {
            let subject = self.subject_of_job(org, &Asked::item(node, index), instrument).await;
            let interaction = subject.map_err(|refusal| of_item(refusal, index))?.interaction;
            let with = instrument.clone();
            let effort = Effort::sensing(instrument, 1, length(&interaction));
            let work = move || batch::measure_one(&with, index, &interaction);
            measured.push(self.work(org, effort, work).await??);
            count.done.store(measured.len() as u64, Ordering::Relaxed);
        }
        Ok(measured)
    }

    async fn subject_of_job(
        &self,
        org: &str,
        asked: &Asked<'_>,
        instrument: &Instrument,
    ) -> Result<Subject, Refusal> {
        let subject = self.subject(org, asked, instrument, Waits::Job).await?;
        subject.ok_or_else(|| Refusal::internal("a file was put off for ever"))
    }
}

/// How many bytes an interaction has.
fn length(interaction: &Interaction) -> usize {
    interaction.turns().iter().map(|turn| turn.content.len()).sum()
}

/// How far a job is.
#[derive(Default)]
struct Count {
    done: AtomicU64,
}

/// What came of it.
struct Done {
    lines: Vec<Line>,
    answer: Draft,
}

/// Why a job did not come to its end here.
enum Stopped {
    /// It belongs to somebody else now, or was cancelled.
    Lost,
    /// The service stops.
    Asked,
    /// It cannot be done.
    Refused(Refusal),
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}
