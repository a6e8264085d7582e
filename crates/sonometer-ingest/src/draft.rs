//! What a reader of a format fills in: turns, and in them paragraphs with their places.

use crate::error::{ReadError, Reason};
use crate::format::captions::role;
use crate::format::timed::{self, Head};
use crate::map::{Map, Piece, Place};
use crate::{Hints, Ingested, Kind, Limits};
use sonometer::diagnostic::{excerpt, some_of};
use sonometer::protocol::Modality;
use sonometer::{Interaction, Turn, Unit};
use std::ops::Range;

/// Between paragraphs: a sentence ends there, and nothing is found across it.
const APART: &str = "\n\n";
/// Who speaks where a conversation is asked for and nobody is named.
const NOBODY: &str = "author";

/// What has been read so far.
#[derive(Debug)]
pub(crate) struct Draft<'l> {
    limits: &'l Limits,
    parts: Vec<Part>,
    notes: Vec<String>,
    /// Paragraphs so far.
    count: usize,
    /// Bytes of text so far.
    bytes: usize,
}

/// One turn.
#[derive(Debug, Default)]
struct Part {
    role: Option<String>,
    time: Option<Unit>,
    content: String,
    pieces: Vec<(Range<usize>, Place, bool)>,
}

impl Part {
    fn add(&mut self, between: &str, text: &str, place: Place, counts_lines: bool) {
        if !self.content.is_empty() {
            self.content.push_str(between);
        }
        let start = self.content.len();
        self.content.push_str(text);
        self.pieces.push((start..self.content.len(), place, counts_lines));
    }
}

impl<'l> Draft<'l> {
    pub(crate) fn new(limits: &'l Limits) -> Self {
        Self { limits, parts: Vec::new(), notes: Vec::new(), count: 0, bytes: 0 }
    }

    /// Something a person should know, once.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// A new turn; paragraphs go into it from here on.
    pub(crate) fn turn(&mut self, role: Option<String>, time: Option<Unit>) -> Result<(), ReadError> {
        self.counted("", 0)?;
        self.parts.push(Part { role, time, ..Part::default() });
        Ok(())
    }

    /// A paragraph of the turn; blank ones are left out.
    pub(crate) fn paragraph(&mut self, text: &str, place: Place) -> Result<(), ReadError> {
        self.add(APART, &unbroken(text), place, false)
    }

    /// Text that goes on the turn, after `between`.
    pub(crate) fn further(&mut self, between: &str, text: &str, place: Place) -> Result<(), ReadError> {
        self.add(between, &unbroken(text), place, false)
    }

    /// Text as it stands in the file, from line `place.line` on.
    pub(crate) fn lines(&mut self, text: &str, place: Place) -> Result<(), ReadError> {
        self.add(APART, text, place, true)
    }

    /// The role of the last turn.
    pub(crate) fn last_role(&self) -> Option<&str> {
        self.parts.last()?.role.as_deref()
    }

    fn add(&mut self, between: &str, text: &str, place: Place, counts_lines: bool) -> Result<(), ReadError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        self.counted(text, between.len())?;
        if self.parts.is_empty() {
            self.parts.push(Part::default());
        }
        if let Some(part) = self.parts.last_mut() {
            part.add(between, text, place, counts_lines);
        }
        Ok(())
    }

    fn counted(&mut self, text: &str, more: usize) -> Result<(), ReadError> {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(text.len() + more);
        let Limits { paragraphs, text_bytes, .. } = *self.limits;
        if self.count > paragraphs {
            return Err(ReadError::too_large("", "the file has too many paragraphs or messages", paragraphs));
        }
        if self.bytes > text_bytes {
            return Err(ReadError::too_large("", "the file has too many bytes of text", text_bytes));
        }
        Ok(())
    }

    /// The interaction of it.
    pub(crate) fn finish(mut self, kind: Kind, hints: &Hints) -> Result<Ingested, ReadError> {
        self.parts.retain(|part| !part.content.trim().is_empty());
        if self.parts.is_empty() {
            let message = format!("this file has no text ({}); give a file with text", kind.shown());
            return Err(ReadError::new(Reason::NoText, "", message));
        }
        if hints.turns && self.parts.iter().all(|part| part.role.is_none()) {
            self.cut_at_roles()?;
        }
        self.name_roles(hints)?;
        let has_roles = self.parts.iter().any(|part| part.role.is_some());
        let modality = match (hints.modality, has_roles, kind) {
            (Some(modality), ..) => modality,
            (None, true, Kind::Audio) => Modality::Audio,
            (None, true, _) => Modality::Transcript,
            (None, false, Kind::Text | Kind::Markdown) => Modality::Text,
            (None, false, _) => Modality::Document,
        };
        let parts = match modality {
            Modality::Transcript | Modality::Audio => self.parts,
            Modality::Text | Modality::Document => vec![whole(self.parts)],
        };
        ingested(parts, modality, kind, self.notes)
    }

    /// Makes turns of lines such as `agent: Good morning.`, or with times such as `agent  0:05`.
    fn cut_at_roles(&mut self) -> Result<(), ReadError> {
        let mut turns: Vec<Part> = Vec::new();
        let mut clocks = Vec::new();
        let (mut before, mut notices) = (0, 0);
        let is_timed = timed::is_one(self.parts.iter().flat_map(|part| part.content.lines()));
        for part in std::mem::take(&mut self.parts) {
            for (range, place, counts_lines) in part.pieces {
                let mut at = place.clone();
                for (number, line) in part.content[range].lines().enumerate() {
                    if counts_lines {
                        at.line = place
                            .line
                            .map(|first| first.saturating_add(number.try_into().unwrap_or(u32::MAX)));
                    }
                    let timed = timed::head(line).filter(|_| is_timed);
                    let named = match &timed {
                        Some(Head { name, said, .. }) => Some((*name, *said)),
                        None => role(line).filter(|_| !is_timed),
                    };
                    match (named, turns.last_mut()) {
                        (Some((role, said)), _) => {
                            let mut turn = Part { role: Some(role.to_owned()), ..Part::default() };
                            turn.add("", said, at.clone(), false);
                            turns.push(turn);
                            clocks.extend(timed.map(|head| head.clock));
                        }
                        (None, _) if line.trim().is_empty() => {}
                        (None, _) if is_timed && timed::is_notice(line) => notices += 1,
                        (None, Some(turn)) => turn.add("\n", line.trim(), at.clone(), false),
                        (None, None) => before += 1,
                    }
                }
            }
        }
        if turns.is_empty() {
            let message = "no line begins with a role; write `role: text`, or read it without `turns`";
            return Err(ReadError::new(Reason::Hint, "", message));
        }
        if is_timed {
            let times = timed::Times::of(&clocks);
            timed::notes(before, notices, times.as_ref()).into_iter().for_each(|note| self.note(note));
            for (turn, time) in turns.iter_mut().zip(times.into_iter().flat_map(|times| times.seconds)) {
                turn.time = time;
            }
        } else if before > 0 {
            self.note(format!("left out {} before the first role", counted(before, "line")));
        }
        turns.retain(|turn| !turn.content.trim().is_empty());
        if turns.is_empty() {
            let message = "lines have roles but no text; write `role: text`";
            return Err(ReadError::new(Reason::NoText, "", message));
        }
        self.parts = turns;
        Ok(())
    }

    fn name_roles(&mut self, hints: &Hints) -> Result<(), ReadError> {
        let same = |a: &str, b: &str| a.trim().to_lowercase() == b.trim().to_lowercase();
        let mut used = vec![false; hints.roles.len()];
        let found: Vec<String> = self.parts.iter().filter_map(|part| part.role.clone()).collect();
        for part in &mut self.parts {
            let Some(role) = &mut part.role else { continue };
            if let Some(at) = hints.roles.iter().position(|(name, _)| same(name, role)) {
                used[at] = true;
                role.clone_from(&hints.roles[at].1);
            }
        }
        match hints.roles.iter().zip(used).find(|(_, used)| !used) {
            None => Ok(()),
            Some(((name, _), _)) => {
                let mut names: Vec<String> = Vec::new();
                for name in found {
                    if names.len() < 8 && !names.contains(&name) {
                        names.push(name);
                    }
                }
                let fix = match names.is_empty() {
                    true => "the file has no roles".to_owned(),
                    false => format!("the roles are {}", some_of(&names)),
                };
                let name = excerpt(name);
                Err(ReadError::new(Reason::Hint, "", format!("no turn has the role `{name}`; {fix}")))
            }
        }
    }
}

/// A text without the places where its words may be broken.
fn unbroken(text: &str) -> String {
    text.trim().replace('\u{ad}', "")
}

/// All turns as one text.
fn whole(parts: Vec<Part>) -> Part {
    let mut whole = Part::default();
    for part in parts {
        if !whole.content.is_empty() {
            whole.content.push_str(APART);
        }
        let base = whole.content.len();
        whole.content.push_str(&part.content);
        whole.pieces.extend(
            part.pieces.into_iter().map(|(range, place, counts_lines)| {
                (range.start + base..range.end + base, place, counts_lines)
            }),
        );
    }
    whole
}

fn ingested(
    parts: Vec<Part>,
    modality: Modality,
    kind: Kind,
    notes: Vec<String>,
) -> Result<Ingested, ReadError> {
    let mut pieces = Vec::new();
    let mut turns = Vec::with_capacity(parts.len());
    for (turn, part) in parts.into_iter().enumerate() {
        let piece = |(range, place, counts_lines)| Piece {
            turn,
            range,
            place,
            counts_lines,
            confidence: None,
            words: Vec::new(),
        };
        pieces.extend(part.pieces.into_iter().map(piece));
        turns.push((part.role, part.content, part.time));
    }
    Ok(Ingested {
        interaction: interaction(turns, modality)?,
        map: Map::new(pieces),
        kind,
        notes,
        sound: None,
    })
}

/// The interaction of turns.
pub(crate) fn interaction(
    turns: Vec<(Option<String>, String, Option<Unit>)>,
    modality: Modality,
) -> Result<Interaction, ReadError> {
    Ok(match modality {
        Modality::Text | Modality::Document => {
            let content = turns.first().map(|(_, content, _)| content.as_str()).unwrap_or_default();
            if modality == Modality::Text {
                Interaction::text(content)?
            } else {
                Interaction::document(content)?
            }
        }
        Modality::Transcript | Modality::Audio => {
            let turn = |(role, content, timestamp): (Option<String>, String, Option<Unit>)| {
                let role = role.filter(|role| !role.trim().is_empty()).unwrap_or_else(|| NOBODY.to_owned());
                Turn { role: Some(role.into()), content: content.into(), timestamp }
            };
            let turns = turns.into_iter().map(turn).collect();
            if modality == Modality::Audio {
                Interaction::audio(turns)?
            } else {
                Interaction::transcript(turns)?
            }
        }
    })
}

/// A number and its noun: `1 message`, `2 messages`.
pub(crate) fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
