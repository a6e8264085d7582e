//! Charges: what is asked for, and what comes of it.

use super::Store;
use super::answers::Key;
use super::dives::StepDone;
use super::draft::Draft;
use crate::cause::Cause;
use crate::json::TargetUsed;
use crate::names::Names;
use crate::period::Period;
use crate::refusal::Refusal;
use crate::token::Mode;
use sonometer::Unit;
use std::sync::Arc;
use tokio::sync::oneshot;

/// What is to be charged.
pub struct Charge {
    /// The id of the account, which belongs to one organization and mode.
    pub account: String,
    /// Live or test; what is used in test mode costs nothing and never exceeds the quota.
    pub mode: Mode,
    /// The id of the token that caused it.
    pub token: String,
    /// The most US dollars of overage that the token may cause in a period; `None`: no cap.
    pub token_cap: Option<Unit>,
    /// The period it falls into.
    pub period: Period,
    /// When it was measured, in milliseconds since 1970.
    pub at_ms: i64,
    /// The route, which is also the scope of the caller's key.
    pub route: &'static str,
    /// The caller's `Idempotency-Key`, if there is one.
    pub key: Option<Key>,
    /// What caused it.
    pub cause: Cause,
    /// What is done in the same transaction.
    pub along: Along,
    /// Names this charge. Charging the same id twice is an error of the database, not a second charge.
    pub id: String,
    /// What was measured; one row of the ledger each.
    pub lines: Vec<Line>,
    /// The answer.
    pub answer: Draft,
}

#[cfg(test)]
impl Charge {
    /// One that is written in one row: three ICS for `thanks`.
    pub(super) fn example(id: &str, account: String) -> Self {
        let target = TargetUsed { r#type: "protocol", id: "own".to_owned(), version: "1.0".to_owned() };
        Self {
            account,
            mode: Mode::Live,
            token: "token".to_owned(),
            token_cap: None,
            period: Period::at(0),
            at_ms: 0,
            route: "sense",
            key: None,
            cause: Cause { request: id.to_owned(), key: String::new(), kind: crate::cause::Kind::Sense },
            along: Along::Nothing,
            id: id.to_owned(),
            lines: vec![Line {
                target,
                digest: "".into(),
                markers: "thanks".to_owned(),
                list: None,
                units: 3,
            }],
            answer: Draft::of("{}".to_owned()),
        }
    }
}

/// What is done with a charge in one transaction. If it cannot be done, nothing is charged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Along {
    /// Nothing else.
    Nothing,
    /// Ends a job.
    Job(JobEnd),
    /// Takes a step of a dive.
    Step(Box<StepDone>),
}

/// A job that a charge ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobEnd {
    /// The id of the job.
    pub id: String,
    /// The worker that must still hold the lease.
    pub worker: String,
}

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What measured.
    pub target: TargetUsed,
    /// The digest of its file.
    pub digest: Arc<str>,
    /// The keys of the metamarkers that triggered, with a space between them ([`Line::joined`]); very many are written shorter.
    pub markers: String,
    /// The list that these need to be read.
    pub list: Option<Arc<Names>>,
    /// ICS: how many metamarkers triggered.
    pub units: u64,
}

impl Line {
    /// Keys of metamarkers as a line has them; no key holds white space.
    pub fn joined<'m>(markers: impl Iterator<Item = &'m str>) -> String {
        markers.collect::<Vec<_>>().join(" ")
    }
}

/// A charge that was made, or had been made before under the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charged {
    /// 200, or the status of the answer under the key.
    pub status: u16,
    /// The body of the answer.
    pub answer: String,
    /// ICS charged now; 0 for a repeated answer.
    pub units: u64,
    /// ICS left of the quota.
    pub remaining: u64,
    /// Whether the answer was given before.
    pub replayed: bool,
}

/// A charge, and where its outcome is sent.
pub(crate) struct Order {
    pub(super) charge: Charge,
    pub(super) done: oneshot::Sender<Result<(Made, Draft), Refusal>>,
}

/// A charge that was made; its answer is put together by its caller.
pub(super) struct Made {
    pub(super) status: u16,
    pub(super) answer: Said,
    pub(super) units: u64,
    pub(super) remaining: u64,
}

/// What is answered.
pub(super) enum Said {
    /// What was answered before.
    Before(String),
    /// The draft at this cost.
    At(Unit),
}

impl Store {
    /// Charges, and gives the answer once all of it is on the disk.
    ///
    /// # Errors
    /// `quota_exhausted`, `idempotency_conflict`; `unavailable` if it is not known whether it was charged.
    pub async fn charge(&self, charge: Charge) -> Result<Charged, Refusal> {
        if self.unmetered {
            let units = charge.lines.iter().map(|line| line.units).sum();
            let answer = charge.answer.finish(Unit::ZERO);
            return Ok(Charged { status: 200, answer, units, remaining: 0, replayed: false });
        }
        self.keep_lists(&charge.lines).await?;
        let (done, outcome) = oneshot::channel();
        let gone = || Refusal::unavailable("the writer is gone");
        self.charges.send(Order { charge, done }).await.map_err(|_| gone())?;
        let (made, draft) = outcome.await.map_err(|_| gone())??;
        let Made { status, answer, units, remaining } = made;
        let (answer, replayed) = match answer {
            Said::Before(answer) => (answer, true),
            Said::At(cost) => (draft.finish(cost), false),
        };
        Ok(Charged { status, answer, units, remaining, replayed })
    }
}
