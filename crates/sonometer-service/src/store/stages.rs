//! Stages that organizations publish, and who may dive them.

use super::{Store, count, down};
use crate::refusal::Refusal;
use sqlx::Row;
use sqlx::any::AnyRow;

/// One version of a stage of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageRow {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// `draft`, `published` or `archived`; this counts, whatever the file says.
    pub status: String,
    /// Of its canonical form.
    pub digest: String,
    /// The file.
    pub source: String,
}

/// What an organization says about access to a stage of its own; empty texts: nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StageAccess {
    pub(crate) mode: String,
    pub(crate) password: String,
}

/// What opens a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    /// For an organization.
    Entitled,
    /// For a token.
    Invite,
    /// For all who know its id.
    Session,
}

impl Grant {
    fn as_str(self) -> &'static str {
        match self {
            Self::Entitled => "entitled",
            Self::Invite => "invite",
            Self::Session => "session",
        }
    }
}

fn stage(row: &AnyRow) -> Result<StageRow, sqlx::Error> {
    Ok(StageRow {
        id: row.try_get(0)?,
        version: row.try_get(1)?,
        status: row.try_get(2)?,
        digest: row.try_get(3)?,
        source: row.try_get(4)?,
    })
}

impl Store {
    /// Every version of every stage of an organization, or those of one stage.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn stages(&self, org: &str, id: Option<&str>) -> Result<Vec<StageRow>, Refusal> {
        let rows = sqlx::query(
            "SELECT id, version, status, digest, source FROM stages WHERE org_id = $1 AND ($2 = '' OR id = $2) \
             ORDER BY id, version",
        );
        let rows = rows.bind(org).bind(id.unwrap_or("")).fetch_all(&self.readers).await.map_err(down)?;
        rows.iter().map(stage).collect::<Result<_, _>>().map_err(down)
    }

    /// Writes a version of a stage, in the place of the one that is there. `decide` sees that one within the same
    /// transaction and may refuse.
    ///
    /// # Errors
    /// What `decide` says; `unavailable`.
    pub async fn put_stage(
        &self,
        org: &str,
        new: &StageRow,
        now_ms: i64,
        decide: impl FnOnce(Option<&StageRow>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut work = self.begin().await?;
        self.lock(&mut work, "orgs", org).await?;
        let there = sqlx::query(
            "SELECT id, version, status, digest, source FROM stages WHERE org_id = $1 AND id = $2 AND version = $3",
        );
        let there = there.bind(org).bind(&new.id).bind(&new.version).fetch_optional(&mut *work).await;
        let there = there.and_then(|row| row.as_ref().map(stage).transpose()).map_err(down)?;
        decide(there.as_ref())?;
        sqlx::query(
            "INSERT INTO stages (org_id, id, version, status, digest, source, changed_ms) VALUES ($1, $2, $3, $4, $5, $6, $7) \
             ON CONFLICT (org_id, id, version) DO UPDATE SET status = $4, digest = $5, source = $6, changed_ms = $7",
        )
        .bind(org)
        .bind(&new.id)
        .bind(&new.version)
        .bind(&new.status)
        .bind(&new.digest)
        .bind(&new.source)
        .bind(now_ms)
        .execute(&mut *work)
        .await
        .map_err(down)?;
        work.commit().await.map_err(down)
    }

    /// What an organization says about access to a stage.
    pub(crate) async fn stage_access(&self, org: &str, stage: &str) -> Result<StageAccess, Refusal> {
        let row =
            sqlx::query("SELECT access_mode, password FROM stage_access WHERE org_id = $1 AND stage_id = $2");
        let row = row.bind(org).bind(stage).fetch_optional(&self.readers).await.map_err(down)?;
        let access = |row: AnyRow| Ok(StageAccess { mode: row.try_get(0)?, password: row.try_get(1)? });
        row.map(access).transpose().map(Option::unwrap_or_default).map_err(down)
    }

    /// Changes what an organization says about access to a stage; empty texts: as the file says.
    pub(crate) async fn set_stage_access(
        &self,
        org: &str,
        stage: &str,
        access: &StageAccess,
    ) -> Result<(), Refusal> {
        let set = sqlx::query(
            "INSERT INTO stage_access (org_id, stage_id, access_mode, password) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (org_id, stage_id) DO UPDATE SET access_mode = $3, password = $4",
        );
        let set = set.bind(org).bind(stage).bind(&access.mode).bind(&access.password);
        set.execute(&self.writer).await.map(drop).map_err(down)
    }

    /// Opens a stage to somebody, until a moment (0: for ever).
    pub(crate) async fn grant(
        &self,
        org: &str,
        stage: &str,
        grant: Grant,
        holder: &str,
        until_ms: i64,
        now_ms: i64,
    ) -> Result<(), Refusal> {
        let made = sqlx::query(
            "INSERT INTO stage_grants (org_id, stage_id, kind, holder, until_ms, created_ms) VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (org_id, stage_id, kind, holder) DO UPDATE SET until_ms = $5",
        );
        let made = made.bind(org).bind(stage).bind(grant.as_str()).bind(holder).bind(until_ms).bind(now_ms);
        made.execute(&self.writer).await.map(drop).map_err(down)
    }

    /// Invites one token wherever another is.
    pub(crate) async fn copy_invitations(&self, from: &str, to: &str, now_ms: i64) -> Result<(), Refusal> {
        let copied = sqlx::query(
            "INSERT INTO stage_grants (org_id, stage_id, kind, holder, until_ms, created_ms) \
             SELECT org_id, stage_id, kind, $2, until_ms, $3 FROM stage_grants WHERE kind = 'invite' AND holder = $1",
        );
        copied.bind(from).bind(to).bind(now_ms).execute(&self.writer).await.map(drop).map_err(down)
    }

    /// Who opened a stage of this id to somebody: the organizations with the end of each grant.
    pub(crate) async fn granted(
        &self,
        stage: &str,
        grant: Grant,
        holder: &str,
    ) -> Result<Vec<(String, i64)>, Refusal> {
        let rows = sqlx::query(
            "SELECT org_id, until_ms FROM stage_grants WHERE kind = $1 AND holder = $2 AND stage_id = $3 ORDER BY org_id",
        );
        let rows = rows.bind(grant.as_str()).bind(holder).bind(stage).fetch_all(&self.readers).await;
        let rows = rows.map_err(down)?;
        let one = |row: &AnyRow| Ok((row.try_get(0)?, row.try_get(1)?));
        rows.iter().map(one).collect::<Result<_, _>>().map_err(down)
    }

    /// Notes that a password is tried, unless there were too many since a moment: then when the oldest of them was.
    pub(crate) async fn try_password(
        &self,
        try_id: &str,
        stage: &str,
        token: &str,
        most: u64,
        since_ms: i64,
        now_ms: i64,
    ) -> Result<Option<i64>, Refusal> {
        let mut work = self.begin().await?;
        // One after the other for each token: who guesses in parallel gains nothing.
        self.lock(&mut work, "tokens", token).await?;
        sqlx::query("DELETE FROM password_tries WHERE at_ms <= $1")
            .bind(since_ms)
            .execute(&mut *work)
            .await
            .map_err(down)?;
        let row = sqlx::query(
            "SELECT COUNT(*), COALESCE(MIN(at_ms), 0) FROM password_tries WHERE stage = $1 AND token_id = $2",
        );
        let row = row.bind(stage).bind(token).fetch_one(&mut *work).await.map_err(down)?;
        if count(row.try_get(0).map_err(down)?) >= most {
            return Ok(Some(row.try_get(1).map_err(down)?));
        }
        sqlx::query("INSERT INTO password_tries (id, stage, token_id, at_ms) VALUES ($1, $2, $3, $4)")
            .bind(try_id)
            .bind(stage)
            .bind(token)
            .bind(now_ms)
            .execute(&mut *work)
            .await
            .map_err(down)?;
        work.commit().await.map_err(down)?;
        Ok(None)
    }

    /// Forgets the passwords that were tried: the right one has been found.
    pub(crate) async fn forget_tries(&self, stage: &str, token: &str) -> Result<(), Refusal> {
        let done = sqlx::query("DELETE FROM password_tries WHERE stage = $1 AND token_id = $2");
        done.bind(stage).bind(token).execute(&self.writer).await.map(drop).map_err(down)
    }
}
