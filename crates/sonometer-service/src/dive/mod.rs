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

use crate::refusal::{Code, Refusal, shown};
use crate::store::DiveRow;
use crate::{Caller, Service};
use sonometer::stage::{Counted, Mode, Stage};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use tokio::sync::{Mutex, Semaphore};

/// The routes that tell keys apart, and under which steps are charged.
pub(crate) const OPEN: &str = "POST /api/v1/dive/open";
/// See [`OPEN`].
pub(crate) const ACT: &str = "POST /api/v1/dive/act";

/// What dives need of a process: nothing of it lasts.
pub(crate) struct Dives {
    worlds: Worlds,
    /// Those who act in the same dive wait for each other, rather than compute what somebody else has computed.
    turns: Vec<Mutex<()>>,
    /// Passwords are checked by so many threads at once: each of them takes much memory.
    hashing: Semaphore,
}

impl Default for Dives {
    fn default() -> Self {
        let turns = (0..256).map(|_| Mutex::new(())).collect();
        Self { worlds: Worlds::default(), turns, hashing: Semaphore::new(2) }
    }
}

impl Dives {
    fn turn(&self, dive: &str) -> &Mutex<()> {
        let mut hasher = DefaultHasher::new();
        dive.hash(&mut hasher);
        // There are 256.
        &self.turns[usize::from(hasher.finish().to_le_bytes()[0])]
    }
}

impl Service {
    /// A dive of the account of a caller.
    async fn dive_row(&self, caller: &Caller, id: &str) -> Result<DiveRow, Refusal> {
        // No database is asked for what cannot be an id.
        let is_id = id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let row = if is_id { self.inner.store.dive(caller.account(), id).await? } else { None };
        row.ok_or_else(|| Refusal::new(Code::DiveNotFound, format!("unknown dive `{}`", shown(id))))
    }
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
