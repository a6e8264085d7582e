//! Cards under signature: `ed25519:{key id}:{base64url}` over the canonical card without its `signature`.
//!
//! A signature says who vouches for a card; whoever has the stage and the actions can do more and compute it again
//! ([`sonometer::stage::replay`]). Ed25519 signs the same bytes the same way every time (RFC 8032), so a signed card is as
//! reproducible as an unsigned one. Nothing here draws randomness, reads a clock or a file.
//!
//! ```
//! use sonometer_card::{Keys, SigningKey};
//! let key = SigningKey::from_seed([7; 32]);
//! let keys = Keys::read(&key.public().to_string())?;
//! assert!(keys.get(&key.public().id()).is_some());
//! # Ok::<(), sonometer_card::BadKey>(())
//! ```

mod export;
mod key;
mod told;

pub use export::{envelope, statement};
pub use key::{BadKey, Keys, PublicKey, SigningKey};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64URL;
use sonometer::stage::{Card, Mismatch};

/// Puts a signature on a card. The same card and the same key give the same bytes; a signature that is there is replaced.
#[must_use]
pub fn sign(card: &Card, key: &SigningKey) -> Card {
    let signature = key.sign(card.to_signed_json().as_bytes());
    let signature = format!("ed25519:{}:{}", key.public().id(), BASE64URL.encode(signature));
    Card { signature: Some(signature), ..card.clone() }
}

/// Reads a card and checks its signature against a set of keys, of which several may be valid while one replaces another.
///
/// # Errors
/// What is wrong and where: a card that cannot be read or whose sums do not add up ([`Card::read`]); no signature; one by a
/// key that is not in the set; one that does not belong to these bytes.
pub fn verify(text: &str, keys: &Keys) -> Result<Card, Mismatch> {
    let card = Card::read(text)?;
    check(&card, keys)?;
    Ok(card)
}

/// Checks the signature of a card that was read already.
///
/// # Errors
/// As [`verify`], about `signature`.
pub fn check(card: &Card, keys: &Keys) -> Result<(), Mismatch> {
    let wrong = |message: String| Mismatch::new("signature", message);
    let signature = card.signature.as_deref().ok_or_else(|| wrong("the card is not signed".to_owned()))?;
    let mut parts = signature.split(':');
    let (Some("ed25519"), Some(id), Some(code), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(wrong("is not of the form `ed25519:{key id}:{base64url}`".to_owned()));
    };
    // Refuses bits that are left over: with them one signature could be written in several ways.
    let bytes = BASE64URL.decode(code).ok().and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
    let bytes = bytes
        .ok_or_else(|| wrong("its last part is not 64 bytes in base64url without padding".to_owned()))?;
    let key = keys
        .get(id)
        .ok_or_else(|| wrong(format!("is by the key `{id}`, which is not among the given keys")))?;
    match key.verifies(card.to_signed_json().as_bytes(), &bytes) {
        true => Ok(()),
        false => Err(wrong(
            "does not match this card: it was changed after it was signed; replay it to see what changed"
                .to_owned(),
        )),
    }
}

/// The code of the crate's own README runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
