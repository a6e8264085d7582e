//! The door that everything else is compared with: the engine, in this process.

use super::case::{Answer, Case, Feed};
use sonometer::{Error, Interaction, SessionOptions, Turn, Unit};
use sonometer_reference::vectors::Vector;

/// What the engine says.
pub(super) fn answer(case: &Case) -> Answer {
    match case.feed {
        Feed::Whole => case.vector.sensed().into(),
        Feed::Byte | Feed::Token | Feed::Segment => fed(&case.vector, case.feed).into(),
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
