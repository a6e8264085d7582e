//! Worlds that stay as they were: a stage is kept with everything that sensed it when the dive was opened, so that neither a
//! new version nor an archived one changes a dive that is under way.

use crate::catalogue::Shelf;
use crate::effort::Effort;
use crate::refusal::Refusal;
use crate::store::FrozenWorld;
use crate::{Service, token};
use serde_json::value::RawValue;
use sonometer::stage::{Dive, Stage, World};
use sonometer::{Blueprint, Catalog, Document, Error, Metric, Protocol};
use sonometer_catalog::ForStages;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// So many worlds are kept ready.
const MOST_WORLDS: usize = 256;

/// A world, and what is kept of it.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub(super) world: World,
    pub(super) frozen: FrozenWorld,
}

/// The worlds that were used last.
#[derive(Debug, Default)]
pub(crate) struct Worlds {
    /// By owner, revision of its shelf and digest of the stage.
    opened: Mutex<HashMap<(String, i64, String), Arc<Ready>>>,
    /// By the digest of what is kept.
    frozen: Mutex<HashMap<String, World>>,
}

fn put<K: std::hash::Hash + Eq, V>(kept: &Mutex<HashMap<K, V>>, key: K, value: V) {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= MOST_WORLDS {
        kept.clear();
    }
    kept.insert(key, value);
}

fn get<K: std::hash::Hash + Eq, V: Clone>(kept: &Mutex<HashMap<K, V>>, key: &K) -> Option<V> {
    kept.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
}

/// Where a stage finds what senses it: on the shelf of its organization, then among what ships for stages.
pub(super) struct Parts(pub(super) Arc<Shelf>);

fn or_else<T>(own: Vec<T>, more: impl FnOnce() -> Result<Vec<T>, Error>) -> Result<Vec<T>, Error> {
    if own.is_empty() { more() } else { Ok(own) }
}

impl Catalog for Parts {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        or_else(Catalog::protocols(&*self.0, id)?, || ForStages.protocols(id))
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        or_else(Catalog::metrics(&*self.0, id)?, || ForStages.metrics(id))
    }

    fn blueprints(&self, id: &str) -> Result<Vec<Blueprint>, Error> {
        or_else(Catalog::blueprints(&*self.0, id)?, || ForStages.blueprints(id))
    }
}

/// A catalogue that remembers what it was asked for.
struct Noted<'c> {
    of: &'c dyn Catalog,
    documents: RefCell<Vec<Document>>,
}

impl Noted<'_> {
    fn note<T: Clone>(
        &self,
        found: Result<Vec<T>, Error>,
        document: impl Fn(T) -> Document,
    ) -> Result<Vec<T>, Error> {
        let found = found?;
        let mut documents = self.documents.borrow_mut();
        for one in found.iter().cloned().map(document) {
            let same = |known: &Document| {
                (known.kind(), known.id(), known.version()) == (one.kind(), one.id(), one.version())
            };
            if !documents.iter().any(same) {
                documents.push(one);
            }
        }
        Ok(found)
    }
}

impl Catalog for Noted<'_> {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        self.note(self.of.protocols(id), |protocol| Document::Protocol(Box::new(protocol)))
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        self.note(self.of.metrics(id), Document::Metric)
    }

    fn blueprints(&self, id: &str) -> Result<Vec<Blueprint>, Error> {
        self.note(self.of.blueprints(id), Document::Blueprint)
    }
}

/// What was kept, and nothing else.
struct Kept(Vec<Document>);

impl Catalog for Kept {
    fn protocols(&self, id: &str) -> Result<Vec<Protocol>, Error> {
        let own = self.0.iter().filter_map(|document| match document {
            Document::Protocol(protocol) if protocol.id == id => Some((**protocol).clone()),
            _ => None,
        });
        Ok(own.collect())
    }

    fn metrics(&self, id: &str) -> Result<Vec<Metric>, Error> {
        let own = self.0.iter().filter_map(|document| match document {
            Document::Metric(metric) if metric.id == id => Some(metric.clone()),
            _ => None,
        });
        Ok(own.collect())
    }

    fn blueprints(&self, id: &str) -> Result<Vec<Blueprint>, Error> {
        let own = self.0.iter().filter_map(|document| match document {
            Document::Blueprint(blueprint) if blueprint.id == id => Some(blueprint.clone()),
            _ => None,
        });
        Ok(own.collect())
    }
}

/// A stage made ready, with what is to be kept of it: itself, the protocols that sense it, and every version of the metrics
/// and blueprints that were looked at, so that the same is found among them.
pub(super) fn freeze(stage: Stage, catalog: &dyn Catalog) -> Result<Ready, Error> {
    let noted = Noted { of: catalog, documents: RefCell::default() };
    let text = stage.to_canonical_json();
    let world = World::new(stage, &noted)?;
    let senses = |document: &Document| match document {
        Document::Protocol(_) => {
            let mut stamps = world.target().protocols.iter();
            stamps.any(|stamp| {
                (stamp.id.as_str(), stamp.version.as_str()) == (document.id(), document.version())
            })
        }
        _ => true,
    };
    let documents = noted.documents.into_inner();
    let parts = documents.iter().filter(|document| senses(document)).map(Document::to_canonical_json);
    let parts = format!("[{}]", parts.collect::<Vec<_>>().join(","));
    let digest = token::sha256(format!("{text}\n{parts}").as_bytes());
    Ok(Ready { world, frozen: FrozenWorld { digest, stage: text, parts } })
}

/// A world as it was kept.
fn thaw(stage: &str, parts: &str) -> Result<World, String> {
    let parts: Vec<&RawValue> = serde_json::from_str(parts).map_err(|error| error.to_string())?;
    let read = |part: &&RawValue| Document::read(part.get()).map(|(document, _)| document);
    let parts: Result<Vec<_>, Error> = parts.iter().map(read).collect();
    let stage = Stage::read(stage).map_err(|error| error.to_string())?.0;
    parts.and_then(|parts| World::new(stage, &Kept(parts))).map_err(|error| error.to_string())
}

/// A dive as it was kept, with the engine that began it if that is another one than this.
pub(super) fn resume(world: &World, state: &str) -> Result<(Dive, Option<String>), Refusal> {
    match world.resume(state) {
        Ok(dive) => Ok((dive, None)),
        Err(wrong) if wrong.place == "engine" => {
            // Quotes within texts are escaped, so this is the key.
            let key = "\"engine\":\"";
            let found = state.split_once(key).and_then(|(start, rest)| {
                let (engine, end) = rest.split_once('"')?;
                Some((format!("{start}{key}{}\"{end}", sonometer::fingerprint()), engine.to_owned()))
            });
            let (state, engine) = found.ok_or_else(|| Refusal::internal("a dive without an engine"))?;
            let dive = world.resume(&state).map_err(|wrong| Refusal::internal(&wrong.to_string()))?;
            Ok((dive, Some(engine)))
        }
        Err(wrong) => Err(Refusal::internal(&format!("a dive cannot be gone on with: {wrong}"))),
    }
}

impl Service {
    /// The world of a stage that is opened.
    pub(super) async fn world_of(
        &self,
        owner: &str,
        revision: i64,
        stage: Stage,
    ) -> Result<Arc<Ready>, Refusal> {
        let worlds = &self.inner.dives.worlds;
        let key = (owner.to_owned(), revision, stage.digest());
        if let Some(ready) = get(&worlds.opened, &key) {
            return Ok(ready);
        }
        let shelf = self.shelf_of(owner, revision).await?;
        let made = self.work(owner, Effort::LONG, move || freeze(stage, &Parts(shelf))).await?;
        // What it names was there when it was published, and may have been a draft that is there no more.
        let ready = Arc::new(made.map_err(|error| {
            let message = format!("the stage cannot be dived now: {}", error.message);
            Refusal::new(crate::Code::TargetNotFound, message)
        })?);
        put(&worlds.opened, key, ready.clone());
        put(&worlds.frozen, ready.frozen.digest.clone(), ready.world.clone());
        Ok(ready)
    }

    /// A world that a dive of an organization keeps.
    pub(super) async fn kept_world(&self, org: &str, digest: &str) -> Result<World, Refusal> {
        let worlds = &self.inner.dives.worlds;
        if let Some(world) = get(&worlds.frozen, &digest.to_owned()) {
            return Ok(world);
        }
        let kept = self.inner.store.world(digest).await?;
        let (stage, parts) = kept.ok_or_else(|| Refusal::internal("a dive without a world"))?;
        let made = self.work(org, Effort::LONG, move || thaw(&stage, &parts)).await?;
        let world = made.map_err(|error| Refusal::internal(&format!("a world cannot be read: {error}")))?;
        put(&worlds.frozen, digest.to_owned(), world.clone());
        Ok(world)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_is_the_same_world_when_it_is_kept() {
        for entry in sonometer_catalog::stages() {
            let ready = freeze(Stage::read(entry.source).expect(entry.id).0, &ForStages).expect(entry.id);
            let again = thaw(&ready.frozen.stage, &ready.frozen.parts).expect(entry.id);
            assert_eq!((again.digest(), again.target()), (ready.world.digest(), ready.world.target()));
            let mut dive = ready.world.open(7);
            dive.act("I \"engine\":\" am sorry.").expect("the world goes on");
            let state = dive.to_json();
            let (same, engine) = resume(&again, &state).expect("goes on");
            assert_eq!((same.to_json(), engine), (state.clone(), None));
            let old = state.replacen(&sonometer::fingerprint(), "an older one", 1);
            let (same, engine) = resume(&again, &old).expect("can be closed");
            assert_eq!((same.to_json(), engine.as_deref()), (state, Some("an older one")));
            assert!(resume(&again, "{}").is_err());
        }
    }
}
