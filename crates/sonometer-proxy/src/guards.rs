//! The policies that are loaded: the newest for new conversations, earlier ones for those that began with them.

use axum::http::HeaderValue;
use sonometer_guard::Guard;
use std::sync::RwLock;

/// So many are kept.
const KEPT: usize = 8;

/// The newest is the last. There is always one.
#[derive(Debug)]
pub(crate) struct Guards(RwLock<(Guard, Vec<Guard>)>);

impl Guards {
    pub(crate) fn new(guard: Guard) -> Self {
        Self(RwLock::new((guard, Vec::new())))
    }

    pub(crate) fn newest(&self) -> Guard {
        self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner()).0.clone()
    }

    pub(crate) fn add(&self, guard: Guard) {
        let mut all = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if all.0.digest() == guard.digest() {
            return;
        }
        let before = std::mem::replace(&mut all.0, guard);
        let newest = all.0.digest().to_owned();
        all.1.retain(|known| known.digest() != newest);
        all.1.push(before);
        if all.1.len() >= KEPT {
            all.1.remove(0);
        }
    }

    /// The policy that a request names, or the newest; `None` if it names one that is not there.
    pub(crate) fn of(&self, name: Option<&HeaderValue>) -> Option<Guard> {
        let all = self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(name) = name else { return Some(all.0.clone()) };
        let mut known = all.1.iter().chain([&all.0]);
        known.find(|guard| guard.digest().as_bytes() == name.as_bytes()).cloned()
    }
}
