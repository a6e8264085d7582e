//! Whatever can measure, whatever it finds, whatever listens: one face for protocols and for metrics and blueprints.

use crate::compare::Comparison;
use crate::composition::{Catalog, Composition, CompositionReading, Document, TargetKind};
use crate::error::Error;
use crate::estimate::{Estimate, Rates, estimate};
use crate::fidelity::Fidelity;
use crate::hearing::Unheard;
use crate::ics::Ics;
use crate::interaction::{Interaction, Turn};
use crate::profile::View;
use crate::protocol::{Better, Effect, Marker, Modality, Protocol};
use crate::reading::{Evidence, Reading};
use crate::resonance::Resonance;
use crate::sense::SenseOptions;
use crate::sensor::{Sensor, Unbounded};
use crate::session::{CompositionSession, Place, Session, SessionOptions, Step};
use crate::unit::Unit;
use crate::weak::WeakSignal;

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
pub enum Instrument {
    /// A protocol.
    Sensor(Sensor),
    /// A metric or a blueprint.
    Composition(Composition),
}

/// What an [`Instrument`] found in an interaction.
#[derive(Clone, Debug)]
pub enum AnyReading {
    /// Of a protocol.
    Sensor(Box<Reading>),
    /// Of a metric or a blueprint.
    Composition(Box<CompositionReading>),
}

/// One interaction that comes in, sensed by an [`Instrument`]. A clone goes its own way.
#[derive(Clone, Debug)]
pub enum AnySession {
    /// By a protocol.
    Sensor(Session),
    /// By a metric or a blueprint.
    Composition(CompositionSession),
}

/// Does the same with whichever of the two it is.
macro_rules! either {
    ($any:expr, $own:ident => $work:expr) => {
        match $any {
            Self::Sensor($own) => $work,
            Self::Composition($own) => $work,
        }
    };
}

impl Instrument {
    /// Compiles a protocol, or a metric or blueprint with what `catalog` has for it. A protocol needs no catalogue.
    ///
    /// # Errors
    /// As [`Sensor::new`], [`Composition::metric`] and [`Composition::blueprint`].
    pub fn new(document: Document, catalog: &dyn Catalog) -> Result<Self, Error> {
        match document {
            Document::Protocol(protocol) => Sensor::new(*protocol).map(Self::Sensor),
            Document::Metric(metric) => Composition::metric(&metric, catalog).map(Self::Composition),
            Document::Blueprint(blueprint) => {
                Composition::blueprint(&blueprint, catalog).map(Self::Composition)
            }
        }
    }

    /// Protocol, metric or blueprint.
    pub fn kind(&self) -> TargetKind {
        match self {
            Self::Sensor(_) => TargetKind::Protocol,
            Self::Composition(whole) => whole.kind(),
        }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            Self::Sensor(sensor) => &sensor.protocol().id,
            Self::Composition(whole) => whole.id(),
        }
    }

    /// Its version.
    pub fn version(&self) -> &str {
        match self {
            Self::Sensor(sensor) => &sensor.protocol().version,
            Self::Composition(whole) => whole.version(),
        }
    }

    /// Its name for people.
    pub fn name(&self) -> &str {
        match self {
            Self::Sensor(sensor) => &sensor.protocol().name,
            Self::Composition(whole) => whole.name(),
        }
    }

    /// Whether high or low scores are the good ones.
    pub fn better(&self) -> Better {
        match self {
            Self::Sensor(sensor) => sensor.protocol().better,
            Self::Composition(whole) => whole.better(),
        }
    }

    /// What it can read: what every protocol in it can.
    pub fn modalities(&self) -> Vec<Modality> {
        match self {
            Self::Sensor(sensor) => sensor.protocol().modalities.clone(),
            Self::Composition(whole) => whole.modalities(),
        }
    }

    /// The most steps that it takes for each word of a text, whatever the text. Services can price by it.
    pub fn steps_per_word(&self) -> u64 {
        match self {
            Self::Sensor(sensor) => sensor.steps_per_word(),
            Self::Composition(whole) => whole.steps_per_word(),
        }
    }

    /// The sensor of every protocol in it, each once; of a protocol its own. There is at least one.
    pub fn sensors(&self) -> &[Sensor] {
        match self {
            Self::Sensor(sensor) => std::slice::from_ref(sensor),
            Self::Composition(whole) => whole.sensors(),
        }
    }

    /// Every marker with its key in readings (its label, or that of [`Composition::key`]), in the order of
    /// [`AnyReading::resonance`].
    pub fn markers(&self) -> impl Iterator<Item = (&str, &Marker)> {
        self.sensors().iter().enumerate().flat_map(move |(at, sensor)| {
            let markers = sensor.protocol().markers.iter().enumerate();
            markers.map(move |(number, marker)| match self {
                Self::Sensor(_) => (marker.label.as_str(), marker),
                Self::Composition(whole) => (whole.key(at, number), marker),
            })
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

    /// What the score means and which way is good, in one line: as [`Protocol::score_meaning`] and
    /// [`Composition::score_meaning`].
    pub fn score_meaning(&self) -> String {
        match self {
            Self::Sensor(sensor) => sensor.protocol().score_meaning(),
            Self::Composition(whole) => whole.score_meaning(),
        }
    }

    /// Whether a reading can be shown so. Doors ask before they sense.
    ///
    /// # Errors
    /// As [`View::check`] and [`View::check_composed`].
    pub fn check(&self, view: View<'_>) -> Result<(), Error> {
        match self {
            Self::Sensor(sensor) => view.check(sensor.protocol()),
            Self::Composition(_) => view.check_composed(),
        }
    }

    /// The most characters that a guard holds back, see [`Sensor::guard_bound`].
    ///
    /// # Errors
    /// Why there is no bound.
    pub fn guard_bound(&self) -> Result<usize, Unbounded> {
        either!(self, own => own.guard_bound())
    }

    /// Measures an interaction.
    ///
    /// # Errors
    /// As [`Sensor::sense`] and [`Composition::sense`].
    pub fn sense(&self, interaction: &Interaction) -> Result<AnyReading, Error> {
        self.sense_with(interaction, SenseOptions::default())
    }

    /// As [`Instrument::sense`], with options.
    ///
    /// # Errors
    /// As [`Instrument::sense`].
    pub fn sense_with(&self, interaction: &Interaction, options: SenseOptions) -> Result<AnyReading, Error> {
        match self {
            Self::Sensor(sensor) => sensor.sense_with(interaction, options).map(AnyReading::from),
            Self::Composition(whole) => whole.sense_with(interaction, options).map(AnyReading::from),
        }
    }

    /// Whether the content holds enough for a reliable reading; costs no ICS.
    ///
    /// # Errors
    /// As [`Instrument::sense`].
    pub fn fidelity(&self, interaction: &Interaction) -> Result<Fidelity, Error> {
        either!(self, own => own.fidelity(interaction))
    }

    /// Measures two interactions and what lies between them.
    ///
    /// # Errors
    /// As [`Sensor::compare`].
    pub fn compare(
        &self,
        a: &Interaction,
        b: &Interaction,
        options: SenseOptions,
    ) -> Result<Comparison, Error> {
        either!(self, own => own.compare(a, b, options))
    }

    /// What content of so many code points will cost. `rates` gives for a protocol how often its markers trigger, where that
    /// was measured.
    ///
    /// # Errors
    /// `invalid_request` if one of the protocols does not support the modality.
    pub fn estimate(
        &self,
        characters: u64,
        modality: Modality,
        rates: impl Fn(&Protocol) -> Option<Rates>,
    ) -> Result<Estimate, Error> {
        let rates: Vec<_> = self.sensors().iter().map(|sensor| rates(sensor.protocol())).collect();
        let rates: Vec<_> = rates.iter().map(Option::as_ref).collect();
        estimate(self.sensors(), characters, modality, &rates)
    }

    /// Begins to sense an interaction that comes in bit by bit.
    pub fn session(&self, options: SessionOptions) -> AnySession {
        match self {
            Self::Sensor(sensor) => AnySession::Sensor(sensor.session(options)),
            Self::Composition(whole) => AnySession::Composition(whole.session(options)),
        }
    }
}

impl From<Reading> for AnyReading {
    fn from(reading: Reading) -> Self {
        Self::Sensor(Box::new(reading))
    }
}

impl From<CompositionReading> for AnyReading {
    fn from(reading: CompositionReading) -> Self {
        Self::Composition(Box::new(reading))
    }
}

impl AnyReading {
    /// The reading of each protocol, in the order of [`Instrument::sensors`]. There is at least one.
    pub fn readings(&self) -> &[Reading] {
        match self {
            Self::Sensor(reading) => std::slice::from_ref(reading),
            Self::Composition(reading) => reading.readings(),
        }
    }

    /// The interaction that was sensed.
    pub fn interaction(&self) -> &Interaction {
        self.readings()[0].interaction()
    }

    /// The overall score, 0 to 1; `None` when the content is insufficient: nothing was measured.
    pub fn score(&self) -> Option<Unit> {
        either!(self, own => own.score())
    }

    /// How far the reading can be trusted.
    pub fn fidelity(&self) -> Fidelity {
        either!(self, own => own.fidelity())
    }

    /// What it consumed.
    pub fn ics(&self) -> Ics {
        either!(self, own => own.ics())
    }

    /// Every marker's key with what it came to, in the order of [`Instrument::markers`].
    pub fn resonance(&self) -> impl Iterator<Item = (&str, Resonance)> {
        either!(self, own => Box::new(own.resonance()) as Box<dyn Iterator<Item = _>>)
    }

    /// The evidence in the order of the text, each with the key of its marker.
    pub fn evidence(&self) -> impl Iterator<Item = Evidence<'_>> {
        either!(self, own => Box::new(own.evidence()) as Box<dyn Iterator<Item = _>>)
    }

    /// What counts against markers, as [`Reading::against`], each with the key of its marker.
    pub fn against(&self) -> impl Iterator<Item = Evidence<'_>> {
        either!(self, own => Box::new(own.against()) as Box<dyn Iterator<Item = _>>)
    }

    /// The weak signals, the nearest first, each with the key of its marker.
    pub fn weak_signals(&self) -> impl Iterator<Item = WeakSignal<'_>> {
        either!(self, own => Box::new(own.weak_signals()) as Box<dyn Iterator<Item = _>>)
    }

    /// The markers that could hear nobody, as [`Reading::unheard`], each with its key.
    pub fn unheard(&self) -> impl Iterator<Item = Unheard<'_>> {
        either!(self, own => Box::new(own.unheard()) as Box<dyn Iterator<Item = _>>)
    }

    /// The keys of the markers that triggered, in the order of [`Instrument::markers`].
    pub fn triggered(&self) -> impl Iterator<Item = &str> {
        either!(self, own => Box::new(own.triggered()) as Box<dyn Iterator<Item = _>>)
    }

    /// The same reading at another price, as [`Reading::with_cost`].
    #[must_use]
    pub fn with_cost(self, cost_usd: Unit) -> Self {
        either!(self, own => own.with_cost(cost_usd).into())
    }

    /// The canonical JSON of a view: the same bytes from every door.
    pub fn to_json(&self, view: View<'_>) -> String {
        either!(self, own => own.to_json(view))
    }
}

impl AnySession {
    /// Takes the next bytes of the text, or of the segment that was begun last. They may be cut anywhere.
    ///
    /// # Errors
    /// As [`Session::push`].
    pub fn push(&mut self, chunk: &[u8]) -> Result<Step, Error> {
        either!(self, own => own.push(chunk))
    }

    /// Ends the segment that came in, if there is one, and begins another. `timestamp` is in seconds.
    ///
    /// # Errors
    /// As [`Session::begin_segment`].
    pub fn begin_segment(&mut self, role: &str, timestamp: Option<Unit>) -> Result<Step, Error> {
        either!(self, own => own.begin_segment(role, timestamp))
    }

    /// Takes a whole segment.
    ///
    /// # Errors
    /// As [`Session::push_segment`].
    pub fn push_segment(&mut self, segment: Turn) -> Result<Step, Error> {
        either!(self, own => own.push_segment(segment))
    }

    /// The step of what came in and says nothing: nothing is new.
    ///
    /// # Errors
    /// As [`Session::skip`].
    pub fn skip(&self) -> Result<Step, Error> {
        either!(self, own => own.skip())
    }

    /// Says that nothing more comes: everything settles, and what is left is told. [`AnySession::finish`] needs no end before.
    ///
    /// # Errors
    /// As [`Session::end`].
    pub fn end(&mut self) -> Result<Step, Error> {
        either!(self, own => own.end())
    }

    /// Everything before this place is settled, see [`Step::settled_to`].
    pub fn settled_to(&self) -> Place {
        either!(self, own => own.settled_to())
    }

    /// The text before this place may be shown, see [`Step::released_to`].
    pub fn released_to(&self) -> Place {
        either!(self, own => own.released_to())
    }

    /// The reading as if the interaction ended here. The session goes on.
    ///
    /// # Errors
    /// As [`Session::so_far`].
    pub fn so_far(&self) -> Result<AnyReading, Error> {
        either!(self, own => own.so_far().map(AnyReading::from))
    }

    /// Ends the interaction: the reading that [`Instrument::sense`] gives for all of it.
    ///
    /// # Errors
    /// As [`Session::finish`].
    pub fn finish(self) -> Result<AnyReading, Error> {
        either!(self, own => own.finish().map(AnyReading::from))
    }
}
