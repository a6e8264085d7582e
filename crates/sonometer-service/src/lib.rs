//! The rules of the sensing service: who may measure what, what it costs, and what is answered. Plain functions over ports;
//! of HTTP, sockets and routes nothing is known here.
//!
//! A request arrives as the text of its body with a [`Caller`]; it leaves as the text of an answer with what it consumed,
//! or as a [`Refusal`]. The order is always the same: shape of the body, target, interaction, quota, measurement, and last
//! the charge, in one transaction with the answer (see [`store`]). What was not answered was not charged, or can be asked
//! for again under the same key.

pub mod account;
mod admin;
mod answer;
mod batch;
mod caller;
mod catalogue;
mod describe;
pub mod dive;
mod effort;
pub mod file;
pub mod guard;
mod jobs;
mod json;
mod list;
mod measure;
pub mod period;
pub mod ports;
pub mod rate;
pub mod refusal;
pub mod request;
pub mod shape;
pub mod store;
mod stream;
pub mod text;
mod token;
mod usage;
mod webhook;

pub use admin::{Published, Settled};
pub use answer::Answer;
pub use caller::Caller;
pub use describe::SGM_VERSIONS;
pub use json::TargetUsed;
pub use list::{Listing, StatusFilter};
pub use refusal::{Code, Refusal};
pub use store::Store;
pub use stream::{Streaming, Told};
pub use token::{Mode, Scope};

use catalogue::{Shelf, Shelves};
use ports::{Callbacks, Clock, Files, Ids, Ports};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{Notify, Semaphore};

/// The service over its ports. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    files: Arc<dyn Files>,
    callbacks: Arc<dyn Callbacks>,
    shelves: Shelves,
    dives: dive::Dives,
    windows: rate::Windows,
    /// Long texts are measured by so many threads at once.
    threads: Arc<Semaphore>,
    /// What organizations see that published nothing.
    shipped: Arc<Shelf>,
    /// ICS that this process charged, by mode.
    charged: [AtomicU64; 2],
    /// Told when a job was made.
    work_there: Notify,
    /// Told when a notification may be due.
    mail_there: Notify,
}

impl Service {
    /// The service on a store, with the clock and the randomness of the machine, without files and callbacks.
    pub fn new(store: Store) -> Self {
        Self::with_ports(store, Ports::default())
    }

    /// The service with ports of choice.
    pub fn with_ports(store: Store, ports: Ports) -> Self {
        let Ports { clock, ids, files, callbacks } = ports;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let inner = Inner {
            store,
            clock,
            ids,
            files,
            callbacks,
            shelves: Shelves::default(),
            dives: dive::Dives::default(),
            windows: rate::Windows::default(),
            threads: Arc::new(Semaphore::new(threads)),
            shipped: Arc::default(),
            charged: Default::default(),
            work_there: Notify::new(),
            mail_there: Notify::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// Milliseconds since 1970, by the clock of the service.
    pub fn now_ms(&self) -> i64 {
        self.inner.clock.now_ms()
    }

    /// A fresh id.
    pub fn id(&self, prefix: &str) -> String {
        self.inner.ids.id(prefix)
    }

    /// ICS that this process charged since it began, for requests and jobs.
    pub fn charged(&self, mode: Mode) -> u64 {
        self.inner.charged[mode as usize].load(Ordering::Relaxed)
    }

    /// Charges.
    async fn charge_now(&self, charge: store::Charge) -> Result<store::Charged, Refusal> {
        let mode = charge.mode;
        let charged = self.inner.store.charge(charge).await?;
        self.inner.charged[mode as usize].fetch_add(charged.units, Ordering::Relaxed);
        Ok(charged)
    }

    /// Whether requests can be answered.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn ready(&self) -> Result<(), Refusal> {
        self.inner.store.ping().await
    }

    /// What an organization can measure with.
    async fn shelf(&self, caller: &Caller) -> Result<Arc<Shelf>, Refusal> {
        self.shelf_of(caller.org(), caller.revision()).await
    }

    async fn shelf_of(&self, org: &str, revision: i64) -> Result<Arc<Shelf>, Refusal> {
        if revision == 0 {
            return Ok(self.inner.shipped.clone());
        }
        if let Some(shelf) = self.inner.shelves.get(org, revision) {
            return Ok(shelf);
        }
        let shelf = Arc::new(Shelf::of(&self.inner.store.targets(org).await?));
        self.inner.shelves.put(org, revision, shelf.clone());
        Ok(shelf)
    }
}
