//! A compiled protocol, metric or blueprint, as JavaScript holds it.

use crate::ask::{self, Ask, Words};
use crate::shelf::{self, Shelf};
use crate::stream::{Listener, Stream};
use crate::trouble::{findings, thrown, thrown_of};
use sonometer::protocol::{Better, Modality};
use sonometer::{
    Comparison, Composition, Diagnostics, Document, Error, Estimate, Fidelity, Interaction, Protocol,
    SenseOptions, Sensor, TargetKind, batch,
};
use wasm_bindgen::prelude::*;

/// What measures.
#[derive(Clone)]
enum Measure {
    Sensor(Sensor),
    Composition(Composition),
}

/// A compiled protocol, metric or blueprint.
#[wasm_bindgen(skip_typescript)]
pub struct Instrument {
    measure: Measure,
    source: String,
    warnings: Diagnostics,
}

#[wasm_bindgen]
impl Instrument {
    /// What ships as `id` or `id@version`.
    ///
    /// # Errors
    /// `target_not_found`.
    pub fn shipped(name: &str) -> Result<Instrument, JsValue> {
        let entry = shelf::shipped(name).map_err(thrown)?;
        Self::read(entry.source, Vec::new(), true)
    }

    /// Reads and compiles a source. A metric or blueprint finds what it names among the sources of `shelf`, and behind
    /// them, with `ships`, in what ships.
    ///
    /// # Errors
    /// `invalid_protocol` with every finding; `target_not_found` for what is named and not there.
    pub fn read(source: &str, shelf: Vec<String>, ships: bool) -> Result<Instrument, JsValue> {
        let shelf = Shelf::read(&shelf, ships).map_err(thrown)?;
        let read = || -> Result<Instrument, Error> {
            let (document, warnings) = Document::read(source)?;
            let measure = match document {
                Document::Protocol(protocol) => Measure::Sensor(Sensor::new(*protocol)?),
                Document::Metric(metric) => Measure::Composition(Composition::metric(&metric, &shelf)?),
                Document::Blueprint(blueprint) => {
                    Measure::Composition(Composition::blueprint(&blueprint, &shelf)?)
                }
            };
            Ok(Instrument { measure, source: source.to_owned(), warnings })
        };
        read().map_err(|error| thrown_of(source, error))
    }

    /// Kind, id, version, name, which scores are better, the language (empty where there is none).
    pub fn facts(&self) -> Vec<String> {
        let (kind, id, version, name, better, language) = match &self.measure {
            Measure::Sensor(sensor) => {
                let Protocol { id, version, name, better, language, .. } = sensor.protocol();
                (
                    TargetKind::Protocol,
                    id.as_str(),
                    version.as_str(),
                    name.as_str(),
                    *better,
                    language.as_deref(),
                )
            }
            Measure::Composition(whole) => {
                (whole.kind(), whole.id(), whole.version(), whole.name(), whole.better(), None)
            }
        };
        let better = match better {
            Better::Higher => "higher",
            Better::Lower => "lower",
        };
        [kind.as_str(), id, version, name, better, language.unwrap_or_default()].map(str::to_owned).into()
    }

    /// The source it was compiled from.
    pub fn source(&self) -> String {
        self.source.clone()
    }

    /// The keys of its markers in readings, in order.
    pub fn markers(&self) -> Vec<String> {
        match &self.measure {
            Measure::Sensor(sensor) => sensor.protocol().markers.iter().map(|m| m.label.clone()).collect(),
            Measure::Composition(whole) => {
                let sensors = whole.sensors().iter().enumerate();
                let keys = sensors.flat_map(|(at, sensor)| {
                    (0..sensor.protocol().markers.len()).map(move |marker| whole.key(at, marker).to_owned())
                });
                keys.collect()
            }
        }
    }

    /// What it reads: `text`, `transcript`, …
    pub fn modalities(&self) -> Vec<String> {
        let names = |modalities: &[Modality]| modalities.iter().map(|m| m.as_str().to_owned()).collect();
        match &self.measure {
            Measure::Sensor(sensor) => names(&sensor.protocol().modalities),
            Measure::Composition(whole) => names(&whole.modalities()),
        }
    }

    /// What the author of the source should look at.
    pub fn warnings(&self) -> JsValue {
        findings(&self.source, &self.warnings)
    }

    /// Whether readings can be shown so.
    ///
    /// # Errors
    /// Those of [`sonometer::View::check`].
    pub fn check(
        &self,
        bits: u32,
        primary: Option<String>,
        window: Option<String>,
        rate: Option<String>,
    ) -> Result<(), JsValue> {
        let checked = || {
            let ask = Ask::read(bits, Words { primary, window, rate })?;
            match &self.measure {
                Measure::Sensor(sensor) => ask.view().check(sensor.protocol()),
                Measure::Composition(_) => ask.view().check_composed(),
            }
        };
        checked().map_err(thrown)
    }

    /// The canonical JSON of the reading of a text (or of an interaction as JSON, with `json`). Of one interaction of
    /// many, `nth` is its number, which the places of errors then name.
    ///
    /// # Errors
    /// Those of reading the interaction, of [`sonometer::View::check`] and of sensing.
    #[allow(clippy::too_many_arguments, reason = "each is a value that crosses the border by itself")]
    pub fn sense(
        &self,
        input: &str,
        json: bool,
        bits: u32,
        primary: Option<String>,
        window: Option<String>,
        rate: Option<String>,
        nth: Option<u32>,
    ) -> Result<String, JsValue> {
        let ask = Ask::read(bits, Words { primary, window, rate }).map_err(thrown)?;
        let sensed = || {
            let view = ask.view();
            match &self.measure {
                Measure::Sensor(sensor) => {
                    view.check(sensor.protocol())?;
                    let interaction = interaction(input, json)?;
                    Ok(sensor.sense_with(&interaction, ask.options)?.to_json(view))
                }
                Measure::Composition(whole) => {
                    view.check_composed()?;
                    let interaction = interaction(input, json)?;
                    Ok(whole.sense_with(&interaction, ask.options)?.to_json(view))
                }
            }
        };
        sensed().map_err(|error| match nth {
            Some(at) => thrown(batch::nth(at as usize, error)),
            None => thrown(error),
        })
    }

    /// Begins to sense an interaction that comes in bit by bit. With `release`, steps carry the text that has settled.
    ///
    /// # Errors
    /// Those of [`sonometer::View::check`].
    pub fn session(
        &self,
        bits: u32,
        primary: Option<String>,
        window: Option<String>,
        rate: Option<String>,
        release: bool,
    ) -> Result<Stream, JsValue> {
        self.check(bits, primary.clone(), window.clone(), rate.clone())?;
        let ask = Ask::read(bits, Words { primary, window, rate }).map_err(thrown)?;
        Ok(Stream::new(ask, release, |options| match &self.measure {
            Measure::Sensor(sensor) => Listener::Sensor(sensor.session(options)),
            Measure::Composition(whole) => Listener::Composition(whole.session(options)),
        }))
    }

    /// Whether an interaction holds enough: `{"index", "sufficient", "density", "clarity"}`.
    ///
    /// # Errors
    /// Those of reading the interaction; `invalid_request` for a modality that is not supported.
    pub fn fidelity(&self, input: &str, json: bool) -> Result<String, JsValue> {
        let measured = || {
            let interaction = interaction(input, json)?;
            match &self.measure {
                Measure::Sensor(sensor) => sensor.fidelity(&interaction),
                Measure::Composition(whole) => whole.fidelity(&interaction),
            }
        };
        let Fidelity { index, sufficient, density, clarity } = measured().map_err(thrown)?;
        Ok(format!(
            r#"{{"index":{index},"sufficient":{sufficient},"density":{density},"clarity":{clarity}}}"#
        ))
    }

    /// The canonical JSON of the comparison of two interactions.
    ///
    /// # Errors
    /// Those of [`Sensor::compare`], and of reading the interactions, at `interaction_a` or `interaction_b`.
    pub fn compare(
        &self,
        a: &str,
        a_json: bool,
        b: &str,
        b_json: bool,
        rate: Option<String>,
    ) -> Result<String, JsValue> {
        let compared = || -> Result<Comparison, Error> {
            let options =
                SenseOptions { usd_per_ics: ask::rate(rate.as_deref())?, ..SenseOptions::default() };
            let (a, b) = (interaction(a, a_json)?, interaction(b, b_json)?);
            match &self.measure {
                Measure::Sensor(sensor) => sensor.compare(&a, &b, options),
                Measure::Composition(whole) => whole.compare(&a, &b, options),
            }
        };
        compared().map(|comparison| comparison.to_json()).map_err(thrown)
    }

    /// The canonical JSON of what content of so many code points costs, by the rates that ship, and before it `+` if it
    /// was measured, `-` if not.
    ///
    /// # Errors
    /// `invalid_request` for a modality that is none or is not supported.
    pub fn estimate(&self, characters: f64, modality: &str, rate: Option<String>) -> Result<String, JsValue> {
        let estimated = || {
            let rate = ask::rate(rate.as_deref())?;
            let modality = Modality::from_name(modality).ok_or_else(|| {
                let names = Modality::NAMES.join(", ");
                Error::invalid("modality", format!("`{modality}` is no modality; write one of {names}"))
            })?;
            // JavaScript has checked that it is a whole number from 0.
            Ok((self.estimated(characters as u64, modality)?, rate))
        };
        let (estimate, rate) = estimated().map_err(thrown)?;
        Ok(format!("{}{}", if estimate.measured { '+' } else { '-' }, estimate.to_json(rate)))
    }
}

impl Instrument {
    fn estimated(&self, characters: u64, modality: Modality) -> Result<Estimate, Error> {
        let rates_of = |sensor: &Sensor| {
            let Protocol { id, version, .. } = sensor.protocol();
            // A source of the same name may be another protocol.
            let is_shipped = sonometer_catalog::find(id, Some(version)).is_some_and(|entry| {
                Protocol::read(entry.source).is_ok_and(|(shipped, _)| shipped == *sensor.protocol())
            });
            sonometer_catalog::rates(id, version).filter(|_| is_shipped)
        };
        match &self.measure {
            Measure::Sensor(sensor) => sensor.estimate(characters, modality, rates_of(sensor).as_ref()),
            Measure::Composition(whole) => {
                let rates: Vec<_> = whole.sensors().iter().map(rates_of).collect();
                let rates: Vec<_> = rates.iter().map(Option::as_ref).collect();
                whole.estimate(characters, modality, &rates)
            }
        }
    }
}

fn interaction(input: &str, json: bool) -> Result<Interaction, Error> {
    if json { Interaction::from_json(input) } else { Interaction::text(input) }
}
