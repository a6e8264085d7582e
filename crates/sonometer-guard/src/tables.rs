//! Tables of conversations whose history the provider keeps, by the id of their last answer, or by a sealed summary in it. In memory
//! only.

use crate::exchange::{Exchange, given, goes_on_after, sealed_summaries};
use crate::form::Form;
use crate::json::Object;
use crate::numbering::{Seal, Table, seal_of};
use crate::stream::Stream;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

/// So many conversations are kept, those that were asked last.
const MOST_TABLES: usize = 1_000;
/// So many bytes of values are kept in all.
const MOST_BYTES: usize = 8 << 20;

/// The tables of the last thousand answers, for one process: [`crate::Guard::request_kept`] goes on with the table of
/// `previous_response_id`, of a `thread` that goes on, or of a sealed summary (`compaction`). They hold private text, never leave memory, and end with it.
#[derive(Default)]
pub struct Tables(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    by_key: HashMap<Key, Arc<Table>>,
    /// The oldest first.
    order: VecDeque<Key>,
    bytes: usize,
}

/// What a table is kept by.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Id(Arc<str>),
    Seal(Seal),
}

impl Tables {
    /// Keeps the table of an exchange by the id of its answer and by its sealed summaries, as far as these have come: ask again while the
    /// answer comes. Gives whether the id is known.
    pub fn keep(&self, exchange: &Exchange) -> bool {
        let id = exchange.report().response_id.as_deref();
        if exchange.compiled.policy.placeholders {
            let by_id = id.filter(|_| exchange.is_kept).map(|id| Key::Id(id.into()));
            // Those before the last thousand would give way to these.
            let seals = exchange.seals();
            let by_seals = seals[seals.len().saturating_sub(MOST_TABLES)..].iter().copied().map(Key::Seal);
            let mut kept = self.locked();
            let mut table = None;
            for key in by_id.into_iter().chain(by_seals) {
                if !kept.by_key.contains_key(&key) {
                    kept.put(key, Arc::clone(table.get_or_insert_with(|| Arc::new(exchange.table()))));
                }
            }
        }
        id.is_some()
    }

    /// As [`Self::keep`], of an answer that streams.
    pub fn keep_of(&self, stream: &Stream) -> bool {
        self.keep(stream.exchange())
    }

    /// The table of the conversation that a request goes on with.
    pub(crate) fn of(&self, form: Form, body: &[u8]) -> Option<Arc<Table>> {
        if !matches!(form, Form::Responses | Form::Messages) || self.locked().by_key.is_empty() {
            return None;
        }
        let top = Object::read(std::str::from_utf8(body).ok()?).ok()?;
        let is_given = |key: &str| given(&top, key).is_some();
        let after = match form {
            Form::Responses if is_given("previous_response_id") => {
                Some(top.text("previous_response_id")?.into_owned())
            }
            Form::Messages => goes_on_after(&top),
            _ => None,
        };
        if let Some(id) = after {
            return self.locked().by_key.get(&Key::Id(id.as_str().into())).cloned();
        }
        if ["previous_response_id", "conversation", "container"].into_iter().any(is_given) {
            return None;
        }
        let seals: Vec<Seal> = sealed_summaries(&top).iter().map(|sealed| seal_of(sealed)).collect();
        let kept = self.locked();
        let table = |seal: &Seal| kept.by_key.get(&Key::Seal(*seal));
        let last = table(seals.last()?)?;
        // Those before it must be of the same conversation, where each number means the same.
        let are_of_it = seals.iter().all(|seal| table(seal).is_some_and(|table| last.goes_on(table)));
        are_of_it.then(|| Arc::clone(last))
    }

    /// The table of the answer whose id stands in a path.
    pub(crate) fn of_path(&self, path: &str) -> Option<Arc<Table>> {
        let kept = self.locked();
        path.split('/').rev().take(3).find_map(|part| kept.by_key.get(&Key::Id(part.into())).cloned())
    }

    fn locked(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Kept {
    fn put(&mut self, key: Key, table: Arc<Table>) {
        self.bytes += table.bytes();
        match self.by_key.insert(key.clone(), table) {
            Some(before) => self.bytes -= before.bytes(),
            None => self.order.push_back(key),
        }
        while self.order.len() > MOST_TABLES || self.bytes > MOST_BYTES {
            let Some(table) = self.order.pop_front().and_then(|oldest| self.by_key.remove(&oldest)) else {
                return;
            };
            self.bytes -= table.bytes();
        }
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Tables", self.locked().order.len())
    }
}
