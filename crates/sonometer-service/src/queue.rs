//! A fair, bounded queue for something that all organizations share: places for requests, threads, fetches, readers.
//!
//! Organizations are served in turn, weighted by what their work costs: each has a *finish*, the sum of the costs that it was
//! served, and the one with the lowest goes next (start-time fair queuing). An organization that was idle begins at the present and saves
//! nothing up. Work that holds its place for long, such as a fetch from a host that does not answer, is not stopped by turns, so
//! no organization holds more than its share of the places: the others always find one that is free or will be in turn. What
//! waits is bounded for each organization, and the one that fills its bound is sent away; the others do not see it.

use crate::spans::SPANS;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tracing::{Instrument, info_span};

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Places at once.
    pub places: usize,
    /// How many of them one organization holds at most, from 1.
    pub share: usize,
    /// How many of one organization wait at most.
    pub waiting: usize,
}

impl Bounds {
    /// So many places, of which a quarter, at least one, is left to others (a single place is nobody's alone).
    pub fn of(places: usize, waiting: usize) -> Self {
        let share = places.saturating_sub(places.div_ceil(4)).max(1);
        Self { places, share, waiting }
    }
}

/// Where a queue stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Places that are held.
    pub held: usize,
    /// How many wait.
    pub waiting: usize,
    /// How many were sent away since the start.
    pub refused: u64,
    /// How long the one that waits longest has waited.
    pub oldest: Duration,
}

/// Too much of one organization waits already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// A queue. Cheap to clone; clones are the same queue.
#[derive(Clone, Debug)]
pub struct Queue {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: &'static str,
    state: Mutex<State>,
}

/// However many organizations wait, nothing goes through all of them.
#[derive(Debug)]
struct State {
    bounds: Bounds,
    held: usize,
    refused: u64,
    /// The finish at which the latest place was given: the present of the turns.
    now: u128,
    orgs: HashMap<Arc<str>, Org>,
    /// Those that may have a place: something of theirs waits, and they hold less than their share. In the order of their turns.
    ready: BTreeMap<Turn, Arc<str>>,
    /// Those that hold nothing and wait for nothing, but were served beyond the present; by their finish.
    resting: BTreeSet<(u128, Arc<str>)>,
    /// How many turns were given out.
    turns: u64,
}

/// When it is the turn of an organization: its finish or the present, and who came first.
type Turn = (u128, u64);

#[derive(Debug, Default)]
struct Org {
    held: usize,
    /// Costs are at most 2^64, so that no sum of them ends.
    finish: u128,
    waiting: VecDeque<Ticket>,
    /// Under which it is ready.
    turn: Option<Turn>,
}

#[derive(Debug)]
struct Ticket {
    cost: u64,
    since: Instant,
    caller: oneshot::Sender<Place>,
}

/// A place in a queue, held until it is dropped.
#[derive(Debug)]
pub struct Place {
    queue: Queue,
    org: Arc<str>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.held = state.held.saturating_sub(1);
        if let Some(org) = state.orgs.get_mut(&self.org) {
            org.held = org.held.saturating_sub(1);
        }
        state.file(&self.org);
        self.queue.serve(state);
    }
}

impl Queue {
    /// A queue with a name for the figures.
    pub fn new(name: &'static str, bounds: Bounds) -> Self {
        let state = State {
            bounds,
            held: 0,
            refused: 0,
            now: 0,
            orgs: HashMap::new(),
            ready: BTreeMap::new(),
            resting: BTreeSet::new(),
            turns: 0,
        };
        Self { inner: Arc::new(Inner { name, state: Mutex::new(state) }) }
    }

    /// Changes how much it holds. Places that are held stay held; what waits is served if there is room now.
    pub fn set_bounds(&self, bounds: Bounds) {
        let mut state = self.state();
        state.bounds = bounds;
        let all: Vec<Arc<str>> = state.orgs.keys().cloned().collect();
        all.iter().for_each(|org| state.file(org));
        self.serve(state);
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.inner.name
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing {
        let state = self.state();
        let waiting = state.orgs.values().flat_map(|org| &org.waiting);
        let (mut count, mut oldest) = (0, Duration::ZERO);
        for ticket in waiting.filter(|ticket| !ticket.caller.is_closed()) {
            count += 1;
            oldest = oldest.max(ticket.since.elapsed());
        }
        Standing { held: state.held, waiting: count, refused: state.refused, oldest }
    }

    /// A place for an organization, once it is its turn. Dropping the future gives the turn up.
    ///
    /// # Errors
    /// If too much of this organization waits already.
    pub async fn place(&self, org: &str, cost: u64) -> Result<Place, Full> {
        let waits = match self.enter(org, cost, usize::MAX) {
            Ok(Entered::Now(place)) => return Ok(place),
            Ok(Entered::Waits(waits)) => waits,
            Err(full) => return Err(full),
        };
        // The queue outlives this call, and a ticket leaves it with a place, or because nobody waits for it.
        let span = info_span!(target: SPANS, "queue.wait", queue = self.inner.name);
        waits.instrument(span).await.map_err(|_| Full)
    }

    /// A place for an organization if it can have one at once.
    ///
    /// # Errors
    /// If it cannot.
    pub fn place_now(&self, org: &str) -> Result<Place, Full> {
        match self.enter(org, 1, 0)? {
            Entered::Now(place) => Ok(place),
            Entered::Waits(_) => Err(Full),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, name: &str, cost: u64, most_waiting: usize) -> Result<Entered, Full> {
        let mut state = self.state();
        let name = state.orgs.get_key_value(name).map_or_else(|| name.into(), |(name, _)| name.clone());
        let State { bounds: Bounds { places, share, waiting }, held, refused, now, orgs, resting, .. } =
            &mut *state;
        let most_waiting = most_waiting.min(*waiting);
        let org = orgs.entry(name.clone()).or_default();
        resting.remove(&(org.finish, name.clone()));
        org.leave_out_gone();
        // Where a place is free, those that wait have their share already: nobody is overtaken.
        if *held < *places && org.held < *share && org.waiting.is_empty() {
            *held += 1;
            org.take(cost, now);
            state.file(&name);
            return Ok(Entered::Now(Place { queue: self.clone(), org: name }));
        }
        if org.waiting.len() >= most_waiting {
            org.waiting.retain(|ticket| !ticket.caller.is_closed());
        }
        if org.waiting.len() >= most_waiting {
            *refused += 1;
            state.file(&name);
            return Err(Full);
        }
        let (caller, waits) = oneshot::channel();
        org.waiting.push_back(Ticket { cost, since: Instant::now(), caller });
        state.file(&name);
        // Those before it may have given up.
        self.serve(state);
        Ok(Entered::Waits(waits))
    }

    /// Gives places to those whose turn it is.
    fn serve(&self, mut state: MutexGuard<'_, State>) {
        let mut given = Vec::new();
        while state.held < state.bounds.places {
            let State { held, now, orgs, ready, .. } = &mut *state;
            let Some((_, name)) = ready.pop_first() else { break };
            let Some(org) = orgs.get_mut(&name) else { continue };
            org.turn = None;
            org.leave_out_gone();
            if let Some(Ticket { cost, caller, .. }) = org.waiting.pop_front() {
                *held += 1;
                org.take(cost, now);
                given.push((caller, Place { queue: self.clone(), org: name.clone() }));
            }
            state.file(&name);
        }
        // An organization that was served beyond the present is remembered until the present has come there, or all is quiet.
        let State { held, now, orgs, resting, .. } = &mut *state;
        while resting.first().is_some_and(|(finish, _)| *held == 0 || *finish <= *now) {
            let Some((_, name)) = resting.pop_first() else { break };
            orgs.remove(&name);
        }
        drop(state);
        for (caller, place) in given {
            // One who has just gone gives the place back by dropping it, which takes the lock.
            let _ = caller.send(place);
        }
    }
}

impl State {
    /// Puts an organization where it belongs after a change: among those that are ready, among those that rest, or away.
    fn file(&mut self, name: &Arc<str>) {
        let Self { bounds, now, orgs, ready, resting, turns, .. } = self;
        let Some(org) = orgs.get_mut(name) else { return };
        let is_ready = org.held < bounds.share && !org.waiting.is_empty();
        match org.turn {
            None if is_ready => {
                *turns += 1;
                let turn = (org.finish.max(*now), *turns);
                ready.insert(turn, name.clone());
                org.turn = Some(turn);
            }
            Some(turn) if !is_ready => {
                ready.remove(&turn);
                org.turn = None;
            }
            _ => {}
        }
        if org.held == 0 && org.waiting.is_empty() {
            match org.finish > *now {
                true => {
                    resting.insert((org.finish, name.clone()));
                }
                false => {
                    orgs.remove(name);
                }
            }
        }
    }
}

enum Entered {
    Now(Place),
    Waits(oneshot::Receiver<Place>),
}

impl Org {
    /// Nobody waits for these any more.
    fn leave_out_gone(&mut self) {
        while self.waiting.front().is_some_and(|ticket| ticket.caller.is_closed()) {
            self.waiting.pop_front();
        }
    }

    /// Is served work of this cost.
    fn take(&mut self, cost: u64, now: &mut u128) {
        *now = self.finish.max(*now);
        self.finish = *now + u128::from(cost.max(1));
        self.held += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    type Waits<'q> = Pin<Box<dyn Future<Output = Result<Place, Full>> + 'q>>;

    fn now(waits: &mut Waits<'_>) -> Option<Result<Place, Full>> {
        match waits.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(place) => Some(place),
            Poll::Pending => None,
        }
    }

    fn bounds(places: usize, share: usize, waiting: usize) -> Bounds {
        Bounds { places, share, waiting }
    }

    #[test]
    fn a_quarter_is_left_to_others() {
        for (places, share) in [(0, 1), (1, 1), (2, 1), (3, 2), (4, 3), (8, 6), (256, 192)] {
            assert_eq!(Bounds::of(places, 0).share, share, "{places}");
        }
    }

    #[test]
    fn one_that_fills_its_bound_is_sent_away_and_nobody_else() {
        let queue = Queue::new("test", bounds(2, 1, 2));
        let first = queue.place_now("a").expect("is free");
        assert!(queue.place_now("a").is_err(), "the share of one");
        let mut waiting: Vec<Waits<'_>> =
            (0..3).map(|_| Box::pin(queue.place("a", 1)) as Waits<'_>).collect();
        assert!(now(&mut waiting[0]).is_none() && now(&mut waiting[1]).is_none());
        assert!(matches!(now(&mut waiting[2]), Some(Err(Full))));
        let standing = queue.standing();
        assert_eq!((standing.held, standing.waiting, standing.refused), (1, 2, 2));
        let other = queue.place_now("b").expect("a place is left");
        // One gives up: another may wait in its stead, and is served.
        drop(waiting.remove(1));
        let mut again: Waits<'_> = Box::pin(queue.place("a", 1));
        assert!(now(&mut again).is_none());
        drop(first);
        let first = now(&mut waiting[0]).expect("is next").expect("is served");
        drop(first);
        assert!(now(&mut again).expect("is next").is_ok());
        drop((other, again, waiting));
        assert_eq!(queue.standing(), Standing { held: 0, waiting: 0, refused: 2, oldest: Duration::ZERO });
        assert!(queue.state().orgs.is_empty(), "nobody is remembered for ever");
    }

    #[test]
    fn what_is_given_to_one_who_went_is_given_on() {
        let queue = Queue::new("test", bounds(1, 1, 9));
        let held = queue.place_now("a").expect("is free");
        let mut gone: Waits<'_> = Box::pin(queue.place("b", 1));
        let mut next: Waits<'_> = Box::pin(queue.place("c", 1));
        assert!(now(&mut gone).is_none() && now(&mut next).is_none());
        // The first is given the place and never looks.
        drop(held);
        assert_eq!(queue.standing().held, 1);
        drop(gone);
        assert!(now(&mut next).expect("is next").is_ok());
    }

    #[test]
    fn cost_decides_how_often_one_is_served() {
        let queue = Queue::new("test", bounds(1, 1, 1_000));
        let held = queue.place_now("c").expect("is free");
        // Those of `a` cost ten times as much.
        let mut all: Vec<(&str, Waits<'_>)> = Vec::new();
        for _ in 0..100 {
            all.push(("a", Box::pin(queue.place("a", 10))));
            all.push(("b", Box::pin(queue.place("b", 1))));
        }
        for (_, waits) in &mut all {
            assert!(now(waits).is_none());
        }
        drop(held);
        let mut served = BTreeMap::from([("a", 0), ("b", 0)]);
        for _ in 0..55 {
            let at = all.iter_mut().position(|(name, waits)| {
                let place = now(waits);
                if place.is_some() {
                    *served.entry(*name).or_default() += 1;
                }
                place.is_some()
            });
            drop(all.remove(at.expect("somebody is served")));
        }
        assert_eq!(served, BTreeMap::from([("a", 5), ("b", 50)]));
    }

    /// Random arrivals, departures and patience: places and shares are never exceeded, nobody waits while he could be served,
    /// those of one organization are served in their order, and what was served to two that always wait differs by little.
    #[test]
    fn holds_what_it_promises_whatever_comes() {
        for seed in 1..200_u64 {
            let mut random = seed;
            let mut chance = move |below: u64| {
                // Xorshift: any sequence will do.
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                random % below
            };
            let places = 1 + usize::try_from(chance(5)).unwrap_or(0);
            let limits = Bounds::of(places, 6);
            let queue = Queue::new("test", limits);
            let names = ["a", "b", "c", "d"];
            let mut waiting: Vec<(usize, Waits<'_>)> = Vec::new();
            let mut held: Vec<(usize, Place)> = Vec::new();
            for _ in 0..300 {
                match chance(5) {
                    0..=2 => {
                        let org = usize::try_from(chance(4)).unwrap_or(0);
                        let cost = chance(9);
                        waiting.push((org, Box::pin(queue.place(names[org], cost))));
                    }
                    3 if !held.is_empty() => {
                        let at = usize::try_from(chance(held.len() as u64)).unwrap_or(0);
                        drop(held.swap_remove(at));
                    }
                    4 if !waiting.is_empty() => {
                        let at = usize::try_from(chance(waiting.len() as u64)).unwrap_or(0);
                        drop(waiting.remove(at));
                    }
                    _ => {}
                }
                let mut still: Vec<(usize, Waits<'_>)> = Vec::new();
                for (org, mut waits) in waiting {
                    match now(&mut waits) {
                        Some(Ok(place)) => {
                            assert!(!still.iter().any(|(other, _)| *other == org), "in their order, {seed}");
                            held.push((org, place));
                        }
                        Some(Err(Full)) => {}
                        None => still.push((org, waits)),
                    }
                }
                waiting = still;
                let of = |org: usize| held.iter().filter(|(by, _)| *by == org).count();
                let standing = queue.standing();
                assert_eq!((standing.held, standing.waiting), (held.len(), waiting.len()), "{seed}");
                assert!(held.len() <= places, "{seed}");
                for org in 0..4 {
                    assert!(of(org) <= limits.share, "{seed}");
                    let waits = waiting.iter().filter(|(by, _)| *by == org).count();
                    assert!(waits <= limits.waiting, "{seed}");
                    let could = held.len() < places && of(org) < limits.share;
                    assert!(waits == 0 || !could, "{seed}: one waits for a free place");
                }
            }
            drop((waiting, held));
            assert_eq!(queue.standing().held, 0, "{seed}");
            assert!(queue.state().orgs.is_empty(), "{seed}");
        }
    }

    /// Each gets its place once. Where each place that is given on went through all that wait, this took minutes.
    #[test]
    fn thousands_of_organizations_are_served_once() {
        let queue = Queue::new("test", bounds(256, 192, 512));
        let held: Vec<Place> =
            (0..256).map(|at| queue.place_now(&format!("held {at}")).expect("is free")).collect();
        let names: Vec<String> = (0..20_000).map(|at| format!("waits {at}")).collect();
        let mut all: Vec<Waits<'_>> =
            names.iter().map(|name| Box::pin(queue.place(name, 1)) as Waits<'_>).collect();
        assert!(all.iter_mut().all(|waits| now(waits).is_none()));
        drop(held);
        let mut served = 0;
        for waits in &mut all {
            // Each gives its place to one that still waits.
            served += usize::from(now(waits).is_some_and(|place| place.is_ok()));
        }
        assert_eq!(served, names.len());
        drop(all);
        assert!(queue.state().orgs.is_empty());
    }
}
