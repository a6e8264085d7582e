//! Kinds of masks, by their names in files and calls.

use crate::diagnostic::excerpt;
use crate::document::suggest;
use crate::error::Error;
use std::fmt;

/// How a match is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mask {
    /// `all`, or `stars`: each letter or digit becomes `*`.
    All,
    /// `first6`: the first n letters or digits stay, 1 to 8.
    First(u8),
    /// `last4`: the last n letters or digits stay, 1 to 8.
    Last(u8),
    /// `label`: shown as the name of the marker, such as `<EMAIL>`.
    Label,
    /// `numbered`: the name with a number, the same for the same value within an interaction, such as `<EMAIL_1>`.
    Numbered,
    /// `keyed`: the name with digits of the value's HMAC-SHA256, the same for the same value and key everywhere, such as
    /// `<EMAIL_3f9a1c2b77d0>`.
    Keyed,
    /// `remove`: nothing is shown.
    Remove,
}

impl Mask {
    /// The names of all kinds, with one number for those that take any from 1 to 8.
    pub const NAMES: [&'static str; 7] = ["stars", "last4", "first6", "label", "numbered", "keyed", "remove"];

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        let shown = |digits: &str| match digits.as_bytes() {
            [digit @ b'1'..=b'8'] => Some(digit - b'0'),
            _ => None,
        };
        match name {
            // `all` is older; protocols that were published with it keep their digests.
            "all" | "stars" => Some(Self::All),
            "label" => Some(Self::Label),
            "numbered" => Some(Self::Numbered),
            "keyed" => Some(Self::Keyed),
            "remove" => Some(Self::Remove),
            _ => match (name.strip_prefix("first"), name.strip_prefix("last")) {
                (Some(n), _) => shown(n).map(Self::First),
                (_, Some(n)) => shown(n).map(Self::Last),
                _ => None,
            },
        }
    }

    /// The kind of that name, in a call.
    ///
    /// # Errors
    /// `invalid_request` at `mask` with what to write instead.
    pub fn read(name: &str) -> Result<Self, Error> {
        let unknown =
            || Error::invalid("mask", format!("{}; {}", Self::unknown(name), Self::instead_of(name)));
        Self::from_name(name).ok_or_else(unknown)
    }

    /// What is wrong with a name of no kind.
    pub(crate) fn unknown(name: &str) -> String {
        format!("`mask` cannot be `{}`", excerpt(name))
    }

    /// What to write in the place of a name of no kind.
    pub(crate) fn instead_of(name: &str) -> String {
        let all =
            "`stars`, `last4` or `first6` (1 to 8 stay readable), `label`, `numbered`, `keyed` or `remove`";
        match suggest(name, &Self::NAMES) {
            // A number that is out of range is near to one within.
            Some(near) if !near.ends_with(|c: char| c.is_ascii_digit()) => format!("did you mean `{near}`"),
            _ => format!("write {all}"),
        }
    }

    /// Whether something else stands for a stretch as a whole.
    pub(crate) fn replaces(self) -> bool {
        matches!(self, Self::Label | Self::Numbered | Self::Keyed | Self::Remove)
    }

    /// Whether what is shown depends on what is hidden.
    pub(crate) fn names_values(self) -> bool {
        matches!(self, Self::Numbered | Self::Keyed)
    }
}

/// The name in canonical protocols.
impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::First(n) => write!(f, "first{n}"),
            Self::Last(n) => write!(f, "last{n}"),
            Self::Label => f.write_str("label"),
            Self::Numbered => f.write_str("numbered"),
            Self::Keyed => f.write_str("keyed"),
            Self::Remove => f.write_str("remove"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name() {
        for name in Mask::NAMES {
            let mask = Mask::from_name(name);
            assert_eq!(mask.map(|mask| mask.to_string()), Some(name.replace("stars", "all")));
        }
        assert_eq!(Mask::from_name("all"), Some(Mask::All));
        for name in ["", "first", "first0", "last9", "last12", "last+4", "Label", "hash"] {
            assert_eq!(Mask::from_name(name), None, "{name}");
        }
        let message = |name| Mask::read(name).expect_err("is refused").message;
        assert_eq!(message("labels"), "`mask` cannot be `labels`; did you mean `label`");
        assert!(message("last12").contains("; write `stars`, `last4` or `first6` (1 to 8 stay readable)"));
    }
}
