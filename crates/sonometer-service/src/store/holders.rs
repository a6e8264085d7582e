//! Who calls with a token. Requests that come together share a question to the database, as their charges share a commit.
//!
//! The naive way asks for each request. That costs a way to the database and back, and SQLite reads its pages anew for each question
//! after a commit. So one of the requests that wait asks for all of them. It asks after all of them have come in, so no answer is older
//! than its request: a token that was revoked is refused from the next request on.

use super::accounts::{account_id, standing};
use super::statements::Texts;
use super::tokens::{self, TokenRow};
use super::{Dialect, Store, down};
use crate::account::Standing;
use crate::period::Period;
use crate::refusal::Refusal;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};
use std::sync::{Mutex, PoisonError};
use tokio::sync::{Semaphore, oneshot};

/// The most requests in one question.
const TOGETHER: usize = 64;
/// Questions at the same time: while one is answered, requests gather for the next. A server may keep one connection waiting.
const SQLITE_QUESTIONS: usize = 1;
const POSTGRES_QUESTIONS: usize = 2;

/// A token with the account behind it.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    pub(crate) token: TokenRow,
    pub(crate) account_id: String,
    pub(crate) standing: Standing,
    /// The revision of what the organization has published.
    pub(crate) revision: i64,
}

type Found = Result<Option<Holder>, Refusal>;

/// A request that waits to be told who has the token with this hash.
#[derive(Debug)]
struct Wanted {
    hash: String,
    period: Period,
    told: oneshot::Sender<Found>,
}

/// Requests that wait, and the right to ask for them.
#[derive(Debug)]
pub(super) struct Holders {
    waiting: Mutex<Vec<Wanted>>,
    questions: Semaphore,
}

impl Holders {
    pub(super) fn new(dialect: Dialect) -> Self {
        let questions = match dialect {
            Dialect::Sqlite => SQLITE_QUESTIONS,
            Dialect::Postgres => POSTGRES_QUESTIONS,
        };
        Self { waiting: Mutex::default(), questions: Semaphore::new(questions) }
    }

    fn wait_for(&self, hash: &str, period: Period) -> oneshot::Receiver<Found> {
        let (told, answer) = oneshot::channel();
        let wanted = Wanted { hash: hash.to_owned(), period, told };
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(wanted);
        answer
    }

    /// Those that came first. Requests whose callers have gone need no answer.
    fn take(&self) -> Vec<Wanted> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|wanted| !wanted.told.is_closed());
        let many = waiting.len().min(TOGETHER);
        waiting.drain(..many).collect()
    }
}

impl Store {
    /// Who has the token with this hash.
    pub(crate) async fn holder(&self, hash: &str, period: Period) -> Found {
        let mut answer = self.holders.wait_for(hash, period);
        loop {
            let told = tokio::select! {
                biased;
                told = &mut answer => told,
                Ok(question) = self.holders.questions.acquire() => {
                    if self.ask_for_those_that_wait().await {
                        continue;
                    }
                    // None waits, so another one is asking for this request.
                    drop(question);
                    (&mut answer).await
                }
            };
            match told {
                Ok(told) => return told,
                // The one that asked has gone with its caller.
                Err(_) => answer = self.holders.wait_for(hash, period),
            }
        }
    }

    /// Whether there was one that waited.
    async fn ask_for_those_that_wait(&self) -> bool {
        let all = self.holders.take();
        let mut asked: Vec<(&str, Period)> =
            all.iter().map(|wanted| (&*wanted.hash, wanted.period)).collect();
        asked.sort_unstable();
        asked.dedup();
        if asked.is_empty() {
            return false;
        }
        let found = self.holders_of(&asked).await.map_err(down);
        for Wanted { hash, period, told } in all {
            let same = |(of, holder): &&(String, Holder)| *of == hash && holder.standing.period == period;
            let one =
                |found: &Vec<(String, Holder)>| found.iter().find(same).map(|(_, holder)| holder.clone());
            let _ = told.send(found.as_ref().map(one).map_err(Clone::clone));
        }
        true
    }

    async fn holders_of(&self, asked: &[(&str, Period)]) -> Result<Vec<(String, Holder)>, sqlx::Error> {
        static TEXTS: Texts<TOGETHER> = Texts::new();
        let text = TEXTS.of(self.dialect, asked.len(), 2, |wanted| {
            let columns = tokens::COLUMNS;
            format!(
                "WITH wanted (hash, period) AS (VALUES {wanted}) \
                 SELECT {columns}, t.hash, wanted.period, o.revision, \
                        a.tier, a.quota, a.overage, a.rate_micros, a.cap_micros, a.per_window, \
                        COALESCE(c.used, 0) AS used, COALESCE(c.overage, 0) AS over_used, \
                        COALESCE(c.cost_micros, 0) AS cost_micros \
                 FROM wanted JOIN tokens t ON t.hash = wanted.hash JOIN orgs o ON o.id = t.org_id \
                 JOIN accounts a ON a.org_id = t.org_id AND a.mode = t.mode \
                 LEFT JOIN consumption c ON c.account_id = a.id AND c.period = wanted.period"
            )
        });
        let mut query = sqlx::query(AssertSqlSafe(text));
        for (hash, period) in asked {
            query = query.bind(*hash).bind(period.to_string());
        }
        let rows = query.fetch_all(&self.readers).await?;
        self.pulse.beat();
        let holder = |row: &AnyRow| {
            let token = tokens::token(row)?;
            let period: String = row.try_get("period")?;
            let period = Period::parse(&period).ok_or_else(|| sqlx::Error::Decode("no period".into()))?;
            let holder = Holder {
                account_id: account_id(&token.org, token.mode),
                standing: standing(row, token.mode, period)?,
                revision: row.try_get("revision")?,
                token,
            };
            Ok((row.try_get("hash")?, holder))
        };
        rows.iter().map(holder).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::accounts::OrgRow;
    use super::super::tokens::NewToken;
    use super::*;
    use crate::account::Settings;
    use crate::token::{Mode, Scope};
    use std::pin::pin;
    use std::task::{Context, Waker};

    /// A store of two organizations, each with a token that has its name as hash.
    async fn store(name: &str) -> Store {
        let path = std::env::temp_dir().join(format!("sonometer-holders-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let store = Store::open(path.to_str().expect("is UTF-8")).await.expect("opens");
        for org in ["a", "b"] {
            let row = OrgRow { id: org.to_owned(), name: org.to_owned(), created_ms: 0 };
            store.create_org(&row, &[(Mode::Live, Settings::new(Mode::Live))]).await.expect("is new");
            let token = NewToken {
                id: format!("token-{org}"),
                org: org.to_owned(),
                mode: Mode::Live,
                name: String::new(),
                hash: org.to_owned(),
                ending: String::new(),
                scopes: Scope::DEFAULT.to_vec(),
                cap_usd: None,
                created_ms: 0,
                expires_ms: 0,
            };
            store.create_token(&token).await.expect("is new");
        }
        store
    }

    /// All connections to read, so that a question stays under way.
    async fn all_readers(store: &Store) -> Vec<sqlx::pool::PoolConnection<sqlx::Any>> {
        let mut all = Vec::new();
        for _ in 0..super::super::SQLITE_READERS {
            all.push(store.readers.acquire().await.expect("is free"));
        }
        all
    }

    async fn org(store: &Store, hash: &str) -> Option<String> {
        let found = store.holder(hash, Period::at(0)).await.expect("the database answers");
        found.map(|holder| holder.token.org)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn each_of_many_is_told_its_own() {
        let store = store("many").await;
        let ask = |at: usize| {
            let (store, hash) = (store.clone(), ["a", "b", "nobody"][at % 3]);
            tokio::spawn(async move { (hash, org(&store, hash).await) })
        };
        // More than one question takes.
        for asked in (0..5 * TOGETHER).map(ask).collect::<Vec<_>>() {
            let (hash, org) = asked.await.expect("ends");
            assert_eq!(org.as_deref(), Some(hash).filter(|hash| *hash != "nobody"));
        }
    }

    #[tokio::test]
    async fn those_that_wait_share_a_question_and_outlive_the_one_that_asks() {
        let store = store("share").await;
        let mut nobody_wakes = Context::from_waker(Waker::noop());
        let busy = all_readers(&store).await;
        {
            let mut asks = pin!(store.holder("a", Period::at(0)));
            assert!(asks.as_mut().poll(&mut nobody_wakes).is_pending());
            assert_eq!(store.holders.take().len(), 0, "its question is under way");
            let waits = pin!(store.holder("b", Period::at(0)));
            assert!(waits.poll(&mut nobody_wakes).is_pending());
        }
        drop(busy);
        // Both requests were given up, and so are 65 more, one more than a question takes. A later request is still answered.
        (0..=TOGETHER).for_each(|_| drop(store.holders.wait_for("a", Period::at(0))));
        assert_eq!(org(&store, "b").await.as_deref(), Some("b"));
        let busy = all_readers(&store).await;
        let mut waits = pin!(store.holder("b", Period::at(0)));
        {
            let mut asks = pin!(store.holder("a", Period::at(0)));
            assert!(asks.as_mut().poll(&mut nobody_wakes).is_pending());
            assert!(waits.as_mut().poll(&mut nobody_wakes).is_pending());
        }
        drop(busy);
        assert!(waits.await.expect("the database answers").is_some(), "the one that asked was given up");
    }

    #[tokio::test]
    async fn a_token_that_was_taken_back_is_told_as_such_at_once() {
        let store = store("revoked").await;
        let revoked = async || {
            let holder =
                store.holder("a", Period::at(0)).await.expect("the database answers").expect("is there");
            holder.token.revoked_ms
        };
        assert_eq!(revoked().await, 0);
        assert!(store.revoke_token("token-a", 7).await.expect("can be"));
        assert_eq!(revoked().await, 7);
    }
}
