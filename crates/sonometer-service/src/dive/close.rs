//! `POST /api/v1/dive/{dive_id}/close`: the end of a dive, and its card.

use super::{body, counted, world};
use crate::effort::Effort;
use crate::refusal::Refusal;
use crate::store::{Allowed, Counter, DiveRow};
use crate::{Caller, Service};
use sonometer::stage::{Agent, Attempt, Closing, Mode, SeedSource, World};

impl Service {
    /// `POST /api/v1/dive/{dive_id}/close`: closes a dive and gives its signed card; the same bytes as often as it is asked.
    ///
    /// # Errors
    /// `invalid_request`, `dive_not_found`, `unavailable`.
    pub async fn dive_close(&self, caller: &Caller, id: &str, body: &str) -> Result<String, Refusal> {
        let summary = body::close(body)?;
        let turn = self.inner.dives.turns.of(caller.account(), id);
        let _turn = turn.lock().await;
        // A request that an action or another close overtook looks again.
        loop {
            let row = self.dive_row(caller, id).await?;
            if !row.is_open {
                return Ok(row.card);
            }
            if let Some(card) = self.close_row(&row, summary.clone()).await? {
                return Ok(card);
            }
        }
    }

    /// Closes a dive as it was read: its card; `None` if it has gone on since.
    pub(super) async fn close_row(
        &self,
        row: &DiveRow,
        summary: Option<String>,
    ) -> Result<Option<String>, Refusal> {
        let world = self.kept_world(&row.org, &row.world).await?;
        let closing = self.closing(row, &world, summary).await?;
        let key = self.signing_key().await?;
        let state = row.state.clone();
        let card =
            self.work(&row.org, Effort::reading(state.len()), move || -> Result<(String, bool), Refusal> {
                let (dive, other_engine) = world::resume(&world, &state)?;
                let mut card = dive.close(&closing);
                // The card names who sensed the actions, not who closes it.
                card.engine = other_engine.unwrap_or(card.engine);
                Ok((sonometer_card::sign(&card, &key).to_json(), card.totals.ics == 0))
            });
        let (card, is_free) = card.await??;
        let _place = self.place_to_write(&row.org).await?;
        if is_free {
            self.keeps_free(&row.org, card.len());
        }
        let closed = self.inner.store.close_dive(&row.id, row.turns, &card, self.now_ms()).await?;
        Ok(closed.then_some(card))
    }

    /// What only the service knows of a dive.
    async fn closing(
        &self,
        row: &DiveRow,
        world: &World,
        summary: Option<String>,
    ) -> Result<Closing, Refusal> {
        let stage = world.stage();
        let unknown = || Refusal::internal("a dive whose mode or seed is of no kind that there is");
        let mode = Mode::from_name(&row.mode).ok_or_else(unknown)?;
        let seed_source = SeedSource::from_name(&row.seed_source).ok_or_else(unknown)?;
        let (agent, version) = row.agent.clone();
        let graded = Counter {
            org: row.org.clone(),
            account: row.account.clone(),
            stage_org: row.stage_org.clone(),
            stage: row.stage.clone(),
            mode: Mode::Graded.as_str(),
            counted: counted(stage, Mode::Graded, &agent, &row.token),
        };
        let ever = Allowed { most: None, window_ms: None, now_ms: self.now_ms() };
        let attempt = Attempt {
            number: row.number,
            graded_so_far: self.inner.store.attempts(&graded, ever).await?.ever,
            record: stage.attempts_in(mode).record,
        };
        Ok(Closing {
            dive_id: row.id.clone(),
            mode,
            seed_source,
            attempt: Some(attempt),
            agent: (!agent.is_empty())
                .then(|| Agent { id: agent, version: Some(version).filter(|version| !version.is_empty()) }),
            summary,
        })
    }
}
