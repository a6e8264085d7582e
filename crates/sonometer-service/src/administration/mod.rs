//! Administration, by the command and over the wire: both do it here, and the audit log has it: first that it is
//! begun, then how it ended. What cannot be noted is not done.

mod answers;
mod body;
mod run;

pub use body::Task;
pub use run::Order;

use crate::Service;
use crate::refusal::Refusal;
use crate::store::NewAudit;
use std::future::Future;

/// Who administers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The id of a token, or `command`.
    pub name: String,
    /// The address of a client, or the user of the machine.
    pub origin: String,
}

/// Something that is to be done and noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deed<'d> {
    /// What: `token.create`.
    pub action: &'d str,
    /// Of which organization; empty: of none.
    pub org: &'d str,
    /// To what; empty: that is known only when it is done.
    pub subject: &'d str,
}

/// More of a text does not go into the audit log: what somebody sends may be long.
const MOST_CHARACTERS: usize = 200;

fn short(text: &str) -> String {
    // What is no text for a store stays out of it.
    text.chars().filter(|c| !c.is_control()).take(MOST_CHARACTERS).collect()
}

impl Service {
    /// Does something and notes it. `named` gives what it was done to, where that is known only then.
    ///
    /// # Errors
    /// As `work`; `unavailable` if it cannot be noted: then nothing is done.
    pub async fn noted<T>(
        &self,
        actor: &Actor,
        deed: Deed<'_>,
        work: impl Future<Output = Result<T, Refusal>>,
        named: impl FnOnce(&T) -> Option<String>,
    ) -> Result<T, Refusal> {
        let id = self.id("adt");
        let subject = short(deed.subject);
        let org = match deed.org {
            // A token or a notification is named without its organization, in whose log it belongs all the same.
            "" if !subject.is_empty() => self.store().owner(&subject).await?,
            org => short(org),
        };
        let new = NewAudit {
            id: &id,
            at_ms: self.now_ms(),
            actor: &actor.name,
            origin: &actor.origin,
            action: deed.action,
            org: &org,
            subject: &subject,
        };
        self.store().begin_audit(&new).await?;
        let outcome = work.await;
        let (said, subject) = match &outcome {
            Ok(done) => ("done", named(done).map_or(subject, |name| short(&name))),
            Err(refusal) => (refusal.code.as_str(), subject),
        };
        let Actor { name, origin } = actor;
        tracing::info!(
            actor = name,
            origin,
            action = deed.action,
            org,
            subject,
            outcome = said,
            "administered"
        );
        if let Err(refusal) = self.store().end_audit(&id, said, &subject).await {
            // What was done is done; the log says that it was begun.
            tracing::error!(audit = id, %refusal, "the end of an administration could not be noted");
        }
        outcome
    }
}
