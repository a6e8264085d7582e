//! Citations that came before the text that they cite was shown.

use crate::blocked::{Blocked, Kind};
use crate::stream::{Event, Key};
use std::collections::HashMap;

/// They wait for the end of their text.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    all: HashMap<Key, Vec<String>>,
    bytes: usize,
}

impl Waiting {
    /// Keeps one, as it came.
    ///
    /// # Errors
    /// Blocked if too much waits.
    pub(crate) fn keep(&mut self, of: Key, citation: &str, event: &Event<'_, '_>) -> Result<(), Blocked> {
        let most = event.context.compiled.policy.limits.lane_bytes;
        self.bytes += citation.len();
        if self.bytes > most {
            let message = format!("more than {most} bytes of citations are held back (limits.lane_bytes)");
            return Err(Blocked::new(Kind::TooLarge, message));
        }
        self.all.entry(of).or_default().push(citation.to_owned());
        Ok(())
    }

    /// Takes those of one text out.
    pub(crate) fn take(&mut self, of: Key) -> Vec<String> {
        let ready = self.all.remove(&of).unwrap_or_default();
        self.bytes -= ready.iter().map(String::len).sum::<usize>();
        ready
    }

    /// The choices, blocks or items of whose texts some wait.
    pub(crate) fn of(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.all.keys().map(|key| key.of).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
