//! What cards are signed with. The secret is here and nowhere else.

use super::{Store, down};
use crate::refusal::Refusal;
use sqlx::Row;
use sqlx::any::AnyRow;

/// A key that is made.
pub(crate) struct NewKey {
    pub(crate) id: String,
    /// Hexadecimal digits.
    pub(crate) secret: String,
    pub(crate) public: String,
    pub(crate) created_ms: i64,
}

/// A key as messages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyRow {
    pub(crate) id: String,
    pub(crate) public: String,
    pub(crate) is_current: bool,
}

/// What a key is, for the vault.
pub(super) fn key_of(id: &str) -> String {
    format!("signing_keys {id}")
}

impl Store {
    /// The secret of the key that signs, if there is one.
    pub(crate) async fn signing_key(&self) -> Result<Option<String>, Refusal> {
        let row = sqlx::query("SELECT secret, key_id FROM signing_keys WHERE slot = 'current'");
        let row = row.fetch_optional(&self.readers).await.map_err(down)?;
        let Some(row) = row else { return Ok(None) };
        let (kept, id): (String, String) = (row.try_get(0).map_err(down)?, row.try_get(1).map_err(down)?);
        // Whoever dives asks for it: the reason goes to the log.
        let open = self.vault.open(&key_of(&id), &kept);
        Ok(Some(open.map_err(|locked| Refusal::internal(&locked.to_string()))?))
    }

    /// Makes a key the one that signs. With `rotate` the one that does so now is retired; without, that one stays.
    pub(crate) async fn put_key(&self, new: &NewKey, rotate: bool) -> Result<(), Refusal> {
        let mut work = self.begin().await?;
        if rotate {
            sqlx::query("UPDATE signing_keys SET slot = key_id, retired_ms = $1 WHERE slot = 'current'")
                .bind(new.created_ms)
                .execute(&mut *work)
                .await
                .map_err(down)?;
        }
        sqlx::query(
            "INSERT INTO signing_keys (key_id, slot, secret, public_key, created_ms, retired_ms) \
             VALUES ($1, 'current', $2, $3, $4, 0) ON CONFLICT DO NOTHING",
        )
        .bind(&new.id)
        .bind(self.vault.seal(&key_of(&new.id), &new.secret)?)
        .bind(&new.public)
        .bind(new.created_ms)
        .execute(&mut *work)
        .await
        .map_err(down)?;
        work.commit().await.map_err(down)
    }

    /// Every key: the one that signs, then those before it, the newest first.
    pub(crate) async fn keys(&self) -> Result<Vec<KeyRow>, Refusal> {
        let rows = sqlx::query(
            "SELECT key_id, public_key, slot FROM signing_keys \
             ORDER BY CASE WHEN slot = 'current' THEN 0 ELSE 1 END, retired_ms DESC, key_id",
        );
        let rows = rows.fetch_all(&self.readers).await.map_err(down)?;
        let key = |row: &AnyRow| {
            let slot: String = row.try_get(2)?;
            Ok(KeyRow { id: row.try_get(0)?, public: row.try_get(1)?, is_current: slot == "current" })
        };
        rows.iter().map(key).collect::<Result<_, _>>().map_err(down)
    }
}
