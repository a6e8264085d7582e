//! Tokens.

use super::{Store, down};
use crate::refusal::Refusal;
use crate::token::{Mode, Scope};
use sonometer::Unit;
use sqlx::Row;
use sqlx::any::AnyRow;

/// A token that is made.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub org: String,
    /// Test or live.
    pub mode: Mode,
    /// What people call it.
    pub name: String,
    /// SHA-256 of the token.
    pub hash: String,
    /// Its last characters.
    pub ending: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// The most overage that it may cause in a period.
    pub cap_usd: Option<Unit>,
    /// When it is made.
    pub created_ms: i64,
    /// When it expires; 0: never.
    pub expires_ms: i64,
}

/// A token as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub org: String,
    /// Test or live.
    pub mode: Mode,
    /// What people call it.
    pub name: String,
    /// Its last characters.
    pub ending: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// The most overage that it may cause in a period.
    pub cap_usd: Option<Unit>,
    /// When it was made.
    pub created_ms: i64,
    /// When it expires; 0: never.
    pub expires_ms: i64,
    /// When it was revoked; 0: it was not.
    pub revoked_ms: i64,
}

pub(super) const COLUMNS: &str = "t.id, t.org_id, t.mode, t.name, t.ending, t.scopes, t.cap_micros AS token_cap, \
                       t.created_ms, t.expires_ms, t.revoked_ms";

pub(super) fn token(row: &AnyRow) -> Result<TokenRow, sqlx::Error> {
    let mode: String = row.try_get("mode")?;
    let scopes: String = row.try_get("scopes")?;
    let cap: i64 = row.try_get("token_cap")?;
    Ok(TokenRow {
        id: row.try_get("id")?,
        org: row.try_get("org_id")?,
        mode: Mode::from_name(&mode).ok_or_else(|| sqlx::Error::Decode("an unknown mode".into()))?,
        name: row.try_get("name")?,
        ending: row.try_get("ending")?,
        scopes: Scope::read_list(&scopes),
        cap_usd: (cap >= 0).then_some(Unit(cap)),
        created_ms: row.try_get("created_ms")?,
        expires_ms: row.try_get("expires_ms")?,
        revoked_ms: row.try_get("revoked_ms")?,
    })
}

impl Store {
    /// Keeps a new token.
    ///
    /// # Errors
    /// `unavailable`; also if there is no such organization.
    pub async fn create_token(&self, new: &NewToken) -> Result<(), Refusal> {
        sqlx::query(
            "INSERT INTO tokens (id, org_id, mode, name, hash, ending, scopes, cap_micros, created_ms, expires_ms, \
             revoked_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0)",
        )
        .bind(&new.id)
        .bind(&new.org)
        .bind(new.mode.as_str())
        .bind(&new.name)
        .bind(&new.hash)
        .bind(&new.ending)
        .bind(Scope::list(&new.scopes))
        .bind(new.cap_usd.map_or(-1, |cap| cap.0))
        .bind(new.created_ms)
        .bind(new.expires_ms)
        .execute(&self.writer)
        .await
        .map(drop)
        .map_err(down)
    }

    /// The tokens of an organization, or of all, in the order in which they were made.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn tokens(&self, org: Option<&str>) -> Result<Vec<TokenRow>, Refusal> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tokens t WHERE $1 = '' OR t.org_id = $1 ORDER BY t.created_ms, t.id"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(org.unwrap_or_default())
            .fetch_all(&self.readers)
            .await;
        rows.map_err(down)?.iter().map(token).collect::<Result<_, _>>().map_err(down)
    }

    /// Takes a token back; whether there is one that was not taken back before.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn revoke_token(&self, id: &str, now_ms: i64) -> Result<bool, Refusal> {
        let done = sqlx::query("UPDATE tokens SET revoked_ms = $2 WHERE id = $1 AND revoked_ms = 0")
            .bind(id)
            .bind(now_ms)
            .execute(&self.writer)
            .await;
        done.map(|done| done.rows_affected() > 0).map_err(down)
    }

    /// Sets when a token expires (0: never); whether there is one.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn expire_token(&self, id: &str, expires_ms: i64) -> Result<bool, Refusal> {
        let done = sqlx::query("UPDATE tokens SET expires_ms = $2 WHERE id = $1 AND revoked_ms = 0")
            .bind(id)
            .bind(expires_ms)
            .execute(&self.writer)
            .await;
        done.map(|done| done.rows_affected() > 0).map_err(down)
    }
}
