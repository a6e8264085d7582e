//! What organizations publish for themselves.

use super::{Store, down};
use crate::refusal::Refusal;
use sonometer::TargetKind;
use sqlx::Row;
use sqlx::any::AnyRow;

/// One version of a protocol, metric or blueprint of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRow {
    /// What it is.
    pub kind: TargetKind,
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// `draft`, `published`, `active` or `archived`; this counts, whatever the file says.
    pub status: String,
    /// Of its canonical form.
    pub digest: String,
    /// The file.
    pub source: String,
}

fn target(row: &AnyRow) -> Result<TargetRow, sqlx::Error> {
    let kind: String = row.try_get("kind")?;
    Ok(TargetRow {
        kind: TargetKind::from_name(&kind).ok_or_else(|| sqlx::Error::Decode("an unknown kind".into()))?,
        id: row.try_get("id")?,
        version: row.try_get("version")?,
        status: row.try_get("status")?,
        digest: row.try_get("digest")?,
        source: row.try_get("source")?,
    })
}

impl Store {
    /// Everything an organization has, archived versions included.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn targets(&self, org: &str) -> Result<Vec<TargetRow>, Refusal> {
        let rows = sqlx::query(
            "SELECT kind, id, version, status, digest, source FROM targets WHERE org_id = $1 \
             ORDER BY kind, id, version",
        )
        .bind(org)
        .fetch_all(&self.readers)
        .await
        .map_err(down)?;
        rows.iter().map(target).collect::<Result<_, _>>().map_err(down)
    }

    /// The revision of what an organization has; 0 if it has nothing, or there is no such organization.
    pub(crate) async fn revision(&self, org: &str) -> Result<i64, Refusal> {
        let row = sqlx::query("SELECT revision FROM orgs WHERE id = $1").bind(org);
        let row = row.fetch_optional(&self.readers).await.map_err(down)?;
        row.map_or(Ok(0), |row| row.try_get(0)).map_err(down)
    }

    /// Writes a version, in the place of the one that is there. `decide` sees that one within the same transaction and may
    /// refuse.
    ///
    /// # Errors
    /// What `decide` says; `unavailable`.
    pub async fn put_target(
        &self,
        org: &str,
        new: &TargetRow,
        now_ms: i64,
        decide: impl FnOnce(Option<&TargetRow>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut work = self.begin().await?;
        self.lock(&mut work, "orgs", org).await?;
        let there = sqlx::query(
            "SELECT kind, id, version, status, digest, source FROM targets \
             WHERE org_id = $1 AND kind = $2 AND id = $3 AND version = $4",
        )
        .bind(org)
        .bind(new.kind.as_str())
        .bind(&new.id)
        .bind(&new.version)
        .fetch_optional(&mut *work)
        .await
        .map_err(down)?;
        let there = there.as_ref().map(target).transpose().map_err(down)?;
        decide(there.as_ref())?;
        sqlx::query(
            "INSERT INTO targets (org_id, kind, id, version, status, digest, source, changed_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (org_id, kind, id, version) \
             DO UPDATE SET status = $5, digest = $6, source = $7, changed_ms = $8",
        )
        .bind(org)
        .bind(new.kind.as_str())
        .bind(&new.id)
        .bind(&new.version)
        .bind(&new.status)
        .bind(&new.digest)
        .bind(&new.source)
        .bind(now_ms)
        .execute(&mut *work)
        .await
        .map_err(down)?;
        sqlx::query("UPDATE orgs SET revision = revision + 1 WHERE id = $1")
            .bind(org)
            .execute(&mut *work)
            .await
            .map_err(down)?;
        work.commit().await.map_err(down)
    }
}
