//! Who spoke when, as programs that tell speakers apart write it: RTTM (`SPEAKER call 1 0.5 2.25 <NA> <NA> ann <NA> <NA>`).

use super::transcript::{Segment, Transcript, Word, seconds};
use crate::error::{ReadError, Reason};
use sonometer::Unit;

/// A stretch in which somebody speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    start: Unit,
    end: Unit,
    speaker: String,
}

/// Gives each segment, or each word where its time is known, to whoever speaks most of its time; without anybody there, to
/// whoever is nearest.
pub(super) fn apply(transcript: Transcript, rttm: &[u8]) -> Result<Transcript, ReadError> {
    if transcript.segments.iter().any(|segment| segment.speaker.is_some()) {
        let message = "the transcript names its speakers itself; leave the speakers (RTTM) away";
        return Err(ReadError::new(Reason::Hint, "speakers", message));
    }
    let stretches = read(rttm)?;
    let mut segments = Vec::new();
    for segment in transcript.segments {
        segments.extend(named(segment, &stretches));
    }
    Ok(Transcript { segments })
}

fn read(bytes: &[u8]) -> Result<Vec<Stretch>, ReadError> {
    let decoded = crate::text::decode(bytes)?;
    let mut stretches = Vec::new();
    for (number, line) in (1..).zip(decoded.text.lines()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // Other lines tell of noise and other things.
        if fields.first() != Some(&"SPEAKER") {
            continue;
        }
        let place = format!("speakers, line {number}");
        let time = |at: usize| {
            let value = fields.get(at).and_then(|field| field.parse::<f64>().ok());
            value.ok_or_else(|| wrong(&place)).and_then(|value| seconds(value, &place))
        };
        let (start, length) = (time(3)?, time(4)?);
        let speaker = fields.get(7).filter(|name| **name != "<NA>").ok_or_else(|| wrong(&place))?;
        stretches.push(Stretch { start, end: Unit(start.0 + length.0), speaker: (*speaker).to_owned() });
    }
    if stretches.is_empty() {
        let message = "there is no line `SPEAKER file 1 start length <NA> <NA> name <NA> <NA>`; give RTTM";
        return Err(ReadError::new(Reason::Broken, "speakers", message));
    }
    stretches.sort_by_key(|stretch| stretch.start);
    Ok(stretches)
}

fn wrong(place: &str) -> ReadError {
    let message = "this is no line of RTTM; write `SPEAKER file 1 start length <NA> <NA> name <NA> <NA>`";
    ReadError::new(Reason::Broken, place, message)
}

/// Who speaks most between two times.
fn speaker(stretches: &[Stretch], start: Unit, end: Unit) -> String {
    let mut sums: Vec<(&str, i64)> = Vec::new();
    for stretch in stretches {
        let shared = stretch.end.min(end).0 - stretch.start.max(start).0;
        // Where nobody speaks, what is missing to somebody is less than nothing: the nearest is the largest.
        match sums.iter_mut().find(|(name, _)| *name == stretch.speaker) {
            Some((_, sum)) if *sum > 0 && shared > 0 => *sum += shared,
            Some((_, sum)) => *sum = (*sum).max(shared),
            None => sums.push((&stretch.speaker, shared)),
        }
    }
    let mut best = sums[0];
    for other in &sums[1..] {
        if other.1 > best.1 {
            best = *other;
        }
    }
    best.0.to_owned()
}

/// A segment in the parts of its speakers.
fn named(segment: Segment, stretches: &[Stretch]) -> Vec<Segment> {
    let places = super::place::words(&segment.text, &segment.words);
    let of = |word: &Word| speaker(stretches, word.start, word.end.max(Unit(word.start.0 + 1)));
    let speakers: Vec<String> = segment.words.iter().map(of).collect();
    if speakers.is_empty() || places.iter().any(Option::is_none) {
        let end = segment.end.unwrap_or(segment.start).max(Unit(segment.start.0 + 1));
        let speaker = Some(speaker(stretches, segment.start, end));
        return vec![Segment { speaker, ..segment }];
    }
    let mut parts: Vec<(usize, Segment)> = Vec::new();
    for (at, (word, name)) in segment.words.iter().zip(&speakers).enumerate() {
        if at == 0 || *name != speakers[at - 1] {
            let place = if at == 0 { 0 } else { places[at].unwrap_or(0) };
            let start = if at == 0 { segment.start } else { word.start };
            let part = Segment {
                start,
                end: None,
                text: String::new(),
                speaker: Some(name.clone()),
                words: Vec::new(),
                confidence: segment.confidence,
                joins: if at == 0 { segment.joins } else { None },
                channel: segment.channel,
            };
            parts.push((place, part));
        }
        if let Some((_, part)) = parts.last_mut() {
            // A word may lie before the segment it is said to be of; no part ends before it begins.
            part.end = Some(word.end.max(part.start));
            part.words.push(word.clone());
        }
    }
    let ends: Vec<usize> =
        parts.iter().skip(1).map(|(place, _)| *place).chain([segment.text.len()]).collect();
    let parts = parts.into_iter().zip(ends).map(|((from, part), to)| {
        let text = segment.text[from..to].trim().to_owned();
        Segment { text, ..part }
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, start: i64, end: i64) -> Word {
        Word { text: text.into(), start: Unit(start), end: Unit(end), confidence: None }
    }

    #[test]
    fn each_word_goes_to_whoever_speaks() {
        let rttm = b"SPKR-INFO x 1 <NA>\nSPEAKER x 1 0.0 1.0 <NA> <NA> ann <NA> <NA>\nSPEAKER x 1 1.0 2.0 <NA> <NA> bo <NA> <NA>\n";
        let words =
            vec![word("How", 0, 400_000), word("are", 500_000, 900_000), word("Fine.", 1_100_000, 1_500_000)];
        let segment = Segment { text: "How are you? Fine.".into(), words, ..Segment::default() };
        let late = Segment { text: "Bye.".into(), start: Unit(9_000_000), ..Segment::default() };
        let named = apply(Transcript { segments: vec![segment, late.clone()] }, rttm).expect("is sound");
        let told: Vec<(&str, &str)> = named
            .segments
            .iter()
            .map(|s| (s.speaker.as_deref().unwrap_or_default(), s.text.as_str()))
            .collect();
        assert_eq!(told, [("ann", "How are you?"), ("bo", "Fine."), ("bo", "Bye.")]);
        assert!(apply(named, rttm).expect_err("has names").to_string().contains("leave"));
        let broken =
            |rttm: &[u8]| apply(Transcript { segments: vec![late.clone()] }, rttm).expect_err("is none");
        assert!(broken(b"SPEAKER x 1 soon 1 <NA> <NA> ann").to_string().contains("line 1"));
        assert_eq!(broken(b"hello").reason, Reason::Broken);
    }
}
