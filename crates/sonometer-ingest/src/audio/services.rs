//! Transcripts as services of speech recognition write them: Deepgram, AssemblyAI, Amazon Transcribe, Azure Speech and Google's
//! Speech-to-Text. Each has its own names for the same things, and its own unit of time.

use super::transcript::{Segment, Word, seconds, share};
use crate::error::ReadError;
use serde_json::{Map, Value};
use sonometer::Unit;

type Segments = Result<Vec<Segment>, ReadError>;

/// How many of a unit of time are a second.
const SECONDS: f64 = 1.0;
const MILLISECONDS: f64 = 1e3;
const TICKS: f64 = 1e7;

/// What a service wrote, where its turns or words are.
pub(super) enum Service<'v> {
    Deepgram(&'v Map<String, Value>),
    Amazon(&'v Map<String, Value>),
    Google(&'v [Value]),
    Azure(&'v [Value]),
    Assembly(&'v Map<String, Value>),
}

impl<'v> Service<'v> {
    /// `None`: no service wrote this.
    pub(super) fn of(object: &'v Map<String, Value>) -> Option<Self> {
        let is_list_of =
            |list: &[Value], key: &str| list.first().is_some_and(|first| first.get(key).is_some());
        match object.get("results").or_else(|| object.get("response")?.get("results")) {
            Some(Value::Object(results)) if results.contains_key("items") => {
                return Some(Self::Amazon(results));
            }
            Some(Value::Object(results)) if results.contains_key("channels") => {
                return Some(Self::Deepgram(results));
            }
            Some(Value::Array(results)) if is_list_of(results, "alternatives") => {
                return Some(Self::Google(results));
            }
            _ => {}
        }
        if let Some(phrases) = list(object, "recognizedPhrases") {
            return Some(Self::Azure(phrases));
        }
        if let Some(phrases) = list(object, "phrases").filter(|list| is_list_of(list, "offsetMilliseconds")) {
            return Some(Self::Azure(phrases));
        }
        let is_assembly = object.contains_key("words")
            && ["audio_duration", "audio_url", "utterances"].iter().any(|key| object.contains_key(*key));
        is_assembly.then_some(Self::Assembly(object))
    }

    pub(super) fn segments(self) -> Segments {
        match self {
            Self::Deepgram(results) => deepgram(results),
            Self::Amazon(results) => amazon(results),
            Self::Google(results) => google(results),
            Self::Azure(phrases) => azure(phrases),
            Self::Assembly(object) => assembly(object),
        }
    }
}

fn list<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v [Value]> {
    object.get(key).and_then(Value::as_array).map(Vec::as_slice)
}

fn deepgram(results: &Map<String, Value>) -> Segments {
    let channels = list(results, "channels").unwrap_or_default();
    let number = |value: Option<&Value>| number_of(value).filter(|_| channels.len() > 1);
    if let Some(utterances) = list(results, "utterances").filter(|list| !list.is_empty()) {
        return each(utterances, "results.utterances", |said, place| {
            let words = words(said.get("words"), place, &DEEPGRAM)?;
            Ok(Some(Segment {
                start: time(said.get("start"), SECONDS, place)?.unwrap_or_default(),
                end: time(said.get("end"), SECONDS, place)?,
                text: text(said, &["transcript"]),
                speaker: speaker(said.get("speaker")),
                channel: number(said.get("channel")),
                confidence: sure(said.get("confidence")),
                words: words.into_iter().map(|heard| heard.word).collect(),
                joins: None,
            }))
        });
    }
    let mut all = Vec::new();
    for (at, channel) in (1..).zip(channels) {
        let Some(best) = channel.get("alternatives").and_then(|list| list.get(0)) else { continue };
        let heard = words(best.get("words"), "results.channels", &DEEPGRAM)?;
        let channel = (channels.len() > 1).then_some(at);
        all.extend(runs(heard.into_iter().map(|heard| Heard { channel, ..heard })));
    }
    Ok(all)
}

fn assembly(object: &Map<String, Value>) -> Segments {
    let Some(utterances) = list(object, "utterances").filter(|list| !list.is_empty()) else {
        let heard = words(object.get("words"), "words", &ASSEMBLY)?;
        return Ok(runs(heard));
    };
    each(utterances, "utterances", |said, place| {
        let words = words(said.get("words"), place, &ASSEMBLY)?;
        let channel = said.get("channel").and_then(Value::as_str).and_then(|number| number.parse().ok());
        Ok(Some(Segment {
            start: time(said.get("start"), MILLISECONDS, place)?.unwrap_or_default(),
            end: time(said.get("end"), MILLISECONDS, place)?,
            text: text(said, &["text"]),
            // With channels, the name of a speaker is the number of the channel once more.
            speaker: speaker(said.get("speaker")).filter(|_| channel.is_none()),
            channel,
            confidence: sure(said.get("confidence")),
            words: words.into_iter().map(|heard| heard.word).collect(),
            joins: None,
        }))
    })
}

/// Items are words and signs; who says a word stands with it, or in files of former years beside it, by its time.
fn amazon(results: &Map<String, Value>) -> Segments {
    let mut speakers: Map<String, Value> = Map::new();
    let labels = results.get("speaker_labels").and_then(Value::as_object);
    for segment in labels.and_then(|labels| list(labels, "segments")).unwrap_or_default() {
        for item in segment.get("items").and_then(Value::as_array).into_iter().flatten() {
            if let (Some(start), Some(label)) =
                (item.get("start_time").and_then(Value::as_str), item.get("speaker_label"))
            {
                speakers.insert(start.to_owned(), label.clone());
            }
        }
    }
    let channels = results.get("channel_labels").and_then(Value::as_object);
    let channels = channels.and_then(|labels| list(labels, "channels")).filter(|list| list.len() > 1);
    let parts: Vec<(Option<u32>, &[Value])> = match channels {
        Some(channels) => {
            let items =
                channels.iter().map(|channel| channel.as_object().and_then(|channel| list(channel, "items")));
            (1..).map(Some).zip(items.map(Option::unwrap_or_default)).collect()
        }
        None => vec![(None, list(results, "items").unwrap_or_default())],
    };
    let mut all = Vec::new();
    for (channel, items) in parts {
        let mut heard: Vec<Heard> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let place = format!("results.items[{at}]");
            let best = item.get("alternatives").and_then(|list| list.get(0));
            let Some(text) = best.and_then(|best| best.get("content")).and_then(Value::as_str) else {
                continue;
            };
            match (time(item.get("start_time"), SECONDS, &place)?, heard.last_mut()) {
                (Some(start), _) => {
                    let end = time(item.get("end_time"), SECONDS, &place)?.unwrap_or(start).max(start);
                    let confidence = best.and_then(|best| sure(best.get("confidence")));
                    let label =
                        item.get("start_time").and_then(Value::as_str).and_then(|time| speakers.get(time));
                    let speaker = speaker(item.get("speaker_label").or(label));
                    let word = Word { text: text.to_owned(), start, end, confidence };
                    heard.push(Heard { word, speaker, channel });
                }
                // A sign has no time of its own.
                (None, Some(last)) => last.word.text.push_str(text),
                (None, None) => {}
            }
        }
        all.extend(runs(heard));
    }
    Ok(all)
}

/// Both forms: of batches, whose times are ticks of 100 nanoseconds or milliseconds, and of the fast interface.
fn azure(phrases: &[Value]) -> Segments {
    let channels = phrases.iter().filter_map(|phrase| number_of(phrase.get("channel"))).max();
    each(phrases, "phrases", |phrase, place| {
        if phrase.get("recognitionStatus").is_some_and(|status| status != "Success") {
            return Ok(None);
        }
        let best = phrase.get("nBest").and_then(|list| list.get(0)).unwrap_or(phrase);
        let of = |name: &str| -> Result<Option<Unit>, ReadError> {
            match time(phrase.get(format!("{name}Milliseconds")), MILLISECONDS, place)? {
                Some(time) => Ok(Some(time)),
                None => time(phrase.get(format!("{name}InTicks")), TICKS, place),
            }
        };
        let start = of("offset")?.unwrap_or_default();
        Ok(Some(Segment {
            start,
            end: of("duration")?.map(|length| Unit(start.0.saturating_add(length.0))),
            text: text(best, &["display", "text", "lexical"]),
            speaker: speaker(phrase.get("speaker")),
            channel: number_of(phrase.get("channel")).filter(|_| channels > Some(1)),
            confidence: sure(best.get("confidence")),
            ..Segment::default()
        }))
    })
}

/// If the service was asked who speaks, the last result repeats all words, each with its speaker.
fn google(results: &[Value]) -> Segments {
    fn best(result: &Value) -> Option<&Value> {
        result.get("alternatives")?.get(0)
    }
    if let Some(last) = results.last().and_then(best) {
        let heard = words(last.get("words"), "results", &GOOGLE)?;
        if heard.iter().any(|heard| heard.speaker.is_some()) {
            return Ok(runs(heard));
        }
    }
    let channels = results.iter().filter_map(|result| result.get("channelTag")?.as_u64()).max();
    let mut before = Unit::ZERO;
    each(results, "results", |result, place| {
        let Some(best) = best(result) else { return Ok(None) };
        let heard = words(best.get("words"), place, &GOOGLE)?;
        let end = result.get("resultEndTime").or_else(|| result.get("resultEndOffset"));
        let end = time(end, SECONDS, place)?.or_else(|| heard.last().map(|heard| heard.word.end));
        let start = heard.first().map_or(before, |heard| heard.word.start);
        before = end.unwrap_or(start);
        let channel =
            result.get("channelTag").and_then(Value::as_u64).and_then(|tag| u32::try_from(tag).ok());
        Ok(Some(Segment {
            start,
            end,
            text: text(best, &["transcript"]),
            channel: channel.filter(|number| channels > Some(1) && *number > 0),
            confidence: sure(best.get("confidence")).filter(|sure| sure.0 > 0),
            words: heard.into_iter().map(|heard| heard.word).collect(),
            ..Segment::default()
        }))
    })
}

/// Segments of the members of a list, with their places.
fn each(
    list: &[Value],
    name: &str,
    mut read: impl FnMut(&Value, &str) -> Result<Option<Segment>, ReadError>,
) -> Segments {
    let read = list.iter().enumerate().map(|(at, value)| read(value, &format!("{name}[{at}]")));
    Ok(read.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// How a service names the members of a word, and its unit of time.
struct Names {
    text: &'static [&'static str],
    start: &'static [&'static str],
    end: &'static [&'static str],
    speaker: &'static [&'static str],
    /// The number that is no speaker.
    nobody: Option<u32>,
    unit: f64,
}

const DEEPGRAM: Names = Names {
    text: &["punctuated_word", "word"],
    start: &["start"],
    end: &["end"],
    speaker: &["speaker"],
    nobody: None,
    unit: SECONDS,
};
const ASSEMBLY: Names = Names {
    text: &["text"],
    start: &["start"],
    end: &["end"],
    speaker: &["speaker"],
    nobody: None,
    unit: MILLISECONDS,
};
const GOOGLE: Names = Names {
    text: &["word"],
    start: &["startTime", "startOffset"],
    end: &["endTime", "endOffset"],
    speaker: &["speakerLabel", "speakerTag"],
    nobody: Some(0),
    unit: SECONDS,
};

/// A word with who says it.
struct Heard {
    word: Word,
    speaker: Option<String>,
    channel: Option<u32>,
}

fn words(list: Option<&Value>, place: &str, names: &Names) -> Result<Vec<Heard>, ReadError> {
    let mut heard: Vec<Heard> = Vec::new();
    for value in list.and_then(Value::as_array).into_iter().flatten() {
        let any = |keys: &[&str]| keys.iter().find_map(|key| value.get(*key));
        let text = text(value, names.text);
        // Google leaves out times that are 0.
        let start = time(any(names.start), names.unit, place)?.unwrap_or_default();
        let end = time(any(names.end), names.unit, place)?.unwrap_or(start).max(start);
        let confidence = sure(value.get("confidence"));
        let word = Word { text, start, end, confidence };
        let tag = any(names.speaker).filter(|tag| names.nobody.is_none_or(|nobody| **tag != nobody));
        heard.push(Heard { word, speaker: speaker(tag), channel: None });
    }
    Ok(heard)
}

/// Words in a row of one speaker and channel are a segment.
fn runs(heard: impl IntoIterator<Item = Heard>) -> Vec<Segment> {
    let mut all: Vec<Segment> = Vec::new();
    for Heard { word, speaker, channel } in heard {
        match all.last_mut() {
            Some(last) if last.speaker == speaker && last.channel == channel => {
                last.end = Some(word.end);
                last.words.push(word);
            }
            // The text is that of the words, once they are all there.
            _ => all.push(Segment {
                start: word.start,
                end: Some(word.end),
                speaker,
                channel,
                words: vec![word],
                ..Segment::default()
            }),
        }
    }
    all
}

fn text(value: &Value, keys: &[&str]) -> String {
    keys.iter().find_map(|key| value.get(*key)?.as_str()).unwrap_or_default().to_owned()
}

/// A time, as a number or in quotes, with or without `s`.
fn time(value: Option<&Value>, unit: f64, place: &str) -> Result<Option<Unit>, ReadError> {
    let number = match value {
        Some(Value::String(text)) => text.strip_suffix('s').unwrap_or(text).parse().ok(),
        Some(value) => value.as_f64(),
        None => None,
    };
    number.map(|number: f64| seconds(number / unit, place)).transpose()
}

/// How sure the recogniser is, as a number or in quotes.
fn sure(value: Option<&Value>) -> Option<Unit> {
    match value? {
        Value::String(text) => share(text.parse().ok()?),
        value => share(value.as_f64()?),
    }
}

/// The name of a speaker; numbers get one.
fn speaker(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(name) if !name.is_empty() => Some(name.clone()),
        Value::Number(number) => Some(format!("speaker-{number}")),
        _ => None,
    }
}

/// A channel that is counted from 0, from 1.
fn number_of(value: Option<&Value>) -> Option<u32> {
    let number = value?.as_u64().or_else(|| value?.get(0)?.as_u64())?;
    u32::try_from(number).ok()?.checked_add(1)
}

#[cfg(test)]
mod tests {
    use crate::{Hints, Kind, Limits};

    fn told(text: &str) -> Vec<String> {
        assert_eq!(
            crate::sniff(text.as_bytes(), Some("call.json")).map_err(|failure| failure.to_string()),
            Ok(Kind::Speech)
        );
        let read = crate::format::read(Kind::Speech, text.as_bytes(), &Hints::default(), &Limits::default());
        let read = read.unwrap_or_else(|failure| panic!("{failure}"));
        let turn = |(at, turn): (usize, &sonometer::Turn)| {
            let time = turn.timestamp.map_or_else(|| "?".to_owned(), |time| time.to_string());
            let sure = read.interaction.confidence(at).map_or_else(String::new, |sure| format!(" ({sure})"));
            format!("{time} {}: {}{sure}", turn.role.as_deref().unwrap_or_default(), turn.content)
        };
        read.interaction.turns().iter().enumerate().map(turn).collect()
    }

    #[test]
    fn deepgram() {
        let utterances = r#"{"metadata":{},"results":{"channels":[{"alternatives":[{"transcript":"all"}]}],"utterances":[
            {"start":0.5,"end":1.5,"confidence":0.9,"channel":0,"transcript":"Good morning.","speaker":0,
             "words":[{"word":"good","punctuated_word":"Good","start":0.5,"end":0.9,"confidence":0.9}]},
            {"start":2.0,"end":3.0,"confidence":0.8,"channel":0,"transcript":"Hi.","speaker":1,"words":[]}]}}"#;
        assert_eq!(told(utterances), ["0.5 speaker-0: Good morning. (0.9)", "2 speaker-1: Hi. (0.8)"]);
        let words = r#"{"results":{"channels":[
            {"alternatives":[{"transcript":"Good morning.","words":[{"word":"good","punctuated_word":"Good","start":0.5,"end":0.9,"confidence":1},
             {"word":"morning","punctuated_word":"morning.","start":1.0,"end":1.4,"confidence":0.5}]}]},
            {"alternatives":[{"transcript":"Hi.","words":[{"word":"hi","punctuated_word":"Hi.","start":0.7,"end":0.8,"confidence":1}]}]}]}}"#;
        assert_eq!(told(words), ["0.5 channel-1: Good morning. (0.75)", "0.7 channel-2: Hi. (1)"]);
    }

    #[test]
    fn assembly() {
        let utterances = r#"{"id":"x","status":"completed","text":"Good morning. Hi.","audio_duration":4,"words":[],"utterances":[
            {"speaker":"A","start":500,"end":1500,"confidence":0.9,"text":"Good morning.","words":[{"text":"Good","start":500,"end":900,"confidence":0.9}]},
            {"speaker":"B","start":2000,"end":3000,"confidence":0.8,"text":"Hi.","words":[]}]}"#;
        assert_eq!(told(utterances), ["0.5 A: Good morning. (0.9)", "2 B: Hi. (0.8)"]);
        let words = r#"{"text":"Good morning.","audio_duration":4,"utterances":null,"words":[
            {"text":"Good","start":500,"end":900,"confidence":1,"speaker":null},{"text":"morning.","start":1000,"end":1400,"confidence":1,"speaker":null}]}"#;
        assert_eq!(told(words), ["0.5 speaker: Good morning. (1)"]);
    }

    #[test]
    fn amazon() {
        let item = |start: &str, end: &str, more: &str, word: &str| {
            format!(
                r#"{{"type":"pronunciation","start_time":"{start}","end_time":"{end}"{more},"alternatives":[{{"confidence":"0.5","content":"{word}"}}]}}"#
            )
        };
        let sign = r#"{"type":"punctuation","alternatives":[{"confidence":"0.0","content":"."}]}"#;
        let labelled = |label: &str| format!(r#","speaker_label":"{label}""#);
        let (first, second) = (labelled("spk_0"), labelled("spk_1"));
        let newer = format!(
            r#"{{"jobName":"x","results":{{"transcripts":[],"items":[{},{},{sign},{},{sign}]}}}}"#,
            item("0.5", "0.9", &first, "Good"),
            item("1.0", "1.4", &first, "morning"),
            item("2.0", "2.4", &second, "Hi"),
        );
        assert_eq!(told(&newer), ["0.5 spk_0: Good morning. (0.5)", "2 spk_1: Hi. (0.5)"]);
        let older = format!(
            r#"{{"results":{{"speaker_labels":{{"segments":[{{"items":[{{"start_time":"0.5","speaker_label":"spk_0"}}]}},
                {{"items":[{{"start_time":"2.0","speaker_label":"spk_1"}}]}}]}},"items":[{},{sign},{}]}}}}"#,
            item("0.5", "0.9", "", "Hello"),
            item("2.0", "2.4", "", "Hi"),
        );
        assert_eq!(told(&older), ["0.5 spk_0: Hello. (0.5)", "2 spk_1: Hi (0.5)"]);
        let channels = format!(
            r#"{{"results":{{"items":[],"channel_labels":{{"channels":[{{"items":[{},{sign}]}},{{"items":[{}]}}]}}}}}}"#,
            item("2.0", "2.4", "", "Hi"),
            item("0.5", "0.9", "", "Hello"),
        );
        assert_eq!(told(&channels), ["0.5 channel-2: Hello (0.5)", "2 channel-1: Hi. (0.5)"]);
    }

    #[test]
    fn azure() {
        let batch = r#"{"source":"x","recognizedPhrases":[
            {"recognitionStatus":"Success","channel":0,"speaker":1,"offsetInTicks":5000000,"durationInTicks":10000000,"nBest":[{"confidence":0.9,"display":"Good morning."}]},
            {"recognitionStatus":"NoMatch","channel":0,"offsetInTicks":15000000,"durationInTicks":1},
            {"recognitionStatus":"Success","channel":0,"speaker":2,"offsetMilliseconds":2000,"durationMilliseconds":500,"nBest":[{"confidence":0.8,"display":"Hi."}]}]}"#;
        assert_eq!(told(batch), ["0.5 speaker-1: Good morning. (0.9)", "2 speaker-2: Hi. (0.8)"]);
        let fast = r#"{"durationMilliseconds":3000,"combinedPhrases":[],"phrases":[
            {"channel":0,"offsetMilliseconds":500,"durationMilliseconds":1000,"text":"Good morning.","confidence":0.9},
            {"channel":1,"offsetMilliseconds":2000,"durationMilliseconds":500,"text":"Hi.","confidence":0.8}]}"#;
        assert_eq!(told(fast), ["0.5 channel-1: Good morning. (0.9)", "2 channel-2: Hi. (0.8)"]);
    }

    #[test]
    fn google() {
        let plain = r#"{"results":[{"alternatives":[{"transcript":"Good morning.","confidence":0.9,"words":[{"startTime":"0.500s","endTime":"0.900s","word":"Good"},
            {"startTime":"1s","endTime":"1.400s","word":"morning."}]}],"resultEndTime":"1.5s"},
            {"alternatives":[{"transcript":" Hi.","confidence":0.8}],"resultEndTime":"5.5s"}]}"#;
        assert_eq!(told(plain), ["0.5 speaker: Good morning. Hi. (0.88125)"]);
        let speakers = r#"{"response":{"results":[{"alternatives":[{"transcript":"Good Hi","words":[{"endTime":"0.9s","word":"Good"}]}]},
            {"alternatives":[{"words":[{"endTime":"0.9s","word":"Good","speakerTag":1},{"startTime":"2s","endTime":"2.4s","word":"Hi","speakerTag":2}]}]}]}}"#;
        assert_eq!(told(speakers), ["0 speaker-1: Good", "2 speaker-2: Hi"]);
    }

    #[test]
    fn whisper_vosk_and_ours() {
        assert_eq!(
            told(
                r#"{"text":" Hi.","segments":[{"id":0,"start":0.5,"end":1,"text":" Hi.","avg_logprob":-0.1}],"language":"en"}"#
            ),
            ["0.5 speaker: Hi. (0.904837)"]
        );
        assert_eq!(
            told(r#"{"transcription":[{"offsets":{"from":500,"to":900},"text":" Hi."}]}"#),
            ["0.5 speaker: Hi."]
        );
        assert_eq!(
            told(r#"{"result":[{"conf":1,"start":0.5,"end":0.9,"word":"hi"}],"text":"hi"}"#),
            ["0.5 speaker: hi (1)"]
        );
        let mistaken = r#"{"segments":[{"role":"agent","start":1,"text":"Hi."}]}"#;
        assert_eq!(crate::sniff(mistaken.as_bytes(), Some("a.json")).ok(), Some(Kind::Json));
    }
}
