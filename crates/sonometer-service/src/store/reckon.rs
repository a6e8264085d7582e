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
    pub(super) spent: BTreeMap<String, Unit>,
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

    /// Remembers what a token has spent so far.
    pub(super) fn remember(&mut self, token: &str, spent: Unit) {
        if self.spent.len() >= TOKENS {
            self.spent.clear();
        }
        self.spent.insert(token.to_owned(), spent);
    }

    /// Notes the rows of a charge.
    pub(super) fn note<'c>(&mut self, entries: &mut Vec<Entry<'c>>, charge: &'c Charge, due: &Due) {
        let Standing { settings, used, .. } = &mut self.standing;
        if let Some(spent) = self.spent.get_mut(&charge.token) {
            *spent = Unit(spent.0.saturating_add(due.cost.0));
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
