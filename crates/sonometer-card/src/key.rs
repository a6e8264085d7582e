//! Keys: 32 bytes as 64 hexadecimal digits, and what they are called.

use crate::told;
use ed25519_dalek::{Signature, Signer as _, VerifyingKey};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A key that signs. Its seed is never printed.
pub struct SigningKey(ed25519_dalek::SigningKey);

/// A key that verifies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// The keys that may have signed a card: the one in use, and those that it replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(Vec<PublicKey>);

/// A text that is no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadKey {
    /// Its line, from 1.
    pub line: usize,
    /// What is wrong, and how to mend it.
    pub message: String,
}

impl BadKey {
    /// The machine-readable code.
    pub const CODE: &'static str = "invalid_key";

    /// Its place: `line 4`.
    pub fn place(&self) -> String {
        format!("line {}", self.line)
    }
}

impl fmt::Display for BadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for BadKey {}

impl SigningKey {
    /// The key of 32 secret bytes, which must come from a source of randomness that is meant for keys.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(&seed))
    }

    /// Reads the text of a key file: 64 hexadecimal digits; blank lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// A text that holds no seed or more than one.
    pub fn read(text: &str) -> Result<Self, BadKey> {
        let mut seeds = lines(text).map(|(line, digits)| bytes(line, digits, "a signing key"));
        let seed =
            seeds.next().unwrap_or_else(|| Err(BadKey { line: 1, message: "there is no key".to_owned() }))?;
        match seeds.next() {
            None => Ok(Self::from_seed(seed)),
            Some(_) => {
                Err(BadKey { line: 1, message: "the file has several keys; give a file with one".to_owned() })
            }
        }
    }

    /// The key that verifies what this one signs.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public().id())
    }
}

impl PublicKey {
    pub(crate) fn new(line: usize, bytes: &[u8; 32]) -> Result<Self, BadKey> {
        let weak = || BadKey { line, message: "not a valid public key".to_owned() };
        VerifyingKey::from_bytes(bytes).ok().filter(|key| !key.is_weak()).map(Self).ok_or_else(weak)
    }

    /// What it is called: the first 16 hexadecimal digits of the SHA-256 of its 32 bytes.
    pub fn id(&self) -> String {
        hex(&Sha256::digest(self.0.as_bytes())[..8])
    }

    /// Its 32 bytes.
    pub fn bytes(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.0.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }
}

impl fmt::Display for PublicKey {
    /// 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.0.as_bytes()))
    }
}

impl Keys {
    /// Reads a set of keys: one a line, 64 hexadecimal digits; blank lines and lines that begin with `#` are skipped. Or the
    /// JSON that a service answers to `GET /api/v1/keys`.
    ///
    /// # Errors
    /// A line that is no public key, by its number; a text without any.
    pub fn read(text: &str) -> Result<Self, BadKey> {
        let keys = match text.trim_start().starts_with('{') {
            true => told::read(text)?,
            false => lines(text)
                .map(|(line, digits)| PublicKey::new(line, &bytes(line, digits, "a public key")?))
                .collect::<Result<Vec<_>, _>>()?,
        };
        match keys.is_empty() {
            true => Err(BadKey { line: 1, message: "there is no key".to_owned() }),
            false => Ok(Self(keys)),
        }
    }

    /// The key of that id.
    pub fn get(&self, id: &str) -> Option<&PublicKey> {
        self.0.iter().find(|key| key.id() == id)
    }

    /// All of them, in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, PublicKey> {
        self.0.iter()
    }
}

impl FromIterator<PublicKey> for Keys {
    fn from_iter<I: IntoIterator<Item = PublicKey>>(keys: I) -> Self {
        Self(keys.into_iter().collect())
    }
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn bytes(line: usize, digits: &str, what: &str) -> Result<[u8; 32], BadKey> {
    let nibbles: Option<Vec<u8>> = digits.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let bytes = nibbles.filter(|nibbles| nibbles.len() == 64);
    let bytes: Option<Vec<u8>> =
        bytes.map(|nibbles| nibbles.chunks(2).map(|two| two[0] << 4 | two[1]).collect());
    bytes.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| BadKey {
        line,
        message: format!("is not {what}: 64 hexadecimal digits; `sonometer dive keygen` makes one"),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
