//! The one writer of charges: it puts those that wait into one transaction, and answers after the commit. Charges that wait together
//! share a commit, which is what makes `synchronous=FULL` fast enough.

use super::charge::{Charge, Order};
use super::charging::{Outcomes, together};
use super::known::Known;
use super::pulse::Pulse;
use super::queue::Queue;
use super::{BUSY_MS, Dialect, down, ledger};
use crate::refusal::Refusal;
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

/// The most charges in one commit: as many as [`Known`] writes in one statement. Each holds the lock of its account until then, and all of
/// them are tried again where one of them makes the database fail.
const TOGETHER: usize = ledger::ROWS;

/// So many commits in a row are made on one connection before others may have it: SQLite has only one that writes. Giving it back and
/// taking it again takes about as long as a third of a commit, as the pool tries it in between.
const IN_A_ROW: u32 = 8;

/// Writes charges until every sender is gone.
pub(super) async fn write_all(
    pool: AnyPool,
    dialect: Dialect,
    pulse: Arc<Pulse>,
    mut waiting: mpsc::Receiver<Order>,
) {
    let mut writer = Writer { pool, dialect, pulse, known: Known::new(dialect), kept: None };
    let mut queue = Queue::default();
    let mut pace = Pace::default();
    loop {
        if queue.is_empty() {
            if waiting.is_empty() {
                writer.kept = None;
            }
            let Some(first) = waiting.recv().await else { return };
            queue.add(first);
        }
        pace.gather(&mut queue, &mut waiting).await;
        let mut orders = queue.next(TOGETHER);
        if orders.is_empty() {
            continue;
        }
        // All nodes lock accounts in the same order, so that no two wait for each other. The sort is stable: charges of one
        // account keep the order in which they came in.
        orders.sort_by(|a, b| {
            let of = |order: &Order| order.charge.period;
            a.charge.account.cmp(&b.charge.account).then_with(|| of(a).cmp(&of(b)))
        });
        let (charges, callers): (Vec<_>, Vec<_>) =
            orders.drain(..).map(|order| (order.charge, order.done)).unzip();
        let began = Instant::now();
        let made = writer.outcomes(&charges).await;
        pace.committed(charges.len(), waiting.len(), began.elapsed());
        if made.iter().any(Result::is_ok) {
            writer.pulse.beat();
        }
        let drafts = charges.into_iter().map(|charge| charge.answer);
        for ((caller, outcome), draft) in callers.into_iter().zip(made).zip(drafts) {
            // A caller that no longer waits can ask again with the same key.
            let _ = caller.send(outcome.map(|made| (made, draft)));
        }
    }
}

/// How the writer waits for more charges before it commits: for those of requests that are at work, and, where commits take long,
/// for those of clients that are about to ask again. Clients that were answered by the last commit ask again, and a
/// disk that takes long for a commit does better with one for all of them than with two for a half each.
#[derive(Default)]
struct Pace {
    /// How many charges may come soon: those of the last commit, and those that waited for it.
    expected: usize,
    /// How long it is waited for them.
    patience: Duration,
}

impl Pace {
    /// Shorter commits are not worth waiting for, and timers are no finer than a millisecond.
    const SLOW: Duration = Duration::from_millis(2);
    /// The longest wait, however long the last commit took.
    const MOST: Duration = Duration::from_millis(10);

    /// Takes more orders, until as many are there as are expected or the patience is at its end.
    async fn gather(&self, queue: &mut Queue, waiting: &mut mpsc::Receiver<Order>) {
        // Requests that could go on now go first: some of them come with a charge. If there are none, nothing is lost.
        tokio::task::yield_now().await;
        while queue.small() < TOGETHER
            && let Ok(order) = waiting.try_recv()
        {
            queue.add(order);
        }
        let until = Instant::now() + self.patience;
        while queue.small() < self.expected && !self.patience.is_zero() {
            match timeout_at(until, waiting.recv()).await {
                Ok(Some(order)) => queue.add(order),
                _ => break,
            }
        }
    }

    fn committed(&mut self, charges: usize, waiting: usize, took: Duration) {
        self.expected = (charges + waiting).min(TOGETHER);
        // Half of what a commit takes: a wait in vain costs no more than that.
        self.patience = if took < Self::SLOW { Duration::ZERO } else { (took / 2).min(Self::MOST) };
    }
}

/// What commits charges.
struct Writer {
    pool: AnyPool,
    dialect: Dialect,
    pulse: Arc<Pulse>,
    known: Known,
    /// The connection of the last commit, with the number of those that were made on it, as long as more charges wait.
    kept: Option<(PoolConnection<Any>, u32)>,
}

impl Writer {
    /// Charges all in one transaction. If the database refuses that because of one of them, each gets its own, so that no caller
    /// fails because of another's charge.
    async fn outcomes(&mut self, charges: &[Charge]) -> Outcomes {
        match self.commit(charges).await {
            Ok(outcomes) => outcomes,
            Err(error) if charges.len() == 1 || is_down(&error) => {
                let refusal = down(error);
                charges.iter().map(|_| Err(refusal.clone())).collect()
            }
            Err(error) => {
                tracing::warn!(charges = charges.len(), %error, "charges failed together; each is tried alone");
                self.one_by_one(charges).await
            }
        }
    }

    async fn one_by_one(&mut self, charges: &[Charge]) -> Outcomes {
        let mut outcomes = Vec::with_capacity(charges.len());
        for charge in charges {
            let alone = match self.commit(std::slice::from_ref(charge)).await {
                Ok(mut alone) => {
                    alone.pop().unwrap_or_else(|| Err(Refusal::internal("a charge has no outcome")))
                }
                // The rest would fail likewise, each only after waiting for a connection or a lock (10 seconds).
                Err(error) if is_down(&error) => {
                    let refusal = down(error);
                    outcomes.resize_with(charges.len(), || Err(refusal.clone()));
                    break;
                }
                Err(error) => {
                    let Charge { id, account, token, route, .. } = charge;
                    tracing::error!(charge = id, account, token, route, %error, "the database refuses a charge");
                    Err(down(error))
                }
            };
            outcomes.push(alone);
        }
        outcomes
    }

    /// Charges in one transaction. After an error the pool looks after a connection to PostgreSQL; one to SQLite is closed, since a
    /// transaction may have begun on it that the pool knows nothing of.
    async fn commit(&mut self, charges: &[Charge]) -> Result<Outcomes, sqlx::Error> {
        let Self { pool, dialect, pulse, known, kept } = self;
        let kept_before = kept.take();
        let work = async {
            let (mut connection, commits) = match kept_before {
                Some(kept) => kept,
                None => (pool.acquire().await?, 0),
            };
            match charged(&mut connection, *dialect, known, charges).await {
                Ok(outcomes) => {
                    *kept = Some((connection, commits + 1)).filter(|(_, commits)| *commits < IN_A_ROW);
                    Ok(outcomes)
                }
                Err(error) => {
                    known.forget();
                    if *dialect == Dialect::Sqlite {
                        // Whether it closes well does not matter: nobody uses it any more.
                        let _ = connection.close().await;
                    }
                    Err(error)
                }
            }
        };
        in_time(*dialect, pulse, work).await
    }
}

/// Charges by what is known, or else step by step.
async fn charged(
    connection: &mut AnyConnection,
    dialect: Dialect,
    known: &mut Known,
    charges: &[Charge],
) -> Result<Outcomes, sqlx::Error> {
    if let Some(reckoned) = known.reckon(charges)
        && let Some(outcomes) = known.write(connection, reckoned).await?
    {
        return Ok(outcomes);
    }
    let (outcomes, accounts) = together(connection, dialect, known, charges).await?;
    known.learn(accounts);
    Ok(outcomes)
}

/// Whether an error is the database's own (no connection, no room, a lock that is not released) and not one of what was sent.
fn is_down(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else { return !matches!(error, sqlx::Error::Encode(_)) };
    let code = error.code().unwrap_or_default();
    match code.len() {
        // SQLSTATE (PostgreSQL) has five characters, the first two the class: connection, resources, objects in use,
        // operator, system.
        5 => ["08", "53", "55", "57", "58"].iter().any(|class| code.starts_with(class)),
        // SQLite's codes are decimal, at most 4 digits: BUSY, LOCKED, IOERR, FULL are the lowest byte of an extended code.
        _ => code.parse::<u32>().is_ok_and(|code| matches!(code & 0xFF, 5 | 6 | 10 | 13)),
    }
}

/// Gives a server up that is away, or of which one connection does not answer: it may have lost its power, and say nothing ever
/// again. Whether the charges were made is not known then.
async fn in_time(
    dialect: Dialect,
    pulse: &Pulse,
    work: impl Future<Output = Result<Outcomes, sqlx::Error>>,
) -> Result<Outcomes, sqlx::Error> {
    if dialect == Dialect::Sqlite {
        return work.await;
    }
    tokio::select! {
        biased;
        // It waits for locks half as long itself, and says so.
        made = timeout(Duration::from_millis(2 * BUSY_MS), work) => made.unwrap_or(Err(sqlx::Error::PoolTimedOut)),
        () = pulse.stops() => Err(sqlx::Error::PoolTimedOut),
    }
}
