//! Interactions: what is measured.

use crate::door;
use crate::error::Error;
use crate::raw::{self, Text};
use crate::result::Outcome;
use crate::status::Status;
use sonometer::{Interaction, MessageForm, Messages, Turn, Unit};
use std::ffi::c_char;

/// One interaction: a text, or the turns of a conversation. It never changes: any number of threads may use one at the same
/// time. Free it with `snm_interaction_free`.
#[derive(Debug)]
pub struct Talk {
    pub(crate) interaction: Interaction,
}

/// One turn of a conversation.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Who speaks; not empty.
    pub role: Text,
    /// What is said.
    pub content: Text,
    /// When: millionths of a second from any origin, or `SNM_NO_TIME`.
    pub timestamp: i64,
}

impl Segment {
    /// # Safety
    /// Its texts are as [`raw::text`] wants them.
    pub(crate) unsafe fn read(&self, place: &str) -> Result<Turn, door::Failure> {
        let Self { role, content, timestamp } = *self;
        let name = |key: &str| format!("{place}.{key}");
        // SAFETY: as the caller says.
        let role = unsafe { raw::text(role.data, role.len, &name("role")) }?;
        // SAFETY: as above.
        let content = unsafe { raw::text(content.data, content.len, &name("content")) }?;
        let timestamp = time(timestamp, &name("timestamp"))?;
        Ok(Turn { role: Some(role.into()), content: content.into(), timestamp })
    }
}

/// The timestamp of a turn that has none.
pub const SNM_NO_TIME: i64 = i64::MIN;

/// The most that a time is before or after its origin, as where interactions are read from JSON.
const FARTHEST: u64 = 9_000_000_000_000_000_000;

/// A plain text. It is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_interaction_text(
    content: *const c_char,
    content_len: usize,
    out: *mut *mut Talk,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a text of the caller, by the rules of the header.
        let content = unsafe { raw::text(content, content_len, "content") }?;
        Ok(Talk { interaction: Interaction::text(content)? })
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// A conversation of `count` turns. They are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_interaction_segments(
    segments: *const Segment,
    count: usize,
    out: *mut *mut Talk,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a list of the caller, by the rules of the header.
        let segments = unsafe { raw::list(segments, count, "segments") }?;
        let turn = |(at, segment): (usize, &Segment)| {
            // SAFETY: its texts are the caller's, by the rules of the header.
            unsafe { segment.read(&format!("segments[{at}]")) }
        };
        let turns = segments.iter().enumerate().map(turn).collect::<Result<Vec<Turn>, door::Failure>>()?;
        Ok(Talk { interaction: Interaction::transcript(turns)? })
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// A time as C gives it.
pub(crate) fn time(timestamp: i64, place: &str) -> Result<Option<Unit>, sonometer::Error> {
    match timestamp {
        SNM_NO_TIME => Ok(None),
        time if time.unsigned_abs() <= FARTHEST => Ok(Some(Unit(time))),
        _ => Err(sonometer::Error::invalid(place, "the time is not within 9e12 seconds")),
    }
}

/// An interaction from JSON, `{"content": …}` or `{"segments": [{"role": …, "content": …, "timestamp": …}, …]}`. The engine
/// reads it strictly: what it does not know it refuses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_interaction_json(
    json: *const c_char,
    json_len: usize,
    out: *mut *mut Talk,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a text of the caller, by the rules of the header.
        let json = unsafe { raw::text(json, json_len, "json") }?;
        Ok(Talk { interaction: Interaction::from_json(json)? })
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// An interaction from the messages of a chat, as JSON of OpenAI, Anthropic, Gemini, LangChain, Vercel's AI SDK, ShareGPT, vCon,
/// Contact Lens, Twilio or Bedrock's Converse, a thread of OpenAI's Assistants, a line of a batch, or preference data.
///
/// `form` names one of `openai`, `anthropic`, `gemini`, `langchain`, `ai-sdk`, `sharegpt`, `vcon`, `contact-lens`, `twilio`,
/// `bedrock`, `assistants`, `batch`, `chosen`, `rejected`; if it is empty, the keys of the JSON decide. Unless `told` is NULL, it
/// gets a result with JSON that says what was found beside: `form`, `interaction`, `places` of the turns, `apart` (tool calls,
/// their results, reasoning, media) and `notices` of what was skipped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_interaction_messages(
    json: *const c_char,
    json_len: usize,
    form: *const c_char,
    form_len: usize,
    out: *mut *mut Talk,
    told: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: places for handles or NULL, by the rules of the header.
    let wants_turns = unsafe { raw::clear(out) };
    // SAFETY: as above.
    let wants_told = unsafe { raw::clear(told) };
    let work = || {
        if !wants_turns {
            return Err(door::Failure::argument("out", "`out` is NULL; give a place for the result"));
        }
        // SAFETY: a text of the caller, by the rules of the header.
        let json = unsafe { raw::text(json, json_len, "json") }?;
        // SAFETY: as above.
        let form = unsafe { raw::text(form, form_len, "form") }?;
        let form = if form.is_empty() { None } else { Some(MessageForm::from_name(form)?) };
        Ok(Messages::read(json, form)?)
    };
    let keep = |read: Messages| {
        if wants_told {
            // SAFETY: as above.
            unsafe { raw::put(told, read.to_json().into()) };
        }
        // SAFETY: as above.
        unsafe { raw::put(out, Talk { interaction: read.interaction }) };
    };
    // SAFETY: as above.
    unsafe { door::settle(error, work, keep) }
}

/// Frees an interaction. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_interaction_free(interaction: *mut Talk) {
    // SAFETY: NULL or an interaction that the caller gives back, by the rules of the header.
    unsafe { raw::free(interaction) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_as_in_json() {
        assert_eq!(time(SNM_NO_TIME, "t"), Ok(None));
        for (millionths, seconds) in
            [(0, "0"), (-1_500_000, "-1.5"), (9_000_000_000_000_000_000, "9000000000000")]
        {
            let json = format!(r#"{{"segments":[{{"role":"a","content":"b","timestamp":{seconds}}}]}}"#);
            let read = Interaction::from_json(&json).expect("is read").turns()[0].timestamp;
            assert_eq!(time(millionths, "t"), Ok(read));
        }
        assert!(time(i64::MAX, "t").is_err() && time(i64::MIN + 1, "t").is_err());
    }
}
