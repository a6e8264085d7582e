//! The door that everything else is compared with: the engine, in this process.

use super::case::{Answer, Case, Feed};
use sonometer::{
    Catalog, Composition, Document, Error, Interaction, Metric, Protocol, SenseOptions, Sensor,
    SessionOptions, Turn, Unit,
};
use sonometer_reference::vectors::Vector;

/// What the engine says.
pub(super) fn answer(case: &Case) -> Answer {
    match case.feed {
        Feed::Whole => whole(&case.vector).into(),
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
    // Two types with the same methods.
    macro_rules! feed {
        ($session:expr) => {{
            let mut session = $session;
            for piece in pieces(&interaction, feed) {
                match piece {
                    Piece::Begin(role, time) => session.begin_segment(role, time)?,
                    Piece::Bytes(bytes) => session.push(bytes)?,
                    Piece::Segment(turn) => session.push_segment(turn)?,
                };
            }
            Ok(session.finish()?.to_json(view))
        }};
    }
    match instrument(vector)? {
        Instrument::Sensor(sensor) => {
            view.check(sensor.protocol())?;
            feed!(sensor.session(SessionOptions::default()))
        }
        Instrument::Composition(whole) => {
            view.check_composed()?;
            feed!(whole.session(SessionOptions::default()))
        }
    }
}

/// What the target of a case is when it is ready.
enum Instrument {
    Sensor(Sensor),
    Composition(Composition),
}

/// What a case brings along, and nothing else.
#[derive(Default)]
struct Shelf {
    protocols: Vec<Protocol>,
    metrics: Vec<Metric>,
}

impl Catalog for Shelf {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        Ok(self.protocols.iter().filter(|protocol| protocol.id == id).cloned().collect())
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        Ok(self.metrics.iter().filter(|metric| metric.id == id).cloned().collect())
    }
}

fn instrument(vector: &Vector) -> Result<Instrument, Error> {
    let mut shelf = Shelf::default();
    for source in &vector.shelf {
        match Document::read(source)?.0 {
            Document::Protocol(protocol) => shelf.protocols.push(*protocol),
            Document::Metric(metric) => shelf.metrics.push(metric),
            Document::Blueprint(_) => {}
        }
    }
    Ok(match Document::read(&vector.target)?.0 {
        Document::Protocol(protocol) => Instrument::Sensor(Sensor::new(*protocol)?),
        Document::Metric(metric) => Instrument::Composition(Composition::metric(&metric, &shelf)?),
        Document::Blueprint(blueprint) => {
            Instrument::Composition(Composition::blueprint(&blueprint, &shelf)?)
        }
    })
}

fn whole(vector: &Vector) -> Result<String, Error> {
    let instrument = instrument(vector)?;
    let other = vector.interaction_b.as_deref().map(Interaction::from_json).transpose()?;
    let interaction = Interaction::from_json(&vector.interaction)?;
    let view = vector.view.view();
    Ok(match (instrument, other) {
        (Instrument::Sensor(sensor), None) => {
            view.check(sensor.protocol())?;
            sensor.sense(&interaction)?.to_json(view)
        }
        (Instrument::Sensor(sensor), Some(other)) => {
            sensor.compare(&interaction, &other, SenseOptions::default())?.to_json()
        }
        (Instrument::Composition(whole), None) => {
            view.check_composed()?;
            whole.sense(&interaction)?.to_json(view)
        }
        (Instrument::Composition(whole), Some(other)) => {
            whole.compare(&interaction, &other, SenseOptions::default())?.to_json()
        }
    })
}
