//! The instrument: a protocol, metric or blueprint made ready for sensing.

mod build;
mod part;

pub use crate::composition::TargetKind;
pub use part::{Part, Share};

use crate::composition::{Catalog, Document};
use crate::diagnostic::some_of;
use crate::error::Error;
use crate::protocol::{Better, Effect, Marker, Modality};
use crate::sensor::{Plan, Sensor, Unbounded};
use crate::unit::Unit;
use part::average;
use std::sync::Arc;

/// A compiled protocol, metric or blueprint: for programs that take whatever their users name. Immutable, cheap to clone,
/// shared between threads.
///
/// ```
/// use sonometer::{Catalog, Document, Error, Instrument, Interaction, Metric, Protocol, SessionOptions, View};
///
/// /// No protocol but this one; a real catalogue is in the crate `sonometer-catalog`.
/// struct One(Protocol);
///
/// impl Catalog for One {
///     fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
///         Ok(Some(self.0.clone()).filter(|protocol| protocol.id == id).into_iter().collect())
///     }
///
///     fn metrics(&self, _id: &str) -> Result<Vec<Metric>, Error> {
///         Ok(Vec::new())
///     }
/// }
///
/// let thanks = r#"{
///     "sonometer": 1, "id": "thanks", "version": "1.0", "taxonomy": "Signal", "language": "en",
///     "markers": [{"label": "gratitude", "negation": "drop", "clear": "(thanks|thank you)",
///         "hit": "Thanks!", "miss": "No thanks."}]
/// }"#;
/// let manners = r#"{
///     "sonometer_metric": 1, "id": "manners", "version": "1.0", "components": [{"protocol": "thanks@1.0"}]
/// }"#;
/// let catalog = One(Protocol::read(thanks)?.0);
///
/// let text = "It works again, thank you so much!";
/// for source in [thanks, manners] {
///     let instrument = Instrument::new(Document::read(source)?.0, &catalog)?;
///     instrument.check(View::default())?;
///     let reading = instrument.sense(&Interaction::text(text)?)?;
///     let triggered = reading.resonance().filter(|(_, found)| found.triggered);
///     assert_eq!(triggered.map(|(key, _)| key).collect::<Vec<_>>(), ["gratitude"]);
///
///     let mut session = instrument.session(SessionOptions::default());
///     session.push(text.as_bytes())?;
///     assert_eq!(session.finish()?.to_json(View::default()), reading.to_json(View::default()));
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Instrument(Inner);

#[derive(Clone, Debug)]
enum Inner {
    Protocol(Sensor),
    Composed(Arc<Handle>),
}

/// A metric or a blueprint with its sensors: every protocol once, in the order in which they are first named.
#[derive(Debug)]
struct Handle {
    sensors: Vec<Sensor>,
    whole: Arc<Composed>,
}

/// A metric or a blueprint: what it is called, and what it is made of.
#[derive(Debug)]
struct Composed {
    kind: TargetKind,
    id: String,
    name: String,
    version: String,
    better: Better,
    /// By protocol and marker: the key of the marker in readings.
    keys: Vec<Vec<String>>,
    /// The same in quotes.
    quoted: Vec<Vec<String>>,
    parts: Vec<Part>,
}

impl From<Sensor> for Instrument {
    fn from(sensor: Sensor) -> Self {
        Self(Inner::Protocol(sensor))
    }
}

impl Instrument {
    /// Compiles a protocol, or a metric or blueprint with what `catalog` has for it. A protocol needs no catalogue.
    ///
    /// # Errors
    /// As [`Sensor::new`], [`Instrument::metric`] and [`Instrument::blueprint`].
    pub fn new(document: Document, catalog: &dyn Catalog) -> Result<Self, Error> {
        match document {
            Document::Protocol(protocol) => Sensor::new(*protocol).map(Self::from),
            Document::Metric(metric) => Self::metric(&metric, catalog),
            Document::Blueprint(blueprint) => Self::blueprint(&blueprint, catalog),
        }
    }

    /// The same instrument for another thread, or another group of interactions: cloning it does not touch what clones of this one
    /// touch. Threads that share one are correct without it, and in each other's way: every reading holds its instrument, and its
    /// count of who does is one word of memory, which moves from core to core. [`Instrument::batch`] and its like do this by themselves.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self(match &self.0 {
            Inner::Protocol(sensor) => Inner::Protocol(sensor.apart()),
            Inner::Composed(handle) => {
                let sensors = handle.sensors.iter().map(Sensor::apart).collect();
                Inner::Composed(Arc::new(Handle { sensors, whole: Arc::clone(&handle.whole) }))
            }
        })
    }

    /// The sensor of a protocol; `None` of a metric or a blueprint, which have several: [`Instrument::sensors`].
    pub fn sensor(&self) -> Option<&Sensor> {
        match &self.0 {
            Inner::Protocol(sensor) => Some(sensor),
            Inner::Composed(_) => None,
        }
    }

    /// Protocol, metric or blueprint.
    pub fn kind(&self) -> TargetKind {
        match &self.0 {
            Inner::Protocol(_) => TargetKind::Protocol,
            Inner::Composed(handle) => handle.whole.kind,
        }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        match &self.0 {
            Inner::Protocol(sensor) => &sensor.protocol().id,
            Inner::Composed(handle) => &handle.whole.id,
        }
    }

    /// Its version.
    pub fn version(&self) -> &str {
        match &self.0 {
            Inner::Protocol(sensor) => &sensor.protocol().version,
            Inner::Composed(handle) => &handle.whole.version,
        }
    }

    /// Its name for people.
    pub fn name(&self) -> &str {
        match &self.0 {
            Inner::Protocol(sensor) => &sensor.protocol().name,
            Inner::Composed(handle) => &handle.whole.name,
        }
    }

    /// Whether high or low scores are the good ones.
    pub fn better(&self) -> Better {
        match &self.0 {
            Inner::Protocol(sensor) => sensor.protocol().better,
            Inner::Composed(handle) => handle.whole.better,
        }
    }

    /// The sensor of every protocol in it, each once, in the order in which they are first named. There is at least one.
    pub fn sensors(&self) -> &[Sensor] {
        match &self.0 {
            Inner::Protocol(sensor) => std::slice::from_ref(sensor),
            Inner::Composed(handle) => &handle.sensors,
        }
    }

    /// What the score of a metric or a blueprint is the weighted average of; empty for a protocol.
    pub fn parts(&self) -> &[Part] {
        match &self.0 {
            Inner::Protocol(_) => &[],
            Inner::Composed(handle) => &handle.whole.parts,
        }
    }

    /// The key of a marker in readings: its label; where another protocol has the same, `protocol/label`; where that is
    /// another version of the same protocol, `protocol@version/label`.
    pub fn key(&self, sensor: usize, marker: usize) -> &str {
        match &self.0 {
            Inner::Protocol(sensor) => &sensor.protocol().markers[marker].label,
            Inner::Composed(handle) => &handle.whole.keys[sensor][marker],
        }
    }

    /// The place of a marker of one of its sensors in [`Instrument::markers`].
    pub fn marker_number(&self, sensor: usize, marker: usize) -> usize {
        let before = self.sensors()[..sensor].iter().map(|sensor| sensor.protocol().markers.len());
        before.sum::<usize>() + marker
    }

    /// The key of a marker in quotes, for JSON.
    pub(crate) fn quoted_key(&self, sensor: usize, marker: u32) -> &str {
        match &self.0 {
            Inner::Protocol(sensor) => sensor.plan().silence.key(marker as usize),
            Inner::Composed(handle) => &handle.whole.quoted[sensor][marker as usize],
        }
    }

    /// Every marker with its key in readings, in the order of [`crate::Reading::resonance`].
    pub fn markers(&self) -> impl Iterator<Item = (&str, &Marker)> {
        self.sensors().iter().enumerate().flat_map(move |(at, sensor)| {
            let markers = sensor.protocol().markers.iter().enumerate();
            markers.map(move |(number, marker)| (self.key(at, number), marker))
        })
    }

    /// What finding each marker means, in the order of [`Instrument::markers`]: also within a metric that turns the score round, for
    /// it turns what is good round as well.
    pub fn effects(&self) -> impl Iterator<Item = Effect> {
        self.sensors().iter().flat_map(|sensor| {
            let protocol = sensor.protocol();
            protocol.markers.iter().map(|marker| protocol.effect_of(marker))
        })
    }

    /// What every protocol in it can read.
    pub fn modalities(&self) -> Vec<Modality> {
        let by_all = |m: &Modality| self.sensors().iter().all(|s| s.protocol().modalities.contains(m));
        self.sensors()[0].protocol().modalities.iter().copied().filter(by_all).collect()
    }

    /// The most steps that it takes for each word of a text, whatever the text: those of all its protocols. Services can price by
    /// it.
    pub fn steps_per_word(&self) -> u64 {
        self.sensors().iter().map(Sensor::steps_per_word).fold(0, u64::saturating_add)
    }

    /// The most characters that a guard holds back, see [`Sensor::guard_bound`]: a mask of any protocol holds.
    ///
    /// # Errors
    /// Why there is no bound, for the first protocol without one.
    pub fn guard_bound(&self) -> Result<usize, Unbounded> {
        self.sensors().iter().try_fold(0, |most, sensor| Ok(sensor.guard_bound()?.max(most)))
    }

    /// What the score is made of and which way is good, in one line without a full stop:
    /// `score = the mean of courtesy, 1 − pressure-tactics; higher is better`.
    pub fn score_meaning(&self) -> String {
        if let Some(sensor) = self.sensor() {
            return sensor.protocol().score_meaning();
        }
        let parts = self.parts();
        let turned = |part: &Part| match part.complement {
            true => format!("1 − {}", part.id),
            false => part.id.clone(),
        };
        let names: Vec<String> = parts.iter().map(turned).collect();
        let is_plain = parts.iter().all(|part| part.weight == parts[0].weight);
        let mean = if is_plain { "mean" } else { "weighted mean" };
        let what =
            if names.len() == 1 { names.concat() } else { format!("the {mean} of {}", some_of(&names)) };
        let good = match self.better() {
            Better::Higher => "higher is better",
            Better::Lower => "lower is better",
        };
        format!("score = {what}; {good}")
    }

    /// The score, from those of its sensors by their places; `None` if one that it needs has none.
    pub(crate) fn score(&self, of: impl Fn(usize) -> Option<Unit>) -> Option<Unit> {
        match &self.0 {
            Inner::Protocol(_) => of(0),
            Inner::Composed(handle) => {
                let parts = handle.whole.parts.iter().enumerate();
                let scores: Option<Vec<_>> = parts
                    .map(|(at, part)| Some((part.weight, part.complement, self.part_score(at, &of)?)))
                    .collect();
                scores.map(|scores| average(scores.into_iter()))
            }
        }
    }

    /// The score of a part, as [`Instrument::parts`] counts them.
    pub(crate) fn part_score(&self, part: usize, of: impl Fn(usize) -> Option<Unit>) -> Option<Unit> {
        let shares = self.parts().get(part)?.of.iter();
        let scores: Option<Vec<_>> =
            shares.map(|share| Some((share.weight, share.complement, of(share.sensor)?))).collect();
        scores.map(|scores| average(scores.into_iter()))
    }

    /// What each of its sensors searches by.
    pub(crate) fn plans(&self) -> Vec<&Plan> {
        self.sensors().iter().map(Sensor::plan).collect()
    }
}
