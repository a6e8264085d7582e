//! Random dives: the stages of the vectors and what they listen for, said in any order and in any state; then the card, often
//! with a mistake in it.

use super::{Case, Dice, Task};
use crate::dives::{self, Agent, Closing, Engine, Line, Play, Proof};
use crate::test::root;
use sonometer::stage::MAX_SEED;
use sonometer_card::SigningKey;
use sonometer_reference::generate;

/// What random dives are made of.
pub(super) struct Dives {
    plays: Vec<Play>,
    engine: Engine,
}

impl Dives {
    pub(super) fn read() -> Result<Self, String> {
        let engine = Engine::default();
        let plays = dives::all(&root())?.into_iter().filter_map(|Line { task, .. }| match task {
            dives::Task::Dive(play) if engine.answer(&dives::Task::Dive(play.clone())).is_ok() => Some(play),
            _ => None,
        });
        Ok(Self { plays: plays.collect(), engine })
    }
}

impl Dice {
    /// A dive and its card.
    pub(super) fn dive(&mut self, name: &str, dives: &Dives) -> [Case; 2] {
        let play = self.play(&dives.plays);
        let task = dives::Task::Dive(play.clone());
        let proof = self.proof(&play, &dives.engine.line(&task));
        let case = |what: &str, task| Case { name: format!("{name}, {what}"), task: Task::Dive(task, None) };
        [case("dive", task), case("card", dives::Task::Card(proof))]
    }

    fn play(&mut self, plays: &[Play]) -> Play {
        let one = plays[self.below(plays.len())].clone();
        let said: Vec<&String> =
            plays.iter().filter(|other| other.stage == one.stage).flat_map(|other| &other.actions).collect();
        let count = self.below(9);
        let actions = (0..count).map(|_| self.action(&said)).collect();
        let seed = match self.below(8) {
            0 => 0,
            1 => MAX_SEED,
            2 => self.draw(MAX_SEED - 1..MAX_SEED + 3),
            _ => self.draw(0..MAX_SEED),
        };
        let agent = (self.below(3) == 0).then(|| Agent {
            id: self.draw(generate::interaction()).turns()[0].content.to_string(),
            version: (self.below(2) == 0).then(|| "1".to_owned()),
        });
        let key = (self.below(2) == 0).then(|| format!("{:064x}", self.below(1 << 30)));
        // As the command names it, so that it can be asked too.
        let dive_id = one.closing.dive_id.rsplit_once('-').map_or("dive", |(id, _)| id);
        let closing = Closing { dive_id: format!("{dive_id}-{seed}"), agent, summary: None };
        Play { seed: seed.to_string(), actions, pause: self.below(2) == 0, closing, key, ..one }
    }

    fn action(&mut self, said: &[&String]) -> String {
        let one = |dice: &mut Self| match said.is_empty() {
            true => "Hello.".to_owned(),
            false => said[dice.below(said.len())].clone(),
        };
        match self.below(8) {
            0 => one(self) + " " + &one(self),
            1 => self.draw(generate::interaction()).turns()[0].content.to_string(),
            2 => {
                let text = one(self);
                if text.is_empty() { text } else { self.broken(&text) }
            }
            _ => one(self),
        }
    }

    /// The card of a dive as it was answered, with its log.
    fn proof(&mut self, play: &Play, answer: &str) -> Proof {
        let (rest, card) = answer.rsplit_once(",\"card\":").unwrap_or((answer, answer));
        let card = card.strip_suffix('}').unwrap_or(card).to_owned();
        // A line begins with its action, which no text can look like: quotes within texts are escaped.
        let log = rest.split_once(",\"log\":[").map_or("", |(_, log)| log);
        let log = log.rsplit_once("],\"chain\":").map_or("", |(log, _)| log);
        let log = log.replace("},{\"action\":", "}\n{\"action\":");
        let key = play.key.as_deref().and_then(|key| SigningKey::read(key).ok());
        let keys = key.map(|key| key.public().to_string());
        let proof = Proof {
            text: card,
            keys,
            log: Some(log),
            stage: Some(play.stage.clone()),
            shelf: play.shelf.clone(),
        };
        match self.below(4) {
            0 => Proof { text: self.broken(&proof.text), keys: None, ..proof },
            1 => Proof { text: self.broken(&proof.text), ..proof },
            2 if proof.log.as_deref() != Some("") => {
                Proof { log: proof.log.as_deref().map(|log| self.broken(log)), ..proof }
            }
            _ => proof,
        }
    }
}
