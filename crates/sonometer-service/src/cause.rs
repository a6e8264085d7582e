//! What caused a charge: the request, and what kind of request it was.

/// The header by which a request is named, by the client or by the service.
pub const REQUEST_ID: &str = "X-Request-Id";
/// The most characters of a request id.
pub const REQUEST_ID_MOST: usize = 128;

/// Whether a client may name its request so: 1 to [`REQUEST_ID_MOST`] of `A-Z a-z 0-9 . _ : -`, the first of them a letter or a
/// digit. Such an id is harmless in a line of a log, in a table, in a shell and in an address.
#[must_use]
pub fn is_request_id(text: &str) -> bool {
    let mark = |b: u8| matches!(b, b'.' | b'_' | b':' | b'-');
    (1..=REQUEST_ID_MOST).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || mark(b))
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
}

/// What kind of request was charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `sense` of a text or a conversation in the request.
    Sense,
    /// `sense` of a file that the request names, while the caller waits.
    File,
    /// `compare`.
    Compare,
    /// A batch that is answered at once.
    Batch,
    /// A stream.
    Stream,
    /// A job: a large batch, a large file, or a request with a callback.
    Job,
    /// An action in a dive.
    Dive,
}

impl Kind {
    /// Every kind by its name.
    pub const NAMES: [&'static str; 7] = ["sense", "file", "compare", "batch", "stream", "job", "dive"];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// What caused a charge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The id of the request; empty if it is not known.
    pub request: String,
    /// The `Idempotency-Key` that came with it; empty if there was none.
    pub key: String,
    /// What kind of request it was.
    pub kind: Kind,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_ids_are_taken() {
        let longest = "a".repeat(REQUEST_ID_MOST);
        for good in ["a", "7", "req_019a", "4bf92f35-77b3:1.2_z", &longest] {
            assert!(is_request_id(good), "{good}");
        }
        let long = "a".repeat(REQUEST_ID_MOST + 1);
        for bad in [
            "", "-a", "=1+1", "a b", "a\nb", "a\u{7f}", "é", "a\"b", "a,b", "a/b", "a;b", "../a", "\0", &long,
        ] {
            assert!(!is_request_id(bad), "{bad:?}");
        }
    }
}
