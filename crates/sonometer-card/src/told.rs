//! Keys as a service tells them, in the answer of `GET /api/v1/keys`.

use crate::key::{BadKey, PublicKey};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64URL;
use serde::Deserialize;

#[derive(Deserialize)]
struct Answer {
    keys: Vec<Told>,
}

#[derive(Deserialize)]
struct Told {
    key_id: String,
    algorithm: String,
    public_key: String,
}

/// The keys of an answer, retired ones too: cards that they signed hold. Keys of other algorithms are for other signatures, and
/// left out. The answer counts as one line.
pub(crate) fn read(text: &str) -> Result<Vec<PublicKey>, BadKey> {
    let wrong = |message: String| BadKey { line: 1, message };
    let answer: Answer = serde_json::from_str(text).map_err(|_| {
        wrong(
            "is not an answer of `GET /api/v1/keys`: {\"keys\":[{\"key_id\":…,\"algorithm\":…,\"public_key\":…},…]}"
                .to_owned(),
        )
    })?;
    let is_ours = |(_, told): &(usize, &Told)| told.algorithm == "Ed25519";
    let key = |(at, told): (usize, &Told)| {
        let bytes =
            BASE64URL.decode(&told.public_key).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let bytes = bytes.ok_or_else(|| {
            wrong(format!("`keys[{at}].public_key` is not 32 bytes in base64url without padding"))
        })?;
        let key = PublicKey::new(1, &bytes)?;
        match key.id() == told.key_id {
            true => Ok(key),
            false => {
                Err(wrong(format!("`keys[{at}].key_id` is not the id of its key, which is `{}`", key.id())))
            }
        }
    };
    answer.keys.iter().enumerate().filter(is_ours).map(key).collect()
}
