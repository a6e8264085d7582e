//! What happens to every request: token, rate limit, scope, body, the act itself, headers, figures and one line in the log.
//! Neither the log nor the figures hold content, tokens or keys.

use crate::failures::Failures;
use crate::front::{Client, Known};
use crate::left::Waits;
use crate::metrics::{Figures, Now};
use crate::routes::{Act, Endpoint, Token};
use crate::{Control, Limits, docs, export, openapi, request_id, respond, stream};
use axum::RequestPartsExt;
use axum::body::{Body, HttpBody};
use axum::extract::{Path, Query, Request};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};
use futures_util::FutureExt;
use http_body_util::BodyExt;
use sonometer_service::bill::{Asked, Export, Format, Writer};
use sonometer_service::queue::{Bounds, Place, Queue};
use sonometer_service::{Answer, Caller, Code, Listing, Mode, Refusal, Service, Streaming, text};
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// What every request sees.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) service: Service,
    control: Control,
    failures: Arc<Failures>,
    arriving: Queue,
    turns: Queue,
    streams: Queue,
    figures: Arc<Figures>,
    looked: Arc<Looked>,
}

/// What the figures ask the database for: by one request at a time, and for all that come within a second. Nobody needs a token for
/// them, and others need the connections.
type Looked = Mutex<Option<(Instant, Look)>>;

/// Jobs that have not ended and notifications that are due, if that is known, and how old the oldest of each is.
type Look = (Option<(u64, u64)>, (i64, i64));

/// Looks, unless somebody has just done so.
async fn look(looked: &Looked, service: &Service) -> Look {
    let mut looked = looked.lock().await;
    if let Some((at, look)) = *looked
        && at.elapsed() < LOOK
    {
        return look;
    }
    let waiting = timeout(FIGURES, service.waiting()).await.ok().and_then(Result::ok);
    let ages = timeout(FIGURES, service.ages()).await.ok().and_then(Result::ok).unwrap_or_default();
    let look = (waiting, ages);
    *looked = Some((Instant::now(), look));
    look
}

impl State {
    pub(crate) fn new(service: Service, control: Control) -> Self {
        let bounds = |limits: &Limits| {
            [limits.arriving, limits.in_flight, limits.streams]
                .map(|places| Bounds::of(places, limits.waiting))
        };
        let [arriving, turns, streams] = bounds(&control.live().limits);
        let arriving = Queue::new("arriving", arriving);
        let turns = Queue::new("requests", turns);
        let streams = Queue::new("streams", streams);
        let queues = [arriving.clone(), turns.clone(), streams.clone()];
        #[cfg(feature = "otlp")]
        crate::otlp::observe(&service, &[&queues[..], &service.queues()].concat(), control.turned());
        control.watch(move |live| {
            queues.iter().zip(bounds(&live.limits)).for_each(|(queue, bounds)| queue.set_bounds(bounds));
        });
        let (failures, figures, looked) = (Arc::default(), Arc::default(), Arc::default());
        Self { service, control, failures, arriving, turns, streams, figures, looked }
    }
}

/// Answers one request, whatever happens.
pub(crate) async fn run(state: State, endpoint: &'static Endpoint, request: Request) -> Response<Body> {
    let started = Instant::now();
    let request_id = request_id::of(request.headers(), &state.service);
    let mut waits = Waits {
        endpoint,
        request_id: &request_id,
        client: request.extensions().get::<Client>().map(|client| client.0),
        began: started,
        caller: None,
        is_answered: false,
    };
    let announced = sonometer_listen::announced(request.headers());
    let (parts, body) = request.into_parts();
    let mut body = Some(body);
    let work = answer(&state, endpoint, &request_id, parts, &mut body, &mut waits.caller);
    // Probes of the process get an answer all the same.
    let watches = matches!(endpoint.act, Act::Healthy | Act::Figures);
    let outcome = tokio::select! {
        biased;
        outcome = AssertUnwindSafe(work).catch_unwind() => outcome,
        refusal = state.service.goes_away(), if !watches => Ok(Err(refusal)),
    };
    let outcome = outcome.unwrap_or_else(|_| Err(Refusal::internal("a request panicked")));
    if let (Err(refusal), Some(rest)) = (&outcome, body.take())
        && refusal.code != Code::RequestTimeout
    {
        sonometer_listen::drain(rest, announced, REST).await;
    }
    waits.is_answered = true;
    let caller = waits.caller.as_ref();
    let mut consumed = 0;
    let mut remaining = caller.map(|caller| caller.standing().remaining());
    let mut response = match outcome {
        Ok(Reply::Json(text)) => respond::json(text, &request_id),
        Ok(Reply::Other(media, text)) => respond::body(StatusCode::OK, media, text, &request_id),
        Ok(Reply::Answer(answer)) => {
            consumed = answer.consumed;
            remaining = Some(answer.remaining);
            let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
            let mut response = respond::body(status, "application/json", answer.body, &request_id);
            if answer.replayed {
                respond::replayed(&mut response);
            }
            response
        }
        Ok(Reply::Stream(streaming, place)) => {
            let replayed = streaming.replayed;
            let heartbeat = state.control.live().limits.heartbeat;
            let body = stream::body(streaming, place, heartbeat);
            respond::stream(body, replayed, &request_id)
        }
        Ok(Reply::Export(export, format, place)) => match Writer::new(format, export.mode()) {
            Ok(writer) => respond::export(export::body(*export, writer, place), format, &request_id),
            Err(refusal) => respond::refusal(&refusal, &request_id),
        },
        Ok(Reply::Nothing) => respond::nothing(&request_id),
        Err(refusal) => respond::refusal(&refusal, &request_id),
    };
    // A stream says what it consumed at its end.
    let is_stream = endpoint.act == Act::SenseStream && response.status() == StatusCode::OK;
    if endpoint.act == Act::Page {
        let policy = HeaderValue::from_static(docs::policy());
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    if let Some(caller) = caller {
        respond::window(&mut response, caller.window());
    }
    if let (true, Some(remaining)) = (endpoint.sensing, remaining) {
        respond::ics(&mut response, (!is_stream).then_some(consumed), remaining);
    }
    let took = started.elapsed();
    let status = response.status().as_u16();
    state.figures.count(endpoint, status, took);
    #[cfg(feature = "otlp")]
    crate::otlp::count(endpoint, status, took);
    response.extensions_mut().insert(Known {
        route: endpoint.path,
        org: caller.map(|caller| caller.org().to_owned()),
        token: caller.map(|caller| caller.token().to_owned()),
        consumed,
    });
    response
}

enum Reply {
    Json(String),
    Answer(Answer),
    Stream(Streaming, Arc<Place>),
    Export(Box<Export>, Format, Place),
    /// There is no more to tell.
    Nothing,
    Other(&'static str, String),
}

async fn answer(
    state: &State,
    endpoint: &'static Endpoint,
    request_id: &str,
    mut parts: Parts,
    body: &mut Option<Body>,
    known: &mut Option<Caller>,
) -> Result<Reply, Refusal> {
    let State { service, control, failures, arriving, turns, streams, figures, looked } = state;
    let live = control.live();
    let limits = &live.limits;
    // Probes must get through when the process is full: these wait in no queue.
    match endpoint.act {
        Act::Healthy => return Ok(Reply::Json("{\"status\":\"ok\"}".to_owned())),
        Act::Figures => {
            let charged = Mode::ALL.map(|mode| (mode, service.charged(mode)));
            let own = [arriving, turns, streams].map(Queue::clone);
            let queues: Vec<Queue> = own.into_iter().chain(service.queues()).collect();
            let (waiting, ages) = look(looked, service).await;
            let now = Now {
                waiting,
                ages,
                streams: streams.standing().held,
                charged: &charged,
                queues: &queues,
                pools: service.store().connections(),
                steps: service.steps(),
                turned: control.turned(),
            };
            return Ok(Reply::Other(crate::metrics::MEDIA, figures.text(&now)));
        }
        Act::Ready => {
            service.ready().await?;
            return Ok(Reply::Json("{\"status\":\"ready\"}".to_owned()));
        }
        _ => {}
    }
    let caller = match endpoint.token {
        Token::Ignored => None,
        Token::Optional if !parts.headers.contains_key(header::AUTHORIZATION) => None,
        Token::Optional | Token::Required(_) => {
            let from = parts.extensions.get::<Client>().map(|client| client.0);
            let caller = failures.caller(service, limits, from, bearer(&parts.headers)).await?;
            Some(caller.asking(request_id))
        }
    };
    *known = caller.clone();
    let scope = match endpoint.token {
        Token::Required(scope) => scope,
        _ => None,
    };
    caller.as_ref().map_or(Ok(()), |caller| caller.may(scope))?;
    let pairs = query(&parts)?;
    for (name, value) in &pairs {
        text::check("the query of the address", name)?;
        text::check(name, value)?;
    }
    let id = match endpoint.parameter() {
        // What is no text in UTF-8 is no id of anything.
        Some(_) => parts.extract::<Path<String>>().await.map_or_else(|_| String::new(), |Path(id)| id),
        None => String::new(),
    };
    text::check(endpoint.parameter().unwrap_or_default(), &id)?;
    let listing = Listing::read(&pairs, endpoint.query)?;
    let named = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    // All requests without a token share one turn.
    let org = caller.as_ref().map_or("", Caller::org);
    let body = match endpoint.body {
        Some(_) if endpoint.bodiless && left_out(&parts.headers, body.as_ref()) => "{}".to_owned(),
        Some(_) => {
            let _place = turn(arriving, limits, org, 1).await?;
            arrived(&parts.headers, body, limits).await?
        }
        None => String::new(),
    };
    let cost = 1 + u64::try_from(body.len() >> 10).unwrap_or(u64::MAX);
    let _turn = turn(turns, limits, org, cost).await?;
    let key = single(&parts.headers, "Idempotency-Key")?;
    let who = || caller.as_ref().ok_or_else(|| Refusal::new(Code::Unauthorized, "a token is required"));
    Ok(match endpoint.act {
        Act::Sense => Reply::Answer(service.sense(who()?, &body, key).await?),
        Act::Compare => Reply::Answer(service.compare(who()?, &body, key).await?),
        Act::SenseBatch => Reply::Answer(service.batch(who()?, &body, key).await?),
        Act::SenseStream => {
            let full = |_| Refusal::unavailable("too many streams at once");
            // The reader and the work hold it, as long as either is there.
            let place = Arc::new(streams.place_now(org).map_err(full)?);
            let last = single(&parts.headers, "Last-Event-ID")?;
            let streaming = service.stream(who()?, &body, key, last, place.clone()).await?;
            streaming.map_or(Reply::Nothing, |streaming| Reply::Stream(streaming, place))
        }
        Act::CheckFidelity => Reply::Answer(service.fidelity(who()?, &body).await?),
        Act::GetUsage => Reply::Json(who()?.standing().to_json()),
        Act::EstimateUsage => Reply::Json(service.estimate(who()?, &body).await?),
        Act::GetHistory => Reply::Json(service.history(who()?, named("period"), &listing).await?),
        Act::ListCharges => {
            let asked = Asked::read(&pairs, &listing, service.now_ms())?;
            Reply::Json(service.charges(who()?, &asked).await?)
        }
        Act::ExportCharges => {
            let asked = Asked::read(&pairs, &listing, service.now_ms())?;
            let full = |_| Refusal::unavailable("too many streams at once");
            let place = streams.place_now(org).map_err(full)?;
            Reply::Export(Box::new(service.export(who()?, &asked).await?), asked.format, place)
        }
        Act::GetStatus => Reply::Json(service.status(who()?)),
        Act::GetCapabilities => Reply::Json(service.capabilities()),
        Act::ListProtocols => Reply::Json(service.protocols(who()?, &listing).await?),
        Act::GetProtocol => Reply::Json(service.protocol(who()?, &id, named("version")).await?),
        Act::ListMetrics => Reply::Json(service.metrics(who()?, &listing).await?),
        Act::GetMetric => Reply::Json(service.metric(who()?, &id, named("version")).await?),
        Act::ListBlueprints => Reply::Json(service.blueprints(who()?, &listing).await?),
        Act::GetBlueprint => Reply::Json(service.blueprint(who()?, &id, named("version")).await?),
        Act::GetJob => Reply::Json(service.job(who()?, &id).await?),
        Act::ListJobs => Reply::Json(service.jobs(who()?, &listing).await?),
        Act::CancelJob => Reply::Json(service.cancel_job(who()?, &id).await?),
        Act::OpenDive => Reply::Answer(service.dive_open(who()?, &body, key).await?),
        Act::StepInDive => Reply::Answer(service.dive_act(who()?, &id, &body, key).await?),
        Act::CloseDive => Reply::Json(service.dive_close(who()?, &id, &body).await?),
        Act::GetDive => Reply::Json(service.dive(who()?, &id).await?),
        Act::GetDiveStatus => Reply::Json(service.dive_status(who()?, &id).await?),
        Act::ListKeys => Reply::Json(service.signing_keys().await?),
        Act::Document => Reply::Other("application/json", openapi::document().to_string()),
        Act::Page => Reply::Other("text/html; charset=utf-8", docs::page().to_owned()),
        Act::Healthy | Act::Ready | Act::Figures => Reply::Json(String::new()),
    })
}

/// A place in a queue, unless it takes too long or too much of the organization waits already.
async fn turn(queue: &Queue, limits: &Limits, org: &str, cost: u64) -> Result<Place, Refusal> {
    match timeout(limits.turn, queue.place(org, cost)).await {
        Ok(Ok(place)) => Ok(place),
        _ => Err(Refusal::unavailable("too many requests at once")),
    }
}

/// The parameters of a query.
pub(crate) fn query(parts: &Parts) -> Result<Vec<(String, String)>, Refusal> {
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
    pairs.map(|Query(pairs)| pairs).map_err(|_| Refusal::invalid("", "the query of the address is not valid"))
}

/// The token of a request; empty if there is none, or several.
pub(crate) fn bearer(headers: &HeaderMap) -> &str {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (all.next(), all.next()) else { return "" };
    let Some((scheme, token)) = value.to_str().ok().and_then(|value| value.split_once(' ')) else {
        return "";
    };
    if scheme.eq_ignore_ascii_case("bearer") { token.trim() } else { "" }
}

/// The value of a header that counts once.
///
/// # Errors
/// `invalid_request` if there are several that differ: none of them tells which is meant.
fn single<'h>(headers: &'h HeaderMap, name: &'static str) -> Result<Option<&'h [u8]>, Refusal> {
    let mut all = headers.get_all(name).iter().map(HeaderValue::as_bytes);
    let first = all.next();
    if all.any(|value| Some(value) != first) {
        let message =
            format!("`{name}` stands in the request more than once, with different values; send it once");
        return Err(Refusal::invalid(name, message));
    }
    Ok(first)
}

/// Whether there is no body at all, whatever the headers say that it were.
pub(crate) fn left_out(headers: &HeaderMap, body: Option<&Body>) -> bool {
    let none = body.is_none_or(HttpBody::is_end_stream);
    none && !headers.contains_key(header::CONTENT_ENCODING)
}

/// How long what the database said is good for figures.
const LOOK: Duration = Duration::from_secs(1);
/// How long figures wait for the database.
const FIGURES: Duration = Duration::from_secs(1);

/// What is read of a refused request at most, and for how long.
pub(crate) const REST: (usize, Duration) = (4 << 20, Duration::from_secs(1));

/// A body that does not come whole: its client is gone, or it is written in chunks that are none.
fn broken(error: &axum::Error) -> Refusal {
    let first: &(dyn std::error::Error + 'static) = error;
    let all = std::iter::successors(Some(first), |error| error.source());
    let wrong = all.filter_map(|error| error.downcast_ref::<io::Error>()).find(|error| {
        // What else there is, is the connection.
        matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData)
    });
    match wrong {
        Some(wrong) => {
            let message = format!(
                "the body is not written in chunks as HTTP asks for: {wrong}; send it with `Content-Length`"
            );
            Refusal::invalid("", message)
        }
        None => Refusal::invalid("", "the connection closed before the whole body arrived"),
    }
}

/// The body of a request, as text. A body that is not read to its end stays where it is.
pub(crate) async fn arrived(
    headers: &HeaderMap,
    body: &mut Option<Body>,
    limits: &Limits,
) -> Result<String, Refusal> {
    let said = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut said = said.split(';').map(str::trim);
    let is_json = said.next().is_some_and(|media| media.eq_ignore_ascii_case("application/json"));
    let is_utf8 = said.all(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        !name.eq_ignore_ascii_case("charset") || value.trim_matches('"').eq_ignore_ascii_case("utf-8")
    });
    let is_packed = |value: &HeaderValue| !value.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(header::CONTENT_ENCODING).iter().any(is_packed) {
        let message = "the body must not be compressed; send the JSON as it is, without `Content-Encoding`";
        return Err(Refusal::new(Code::UnsupportedMediaType, message));
    }
    if !is_json || !is_utf8 {
        let message = "the body must be JSON in UTF-8; send `Content-Type: application/json`";
        return Err(Refusal::new(Code::UnsupportedMediaType, message));
    }
    let too_large = || {
        let message = format!("the body is larger than {} bytes, the limit", limits.body_bytes);
        Refusal::too_large("", limits.body_bytes, message)
    };
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limits.body_bytes as u64) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let whole = async {
        while let Some(frame) = body.as_mut()?.frame().await {
            let frame = match frame {
                Ok(frame) => frame,
                Err(error) => return Some(broken(&error)),
            };
            let Some(more) = frame.data_ref() else { continue };
            if bytes.len() + more.len() > limits.body_bytes {
                return Some(too_large());
            }
            bytes.extend_from_slice(more);
        }
        None
    };
    match timeout(limits.arrival, whole).await {
        Ok(None) => {}
        Ok(Some(refusal)) => return Err(refusal),
        Err(_) => return Err(Refusal::new(Code::RequestTimeout, "the body did not arrive in time")),
    }
    *body = None;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Refusal::invalid(format!("byte {at}"), "the body is not UTF-8")
    })
}
