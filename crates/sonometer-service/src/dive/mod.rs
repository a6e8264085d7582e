//! Dives: an agent of a caller acts in the world of a stage, step by step, and a signed card says how it went.
//!
//! The engine makes every step as a pure function; here stands what it must not know: who may dive, how often, what it costs,
//! and that each step is taken once. A dive lives in the store alone. An action is computed from what is kept there and is
//! charged, kept and counted in one transaction, which is made only if the dive is where it was read: two that act at the
//! same time, on one node or several, or a process that dies in between, change nothing about that.

mod access;
mod act;
mod body;
mod close;
mod idle;
mod keys;
mod look;
mod open;
mod password;
mod publish;
mod world;

pub use body::{act_shape, close_shape, open_shape};
pub use publish::PasswordRule;
pub(crate) use world::Worlds;

use crate::queue::{Bounds, Place, Queue};
use crate::refusal::{Code, Refusal, shown};
use crate::store::{DiveRow, DiveSize};
use crate::{Caller, Service, WAITING};
use sonometer::stage::{Counted, Mode, Stage};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, Weak};
use tokio::sync::Mutex;

/// The routes that tell keys apart, and under which steps are charged.
pub(crate) const OPEN: &str = "POST /api/v1/dive/open";
/// See [`OPEN`].
pub(crate) const ACT: &str = "POST /api/v1/dive/act";

/// Up to so many bytes a dive is read without waiting. The longest are 24 MB.
const SHORT_DIVE: u64 = 256 << 10;

/// What dives need of a process: nothing of it lasts.
pub(crate) struct Dives {
    worlds: Worlds,
    turns: Turns,
    /// Threads that check passwords: each of them takes much memory.
    pub(crate) hashing: Queue,
}

impl Default for Dives {
    fn default() -> Self {
        let hashing = Queue::new("passwords", Bounds { places: 2, share: 1, waiting: WAITING });
        Self { worlds: Worlds::default(), turns: Turns::default(), hashing }
    }
}

/// Those who act in the same dive wait for each other, rather than compute what somebody else has computed. Those in other dives
/// do not: they may be somebody else's, who waits long for a thread.
#[derive(Default)]
struct Turns(std::sync::Mutex<HashMap<Of, Weak<Mutex<()>>>>);

/// An account and a dive that it names.
type Of = (String, String);

impl Turns {
    /// So many dives are remembered before it is looked which of them nobody acts in any more.
    const REMEMBERED: usize = 1_024;

    /// What those who act in a dive of an account wait for.
    fn of(&self, account: &str, dive: &str) -> Arc<Mutex<()>> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() >= Self::REMEMBERED {
            turns.retain(|_, turn| turn.strong_count() > 0);
        }
        let turn = turns.entry((account.to_owned(), dive.to_owned())).or_default();
        turn.upgrade().unwrap_or_else(|| {
            let new = Arc::new(Mutex::new(()));
            *turn = Arc::downgrade(&new);
            new
        })
    }
}

impl Service {
    /// A dive of the account of a caller, with its state.
    async fn dive_row(&self, caller: &Caller, id: &str) -> Result<DiveRow, Refusal> {
        let size = self.dive_size(caller, id).await?;
        let _place = self.place_at_dive(caller, size.bytes).await?;
        self.inner.store.dive(caller.account(), id).await?.ok_or_else(|| unknown(id))
    }

    /// What is known of a dive of the account of a caller without reading its texts.
    async fn dive_size(&self, caller: &Caller, id: &str) -> Result<DiveSize, Refusal> {
        // No database is asked for what cannot be an id.
        let is_id = id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let size = if is_id { self.inner.store.dive_size(caller.account(), id).await? } else { None };
        size.ok_or_else(|| unknown(id))
    }

    /// Requests that read long dives go one at a time for each organization, so that most connections to the database are left to the
    /// others. SQLite has to pass over the whole state to reach the columns behind it in a row.
    async fn place_at_dive(&self, caller: &Caller, bytes: u64) -> Result<Option<Place>, Refusal> {
        if bytes <= SHORT_DIVE {
            return Ok(None);
        }
        self.place_at_ledger(caller.org()).await.map(Some)
    }

    /// That an organization may keep more today of dives that cost nothing.
    fn may_dive_free(&self, org: &str) -> Result<(), Refusal> {
        let free = &self.inner.free_dives;
        let Some(seconds) = free.full(org, self.now_ms()) else { return Ok(()) };
        let message = format!(
            "dives of this organization that cost nothing take more than {} MiB today, the limit; until tomorrow (UTC) only actions \
             that cost something are taken, and dives can be closed",
            free.most() >> 20
        );
        Err(Refusal { retry_after: seconds, ..Refusal::new(Code::RateLimited, message) })
    }

    /// Counts what is kept of a dive and costs nothing, before it is kept: a client may leave meanwhile.
    fn keeps_free(&self, org: &str, bytes: usize) {
        self.inner.free_dives.add(org, bytes, self.now_ms());
    }
}

fn unknown(id: &str) -> Refusal {
    Refusal::new(Code::DiveNotFound, format!("unknown dive `{}`", shown(id)))
}

/// By what the attempts of a caller in a mode are counted.
fn counted(stage: &Stage, mode: Mode, agent: &str, token: &str) -> String {
    match (stage.attempts_in(mode).per, agent) {
        (Counted::Organization, _) => "organization".to_owned(),
        (Counted::Agent, "") => format!("token {token}"),
        (Counted::Agent, agent) => format!("agent {agent}"),
    }
}

/// A dive that takes no more actions, and why.
fn closed(reason: &'static str, message: &str) -> Refusal {
    Refusal::new(Code::DiveClosed, message).because(reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_in_the_same_dive_wait_for_each_other() {
        let turns = Turns::default();
        let held: Vec<_> = (0..2_000).map(|dive| turns.of("a", &format!("dive_{dive}"))).collect();
        let acting: Vec<_> = held.iter().map(|turn| turn.try_lock().expect("is free")).collect();
        assert!(turns.of("a", "dive_7").try_lock().is_err(), "somebody acts in it");
        assert!(
            turns.of("b", "dive_7").try_lock().is_ok(),
            "whoever names a dive of others keeps nobody waiting"
        );
        drop(acting);
        drop(held);
        assert!(turns.of("a", "dive_7").try_lock().is_ok());
        assert_eq!(turns.0.lock().expect("is free").len(), 1, "nothing is remembered for ever");
    }

    #[test]
    fn passwords_of_one_organization_leave_a_thread_to_others() {
        let hashing = Dives::default().hashing;
        let first = hashing.place_now("a").expect("is free");
        assert!(hashing.place_now("a").is_err());
        assert!(hashing.place_now("b").is_ok());
        drop(first);
        assert!(hashing.place_now("a").is_ok());
    }
}
