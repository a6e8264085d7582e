//! What cards are signed with: made when it is first needed, replaced when somebody asks. Old public keys stay, since old
//! cards do.

use crate::Service;
use crate::refusal::Refusal;
use crate::store::{KeyRow, NewKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use sonometer_card::SigningKey;
use std::fmt::Write;

#[derive(Serialize)]
struct Keys {
    keys: Vec<Key>,
}

#[derive(Serialize)]
struct Key {
    key_id: String,
    algorithm: &'static str,
    public_key: String,
    status: &'static str,
}

impl KeyRow {
    fn status(&self) -> &'static str {
        if self.is_current { "current" } else { "retired" }
    }
}

impl Service {
    /// The key that signs; made if there is none.
    pub(super) async fn signing_key(&self) -> Result<SigningKey, Refusal> {
        let store = &self.inner.store;
        if store.signing_key().await?.is_none() {
            store.put_key(&self.new_key()?, false).await?;
        }
        let secret = store.signing_key().await?.ok_or_else(|| Refusal::internal("no signing key"))?;
        // Not with the words of the error: it may quote.
        SigningKey::read(&secret).map_err(|_| Refusal::internal("the signing key cannot be read"))
    }

    fn new_key(&self) -> Result<NewKey, Refusal> {
        let seed = self.inner.ids.seed()?;
        let public = SigningKey::from_seed(seed).public();
        let mut secret = String::with_capacity(64);
        for byte in seed {
            let _ = write!(secret, "{byte:02x}");
        }
        let (id, public) = (public.id(), URL_SAFE_NO_PAD.encode(public.bytes()));
        Ok(NewKey { id, secret, public, created_ms: self.now_ms() })
    }

    /// Makes a new key the one that signs. What was signed before stays valid: the old public key is still told.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn rotate_signing_key(&self) -> Result<String, Refusal> {
        self.key_rows().await?;
        let key = self.new_key()?;
        self.inner.store.put_key(&key, true).await?;
        tracing::info!(key = key.id, "a new signing key");
        Ok(key.id)
    }

    async fn key_rows(&self) -> Result<Vec<KeyRow>, Refusal> {
        let store = &self.inner.store;
        let rows = store.keys().await?;
        // The secret is not needed, so a node without the key that encrypts it verifies and rotates all the same.
        if rows.iter().any(|row| row.is_current) {
            return Ok(rows);
        }
        store.put_key(&self.new_key()?, false).await?;
        store.keys().await
    }

    /// Every public key, the one that signs first: its id, its bytes as hexadecimal digits, `current` or `retired`.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn public_keys(&self) -> Result<Vec<(String, String, &'static str)>, Refusal> {
        let key = |row: KeyRow| {
            let bytes = URL_SAFE_NO_PAD.decode(&row.public).unwrap_or_default();
            let digits = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            (row.id.clone(), digits, row.status())
        };
        Ok(self.key_rows().await?.into_iter().map(key).collect())
    }

    /// `GET /api/v1/keys`: every public key, the one that signs first.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn signing_keys(&self) -> Result<String, Refusal> {
        let rows = self.key_rows().await?;
        let key = |row: KeyRow| Key {
            status: row.status(),
            key_id: row.id,
            algorithm: "Ed25519",
            public_key: row.public,
        };
        Ok(crate::json::text(&Keys { keys: rows.into_iter().map(key).collect() }))
    }
}
