//! `GET /api/v1/dive/{dive_id}` and its status: how a dive stands. Looking changes nothing.

use super::unknown;
use crate::refusal::Refusal;
use crate::store::{DiveSeen, DiveSize};
use crate::{Caller, Service};
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
struct Told<'a> {
    dive_id: &'a str,
    stage_id: &'a str,
    status: &'static str,
    turns: u64,
    observation: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stagecard: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Status<'a> {
    dive_id: &'a str,
    status: &'static str,
    turns: u64,
}

fn status(is_open: bool) -> &'static str {
    if is_open { "open" } else { "closed" }
}

impl Service {
    /// `GET /api/v1/dive/{dive_id}`: the status and what the world showed last; the card once it is closed.
    ///
    /// # Errors
    /// `dive_not_found`, `unavailable`.
    pub async fn dive(&self, caller: &Caller, id: &str) -> Result<String, Refusal> {
        let size = self.dive_size(caller, id).await?;
        let place = self.place_at_dive(caller, size.bytes).await?;
        let seen = self.inner.store.dive_seen(caller.account(), id).await?;
        drop(place);
        let DiveSeen { stage, is_open, turns, observation, card } = seen.ok_or_else(|| unknown(id))?;
        let raw = |text: &str| {
            RawValue::from_string(text.to_owned()).map_err(|error| Refusal::internal(&error.to_string()))
        };
        let stagecard = if is_open { None } else { Some(raw(&card)?) };
        Ok(crate::json::text(&Told {
            dive_id: id,
            stage_id: &stage,
            status: status(is_open),
            turns,
            observation: raw(&observation)?,
            stagecard,
        }))
    }

    /// `GET /api/v1/dive/{dive_id}/status`.
    ///
    /// # Errors
    /// As [`Service::dive`].
    pub async fn dive_status(&self, caller: &Caller, id: &str) -> Result<String, Refusal> {
        let DiveSize { is_open, turns, .. } = self.dive_size(caller, id).await?;
        Ok(crate::json::text(&Status { dive_id: id, status: status(is_open), turns }))
    }
}
