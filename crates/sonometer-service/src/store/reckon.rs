//! What charges come to, by what is known of their account. Asks no database.

use super::charge::Charge;
use super::ledger::Entry;
use crate::account::Standing;
use crate::refusal::Refusal;
use sonometer::Unit;
use std::collections::BTreeMap;

/// Of so many tokens of an account the writer remembers what they spent; then it forgets all.
const TOKENS: usize = 256;

/// An account, with what the charges so far used.
#[derive(Clone)]
pub(super) struct Account {
    pub(super) standing: Standing,
    /// How many rows the ledger has of it in its period.
    pub(super) rows: i64,
    /// What tokens with a cap spent in the period, as far as that was asked for: the sum of their rows, which may be very many.
    pub(super) spent: BTreeMap<String, Spent>,
}

/// What a token spent in a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) all: Unit,
    /// Of that in rows without a number, which only older versions write: where they run as well, there may be more of them now.
    pub(super) unnumbered: Unit,
    /// Rows of others may have come behind this one.
    pub(super) only_up_to: Option<i64>,
}

/// What a charge comes to.
pub(super) struct Due {
    pub(super) units: u64,
    /// ICS beyond the quota.
    pub(super) overage: u64,
    /// What these cost.
    pub(super) cost: Unit,
}

impl Account {
    /// What a charge comes to. Nothing of it is noted yet.
    ///
    /// # Errors
    /// `quota_exhausted` if the account cannot bear it.
    pub(super) fn bear(&self, charge: &Charge) -> Result<Due, Refusal> {
        let Standing { settings, used, .. } = &self.standing;
        let units: u64 = charge.lines.iter().map(|line| line.units).sum();
        let before = used.units;
        let after = before.checked_add(units).filter(|after| *after <= self.standing.ceiling());
        let after = after.ok_or_else(|| self.standing.exhausted(Some(units)))?;
        // What is beyond the quota now and was not before.
        let overage = after.saturating_sub(settings.quota.max(before));
        Ok(Due { units, overage, cost: settings.cost(charge.mode, overage) })
    }

    /// What tokens spent by what was known of them when the account had fewer rows, or as many.
    pub(super) fn spent_since(&self, rows: i64) -> BTreeMap<String, Spent> {
        let mut spent = self.spent.clone();
        if rows != self.rows {
            for spent in spent.values_mut() {
                spent.only_up_to.get_or_insert(self.rows);
            }
        }
        spent
    }

    /// Remembers what a token has spent so far.
    pub(super) fn remember(&mut self, token: &str, spent: Spent) {
        if self.spent.len() >= TOKENS {
            self.spent.clear();
        }
        self.spent.insert(token.to_owned(), spent);
    }

    /// Notes the rows of a charge.
    pub(super) fn note<'c>(&mut self, entries: &mut Vec<Entry<'c>>, charge: &'c Charge, due: &Due) {
        let Standing { settings, used, .. } = &mut self.standing;
        // Otherwise these rows are added up with those of others.
        if let Some(Spent { all, only_up_to: None, .. }) = self.spent.get_mut(&charge.token) {
            *all = Unit(all.0.saturating_add(due.cost.0));
        }
        // The first ICS are those within the quota.
        let mut within = due.units - due.overage;
        for (place, line) in (0_i64..).zip(&charge.lines) {
            let included = within.min(line.units);
            within -= included;
            let overage = line.units - included;
            let cost = settings.cost(charge.mode, overage);
            used.units = used.units.saturating_add(line.units);
            used.overage = used.overage.saturating_add(overage);
            used.cost_usd = Unit(used.cost_usd.0.saturating_add(cost.0));
            self.rows += 1;
            entries.push(Entry { charge, place, line, overage, cost, number: self.rows, after: *used });
        }
    }
}
