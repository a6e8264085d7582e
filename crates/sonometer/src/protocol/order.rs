//! The order in which markers are judged: what a marker names in `after` and `before` comes before it.
//!
//! `pair` and `echo` change what a match is worth, not whether it counts, so they bind nothing.

use super::model::{Marker, NegationMode};
use crate::names::Numbered;

/// The markers by number, each behind those whose counted matches decide about its own.
///
/// # Errors
/// Markers that wait for each other: the way from one of them back to it, the first and the last the same.
pub(crate) fn judging_order(markers: &[Marker]) -> Result<Vec<u32>, Vec<u32>> {
    let mut numbers = Numbered::default();
    for (number, marker) in (0..).zip(markers) {
        numbers.number(&marker.label, || number);
    }
    let own = |marker: &Marker| -> Vec<u32> {
        let named = marker.named_markers().filter(|(key, _)| matches!(*key, "after" | "before"));
        named.filter_map(|(_, label)| numbers.get(label).copied()).collect()
    };
    let own: Vec<Vec<u32>> = markers.iter().map(own).collect();
    let mut waits_for = own.clone();
    // What is flipped to a marker is judged where it comes from first.
    for (from, marker) in markers.iter().enumerate() {
        if let NegationMode::Flip(label) = &marker.negation
            && let Some(to) = numbers.get(label)
            && *to as usize != from
        {
            waits_for[*to as usize].extend(&own[from]);
        }
    }
    let mut walk = Walk {
        waits_for: &waits_for,
        state: vec![State::New; markers.len()],
        way: Vec::new(),
        order: Vec::new(),
    };
    for number in 0..markers.len() as u32 {
        walk.visit(number)?;
    }
    Ok(walk.order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnTheWay,
    Done,
}

struct Walk<'w> {
    waits_for: &'w [Vec<u32>],
    state: Vec<State>,
    way: Vec<u32>,
    order: Vec<u32>,
}

impl Walk<'_> {
    /// At most as deep as there are markers, 2,000.
    fn visit(&mut self, number: u32) -> Result<(), Vec<u32>> {
        match self.state[number as usize] {
            State::Done => return Ok(()),
            State::OnTheWay => {
                let from = self.way.iter().position(|on| *on == number).unwrap_or(0);
                let mut circle = self.way[from..].to_vec();
                circle.push(number);
                return Err(circle);
            }
            State::New => self.state[number as usize] = State::OnTheWay,
        }
        self.way.push(number);
        for &other in &self.waits_for[number as usize] {
            self.visit(other)?;
        }
        self.way.pop();
        self.state[number as usize] = State::Done;
        self.order.push(number);
        Ok(())
    }
}
