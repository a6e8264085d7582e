//! A compiled protocol, metric or blueprint, as JavaScript holds it.

use crate::ask::{self, Ask, in_options};
use crate::stream::Stream;
use crate::trouble::{findings, thrown, thrown_of};
use sonometer::protocol::{Modality, NoFile};
use sonometer::{Comparison, Diagnostics, Document, Error, Interaction, SenseOptions, TargetKind, batch};
use sonometer_catalog::{Shelf, find_document, rates_of};
use wasm_bindgen::prelude::*;

/// A compiled protocol, metric or blueprint.
#[wasm_bindgen(skip_typescript)]
pub struct Instrument {
    inner: sonometer::Instrument,
    source: String,
    warnings: Diagnostics,
}

impl Instrument {
    /// The instrument of the engine, for modules that do more with it than this door.
    pub fn inner(&self) -> &sonometer::Instrument {
        &self.inner
    }
}

#[wasm_bindgen]
impl Instrument {
    /// What ships as `id` or `id@version`.
    ///
    /// # Errors
    /// `target_not_found`.
    pub fn shipped(name: &str) -> Result<Instrument, JsValue> {
        let found = find_document(name, &TargetKind::ALL);
        let (entry, document, warnings) = found.map_err(|none| thrown(none.into()))?;
        let inner = sonometer::Instrument::new(document, &Shelf::default()).map_err(thrown)?;
        Ok(Instrument { inner, source: entry.source.to_owned(), warnings })
    }

    /// Reads and compiles a source. A metric or blueprint finds what it names among the sources of `shelf`, and behind
    /// them, with `ships`, in what ships. `files` are its list files, each a path and then a text.
    ///
    /// # Errors
    /// `invalid_protocol` with every finding; `target_not_found` for what is named and not there.
    pub fn read(
        source: &str,
        shelf: Vec<String>,
        ships: bool,
        files: Vec<String>,
    ) -> Result<Instrument, JsValue> {
        let own = if ships { Shelf::default() } else { Shelf::alone() };
        let shelf = own.read(&shelf).map_err(thrown)?;
        let read = || -> Result<Instrument, Error> {
            let (document, warnings) = Document::read_with(source, &|path| {
                let file = files.chunks_exact(2).find(|file| file[0] == path);
                file.map(|file| file[1].as_str().into())
                    .ok_or_else(|| NoFile::missing("give its text in `options.files`"))
            })?;
            let inner = sonometer::Instrument::new(document, &shelf)?;
            Ok(Instrument { inner, source: source.to_owned(), warnings })
        };
        read().map_err(|error| thrown_of(source, error))
    }

    /// Kind, id, version, name, which scores are better, the language (empty where there is none), what the score means.
    pub fn facts(&self) -> Vec<String> {
        let inner = &self.inner;
        let language = inner.sensor().and_then(|sensor| sensor.protocol().language.as_deref());
        let (kind, better) = (inner.kind().as_str(), inner.better().as_str());
        let meaning = inner.score_meaning();
        let language = language.unwrap_or_default();
        let facts = [kind, inner.id(), inner.version(), inner.name(), better, language, &meaning];
        facts.map(str::to_owned).into()
    }

    /// The source it was compiled from.
    pub fn source(&self) -> String {
        self.source.clone()
    }

    /// The keys of its markers in readings, in order.
    pub fn markers(&self) -> Vec<String> {
        self.inner.markers().map(|(key, _)| key.to_owned()).collect()
    }

    /// What finding each of its markers means, in their order: `improves` or `worsens`.
    pub fn effects(&self) -> Vec<String> {
        self.inner.effects().map(|effect| effect.as_str().to_owned()).collect()
    }

    /// What it reads: `text`, `transcript`, …
    pub fn modalities(&self) -> Vec<String> {
        self.inner.modalities().into_iter().map(|modality| modality.as_str().to_owned()).collect()
    }

    /// What the author of the source should look at.
    pub fn warnings(&self) -> JsValue {
        findings(&self.source, &self.warnings)
    }

    /// Whether readings can be shown so.
    ///
    /// # Errors
    /// Those of [`sonometer::View::check`].
    pub fn check(&self, ask: Option<Ask>) -> Result<(), JsValue> {
        self.inner.check(ask.unwrap_or_default().view()).map_err(|error| thrown(in_options(error)))
    }

    /// The canonical JSON of the reading of a text in UTF-8 (or of an interaction as JSON, with `json`). Of one interaction of
    /// many, `nth` is its number, which the places of errors then name.
    ///
    /// # Errors
    /// Those of reading the interaction, of [`sonometer::View::check`] and of sensing.
    pub fn sense(
        &self,
        input: &[u8],
        json: bool,
        ask: Option<Ask>,
        nth: Option<u32>,
    ) -> Result<String, JsValue> {
        let ask = ask.unwrap_or_default();
        let sensed = || -> Result<String, Error> {
            let view = ask.view();
            self.inner.check(view).map_err(in_options)?;
            // JavaScript has encoded a whole text, so this does not fail.
            let input =
                str::from_utf8(input).map_err(|error| Error::invalid("interaction", error.to_string()))?;
            let interaction = interaction(input, json)?;
            Ok(self.inner.sense_with(&interaction, ask.options).map_err(in_options)?.to_json(view))
        };
        sensed().map_err(|error: Error| match nth {
            // Options are those of all of them.
            Some(at) if !error.place.starts_with("options.") => thrown(batch::nth(at as usize, error)),
            _ => thrown(error),
        })
    }

    /// Begins to sense an interaction that comes in bit by bit. With `release`, steps carry the masked text that may be shown.
    ///
    /// # Errors
    /// Those of [`sonometer::View::check`].
    pub fn session(&self, ask: Option<Ask>, release: bool) -> Result<Stream, JsValue> {
        let ask = ask.unwrap_or_default();
        self.inner.check(ask.view()).map_err(|error| thrown(in_options(error)))?;
        Ok(Stream::new(&self.inner, ask, release))
    }

    /// Whether an interaction holds enough: `{"index", "sufficient", "density", "clarity"}`, with `roles_asked` and `roles_seen`
    /// where nobody was listened to.
    ///
    /// # Errors
    /// Those of reading the interaction; `invalid_request` for a modality that is not supported.
    pub fn fidelity(&self, input: &str, json: bool) -> Result<String, JsValue> {
        let measured = || self.inner.fidelity(&interaction(input, json)?);
        Ok(measured().map_err(thrown)?.to_json())
    }

    /// The canonical JSON of the comparison of two interactions.
    ///
    /// # Errors
    /// Those of [`sonometer::Sensor::compare`], and of reading the interactions, at `interaction_a` or `interaction_b`.
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
            self.inner.compare(&a, &b, options)
        };
        compared().map(|comparison| comparison.to_json()).map_err(thrown)
    }

    /// What content of so many code points costs, by the rates that ship.
    ///
    /// # Errors
    /// `invalid_request` for a modality that is none or is not supported.
    pub fn estimate(
        &self,
        characters: f64,
        modality: &str,
        rate: Option<String>,
    ) -> Result<Estimate, JsValue> {
        let estimated = || {
            let rate = ask::rate(rate.as_deref())?;
            let modality = Modality::from_name(modality).ok_or_else(|| {
                let names = Modality::NAMES.join(", ");
                Error::invalid(
                    "options.modality",
                    format!("unknown modality `{modality}`; write one of {names}"),
                )
            })?;
            // JavaScript has checked that it is a whole number from 0.
            let estimate = self.inner.estimate(characters as u64, modality, rates_of)?;
            Ok(Estimate { json: estimate.to_json(rate), measured: estimate.measured })
        };
        estimated().map_err(thrown)
    }
}

/// What sensing is expected to cost.
#[wasm_bindgen(skip_typescript, getter_with_clone)]
pub struct Estimate {
    /// The canonical JSON.
    pub json: String,
    /// Whether the rate was measured.
    pub measured: bool,
}

/// An interaction as `js/interaction.js` writes it: a text, an object, or a list of turns and messages.
///
/// # Errors
/// Those of reading it.
pub fn interaction(input: &str, json: bool) -> Result<Interaction, Error> {
    match json {
        false => Interaction::text(input),
        true if input.starts_with('[') => Interaction::from_turns(input),
        true => Interaction::from_json(input),
    }
}
