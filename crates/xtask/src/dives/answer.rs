//! What the engine answers to a vector, put together from its own texts.

use super::{Play, Proof, Task};
use serde_json::json;
use sonometer::Error;
use sonometer::stage::{Action, Agent, Card, Closing, Dive, Mismatch, Refused, World, read_seed, replay};
use sonometer_card::{BadKey, Keys, SigningKey, check, sign};
use sonometer_catalog::{Shelf, stage_named};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The engine, with the stages that it has read: reading one that ships takes longer than playing it.
#[derive(Default)]
pub(crate) struct Engine {
    worlds: RefCell<BTreeMap<Sources, Result<World, Wrong>>>,
}

/// A stage by its source or name, and what it may name.
type Sources = (String, Vec<String>);

/// Why there is no answer, as every door says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) place: String,
}

impl Wrong {
    fn new(code: &str, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), place: place.into() }
    }

    pub(crate) fn to_json(&self) -> String {
        json!({ "code": self.code, "message": self.message, "place": self.place }).to_string()
    }
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        Self::new(error.code.as_str(), error.place, error.message)
    }
}

impl From<Refused> for Wrong {
    fn from(refused: Refused) -> Self {
        Self::new(refused.code(), "action", refused.to_string())
    }
}

impl From<Mismatch> for Wrong {
    fn from(wrong: Mismatch) -> Self {
        Self::new(Mismatch::CODE, wrong.place, wrong.message)
    }
}

impl From<BadKey> for Wrong {
    fn from(wrong: BadKey) -> Self {
        Self::new(BadKey::CODE, wrong.place(), wrong.message)
    }
}

impl Engine {
    /// The line of an answer.
    pub(crate) fn line(&self, task: &Task) -> String {
        self.answer(task).unwrap_or_else(|wrong| wrong.to_json())
    }

    /// The answer: a dive with its card, or that a card holds.
    pub(crate) fn answer(&self, task: &Task) -> Result<String, Wrong> {
        match task {
            Task::Dive(play) => self.play(play),
            Task::Card(proof) => self.prove(proof).map(|()| "{\"holds\":true}".to_owned()),
        }
    }

    /// The stage made ready, by its source or by its name in the catalogue.
    fn world(&self, stage: &str, shelf: &[String]) -> Result<World, Wrong> {
        let key = (stage.to_owned(), shelf.to_vec());
        if let Some(known) = self.worlds.borrow().get(&key) {
            return known.clone();
        }
        let world = read_world(stage, shelf);
        self.worlds.borrow_mut().insert(key, world.clone());
        world
    }

    fn play(&self, play: &Play) -> Result<String, Wrong> {
        let world = self.world(&play.stage, &play.shelf)?;
        let key = play.key.as_deref().map(SigningKey::read).transpose()?;
        let mut dive = world.open(read_seed(&play.seed)?);
        let paused = |dive: Dive| match play.pause {
            true => world.resume(&dive.to_json()),
            false => Ok(dive),
        };
        let opened = dive.observation().to_json();
        dive = paused(dive)?;
        let (mut steps, mut log) = (Vec::new(), Vec::new());
        for action in &play.actions {
            match dive.act(action) {
                Ok(step) => {
                    log.push(step.log_line(action, &dive.chain()));
                    steps.push(step.to_json());
                }
                Err(refused) => steps.push(Wrong::from(refused).to_json()),
            }
            dive = paused(dive)?;
        }
        let closing = &play.closing;
        let agent = closing.agent.as_ref();
        let mut card = dive.close(&Closing {
            agent: agent.map(|agent| Agent { id: agent.id.clone(), version: agent.version.clone() }),
            summary: closing.summary.clone(),
            ..Closing::practice(closing.dive_id.as_str())
        });
        if let Some(key) = &key {
            card = sign(&card, key);
        }
        let (steps, log) = (steps.join(","), log.join(","));
        let (chain, card) = (dive.chain(), card.to_json());
        Ok(format!(
            r#"{{"opened":{opened},"steps":[{steps}],"log":[{log}],"chain":"{chain}","card":{card}}}"#
        ))
    }

    fn prove(&self, proof: &Proof) -> Result<(), Wrong> {
        let card = Card::read(&proof.text)?;
        if let Some(keys) = &proof.keys {
            check(&card, &Keys::read(keys)?)?;
        }
        if let Some(log) = &proof.log {
            let log = Action::read_log(log)?;
            let named = format!("{}@{}", card.stage.id, card.stage.version);
            let world = self.world(proof.stage.as_deref().unwrap_or(&named), &proof.shelf)?;
            replay(&world, &card, &log)?;
        }
        Ok(())
    }
}

fn read_world(stage: &str, shelf: &[String]) -> Result<World, Wrong> {
    let shelf = Shelf::default().for_stages().read(shelf)?;
    let is_source = stage.contains('\n') || stage.starts_with('{');
    let source = if is_source { stage } else { stage_named(stage).map_err(Error::from)?.source };
    Ok(World::read(source, &shelf)?.0)
}
