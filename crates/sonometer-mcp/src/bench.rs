//! What all clients share: what can be measured with, compiled once; the turns of work; the open dives.

use crate::answer::Refusal;
use crate::dives::Dives;
use crate::limits;
use crate::works::Works;
use sha2::{Digest, Sha256};
use sonometer::protocol::NoFile;
use sonometer::stage::{Stage, World};
use sonometer::{Document, Error, ErrorCode, Instrument, TargetKind};
use sonometer_catalog::{Shelf, find_any, split, stage_named};
use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

/// What is served beside the catalogue: read when the server begins, and found by id or by `id@version`.
#[derive(Debug, Default)]
pub struct Own {
    /// Protocols, metrics and blueprints, each as it was read and compiled.
    pub targets: Vec<(Document, Instrument)>,
    /// Stages.
    pub worlds: Vec<World>,
}

/// What all clients share.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) own: Own,
    /// The own targets, then what ships.
    shelf: Shelf,
    instruments: Mutex<Kept<Instrument>>,
    worlds: Mutex<Kept<World>>,
    pub(crate) works: Works,
    pub(crate) dives: Dives,
}

/// What was used last, by name or by digest; the oldest makes room.
#[derive(Debug)]
struct Kept<T>(Vec<(String, T)>);

impl<T: Clone> Kept<T> {
    fn get(&mut self, key: &str) -> Option<T> {
        let at = self.0.iter().position(|(own, _)| own == key)?;
        let entry = self.0.remove(at);
        let found = entry.1.clone();
        self.0.push(entry);
        Some(found)
    }

    fn put(&mut self, key: String, value: T) {
        self.0.retain(|(own, _)| *own != key);
        if self.0.len() == limits::KEPT {
            self.0.remove(0);
        }
        self.0.push((key, value));
    }
}

/// A name, or the text of a file in its place.
pub(crate) enum Named<'a> {
    Name(&'a str),
    Source(&'a str),
}

/// The one of two arguments that is given.
pub(crate) fn named<'a>(
    name: (&str, Option<&'a str>),
    source: (&str, Option<&'a str>),
) -> Result<Named<'a>, Refusal> {
    match (name.1, source.1) {
        (Some(name), None) => Ok(Named::Name(name)),
        (None, Some(text)) => limits::source(source.0, text).map(|()| Named::Source(text)),
        (None, None) => {
            let such_as = if name.0 == "stage" { "billing-dispute" } else { "courtesy" };
            let (name, source) = (name.0, source.0);
            let message = format!(
                "`{name}` is missing; give `{name}`, such as `{such_as}`, or the text of a file as `{source}`"
            );
            Err(Refusal::invalid(name, message))
        }
        (Some(_), Some(_)) => {
            Err(Refusal::invalid(source.0, format!("give `{}` or `{}`, not both", name.0, source.0)))
        }
    }
}

/// List files are of the file system, which no client reads through this server.
pub(crate) fn no_files(_: &str) -> Result<Cow<'static, str>, NoFile> {
    let fix = "write the phrases below `lists`, or give the file to `sonometer mcp FILE` when it begins";
    Err(NoFile { reason: "cannot be read by this server".into(), fix: fix.into() })
}

impl Bench {
    pub(crate) fn new(own: Own) -> Self {
        let mut shelf = Shelf::default();
        own.targets.iter().for_each(|(document, _)| shelf.add(document.clone()));
        Self {
            own,
            shelf,
            instruments: Mutex::new(Kept(Vec::new())),
            worlds: Mutex::new(Kept(Vec::new())),
            works: Works::default(),
            dives: Dives::default(),
        }
    }

    /// The own target of a name: of several versions the last that was named.
    pub(crate) fn own_target(&self, name: &str) -> Option<&(Document, Instrument)> {
        let (id, version) = split(name);
        let fits =
            |own: &Instrument| own.id() == id && version.is_none_or(|version| own.version() == version);
        self.own.targets.iter().rev().find(|(_, own)| fits(own))
    }

    /// The own stage of a name.
    pub(crate) fn own_world(&self, name: &str) -> Option<&World> {
        let (id, version) = split(name);
        let fits = |stage: &Stage| stage.id == id && version.is_none_or(|version| stage.version == version);
        self.own.worlds.iter().rev().find(|world| fits(world.stage()))
    }

    /// What measures, compiled.
    pub(crate) fn instrument(
        &self,
        target: Option<&str>,
        source: Option<&str>,
    ) -> Result<Instrument, Refusal> {
        let named = named(("target", target), ("source", source))?;
        if let Named::Name(name) = named
            && let Some((_, own)) = self.own_target(name)
        {
            return Ok(own.clone());
        }
        let key = key(&named);
        if let Some(kept) = self.instruments.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(kept);
        }
        let (place, document) = match named {
            Named::Name(name) => {
                let entry = find_any(name, &TargetKind::ALL)
                    .map_err(|none| listed(Refusal::engine("", none.into()), self.own_names()))?;
                ("target", entry.document().map(|(document, _)| document))
            }
            Named::Source(text) if Stage::is_meant(text) => {
                let message = "this is a stage, which measures nothing by itself; open it with `dive_open`";
                return Err(Refusal::invalid("source", message));
            }
            Named::Source(text) => {
                ("source", Document::read_with(text, &no_files).map(|(document, _)| document))
            }
        };
        let made = document.and_then(|document| Instrument::new(document, &self.shelf));
        let made = made.map_err(|error| with_check(Refusal::engine(place, error.clone()), &error))?;
        self.instruments.lock().unwrap_or_else(PoisonError::into_inner).put(key, made.clone());
        Ok(made)
    }

    /// A stage made ready.
    pub(crate) fn world(&self, stage: Option<&str>, source: Option<&str>) -> Result<World, Refusal> {
        let named = named(("stage", stage), ("source", source))?;
        if let Named::Name(name) = named
            && let Some(own) = self.own_world(name)
        {
            return Ok(own.clone());
        }
        let key = key(&named);
        if let Some(kept) = self.worlds.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(kept);
        }
        let (place, text) = match named {
            Named::Name(name) => {
                let entry = stage_named(name).map_err(|none| Refusal::engine("", Error::from(none)))?;
                ("stage", entry.source)
            }
            Named::Source(text) => ("source", text),
        };
        let made = World::read(text, &self.for_stages()).map(|(world, _)| world);
        let made = made.map_err(|error| with_check(Refusal::engine(place, error.clone()), &error))?;
        self.worlds.lock().unwrap_or_else(PoisonError::into_inner).put(key, made.clone());
        Ok(made)
    }

    /// The own targets, then what ships, with what stages are sensed by.
    pub(crate) fn for_stages(&self) -> Shelf {
        self.shelf.clone().for_stages()
    }

    /// The own targets, then what ships.
    pub(crate) fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    fn own_names(&self) -> Vec<String> {
        self.own.targets.iter().map(|(_, own)| format!("{}@{}", own.id(), own.version())).collect()
    }
}

fn key(named: &Named<'_>) -> String {
    match named {
        Named::Name(name) => format!("@{name}"),
        Named::Source(text) => {
            Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
        }
    }
}

/// The own targets beside those that ship.
fn listed(refusal: Refusal, own: Vec<String>) -> Refusal {
    match own.is_empty() {
        true => refusal.and("the tool `protocols` lists all"),
        false => refusal.and(&format!("beside it there is {}", own.join(", "))),
    }
}

/// A file with errors has more of them than one: `check` says all.
fn with_check(refusal: Refusal, error: &Error) -> Refusal {
    match error.code == ErrorCode::InvalidProtocol {
        true => refusal.and("the tool `check` says everything that it finds, with how to mend it"),
        false => refusal,
    }
}
