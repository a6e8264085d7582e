//! Values by name, numbered in the order in which they come: the numbers stand for the names in tables and instructions, and no
//! order of a map decides about them. A `BTreeMap`, since `HashMap` is forbidden in the engine.

use std::collections::BTreeMap;

/// Values with a name each.
#[derive(Clone, Debug)]
pub(crate) struct Numbered<T> {
    numbers: BTreeMap<Box<str>, u32>,
    values: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { numbers: BTreeMap::new(), values: Vec::new() }
    }
}

impl<T> Numbered<T> {
    /// The number of a name; a new one gets the next number, from 0, and the value that `make` makes.
    pub(crate) fn number(&mut self, name: &str, make: impl FnOnce() -> T) -> u32 {
        let (number, is_new) = number(&mut self.numbers, name);
        if is_new {
            self.values.push(make());
        }
        number
    }

    /// Gives a name a value; what it had before, if it is known.
    pub(crate) fn put(&mut self, name: &str, value: T) -> Option<T> {
        let (number, is_new) = number(&mut self.numbers, name);
        if is_new {
            self.values.push(value);
            return None;
        }
        Some(std::mem::replace(&mut self.values[number as usize], value))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        self.numbers.get(name).map(|number| &self.values[*number as usize])
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// The names, sorted.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.numbers.keys().map(|name| &**name).collect()
    }

    /// The values by number.
    pub(crate) fn into_values(self) -> Vec<T> {
        self.values
    }
}

/// The number of a name, and whether it is new. At most 2^32 names: a protocol has at most 16 MiB (`MAX_SOURCE_BYTES`).
fn number(numbers: &mut BTreeMap<Box<str>, u32>, name: &str) -> (u32, bool) {
    if let Some(number) = numbers.get(name) {
        return (*number, false);
    }
    let next = numbers.len() as u32;
    numbers.insert(name.into(), next);
    (next, true)
}

/// A number made of all bytes of a text: the same for the same text, and nearly always another for another.
pub(crate) fn fingerprint(text: &[u8]) -> u64 {
    // Each eight bytes are mixed in by a rotation, so that their order matters, and an odd factor (2^64 / golden ratio), which loses no bits.
    let mix = |number: u64, bytes: u64| (number.rotate_left(26) ^ bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let (chunks, rest) = text.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    // The length, since the last bytes are filled up with zeros.
    let number =
        chunks.iter().fold(text.len() as u64, |number, chunk| mix(number, u64::from_le_bytes(*chunk)));
    mix(number, u64::from_le_bytes(last))
}

/// The value at a place of a list, which grows to hold it: for values by marker, companion or rule, of which the first ones are
/// often all that is needed.
pub(crate) fn at<T: Default>(values: &mut Vec<T>, place: u32) -> &mut T {
    let place = place as usize;
    if values.len() <= place {
        values.resize_with(place + 1, T::default);
    }
    &mut values[place]
}

/// Gives an enum the names that files and results use: `as_str`, `from_name`, and the list of names.
macro_rules! named {
    ($type:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// The names that can be written, in the order of the values.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name in files and results.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// The value of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use named;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_as_they_come() {
        let mut all: Numbered<&str> = Numbered::default();
        assert!(!all.contains("b") && all.get("b").is_none());
        assert_eq!(
            (all.number("b", || "first"), all.number("a", || "second"), all.number("b", || "none")),
            (0, 1, 0)
        );
        assert_eq!((all.put("c", "third"), all.put("a", "other")), (None, Some("second")));
        assert_eq!(
            (all.names(), all.clone().into_values()),
            (vec!["a", "b", "c"], vec!["first", "other", "third"])
        );
        assert_eq!((all.get("a"), all.contains("c")), (Some(&"other"), true));
    }

    #[test]
    fn lists_grow() {
        let mut values = Vec::new();
        *at(&mut values, 2) = 7;
        *at(&mut values, 0) = 5;
        assert_eq!(values, [5, 0, 7]);
    }
}
