//! Tables of placeholders that travel with the client, sealed: for conversations whose history the provider keeps, so that any node with the
//! same key can go on with them and none has to store anything.
//!
//! A table holds nothing but what the client sent itself. Sealing keeps it from everybody who sees or stores headers on the way, and binding it
//! to the client's credentials keeps one client from having the values of another restored.

use axum::http::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use ring::{digest, hmac};
use sonometer_guard::Table;
use std::fmt;

/// What sealed tables begin with, and what keys are derived for.
const VERSION: &str = "snmt1";
const KEY_BYTES: usize = 32;
const SALT_BYTES: usize = 16;
/// Sizes are rounded up to so many bytes: the exact size would tell how long the values are.
const ROUND: usize = 256;
/// Longer ones do not fit into headers everywhere. The next request is refused then, as if it had no table.
const MOST_BYTES: usize = 16 << 10;
/// The headers that hold credentials.
const CREDENTIALS: [&str; 3] = ["authorization", "x-api-key", "api-key"];

/// The keys that seal tables: the first seals, all open.
pub struct TableKeys {
    keys: Vec<Key>,
    is_bound: bool,
}

struct Key {
    id: String,
    secret: hmac::Key,
}

impl TableKeys {
    /// Reads keys: a line each, 64 hexadecimal digits, the newest first; empty lines and those that begin with `#` are skipped. `is_bound`: a
    /// table opens only for the credentials that it was made for.
    ///
    /// # Errors
    /// Which line is wrong, and what to write instead; never with a key.
    pub fn read(text: &str, is_bound: bool) -> Result<Self, String> {
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let key = |(at, line): (usize, &str)| {
            let bytes =
                digits(line).ok_or_else(|| format!("line {at}: not a key; write 64 hexadecimal digits"))?;
            let id =
                digest::digest(&digest::SHA256, &[b"sonometer table key id ".as_slice(), &bytes].concat());
            let id = id.as_ref().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            Ok::<_, String>(Key { id, secret: hmac::Key::new(hmac::HMAC_SHA256, &bytes) })
        };
        let keys = lines.map(key).collect::<Result<Vec<Key>, String>>()?;
        if keys.is_empty() {
            return Err(
                "there is no key in it; write 64 hexadecimal digits, as `openssl rand -hex 32` prints them"
                    .to_owned(),
            );
        }
        Ok(Self { keys, is_bound })
    }

    pub(crate) fn is_bound(&self) -> bool {
        self.is_bound
    }

    /// A table as a header; `None` if it is too large for one, or the system has no randomness.
    pub(crate) fn seal(&self, table: &Table, request: &HeaderMap) -> Option<HeaderValue> {
        let key = self.keys.first()?;
        let mut salt = [0; SALT_BYTES];
        SystemRandom::new().fill(&mut salt).ok()?;
        let mut bytes = table.to_json().into_bytes();
        bytes.resize(bytes.len().next_multiple_of(ROUND), b' ');
        key.of(&salt)?.seal_in_place_append_tag(nonce(), self.place(request), &mut bytes).ok()?;
        let text = format!("{VERSION}:{}:{}", key.id, URL_SAFE_NO_PAD.encode([&salt[..], &bytes].concat()));
        if text.len() > MOST_BYTES { None } else { text.parse().ok() }
    }

    /// A table from a header; `None` if it was changed, is of another key or of other credentials.
    pub(crate) fn open(&self, sealed: &HeaderValue, request: &HeaderMap) -> Option<Table> {
        let (id, text) = sealed.to_str().ok()?.strip_prefix(VERSION)?.strip_prefix(':')?.split_once(':')?;
        let key = self.keys.iter().find(|key| key.id == id)?;
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (salt, sealed) = bytes.split_at_checked(SALT_BYTES)?;
        let mut sealed = sealed.to_vec();
        let opened = key.of(salt)?.open_in_place(nonce(), self.place(request), &mut sealed).ok()?;
        Table::from_json(std::str::from_utf8(opened).ok()?)
    }

    /// What a table belongs to.
    fn place(&self, request: &HeaderMap) -> Aad<Vec<u8>> {
        let mut place = VERSION.as_bytes().to_vec();
        if self.is_bound {
            let mut all = digest::Context::new(&digest::SHA256);
            for name in CREDENTIALS {
                for value in request.get_all(name) {
                    all.update(format!("{name} {} ", value.len()).as_bytes());
                    all.update(value.as_bytes());
                }
            }
            place.extend_from_slice(all.finish().as_ref());
        }
        Aad::from(place)
    }
}

impl Key {
    /// The key of one table. Each has its own, so none is used twice with the nonce: 16 random bytes do not come again, 12 might.
    fn of(&self, salt: &[u8]) -> Option<LessSafeKey> {
        let own = hmac::sign(&self.secret, &[VERSION.as_bytes(), salt].concat());
        UnboundKey::new(&CHACHA20_POLY1305, own.as_ref()).ok().map(LessSafeKey::new)
    }
}

fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
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

/// Whether a request has credentials, without which nothing tells its client from others.
pub(crate) fn has_credentials(request: &HeaderMap) -> bool {
    CREDENTIALS.iter().any(|name| request.contains_key(*name))
}

impl fmt::Debug for TableKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|key| &key.id)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::header;

    const ONE: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const TWO: &str = "f00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    fn of(credential: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(credential))])
    }

    fn table(values: usize) -> Table {
        let row =
            |at: usize| format!("[\"<EMAIL_{}>\",\"<EMAIL_{at:012x}>\",\"ann{at}@example.org\"]", at + 1);
        let rows: Vec<String> = (0..values).map(row).collect();
        Table::from_json(&format!("[{}]", rows.join(","))).expect("is a table")
    }

    #[test]
    fn a_table_opens_with_its_key_for_its_client_only() {
        let keys = TableKeys::read(&format!("# newest\n{ONE}\n"), true).expect("is a key");
        let sealed = keys.seal(&table(3), &of("Bearer a")).expect("is small");
        let (_, text) = sealed.to_str().expect("is ASCII").rsplit_once(':').expect("has parts");
        let bytes = URL_SAFE_NO_PAD.decode(text).expect("is base64");
        // Three letters stand in random ones now and then.
        assert!(bytes.windows(11).all(|part| part != b"example.org"));
        assert_ne!(sealed, keys.seal(&table(3), &of("Bearer a")).expect("is small"), "each is different");
        assert_eq!(keys.open(&sealed, &of("Bearer a")), Some(table(3)));
        assert_eq!(keys.open(&sealed, &of("Bearer b")), None);
        // A key that was replaced still opens.
        let later = TableKeys::read(&format!("{TWO}\n{ONE}"), true).expect("are keys");
        assert_eq!(later.open(&sealed, &of("Bearer a")), Some(table(3)));
        assert_eq!(TableKeys::read(TWO, true).expect("is a key").open(&sealed, &of("Bearer a")), None);
        let text = sealed.to_str().expect("is ASCII").to_owned();
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = HeaderValue::from_bytes(&changed).expect("is a header");
            // The last sign of base64 has bits that mean nothing; a reader that is strict refuses them as well.
            assert_eq!(keys.open(&changed, &of("Bearer a")), None, "{at}");
        }
        let free = TableKeys::read(ONE, false).expect("is a key");
        let sealed = free.seal(&table(1), &of("Bearer a")).expect("is small");
        assert_eq!(free.open(&sealed, &of("Bearer b")), Some(table(1)));
        assert_eq!(keys.open(&sealed, &of("Bearer a")), None);
    }

    #[test]
    fn sizes_tell_little_and_have_a_bound() {
        let keys = TableKeys::read(ONE, true).expect("is a key");
        let length = |values| keys.seal(&table(values), &of("Bearer a")).map(|sealed| sealed.len());
        assert_eq!(length(1), length(3));
        assert!(length(150).is_some());
        assert_eq!(length(1_000), None);
    }

    #[test]
    fn keys_are_read_strictly() {
        let signs = "+f".repeat(KEY_BYTES);
        let wrong =
            [("# none", "there is no key"), ("00", "line 1"), ("\n\nxyz", "line 3"), (&signs, "line 1")];
        for (text, line) in wrong {
            let wrong = TableKeys::read(text, true).expect_err("is wrong");
            assert!(wrong.contains(line) && !wrong.contains("xyz"), "{wrong}");
        }
    }
}
