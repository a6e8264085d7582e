//! Charges that wait for the writer, and which of them share the next commit.
//!
//! Who waits in a commit waits for all of it. A request to sense writes one row; a batch against thousands of metamarkers writes megabytes
//! of their names. So large charges have commits of their own, one at a time, the organizations in turn, and between two of them the small
//! ones go: nobody waits for more than one of somebody else's.

use super::charge::{Along, Charge, Order};
use std::collections::VecDeque;

/// From so many bytes on a charge is large: a commit of them takes about as long as one of the most small charges.
const LARGE_BYTES: usize = 64 << 10;
/// What a row of the ledger has beside the names of metamarkers, its places in the indexes included.
const ROW_BYTES: usize = 512;

/// Charges that wait.
#[derive(Default)]
pub(super) struct Queue {
    small: VecDeque<Order>,
    /// By account, the one whose turn it is first.
    large: VecDeque<(String, VecDeque<Order>)>,
    /// Whether the last commit was of a large one.
    was_large: bool,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.small.is_empty() && self.large.is_empty()
    }

    /// How many small charges wait.
    pub(super) fn small(&self) -> usize {
        self.small.len()
    }

    pub(super) fn add(&mut self, order: Order) {
        if bytes(&order.charge) < LARGE_BYTES {
            self.small.push_back(order);
            return;
        }
        match self.large.iter_mut().find(|(account, _)| *account == order.charge.account) {
            Some((_, orders)) => orders.push_back(order),
            None => self.large.push_back((order.charge.account.clone(), VecDeque::from([order]))),
        }
    }

    /// The charges of the next commit, at most `most`. Those whose callers have gone are left out: nobody would see the answer.
    pub(super) fn next(&mut self, most: usize) -> Vec<Order> {
        self.was_large = !self.large.is_empty() && (!self.was_large || self.small.is_empty());
        let mut orders: Vec<Order> = match self.was_large {
            true => self.next_large().into_iter().collect(),
            false => self.small.drain(..most.min(self.small.len())).collect(),
        };
        orders.retain(|order| !order.done.is_closed());
        orders
    }

    fn next_large(&mut self) -> Option<Order> {
        let (account, mut orders) = self.large.pop_front()?;
        let order = orders.pop_front();
        if !orders.is_empty() {
            self.large.push_back((account, orders));
        }
        order
    }
}

/// About how many bytes a charge writes.
fn bytes(charge: &Charge) -> usize {
    let lines = charge.lines.iter().map(|line| ROW_BYTES + line.markers.len());
    let kept = charge.key.as_ref().map_or(0, |_| charge.answer.bytes());
    let along = match &charge.along {
        Along::Nothing => 0,
        Along::Job(_) => charge.answer.bytes(),
        // All that was said in the dive so far.
        Along::Step(step) => {
            step.action.len() + step.state.len() + step.observation.len() + charge.answer.bytes()
        }
    };
    lines.sum::<usize>() + kept + along
}

#[cfg(test)]
mod tests {
    use super::super::{Draft, JobEnd, StepDone};
    use super::*;
    use tokio::sync::oneshot;

    /// An order that writes so many bytes of names, and the end at which its caller waits.
    fn order(id: &str, account: &str, bytes: usize) -> (Order, impl Sized + use<>) {
        let mut charge = Charge::example(id, account.to_owned());
        charge.lines[0].markers = "m".repeat(bytes);
        let (done, outcome) = oneshot::channel();
        (Order { charge, done }, outcome)
    }

    #[test]
    fn nobody_waits_for_more_than_one_large_charge_of_others() {
        let mut queue = Queue::default();
        let mut callers = Vec::new();
        let mut add = |queue: &mut Queue, id: &str, account: &str, bytes: usize| {
            let (order, caller) = order(id, account, bytes);
            queue.add(order);
            callers.push(caller);
        };
        for id in ["a1", "a2", "a3"] {
            add(&mut queue, id, "a", LARGE_BYTES);
        }
        add(&mut queue, "b1", "b", LARGE_BYTES);
        for id in ["c1", "c2", "c3"] {
            add(&mut queue, id, "c", 10);
        }
        let next = |queue: &mut Queue| {
            let orders = queue.next(2);
            orders.into_iter().map(|order| order.charge.id).collect::<Vec<_>>().join(" ")
        };
        let seen: Vec<String> = (0..3).map(|_| next(&mut queue)).collect();
        assert_eq!(seen, ["a1", "c1 c2", "b1"]);
        // What comes meanwhile goes next.
        add(&mut queue, "d1", "d", LARGE_BYTES - ROW_BYTES - 1);
        let seen: Vec<String> = (0..3).map(|_| next(&mut queue)).collect();
        assert_eq!(seen, ["c3 d1", "a2", "a3"]);
        assert!(queue.is_empty());
    }

    #[test]
    fn what_is_done_along_counts_too() {
        let mut charge = Charge::example("a1", "a".to_owned());
        let of_rows = bytes(&charge);
        charge.answer = Draft::of("r".repeat(1_000));
        assert_eq!(bytes(&charge), of_rows, "nobody keeps it");
        charge.along = Along::Job(JobEnd { id: "j".to_owned(), worker: "w".to_owned() });
        assert_eq!(bytes(&charge), of_rows + 1_000);
        let (action, state, observation) = ("hello".to_owned(), "s".repeat(LARGE_BYTES), "{}".to_owned());
        charge.along =
            Along::Step(Box::new(StepDone { dive: "d".to_owned(), turn: 1, action, state, observation }));
        assert_eq!(bytes(&charge), of_rows + 1_000 + LARGE_BYTES + 7);
    }

    #[test]
    fn who_has_gone_is_left_out() {
        let mut queue = Queue::default();
        let (gone, caller) = order("a1", "a", LARGE_BYTES);
        drop(caller);
        queue.add(gone);
        let (waits, _caller) = order("b1", "b", 10);
        queue.add(waits);
        assert!(queue.next(64).is_empty());
        assert_eq!(queue.next(64).len(), 1);
        assert!(queue.is_empty());
    }
}
