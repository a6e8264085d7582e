//! The key of `keyed` masks, and what it makes of a value.

use crate::error::Error;
use sha2::{Digest, Sha256};
use std::fmt;

/// The fewest bytes of a key, 128 bits: of fewer, all could be tried, and with the key the values that names stand for.
const FEWEST_KEY_BYTES: usize = 16;
/// The bytes that SHA-256 works on at once.
const BLOCK: usize = 64;

/// The key of `keyed` masks, of the caller's own. It is shown nowhere, in no reading and no message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MaskKey([u8; BLOCK]);

impl MaskKey {
    /// Takes the bytes of a key, 16 or more, all of which count.
    ///
    /// # Errors
    /// `invalid_request` at `mask_key` if there are fewer.
    pub fn new(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() < FEWEST_KEY_BYTES {
            let message = format!(
                "the key has {} bytes; give {FEWEST_KEY_BYTES} or more, such as 32 random ones (`openssl rand -hex 32`)",
                bytes.len()
            );
            return Err(Error::invalid("mask_key", message));
        }
        Ok(Self::of(bytes))
    }

    /// As RFC 2104 has it: a key that is longer than a block is hashed, any is filled up with zeros.
    fn of(bytes: &[u8]) -> Self {
        let mut block = [0; BLOCK];
        match block.get_mut(..bytes.len()) {
            Some(start) => start.copy_from_slice(bytes),
            None => block[..32].copy_from_slice(&Sha256::digest(bytes)),
        }
        Self(block)
    }

    /// The HMAC-SHA256 of a text.
    fn hmac(&self, text: &[u8]) -> [u8; 32] {
        let keyed = |pad: u8| Sha256::new().chain_update(self.0.map(|byte| byte ^ pad));
        let inner = keyed(0x36).chain_update(text).finalize();
        keyed(0x5c).chain_update(inner).finalize().into()
    }

    /// What tells whether two keys are the same, and nothing else of them: 32 bytes, the HMAC-SHA256 of fixed words. Whoever sets a
    /// file aside to go on with later compares it, in the place of the key.
    pub fn fingerprint(&self) -> [u8; 32] {
        // No value that is masked: those of `keyed` are what a protocol found, without a line break.
        self.hmac(b"sonometer\nfingerprint of a mask key")
    }

    /// Twelve hexadecimal digits, 48 bits, that stand for a value: among a million values, two have the same with a chance of about
    /// 10^12 ÷ 2^49, one in 560.
    pub(super) fn name(&self, value: &str) -> String {
        self.hmac(value.as_bytes())[..6].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for MaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MaskKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn fingerprints_tell_keys_apart() {
        let of = |key: &[u8]| MaskKey::new(key).expect("is long enough").fingerprint();
        assert_eq!(of(b"sixteen bytes..."), of(b"sixteen bytes..."));
        assert_ne!(of(b"sixteen bytes..."), of(b"sixteen bytes.. "));
        // It holds the key, so no part of it.
        assert!(
            !of(b"sixteen bytes...")
                .windows(4)
                .any(|part| b"sixteen bytes...".windows(4).any(|of| of == part))
        );
    }

    /// The cases of RFC 4231 but for the fifth, which is cut.
    #[test]
    fn hmac_is_that_of_rfc_4231() {
        let counted: Vec<u8> = (1..=25).collect();
        let long = [0xaa; 131];
        let larger = "This is a test using a larger than block-size key and a larger than block-size data. \
                      The key needs to be hashed before being used by the HMAC algorithm.";
        for (key, data, expected) in [
            (
                &[0x0b; 20][..],
                &b"Hi There"[..],
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (&[0xaa; 20], &[0xdd; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            (&counted, &[0xcd; 50], "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
            (
                &long,
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
            (&long, larger.as_bytes(), "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
        ] {
            assert_eq!(hex(&MaskKey::of(key).hmac(data)), expected);
        }
    }

    #[test]
    fn a_key_is_long_enough_and_not_shown() {
        let error = MaskKey::new(b"fifteen bytes..").expect_err("is refused");
        assert_eq!((error.place.as_str(), error.code.as_str()), ("mask_key", "invalid_request"));
        assert!(error.message.contains("15 bytes") && !error.message.contains("fifteen"), "{error}");
        let key = MaskKey::new(b"sixteen bytes...").expect("is long enough");
        assert_eq!(format!("{key:?}"), "MaskKey(…)");
        assert_eq!(key.name("a").len(), 12);
    }
}
