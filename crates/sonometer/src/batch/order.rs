//! Work over threads with results in the order of the items.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Items for each thread that may be under way: taken, and their results not given out.
const WINDOW: usize = 8;

/// Does `work` for every item on `threads` threads and gives the results to `each`, on this thread and in the order of
/// the items, until there are no more or `each` ends it with [`ControlFlow::Break`]. One thread means this one.
///
/// A result is given out as soon as those before it are, so items may come from something live. At most eight items for
/// each thread are under way; further ones are taken only when `each` has had results. The threads are not those of a
/// `rayon` pool, since taking items and giving out results may block.
///
/// # Panics
/// If `items`, `work` or `each` does; see [`guarded`](super::guarded).
pub fn in_order<T, R: Send, B>(
    threads: NonZeroUsize,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> R + Sync,
    each: impl FnMut(R) -> ControlFlow<B>,
) -> ControlFlow<B> {
    if threads.get() == 1 {
        return items.map(work).try_for_each(each);
    }
    let line = Line::new(threads.get().saturating_mul(WINDOW));
    let items = Mutex::new(items);
    let worker = || {
        let _close = CloseOn { line: &line, only_panics: true };
        while let Some((place, item)) = line.take(&items) {
            line.put(place, work(item));
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.get()).map(|_| scope.spawn(worker)).collect();
        let end = line.give_out(each);
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        end
    })
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
}

impl<R> Line<R> {
    fn new(most: usize) -> Self {
        let state = State { waiting: VecDeque::new(), given: 0, closed: false, broken: false };
        Self { state: Mutex::new(state), front: Condvar::new(), room: Condvar::new(), most }
    }

    /// Nothing of others runs while the state is locked, so a poisoned lock guards a sound state.
    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next item and its place, once there is room for it.
    fn take<T>(&self, items: &Mutex<impl Iterator<Item = T>>) -> Option<(usize, T)> {
        // Held while the item is awaited, so that places are given in the order of the items. It is poisoned where the
        // iterator panicked: then there are no further items.
        let mut items = items.lock().ok()?;
        let full = |state: &mut State<R>| state.waiting.len() >= self.most && !state.closed;
        let state = self.room.wait_while(self.state(), full).unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return None;
        }
        drop(state);
        let item = items.next();
        let mut state = self.state();
        let Some(item) = item else {
            state.closed = true;
            self.front.notify_one();
            return None;
        };
        state.waiting.push_back(None);
        Some((state.given + state.waiting.len() - 1, item))
    }

    fn put(&self, place: usize, result: R) {
        let mut state = self.state();
        let ahead = place - state.given;
        state.waiting[ahead] = Some(result);
        if ahead == 0 {
            self.front.notify_one();
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
        let pending = |state: &mut State<R>| match state.waiting.front() {
            Some(Some(_)) => false,
            Some(None) => !state.broken,
            None => !state.closed,
        };
        let mut state = self.front.wait_while(self.state(), pending).unwrap_or_else(PoisonError::into_inner);
        // A place whose result will never be there stays, so that the others keep theirs.
        let result = state.waiting.front_mut()?.take()?;
        state.waiting.pop_front();
        state.given += 1;
        self.room.notify_one();
        Some(result)
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
