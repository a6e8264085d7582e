//! Tables of conversations whose history the provider keeps, by the id of their last answer. In memory only.

use crate::exchange::Exchange;
use crate::form::Form;
use crate::numbering::Table;
use crate::stream::Stream;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

/// So many conversations are kept, those that were asked last.
const MOST_TABLES: usize = 1_000;
/// So many bytes of values are kept in all.
const MOST_BYTES: usize = 8 << 20;

/// The tables of the last thousand answers, for one process: [`crate::Guard::request_kept`] goes on with the table of
/// `previous_response_id`. They hold private text, never leave memory, and end with it.
#[derive(Default)]
pub struct Tables(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    by_id: HashMap<Arc<str>, Arc<Table>>,
    /// The oldest first.
    order: VecDeque<Arc<str>>,
    bytes: usize,
}

#[derive(Deserialize)]
struct Previous<'b> {
    #[serde(borrow, default)]
    previous_response_id: Option<Cow<'b, str>>,
}

impl Tables {
    /// Keeps the table of an exchange by the id of its answer, if that is known by now. Gives whether it is.
    pub fn keep(&self, exchange: &Exchange) -> bool {
        let Some(id) = &exchange.report().response_id else { return false };
        if exchange.form() == Form::Responses && exchange.compiled.policy.placeholders {
            self.locked().put(id.as_str().into(), exchange.table());
        }
        true
    }

    /// As [`Self::keep`], of an answer that streams.
    pub fn keep_of(&self, stream: &Stream) -> bool {
        self.keep(stream.exchange())
    }

    /// The table of the conversation that a request goes on with.
    pub(crate) fn of(&self, form: Form, body: &[u8]) -> Option<Arc<Table>> {
        if form != Form::Responses || self.locked().by_id.is_empty() {
            return None;
        }
        let previous: Previous<'_> = serde_json::from_slice(body).ok()?;
        self.locked().by_id.get(previous.previous_response_id?.as_ref()).cloned()
    }

    fn locked(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Kept {
    fn put(&mut self, id: Arc<str>, table: Table) {
        self.bytes += table.bytes();
        match self.by_id.insert(Arc::clone(&id), Arc::new(table)) {
            Some(before) => self.bytes -= before.bytes(),
            None => self.order.push_back(id),
        }
        while self.order.len() > MOST_TABLES || self.bytes > MOST_BYTES {
            let Some(table) = self.order.pop_front().and_then(|oldest| self.by_id.remove(&oldest)) else {
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
