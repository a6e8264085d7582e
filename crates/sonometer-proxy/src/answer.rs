//! Answers: whole, or as events while they come.

use crate::apart::apart;
use crate::bodies::NotWhole;
use crate::observer::Trace;
use crate::{ANSWER, Chunk, Inner, RETRY, headers, no_room, refuse, report};
use axum::body::Body;
use axum::http::response::Parts;
use axum::http::{HeaderName, Response, header};
use bytes::Bytes;
use futures_util::stream::unfold;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use sonometer_guard::{Blocked, Exchange, Form, Kind, Stream};
use std::io;
use std::sync::Arc;
use tokio::time::timeout;

/// The answer to a request that was guarded. `most`: the bytes of a whole answer.
pub(crate) async fn guarded(
    inner: &Arc<Inner>,
    mut exchange: Exchange,
    trace: Trace,
    answer: Response<Incoming>,
    most: usize,
) -> Response<Body> {
    let form = exchange.form();
    let (parts, body) = answer.into_parts();
    let mut to = headers::forward(&parts.headers);
    let refused = |blocked: &Blocked| as_the_upstream(refuse(inner, blocked, form), blocked, &parts);
    if headers::leads_elsewhere(parts.status, &parts.headers) {
        // The client would send what it has, unmasked, to the other address.
        let message = "the upstream redirects to another address; give that address as `upstream`".to_owned();
        return refused(&Blocked { kind: Kind::Unknown, message, is_answer: true });
    }
    if !exchange.guards_answers() {
        report(&exchange, &mut to);
        inner.ended(exchange.report(), exchange.digest(), &trace);
        return with(parts.status, to, Body::new(body));
    }
    if headers::is_encoded(&parts.headers) {
        let message = "the upstream compressed its answer although it was asked not to".to_owned();
        return refused(&Blocked { kind: Kind::Unreadable, message, is_answer: true });
    }
    if headers::is_other_charset(&parts.headers) {
        let message = "the `content-type` of the answer names another charset than UTF-8".to_owned();
        return refused(&Blocked { kind: Kind::Unreadable, message, is_answer: true });
    }
    headers::changed(&mut to);
    if headers::is_event_stream(&parts.headers) {
        // What the answer itself comes to shows at its end.
        report(&exchange, &mut to);
        let policy = exchange.digest().to_owned();
        let coming = Coming {
            inner: Arc::clone(inner),
            body: Some(body),
            stream: exchange.stream(),
            form,
            policy,
            trace,
        };
        return with(parts.status, to, coming.events());
    }
    let held = match inner.room.whole(body, most, ANSWER).await {
        Ok(held) => held,
        Err(NotWhole::NoRoom) => return no_room(form),
        Err(wrong) => {
            let (kind, message) = match wrong {
                NotWhole::Large => {
                    (Kind::TooLarge, format!("an answer has more than {most} bytes (limits.body_bytes)"))
                }
                NotWhole::Slow => {
                    let message =
                        format!("an answer had not come in whole after {} seconds", ANSWER.as_secs());
                    (Kind::Cut, message)
                }
                _ => (Kind::Cut, "the upstream ended in the middle of the answer".to_owned()),
            };
            return refused(&Blocked { kind, message, is_answer: true });
        }
    };
    let body = &held.bytes;
    match apart(body.len(), || exchange.response(parts.status.as_u16(), body)) {
        Ok(shown) => {
            report(&exchange, &mut to);
            inner.ended(exchange.report(), exchange.digest(), &trace);
            with(parts.status, to, Body::from(shown))
        }
        Err(blocked) => refused(&blocked),
    }
}

/// An error of the upstream stays that error where its text is not shown: clients go by its status and by how long they are to wait.
fn as_the_upstream(mut refusal: Response<Body>, blocked: &Blocked, of: &Parts) -> Response<Body> {
    if blocked.kind == Kind::Rule || !(of.status.is_client_error() || of.status.is_server_error()) {
        return refusal;
    }
    *refusal.status_mut() = of.status;
    refusal.headers_mut().remove(RETRY);
    for name in ["retry-after", "retry-after-ms", "x-should-retry"] {
        if let Some(value) = of.headers.get(name) {
            refusal.headers_mut().insert(HeaderName::from_static(name), value.clone());
        }
    }
    refusal
}

fn with(status: axum::http::StatusCode, headers: axum::http::HeaderMap, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response
}

/// An answer that comes in as events.
struct Coming {
    inner: Arc<Inner>,
    body: Option<Incoming>,
    stream: Stream,
    form: Form,
    policy: String,
    trace: Trace,
}

/// An answer counts when it ends, also where its client left.
impl Drop for Coming {
    fn drop(&mut self) {
        self.inner.ended(self.stream.report(), &self.policy, &self.trace);
    }
}

impl Coming {
    /// The events of an answer as they may be shown. The upstream is dropped with the body, so a client that leaves ends both.
    fn events(self) -> Body {
        Body::from_stream(unfold(self, |mut coming| async move {
            let chunk = coming.next().await?;
            Some((chunk, coming))
        }))
    }

    async fn next(&mut self) -> Option<Chunk> {
        loop {
            let body = self.body.as_mut()?;
            let guarded = &mut self.stream;
            let mut out = Vec::new();
            let Ok(frame) = timeout(ANSWER, body.frame()).await else {
                self.body = None;
                let message = format!("the upstream sent nothing for {} seconds", ANSWER.as_secs());
                let silent = Blocked { kind: Kind::Cut, message, is_answer: true };
                self.inner.counts.blocked(silent.kind);
                return Some(Ok(Bytes::from(silent.event(self.form))));
            };
            let result = match frame {
                Some(Ok(frame)) => match frame.into_data() {
                    // All of an event is read when its end comes.
                    Ok(bytes) => apart(guarded.waiting() + bytes.len(), || guarded.push(&bytes, &mut out)),
                    // Trailers.
                    Err(_) => continue,
                },
                // The upstream broke off: the client's connection breaks too, which its SDK reports as an error.
                Some(Err(error)) => {
                    self.body = None;
                    return Some(Err(io::Error::other(error)));
                }
                None => {
                    let result = apart(guarded.waiting(), || guarded.finish(&mut out));
                    self.body = None;
                    result
                }
            };
            if let Err(blocked) = result {
                self.inner.counts.blocked(blocked.kind);
                out.extend_from_slice(&blocked.event(self.form));
                self.body = None;
            } else if guarded.is_over() {
                self.body = None;
            }
            if !out.is_empty() {
                return Some(Ok(Bytes::from(out)));
            }
        }
    }
}
