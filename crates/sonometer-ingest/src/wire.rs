//! What passes between the process that asks and the one that reads: one JSON object.

use crate::apart::Budget;
use crate::error::{ReadError, Reason};
use crate::map::{Map, Piece};
use crate::{Hints, Ingested, Kind, Limits, Quoted, draft};
use serde::{Deserialize, Serialize};
use sonometer::protocol::Modality;
use sonometer::{Unit, error::ErrorCode};

/// What is asked; the bytes of the file follow on the next line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    name: Option<String>,
    kind: Option<String>,
    turns: bool,
    column: Option<String>,
    role_column: Option<String>,
    sheet: Option<String>,
    keeps_quoted: bool,
    roles: Vec<(String, String)>,
    modality: Option<String>,
    builtin_pdf: bool,
    /// Decode a recording and answer with its sound.
    #[serde(default)]
    pub(crate) is_sound: bool,
    /// With its samples, not its length alone.
    #[serde(default)]
    pub(crate) wants_samples: bool,
    pub(crate) limits: Limits,
    pub(crate) memory_bytes: u64,
    pub(crate) seconds: u64,
    #[serde(default)]
    pub(crate) gives_way: bool,
}

impl Question {
    pub(crate) fn new(hints: &Hints, budget: &Budget) -> Self {
        let Hints { name, kind, turns, column, role_column, sheet, quoted, roles, modality, builtin_pdf } =
            hints.clone();
        Self {
            name,
            kind: kind.map(|kind| kind.as_str().to_owned()),
            turns,
            column,
            role_column,
            sheet,
            keeps_quoted: quoted == Quoted::Keep,
            roles,
            modality: modality.map(|modality| modality.as_str().to_owned()),
            builtin_pdf,
            is_sound: false,
            wants_samples: false,
            limits: budget.limits,
            memory_bytes: budget.memory_bytes,
            seconds: budget.seconds.max(1),
            gives_way: budget.gives_way,
        }
    }

    pub(crate) fn hints(&self) -> Hints {
        Hints {
            name: self.name.clone(),
            kind: self.kind.as_deref().and_then(Kind::from_name),
            turns: self.turns,
            column: self.column.clone(),
            role_column: self.role_column.clone(),
            sheet: self.sheet.clone(),
            quoted: if self.keeps_quoted { Quoted::Keep } else { Quoted::Cut },
            roles: self.roles.clone(),
            modality: self.modality.as_deref().and_then(Modality::from_name),
            builtin_pdf: self.builtin_pdf,
        }
    }
}

/// What is answered.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Read(Read),
    Failed { reason: String, place: String, message: String },
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Read {
    kind: String,
    modality: String,
    /// Role, content, time in millionths of a second.
    turns: Vec<(Option<String>, String, Option<i64>)>,
    /// How sure a recogniser of speech is of each turn, in millionths.
    confidence: Vec<Option<i64>>,
    map: Vec<Piece>,
    notes: Vec<String>,
}

impl Read {
    pub(crate) fn of(read: &Ingested) -> Self {
        let confidence = |turn| read.interaction.confidence(turn).map(|share| share.0);
        Self {
            kind: read.kind.as_str().to_owned(),
            modality: read.interaction.modality().as_str().to_owned(),
            turns: read
                .interaction
                .turns()
                .iter()
                .map(|turn| {
                    let role = turn.role.as_deref().map(str::to_owned);
                    (role, String::from(turn.content.clone()), turn.timestamp.map(|time| time.0))
                })
                .collect(),
            confidence: (0..read.interaction.turns().len()).map(confidence).collect(),
            map: read.map.pieces().to_vec(),
            notes: read.notes.clone(),
        }
    }
}

impl Answer {
    pub(crate) fn of(result: &Result<Ingested, ReadError>) -> Self {
        match result {
            Ok(read) => Self::Read(Read::of(read)),
            Err(ReadError { reason, error }) => Self::Failed {
                reason: reason.as_str().to_owned(),
                place: error.place.clone(),
                message: error.message.clone(),
            },
        }
    }

    /// Believes nothing: the process that answers has read a file of a stranger.
    pub(crate) fn check(self) -> Result<Ingested, ReadError> {
        let odd = || {
            ReadError::new(Reason::Internal, "", "the process that reads files returned an invalid answer")
        };
        match self {
            Self::Read(read) => {
                let (kind, modality) = (Kind::from_name(&read.kind), Modality::from_name(&read.modality));
                let (Some(kind), Some(modality)) = (kind, modality) else { return Err(odd()) };
                let mut before = (0, 0);
                for piece in &read.map {
                    let begin = (piece.turn, piece.range.start);
                    let content = read.turns.get(piece.turn).map(|(_, content, _)| content);
                    let holds = content.is_some_and(|content| content.get(piece.range.clone()).is_some());
                    if !holds || begin < before {
                        return Err(odd());
                    }
                    before = (piece.turn, piece.range.end);
                }
                let turns = read.turns.into_iter().map(|(role, content, at)| (role, content, at.map(Unit)));
                let interaction = draft::interaction(turns.collect(), modality)?;
                let shares = read.confidence.into_iter().map(|share| share.map(Unit)).collect();
                let interaction = interaction.with_confidence(shares).map_err(|_| odd())?;
                Ok(Ingested { interaction, map: Map::new(read.map), kind, notes: read.notes, sound: None })
            }
            Self::Failed { reason, place, message } => {
                let reason = Reason::ALL
                    .into_iter()
                    .find(|known| known.as_str() == reason)
                    .unwrap_or(Reason::Internal);
                let mut failure = ReadError::new(reason, place, message);
                if reason == Reason::Internal {
                    failure.error.code = ErrorCode::Internal;
                }
                Err(failure)
            }
        }
    }
}
