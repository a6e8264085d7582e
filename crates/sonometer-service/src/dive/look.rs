//! `GET /api/v1/dive/{dive_id}` and its status: how a dive stands. Looking changes nothing.

use crate::refusal::Refusal;
use crate::store::DiveRow;
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

fn status(row: &DiveRow) -> &'static str {
    if row.is_open { "open" } else { "closed" }
}

impl Service {
    /// `GET /api/v1/dive/{dive_id}`: the status and what the world showed last; the card once it is closed.
    ///
    /// # Errors
    /// `dive_not_found`, `unavailable`.
    pub async fn dive(&self, caller: &Caller, id: &str) -> Result<String, Refusal> {
        let row = self.dive_row(caller, id).await?;
        let raw = |text: &str| {
            RawValue::from_string(text.to_owned()).map_err(|error| Refusal::internal(&error.to_string()))
        };
        let stagecard = if row.is_open { None } else { Some(raw(&row.card)?) };
        Ok(crate::json::text(&Told {
            dive_id: &row.id,
            stage_id: &row.stage,
            status: status(&row),
            turns: row.turns,
            observation: raw(&row.observation)?,
            stagecard,
        }))
    }

    /// `GET /api/v1/dive/{dive_id}/status`.
    ///
    /// # Errors
    /// As [`Service::dive`].
    pub async fn dive_status(&self, caller: &Caller, id: &str) -> Result<String, Refusal> {
        let row = self.dive_row(caller, id).await?;
        Ok(crate::json::text(&Status { dive_id: &row.id, status: status(&row), turns: row.turns }))
    }
}
