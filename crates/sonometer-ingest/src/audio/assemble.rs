//! From a transcript to an interaction. From here on nothing but the transcript decides: the same transcript, the same bytes.

use super::transcript::{LONG_PAUSE, Segment, Transcript};
use crate::draft::Draft;
use crate::error::{ReadError, Reason};
use crate::format::captions::NOBODY;
use crate::map::{Map, Moment, Piece, Place};
use crate::{Hints, Ingested, Kind, Limits};
use sonometer::{Interaction, Unit};

/// Joins what the channels hold, by time.
pub(super) fn merged(channels: Vec<Transcript>) -> Transcript {
    let mut segments: Vec<Segment> = channels.into_iter().flat_map(|channel| channel.segments).collect();
    segments.sort_by_key(|segment| (segment.start, segment.channel));
    Transcript { segments }
}

/// Says of every segment whether it goes on the turn before: the same person, after no long pause.
pub(super) fn joined(transcript: Transcript) -> Transcript {
    let mut segments: Vec<Segment> = Vec::with_capacity(transcript.segments.len());
    for segment in transcript.segments {
        let goes_on = segments.last().is_some_and(|last| {
            let pause = segment.start.0 - last.end.unwrap_or(last.start).0;
            last.speaker == segment.speaker && last.channel == segment.channel && pause < LONG_PAUSE
        });
        let joins = segment.joins.unwrap_or(goes_on) && !segments.is_empty();
        segments.push(Segment { joins: Some(joins), ..segment });
    }
    Transcript { segments }
}

/// The interaction, with its map.
pub(super) fn interaction(
    transcript: &Transcript,
    names: &[String],
    kind: Kind,
    hints: &Hints,
    limits: &Limits,
) -> Result<Ingested, ReadError> {
    check(transcript, names)?;
    let mut draft = Draft::new(limits);
    for segment in &transcript.segments {
        if segment.joins != Some(true) {
            draft.turn(Some(role(segment, names)), Some(segment.start))?;
        }
        let place = Place {
            time: Some(segment.start.0),
            until: segment.end.map(|end| end.0),
            channel: segment.channel,
            ..Place::default()
        };
        draft.further(" ", &segment.text, place)?;
    }
    let mut read = draft.finish(kind, hints)?;
    let mut pieces = read.map.pieces().to_vec();
    // A piece for each segment: neither of them is blank.
    if pieces.len() == transcript.segments.len() {
        for (piece, segment) in pieces.iter_mut().zip(&transcript.segments) {
            piece.confidence = segment.confidence.map(|confidence| confidence.0);
            piece.words = moments(segment, piece.range.start);
        }
        read.interaction = weighed(read.interaction, &pieces)?;
        read.map = Map::new(pieces);
    }
    Ok(read)
}

/// Tells the engine how sure the recogniser is of each turn: the mean of its segments, by their letters.
fn weighed(interaction: Interaction, pieces: &[Piece]) -> Result<Interaction, ReadError> {
    let mut sums = vec![(0_i128, 0_i128); interaction.turns().len()];
    for piece in pieces {
        let Some(turn) = interaction.turns().get(piece.turn) else { continue };
        let text = turn.content.get(piece.range.clone()).unwrap_or_default();
        let letters = i128::try_from(text.chars().count()).unwrap_or(0);
        if let Some(confidence) = piece.confidence {
            let (sum, count) = &mut sums[piece.turn];
            (*sum, *count) = (*sum + i128::from(confidence) * letters, *count + letters);
        }
    }
    let mean = |(sum, count): (i128, i128)| (count > 0).then(|| Unit::ratio(sum, count * 1_000_000));
    Ok(interaction.with_confidence(sums.into_iter().map(mean).collect())?)
}

fn moments(segment: &Segment, base: usize) -> Vec<Moment> {
    let places = super::place::words(&segment.text, &segment.words);
    let known = segment.words.iter().zip(places).filter_map(|(word, place)| Some((word, place?)));
    let moment = |(word, place): (&super::transcript::Word, usize)| Moment {
        at: base + place,
        time: word.start.0,
        until: word.end.0,
        confidence: word.confidence.map(|confidence| confidence.0),
    };
    known.map(moment).collect()
}

fn role(segment: &Segment, names: &[String]) -> String {
    match (&segment.speaker, segment.channel) {
        (Some(speaker), _) => speaker.clone(),
        (None, Some(number)) => {
            let name = (number as usize).checked_sub(1).and_then(|at| names.get(at));
            name.cloned().unwrap_or_else(|| format!("channel-{number}"))
        }
        (None, None) => NOBODY.to_owned(),
    }
}

/// Names of channels that nobody has are refused: nothing is accepted and ignored.
fn check(transcript: &Transcript, names: &[String]) -> Result<(), ReadError> {
    if names.is_empty() {
        return Ok(());
    }
    let most = transcript.segments.iter().filter_map(|segment| segment.channel).max();
    match most {
        None => {
            let message = "the transcript does not distinguish channels; remove the channel names, or map the names in it to roles";
            Err(ReadError::new(Reason::Hint, "channels", message))
        }
        Some(most) if most as usize > names.len() => {
            let message = format!(
                "the transcript has channel {most}, but only {} are named; name all channels",
                names.len()
            );
            Err(ReadError::new(Reason::Hint, "channels", message))
        }
        Some(_) => Ok(()),
    }
}

/// When the recording ends and the transcript goes on, it is that of another.
pub(super) fn too_long(transcript: &Transcript, seconds: Unit) -> Option<String> {
    /// Encoders leave out or add a little.
    const SLACK: i64 = 2_000_000;
    let end = transcript.end();
    (end.0 > seconds.0 + SLACK).then(|| {
        format!(
            "the transcript ends at {}, but the recording at {}; check that they belong together",
            crate::map::clock(end.0),
            crate::map::clock(seconds.0)
        )
    })
}
