//! Stages, dives and cards, as JavaScript holds them.
//!
//! Signatures are made and checked by the WebCrypto of the page or of Node: `js/signature.js`. The bytes they are about
//! come from here.

use crate::trouble::{findings, thrown, thrown_as, thrown_of};
use sonometer::Diagnostics;
use sonometer::stage::{Action, Agent, Card, Closing, Mismatch, Refused, Stage, read_seed, replay};
use sonometer_catalog::{Shelf, stage_named};
use wasm_bindgen::prelude::*;

fn mismatch(Mismatch { place, message }: Mismatch) -> JsValue {
    thrown_as(Mismatch::CODE, &message, &place)
}

/// A stage made ready.
#[wasm_bindgen(skip_typescript)]
pub struct World {
    inner: sonometer::stage::World,
    source: String,
    warnings: Diagnostics,
}

#[wasm_bindgen]
impl World {
    /// The stage that ships as `id` or `id@version`; what it names may be hidden by sources of `shelf`.
    ///
    /// # Errors
    /// Those of the shelf; `target_not_found`.
    pub fn shipped(name: &str, shelf: Vec<String>) -> Result<World, JsValue> {
        let shelf = own(&shelf)?;
        let entry = stage_named(name).map_err(|none| thrown(none.into()))?;
        Self::of(entry.source, &shelf)
    }

    /// Reads a stage. It finds what it names among the sources of `shelf`, and behind them in what ships.
    ///
    /// # Errors
    /// `invalid_protocol` with every finding; `target_not_found` for what is named and not there.
    pub fn read(source: &str, shelf: Vec<String>) -> Result<World, JsValue> {
        Self::of(source, &own(&shelf)?)
    }

    /// Digest of the stage; kind, id, version and digest of what senses it; id, version and digest of each protocol in that.
    pub fn facts(&self) -> Vec<String> {
        let target = self.inner.target();
        let mut facts =
            vec![self.inner.digest(), target.kind.as_str(), &target.id, &target.version, &target.digest];
        facts.extend(target.protocols.iter().flat_map(|own| [&*own.id, &own.version, &own.digest]));
        facts.into_iter().map(str::to_owned).collect()
    }

    /// The canonical JSON of the stage: every key with its value.
    pub fn canonical(&self) -> String {
        self.inner.stage().to_canonical_json()
    }

    /// The names of its checkpoints, in the order of the file.
    pub fn checkpoints(&self) -> Vec<String> {
        self.inner.stage().checkpoints.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The names of its flags, in the order of the file.
    pub fn flags(&self) -> Vec<String> {
        self.inner.stage().flags.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The source it was read from.
    pub fn source(&self) -> String {
        self.source.clone()
    }

    /// What the author of the source should look at.
    pub fn warnings(&self) -> JsValue {
        findings(&self.source, &self.warnings)
    }

    /// Opens a dive; the seed as decimal digits.
    ///
    /// # Errors
    /// `invalid_request` for what is no seed.
    pub fn open(&self, seed: &str) -> Result<Dive, JsValue> {
        let seed = read_seed(seed).map_err(thrown)?;
        Ok(Dive { inner: self.inner.open(seed) })
    }

    /// Goes on with a dive that was saved.
    ///
    /// # Errors
    /// `card_mismatch` with the place.
    pub fn resume(&self, text: &str) -> Result<Dive, JsValue> {
        self.inner.resume(text).map(|inner| Dive { inner }).map_err(mismatch)
    }

    /// Reads a log: its actions.
    ///
    /// # Errors
    /// `card_mismatch` with the line.
    #[wasm_bindgen(js_name = readLog)]
    pub fn read_log(log: &str) -> Result<Vec<String>, JsValue> {
        let log = Action::read_log(log).map_err(mismatch)?;
        Ok(log.into_iter().map(|line| line.action).collect())
    }

    /// Computes a card again from the log of its actions.
    ///
    /// # Errors
    /// `card_mismatch` with the first thing that differs.
    pub fn replay(&self, card: &str, log: &str) -> Result<(), JsValue> {
        let replayed = || replay(&self.inner, &Card::read(card)?, &Action::read_log(log)?);
        replayed().map_err(mismatch)
    }

    /// Reads a card: its canonical JSON, and that without its signature, which is what is signed.
    ///
    /// # Errors
    /// `card_mismatch` with the place of what is wrong.
    #[wasm_bindgen(js_name = readCard)]
    pub fn read_card(text: &str) -> Result<Vec<String>, JsValue> {
        let card = Card::read(text).map_err(mismatch)?;
        Ok(vec![card.to_json(), card.to_signed_json()])
    }

    /// A card with another signature.
    ///
    /// # Errors
    /// `card_mismatch` with the place of what is wrong with the card.
    #[wasm_bindgen(js_name = withSignature)]
    pub fn with_signature(text: &str, signature: String) -> Result<String, JsValue> {
        let card = Card::read(text).map_err(mismatch)?;
        Ok(Card { signature: Some(signature), ..card }.to_json())
    }

    /// The stages that ship, each as six texts in a row: id, version, name, status, description, source.
    ///
    /// # Errors
    /// `invalid_protocol` if a file that ships cannot be read, which is a bug.
    pub fn stages() -> Result<Vec<String>, JsValue> {
        let mut list = Vec::new();
        for entry in sonometer_catalog::stages() {
            let (stage, _) = Stage::read(entry.source).map_err(thrown)?;
            let (status, source) = (stage.status.as_str(), entry.source);
            let facts = [entry.id, entry.version, &stage.name, status, &stage.description, source];
            list.extend(facts.map(str::to_owned));
        }
        Ok(list)
    }
}

impl World {
    fn of(source: &str, shelf: &Shelf) -> Result<Self, JsValue> {
        let read = sonometer::stage::World::read(source, shelf);
        let (inner, warnings) = read.map_err(|error| thrown_of(source, error))?;
        Ok(Self { inner, source: source.to_owned(), warnings })
    }
}

fn own(shelf: &[String]) -> Result<Shelf, JsValue> {
    Shelf::default().for_stages().read(shelf).map_err(thrown)
}

/// One dive.
#[wasm_bindgen(skip_typescript)]
pub struct Dive {
    inner: sonometer::stage::Dive,
}

#[wasm_bindgen]
impl Dive {
    /// Takes an action.
    ///
    /// # Errors
    /// `dive_closed`, `action_too_long`; the dive is as it was.
    pub fn act(&mut self, action: &str) -> Result<Step, JsValue> {
        let refused = |refused: Refused| thrown_as(refused.code(), &refused.to_string(), "action");
        let step = self.inner.act(action).map_err(refused)?;
        Ok(Step {
            json: step.to_json(),
            measured: step.measured.to_json(),
            totals: step.totals.to_json(),
            checkpoints: step.checkpoints,
            flags: step.flags,
        })
    }

    /// `{"done":…,"turn":…,"world":…}`
    pub fn observation(&self) -> String {
        self.inner.observation().to_json()
    }

    /// The seed, as decimal digits.
    pub fn seed(&self) -> String {
        self.inner.seed().to_string()
    }

    /// The sums so far, as JSON.
    pub fn totals(&self) -> String {
        self.inner.totals().to_json()
    }

    /// The head of the hash chain.
    pub fn chain(&self) -> String {
        self.inner.chain()
    }

    /// The log so far: a line for each action, without line feeds.
    pub fn log(&self) -> Vec<String> {
        self.inner.log()
    }

    /// The whole dive, as [`World::resume`] takes it.
    pub fn save(&self) -> String {
        self.inner.to_json()
    }

    /// The card of a dive for practice.
    pub fn close(
        &self,
        dive_id: String,
        agent: Option<String>,
        version: Option<String>,
        summary: Option<String>,
    ) -> String {
        let agent = agent.map(|id| Agent { id, version });
        let closing = Closing { agent, summary, ..Closing::practice(dive_id) };
        self.inner.close(&closing).to_json()
    }
}

/// What an action came to.
#[wasm_bindgen(skip_typescript, getter_with_clone)]
pub struct Step {
    /// The canonical JSON of what the service answers.
    pub json: String,
    /// The reading, as JSON.
    pub measured: String,
    /// The sums so far, as JSON.
    pub totals: String,
    /// The names of the checkpoints it reached.
    pub checkpoints: Vec<String>,
    /// The names of the flags it tripped.
    pub flags: Vec<String>,
}
