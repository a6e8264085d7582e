//! `POST /api/v1/sense/stream`: reports of an interaction while it is sensed.
//!
//! Everything that can be refused is refused before the first event. Then the interaction goes through a session of the
//! engine, and what that finds is reported, at most once in an interval. Events wait for a slow reader, and the work
//! waits with them, on no thread. A client that goes away before the first resonance stops the work, and nothing is charged. Behind
//! it the work goes on and is charged once, as if the client had stayed: otherwise whoever leaves at the end would have had every
//! resonance for nothing. What it did not read it can read by the name of the stream, or under its key.

use crate::caller::{Caller, key};
use crate::catalogue::Tool;
use crate::cause::Kind;
use crate::effort::Effort;
use crate::evaluations::evaluated;
use crate::json::{Sufficiency, number};
use crate::promised::Promise;
use crate::refusal::Refusal;
use crate::request::{self, Asked, Pace};
use crate::store::{Draft, Key};
use crate::{Answer, Service};
use serde::Serialize;
use serde_json::value::RawValue;
use sonometer::{Error, Event, Interaction, Reading, Session, SessionOptions, Turn, Unit};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tracing::Instrument as _;

/// The route, which tells keys apart.
const STREAM: &str = "POST /api/v1/sense/stream";
/// So many bytes are sensed at once.
const CHUNK: usize = 2 << 10;
/// So many events wait for a slow reader,
const WAITING: usize = 32;
/// and so long does the work wait with them.
const PATIENCE: Duration = Duration::from_secs(60);

/// One event: its name and its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// `resonance`, `fidelity`, `complete` or `error`.
    pub name: &'static str,
    /// JSON in one line.
    pub data: String,
}

/// A stream that has begun.
#[derive(Debug)]
pub struct Streaming {
    /// Its name, with which the ids of its events begin ([`Streaming::event_id`]).
    pub name: String,
    /// The events, until there are no more. Dropping this stops the work.
    pub events: mpsc::Receiver<Told>,
    /// ICS left when it began.
    pub remaining: u64,
    /// Whether it was told before, under the same key.
    pub replayed: bool,
}

/// What stands behind the id of the last event.
const LAST: &str = "-complete";

impl Streaming {
    /// The id of an event of a stream, of which so many came before it. A client that reconnects sends back the last that it saw.
    pub fn event_id(name: &str, number: u64, told: &Told) -> String {
        let last = if told.name == "complete" { LAST } else { "" };
        format!("{name}-{number}{last}")
    }
}

/// The stream that the id of an event names.
fn stream_of(event: &str) -> Option<&str> {
    let (name, number) = event.split_once('-')?;
    let is_name = name.strip_prefix("str_").is_some_and(|id| id.bytes().all(|b| b.is_ascii_alphanumeric()));
    (is_name && name.len() <= 64 && number.parse::<u64>().is_ok()).then_some(name)
}

#[derive(Serialize)]
struct Resonance<'a> {
    metamarker: &'a str,
    #[serde(serialize_with = "number")]
    score: Unit,
}

#[derive(Serialize)]
struct Complete {
    #[serde(serialize_with = "number")]
    score: Unit,
    ics_consumed: u64,
}

/// What is final, and kept under a key.
#[derive(Serialize)]
struct End<'a> {
    resonance: Vec<Resonance<'a>>,
    fidelity: Sufficiency,
    complete: Complete,
}

/// The same, read again.
#[derive(serde::Deserialize)]
struct Kept {
    resonance: Vec<Box<RawValue>>,
    fidelity: Box<RawValue>,
    complete: Box<RawValue>,
}

/// Takes a turn, from a place in it to the next.
fn take(session: &mut Session, turn: &Turn, from: usize, to: usize) -> Result<Vec<Event>, Error> {
    let mut events = match (from, &turn.role) {
        (0, Some(role)) => session.begin_segment(role, turn.timestamp)?.events,
        _ => Vec::new(),
    };
    events.extend(session.push(&turn.content.as_bytes()[from..to])?.events);
    Ok(events)
}

/// Whether the account can pay for every metamarker that may trigger, in this stream and in those under way. If not, nothing partial is
/// sent: what is sent before a charge that is then refused would have been given away. The cap of a token counts in the charge only, so
/// one that has a cap is covered by the quota alone.
fn is_covered(caller: &Caller, promise: &Promise) -> bool {
    let (standing, most) = (caller.standing(), promise.together());
    standing.covers(most) && (caller.token_cap().is_none() || standing.remaining() >= most)
}

/// How many ICS a reading can come to.
fn most(instrument: &Tool) -> u64 {
    instrument.sensors().iter().map(|sensor| sensor.protocol().markers.len() as u64).sum()
}

/// Why a stream ends before its end.
enum Stopped {
    /// Nobody reads any more.
    Gone,
    /// It cannot be done.
    Refused(Refusal),
}

impl From<Refusal> for Stopped {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// What tells: the latest resonances that were not told yet, at most once in an interval.
struct Teller {
    events: mpsc::Sender<Told>,
    pace: Pace,
    last: Option<Instant>,
    waiting: Vec<(String, Unit)>,
    told: BTreeMap<String, Unit>,
    /// Whether nobody reads any more, though something was told.
    is_left: bool,
}

impl Teller {
    fn take(&mut self, events: Vec<Event>) {
        for event in events {
            if let Event::Resonance { metamarker, score } = event {
                match self.waiting.iter_mut().find(|(waiting, _)| *waiting == metamarker) {
                    Some((_, waiting)) => *waiting = score,
                    None => self.waiting.push((metamarker, score)),
                }
            }
        }
    }

    /// Sees whether somebody reads. If not, the work stops, unless something was told: then it goes on to its charge.
    fn look(&mut self) -> Result<(), Stopped> {
        if !self.is_left && self.events.is_closed() {
            return self.left();
        }
        Ok(())
    }

    fn left(&mut self) -> Result<(), Stopped> {
        self.is_left = true;
        if self.told.is_empty() { Err(Stopped::Gone) } else { Ok(()) }
    }

    /// Tells what waits, if it is time to.
    async fn tell(&mut self) -> Result<(), Stopped> {
        self.look()?;
        if self.is_left {
            return Ok(());
        }
        let is_time = self.last.is_none_or(|last| last.elapsed() >= self.pace.interval);
        if !self.pace.partial || !is_time || self.waiting.is_empty() {
            return Ok(());
        }
        self.last = Some(Instant::now());
        for (metamarker, score) in std::mem::take(&mut self.waiting) {
            if self.told.get(&metamarker) != Some(&score) {
                let data = crate::json::text(&Resonance { metamarker: &metamarker, score });
                if send(&self.events, Told { name: "resonance", data }).await.is_err() {
                    return self.left();
                }
                self.told.insert(metamarker, score);
            }
        }
        Ok(())
    }

    /// Whether this is how a resonance was told last.
    fn knows(&self, data: &str) -> bool {
        self.told
            .iter()
            .any(|(metamarker, score)| crate::json::text(&Resonance { metamarker, score: *score }) == data)
    }
}

/// Hands an event to the reader, who may be slow, but not for ever.
async fn send(events: &mpsc::Sender<Told>, told: Told) -> Result<(), Stopped> {
    match timeout(PATIENCE, events.send(told)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(Stopped::Gone),
    }
}

/// What is final of a reading: the resonances that are not 0, in the order in which their evidence stands in the text, and
/// behind them those without evidence.
fn end(reading: &Reading) -> String {
    let all: Vec<(&str, Unit)> =
        reading.resonance().map(|(metamarker, found)| (metamarker, found.activation)).collect();
    let by_evidence = reading.evidence().map(|evidence| evidence.metamarker);
    let mut resonance: Vec<Resonance<'_>> = Vec::new();
    for metamarker in by_evidence.chain(all.iter().map(|(metamarker, _)| *metamarker)) {
        let there = all.iter().find(|(key, score)| *key == metamarker && *score > Unit::ZERO);
        if let Some((key, score)) = there
            && !resonance.iter().any(|told| told.metamarker == *key)
        {
            resonance.push(Resonance { metamarker: key, score: *score });
        }
    }
    let complete =
        Complete { score: reading.score().unwrap_or(Unit::ZERO), ics_consumed: reading.ics().consumed };
    crate::json::text(&End { resonance, fidelity: reading.fidelity().into(), complete })
}

impl Service {
    /// `POST /api/v1/sense/stream`: begins a stream. What is wrong is reported here, before the first event; what goes wrong
    /// later is an event `error` with the envelope, and the last one.
    ///
    /// `last_event` is the id of the event that a client saw last before it lost its connection: `None` is answered if that was
    /// the end. Otherwise the stream is sent again under its name, and if it was charged before, it is not charged again.
    ///
    /// `held` is dropped when the work has ended, which may be after the reader has gone: a place among the streams, say.
    ///
    /// # Errors
    /// As [`Service::sense`].
    pub async fn stream(
        &self,
        caller: &Caller,
        body: &str,
        idempotency_key: Option<&[u8]>,
        last_event: Option<&[u8]>,
        held: impl Send + 'static,
    ) -> Result<Option<Streaming>, Refusal> {
        let last = last_event.and_then(|last| std::str::from_utf8(last).ok()).unwrap_or_default();
        if last.ends_with(LAST) && last.strip_suffix(LAST).and_then(stream_of).is_some() {
            return Ok(None);
        }
        let name = stream_of(last).map_or_else(|| self.id("str"), str::to_owned);
        // Where the caller gives no key, the name of the stream is one: no other request can have it by chance.
        let own = format!("stream {name}");
        let key = key(idempotency_key.or(Some(own.as_bytes())), body)?
            .map(|key| Key { is_own: idempotency_key.is_none(), ..key });
        let (teller, events) = mpsc::channel(WAITING);
        let remaining = caller.standing().remaining();
        if let Some(answer) = self.given_before(caller, STREAM, key.as_ref()).await? {
            tokio::spawn(async move { last_events(&teller, &answer, |_| false).await });
            return Ok(Some(Streaming { name, events, remaining, replayed: true }));
        }
        let request::Stream { root, target, pace } = self.reads(caller.org(), body, request::stream).await?;
        let instrument = self.tool(caller, &target).await?;
        let asked = Asked::under(&root, "interaction")?;
        if asked.is_file() {
            self.check_file(&asked)?;
            caller.standing().check()?;
        }
        let subject = self.subject_now(caller.org(), &asked, &instrument).await?;
        caller.standing().check()?;
        let effort = Effort::reading(body.len().max(subject.bytes()));
        let interaction = subject.interaction;
        let (with, whole) = (instrument.clone(), interaction.clone());
        let fidelity =
            self.work(caller.org(), effort, move || with.fidelity(&whole)).await?.map_err(Refusal::from)?;
        if !fidelity.sufficient {
            return Err(Refusal::insufficient(fidelity));
        }
        let promise = self.inner.promised.add(caller.account(), most(&instrument));
        let pace = Pace { partial: pace.partial && is_covered(caller, &promise), ..pace };
        let (waiting, told) = (Vec::new(), BTreeMap::new());
        let teller = Teller { events: teller, pace, last: None, waiting, told, is_left: false };
        let (service, caller) = (self.clone(), caller.clone());
        let telling = async move {
            let events = teller.events.clone();
            let told = service.tell(&caller, key, instrument, interaction, teller).await;
            if let Err(Stopped::Refused(refusal)) = told {
                let _ = send(&events, Told { name: "error", data: refusal.to_json(caller.request()) }).await;
            }
            drop((held, promise));
        };
        // What it takes is part of the trace of the request.
        tokio::spawn(telling.in_current_span());
        Ok(Some(Streaming { name, events, remaining, replayed: false }))
    }

    async fn tell(
        &self,
        caller: &Caller,
        key: Option<Key>,
        instrument: Arc<Tool>,
        interaction: Interaction,
        mut teller: Teller,
    ) -> Result<(), Stopped> {
        let mut session = instrument.session(SessionOptions::default());
        let interaction = Arc::new(interaction);
        let bytes = interaction.turns().iter().map(|turn| turn.content.len()).sum();
        let effort_of = |bytes| Effort::sensing(&instrument, 1, bytes);
        for number in 0..interaction.turns().len() {
            let length = interaction.turns()[number].content.len();
            let mut from = 0;
            loop {
                let to = length.min(from + CHUNK);
                let whole = interaction.clone();
                let step = self.work(caller.org(), effort_of(to - from), move || {
                    let events = take(&mut session, &whole.turns()[number], from, to);
                    (session, events)
                });
                let (back, events) = step.await?;
                session = back;
                teller.take(events.map_err(Refusal::from)?);
                teller.tell().await?;
                from = to;
                if from == length {
                    break;
                }
            }
        }
        let with = instrument.clone();
        let finish = move || -> Result<_, Refusal> {
            let reading = session.finish()?;
            evaluated(&with, &reading, None);
            Ok(reading)
        };
        let reading = self.work(caller.org(), effort_of(bytes), finish).await??;
        if !reading.fidelity().sufficient {
            return Err(Refusal::insufficient(reading.fidelity()).into());
        }
        teller.look()?;
        let lines = vec![instrument.line(reading.triggered(), reading.ics().consumed)];
        let answer = Draft::of(end(&reading));
        let answer = self.charge(caller, STREAM, Kind::Stream, key, lines, answer).await?;
        if teller.is_left {
            return Err(Stopped::Gone);
        }
        last_events(&teller.events, &answer, |data| teller.knows(data)).await
    }
}

/// Tells what is final; of the resonances only those that are not known yet.
async fn last_events(
    events: &mpsc::Sender<Told>,
    answer: &Answer,
    known: impl Fn(&str) -> bool,
) -> Result<(), Stopped> {
    let kept: Kept = serde_json::from_str(&answer.body)
        .map_err(|error| Refusal::internal(&format!("a kept stream cannot be read: {error}")))?;
    for resonance in kept.resonance {
        if !known(resonance.get()) {
            let data = resonance.get().to_owned();
            send(events, Told { name: "resonance", data }).await?;
        }
    }
    let data = kept.fidelity.get().to_owned();
    send(events, Told { name: "fidelity", data }).await?;
    let data = kept.complete.get().to_owned();
    send(events, Told { name: "complete", data }).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_an_event_names_its_stream() {
        let told = |name| Told { name, data: String::new() };
        let id = Streaming::event_id("str_019a", 3, &told("fidelity"));
        assert_eq!((id.as_str(), stream_of(&id)), ("str_019a-3", Some("str_019a")));
        let id = Streaming::event_id("str_019a", 4, &told("complete"));
        assert_eq!(id.strip_suffix(LAST).and_then(stream_of), Some("str_019a"));
        for other in ["", "7", "str_019a", "str_0 9-1", "str_019a-x", "job_1-1", "-complete"] {
            assert_eq!(stream_of(other), None, "{other}");
        }
    }
}
