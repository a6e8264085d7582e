//! Who spoke when, as programs that tell speakers apart write it: RTTM (`SPEAKER call 1 0.5 2.25 <NA> <NA> ann <NA> <NA>`).

use super::transcript::{Segment, Transcript, Word, seconds};
use crate::error::{ReadError, Reason};
use sonometer::Unit;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A stretch in which somebody speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    start: Unit,
    end: Unit,
    /// The place of the name in [`Speakers::names`].
    speaker: usize,
}

/// Who speaks when.
#[derive(Debug, Default)]
struct Speakers {
    /// By their first stretch.
    names: Vec<String>,
    /// By their start.
    stretches: Vec<Stretch>,
    /// How far the stretches up to each one reach, and the first of the names that reaches so far.
    reach: Vec<(Unit, usize)>,
}

/// Gives each segment, or each word where its time is known, to whoever speaks most of its time; without anybody there, to
/// whoever is nearest.
pub(super) fn apply(transcript: Transcript, rttm: &[u8]) -> Result<Transcript, ReadError> {
    if transcript.segments.iter().any(|segment| segment.speaker.is_some()) {
        let message = "the transcript already names its speakers; remove the speakers file (RTTM)";
        return Err(ReadError::new(Reason::Hint, "speakers", message));
    }
    let speakers = Speakers::new(read(rttm)?);
    let mut segments = Vec::new();
    for segment in transcript.segments {
        segments.extend(named(segment, &speakers));
    }
    Ok(Transcript { segments })
}

/// Start, end and name of each stretch that takes any time.
fn read(bytes: &[u8]) -> Result<Vec<(Unit, Unit, String)>, ReadError> {
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
        if length > Unit::ZERO {
            stretches.push((start, Unit(start.0 + length.0), (*speaker).to_owned()));
        }
    }
    if stretches.is_empty() {
        let message =
            "no line has the form `SPEAKER file 1 start length <NA> <NA> name <NA> <NA>`; give RTTM";
        return Err(ReadError::new(Reason::Broken, "speakers", message));
    }
    Ok(stretches)
}

fn wrong(place: &str) -> ReadError {
    let message = "not a line of RTTM; write `SPEAKER file 1 start length <NA> <NA> name <NA> <NA>`";
    ReadError::new(Reason::Broken, place, message)
}

impl Speakers {
    fn new(mut told: Vec<(Unit, Unit, String)>) -> Self {
        told.sort_by_key(|(start, ..)| *start);
        let mut speakers = Self::default();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut reach = (Unit(i64::MIN), 0);
        for (start, end, name) in told {
            let next = places.len();
            let speaker = *places.entry(name).or_insert_with_key(|name| {
                speakers.names.push(name.clone());
                next
            });
            if end > reach.0 || end == reach.0 && speaker < reach.1 {
                reach = (end, speaker);
            }
            speakers.stretches.push(Stretch { start, end, speaker });
            speakers.reach.push(reach);
        }
        speakers
    }

    /// Who speaks most between two times; where nobody does, who is nearest. Of several the first. There is a stretch.
    fn between(&self, start: Unit, end: Unit) -> &str {
        let later = self.stretches.partition_point(|stretch| stretch.start < end);
        let mut sums: BTreeMap<usize, i64> = BTreeMap::new();
        // Back to where nothing reaches so far.
        for at in (0..later).rev().take_while(|at| self.reach[*at].0 > start) {
            let Stretch { start: from, end: to, speaker } = self.stretches[at];
            let shared = to.min(end).0 - from.max(start).0;
            if shared > 0 {
                *sums.entry(speaker).or_default() += shared;
            }
        }
        let most = sums.into_iter().map(|(speaker, sum)| (sum, Reverse(speaker))).max();
        let before = || {
            let (reach, speaker) = self.reach[later.checked_sub(1)?];
            Some((reach.0 - start.0, Reverse(speaker)))
        };
        let after = || {
            let next = self.stretches.get(later)?.start;
            let also = self.stretches[later..].iter().take_while(|stretch| stretch.start == next);
            Some((end.0 - next.0, Reverse(also.map(|stretch| stretch.speaker).min()?)))
        };
        let speaker = most.or_else(|| before().max(after())).map_or(0, |(_, Reverse(speaker))| speaker);
        &self.names[speaker]
    }
}

/// A segment in the parts of its speakers.
fn named(segment: Segment, speakers: &Speakers) -> Vec<Segment> {
    let places = super::place::words(&segment.text, &segment.words);
    let of = |word: &Word| speakers.between(word.start, word.end.max(Unit(word.start.0 + 1)));
    let names: Vec<&str> = segment.words.iter().map(of).collect();
    if names.is_empty() || places.iter().any(Option::is_none) {
        let end = segment.end.unwrap_or(segment.start).max(Unit(segment.start.0 + 1));
        let speaker = Some(speakers.between(segment.start, end).to_owned());
        return vec![Segment { speaker, ..segment }];
    }
    let mut parts: Vec<(usize, Segment)> = Vec::new();
    for (at, (word, name)) in segment.words.iter().zip(&names).enumerate() {
        if at == 0 || *name != names[at - 1] {
            let place = if at == 0 { 0 } else { places[at].unwrap_or(0) };
            let start = if at == 0 { segment.start } else { word.start };
            let part = Segment {
                start,
                end: None,
                text: String::new(),
                speaker: Some((*name).to_owned()),
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
    use proptest::prelude::*;

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
        assert!(apply(named, rttm).expect_err("has names").to_string().contains("remove the speakers file"));
        let broken =
            |rttm: &[u8]| apply(Transcript { segments: vec![late.clone()] }, rttm).expect_err("is none");
        assert!(broken(b"SPEAKER x 1 soon 1 <NA> <NA> ann").to_string().contains("line 1"));
        assert_eq!(broken(b"hello").reason, Reason::Broken);
    }

    /// The same by a look at every stretch.
    fn slow(told: &[(Unit, Unit, String)], start: Unit, end: Unit) -> &str {
        let mut told: Vec<&(Unit, Unit, String)> = told.iter().collect();
        told.sort_by_key(|(start, ..)| *start);
        let mut sums: Vec<(&str, i64)> = Vec::new();
        for (from, to, name) in told {
            let shared = (*to).min(end).0 - (*from).max(start).0;
            match sums.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) if *sum > 0 && shared > 0 => *sum += shared,
                Some((_, sum)) => *sum = (*sum).max(shared),
                None => sums.push((name, shared)),
            }
        }
        let most = sums.iter().map(|(_, sum)| *sum).max().expect("somebody speaks");
        sums.iter().find(|(_, sum)| *sum == most).expect("is one of them").0
    }

    proptest! {
        #[test]
        fn the_nearest_and_the_most_are_found(
            told in proptest::collection::vec((0i64..30, 1i64..12, "[a-d]"), 1..9),
            (start, length) in (0i64..40, 1i64..9),
        ) {
            let told: Vec<_> = told.into_iter().map(|(at, long, name)| (Unit(at), Unit(at + long), name)).collect();
            let (start, end) = (Unit(start), Unit(start + length));
            let speakers = Speakers::new(told.clone());
            prop_assert_eq!(speakers.between(start, end), slow(&told, start, end));
        }
    }
}
