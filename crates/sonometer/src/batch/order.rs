//! Work over threads with results in the order of the items.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Condvar, LockResult, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

/// Items for each thread that may be under way: taken, and their results not given out.
const WINDOW: usize = 8;

/// The most threads that are made: more would take what the system gives to all, and no machine is faster with them.
const MOST_THREADS: usize = 256;

/// What it took threads to share the work of [`in_order_counted`]. All of it is by item, whatever the number of threads: with one
/// thread there is nothing to share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// Items that were handed over.
    pub items: u64,
    /// How often a lock was taken: four times for each item.
    pub locks: u64,
    /// How often another thread had the lock at that moment. Each is held for some dozen instructions, that of the items while the next
    /// of them is made.
    pub contended: u64,
    /// How often a thread slept: for the next result, or until there was room for another item.
    pub waits: u64,
    /// How often such a thread was woken.
    pub wakes: u64,
}

/// Does `work` for every item on `threads` threads and gives the results to `each`, on this thread and in the order of
/// the items, until there are no more or `each` ends it with [`ControlFlow::Break`]. One thread means this one.
///
/// A result is given out as soon as those before it are, so items may come from something live. At most eight items for
/// each thread are under way; further ones are taken only when `each` has had results. The threads are not those of a
/// `rayon` pool, since taking items and giving out results may block. More than 256 threads are 256, and where the system
/// gives fewer, fewer work.
///
/// # Panics
/// If `items`, `work` or `each` does; see [`guarded`](super::guarded).
pub fn in_order<T, R: Send, B>(
    threads: NonZeroUsize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> R + Sync,
    each: impl FnMut(R) -> ControlFlow<B>,
) -> ControlFlow<B> {
    in_order_counted(threads, items, work, each).0
}

/// As [`in_order`], and what the threads took to share the work.
///
/// # Panics
/// As there.
pub fn in_order_counted<T, R: Send, B>(
    threads: NonZeroUsize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> R + Sync,
    each: impl FnMut(R) -> ControlFlow<B>,
) -> (ControlFlow<B>, Sharing) {
    if threads.get() == 1 {
        return (items.map(work).try_for_each(each), Sharing::default());
    }
    let threads = threads.get().min(MOST_THREADS);
    let line = Line::new(threads.saturating_mul(WINDOW));
    let items = Mutex::new(items);
    let worker = || {
        let _close = CloseOn { line: &line, only_panics: true };
        while let Some((place, item)) = line.take(&items) {
            line.put(place, work(item));
        }
    };
    let end = thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, worker).ok();
        let workers: Vec<_> = (0..threads).map_while(spawn).collect();
        if workers.is_empty() {
            let mut items = items.lock().unwrap_or_else(PoisonError::into_inner);
            return items.by_ref().map(&work).try_for_each(each);
        }
        let end = line.give_out(each);
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        end
    });
    (end, line.state().sharing)
}

/// The results that are awaited, in order.
struct Line<R> {
    state: Mutex<State<R>>,
    /// The foremost result is there, or none will come.
    front: Condvar,
    /// A further item may be taken, or none should be.
    room: Condvar,
    most: usize,
}

struct State<R> {
    /// Results not given out yet; `None` while they are worked on.
    waiting: VecDeque<Option<R>>,
    /// How many were given out: the place of the foremost one.
    given: usize,
    /// No more items will be taken.
    closed: bool,
    /// A thread panicked: its result will never be there.
    broken: bool,
    /// Whether somebody sleeps until the foremost result is there, and until there is room: waking asks the system, also where nobody
    /// sleeps.
    asleep: Asleep,
    sharing: Sharing,
}

/// Who sleeps. Only the thread that gives out waits for results, and only the one with the lock of the items for room.
#[derive(Default)]
struct Asleep {
    front: bool,
    room: bool,
}

impl<R> Line<R> {
    fn new(most: usize) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            given: 0,
            closed: false,
            broken: false,
            asleep: Asleep::default(),
            sharing: Sharing::default(),
        };
        Self { state: Mutex::new(state), front: Condvar::new(), room: Condvar::new(), most }
    }

    /// Nothing of others runs while the state is locked, so a poisoned lock guards a sound state.
    fn state(&self) -> MutexGuard<'_, State<R>> {
        let (lock, is_contended) = locked(&self.state);
        let mut state = lock.unwrap_or_else(PoisonError::into_inner);
        state.sharing.count_lock(is_contended);
        state
    }

    /// The next item and its place, once there is room for it.
    fn take<T>(&self, items: &Mutex<impl Iterator<Item = T>>) -> Option<(usize, T)> {
        // Held while the item is awaited, so that places are given in the order of the items. It is poisoned where the
        // iterator panicked: then there are no further items.
        let (items, is_contended) = locked(items);
        let mut items = items.ok()?;
        let mut state = self.state();
        state.sharing.count_lock(is_contended);
        while state.waiting.len() >= self.most && !state.closed {
            state.asleep.room = true;
            state.sharing.waits += 1;
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.asleep.room = false;
        if state.closed {
            return None;
        }
        // The place is kept before the item is there, so that the state is locked once.
        state.waiting.push_back(None);
        let place = state.given + state.waiting.len() - 1;
        drop(state);
        let item = items.next();
        if item.is_none() {
            let mut state = self.state();
            state.waiting.pop_back();
            state.closed = true;
            self.wake_front(&mut state);
        }
        Some((place, item?))
    }

    fn put(&self, place: usize, result: R) {
        let mut state = self.state();
        state.sharing.items += 1;
        let ahead = place - state.given;
        state.waiting[ahead] = Some(result);
        if ahead == 0 {
            self.wake_front(&mut state);
        }
    }

    /// Gives out the results as they come.
    fn give_out<B>(&self, mut each: impl FnMut(R) -> ControlFlow<B>) -> ControlFlow<B> {
        // However this ends, the threads must not wait for room.
        let _close = CloseOn { line: self, only_panics: false };
        while let Some(result) = self.next() {
            each(result)?;
        }
        ControlFlow::Continue(())
    }

    fn next(&self) -> Option<R> {
        let mut state = self.state();
        loop {
            let is_pending = match state.waiting.front() {
                Some(Some(_)) => false,
                Some(None) => !state.broken,
                None => !state.closed,
            };
            if !is_pending {
                break;
            }
            state.asleep.front = true;
            state.sharing.waits += 1;
            state = self.front.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.asleep.front = false;
        // A place whose result will never be there stays, so that the others keep theirs.
        let result = state.waiting.front_mut()?.take()?;
        state.waiting.pop_front();
        state.given += 1;
        if std::mem::take(&mut state.asleep.room) {
            state.sharing.wakes += 1;
            self.room.notify_one();
        }
        Some(result)
    }

    fn wake_front(&self, state: &mut State<R>) {
        if std::mem::take(&mut state.asleep.front) {
            state.sharing.wakes += 1;
            self.front.notify_one();
        }
    }
}

impl Sharing {
    fn count_lock(&mut self, is_contended: bool) {
        self.locks += 1;
        self.contended += u64::from(is_contended);
    }
}

/// Locks, and says whether another thread had it.
fn locked<T>(mutex: &Mutex<T>) -> (LockResult<MutexGuard<'_, T>>, bool) {
    match mutex.try_lock() {
        Ok(guard) => (Ok(guard), false),
        Err(TryLockError::Poisoned(poisoned)) => (Err(poisoned), false),
        Err(TryLockError::WouldBlock) => (mutex.lock(), true),
    }
}

/// Closes the line at the end of a scope, or only where that ends in a panic.
struct CloseOn<'l, R> {
    line: &'l Line<R>,
    only_panics: bool,
}

impl<R> Drop for CloseOn<'_, R> {
    fn drop(&mut self) {
        let panics = thread::panicking();
        if panics || !self.only_panics {
            let mut state = self.line.state();
            state.closed = true;
            state.broken |= panics;
            self.line.front.notify_all();
            self.line.room.notify_all();
        }
    }
}
