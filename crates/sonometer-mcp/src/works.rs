//! Turns of work. Each call is bounded before it begins ([`crate::limits`]); a client works on one thing at a time, and the clients take turns,
//! so that nobody waits longer than for one call of each other client. Who asks for more than may wait is refused at once.

use crate::answer::Refusal;
use crate::limits::{WAITING, WAITING_OF_ALL};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// A client: a process at standard input, or a connection.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    number: usize,
    /// One place: semaphores of tokio serve in the order in which they are asked.
    own: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

/// The places of all.
#[derive(Debug)]
pub(crate) struct Works {
    places: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

impl Client {
    pub(crate) fn new() -> Self {
        static NUMBERS: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Self { number, own: Arc::new(Semaphore::new(1)), waiting: Arc::default() }
    }

    /// Tells it from others.
    pub(crate) fn number(&self) -> usize {
        self.number
    }
}

impl Default for Works {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { places: Arc::new(Semaphore::new(cores)), waiting: Arc::default() }
    }
}

/// One who waits; counts as long as it lives.
struct Waits(Arc<AtomicUsize>);

impl Waits {
    fn among(counter: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let before = counter.fetch_add(1, Ordering::Relaxed);
        let waits = Self(Arc::clone(counter));
        (before < most).then_some(waits)
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Works {
    /// Does a piece of work when it is the client's turn. A call that is cancelled while it waits is not done at all; its future is dropped
    /// then, or `cancelled` ends.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        client: &Client,
        cancelled: impl Future<Output = ()>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let busy = |whose: &str, most: usize| {
            let message = format!("{most} calls{whose} wait already; wait for an answer, then call again");
            Refusal::new("busy", "", message).with_limit(most)
        };
        // One is worked on, so many wait.
        let waits =
            Waits::among(&client.waiting, WAITING + 1).ok_or_else(|| busy(" of this client", WAITING))?;
        let waits_among_all =
            Waits::among(&self.waiting, WAITING_OF_ALL).ok_or_else(|| busy("", WAITING_OF_ALL))?;
        let turn = async {
            let own = Arc::clone(&client.own).acquire_owned().await;
            let place = Arc::clone(&self.places).acquire_owned().await;
            (own, place)
        };
        let turn = tokio::select! {
            turn = turn => turn,
            () = cancelled => return Err(Refusal::new("cancelled", "", "the call was cancelled before it began")),
        };
        drop(waits_among_all);
        // The thread has the places: work that has begun ends, even if nobody waits for it any more.
        let done = spawn_blocking(move || {
            let done = work();
            drop((turn, waits));
            done
        });
        done.await
            .map_err(|_| Refusal::new("internal_error", "", "this is a bug of the server; please report it"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::time::Duration;

    async fn never() {
        std::future::pending().await
    }

    fn slow(
        order: &Arc<Mutex<Vec<&'static str>>>,
        name: &'static str,
    ) -> impl FnOnce() + Send + 'static + use<> {
        let order = Arc::clone(order);
        move || {
            std::thread::sleep(Duration::from_millis(20));
            order.lock().expect("nobody panics").push(name);
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn clients_take_turns() {
        let works = Arc::new(Works { places: Arc::new(Semaphore::new(1)), waiting: Arc::default() });
        let (greedy, modest) = (Client::new(), Client::new());
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for _ in 0..8 {
            let (works, client, work) = (Arc::clone(&works), greedy.clone(), slow(&order, "greedy"));
            tasks.push(tokio::spawn(async move { works.run(&client, never(), work).await.map_err(|_| ()) }));
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
        works.run(&modest, never(), slow(&order, "modest")).await.expect("is not refused");
        for task in tasks {
            task.await.expect("ends").expect("is not refused");
        }
        let at = order.lock().expect("nobody panics").iter().position(|name| *name == "modest");
        assert!(at.is_some_and(|at| at <= 2), "{order:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_asks_too_much_is_refused_at_once_and_can_ask_again() {
        let works = Arc::new(Works::default());
        let client = Client::new();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for _ in 0..WAITING + 5 {
            let (works, client, work) = (Arc::clone(&works), client.clone(), slow(&order, "x"));
            tasks.push(tokio::spawn(async move { works.run(&client, never(), work).await.is_ok() }));
        }
        let mut done = 0;
        for task in tasks {
            done += usize::from(task.await.expect("ends"));
        }
        assert_eq!(done, WAITING + 1);
        assert!(works.run(&client, never(), || ()).await.is_ok());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_cancelled_while_it_waits_is_not_done() {
        let works = Works { places: Arc::new(Semaphore::new(0)), waiting: Arc::default() };
        let refused = works.run(&Client::new(), std::future::ready(()), || panic!("is not done")).await;
        assert!(format!("{:?}", refused.expect_err("has no place")).contains("cancelled"));
        assert_eq!(works.waiting.load(Ordering::Relaxed), 0);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_is_an_answer() {
        let works = Works::default();
        let client = Client::new();
        let refused = works.run(&client, never(), || -> () { panic!("a bug") }).await;
        assert!(format!("{:?}", refused.expect_err("is told")).contains("internal_error"));
        assert!(works.run(&client, never(), || ()).await.is_ok(), "the places are free again");
    }
}
