//! One case for every door, and what must come of it.

use crate::dives;
use serde_json::{Value, json};
use sonometer::protocol::Modality;
use sonometer::{Error, Interaction, Turn, Unit};
use sonometer_reference::vectors::{Outcome, Shown, Vector};

/// A vector in the form in which doors take it.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// What it shows, with file and line, or seed and number.
    pub(super) name: String,
    pub(super) task: Task,
}

/// What a door is asked to do.
#[derive(Clone, Debug)]
pub(super) enum Task {
    /// To sense or compare.
    Sense(Sense),
    /// To dive, or to check a card; with the line that must come of it, once that is known.
    Dive(dives::Task, Option<String>),
}

/// Something to be measured.
#[derive(Clone, Debug)]
pub(super) struct Sense {
    pub(super) vector: Vector,
    pub(super) feed: Feed,
}

/// How a door is given the interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feed {
    /// At once.
    Whole,
    /// Through a session, a byte at a time.
    Byte,
    /// Through a session, a word at a time with the space behind it.
    Token,
    /// Through a session, a segment at a time; a text at once.
    Segment,
}

impl Feed {
    /// The ways through a session.
    const SESSIONS: [Self; 3] = [Self::Byte, Self::Token, Self::Segment];

    fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Byte => "byte",
            Self::Token => "token",
            Self::Segment => "segment",
        }
    }
}

/// The JSON of an interaction with nothing but what is measured, its numbers without exponents: doors cut it themselves.
fn plain(interaction: &Interaction) -> String {
    let turns = interaction.turns();
    if interaction.modality() == Modality::Text {
        return json!({ "content": turns[0].content }).to_string();
    }
    let turn = |turn: &Turn| {
        let time = turn.timestamp.map(|time| format!(",\"timestamp\":{time}")).unwrap_or_default();
        let (role, content) = (json!(turn.role), json!(turn.content));
        format!("{{\"role\":{role},\"content\":{content}{time}}}")
    };
    let turns: Vec<String> = turns.iter().map(turn).collect();
    format!("{{\"segments\":[{}]}}", turns.join(","))
}

impl Case {
    /// What is to be measured; `None` for dives and cards.
    pub(super) fn sense(&self) -> Option<&Sense> {
        match &self.task {
            Task::Sense(sense) => Some(sense),
            Task::Dive(..) => None,
        }
    }

    /// Whether it is given as a whole, and not bit by bit through a session.
    pub(super) fn is_whole(&self) -> bool {
        self.sense().is_none_or(|sense| sense.feed == Feed::Whole)
    }

    /// What must come of it, said otherwise by `answer`; `None` if nothing is expected or just this.
    pub(super) fn missed_by(&self, answer: &Answer) -> Option<String> {
        match &self.task {
            Task::Sense(Sense { vector, .. }) => {
                vector.expect.as_ref().filter(|line| !answer.is(line)).map(|line| format!("{line:?}"))
            }
            Task::Dive(_, expect) => expect.clone().filter(|line| !answer.is_said_by(line)),
        }
    }

    /// The same once for each way in which a session can take it. Sessions measure one interaction, and what comes in bit by bit
    /// is no JSON: comparisons and what cannot be read are left out.
    pub(super) fn in_sessions(&self) -> Vec<Self> {
        let Task::Sense(Sense { vector, .. }) = &self.task else { return Vec::new() };
        let interaction = match vector.interaction_b {
            Some(_) => None,
            None => Interaction::from_json(&vector.interaction).ok(),
        };
        let Some(interaction) = interaction else { return Vec::new() };
        let vector = Vector { interaction: plain(&interaction), ..vector.clone() };
        let fed = |feed: Feed| Self {
            name: format!("{}, by {}", self.name, feed.as_str()),
            task: Task::Sense(Sense { vector: vector.clone(), feed }),
        };
        Feed::SESSIONS.map(fed).into()
    }

    /// The line of a file of cases.
    pub(super) fn to_json(&self) -> String {
        let case = match &self.task {
            Task::Sense(sense) => sense.to_json(&self.name),
            Task::Dive(dives::Task::Dive(play), _) => json!({ "name": self.name, "dive": play }),
            Task::Dive(dives::Task::Card(proof), _) => json!({ "name": self.name, "card": proof }),
        };
        case.to_string()
    }
}

impl Sense {
    fn to_json(&self, name: &str) -> Value {
        let Vector { target, shelf, interaction, interaction_b, view, .. } = &self.vector;
        let Shown { profile, offsets, flow, temporal } = view;
        let flow = flow.as_ref().map(|primary| json!({ "primary": primary }));
        let window = |window: &Option<Unit>| window.map(|seconds| seconds.to_string());
        let temporal = temporal.as_ref().map(|given| json!({ "window": window(given) }));
        let view =
            json!({ "profile": profile.as_str(), "offsets": offsets, "flow": flow, "temporal": temporal });
        json!({
            "name": name, "target": target, "shelf": shelf, "interaction": interaction,
            "interaction_b": interaction_b, "view": view, "feed": self.feed.as_str(),
        })
    }
}

/// What the engine answers, as a line that every door must answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The bytes of a reading, a comparison, a dive with its card.
    Bytes(String),
    /// No result.
    Error { code: String, message: String, place: String },
}

impl From<Result<String, Error>> for Answer {
    fn from(result: Result<String, Error>) -> Self {
        match result {
            Ok(bytes) => Self::Bytes(bytes),
            Err(Error { code, message, place, .. }) => {
                Self::Error { code: code.as_str().into(), message, place }
            }
        }
    }
}

impl From<Result<String, dives::Wrong>> for Answer {
    fn from(result: Result<String, dives::Wrong>) -> Self {
        match result {
            Ok(bytes) => Self::Bytes(bytes),
            Err(dives::Wrong { code, message, place }) => Self::Error { code, message, place },
        }
    }
}

impl Answer {
    /// Whether a vector expects this.
    pub(super) fn is(&self, expected: &Outcome) -> bool {
        match (self, expected) {
            (Self::Bytes(bytes), Outcome::Reading(reading)) => bytes == reading,
            (Self::Error { code, place, .. }, Outcome::Error(line)) => {
                *code == line.code && *place == line.place
            }
            _ => false,
        }
    }

    /// Whether a door's line says this: the same bytes, or an object with the same code, message and place.
    pub(super) fn is_said_by(&self, line: &str) -> bool {
        match self {
            Self::Bytes(bytes) => bytes == line,
            Self::Error { code, message, place } => {
                let said: Value = serde_json::from_str(line).unwrap_or_default();
                // No place may be said as none.
                let there = said["place"].as_str().unwrap_or_default();
                said["code"] == *code && said["message"] == *message && there == place
            }
        }
    }

    /// Whether this is a reading of content that is insufficient.
    pub(super) fn is_insufficient(&self) -> bool {
        matches!(self, Self::Bytes(bytes) if bytes.contains("\"sufficient\":false"))
    }

    /// As a door would write it, for messages.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Bytes(bytes) => bytes.clone(),
            Self::Error { code, message, place } => {
                json!({ "code": code, "message": message, "place": place }).to_string()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_or_one_word_is_a_difference() {
        let reading = Answer::Bytes("{\"score\":0.5}".into());
        assert!(reading.is_said_by("{\"score\":0.5}"));
        assert!(!reading.is_said_by("{\"score\":0.50}") && !reading.is_said_by("{ \"score\":0.5}"));
        let error = Answer::from(Err(Error::invalid("segments[1].role", "no role")));
        assert!(error.is_said_by(&error.line()));
        assert!(
            error.is_said_by(r#"{"place":"segments[1].role","code":"invalid_request","message":"no role"}"#)
        );
        assert!(
            !error.is_said_by(r#"{"place":"segments[2].role","code":"invalid_request","message":"no role"}"#)
        );
        assert!(
            !error.is_said_by(r#"{"place":"segments[1].role","code":"invalid_request","message":"No role"}"#)
        );
        assert!(!error.is_said_by("") && !error.is_said_by("{\"score\":0.5}"));
        let nowhere = Answer::from(Err(Error::invalid("", "no role")));
        assert!(nowhere.is_said_by(r#"{"code":"invalid_request","message":"no role","place":null}"#));
    }
}
