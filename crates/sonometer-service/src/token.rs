//! API tokens: `sono_test_…` and `sono_live_…`, 192 random bits and a checksum. Only their SHA-256 is kept.
//!
//! So many random bits need no slow hash. The prefix lets secret scanners find them, the checksum tells a typing error from
//! an unknown token without asking the store.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Whether what is used is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Metered in an account of its own, never paid for.
    Test,
    /// Chargeable.
    Live,
}

impl Mode {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Test, Self::Live];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Live => "live",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}

/// What a token may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Measuring.
    Sense,
    /// Catalogue, usage, estimates, history.
    Read,
    /// Dives.
    Dive,
    /// Reserved for administration over the wire.
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 4] = [Self::Sense, Self::Read, Self::Dive, Self::Admin];
    /// What a token may do where nothing else is said.
    pub const DEFAULT: [Self; 3] = [Self::Sense, Self::Read, Self::Dive];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sense => "sense",
            Self::Read => "read",
            Self::Dive => "dive",
            Self::Admin => "admin",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    pub(crate) fn list(scopes: &[Self]) -> String {
        scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn read_list(text: &str) -> Vec<Self> {
        text.split(' ').filter_map(Self::from_name).collect()
    }
}

const SECRET_DIGITS: usize = 48;
const CHECK_DIGITS: usize = 8;

/// The text of a token. It is shown once and kept nowhere.
pub(crate) fn write(mode: Mode, secret: [u8; 24]) -> String {
    let mut token = format!("sono_{}_{}", mode.as_str(), hex(&secret));
    let check = crc32fast::hash(token.as_bytes());
    let _ = write!(token, "{check:08x}");
    token
}

/// Whether a text can be a token at all.
pub(crate) fn is_well_formed(token: &str) -> bool {
    let Some(body) = token.strip_prefix("sono_test_").or_else(|| token.strip_prefix("sono_live_")) else {
        return false;
    };
    let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if body.len() != SECRET_DIGITS + CHECK_DIGITS || !body.bytes().all(is_hex) {
        return false;
    }
    let (said, check) = token.split_at(token.len() - CHECK_DIGITS);
    u32::from_str_radix(check, 16) == Ok(crc32fast::hash(said.as_bytes()))
}

/// What is kept of a token.
pub(crate) fn hash(token: &str) -> String {
    sha256(token.as_bytes())
}

/// The hexadecimal SHA-256.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_is_told_from_a_token() {
        let token = write(Mode::Live, [7; 24]);
        assert!(token.starts_with("sono_live_0707") && is_well_formed(&token), "{token}");
        for at in 0..token.len() {
            let mut wrong = token.clone().into_bytes();
            wrong[at] = if wrong[at] == b'0' { b'1' } else { b'0' };
            let wrong = String::from_utf8(wrong).expect("is ASCII");
            assert!(!is_well_formed(&wrong), "{wrong}");
        }
        for bad in ["", "sono_live_", &token[1..], &token.replace("live", "test"), &token.to_uppercase()] {
            assert!(!is_well_formed(bad), "{bad}");
        }
        assert!(!hash(&token).contains("0707070707"), "the secret cannot be read in what is kept");
    }
}
