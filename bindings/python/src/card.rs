//! Cards: what a dive came to, as Python's `StageCard`; and the keys that sign them.

use crate::argument;
use crate::dive::{class, totals_object, verdict_object};
use crate::failure::{Failure, Outcome};
use crate::number::{float, kind_of};
use crate::reading::loads;
use crate::stage::{Stage, envelope_object, stamp_object, target_object};
use crate::value::text;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMapping, PyString, PyTuple};
use sonometer::Error;
use sonometer::batch::guarded;
use sonometer::stage::{Action, Agent, Attempt, Card, Measured, Mismatch, World, replay};
use sonometer_card::{BadKey, Keys, check, envelope, sign, statement};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The card of a closed dive: who dived what, what came of it, and the head of a chain over all that was said. Frozen; equal
/// where it has the same bytes.
///
/// >>> from sonometer import SigningKey, Stage, StageCard
/// >>> stage = Stage("billing-dispute")
/// >>> dive = stage.open(seed=7)
/// >>> _ = dive.act("I am so sorry, this should not have happened to you.")
/// >>> card = dive.close(agent="kelp").sign(SigningKey(bytes(32)))
/// >>> card
/// <StageCard 'billing-dispute-7' closed_early turns=1 score=0.6 signed>
/// >>> again = StageCard.read(card.json())
/// >>> again.verify(SigningKey(bytes(32)).public_key)
/// >>> again.replay(dive.log())
/// >>> again.replay(["I am so sorry."])
/// Traceback (most recent call last):
///   ...
/// sonometer.errors.CardMismatchError: the card has ..., the replay gives ...
#[pyclass(frozen, name = "StageCard", module = "sonometer")]
#[derive(Debug)]
pub(crate) struct StageCard {
    card: Card,
}

/// A key that signs cards: 32 secret bytes, or the text of a key file as `sonometer dive keygen` writes it. The secret is never
/// shown, and not pickled.
///
/// >>> from sonometer import SigningKey
/// >>> key = SigningKey(bytes(32))
/// >>> key
/// <SigningKey 139e3940e64b5491>
/// >>> key.public_key
/// '3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29'
#[pyclass(frozen, name = "SigningKey", module = "sonometer")]
pub(crate) struct SigningKey {
    inner: sonometer_card::SigningKey,
}

impl StageCard {
    pub(crate) fn new(card: Card) -> Self {
        Self { card }
    }
}

/// A text, or bytes of UTF-8.
fn utf8<'v>(value: &'v Bound<'_, PyAny>, place: &str) -> Outcome<Option<std::borrow::Cow<'v, str>>> {
    if let Ok(value) = value.cast::<PyString>() {
        return Ok(Some(text(value, place)?.into()));
    }
    let bytes = if let Ok(bytes) = value.cast::<PyBytes>() {
        bytes.as_bytes().to_vec()
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        bytes.to_vec()
    } else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::from(Mismatch::new(place, format!("byte {at} is not UTF-8; pass it unchanged")))
    })?;
    Ok(Some(text.into()))
}

/// The log of a dive: its text, or the actions one by one.
fn log(value: &Bound<'_, PyAny>) -> Outcome<Vec<Action>> {
    if let Some(text) = utf8(value, "log")? {
        return Ok(Action::read_log(&text)?);
    }
    let wrong = |value: &Bound<'_, PyAny>, place: &str| {
        let message = format!("{} is not a log", kind_of(value));
        Failure::wrong_type(place, message, "give the text of a log, or a list of actions")
    };
    if value.cast::<PyMapping>().is_ok() {
        return Err(wrong(value, "log"));
    }
    let mut actions = Vec::new();
    for (at, item) in value.try_iter().map_err(|_| wrong(value, "log"))?.enumerate() {
        let (item, place) = (item?, format!("log[{at}]"));
        let action = item.cast::<PyString>().map_err(|_| wrong(&item, &place))?;
        actions.push(Action::new(text(action, &place)?));
    }
    Ok(actions)
}

/// The keys that may have signed a card: their text, one a line, or several of these.
fn keys(value: &Bound<'_, PyAny>) -> Outcome<Keys> {
    if let Some(text) = utf8(value, "keys")? {
        return Ok(Keys::read(&text)?);
    }
    let wrong = |value: &Bound<'_, PyAny>, place: &str| {
        let message = format!("{} is not a public key", kind_of(value));
        Failure::wrong_type(place, message, "give the text of public keys, one a line, or a list of them")
    };
    if value.cast::<PyMapping>().is_ok() {
        return Err(wrong(value, "keys"));
    }
    let mut all = Vec::new();
    for (at, item) in value.try_iter().map_err(|_| wrong(value, "keys"))?.enumerate() {
        let (item, place) = (item?, format!("keys[{at}]"));
        let text =
            item.cast::<PyString>().map_err(|_| wrong(&item, &place)).and_then(|own| text(own, &place))?;
        let read = Keys::read(text).map_err(|wrong| Failure::from(wrong).within(&place))?;
        all.extend(read.iter().cloned());
    }
    match all.is_empty() {
        true => Err(Failure::coded(BadKey::CODE, "keys", "there is no key")),
        false => Ok(all.into_iter().collect()),
    }
}

#[pymethods]
impl SigningKey {
    #[new]
    #[pyo3(signature = (secret, /))]
    fn new(secret: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = secret.cast::<PyString>() {
            // Not by `text`, whose message would not show the secret either, but need not be asked to.
            let text = text.to_str().map_err(|_| {
                Failure::coded(BadKey::CODE, "line 1", "is not a signing key: 64 hexadecimal digits")
            })?;
            return Ok(Self { inner: sonometer_card::SigningKey::read(text).map_err(Failure::from)? });
        }
        let bytes = match (secret.cast::<PyBytes>(), secret.cast::<PyByteArray>()) {
            (Ok(bytes), _) => bytes.as_bytes().to_vec(),
            (_, Ok(bytes)) => bytes.to_vec(),
            _ => {
                let message = format!("{} is not a signing key", kind_of(secret));
                let fix = "give 32 secret bytes, or the text of a key file";
                return Err(Failure::wrong_type("secret", message, fix).into());
            }
        };
        let seed = <[u8; 32]>::try_from(bytes.as_slice()).map_err(|_| {
            let message =
                format!("a signing key has 32 bytes, not {}; `os.urandom(32)` makes one", bytes.len());
            Failure::coded(BadKey::CODE, "secret", message)
        })?;
        Ok(Self { inner: sonometer_card::SigningKey::from_seed(seed) })
    }

    /// The key that verifies what this one signs: 64 hexadecimal digits.
    #[getter]
    fn public_key(&self) -> String {
        self.inner.public().to_string()
    }

    /// What the key is called in signatures: the first 16 hexadecimal digits of the SHA-256 of the public key.
    #[getter]
    fn id(&self) -> String {
        self.inner.public().id()
    }

    /// A secret goes nowhere by itself.
    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        let fix = "pass the path of the key file, and read it there";
        Err(Failure::wrong_type("", "a signing key cannot be pickled", fix).into())
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __repr__(&self) -> String {
        format!("<SigningKey {}>", self.id())
    }
}

#[pymethods]
impl StageCard {
    /// Reads a card that somebody hands in, strictly: every key, every type, the one way to write it, and its sums.
    ///
    /// >>> from sonometer import StageCard
    /// >>> StageCard.read("{}")
    /// Traceback (most recent call last):
    ///   ...
    /// sonometer.errors.CardMismatchError: `sonometer_stagecard` is missing; give the JSON of a card, ... (at sonometer_stagecard)
    #[staticmethod]
    #[pyo3(signature = (card, /))]
    fn read(card: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Some(text) = utf8(card, "card")? else {
            let message = format!("{} is not a card", kind_of(card));
            return Err(Failure::wrong_type("card", message, "give its JSON text as str or bytes").into());
        };
        let fix = "give the JSON of a card, unchanged, as `StageCard.json` writes it";
        Ok(Self { card: Card::read(&text).map_err(|wrong| Failure::of_json(wrong, fix))? })
    }

    /// What the dive is known by.
    #[getter]
    fn dive_id(&self) -> &str {
        &self.card.dive_id
    }

    /// The tag of the agent; None if no agent was named.
    #[getter]
    fn agent<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(Agent { id, version }) = &self.card.agent else { return Ok(None) };
        class(py, "Agent")?.call1((id, version.as_deref())).map(Some)
    }

    /// Which attempt it was, where a service counts them; else None.
    #[getter]
    fn attempt<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(Attempt { number, graded_so_far, record }) = self.card.attempt else { return Ok(None) };
        class(py, "Attempt")?.call1((number, graded_so_far, record.as_str())).map(Some)
    }

    /// The stage, by name and content.
    #[getter]
    fn stage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        stamp_object(py, &self.card.stage)
    }

    /// What sensed every action, by name and content; on the card it is called `blueprint`.
    #[getter]
    fn target<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        target_object(py, &self.card.blueprint)
    }

    /// The head of the hash chain over actions and readings: `sha256:` and hexadecimal digits.
    #[getter]
    fn chain(&self) -> &str {
        &self.card.chain
    }

    /// The fingerprint of the engine.
    #[getter]
    fn engine(&self) -> &str {
        &self.card.engine
    }

    /// The bounds of the dive; on the card they are called `envelope`.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        envelope_object(py, self.card.envelope)
    }

    /// Whom the stage lets in: `free`, `entitled`, `invite` or `session`.
    #[getter]
    fn access_mode(&self) -> &'static str {
        self.card.access_mode.as_str()
    }

    /// `practice` or `graded`.
    #[getter]
    fn mode(&self) -> &'static str {
        self.card.mode.as_str()
    }

    /// The reading of every action; None where the stage does not share them.
    #[getter]
    fn readings<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Some(readings) = &self.card.readings else { return Ok(None) };
        let class = class(py, "Measured")?;
        let object = |Measured { score, on_target, fidelity, ics }: &Measured| {
            class.call1((float(*score), *on_target, float(*fidelity), *ics))
        };
        PyTuple::new(py, readings.iter().map(object).collect::<PyResult<Vec<_>>>()?).map(Some)
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.card.seed
    }

    /// Who chose it: `server` or `caller`.
    #[getter]
    fn seed_source(&self) -> &'static str {
        self.card.seed_source.as_str()
    }

    /// `ed25519:`, the id of the key and the signature; None where the card is not signed.
    #[getter]
    fn signature(&self) -> Option<&str> {
        self.card.signature.as_deref()
    }

    /// The closing note; None if there is none.
    #[getter]
    fn summary(&self) -> Option<&str> {
        self.card.summary.as_deref()
    }

    /// The sums.
    #[getter]
    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        totals_object(py, self.card.totals)
    }

    /// Passed or not, and why.
    #[getter]
    fn verdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        verdict_object(py, &self.card.verdict)
    }

    /// Whether the dive passed: `verdict.passed`.
    #[getter]
    fn passed(&self) -> bool {
        self.card.verdict.passed
    }

    /// The mean score of the actions: `totals.score`.
    #[getter]
    fn score(&self) -> f64 {
        float(self.card.totals.score)
    }

    /// The canonical JSON: the text that every door of Sonometer gives.
    fn json(&self) -> String {
        self.card.to_json()
    }

    /// The JSON as Python's dicts and lists.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, self.card.to_json())
    }

    /// The canonical JSON as UTF-8: the bytes that every door of Sonometer gives.
    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.card.to_json().as_bytes())
    }

    /// The same card with a signature (Ed25519); one that is there is replaced. The same card and key give the same bytes.
    #[pyo3(signature = (key, /))]
    fn sign(&self, #[pyo3(from_py_with = argument::key)] key: &Bound<'_, SigningKey>) -> Self {
        Self { card: sign(&self.card, &key.get().inner) }
    }

    /// Checks the signature against the public keys that may have signed: their text, one a line, a list of them, or the JSON
    /// of a service (`GET /api/v1/keys`).
    ///
    /// Raises `CardMismatchError` where the card is not signed, by none of the keys, or was changed afterwards.
    #[pyo3(signature = (keys, /))]
    fn verify(&self, keys: &Bound<'_, PyAny>) -> PyResult<()> {
        let keys = self::keys(keys)?;
        Ok(check(&self.card, &keys).map_err(Failure::from)?)
    }

    /// Computes the card again from the log of its dive, or from its actions, and compares every byte.
    ///
    /// `stage` is a `Stage` or whatever makes one; without it the stage that the card names, from the catalogue. Raises
    /// `CardMismatchError` with the place of the first thing that differs: a step, or a key of the card.
    #[pyo3(signature = (log, /, *, stage = None))]
    fn replay(&self, log: &Bound<'_, PyAny>, stage: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (py, log) = (log.py(), self::log(log)?);
        let world = self.world(py, stage)?;
        let replayed =
            py.detach(|| guarded(|| Ok(replay(&world, &self.card, &log)))).map_err(Failure::from)?;
        Ok(replayed.map_err(Failure::from)?)
    }

    /// An in-toto Statement v1 about the dive, as canonical JSON: the card as its predicate.
    fn statement(&self) -> String {
        statement(&self.card)
    }

    /// The statement in a DSSE envelope, signed.
    #[pyo3(signature = (key, /))]
    fn envelope(&self, #[pyo3(from_py_with = argument::key)] key: &Bound<'_, SigningKey>) -> String {
        envelope(&self.card, &key.get().inner)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let card = &slf.get().card;
        let id = PyString::new(slf.py(), &card.dive_id).repr()?.to_string_lossy().into_owned();
        let (reason, turns, score) = (card.verdict.reason.as_str(), card.totals.turns, card.totals.score);
        let signed = if card.signature.is_some() { " signed" } else { "" };
        Ok(format!("<StageCard {id} {reason} turns={turns} score={score}{signed}>"))
    }

    /// For notebooks: the verdict, what was reached, and the actions by their readings.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("sonometer._html")?.call_method1("card", (slf,))
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        self.card == other.card
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.card.chain, &self.card.dive_id).hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let read = py.import("sonometer._sonometer")?.getattr("StageCard")?.getattr("read")?;
        Ok((read, (self.card.to_json(),).into_pyobject(py)?))
    }
}

impl StageCard {
    /// The stage given, or the one that the card names.
    fn world(&self, py: Python<'_>, stage: Option<&Bound<'_, PyAny>>) -> Outcome<World> {
        let Some(given) = stage else {
            let name = format!("{}@{}", self.card.stage.id, self.card.stage.version);
            let entry = sonometer_catalog::stage_named(&name).map_err(Error::from)?;
            return Ok(Stage::find(PyString::new(py, entry.source).as_any(), None, true)?.world);
        };
        match given.cast::<Stage>() {
            Ok(stage) => Ok(stage.get().world.clone()),
            Err(_) => Ok(Stage::find(given, None, true)?.world),
        }
    }
}
