//! Work that does not wait for its neighbours, done side by side.

use std::sync::Mutex;
use std::thread;

/// As many lanes as there are cores: for work that keeps a core busy.
pub(crate) fn of_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// What `work` makes of each item, in the order of the items. Each lane takes the next one that is left.
pub(crate) fn side_by_side<I: Send, T: Send>(
    lanes: usize,
    items: impl IntoIterator<Item = I, IntoIter: Send>,
    work: impl Fn(I) -> T + Sync,
) -> Result<Vec<T>, String> {
    let left = Mutex::new(items.into_iter().enumerate());
    let next = || left.lock().map_or(None, |mut left| left.next());
    let lane = || std::iter::from_fn(next).map(|(at, item)| (at, work(item))).collect::<Vec<_>>();
    let mut made = Vec::new();
    thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        for lane in lanes {
            made.extend(lane.join().map_err(|_| "a lane panicked")?);
        }
        Ok::<_, String>(())
    })?;
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_stands_in_the_order_of_the_items() {
        for lanes in 1..=3 {
            let made = side_by_side(lanes, 0..100, |item| item * 2).expect("no lane panics");
            assert_eq!(made, (0..200).step_by(2).collect::<Vec<_>>());
        }
        assert!(side_by_side(2, 0..3, |item| assert!(item != 1)).is_err());
    }
}
