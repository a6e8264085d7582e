//! The endpoint for LiteLLM's generic guardrail API: texts in, masked texts out.
//!
//! LiteLLM sends an answer that streams again from its beginning each time, so its sessions are kept by the id of the call.

use crate::apart::apart;
use crate::bodies::NotWhole;
use crate::{BODY, Inner, no_room, too_slow};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use sonometer_guard::{Blocked, Form, Guard, Kind, On, Pass, Role, Texts};
use std::collections::HashMap;
use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The most calls whose sessions are kept; the oldest gives way, and is read again from the beginning if it goes on.
const MOST_CALLS: usize = 4_096;
/// The most bytes of their texts. Each takes about three times as much.
const MOST_BYTES: usize = 64 << 20;
/// LiteLLM does not say which part of an answer is the last, so what was not asked about for so long is over.
const OVER: Duration = Duration::from_secs(120);
/// After so many questions, calls that are over are forgotten.
const SWEEP: u64 = 64;

/// The sessions of answers under way, by call.
#[derive(Default)]
pub(crate) struct Calls(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    calls: HashMap<String, Call>,
    /// The bytes of all their texts.
    bytes: usize,
    /// Counts questions about them.
    asked: u64,
}

struct Call {
    asked: Instant,
    /// The bytes of its texts when it was asked about last.
    bytes: usize,
    texts: Texts,
}

impl Kept {
    /// Takes the session of a call out: others need not wait while it reads.
    fn take(&mut self, key: &str) -> Option<Texts> {
        let call = self.calls.remove(key)?;
        self.bytes -= call.bytes;
        Some(call.texts)
    }

    /// Keeps a session whose texts have so many bytes by now.
    fn put(&mut self, key: String, bytes: usize, texts: Texts) {
        let now = Instant::now();
        self.asked += 1;
        if self.asked.is_multiple_of(SWEEP) {
            self.calls.retain(|_, call| now.duration_since(call.asked) < OVER);
            self.bytes = self.calls.values().map(|call| call.bytes).sum();
        }
        self.take(&key);
        while self.calls.len() >= MOST_CALLS || self.bytes + bytes > MOST_BYTES {
            let oldest = self.calls.iter().min_by_key(|(_, call)| call.asked).map(|(key, _)| key.clone());
            if oldest.and_then(|oldest| self.take(&oldest)).is_none() {
                break;
            }
        }
        self.bytes += bytes;
        self.calls.insert(key, Call { asked: now, bytes, texts });
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Calls(…)")
    }
}

#[derive(Debug, Deserialize)]
struct Asked {
    input_type: InputType,
    #[serde(default)]
    texts: Option<Vec<String>>,
    #[serde(default)]
    images: Option<Vec<Value>>,
    /// What tools the model may call: their descriptions are texts, too.
    #[serde(default)]
    tools: Option<Vec<Box<RawValue>>>,
    #[serde(default)]
    tool_calls: Option<Vec<Value>>,
    #[serde(default)]
    litellm_call_id: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum InputType {
    Request,
    Response,
}

#[derive(Debug, Default, Serialize)]
struct Answered {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    texts: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Box<RawValue>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_holdback_chars: Option<Vec<usize>>,
}

pub(crate) async fn answer(inner: &Inner, request: Request) -> Response {
    let guard = inner.guards.newest();
    let most = guard.policy().limits.body_bytes;
    let held = match inner.room.whole(request.into_body(), most, BODY).await {
        Ok(held) => held,
        Err(NotWhole::Slow) => return (StatusCode::REQUEST_TIMEOUT, too_slow()).into_response(),
        Err(NotWhole::NoRoom) => return no_room(Form::Chat),
        Err(_) => {
            return (StatusCode::PAYLOAD_TOO_LARGE, "the body is too large (limits.body_bytes)")
                .into_response();
        }
    };
    apart(held.bytes.len(), || answer_to(inner, &guard, &held.bytes))
}

/// The answer to a body.
fn answer_to(inner: &Inner, guard: &Guard, body: &[u8]) -> Response {
    let blocked = |blocked: Blocked| {
        inner.counts.blocked(blocked.kind);
        Answered { action: "BLOCKED", blocked_reason: Some(blocked.to_string()), ..Answered::default() }
    };
    // What is no UTF-8 is no JSON either.
    let checked = guard.check_values(std::str::from_utf8(body).unwrap_or_default());
    let answered = match checked.map(|()| serde_json::from_slice::<Asked>(body)) {
        Ok(Ok(asked)) => masked(inner, guard, &asked).unwrap_or_else(blocked),
        Ok(Err(_)) => {
            let message = "the body is not that of LiteLLM's generic guardrail API: `input_type` and `texts` are needed";
            return (StatusCode::BAD_REQUEST, message).into_response();
        }
        Err(too_many) => blocked(too_many),
    };
    let body = serde_json::to_vec(&answered).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

fn masked(inner: &Inner, guard: &Guard, asked: &Asked) -> Result<Answered, Blocked> {
    inner.counts.guarded();
    let refused = |kind, message: &str| Err(Blocked { kind, message: message.to_owned(), is_answer: false });
    let has = |list: &Option<Vec<Value>>| list.as_ref().is_some_and(|list| !list.is_empty());
    if guard.policy().placeholders {
        let message =
            "`placeholders` need whole conversations, which this endpoint does not get; use the proxy";
        return refused(Kind::NoTable, message);
    }
    if has(&asked.images) && guard.policy().media == Pass::Block {
        return refused(
            Kind::Unmaskable,
            "images cannot be masked; set `media = \"pass\"` to let them through",
        );
    }
    let on = if asked.input_type == InputType::Request { On::Request } else { On::Response };
    let role = if on == On::Request { Role::User } else { Role::Assistant };
    // Calls cannot be rewritten here: what is found in them is refused.
    let mut texts = guard.texts();
    for call in asked.tool_calls.iter().flatten() {
        let part = |place| call.pointer(place).and_then(Value::as_str);
        let (own, shown) = match (part("/function/arguments"), part("/custom/input")) {
            (Some(json), _) => (json, texts.arguments(on, Role::Assistant, json)?),
            (_, Some(text)) => (text, texts.text(on, Role::Assistant, text)?),
            // A call of a function without arguments has nothing to mask.
            _ if call.get("function").is_some() => continue,
            _ => return refused(Kind::Unknown, "a call of an unknown type; use the proxy"),
        };
        if shown != own {
            let message = "a mask found something in the arguments of a tool, which this endpoint cannot change; use the proxy";
            return refused(Kind::Unmaskable, message);
        }
    }
    let mut tools = Vec::new();
    for tool in asked.tools.iter().flatten() {
        let shown = texts.definition(tool.get())?;
        let shown = RawValue::from_string(shown);
        let Ok(shown) = shown else { return refused(Kind::Unreadable, "a tool that is no JSON") };
        tools.push(shown);
    }
    let own = asked.texts.as_deref().unwrap_or_default();
    let (mut shown, mut held) = (Vec::with_capacity(own.len()), Vec::with_capacity(own.len()));
    match (&asked.litellm_call_id, on) {
        (Some(call), On::Response) => {
            let key = format!("{} {call}", guard.digest());
            let kept = || inner.litellm.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let known = kept().take(&key);
            let mut texts = known.unwrap_or_else(|| guard.texts());
            for (index, text) in own.iter().enumerate() {
                let (text, waits) = texts.so_far(index, text)?;
                shown.push(text);
                held.push(waits);
            }
            kept().put(key, own.iter().map(String::len).sum(), texts);
        }
        _ => {
            for text in own {
                shown.push(texts.text(on, role, text)?);
                held.push(0);
            }
            inner.counts.add(texts.report());
        }
    }
    let is_same = |own: &[Box<RawValue>], shown: &[Box<RawValue>]| {
        own.iter().zip(shown).all(|(own, shown)| own.get() == shown.get())
    };
    let same_tools = is_same(asked.tools.as_deref().unwrap_or_default(), &tools);
    // Held characters must be reported even where nothing has changed yet.
    let same_texts = shown == own && held.iter().all(|held| *held == 0);
    Ok(match same_texts && same_tools {
        true => Answered { action: "NONE", ..Answered::default() },
        false => Answered {
            action: "GUARDRAIL_INTERVENED",
            texts: Some(shown),
            tools: (!same_tools).then_some(tools),
            stream_holdback_chars: Some(held),
            ..Answered::default()
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer_guard::Policy;

    /// Sessions of answers that never end, or that nobody asks about again, give way by their bytes.
    #[test]
    fn sessions_are_bounded_in_all() {
        let none = |_: &str| Err(sonometer::Error::invalid("", "there is none"));
        let guard = Guard::new(&Policy::default(), none).expect("compiles");
        let mut kept = Kept::default();
        for at in 0..100 {
            kept.put(format!("call {at}"), 1 << 20, guard.texts());
        }
        assert_eq!((kept.calls.len(), kept.bytes), (64, 64 << 20));
        // One that grows takes the place of others, and more than all has it alone.
        kept.put("call 99".to_owned(), 9 << 20, guard.texts());
        assert_eq!((kept.calls.len(), kept.bytes), (56, 64 << 20));
        kept.put("call 99".to_owned(), 65 << 20, guard.texts());
        assert_eq!((kept.calls.len(), kept.bytes), (1, 65 << 20));
        for at in 0..MOST_CALLS + 9 {
            kept.put(format!("small {at}"), 1, guard.texts());
        }
        assert_eq!((kept.calls.len(), kept.bytes), (MOST_CALLS, MOST_CALLS));
    }
}
