//! Which objects an address stands for: one, those below a prefix, or those that a pattern matches.

use super::Found;
use super::address::{Address, Scheme};
use super::connect::{Patience, path, store, wait};
use super::object::Object;
use super::told;
use crate::failure::Failure;
use futures_util::{StreamExt, TryStreamExt};
use glob::{MatchOptions, Pattern};
use object_store::path::Path;
use object_store::{Error, GetOptions, ObjectMeta, ObjectStore};

/// Objects that are looked through for a pattern: a list of more takes minutes and says too little.
const MOST: usize = 1_000_000;

/// Looks for the objects of an address.
pub(crate) fn find(address: &str) -> Result<Found, Failure> {
    let address = Address::parse(address)?;
    let store = store(&address, Patience::Short)?;
    if address.scheme == Scheme::Http {
        return one(&address, &*store, false);
    }
    if let Some(special) = address.key.find(['*', '?', '[']) {
        return matching(&address, &*store, special).map(Found::Matching);
    }
    if address.key.is_empty() || address.key.ends_with('/') {
        return below(&address, &*store).map(Found::Folder);
    }
    one(&address, &*store, true)
}

/// The object of a name; where there is none, those below it. `by_head`: without asking for its bytes, which an address that is signed for
/// reading alone does not allow.
fn one(address: &Address, store: &dyn ObjectStore, by_head: bool) -> Result<Found, Failure> {
    let path = path(address)?;
    let ask = |head| store.get_opts(&path, GetOptions { head, ..GetOptions::default() });
    let mut asked = wait(ask(by_head))?;
    if by_head && matches!(asked, Err(Error::NotFound { .. })) {
        let objects = below(address, store)?;
        if !objects.is_empty() {
            return Ok(Found::Folder(objects));
        }
    } else if by_head && asked.is_err() {
        // Answers to the question for the head have no body, in which stores say what is wrong.
        asked = wait(ask(false))?;
    }
    match asked {
        Ok(got) => Object::new(address.clone(), got.meta).map(|object| Found::One(Box::new(object))),
        Err(error) => Err(told::failure(address, &error)),
    }
}

/// The objects directly below a prefix.
fn below(address: &Address, store: &dyn ObjectStore) -> Result<Vec<Object>, Failure> {
    let prefix = Path::parse(address.key.trim_end_matches('/'))
        .map_err(|error| Failure::unusable(format!("{}: is no name of a folder: {error}", address.shown)))?;
    let listed = wait(store.list_with_delimiter(Some(&prefix)))?;
    let listed = listed.map_err(|error| told::failure(address, &error))?;
    // Some consoles make an empty object as the mark of a folder.
    objects(address, listed.objects.into_iter().filter(|meta| meta.location != prefix).collect())
}

/// The objects whose names a pattern matches, of which the first `special` bytes are no pattern.
fn matching(address: &Address, store: &dyn ObjectStore, special: usize) -> Result<Vec<Object>, Failure> {
    let pattern = Pattern::new(&address.key).map_err(|error| {
        Failure::unusable(format!(
            "{}: the pattern is broken at character {}: {}",
            address.shown, error.pos, error.msg
        ))
    })?;
    let as_paths = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let folder = address.key[..special].rfind('/').map_or("", |end| &address.key[..end]);
    let prefix = Path::parse(folder)
        .map_err(|error| Failure::unusable(format!("{}: is no name of a folder: {error}", address.shown)))?;
    let fits = |meta: &ObjectMeta| pattern.matches_with(meta.location.as_ref(), as_paths);
    let listed = store.list(Some(&prefix)).take(MOST + 1).enumerate().map(|(at, meta)| Ok((at, meta?)));
    let listed = wait(
        listed
            .try_filter_map(async |(at, meta)| Ok((at == MOST || fits(&meta)).then_some((at, meta))))
            .try_collect(),
    )?;
    let listed: Vec<(usize, ObjectMeta)> = listed.map_err(|error| told::failure(address, &error))?;
    if listed.last().is_some_and(|(at, _)| *at == MOST) {
        return Err(Failure::unusable(format!(
            "{}: more than {MOST} objects are below `{folder}/`; write more of the names before the first `*`",
            address.shown
        )));
    }
    objects(address, listed.into_iter().map(|(_, meta)| meta).collect())
}

/// What was listed, by name.
fn objects(address: &Address, mut listed: Vec<ObjectMeta>) -> Result<Vec<Object>, Failure> {
    listed.sort_by(|a, b| a.location.cmp(&b.location));
    let named = listed.into_iter().filter(|meta| meta.location != Path::default()).map(|meta| {
        let key = meta.location.to_string();
        Object::new(Address { shown: address.of(&key), key, ..address.clone() }, meta)
    });
    named.collect()
}
