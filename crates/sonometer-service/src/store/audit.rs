//! Who administered what, when and from where. Never what it was set to where that is secret.

use super::{Store, down, stored};
use crate::refusal::Refusal;
use sqlx::Row;
use sqlx::any::AnyRow;

/// Something that is about to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAudit<'a> {
    /// Its id.
    pub id: &'a str,
    /// When.
    pub at_ms: i64,
    /// A token, or `command`.
    pub actor: &'a str,
    /// The address of a client, or the user of the machine.
    pub origin: &'a str,
    /// `token.create`.
    pub action: &'a str,
    /// Of which organization; empty: of none.
    pub org: &'a str,
    /// To what.
    pub subject: &'a str,
}

/// A line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLine {
    /// Its id.
    pub id: String,
    /// When.
    pub at_ms: i64,
    /// A token, or `command`.
    pub actor: String,
    /// The address of a client, or the user of the machine.
    pub origin: String,
    /// `token.create`.
    pub action: String,
    /// Of which organization; empty: of none.
    pub org: String,
    /// To what.
    pub subject: String,
    /// `begun`, `done`, or the code of the refusal.
    pub outcome: String,
}

impl Store {
    /// Notes what is about to be done: what cannot be noted is not done.
    pub(crate) async fn begin_audit(&self, new: &NewAudit<'_>) -> Result<(), Refusal> {
        let NewAudit { id, at_ms, actor, origin, action, org, subject } = new;
        sqlx::query(
            "INSERT INTO audit (id, at_ms, actor, origin, action, org_id, subject, outcome) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'begun')",
        )
        .bind(*id)
        .bind(*at_ms)
        .bind(*actor)
        .bind(*origin)
        .bind(*action)
        .bind(*org)
        .bind(*subject)
        .execute(&self.writer)
        .await
        .map(drop)
        .map_err(down)
    }

    /// The organization of a token or a notification; empty: there is none of this id.
    pub(crate) async fn owner(&self, id: &str) -> Result<String, Refusal> {
        let row: Option<String> = sqlx::query_scalar(
            "SELECT org_id FROM tokens WHERE id = $1 UNION ALL SELECT org_id FROM deliveries WHERE id = $1",
        )
        .bind(id)
        .fetch_optional(&self.readers)
        .await
        .map_err(down)?;
        Ok(row.unwrap_or_default())
    }

    /// Notes how it ended, and what it was done to where that is known only now.
    pub(crate) async fn end_audit(&self, id: &str, outcome: &str, subject: &str) -> Result<(), Refusal> {
        let done = sqlx::query("UPDATE audit SET outcome = $2, subject = $3 WHERE id = $1");
        done.bind(id).bind(outcome).bind(subject).execute(&self.writer).await.map(drop).map_err(down)
    }

    /// The latest lines, of an organization or of all, the newest first, older than the line `before` if it is given.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn audit(&self, org: &str, before: &str, limit: u64) -> Result<Vec<AuditLine>, Refusal> {
        // Later ids sort behind earlier ones.
        let rows = sqlx::query(
            "SELECT id, at_ms, actor, origin, action, org_id, subject, outcome FROM audit \
             WHERE ($1 = '' OR org_id = $1) AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT $3",
        );
        let rows = rows.bind(org).bind(before).bind(stored(limit)).fetch_all(&self.readers).await;
        let line = |row: &AnyRow| {
            Ok(AuditLine {
                id: row.try_get(0)?,
                at_ms: row.try_get(1)?,
                actor: row.try_get(2)?,
                origin: row.try_get(3)?,
                action: row.try_get(4)?,
                org: row.try_get(5)?,
                subject: row.try_get(6)?,
                outcome: row.try_get(7)?,
            })
        };
        rows.map_err(down)?.iter().map(line).collect::<Result<_, _>>().map_err(down)
    }

    /// Forgets lines from before a moment; how many.
    pub(crate) async fn forget_audit(&self, before_ms: i64) -> Result<u64, Refusal> {
        self.delete_in_parts(
            "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at_ms < $1 LIMIT $2)",
            before_ms,
        )
        .await
    }
}
