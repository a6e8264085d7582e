//! `POST /api/v1/dive/open`: access, metering, attempts, password, and only then a world.

use super::access::Seen;
use super::body::{self, Open};
use super::{OPEN, counted};
use crate::caller::key;
use crate::period::iso;
use crate::refusal::{Code, Refusal};
use crate::store::{Allowed, Attempts, Counter, NewDive, Opened};
use crate::{Answer, Caller, Service};
use serde::Serialize;
use serde_json::value::RawValue;
use sonometer::stage::{MAX_SEED, SeedSource};

#[derive(Serialize)]
struct Told<'a> {
    dive_id: &'a str,
    seed: u64,
    mode: &'static str,
    stage_version: &'a str,
    blueprint_version: &'a str,
    envelope: Envelope,
    objective: &'a str,
    rules: Rules<'a>,
    observation: Box<RawValue>,
}

#[derive(Serialize)]
struct Envelope {
    access_mode: &'static str,
    share_scorecard: bool,
    max_turns: u32,
    ics_budget: u32,
}

#[derive(Serialize)]
struct Rules<'a> {
    checkpoints: Vec<&'a str>,
    flags: Vec<&'a str>,
    max_turns: u32,
}

/// The refusal of one attempt too many.
fn exhausted(attempts: Attempts, allowed: Allowed) -> Refusal {
    let most = allowed.most.unwrap_or(0);
    let resets = (attempts.resets_ms > 0).then(|| iso(attempts.resets_ms));
    let until =
        resets.as_ref().map_or("no attempt is left".to_owned(), |at| format!("the next is possible at {at}"));
    let message = format!("{} of {most} attempts are used; {until}", attempts.used);
    let mut refusal = Refusal::new(Code::AttemptsExhausted, message);
    refusal.details.max = Some(most);
    refusal.details.used = Some(attempts.used);
    refusal.details.window = allowed.window_ms.map(|window| u64::try_from(window / 1_000).unwrap_or(0));
    refusal.details.resets = resets;
    refusal
}

impl Service {
    /// `POST /api/v1/dive/open`: opens a dive.
    ///
    /// # Errors
    /// In this order: `invalid_request`; `target_not_found`; `access_denied`; `quota_exhausted`; `rate_limited` if dives that cost
    /// nothing keep too much today; `attempts_exhausted`; `rate_limited` after several wrong passwords, `password_invalid`.
    /// `idempotency_conflict`, `unavailable`.
    pub async fn dive_open(
        &self,
        caller: &Caller,
        body: &str,
        idempotency_key: Option<&[u8]>,
    ) -> Result<Answer, Refusal> {
        let mut asked = body::open(body)?;
        let key = key(idempotency_key, &asked.told())?;
        if let Some(answer) = self.given_before(caller, OPEN, key.as_ref()).await? {
            return Ok(answer);
        }
        let seen = self.seen(caller, &asked).await?;
        self.let_in(caller, &seen).await?;
        caller.standing().check()?;
        self.may_dive_free(caller.org())?;
        let (counter, allowed) = self.counter(caller, &seen, &asked);
        let before = self.inner.store.attempts(&counter, allowed).await?;
        if !before.are_left(allowed) {
            return Err(exhausted(before, allowed));
        }
        self.ask_password(caller, &seen, asked.password.take()).await?;
        let (seed, seed_source) = match asked.seed {
            Some(seed) => (seed, SeedSource::Caller),
            None => (self.draw_seed()?, SeedSource::Server),
        };
        let revision = match seen.owner.as_str() {
            "" => 0,
            own if own == caller.org() => caller.revision(),
            other => self.inner.store.revision(other).await?,
        };
        let access = seen.access();
        let Seen { owner, stage, .. } = seen;
        let ready = self.world_of(&owner, revision, stage).await?;
        let (world, stage) = (&ready.world, ready.world.stage());
        let dive = world.open(seed);
        let id = self.id("dive");
        let observation = dive.observation().to_json();
        let answer = crate::json::text(&Told {
            dive_id: &id,
            seed,
            mode: counter.mode,
            stage_version: &stage.version,
            blueprint_version: &world.target().version,
            envelope: Envelope {
                access_mode: access.as_str(),
                share_scorecard: stage.envelope.share_scorecard,
                max_turns: stage.envelope.max_turns,
                ics_budget: stage.envelope.ics_budget,
            },
            objective: &stage.objective,
            rules: Rules {
                checkpoints: stage.checkpoints.iter().map(|(name, _)| name.as_str()).collect(),
                flags: stage.flags.iter().map(|(name, _)| name.as_str()).collect(),
                max_turns: stage.envelope.max_turns,
            },
            observation: RawValue::from_string(observation.clone())
                .map_err(|error| Refusal::internal(&error.to_string()))?,
        });
        let agent =
            asked.agent.map_or_else(Default::default, |agent| (agent.id, agent.version.unwrap_or_default()));
        let state = dive.to_json();
        let answer_kept = if key.is_some() { answer.len() } else { 0 };
        let _place = self.place_to_write(caller.org()).await?;
        self.keeps_free(caller.org(), state.len() + observation.len() + answer_kept);
        let opened = self.inner.store.open_dive(NewDive {
            id,
            token: caller.token().to_owned(),
            stage_version: stage.version.clone(),
            world: ready.frozen.clone(),
            counter,
            allowed,
            seed_source: seed_source.as_str(),
            agent,
            state,
            observation,
            key,
            answer: answer.clone(),
        });
        let (body, replayed) = match opened.await? {
            Opened::Now => (answer, false),
            Opened::Before(answer) => (answer, true),
            Opened::Exhausted(attempts) => return Err(exhausted(attempts, allowed)),
        };
        let remaining = caller.standing().remaining();
        Ok(Answer { status: 200, body, consumed: 0, remaining, replayed })
    }

    /// Whose attempts are counted, and how many there may be.
    fn counter(&self, caller: &Caller, seen: &Seen, asked: &Open) -> (Counter, Allowed) {
        let mode = seen.mode(caller.mode());
        let rule = seen.stage.attempts_in(mode);
        let agent = asked.agent.as_ref().map_or("", |agent| &agent.id);
        let counter = Counter {
            org: caller.org().to_owned(),
            account: caller.account().to_owned(),
            stage_org: seen.owner.clone(),
            stage: seen.stage.id.clone(),
            mode: mode.as_str(),
            counted: counted(&seen.stage, mode, agent, caller.token()),
        };
        let window_ms =
            rule.window.map(|seconds| i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000));
        (counter, Allowed { most: rule.max.map(u64::from), window_ms, now_ms: self.now_ms() })
    }

    fn draw_seed(&self) -> Result<u64, Refusal> {
        let bytes = self.inner.ids.seed()?;
        let eight = bytes.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        Ok(eight & MAX_SEED)
    }
}
