//! Names of members and types: those that may be told, and what is said of those that the guard does not know.

use crate::blocked::{Blocked, Kind};

/// Whether the name of a member is one of a form, such as `max_tokens`, or that of a tool one of an application. Any other could be a text.
pub(crate) fn is_name(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        && key.bytes().filter(u8::is_ascii_digit).count() <= 8
}

/// What the policy may be set to where something unknown was met.
pub(crate) const DROP_OR_PASS: &str = "set `unknown` to `drop` or `pass` to leave it out or let it through";
/// The same where nothing can be left out.
pub(crate) const PASS: &str = "it cannot be left out; set `unknown` to `pass` to let it through";

/// A type that the guard does not know, in a place whose name belongs to the form.
pub(crate) fn unknown(place: &str, kind: &str, advice: &str) -> Blocked {
    let kind = if is_kind(kind) { format!(" `{kind}`") } else { String::new() };
    let place = if is_kind(place) { place } else { "object" };
    Blocked::new(Kind::Unknown, format!("an unknown type{kind} in `{place}`; {advice}"))
}

/// A member that the guard does not know.
pub(crate) fn unknown_member(name: &str) -> Blocked {
    let name = if is_kind(name) { format!(" `{name}`") } else { String::new() };
    Blocked::new(Kind::Unknown, format!("an unknown member{name}; {DROP_OR_PASS}"))
}

/// Whether a name reads as the forms write their types, so that it may be quoted: any other could be a text.
pub(crate) fn is_kind(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-'))
        && name.bytes().filter(u8::is_ascii_digit).count() <= 8
}

/// Media that the policy does not let pass.
pub(super) fn unmaskable_media(kind: &str) -> Blocked {
    Blocked::new(
        Kind::Unmaskable,
        format!("`{kind}` cannot be masked; set `media = \"pass\"` to let it through"),
    )
}
