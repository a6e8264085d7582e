//! What was heard in a recording, and when: the one form into which all recognisers and caption files are brought.

use crate::error::{ReadError, Reason};
use sha2::{Digest, Sha256};
use sonometer::Unit;

/// Times beyond this, in seconds, are no times of a recording.
const LATEST: f64 = 1e9;
/// A silence between two words that parts a segment, in millionths of a second.
pub(super) const PAUSE: i64 = 1_000_000;
/// A silence that ends a turn, though the same person goes on.
pub(super) const LONG_PAUSE: i64 = 2_000_000;

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it stands in the text of its segment.
    pub text: String,
    /// When it begins, in seconds from the beginning of the recording.
    pub start: Unit,
    /// When it ends.
    pub end: Unit,
    /// How sure the recogniser is, 0 to 1.
    pub confidence: Option<Unit>,
}

/// A stretch of speech of one person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// When it begins, in seconds from the beginning of the recording.
    pub start: Unit,
    /// When it ends, where that is known.
    pub end: Option<Unit>,
    /// What is said, without white space at its ends.
    pub text: String,
    /// Who says it, where somebody is named.
    pub speaker: Option<String>,
    /// In which channel, from 1; `None` where channels do not matter.
    pub channel: Option<u32>,
    /// How sure the recogniser is, 0 to 1.
    pub confidence: Option<Unit>,
    /// The words, where their times are known.
    pub words: Vec<Word>,
    /// Whether it goes on the turn of the segment before; `None`: pauses decide.
    pub joins: Option<bool>,
}

/// What was heard in a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// By time.
    pub segments: Vec<Segment>,
}

impl Transcript {
    /// The canonical JSON: `{"sonometer_transcript":"1","segments":[…]}`, keys in one order, numbers in seconds and shares of 1.
    /// [`crate::audio::Words::Given`] takes it back, and the same bytes give the same interaction.
    pub fn to_json(&self) -> String {
        let mut json = String::from("{\"sonometer_transcript\":\"1\",\"segments\":[");
        for (at, segment) in self.segments.iter().enumerate() {
            json.push_str(if at == 0 { "\n{" } else { ",\n{" });
            json.push_str(&format!("\"start\":{}", segment.start));
            member(&mut json, "end", segment.end);
            member(&mut json, "channel", segment.channel);
            member(&mut json, "speaker", segment.speaker.as_deref().map(quoted));
            member(&mut json, "joins", segment.joins);
            member(&mut json, "confidence", segment.confidence);
            json.push_str(&format!(",\"text\":{}", quoted(&segment.text)));
            if !segment.words.is_empty() {
                json.push_str(",\"words\":[");
                for (at, word) in segment.words.iter().enumerate() {
                    json.push_str(if at == 0 { "{" } else { ",{" });
                    json.push_str(&format!("\"start\":{},\"end\":{}", word.start, word.end));
                    member(&mut json, "confidence", word.confidence);
                    json.push_str(&format!(",\"text\":{}}}", quoted(&word.text)));
                }
                json.push(']');
            }
            json.push('}');
        }
        json.push_str("\n]}\n");
        json
    }

    /// SHA-256 of [`Transcript::to_json`], in hexadecimal: by it readings of one recording can be told to be of one transcript.
    pub fn sha256(&self) -> String {
        Sha256::digest(self.to_json()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Text without white space that only lays it out, times in order, confidence of segments from their words; segments without
    /// text are left out, and those with a pause between two words are parted there.
    pub(super) fn tidied(self, most: usize) -> Result<Self, ReadError> {
        let mut segments = Vec::new();
        for mut segment in self.segments {
            segment.text = plain(&segment.text);
            segment.speaker = segment.speaker.map(|name| plain(&name)).filter(|name| !name.is_empty());
            segment.words.iter_mut().for_each(|word| word.text = plain(&word.text));
            segment.words.retain(|word| !word.text.is_empty());
            if segment.text.is_empty() {
                let words: Vec<&str> = segment.words.iter().map(|word| word.text.as_str()).collect();
                segment.text = words.join(" ");
            }
            if !segment.text.is_empty() {
                segments.extend(parted(segment));
            }
            if segments.len() > most {
                return Err(ReadError::too_large("", "the transcript has too many segments", most));
            }
        }
        for segment in &mut segments {
            segment.end = segment.end.map(|end| end.max(segment.start));
            segment.confidence = segment.confidence.or_else(|| mean(&segment.words));
        }
        Ok(Self { segments })
    }

    /// When the last segment ends.
    pub(super) fn end(&self) -> Unit {
        let ends = self.segments.iter().map(|segment| segment.end.unwrap_or(segment.start));
        ends.max().unwrap_or(Unit::ZERO)
    }

    /// The mean confidence, by the length of what is said; `None` where no recogniser gave any.
    pub fn confidence(&self) -> Option<Unit> {
        let (mut sum, mut letters) = (0_i128, 0_i128);
        for segment in &self.segments {
            let own = i128::try_from(segment.text.chars().count()).unwrap_or(0);
            if let Some(confidence) = segment.confidence {
                sum += i128::from(confidence.0) * own;
                letters += own;
            }
        }
        (letters > 0).then(|| Unit::ratio(sum, letters * 1_000_000))
    }
}

fn member(json: &mut String, key: &str, value: Option<impl std::fmt::Display>) {
    if let Some(value) = value {
        json.push_str(&format!(",\"{key}\":{value}"));
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A text in one line, with single spaces, without places where words may be broken.
fn plain(text: &str) -> String {
    let text = text.replace('\u{ad}', "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn mean(words: &[Word]) -> Option<Unit> {
    let known: Vec<i128> =
        words.iter().filter_map(|word| word.confidence).map(|unit| unit.0.into()).collect();
    let count = i128::try_from(known.len()).unwrap_or(1);
    (count > 0).then(|| Unit::ratio(known.iter().sum(), count * 1_000_000))
}

/// A segment in the parts between its pauses.
fn parted(mut segment: Segment) -> Vec<Segment> {
    segment.words.sort_by_key(|word| word.start);
    let pauses = segment.words.windows(2).any(|pair| pair[1].start.0 - pair[0].end.0 >= PAUSE);
    let places = super::place::words(&segment.text, &segment.words);
    // Words that are not in the text cannot say where to part it; neither is parted what says itself how it goes on.
    if !pauses || segment.joins.is_some() || places.iter().any(Option::is_none) {
        return vec![segment];
    }
    let mut parts: Vec<Segment> = Vec::new();
    let mut from = 0;
    for (at, word) in segment.words.iter().enumerate() {
        let begins = at == 0 || word.start.0 - segment.words[at - 1].end.0 >= PAUSE;
        if begins {
            let place = if at == 0 { 0 } else { places[at].unwrap_or(from) };
            if let Some(last) = parts.last_mut() {
                last.text = segment.text[from..place].trim().to_owned();
            }
            from = place;
            let start = if at == 0 { segment.start } else { word.start };
            // What a part takes over is short; words and text are its own.
            let (speaker, channel) = (segment.speaker.clone(), segment.channel);
            parts.push(Segment { start, end: segment.end, speaker, channel, ..Segment::default() });
        }
        if let Some(last) = parts.last_mut() {
            last.end = Some(word.end);
            last.words.push(word.clone());
        }
    }
    if let Some(last) = parts.last_mut() {
        last.text = segment.text[from..].trim().to_owned();
        last.end = segment.end.or(last.end);
    }
    parts
}

/// Seconds, from whatever number a recogniser writes.
pub(super) fn seconds(value: f64, place: &str) -> Result<Unit, ReadError> {
    if !(-1.0..LATEST).contains(&value) {
        let message =
            format!("{value} is not a valid time; write seconds from the beginning of the recording");
        return Err(ReadError::new(Reason::Broken, place, message));
    }
    Ok(Unit((value.max(0.0) * 1e6).round() as i64))
}

/// A share of 1; what lies beyond is brought back.
pub(super) fn share(value: f64) -> Option<Unit> {
    value.is_finite().then(|| Unit((value.clamp(0.0, 1.0) * 1e6).round() as i64))
}
