//! Everything in the store that is encrypted: whether it can be read, and encrypted anew when keys change.

use super::deliveries::secret_of;
use super::keys::key_of;
use super::{Store, down};
use crate::refusal::Refusal;
use crate::vault::Locked;
use sqlx::Row;

/// A secret as it is kept, and where: the table's row, and its place for the vault.
struct Kept {
    table: Table,
    owner: String,
    text: String,
}

#[derive(Clone, Copy)]
enum Table {
    Secrets,
    SigningKeys,
}

impl Kept {
    fn place(&self) -> String {
        match self.table {
            Table::Secrets => secret_of(&self.owner),
            Table::SigningKeys => key_of(&self.owner),
        }
    }
}

impl Store {
    async fn kept(&self) -> Result<Vec<Kept>, sqlx::Error> {
        let mut all = Vec::new();
        for (table, sql) in [
            (Table::Secrets, "SELECT org_id, secret FROM secrets"),
            (Table::SigningKeys, "SELECT key_id, secret FROM signing_keys"),
        ] {
            for row in sqlx::query(sql).fetch_all(&self.readers).await? {
                all.push(Kept { table, owner: row.try_get(0)?, text: row.try_get(1)? });
            }
        }
        Ok(all)
    }

    /// Whether everything can be read. The log names what is not encrypted with the newest key.
    pub(super) async fn check_vault(&self) -> Result<(), String> {
        let kept = self.kept().await.map_err(|error| error.to_string())?;
        for one in &kept {
            self.vault.open(&one.place(), &one.text).map_err(|locked| locked.to_string())?;
        }
        let old = kept.iter().filter(|one| !self.vault.is_current(&one.text)).count();
        if old > 0 {
            tracing::warn!(
                old,
                "secrets in the store are not encrypted with the newest key; `sonometer admin rotate-keys` does it"
            );
        }
        Ok(())
    }

    /// Encrypts everything with the newest key that is not yet; how many.
    ///
    /// # Errors
    /// `unavailable`; `internal_error` if something cannot be read.
    pub async fn rotate_keys(&self) -> Result<u64, Refusal> {
        let mut done = 0;
        for one in self.kept().await.map_err(down)? {
            if self.vault.is_current(&one.text) {
                continue;
            }
            let place = one.place();
            let open = self.vault.open(&place, &one.text).map_err(|locked: Locked| Refusal::from(locked))?;
            let sealed = self.vault.seal(&place, &open)?;
            // Only if nobody changed it in between.
            let sql = match one.table {
                Table::Secrets => "UPDATE secrets SET secret = $3 WHERE org_id = $1 AND secret = $2",
                Table::SigningKeys => "UPDATE signing_keys SET secret = $3 WHERE key_id = $1 AND secret = $2",
            };
            let changed = sqlx::query(sql).bind(&one.owner).bind(&one.text).bind(&sealed);
            done += changed.execute(&self.writer).await.map_err(down)?.rows_affected();
        }
        self.wipe().await?;
        Ok(done)
    }

    /// Whether there are keys that encrypt.
    pub fn encrypts(&self) -> bool {
        self.vault.has_keys()
    }
}
