//! What an account used, will use, and used before; and how the service stands.

use crate::describe::sgm_statuses;
use crate::json::{number, whole};
use crate::list::Listing;
use crate::period::{Period, iso};
use crate::refusal::Refusal;
use crate::store::Page;
use crate::{Caller, Service, request};
use serde::Serialize;
use sonometer::{Estimate, Unit};
use std::collections::BTreeMap;

#[derive(Serialize)]
struct EstimateAnswer {
    estimated_ics: Range,
    estimated_cost_usd: Range,
    remaining_quota: u64,
    will_exceed_quota: bool,
}

#[derive(Serialize)]
struct Range {
    #[serde(serialize_with = "number")]
    min: Unit,
    #[serde(serialize_with = "number")]
    max: Unit,
    #[serde(serialize_with = "number")]
    typical: Unit,
}

#[derive(Serialize)]
struct History {
    period: String,
    entries: Vec<HistoryEntry>,
    totals: HistoryTotals,
    total_entries: u64,
    limit: u64,
    offset: u64,
}

#[derive(Serialize)]
struct HistoryEntry {
    timestamp: String,
    target: OldTarget,
    ics_consumed: u64,
    metamarkers_triggered: u64,
    #[serde(serialize_with = "number")]
    cost_usd: Unit,
}

#[derive(Serialize)]
struct OldTarget {
    r#type: String,
    id: String,
    version: String,
}

#[derive(Serialize)]
struct HistoryTotals {
    ics: u64,
    #[serde(serialize_with = "number")]
    cost_usd: Unit,
    analyses: u64,
}

#[derive(Serialize)]
struct Status {
    status: &'static str,
    version: &'static str,
    authenticated: bool,
    sgm_versions: BTreeMap<&'static str, &'static str>,
    profiles: &'static [&'static str],
    supported_modalities: Vec<&'static str>,
    ics: Left,
}

#[derive(Serialize)]
struct Left {
    remaining: u64,
    period: String,
}

impl Service {
    /// `POST /api/v1/usage/estimate`: what content of a length will cost. What lies within the quota costs nothing, what
    /// goes beyond costs the rate of overage. It is said to exceed the quota if the typical amount does.
    ///
    /// # Errors
    /// `invalid_request`, `target_not_found`, `unavailable`.
    pub async fn estimate(&self, caller: &Caller, body: &str) -> Result<String, Refusal> {
        let request::Estimate { target, content_length, modality } = request::estimate(body)?;
        let instrument = self.tool(caller, &target).await?;
        let estimate =
            instrument.estimate(content_length, modality, sonometer_catalog::rates_of).map_err(|error| {
                let mut refusal = Refusal::from(error);
                refusal.details.place = Some("modality".to_owned());
                refusal
            })?;
        let standing = caller.standing();
        let remaining = standing.remaining();
        let Estimate { min, max, typical, .. } = estimate;
        let (min, max) = (whole(min), whole(max));
        let rate = standing.settings.cost(standing.mode, 1);
        let cost = |ics: Unit| Unit((ics - whole(remaining)).0.max(0)).times(rate);
        // Summed up over markers, the typical amount is a sum of probabilities.
        Ok(crate::json::text(&EstimateAnswer {
            estimated_ics: Range { min, max, typical },
            estimated_cost_usd: Range { min: cost(min), max: cost(max), typical: cost(typical) },
            remaining_quota: remaining,
            will_exceed_quota: typical > whole(remaining),
        }))
    }

    /// `GET /api/v1/usage/history`: what was charged in a period, the newest first.
    ///
    /// # Errors
    /// `invalid_request` for a bad period or page, `unavailable`.
    pub async fn history(
        &self,
        caller: &Caller,
        period: Option<&str>,
        listing: &Listing,
    ) -> Result<String, Refusal> {
        let period = match period {
            None => Period::at(self.now_ms()),
            Some(text) => Period::asked(text)?,
        };
        let Listing { limit, offset, .. } = *listing;
        let store = &self.inner.store;
        let _place = self.place_at_ledger(caller.org()).await?;
        let (entries, totals) =
            store.history(caller.org(), caller.mode(), period, Page { limit, offset }).await?;
        let entries = entries.into_iter().map(|entry| HistoryEntry {
            timestamp: iso(entry.at_ms),
            target: OldTarget {
                r#type: entry.target_type,
                id: entry.target_id,
                version: entry.target_version,
            },
            ics_consumed: entry.units,
            // One ICS is one triggered metamarker.
            metamarkers_triggered: entry.units,
            cost_usd: entry.cost_usd,
        });
        Ok(crate::json::text(&History {
            period: period.to_string(),
            entries: entries.collect(),
            totals: HistoryTotals { ics: totals.units, cost_usd: totals.cost_usd, analyses: totals.analyses },
            total_entries: totals.analyses,
            limit,
            offset,
        }))
    }

    /// `GET /api/v1/status`.
    pub fn status(&self, caller: &Caller) -> String {
        crate::json::text(&Status {
            status: "healthy",
            version: env!("CARGO_PKG_VERSION"),
            authenticated: true,
            sgm_versions: sgm_statuses(),
            profiles: sonometer::Profile::NAMES,
            supported_modalities: self.modalities(),
            ics: Left {
                remaining: caller.standing().remaining(),
                period: caller.standing().period.to_string(),
            },
        })
    }
}
