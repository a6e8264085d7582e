//! The rules of the sensing service: who may measure what, what it costs, and what is answered. Plain functions over ports;
//! of HTTP, sockets and routes nothing is known here.
//!
//! A request arrives as the text of its body with a [`Caller`]; it leaves as the text of an answer with what it consumed,
//! or as a [`Refusal`]. The order is always the same: shape of the body, target, interaction, quota, measurement, and last
//! the charge, in one transaction with the answer (see [`store`]). What was not answered was not charged, or can be asked
//! for again under the same key.

pub mod account;
mod admin;
pub mod administration;
mod answer;
mod batch;
pub mod bill;
mod caller;
mod catalogue;
pub mod cause;
mod claims;
mod describe;
pub mod dive;
mod effort;
pub mod evaluations;
pub mod file;
mod free;
pub mod guard;
mod jobs;
mod json;
mod list;
mod measure;
mod names;
pub mod period;
pub mod ports;
mod promised;
pub mod queue;
pub mod rate;
pub mod refusal;
pub mod request;
mod retention;
pub mod shape;
pub mod spans;
pub mod store;
mod stream;
pub mod text;
mod token;
mod usage;
pub mod vault;
mod webhook;
mod worker;

pub use admin::{Published, Settled};
pub use answer::Answer;
pub use caller::Caller;
#[doc(hidden)]
pub use claims::LateClaims;
pub use describe::SGM_VERSIONS;
pub use json::TargetUsed;
pub use list::{Listing, StatusFilter};
pub use refusal::{Code, Refusal};
pub use retention::Retention;
pub use store::Store;
pub use stream::{Streaming, Told};
pub use token::{Mode, Scope};
pub use worker::JOBS_AT_ONCE;

use catalogue::{Shelf, Shelves, Tool};
use effort::Effort;
use ports::{Callbacks, Clock, Files, Ids, Ports};
use queue::{Bounds, Queue};
use request::Target;
use spans::SPANS;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::Notify;
use tracing::{Instrument, info_span};

/// So many pieces of long work of one organization wait at most.
const WAITING: usize = 1_024;

/// So many requests of one organization wait at most for a place to read the ledger.
const LEDGER_WAITING: usize = 64;

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
    retention: RwLock<Retention>,
    /// Threads for long texts.
    threads: Queue,
    /// Places for those who read the ledger or count jobs: most of the connections are left to requests.
    ledger: Queue,
    /// Places for requests that write something else than a charge: jobs, dives, tries of passwords. SQLite has one connection that writes,
    /// and charges of all would wait behind them.
    writes: Queue,
    /// Whether what ships is still made ready.
    cold: AtomicBool,
    /// How many jobs of each organization are worked on here.
    working: worker::Working,
    promised: promised::Promised,
    free_answers: free::FreeBytes,
    free_results: free::FreeBytes,
    free_dives: free::FreeBytes,
    /// What organizations see that published nothing.
    shipped: Arc<Shelf>,
    /// ICS that this process charged, by mode.
    charged: [AtomicU64; 2],
    /// Steps that the work of this process took at worst.
    steps: AtomicU64,
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
        // One more than there are cores, which is left to others: one organization alone keeps all cores busy, and the next one
        // shares them by the turns of the operating system instead of waiting for the end of a long text.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = Bounds { places: cores + 1, share: cores, waiting: WAITING };
        let inner = Inner {
            store,
            clock,
            ids,
            files,
            callbacks,
            shelves: Shelves::default(),
            dives: dive::Dives::default(),
            windows: rate::Windows::default(),
            retention: RwLock::default(),
            threads: Queue::new("threads", threads),
            ledger: Queue::new("ledger", Bounds { places: 2, share: 1, waiting: LEDGER_WAITING }),
            writes: Queue::new("writes", Bounds { places: 3, share: 1, waiting: WAITING }),
            cold: AtomicBool::new(false),
            working: worker::Working::default(),
            promised: promised::Promised::default(),
            free_answers: free::FreeBytes::answers(),
            free_results: free::FreeBytes::results(),
            free_dives: free::FreeBytes::dives(),
            shipped: Arc::default(),
            charged: Default::default(),
            steps: AtomicU64::new(0),
            work_there: Notify::new(),
            mail_there: Notify::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Changes after how many bytes of free results in a day an organization gets no more jobs: a gibibyte is much for a test.
    #[doc(hidden)]
    pub fn bound_free_results(&self, bytes: u64) {
        self.inner.free_results.set_most(bytes);
    }

    /// Changes after how many bytes of dives that cost nothing in a day an organization opens no more of them.
    #[doc(hidden)]
    pub fn bound_free_dives(&self, bytes: u64) {
        self.inner.free_dives.set_most(bytes);
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

    /// Steps that the work of this process took at worst, since it began: the sum of the bounds that are known before each piece of work begins.
    pub fn steps(&self) -> u64 {
        self.inner.steps.load(Ordering::Relaxed)
    }

    /// How long the oldest job that has not ended was made ago, and the notification that is due longest, in milliseconds.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn ages(&self) -> Result<(i64, i64), Refusal> {
        let (job, due) = self.inner.store.oldest().await?;
        let now = self.now_ms();
        let age = |since: i64| if since == 0 { 0 } else { now.saturating_sub(since).max(0) };
        Ok((age(job), age(due)))
    }

    /// A place among requests that write something else than a charge.
    async fn place_to_write(&self, org: &str) -> Result<queue::Place, Refusal> {
        let full = |_| Refusal::unavailable("too many requests of one organization write at once");
        self.inner.writes.place(org, 1).await.map_err(full)
    }

    /// Charges.
    async fn charge_now(&self, charge: store::Charge) -> Result<store::Charged, Refusal> {
        let mode = charge.mode;
        let span = info_span!(target: SPANS, "store.charge", lines = charge.lines.len());
        let charged = self.inner.store.charge(charge).instrument(span).await?;
        self.inner.charged[mode as usize].fetch_add(charged.units, Ordering::Relaxed);
        Ok(charged)
    }

    /// Whether requests can be answered, the first as fast as the rest.
    ///
    /// # Errors
    /// `unavailable`.
    pub async fn ready(&self) -> Result<(), Refusal> {
        if self.inner.cold.load(Ordering::Acquire) {
            return Err(Refusal::unavailable("what ships is still made ready"));
        }
        match self.inner.store.is_here() {
            true => self.inner.store.ping().await,
            false => Err(Refusal::away()),
        }
    }

    /// Waits until requests cannot be answered any more: the refusal of those that are under way.
    pub async fn goes_away(&self) -> Refusal {
        self.inner.store.goes_away().await;
        Refusal::away()
    }

    /// Makes what ships ready, on a thread of its own. Until that has ended, [`Service::ready`] refuses; requests are answered all
    /// the same.
    pub fn warm_up(&self) {
        self.inner.cold.store(true, Ordering::Release);
        let service = self.clone();
        std::thread::spawn(move || {
            service.inner.shipped.make_ready();
            service.inner.cold.store(false, Ordering::Release);
        });
    }

    /// Everything that organizations wait for here, by name.
    pub fn queues(&self) -> Vec<Queue> {
        let Inner { threads, ledger, writes, dives, .. } = &*self.inner;
        let own = [threads, ledger, writes, &dives.hashing].map(Queue::clone);
        own.into_iter().chain(self.inner.files.queues()).collect()
    }

    /// How long what is kept for a time only is kept.
    pub fn retention(&self) -> Retention {
        *self.inner.retention.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes it, from the next [`Service::tidy`] on.
    pub fn set_retention(&self, retention: Retention) {
        *self.inner.retention.write().unwrap_or_else(PoisonError::into_inner) = retention;
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
        let rows = self.inner.store.targets(org).await?;
        let shipped = self.inner.shipped.clone();
        let shelf = Arc::new(self.work(org, Effort::LONG, move || Shelf::of(&rows, shipped)).await?);
        self.inner.shelves.put(org, revision, shelf.clone());
        Ok(shelf)
    }

    /// What a target means for a caller.
    async fn tool(&self, caller: &Caller, target: &Target) -> Result<Arc<Tool>, Refusal> {
        let shelf = self.shelf(caller).await?;
        self.tool_of(caller.org(), &shelf, target).await
    }

    /// What a target means. What nobody used yet is made ready on a thread, once it is the turn of the organization: all requests
    /// that are under way share a few threads, and would wait for it.
    async fn tool_of(&self, org: &str, shelf: &Arc<Shelf>, target: &Target) -> Result<Arc<Tool>, Refusal> {
        if let Some(tool) = shelf.ready(target)? {
            return Ok(tool);
        }
        let (shelf, target) = (shelf.clone(), target.clone());
        self.work(org, Effort::LONG, move || shelf.find(&target)).await?
    }
}
