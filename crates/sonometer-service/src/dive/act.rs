//! `POST /api/v1/dive/{dive_id}/act`: one action, taken once.

use super::{ACT, body, closed, world};
use crate::caller::key;
use crate::cause::{Cause, Kind};
use crate::effort::Effort;
use crate::free::DIVES_FOR_ICS;
use crate::json::TargetUsed;
use crate::period::Period;
use crate::refusal::{Code, Refusal};
use crate::store::{Along, Charge, DiveRow, Draft, Key, Line, StepDone};
use crate::{Answer, Caller, Service};
use sonometer::stage::{Refused, Step};

/// The action of one request.
struct Wanted {
    action: String,
    turn: Option<u64>,
    key: Option<Key>,
}

/// A step, and what is kept of it.
struct Taken {
    state: String,
    answer: String,
    step: Step,
}

/// The refusal of an action for another turn than the next.
fn conflict(turn: u64, next: u64) -> Refusal {
    let message = match turn < next {
        true => format!("turn {turn} was taken with another action; the next turn is {next}"),
        false => format!("turn {turn} is not the next one; the next turn is {next}"),
    };
    let mut refusal = Refusal::new(Code::TurnConflict, message);
    refusal.details.turn = Some(next);
    refusal
}

fn refused(refused: Refused) -> Refusal {
    match refused {
        Refused::Closed => closed("world_ended", &refused.to_string()),
        Refused::TooLong { most, .. } => {
            let mut refusal = Refusal::new(Code::ActionTooLong, refused.to_string());
            refusal.details.place = Some("action".to_owned());
            refusal.details.limit = Some(u64::from(most));
            refusal
        }
    }
}

impl Service {
    /// `POST /api/v1/dive/{dive_id}/act`: takes one action, charges it and gives what the world answers. Those who act in the
    /// same dive are taken one after the other; a `turn` that was taken with the same action gets its answer again.
    ///
    /// # Errors
    /// `invalid_request`, `dive_not_found`, `dive_closed`, `turn_conflict`, `quota_exhausted`, `action_too_long`, `rate_limited`
    /// if it costs nothing and such dives keep too much today, `idempotency_conflict`, `unavailable`. Nothing is changed then.
    pub async fn dive_act(
        &self,
        caller: &Caller,
        id: &str,
        body: &str,
        idempotency_key: Option<&[u8]>,
    ) -> Result<Answer, Refusal> {
        let body::Act { action, turn } = body::act(body)?;
        // The same words in another dive are another request.
        let key = key(idempotency_key, &format!("{id}\n{body}"))?;
        if let Some(answer) = self.given_before(caller, ACT, key.as_ref()).await? {
            return Ok(answer);
        }
        let wanted = Wanted { action, turn, key };
        let turn = self.inner.dives.turns.of(caller.account(), id);
        let _turn = turn.lock().await;
        // A request that another node overtook looks again; each time the dive has gone on, which it cannot do for ever.
        for _ in 0..=MOST_TURNS {
            let row = self.dive_row(caller, id).await?;
            let next = row.turns + 1;
            let turn = wanted.turn.unwrap_or(next);
            if turn < next
                && let Some(step) = self.inner.store.step(id, turn).await?
                && step.action == wanted.action
            {
                let remaining = caller.standing().remaining();
                return Ok(Answer { status: 200, body: step.answer, consumed: 0, remaining, replayed: true });
            }
            if !row.is_open {
                return Err(closed("closed", "the dive is closed; open a new one"));
            }
            if turn != next {
                return Err(conflict(turn, next));
            }
            match self.step(caller, row, &wanted, turn).await {
                Err(refusal) if refusal.code == Code::TurnConflict => {}
                // The request that took the turn may have had the last of the quota, or of what may be kept.
                Err(refusal)
                    if wanted.turn.is_some()
                        && matches!(refusal.code, Code::QuotaExhausted | Code::RateLimited) =>
                {
                    if self.dive_size(caller, id).await?.turns < turn {
                        return Err(refusal);
                    }
                }
                outcome => return outcome,
            }
        }
        Err(Refusal::unavailable("a dive went on and on"))
    }

    async fn step(
        &self,
        caller: &Caller,
        row: DiveRow,
        wanted: &Wanted,
        turn: u64,
    ) -> Result<Answer, Refusal> {
        caller.standing().check()?;
        let world = self.kept_world(&row.org, &row.world).await?;
        let (within, action) = (world.clone(), wanted.action.clone());
        let before = row.state.len();
        let length = before + action.len();
        let effort = Effort::sensing(world.instrument(), 1, length);
        let taken = self.work(caller.org(), effort, move || -> Result<Taken, Refusal> {
            let (mut dive, other_engine) = world::resume(&within, &row.state)?;
            if other_engine.is_some() {
                let message = "the service was upgraded since this dive was opened; close it to get its card";
                return Err(closed("engine_changed", message));
            }
            let step = dive.act(&action).map_err(refused)?;
            // Long after many turns.
            Ok(Taken { state: dive.to_json(), answer: step.to_json(), step })
        });
        let Taken { state, answer, step } = taken.await??;
        let (target, at_ms) = (world.target(), self.now_ms());
        // What costs nothing is no entry of the history.
        let units = step.measured.ics;
        if units == 0 {
            self.may_dive_free(caller.org())?;
            // What was said is kept a second time as long as the dive is open, the answer a second time under a key.
            let answers = answer.len() * (1 + usize::from(wanted.key.is_some()));
            self.keeps_free(caller.org(), wanted.action.len() + state.len().saturating_sub(before) + answers);
        }
        let line = || Line {
            target: TargetUsed::new(target.kind, &target.id, &target.version),
            digest: target.digest.as_str().into(),
            markers: Line::joined(step.sensed.triggered()),
            list: None,
            units,
        };
        let lines = if units > 0 { vec![line()] } else { Vec::new() };
        let done = StepDone {
            dive: row.id.clone(),
            turn,
            action: wanted.action.clone(),
            state,
            observation: step.observation.to_json(),
        };
        let charge = Charge {
            account: caller.account().to_owned(),
            mode: caller.mode(),
            token: caller.token().to_owned(),
            token_cap: caller.token_cap(),
            // Not that of the caller: the month may have ended since.
            period: Period::at(at_ms),
            at_ms,
            route: ACT,
            key: wanted.key.clone(),
            cause: Cause { kind: Kind::Dive, ..caller.cause(wanted.key.as_ref()) },
            along: Along::Step(Box::new(done)),
            id: format!("{}/{turn}", row.id),
            lines,
            answer: Draft::of(answer),
        };
        let crate::store::Charged { status, answer, units, remaining, replayed } =
            self.charge_now(charge).await?;
        self.inner.free_dives.give_back(caller.org(), units.saturating_mul(DIVES_FOR_ICS), self.now_ms());
        Ok(Answer { status, body: answer, consumed: units, remaining, replayed })
    }
}

/// No stage has more.
const MOST_TURNS: u32 = 1_000;
