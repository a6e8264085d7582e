//! Transcripts as recognisers and people write them: JSON of several kinds, WebVTT, SubRip.

use super::services::Service;
use super::transcript::{Segment, Transcript, Word, seconds, share};
use crate::Limits;
use crate::error::{ReadError, Reason};
use crate::format::captions::{self, Said};
use serde_json::{Map, Value};
use sonometer::Unit;

/// Who wrote a transcript.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// A person, who may write `Ann: Good morning.`
    Person,
    /// A program, to which `Listen: …` is a word and a colon.
    Program,
}

const FORMS: &str = "write JSON with `segments` (`start`, `end`, `text`), WebVTT or SubRip";

impl Transcript {
    /// What a recogniser gave: JSON of ours, of whisper, whisper.cpp, vosk or a service, WebVTT or SubRip. In a recording nobody may say
    /// anything, so nothing is an empty transcript. `what` is what errors call it, such as "what `recognise` printed".
    ///
    /// # Errors
    /// [`Reason::Transcriber`] for what is no transcript; [`Reason::TooLarge`].
    pub fn of_recogniser(bytes: &[u8], what: &str, limits: &Limits) -> Result<Self, ReadError> {
        if bytes.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        read(bytes, By::Program, limits).or_else(|failure| match failure.reason {
            Reason::NoText => Ok(Self::default()),
            reason => {
                let at = match failure.error.place.as_str() {
                    "" => String::new(),
                    place => format!(" at {place}"),
                };
                let message = format!("{what}{at}: {}", failure.error.message);
                let reason = if reason == Reason::Broken { Reason::Transcriber } else { reason };
                Err(ReadError::new(reason, "", message))
            }
        })
    }
}

/// Reads a transcript of any of the forms.
pub(super) fn read(bytes: &[u8], by: By, limits: &Limits) -> Result<Transcript, ReadError> {
    if bytes.len() > limits.text_bytes {
        let what = format!("the transcript has {} bytes", bytes.len());
        return Err(ReadError::too_large("", what, limits.text_bytes));
    }
    let decoded = crate::text::decode(bytes)?;
    let text = decoded.text.trim_start_matches('\u{feff}').trim_start();
    if text.is_empty() {
        let message = format!("the transcript is empty; {FORMS}");
        return Err(ReadError::new(Reason::NoText, "", message));
    }
    let transcript = match text.as_bytes()[0] {
        b'{' | b'[' => json(text)?,
        _ if text.starts_with("WEBVTT") || text.contains("-->") => captions(text, by)?,
        _ => {
            let start: String = text.chars().take(40).filter(|c| !c.is_control()).collect();
            let message = format!("a transcript with times does not begin with `{start}`; {FORMS}");
            return Err(ReadError::new(Reason::Broken, "line 1", message));
        }
    };
    transcript.tidied(limits.paragraphs)
}

/// Captions: those of one voice that follow each other are one turn, as where they are sensed alone. Those of a program are
/// parted by pauses.
fn captions(text: &str, by: By) -> Result<Transcript, ReadError> {
    let mut segments: Vec<Segment> = Vec::new();
    captions::each(text, by == By::Person, |Said { start, end, speaker, text }| {
        let goes_on = segments.last().is_some_and(|last| last.speaker == speaker);
        let joins = (by == By::Person).then_some(goes_on);
        segments.push(Segment { start, end, text, speaker, joins, ..Segment::default() });
        Ok(())
    })?;
    Ok(Transcript { segments })
}

fn json(text: &str) -> Result<Transcript, ReadError> {
    let broken = |error: serde_json::Error| {
        let place = format!("line {}", error.line());
        ReadError::new(Reason::Broken, place, format!("the transcript is not valid JSON: {error}; {FORMS}"))
    };
    // Some recognisers write one object after the other.
    let values: Vec<Value> =
        serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().map_err(broken)?;
    let mut segments = Vec::new();
    for value in values {
        match value {
            Value::Array(list) => segments.extend(list_of(&list, "")?),
            Value::Object(object) => segments.extend(of_object(&object)?),
            _ => return Err(no_form()),
        }
    }
    Ok(Transcript { segments })
}

fn no_form() -> ReadError {
    let message = format!("the transcript is JSON of an unknown form; {FORMS}");
    ReadError::new(Reason::Broken, "", message)
}

/// Whether JSON is a transcript of a recogniser, which nothing else is.
pub(crate) fn is_one(value: &Value) -> bool {
    let Value::Object(object) = value else { return false };
    let first = |key: &str, members: &[&str]| {
        let first = object.get(key).and_then(|list| list.get(0)).and_then(Value::as_object);
        first.filter(|first| members.iter().all(|member| first.contains_key(*member)))
    };
    Service::of(object).is_some()
        || first("transcription", &["offsets", "text"]).is_some()
        || first("result", &["word", "start"]).is_some()
        // The segments of an interaction have a role and `content`.
        || first("segments", &["start", "text"])
            .is_some_and(|first| !["role", "content"].iter().any(|key| first.contains_key(*key)))
}

fn of_object(object: &Map<String, Value>) -> Result<Vec<Segment>, ReadError> {
    if let Some(service) = Service::of(object) {
        return service.segments();
    }
    if let Some(Value::Array(list)) = object.get("segments") {
        return list_of(list, "segments");
    }
    // whisper.cpp.
    if let Some(Value::Array(list)) = object.get("transcription") {
        return list
            .iter()
            .enumerate()
            .map(|(at, value)| cpp(value, &format!("transcription[{at}]")))
            .collect();
    }
    // vosk: an utterance with its words, or without any.
    if let Some(Value::Array(list)) = object.get("result") {
        let words = words_of(list, "result")?;
        let Some((first, last)) = words.first().zip(words.last()) else { return Ok(Vec::new()) };
        let text = object.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        let (start, end) = (first.start, Some(last.end));
        return Ok(vec![Segment { start, end, text, words, ..Segment::default() }]);
    }
    if object.get("start").is_some() {
        return Ok(vec![segment(object, "")?]);
    }
    match object.get("text").or_else(|| object.get("partial")) {
        // An utterance in which nothing was heard.
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Vec::new()),
        Some(Value::String(_)) => {
            let message =
                "the transcript has no times; let the recogniser write segments with `start` and `end`";
            Err(ReadError::new(Reason::Broken, "", message))
        }
        _ => Err(no_form()),
    }
}

fn list_of(list: &[Value], name: &str) -> Result<Vec<Segment>, ReadError> {
    let one = |(at, value): (usize, &Value)| {
        let place = format!("{name}[{at}]");
        match value {
            Value::Object(object) if object.contains_key("result") => of_object(object),
            Value::Object(object) => Ok(vec![segment(object, &place)?]),
            _ => Err(ReadError::new(Reason::Broken, place, format!("not a valid segment; {FORMS}"))),
        }
    };
    let segments: Vec<Vec<Segment>> = list.iter().enumerate().map(one).collect::<Result<_, _>>()?;
    Ok(segments.into_iter().flatten().collect())
}

/// A segment of ours, or of whisper.
fn segment(object: &Map<String, Value>, place: &str) -> Result<Segment, ReadError> {
    let number = |key: &str| object.get(key).and_then(Value::as_f64);
    let inside = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    let Some(start) = number("start") else {
        let message = "a segment needs `start` in seconds";
        return Err(ReadError::new(Reason::Broken, inside("start"), message));
    };
    let Some(text) = object.get("text").and_then(Value::as_str) else {
        return Err(ReadError::new(Reason::Broken, inside("text"), "a segment needs `text`"));
    };
    let channel = match object.get("channel") {
        None | Some(Value::Null) => None,
        Some(value) => match value.as_u64().and_then(|number| u32::try_from(number).ok()) {
            Some(number) if number > 0 => Some(number),
            _ => {
                let message = format!("{value} is not a channel; channels are counted from 1");
                return Err(ReadError::new(Reason::Broken, inside("channel"), message));
            }
        },
    };
    let words = match object.get("words") {
        Some(Value::Array(list)) => words_of(list, &inside("words"))?,
        _ => Vec::new(),
    };
    // The mean logarithm of the probability of its tokens, in whisper.
    let confidence =
        number("confidence").or_else(|| number("score")).or_else(|| number("avg_logprob").map(f64::exp));
    Ok(Segment {
        start: seconds(start, &inside("start"))?,
        end: number("end").map(|end| seconds(end, &inside("end"))).transpose()?,
        text: text.to_owned(),
        speaker: object.get("speaker").and_then(Value::as_str).map(str::to_owned),
        channel,
        // That of the words is nearer to what was heard, where it is there.
        confidence: if number("confidence").is_none() && words.iter().any(|word| word.confidence.is_some()) {
            None
        } else {
            confidence.and_then(share)
        },
        words,
        joins: object.get("joins").and_then(Value::as_bool),
    })
}

/// Words; those without times (digits, mostly) are left out.
fn words_of(list: &[Value], place: &str) -> Result<Vec<Word>, ReadError> {
    let mut words = Vec::new();
    for (at, value) in list.iter().enumerate() {
        let place = format!("{place}[{at}]");
        let number = |keys: &[&str]| keys.iter().find_map(|key| value.get(key)).and_then(Value::as_f64);
        let text = ["text", "word"].iter().find_map(|key| value.get(key)).and_then(Value::as_str);
        let (Some(start), Some(text)) = (number(&["start"]), text) else { continue };
        let start = seconds(start, &place)?;
        let end = number(&["end"]).map_or(Ok(start), |end| seconds(end, &place))?.max(start);
        let confidence = number(&["confidence", "probability", "conf", "score"]).and_then(share);
        words.push(Word { text: text.to_owned(), start, end, confidence });
    }
    Ok(words)
}

/// A segment of whisper.cpp: milliseconds, and tokens that are parts of words.
fn cpp(value: &Value, place: &str) -> Result<Segment, ReadError> {
    let time = |value: &Value, key: &str| {
        let milliseconds = value.get("offsets").and_then(|offsets| offsets.get(key)).and_then(Value::as_f64);
        milliseconds.map(|milliseconds| seconds(milliseconds / 1000.0, place)).transpose()
    };
    let (Some(start), Some(text)) = (time(value, "from")?, value.get("text").and_then(Value::as_str)) else {
        let message = "a segment needs `offsets` and `text`; let whisper.cpp write them with `-oj`";
        return Err(ReadError::new(Reason::Broken, place, message));
    };
    let mut tokens = Vec::new();
    let given = value.get("tokens").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for token in given {
        let text = token.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        let (Some(start), Some(end)) = (time(token, "from")?, time(token, "to")?) else { continue };
        tokens.push(Token { text, start, end, share: token.get("p").and_then(Value::as_f64) });
    }
    Ok(Segment {
        start,
        end: time(value, "to")?,
        text: text.to_owned(),
        words: grouped(tokens),
        ..Segment::default()
    })
}

/// A part of a word, as whisper has them.
pub(super) struct Token {
    /// With a space before it where a word begins.
    pub(super) text: String,
    pub(super) start: Unit,
    pub(super) end: Unit,
    /// How sure it is.
    pub(super) share: Option<f64>,
}

/// The words of tokens; as sure as their parts are in the mean.
pub(super) fn grouped(tokens: Vec<Token>) -> Vec<Word> {
    let mut words: Vec<(Word, Vec<f64>)> = Vec::new();
    for token in tokens {
        // Tokens such as `[_BEG_]` are no words.
        if token.text.starts_with("[_") {
            continue;
        }
        match words.last_mut() {
            Some((word, shares)) if !token.text.starts_with(' ') => {
                word.text.push_str(&token.text);
                word.end = word.end.max(token.end);
                shares.extend(token.share);
            }
            _ => {
                let Token { text, start, end, share } = token;
                let word = Word { text, start, end: end.max(start), confidence: None };
                words.push((word, share.into_iter().collect()));
            }
        }
    }
    let sure = |(word, shares): (Word, Vec<f64>)| {
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        Word { confidence: share(mean), ..word }
    };
    words.into_iter().map(sure).collect()
}
