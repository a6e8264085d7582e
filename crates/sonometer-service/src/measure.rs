//! Sense, compare, batch and the fidelity check.

use crate::caller::{Caller, key};
use crate::catalogue::{Tool, used};
use crate::cause::{Cause, Kind};
use crate::effort::Effort;
use crate::evaluations::evaluated;
use crate::file::{FileRead, Subject, with_origin};
use crate::json::{Price, Sufficiency, TargetUsed};
use crate::period::Period;
use crate::ports::Waits;
use crate::refusal::{Code, Refusal};
use crate::request::{self, Asked, BATCH_FILES_NOW, BATCH_JOB, Look, of_item};
use crate::spans::SPANS;
use crate::store::{Along, Charge, Draft, Key, Line};
use crate::{Answer, Service, batch};
use serde::Serialize;
use sonometer::protocol::Sgm;
use sonometer::{Error, Instrument, Interaction, Reading, SenseOptions, Unit};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tracing::{Instrument as _, info_span};

/// The routes that charge. A key counts for one route only.
pub(crate) const SENSE: &str = "POST /api/v1/sense";
/// See [`SENSE`].
pub(crate) const COMPARE: &str = "POST /api/v1/sense/compare";
/// See [`SENSE`].
pub(crate) const BATCH: &str = "POST /api/v1/sense/batch";

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
        let request::Sense { root, target, look, callback } =
            self.reads(caller.org(), body, request::sense).await?;
        if let Some(callback) = &callback {
            let checked = self.inner.callbacks.check(&callback.url);
            checked.map_err(|refusal| refusal.inside("callback.url"))?;
        }
        let instrument = self.tool(caller, &target).await?;
        check_look(&look, &instrument)?;
        let asked = Asked::under(&root, "interaction")?;
        if look.origin && !asked.is_file() {
            let message = "`origin` gives places in a file, but there is no `url`; remove it";
            return Err(Refusal::invalid("options.origin", message));
        }
        if asked.is_file() {
            // Nothing is fetched for a caller who cannot pay, nor twice for a job.
            self.check_file(&asked)?;
            caller.standing().check()?;
            if callback.is_some() {
                return self.sense_later(caller, body, key, &instrument, callback).await;
            }
        }
        let Some(subject) = self.subject(caller.org(), &asked, &instrument, Waits::Caller).await? else {
            return self.sense_later(caller, body, key, &instrument, None).await;
        };
        caller.standing().check()?;
        if callback.is_some() {
            return self.sense_later(caller, body, key, &instrument, callback).await;
        }
        let effort = Effort::sensing(&instrument, 1, body.len().max(subject.bytes()));
        let kind = if subject.file.is_some() { Kind::File } else { Kind::Sense };
        let standing = caller.standing().clone();
        let work = move || sense_now(&instrument, subject, look, |units| standing.expected(units));
        let (line, answer) = self.work(caller.org(), effort, work).await??;
        self.charge(caller, SENSE, kind, key, vec![line], answer).await
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
        let request::Compare { root, target } = self.reads(caller.org(), body, request::compare).await?;
        let instrument = self.tool(caller, &target).await?;
        let asked = [Asked::under(&root, "interaction_a")?, Asked::under(&root, "interaction_b")?];
        if asked.iter().any(Asked::is_file) {
            asked.iter().try_for_each(|asked| self.check_file(asked))?;
            caller.standing().check()?;
        }
        let a = self.subject_now(caller.org(), &asked[0], &instrument).await?;
        let b = self.subject_now(caller.org(), &asked[1], &instrument).await?;
        caller.standing().check()?;
        let effort = Effort::sensing(&instrument, 2, body.len().max(a.bytes() + b.bytes()));
        let (with, a, b) = (instrument.clone(), a.interaction, b.interaction);
        let standing = caller.standing().clone();
        let work = move || -> Result<(Line, Draft), Refusal> {
            let sides = [("interaction_a", &a), ("interaction_b", &b)];
            let compared = with
                .compare(&a, &b, SenseOptions::default())
                .map_err(|error| one_side(&with, sides, error))?;
            let markers = compared.a.markers.iter().chain(&compared.b.markers).map(String::as_str);
            let line = with.line(markers, compared.ics.consumed);
            let expected = standing.expected(compared.ics.consumed);
            let write = Box::new(move |cost| {
                let mut compared = compared.clone();
                compared.ics.cost_usd = cost;
                compared.to_json()
            });
            Ok((line, Draft::new(expected, write)))
        };
        let (line, answer) = self.work(caller.org(), effort, work).await??;
        self.charge(caller, COMPARE, Kind::Compare, key, vec![line], answer).await
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
        let asked = self.reads(caller.org(), body, request::batch).await?;
        if asked.ids.len() >= BATCH_JOB {
            return self.batch_later(caller, body, idempotency_key, asked).await;
        }
        let instrument = self.tool(caller, &asked.target).await?;
        if asked.files > 0 {
            self.check_interactions(&asked)?;
            caller.standing().check()?;
        }
        let interactions = match asked.files > BATCH_FILES_NOW {
            true => None,
            false => self.interactions(caller.org(), &asked, &instrument).await?,
        };
        let Some(interactions) = interactions else {
            return self.batch_later(caller, body, idempotency_key, asked).await;
        };
        caller.standing().check()?;
        let bytes: usize =
            interactions.iter().flat_map(|one| one.turns()).map(|turn| turn.content.len()).sum();
        let effort = Effort::sensing(&instrument, interactions.len(), body.len().max(bytes));
        let standing = caller.standing().clone();
        let work = move || -> Result<(Vec<Line>, Draft), Refusal> {
            let measured = batch::measure(&instrument, &interactions)?;
            let lines = batch::lines(&measured);
            let expected = standing.expected(lines.iter().map(|line| line.units).sum());
            let write = Box::new(move |cost| batch::answer(&asked.ids, &measured, cost));
            Ok((lines, Draft::new(expected, write)))
        };
        let (lines, answer) = self.work(caller.org(), effort, work).await??;
        self.charge(caller, BATCH, Kind::Batch, key, lines, answer).await
    }

    /// `POST /api/v1/fidelity/check`: whether content holds enough. Costs nothing; that it does not is an answer.
    ///
    /// # Errors
    /// `invalid_request`, `target_not_found`, `payload_too_large`.
    pub async fn fidelity(&self, caller: &Caller, body: &str) -> Result<Answer, Refusal> {
        let request::Compare { root, target } = self.reads(caller.org(), body, request::fidelity).await?;
        let instrument = self.tool(caller, &target).await?;
        let subject =
            self.subject_now(caller.org(), &Asked::under(&root, "interaction")?, &instrument).await?;
        let effort = Effort::reading(body.len().max(subject.bytes()));
        let with = instrument.clone();
        let fidelity = self
            .work(caller.org(), effort, move || with.fidelity(&subject.interaction))
            .await?
            .map_err(Refusal::from)?;
        let (density, clarity) = (fidelity.density, fidelity.clarity);
        let mut sufficiency = Sufficiency::from(fidelity);
        if instrument.sensor().is_some_and(|sensor| sensor.protocol().sgm >= Sgm::V1_5) {
            sufficiency.density = Some(density);
            sufficiency.clarity = Some(clarity);
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

    /// The interactions of a batch; `None`: one of them is a file that is work for a job.
    pub(crate) async fn interactions(
        &self,
        org: &str,
        asked: &request::Batch,
        instrument: &Instrument,
    ) -> Result<Option<Vec<Interaction>>, Refusal> {
        let mut interactions = Vec::with_capacity(asked.ids.len());
        for (index, node) in request::items(&asked.root).iter().enumerate() {
            let subject = self.subject(org, &Asked::item(node, index), instrument, Waits::Caller).await;
            match subject.map_err(|refusal| of_item(refusal, index))? {
                Some(subject) => interactions.push(subject.interaction),
                None => return Ok(None),
            }
        }
        Ok(Some(interactions))
    }

    /// What can be told of the interactions of a batch before a file is fetched.
    pub(crate) fn check_interactions(&self, asked: &request::Batch) -> Result<(), Refusal> {
        request::items(&asked.root).iter().enumerate().try_for_each(|(index, node)| {
            let item = Asked::item(node, index);
            let checked = if item.is_file() { self.check_file(&item) } else { item.read().map(drop) };
            checked.map_err(|refusal| of_item(refusal, index))
        })
    }

    /// Reads a body: a long one is work like any other.
    pub(crate) async fn reads<T: Send + 'static>(
        &self,
        org: &str,
        body: &str,
        read: fn(&str) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let effort = Effort::reading(body.len());
        if effort.is_short() {
            return read(body);
        }
        let body = body.to_owned();
        self.work(org, effort, move || read(&body)).await?
    }

    /// Does what costs little at once, and the rest on a thread of its own once it is the turn of the organization.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        org: &str,
        effort: Effort,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        self.inner.steps.fetch_add(effort.cost(), Ordering::Relaxed);
        let span = || info_span!(target: SPANS, "engine", steps = effort.cost());
        if effort.is_short() {
            return Ok(span().in_scope(work));
        }
        let full = |_| Refusal::unavailable("too much long work of one organization at once");
        let turn = self.inner.threads.place(org, effort.cost()).await.map_err(full)?;
        // The thread is busy until the work has ended, even if the caller has gone.
        let span = span();
        let work = move || {
            let _turn = turn;
            span.in_scope(work)
        };
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
        let answer = self.inner.store.answered(caller.account(), route, key);
        let answer = answer.instrument(info_span!(target: SPANS, "store.answer")).await?;
        let remaining = caller.standing().remaining();
        Ok(answer.map(|(status, body)| Answer { status, body, consumed: 0, remaining, replayed: true }))
    }

    pub(crate) async fn charge(
        &self,
        caller: &Caller,
        route: &'static str,
        kind: Kind,
        key: Option<Key>,
        lines: Vec<Line>,
        answer: Draft,
    ) -> Result<Answer, Refusal> {
        let at_ms = self.now_ms();
        let cause = Cause { kind, ..caller.cause(key.as_ref()) };
        let is_free = lines.iter().all(|line| line.units == 0);
        let key =
            key.filter(|_| !is_free || self.inner.free_answers.keeps(caller.org(), answer.bytes(), at_ms));
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
            cause,
            along: Along::Nothing,
            id: self.id("chg"),
            lines,
            answer,
        };
        let charged = self.charge_now(charge).await?;
        let crate::store::Charged { status, answer, units, remaining, replayed } = charged;
        Ok(Answer { status, body: answer, consumed: units, remaining, replayed })
    }
}

/// Senses, and writes the answer for the cost that is expected of so many ICS.
///
/// # Errors
/// As [`Instrument::sense`]; `insufficient_signal`.
pub(crate) fn sense_now(
    tool: &Tool,
    subject: Subject,
    look: Look,
    expected: impl FnOnce(u64) -> Unit,
) -> Result<(Line, Draft), Refusal> {
    let Subject { interaction, file } = subject;
    let reading = tool.sense(&interaction)?;
    evaluated(tool, &reading, None);
    if !reading.fidelity().sufficient {
        return Err(Refusal::insufficient(reading.fidelity()));
    }
    let units = reading.ics().consumed;
    let line = tool.line(reading.triggered(), units);
    let write = Box::new(move |cost| sensed(&reading, file.as_deref(), &look, cost));
    Ok((line, Draft::new(expected(units), write)))
}

/// The answer of `sense`: the bytes of the engine, and where in a file its evidence stands if that is asked for.
fn sensed(reading: &Reading, file: Option<&FileRead>, look: &Look, cost: Unit) -> String {
    let reading = reading.clone().with_cost(cost);
    let json = reading.to_json(look.view());
    match file {
        Some(file) if look.origin => with_origin(&json, &reading, file),
        _ => json,
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
    let sensor = match instrument.sensor() {
        Some(sensor) => sensor,
        None if look.v1_5 => {
            let message =
                "`v1_5` works with a protocol, not with a metric or blueprint; sense the protocol itself";
            return Err(Refusal::invalid("v1_5", message));
        }
        None => return Ok(()),
    };
    look.view().check(sensor.protocol())?;
    if look.v1_5 && sensor.protocol().sgm < Sgm::V1_5 {
        let protocol = sensor.protocol();
        let message = format!(
            "`{}@{}` uses SGM {}; `v1_5` needs a version with SGM 1.5",
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
