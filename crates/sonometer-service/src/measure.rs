//! Sense, compare, batch and the fidelity check.

use crate::caller::{Caller, key};
use crate::catalogue::used;
use crate::json::{Price, Sufficiency, TargetUsed};
use crate::period::Period;
use crate::refusal::{Code, Refusal};
use crate::request::{self, Asked, BATCH_JOB, Look, of_item};
use crate::store::{Charge, Key, Line};
use crate::{Answer, Service, batch};
use serde::Serialize;
use sonometer::protocol::Sgm;
use sonometer::{Error, Instrument, Interaction, SenseOptions, Unit};
use std::sync::Arc;

/// The routes that charge, by which keys are told apart.
pub(crate) const SENSE: &str = "POST /api/v1/sense";
/// See [`SENSE`].
pub(crate) const COMPARE: &str = "POST /api/v1/sense/compare";
/// See [`SENSE`].
pub(crate) const BATCH: &str = "POST /api/v1/sense/batch";

/// Up to so many bytes are measured where they are; handing them to another thread would cost more.
const SHORT: usize = 16 << 10;

#[derive(Serialize)]
struct FidelityAnswer {
    target: TargetUsed,
    fidelity: Sufficiency,
    ics: Price,
}

impl Service {
    /// `POST /api/v1/sense`: measures one interaction.
    ///
    /// # Errors
    /// `invalid_request`, `target_not_found`, `payload_too_large`, `quota_exhausted`, `insufficient_signal`,
    /// `idempotency_conflict`, `unavailable`.
    pub async fn sense(
        &self,
        caller: &Caller,
        body: &str,
        idempotency_key: Option<&[u8]>,
    ) -> Result<Answer, Refusal> {
        let key = key(idempotency_key, body)?;
        if let Some(answer) = self.given_before(caller, SENSE, key.as_ref()).await? {
            return Ok(answer);
        }
        let request::Sense { root, target, look, callback } = request::sense(body)?;
        if let Some(callback) = &callback {
            let checked = self.inner.callbacks.check(&callback.url);
            checked.map_err(|refusal| refusal.inside("callback.url"))?;
        }
        let instrument = self.shelf(caller).await?.find(&target)?;
        check_look(&look, &instrument)?;
        let interaction = self.interaction(&Asked::under(&root, "interaction")?).await?;
        caller.standing().check()?;
        if let Some(callback) = callback {
            return self.sense_later(caller, body, key, &instrument, callback).await;
        }
        let with = instrument.clone();
        let reading =
            self.work(body.len(), move || with.sense(&interaction)).await?.map_err(Refusal::from)?;
        if !reading.fidelity().sufficient {
            return Err(Refusal::insufficient(reading.fidelity()));
        }
        let lines = vec![Line { target: used(&instrument), units: reading.ics().consumed }];
        let answer = Box::new(move |cost| reading.with_cost(cost).to_json(look.view()));
        self.charge(caller, SENSE, key, lines, answer).await
    }

    /// `POST /api/v1/sense/compare`: measures two interactions and what lies between them.
    ///
    /// # Errors
    /// As [`Service::sense`]; `insufficient_signal` says which of the two.
    pub async fn compare(
        &self,
        caller: &Caller,
        body: &str,
        idempotency_key: Option<&[u8]>,
    ) -> Result<Answer, Refusal> {
        let key = key(idempotency_key, body)?;
        if let Some(answer) = self.given_before(caller, COMPARE, key.as_ref()).await? {
            return Ok(answer);
        }
        let request::Compare { root, target } = request::compare(body)?;
        let instrument = self.shelf(caller).await?.find(&target)?;
        let a = self.interaction(&Asked::under(&root, "interaction_a")?).await?;
        let b = self.interaction(&Asked::under(&root, "interaction_b")?).await?;
        caller.standing().check()?;
        let with = instrument.clone();
        let compared = self
            .work(body.len(), move || {
                let sides = [("interaction_a", &a), ("interaction_b", &b)];
                with.compare(&a, &b, SenseOptions::default()).map_err(|error| one_side(&with, sides, error))
            })
            .await??;
        let lines = vec![Line { target: used(&instrument), units: compared.ics.consumed }];
        let answer = Box::new(move |cost| {
            let mut compared = compared;
            compared.ics.cost_usd = cost;
            compared.to_json()
        });
        self.charge(caller, COMPARE, key, lines, answer).await
    }

    /// `POST /api/v1/sense/batch`: measures several interactions. What holds too little is answered with a score of 0 and
    /// costs nothing. [`BATCH_JOB`] interactions or more are a job.
    ///
    /// # Errors
    /// As [`Service::sense`] without `insufficient_signal`; what is wrong with an item names its index.
    pub async fn batch(
        &self,
        caller: &Caller,
        body: &str,
        idempotency_key: Option<&[u8]>,
    ) -> Result<Answer, Refusal> {
        let key = key(idempotency_key, body)?;
        if let Some(answer) = self.given_before(caller, BATCH, key.as_ref()).await? {
            return Ok(answer);
        }
        let asked = request::batch(body)?;
        if asked.ids.len() >= BATCH_JOB {
            return self.batch_later(caller, body, idempotency_key, asked).await;
        }
        let instrument = self.shelf(caller).await?.find(&asked.target)?;
        let interactions = self.interactions(&asked).await?;
        caller.standing().check()?;
        let with = instrument.clone();
        let measured =
            self.work(body.len(), move || batch::measure(&with, &interactions, |_| true)).await??;
        let lines = batch::lines(&instrument, &measured);
        let answer = Box::new(move |cost| batch::answer(&asked.ids, &measured, cost));
        self.charge(caller, BATCH, key, lines, answer).await
    }

    /// `POST /api/v1/fidelity/check`: whether content holds enough. Costs nothing; that it does not is an answer.
    ///
    /// # Errors
    /// `invalid_request`, `target_not_found`, `payload_too_large`.
    pub async fn fidelity(&self, caller: &Caller, body: &str) -> Result<Answer, Refusal> {
        let request::Compare { root, target } = request::fidelity(body)?;
        let instrument = self.shelf(caller).await?.find(&target)?;
        let interaction = self.interaction(&Asked::under(&root, "interaction")?).await?;
        let with = instrument.clone();
        let fidelity =
            self.work(body.len(), move || with.fidelity(&interaction)).await?.map_err(Refusal::from)?;
        let mut sufficiency = Sufficiency::from(fidelity);
        if matches!(&*instrument, Instrument::Sensor(sensor) if sensor.protocol().sgm >= Sgm::V1_5) {
            sufficiency.density = Some(fidelity.density);
            sufficiency.clarity = Some(fidelity.clarity);
        }
        let ics = Price { consumed: 0, cost_usd: Unit::ZERO };
        let answer = FidelityAnswer { target: used(&instrument), fidelity: sufficiency, ics };
        Ok(Answer {
            status: 200,
            body: crate::json::text(&answer),
            consumed: 0,
            remaining: caller.standing().remaining(),
            replayed: false,
        })
    }

    /// The interaction of a request, fetched if it is a file.
    pub(crate) async fn interaction(&self, asked: &Asked<'_>) -> Result<Interaction, Refusal> {
        match asked.file()? {
            None => asked.read(),
            Some(file) => self.inner.files.read(file).await.map_err(|refusal| refusal.inside(asked.place())),
        }
    }

    /// The interactions of a batch.
    pub(crate) async fn interactions(&self, asked: &request::Batch) -> Result<Vec<Interaction>, Refusal> {
        let mut interactions = Vec::with_capacity(asked.ids.len());
        for (index, node) in request::items(&asked.root).iter().enumerate() {
            let interaction = self.interaction(&Asked::item(node, index)).await;
            interactions.push(interaction.map_err(|refusal| of_item(refusal, index))?);
        }
        Ok(interactions)
    }

    /// Measures: short texts at once, long ones on a thread of their own, so that short ones need not wait for them.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        if bytes <= SHORT {
            return Ok(work());
        }
        let threads = self.inner.threads.clone();
        let _turn = threads.acquire_owned().await.map_err(|_| Refusal::internal("no threads"))?;
        tokio::task::spawn_blocking(work).await.map_err(|error| Refusal::internal(&error.to_string()))
    }

    /// The answer that was given under a key before.
    pub(crate) async fn given_before(
        &self,
        caller: &Caller,
        route: &'static str,
        key: Option<&Key>,
    ) -> Result<Option<Answer>, Refusal> {
        let Some(key) = key else { return Ok(None) };
        let answer = self.inner.store.answered(caller.account(), route, key).await?;
        let remaining = caller.standing().remaining();
        Ok(answer.map(|(status, body)| Answer { status, body, consumed: 0, remaining, replayed: true }))
    }

    pub(crate) async fn charge(
        &self,
        caller: &Caller,
        route: &'static str,
        key: Option<Key>,
        lines: Vec<Line>,
        answer: Box<dyn FnOnce(Unit) -> String + Send>,
    ) -> Result<Answer, Refusal> {
        let at_ms = self.now_ms();
        let charge = Charge {
            account: caller.account().to_owned(),
            mode: caller.mode(),
            token: caller.token().to_owned(),
            token_cap: caller.token_cap(),
            // Not that of the caller: the month may have ended since.
            period: Period::at(at_ms),
            at_ms,
            route,
            key,
            job: None,
            id: self.id("chg"),
            lines,
            answer,
        };
        let charged = self.charge_now(charge).await?;
        let crate::store::Charged { status, answer, units, remaining, replayed } = charged;
        Ok(Answer { status, body: answer, consumed: units, remaining, replayed })
    }
}

/// An error of the engine about an interaction, in the words of the request.
pub(crate) fn placed(error: Error, place: &str) -> Refusal {
    let mut refusal = Refusal::from(error);
    if refusal.details.place.as_deref() == Some("interaction") {
        refusal.details.place = Some(place.to_owned());
    }
    refusal
}

/// Which of two interactions holds too little, and how much it holds.
fn one_side(instrument: &Instrument, sides: [(&'static str, &Interaction); 2], error: Error) -> Refusal {
    let refusal = Refusal::from(error);
    let side = sides.into_iter().find(|(name, _)| refusal.details.place.as_deref() == Some(*name));
    match side {
        Some((name, interaction)) if refusal.code == Code::InsufficientSignal => {
            let mut refusal =
                instrument.fidelity(interaction).map_or_else(Refusal::from, Refusal::insufficient);
            refusal.message = format!("`{name}`: {}", refusal.message);
            refusal.details.which = Some(name);
            refusal
        }
        _ => refusal,
    }
}

pub(crate) fn check_look(look: &Look, instrument: &Instrument) -> Result<(), Refusal> {
    let sensor = match instrument {
        Instrument::Sensor(sensor) => sensor,
        Instrument::Composition(_) if look.v1_5 => {
            let message =
                "`v1_5` is about one protocol, not about a metric or blueprint; sense the protocol itself";
            return Err(Refusal::invalid("v1_5", message));
        }
        Instrument::Composition(_) => return Ok(()),
    };
    look.view().check(sensor.protocol())?;
    if look.v1_5 && sensor.protocol().sgm < Sgm::V1_5 {
        let protocol = sensor.protocol();
        let message = format!(
            "`{}@{}` is on SGM {}; `v1_5` needs a version on SGM 1.5",
            protocol.id,
            protocol.version,
            protocol.sgm.as_str()
        );
        return Err(Refusal::invalid("v1_5", message));
    }
    Ok(())
}

/// Shared with everything that holds an instrument across threads.
const _: fn() = || {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Arc<Instrument>>();
};
