//! The names of the metamarkers that triggered, as rows of the ledger have them.
//!
//! A row names each of them, so that a bill can be read without anything else. A protocol may have 2,000, with names of 64 bytes: a job of
//! 1,000 items would write 130 MB of names in its one transaction, and others would wait for it. Where the names are long, the list of
//! all metamarkers of the target is kept once, by its digest, and a row says where in it those that triggered are:
//!
//! - `~digest:` and then a part for each of them, with a space between two parts. So a row has as many parts as names.
//! - A part is how many metamarkers were left out since the last one; nothing for none. Where it goes back in the list, as for the second
//!   of two interactions that are compared, it is `=` and the place, from 0.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Up to so many bytes a row has the names themselves.
const LONG: usize = 2 << 10;
/// What no name begins with.
const SIGN: char = '~';

/// The metamarkers of a target.
#[derive(Debug)]
pub struct Names {
    digest: String,
    text: String,
    places: HashMap<String, usize>,
}

impl Names {
    /// Of all names in their order.
    pub(crate) fn new<'m>(names: impl Iterator<Item = &'m str>) -> Self {
        let names: Vec<&str> = names.collect();
        let text = names.join(" ");
        let places = names.iter().enumerate().map(|(place, name)| ((*name).to_owned(), place)).collect();
        Self { digest: crate::token::sha256(text.as_bytes()), text, places }
    }

    /// SHA-256 of [`Names::text`].
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// All names with a space between them.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Names by their places, if these are shorter and all of them are in the list.
    fn shortened(&self, names: &str) -> Option<String> {
        let mut short = format!("{SIGN}{}:", self.digest);
        let mut next = 0;
        for (at, name) in names.split(' ').enumerate() {
            let place = *self.places.get(name)?;
            short.push_str(if at == 0 { "" } else { " " });
            // Writing to a string does not fail.
            let _ = match place.checked_sub(next) {
                Some(0) => Ok(()),
                Some(left_out) => write!(short, "{left_out}"),
                None => write!(short, "={place}"),
            };
            next = place + 1;
        }
        (short.len() < names.len()).then_some(short)
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Names {}

/// What a row has for these names, and the list that it needs. `all` is asked only where they are long.
pub(crate) fn written(names: String, all: impl FnOnce() -> Arc<Names>) -> (String, Option<Arc<Names>>) {
    if names.len() <= LONG {
        return (names, None);
    }
    let all = all();
    match all.shortened(&names) {
        Some(short) => (short, Some(all)),
        None => (names, None),
    }
}

/// The digest of the list that what a row has needs, and the parts; `None`: it has the names themselves.
fn split(written: &str) -> Option<(&str, &str)> {
    written.strip_prefix(SIGN)?.split_once(':')
}

/// The digest of the list that what a row has needs.
pub(crate) fn list_of(written: &str) -> Option<&str> {
    split(written).map(|(digest, _)| digest)
}

/// The names that a row has by their places in a list, which is the text of it. `None` if they are not in it.
pub(crate) fn read(written: &str, list: &str) -> Option<String> {
    let all: Vec<&str> = list.split(' ').collect();
    let (mut names, mut next) = (Vec::new(), 0_usize);
    for part in split(written)?.1.split(' ') {
        let place = match part.strip_prefix('=') {
            Some(place) => place.parse().ok()?,
            None if part.is_empty() => next,
            None => next.checked_add(part.parse().ok()?)?,
        };
        names.push(*all.get(place)?);
        next = place + 1;
    }
    Some(names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("a-marker-with-a-name-{number}")).collect()
    }

    fn list(count: usize) -> Arc<Names> {
        Arc::new(Names::new(all(count).iter().map(String::as_str)))
    }

    #[test]
    fn long_names_are_read_as_they_were_written() {
        let (names, list) = (all(2_000), list(2_000));
        let every = |step: usize| names.iter().step_by(step).cloned().collect::<Vec<_>>();
        let two_sides = [every(3), every(2)].concat();
        for (triggered, most) in [(every(1), 2_100), (every(2), 2_100), (every(9), 550), (two_sides, 3_500)] {
            let joined = triggered.join(" ");
            let (short, needs) = written(joined.clone(), || list.clone());
            assert!(short.len() < most, "{}", short.len());
            assert_eq!(short.split(' ').count(), triggered.len(), "as many parts as names");
            let needs = needs.expect("is long");
            assert_eq!((list_of(&short), needs.digest().len()), (Some(needs.digest()), 64));
            assert_eq!(read(&short, needs.text()), Some(joined));
        }
    }

    #[test]
    fn short_names_and_unknown_ones_stay() {
        let never = || -> Arc<Names> { panic!("is not needed") };
        assert_eq!(written("thanks please".to_owned(), never), ("thanks please".to_owned(), None));
        assert_eq!(list_of("thanks please"), None);
        let strange = all(300).join(" ");
        assert_eq!(written(strange.clone(), || list(299)), (strange, None));
    }

    #[test]
    fn what_is_not_in_the_list_is_not_read() {
        for parts in ["3", " ", "=2", "x", "18446744073709551615", "-1", "=", "0 18446744073709551615"] {
            assert_eq!(read(&format!("~digest:{parts}"), "one"), None, "{parts}");
        }
        assert_eq!(read("~digest:", "one two").as_deref(), Some("one"));
        assert_eq!(read("~digest:1 =0", "one two").as_deref(), Some("two one"));
    }
}
