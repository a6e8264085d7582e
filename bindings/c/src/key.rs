//! Keys that sign cards.

use crate::door::{self, Failure};
use crate::error::Error;
use crate::raw::{self, Ended};
use crate::status::Status;
use sonometer_card::SigningKey;
use std::ffi::c_char;

/// The number of secret bytes that a key is made of.
pub const SNM_KEY_BYTES: usize = 32;

/// A key that signs cards (Ed25519); its secret does not come out again. It never changes: any number of threads may use one
/// at the same time. Free it with `snm_key_free`.
#[derive(Debug)]
pub struct Key {
    pub(crate) key: SigningKey,
    public: Ended,
}

impl From<SigningKey> for Key {
    fn from(key: SigningKey) -> Self {
        Self { public: key.public().to_string().into(), key }
    }
}

/// The key of `SNM_KEY_BYTES` secret bytes, which must come from a source of randomness that is meant for keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_key_new(
    secret: *const u8,
    secret_len: usize,
    out: *mut *mut Key,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: bytes of the caller, by the rules of the header.
        let bytes = unsafe { raw::list(secret, secret_len, "secret") }?;
        let seed = <[u8; SNM_KEY_BYTES]>::try_from(bytes).map_err(|_| {
            let message = format!("`secret` has {secret_len} bytes, a key has {SNM_KEY_BYTES}");
            Failure::argument("secret", message)
        })?;
        Ok(SigningKey::from_seed(seed).into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// The key of a key file, by its text, such as `sonometer dive keygen` writes: 64 hexadecimal digits; blank lines and lines
/// that begin with `#` are skipped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_key_read(
    text: *const c_char,
    text_len: usize,
    out: *mut *mut Key,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a text of the caller, by the rules of the header.
        let text = unsafe { raw::text(text, text_len, "text") }?;
        Ok(SigningKey::read(text)?.into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// The public key, as `snm_card_verify` takes it: 64 hexadecimal digits. The bytes are valid until the key is freed; their
/// number goes to `len` unless that is NULL. A NUL, which is not counted, follows them. NULL and 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_key_public(key: *const Key, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a live key, by the rules of the header.
    let text = unsafe { key.as_ref() }.map(|key| &key.public);
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// Frees a key. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_key_free(key: *mut Key) {
    // SAFETY: NULL or a key that the caller gives back, by the rules of the header.
    unsafe { raw::free(key) }
}
