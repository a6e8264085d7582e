//! What is secret in the store, encrypted: secrets of notifications and keys that sign cards, by ChaCha20-Poly1305 with a key
//! that is not in the store. Several keys may be given: the first encrypts, all decrypt, so that keys can be replaced one by one.
//!
//! What is encrypted begins with `sealed1:` and the id of its key. Without keys everything is kept as it is.

use crate::refusal::{Code, Refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::{Digest, Sha256};
use std::sync::Arc;

const SEALED: &str = "sealed1:";
const KEY_BYTES: usize = 32;

struct Key {
    id: String,
    key: LessSafeKey,
}

/// The keys that encrypt what is secret in the store. Cheap to clone; never shown.
#[derive(Clone, Default)]
pub struct Vault {
    keys: Arc<[Key]>,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|key| &key.id)).finish()
    }
}

/// Why something that is encrypted cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locked {
    /// No key with this id is given.
    NoKey(String),
    /// The key is there and does not fit, or the text was changed.
    Broken(String),
}

fn digits(text: &str) -> Option<[u8; KEY_BYTES]> {
    let mut bytes = [0; KEY_BYTES];
    // A parser of numbers would take a sign for a digit.
    if text.len() != 2 * KEY_BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

/// A key with 256 bits of the operating system, as [`Vault::read`] reads it.
///
/// # Errors
/// If the machine has no randomness to give.
pub fn new_key() -> Result<String, Refusal> {
    let mut bytes = [0; KEY_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| Refusal::internal(&format!("no randomness: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Vault {
    /// Reads keys: a line each, 64 hexadecimal digits, the newest first; empty lines and those that begin with `#` are skipped.
    ///
    /// # Errors
    /// Which line is wrong, and what to write instead; never with a key.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut keys: Vec<Key> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = || {
                format!(
                    "line {}: not a key; write 64 hexadecimal digits, as `sonometer admin new-key` prints them",
                    at + 1
                )
            };
            let bytes = digits(line).ok_or_else(wrong)?;
            let id = Sha256::digest([b"sonometer key id ".as_slice(), &bytes].concat());
            let id: String = id.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).map_err(|_| wrong())?;
            if keys.iter().all(|other| other.id != id) {
                keys.push(Key { id, key: LessSafeKey::new(key) });
            }
        }
        if keys.is_empty() {
            return Err("there is no key in it; `sonometer admin new-key` prints one".to_owned());
        }
        Ok(Self { keys: keys.into() })
    }

    /// Whether there are keys.
    pub fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The id of the key that encrypts.
    pub fn newest(&self) -> Option<&str> {
        self.keys.first().map(|key| key.id.as_str())
    }

    /// Whether a text is encrypted with the key that encrypts now; without keys: whether it is plain.
    pub(crate) fn is_current(&self, kept: &str) -> bool {
        match (self.newest(), kept.strip_prefix(SEALED)) {
            (Some(id), Some(rest)) => rest.split(':').next() == Some(id),
            (None, None) => true,
            _ => false,
        }
    }

    /// A secret as it is kept. `place` says what it is and whose: what is moved elsewhere cannot be read there.
    pub(crate) fn seal(&self, place: &str, secret: &str) -> Result<String, Refusal> {
        let Some(Key { id, key }) = self.keys.first() else { return Ok(secret.to_owned()) };
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|error| Refusal::internal(&format!("no randomness: {error}")))?;
        let mut bytes = secret.as_bytes().to_vec();
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(place), &mut bytes)
            .map_err(|_| Refusal::internal("a secret could not be encrypted"))?;
        Ok(format!("{SEALED}{id}:{}", STANDARD_NO_PAD.encode([&nonce[..], &bytes].concat())))
    }

    /// A secret from how it is kept.
    pub(crate) fn open(&self, place: &str, kept: &str) -> Result<String, Locked> {
        let Some(rest) = kept.strip_prefix(SEALED) else { return Ok(kept.to_owned()) };
        let (id, text) = rest.split_once(':').unwrap_or((rest, ""));
        let key = self.keys.iter().find(|key| key.id == id);
        let Key { key, .. } = key.ok_or_else(|| Locked::NoKey(id.to_owned()))?;
        let broken = || Locked::Broken(id.to_owned());
        let bytes = STANDARD_NO_PAD.decode(text).map_err(|_| broken())?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN).ok_or_else(broken)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| broken())?;
        let mut sealed = sealed.to_vec();
        let opened = key.open_in_place(nonce, Aad::from(place), &mut sealed).map_err(|_| broken())?;
        String::from_utf8(opened.to_vec()).map_err(|_| broken())
    }
}

impl std::fmt::Display for Locked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoKey(id) => write!(
                f,
                "the store holds secrets that are encrypted with the key {id}, which is not given; give it by --key-file, \
                 `keys.file` or SONOMETER_KEYS_SECRET"
            ),
            Self::Broken(id) => {
                write!(f, "a secret that is encrypted with the key {id} was changed and cannot be read")
            }
        }
    }
}

impl From<Locked> for Refusal {
    /// With the reason, which names a setting: it is for operators. What others ask for says [`Refusal::internal`] instead.
    fn from(locked: Locked) -> Self {
        let message = locked.to_string();
        tracing::error!(what = message, "internal error");
        Self::new(Code::Internal, message).because("secrets_key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_with_its_key_at_its_place_only() {
        let (old, new) = (new_key().expect("is random"), new_key().expect("is random"));
        let before = Vault::read(&old).expect("is one");
        let kept = before.seal("secrets acme", "whsec_a").expect("can be sealed");
        assert!(!kept.contains("whsec") && before.is_current(&kept));
        assert_ne!(kept, before.seal("secrets acme", "whsec_a").expect("can be sealed"), "each is different");
        let both = Vault::read(&format!("# newest first\n{new}\n\n {old}\n")).expect("are two");
        assert_eq!(both.open("secrets acme", &kept).as_deref(), Ok("whsec_a"));
        assert!(!both.is_current(&kept) && both.newest() != before.newest());
        let id = before.newest().expect("is there").to_owned();
        assert_eq!(both.open("secrets other", &kept), Err(Locked::Broken(id.clone())));
        assert_eq!(
            Vault::read(&new).expect("is one").open("secrets acme", &kept),
            Err(Locked::NoKey(id.clone()))
        );
        assert_eq!(Vault::default().open("secrets acme", &kept), Err(Locked::NoKey(id.clone())));
        for end in [kept.len() - 1, SEALED.len() + id.len(), SEALED.len() + id.len() + 1, kept.len() - 20] {
            assert!(both.open("secrets acme", &kept[..end]).is_err(), "{end}");
        }
        assert_eq!(
            both.open("secrets acme", "whsec_b").as_deref(),
            Ok("whsec_b"),
            "what is plain stays readable"
        );
        assert_eq!(Vault::default().seal("a", "whsec_c").as_deref(), Ok("whsec_c"));
    }

    #[test]
    fn what_is_no_key_is_told_by_its_line_and_not_shown() {
        for (text, part) in [
            ("", "there is no key"),
            ("# only this", "no key"),
            ("\nabcd", "line 2"),
            (&"g".repeat(64), "line 1"),
            (&"+f".repeat(KEY_BYTES), "line 1"),
        ] {
            let message = Vault::read(text).expect_err("is wrong");
            assert!(message.contains(part) && !message.contains("abcd"), "{message}");
        }
    }
}
