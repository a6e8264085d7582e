//! The door that everything else is compared with: the engine, in this process.

use super::case::{Answer, Case, Feed, Sense, Task};
use crate::dives;
use sonometer::{Error, Interaction, SessionOptions, Turn, Unit};
use sonometer_reference::vectors::Vector;

/// The engine, and what it keeps from one case to the next.
#[derive(Default)]
pub(super) struct Engine {
    dives: dives::Engine,
}

impl Engine {
    /// What the engine says.
    pub(super) fn answer(&self, case: &Case) -> Answer {
        match &case.task {
            Task::Sense(Sense { vector, feed: Feed::Whole }) => vector.sensed().into(),
            Task::Sense(Sense { vector, feed }) => fed(vector, *feed).into(),
            Task::Dive(task, _) => self.dives.answer(task).into(),
        }
    }
}

/// What comes into a session.
enum Piece<'a> {
    Begin(&'a str, Option<Unit>),
    Bytes(&'a [u8]),
    Segment(Turn),
}

/// An interaction cut into pieces.
fn pieces(interaction: &Interaction, feed: Feed) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for turn in interaction.turns() {
        let content = turn.content.as_bytes();
        match (&turn.role, feed) {
            (Some(_), Feed::Segment) => {
                pieces.push(Piece::Segment(turn.clone()));
                continue;
            }
            (Some(role), _) => pieces.push(Piece::Begin(role, turn.timestamp)),
            (None, _) => {}
        }
        match feed {
            Feed::Byte => pieces.extend(content.chunks(1).map(Piece::Bytes)),
            Feed::Token => pieces.extend(content.split_inclusive(|byte| *byte == b' ').map(Piece::Bytes)),
            Feed::Segment | Feed::Whole => pieces.push(Piece::Bytes(content)),
        }
        // An empty text comes in too.
        pieces.push(Piece::Bytes(&[]));
    }
    pieces
}

fn fed(vector: &Vector, feed: Feed) -> Result<String, Error> {
    let interaction = Interaction::from_json(&vector.interaction)?;
    let view = vector.view.view();
    let instrument = vector.instrument()?;
    instrument.check(view)?;
    let mut session = instrument.session(SessionOptions::default());
    for piece in pieces(&interaction, feed) {
        match piece {
            Piece::Begin(role, time) => session.begin_segment(role, time)?,
            Piece::Bytes(bytes) => session.push(bytes)?,
            Piece::Segment(turn) => session.push_segment(turn)?,
        };
    }
    Ok(session.finish()?.to_json(view))
}
