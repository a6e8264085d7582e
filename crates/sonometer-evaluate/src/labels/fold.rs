//! Folds: parts of labelled data that do not depend on its order, so that what a protocol was tuned on and what it is
//! measured on can be kept apart.

use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// Parts `first` to `last` of `of`, from 1. An item belongs to part 1 + n mod `of`, where n is the first eight bytes, most
/// significant first, of the SHA-256 of its id or group in UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    first: u64,
    last: u64,
    of: u64,
}

impl FromStr for Fold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fix = || {
            format!(
                "`{text}` is not a fold; write for example `1/2` (the first of two parts) or `2-5/5` (parts two to five)"
            )
        };
        let number = |digits: &str| digits.trim().parse::<u64>().map_err(|_| fix());
        let (parts, of) = text.split_once('/').ok_or_else(fix)?;
        let (first, last) = parts.split_once('-').unwrap_or((parts, parts));
        let (first, last, of) = (number(first)?, number(last)?, number(of)?);
        if first == 0 || first > last || last > of { Err(fix()) } else { Ok(Self { first, last, of }) }
    }
}

impl fmt::Display for Fold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{}/{}", self.first, self.of),
            false => write!(f, "{}-{}/{}", self.first, self.last, self.of),
        }
    }
}

impl Fold {
    /// Whether what has this key is in the fold.
    pub(crate) fn holds(self, key: &str) -> bool {
        let digest = Sha256::digest(key.as_bytes());
        let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        (self.first..=self.last).contains(&(1 + number % self.of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(text: &str) -> Fold {
        text.parse().expect(text)
    }

    #[test]
    fn every_key_is_in_one_part() {
        let mut sizes = [0; 3];
        for key in (0..3000).map(|n| n.to_string()) {
            let parts: Vec<usize> = (1..=3).filter(|part| fold(&format!("{part}/3")).holds(&key)).collect();
            assert_eq!(parts.len(), 1);
            assert_eq!(fold("2-3/3").holds(&key), parts[0] > 1);
            sizes[parts[0] - 1] += 1;
        }
        assert!(sizes.iter().all(|size| (900..1100).contains(size)), "{sizes:?}");
    }

    #[test]
    fn the_rule_is_the_documented_one() {
        // SHA-256 of `abc` begins with ba7816bf8f01cfea, which is 13436514500253700074: 0 modulo 2, 4 modulo 5.
        assert!(fold("1/2").holds("abc"));
        assert!(fold("5/5").holds("abc"));
    }

    #[test]
    fn what_is_no_fold_is_refused() {
        for bad in ["", "1", "0/2", "3/2", "2-1/3", "a/b", "1/0"] {
            assert!(bad.parse::<Fold>().is_err(), "{bad}");
        }
        assert_eq!(fold("2-5/5").to_string(), "2-5/5");
        assert_eq!(fold("1-1/2").to_string(), "1/2");
    }
}
