//! The door that everything else is compared with: the engine, in this process.

use super::case::{Answer, Case, Feed};
use sonometer::{Catalog, Composition, Document, Error, Interaction, Metric, Protocol, SenseOptions, Sensor};
use sonometer_reference::vectors::Vector;

/// What the engine says.
pub(super) fn answer(case: &Case) -> Answer {
    match case.feed {
        Feed::Whole => whole(&case.vector).into(),
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
        (Instrument::Composition(whole), None) => whole.sense(&interaction)?.to_json(view),
        (Instrument::Composition(whole), Some(other)) => {
            whole.compare(&interaction, &other, SenseOptions::default())?.to_json()
        }
    })
}
