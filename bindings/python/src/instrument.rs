//! A protocol, or a metric or blueprint: one face for both, and for what they measure.

use crate::failure::Outcome;
use crate::number::{float, unit};
use crate::reading::{BaseReading, CompositionReading, Reading};
use crate::target::Target;
use pyo3::prelude::*;
use sonometer::protocol::{Better, Marker, Modality, Protocol};
use sonometer::{
    Composition, Error, Estimate, Fidelity, Interaction, Rates, SenseOptions, Sensor, TargetKind, Unit,
};

/// What measures.
#[derive(Clone, Debug)]
pub(crate) enum Instrument {
    /// A protocol.
    Sensor(Sensor),
    /// A metric or a blueprint.
    Composition(Composition),
}

/// What was measured.
#[derive(Clone, Debug)]
pub(crate) enum Measured {
    /// By a protocol.
    One(Box<sonometer::Reading>),
    /// By a metric or a blueprint.
    Several(Box<sonometer::CompositionReading>),
}

/// What a caller sets around sensing.
pub(crate) struct Options;

impl Options {
    pub(crate) fn read(
        usd_per_ics: Option<&Bound<'_, PyAny>>,
        ignore_fidelity: bool,
    ) -> Outcome<SenseOptions> {
        let price = usd_per_ics.map(|price| unit(price, "usd_per_ics", "the price of an ICS"));
        Ok(SenseOptions { usd_per_ics: price.transpose()?.unwrap_or_default(), ignore_fidelity })
    }
}

impl Instrument {
    pub(crate) fn kind(&self) -> TargetKind {
        match self {
            Self::Sensor(_) => TargetKind::Protocol,
            Self::Composition(whole) => whole.kind(),
        }
    }

    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Sensor(sensor) => &sensor.protocol().id,
            Self::Composition(whole) => whole.id(),
        }
    }

    pub(crate) fn version(&self) -> &str {
        match self {
            Self::Sensor(sensor) => &sensor.protocol().version,
            Self::Composition(whole) => whole.version(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Sensor(sensor) => &sensor.protocol().name,
            Self::Composition(whole) => whole.name(),
        }
    }

    pub(crate) fn better(&self) -> Better {
        match self {
            Self::Sensor(sensor) => sensor.protocol().better,
            Self::Composition(whole) => whole.better(),
        }
    }

    pub(crate) fn modalities(&self) -> Vec<Modality> {
        match self {
            Self::Sensor(sensor) => sensor.protocol().modalities.clone(),
            Self::Composition(whole) => whole.modalities(),
        }
    }

    fn sensors(&self) -> &[Sensor] {
        match self {
            Self::Sensor(sensor) => std::slice::from_ref(sensor),
            Self::Composition(whole) => whole.sensors(),
        }
    }

    /// Every marker with what readings call it.
    pub(crate) fn markers(&self) -> Vec<(&str, &Marker)> {
        let key = |sensor: usize, number: usize, label| match self {
            Self::Sensor(_) => label,
            Self::Composition(whole) => whole.key(sensor, number),
        };
        let of = |(at, sensor): (usize, &'_ Sensor)| (at, sensor.protocol().markers.len());
        let places = self.sensors().iter().enumerate().map(of);
        let places = places.flat_map(|(sensor, count)| (0..count).map(move |number| (sensor, number)));
        let entry = |(sensor, number): (usize, usize)| {
            let marker = &self.sensors()[sensor].protocol().markers[number];
            (key(sensor, number, marker.label.as_str()), marker)
        };
        places.map(entry).collect()
    }

    pub(crate) fn sense(&self, interaction: &Interaction, options: SenseOptions) -> Result<Measured, Error> {
        match self {
            Self::Sensor(sensor) => {
                sensor.sense_with(interaction, options).map(|r| Measured::One(Box::new(r)))
            }
            Self::Composition(whole) => {
                whole.sense_with(interaction, options).map(|r| Measured::Several(Box::new(r)))
            }
        }
    }

    pub(crate) fn fidelity(&self, interaction: &Interaction) -> Result<Fidelity, Error> {
        match self {
            Self::Sensor(sensor) => sensor.fidelity(interaction),
            Self::Composition(whole) => whole.fidelity(interaction),
        }
    }

    pub(crate) fn compare(
        &self,
        a: &Interaction,
        b: &Interaction,
        options: SenseOptions,
    ) -> Result<sonometer::Comparison, Error> {
        match self {
            Self::Sensor(sensor) => sensor.compare(a, b, options),
            Self::Composition(whole) => whole.compare(a, b, options),
        }
    }

    /// By the rates that ship, where the protocol is the one that ships.
    pub(crate) fn estimate(&self, characters: u64, modality: Modality) -> Result<Estimate, Error> {
        let rates: Vec<Option<Rates>> =
            self.sensors().iter().map(|sensor| rates(sensor.protocol())).collect();
        let rates: Vec<Option<&Rates>> = rates.iter().map(Option::as_ref).collect();
        match self {
            Self::Sensor(sensor) => sensor.estimate(characters, modality, rates[0]),
            Self::Composition(whole) => whole.estimate(characters, modality, &rates),
        }
    }

    pub(crate) fn estimate_object<'py>(
        &self,
        py: Python<'py>,
        estimate: Estimate,
        options: SenseOptions,
    ) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("sonometer.model")?.getattr("Estimate")?;
        let Estimate { min, max, typical, measured } = estimate;
        class.call1((min, max, float(typical), measured, estimate.to_json(options.usd_per_ics)))
    }
}

fn rates(protocol: &Protocol) -> Option<Rates> {
    let rates = sonometer_catalog::rates(&protocol.id, &protocol.version)?;
    // A file of the same name may be another protocol.
    let entry = sonometer_catalog::find(&protocol.id, Some(&protocol.version))?;
    let (shipped, _) = Protocol::read(entry.source).ok()?;
    (shipped.digest() == protocol.digest()).then_some(rates)
}

impl Measured {
    pub(crate) fn interaction(&self) -> &Interaction {
        match self {
            Self::One(reading) => reading.interaction(),
            // A metric or blueprint has at least one protocol.
            Self::Several(reading) => reading.readings()[0].interaction(),
        }
    }

    pub(crate) fn score(&self) -> Unit {
        match self {
            Self::One(reading) => reading.score(),
            Self::Several(reading) => reading.score(),
        }
    }

    pub(crate) fn fidelity(&self) -> Fidelity {
        match self {
            Self::One(reading) => reading.fidelity(),
            Self::Several(reading) => reading.fidelity(),
        }
    }

    /// A reading that knows masks and roles; those of a composition know all masks.
    pub(crate) fn first(&self) -> &sonometer::Reading {
        match self {
            Self::One(reading) => reading,
            Self::Several(reading) => &reading.readings()[0],
        }
    }

    /// As an object of its class.
    pub(crate) fn object<'py>(
        self,
        target: &Bound<'py, Target>,
        options: SenseOptions,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = target.py();
        let is_one = matches!(self, Self::One(_));
        let base = PyClassInitializer::from(BaseReading::new(target.clone().unbind(), self, options));
        if is_one {
            Ok(Bound::new(py, base.add_subclass(Reading))?.into_any())
        } else {
            Ok(Bound::new(py, base.add_subclass(CompositionReading))?.into_any())
        }
    }
}

/// `sonometer.model.Fidelity`.
pub(crate) fn fidelity_object(py: Python<'_>, fidelity: Fidelity) -> PyResult<Bound<'_, PyAny>> {
    let class = py.import("sonometer.model")?.getattr("Fidelity")?;
    let Fidelity { index, sufficient, density, clarity } = fidelity;
    class.call1((float(index), sufficient, float(density), float(clarity)))
}
