//! The price of a reading: one ICS for each triggered metamarker.

use crate::unit::Unit;

/// What a reading consumed and costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ics {
    /// Triggered metamarkers.
    pub consumed: u64,
    /// Consumed units at the rate of the deployment, in US dollars.
    pub cost_usd: Unit,
}

impl Ics {
    /// The price of so many triggered markers at `usd_per_ics`.
    pub(crate) fn of(triggered: usize, usd_per_ics: Unit) -> Self {
        let cost = i128::from(usd_per_ics.0) * triggered as i128;
        Self { consumed: triggered as u64, cost_usd: Unit(i64::try_from(cost).unwrap_or(i64::MAX)) }
    }
}
