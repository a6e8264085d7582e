//! A dive as text, for whoever keeps it between its actions.

use super::card::TargetStamp;
use super::card_read::measured;
use super::choice::MAX_SEED;
use super::dive::{Dive, Ended, State};
use super::object::Object;
use super::replay::Mismatch;
use super::world::World;
use crate::diagnostic::excerpt;
use crate::document::read_own_json;
use crate::interaction::Turn;
use crate::json::Json;
use crate::keys::canonical::{hex, sha256};

impl Dive {
    /// The whole dive as canonical JSON: kept after every action, it survives the end of the process, and
    /// [`World::resume`] goes on from it. It holds every text of the dive; it is no business of the agent.
    pub fn to_json(&self) -> String {
        let (stage, state) = (self.world.stage(), &self.state);
        let mut json = Json::with_capacity(4096);
        let names = |json: &mut Json, set: &[bool], name: &dyn Fn(usize) -> String| {
            json.list(|json| (0..set.len()).filter(|at| set[*at]).for_each(|at| json.string(&name(at))));
        };
        json.object(|json| {
            json.key("actions").list(|json| self.actions().for_each(|action| json.string(action)));
            json.key("chain").string(&hex(&state.chain));
            names(json.key("checkpoints"), &state.checkpoints, &|at| stage.checkpoints[at].0.clone());
            let ended = Ended::ALL.iter().find(|(ended, _)| Some(*ended) == state.ended);
            json.key("ended").string(ended.map_or("", |(_, name)| name));
            json.key("engine").string(&crate::language::fingerprint::fingerprint());
            names(json.key("flags"), &state.flags, &|at| stage.flags[at].0.clone());
            json.key("ics").count(state.ics);
            names(json.key("reached"), &state.reached, &|at| stage.scenes[at].0.clone());
            json.key("readings").list(|json| {
                state.readings.iter().for_each(|reading| json.object(|json| reading.write(json)));
            });
            json.key("scene").string(stage.scene_name(state.scene));
            json.key("seed").count(self.seed);
            json.key("sonometer_dive").count(1);
            json.key("stage").string(self.world.digest());
            json.key("target").string(&digest(self.world.target()));
            json.key("times").object(|json| {
                self.world
                    .asked()
                    .zip(&state.times)
                    .for_each(|(name, times)| json.key(name).count((*times).into()));
            });
            json.key("turns_here").count(state.turns_here.into());
            json.key("vars").object(|json| {
                for ((name, _), value) in stage.vars.iter().zip(&state.vars) {
                    json.key(name).raw_value(&value.to_string());
                }
            });
            json.key("worlds").list(|json| {
                state.talk.iter().step_by(2).for_each(|turn| json.string(&turn.content));
            });
        });
        json.into_text()
    }
}

/// One digest over all that senses.
fn digest(target: &TargetStamp) -> String {
    let mut json = Json::default();
    json.object(|json| target.write(json));
    sha256(json.into_text().as_bytes())
}

impl World {
    /// Goes on with a dive that [`Dive::to_json`] wrote.
    ///
    /// # Errors
    /// What is wrong and where: a text that was not written so, another stage, another target, another engine.
    pub fn resume(&self, text: &str) -> Result<Dive, Mismatch> {
        let root = read_own_json(text)
            .map_err(|wrong| Mismatch::new("", format!("{}; {}", wrong.message, wrong.fix)))?;
        let dive = Object::read(&root, |at| self.dive(at))?;
        // What is not checked one by one above: order, numbers, texts that are written in another way.
        match dive.to_json() == text {
            true => Ok(dive),
            false => Err(Mismatch::new(
                "",
                "the saved dive was changed: it is not in the form in which it was saved",
            )),
        }
    }

    fn dive(&self, at: &Object<'_>) -> Dive {
        at.known(&[
            "actions",
            "chain",
            "checkpoints",
            "ended",
            "engine",
            "flags",
            "ics",
            "reached",
            "readings",
            "scene",
            "seed",
            "sonometer_dive",
            "stage",
            "target",
            "times",
            "turns_here",
            "vars",
            "worlds",
        ]);
        at.is("sonometer_dive", "1");
        for (key, wanted, message) in [
            (
                "stage",
                self.digest(),
                "the dive was started in another stage, or in another version of this one",
            ),
            ("target", &digest(self.target()), "the dive was started with other protocols"),
            (
                "engine",
                &crate::language::fingerprint::fingerprint(),
                "the dive was started with another engine version",
            ),
        ] {
            if at.text(key) != wanted {
                at.wrong(key, message);
            }
        }
        Dive { world: self.clone(), seed: at.count("seed", MAX_SEED), state: self.state(at) }
    }

    fn state(&self, at: &Object<'_>) -> State {
        let stage = self.stage();
        let scenes: Vec<&str> = stage.scenes.iter().map(|(name, _)| name.as_str()).collect();
        let checkpoints: Vec<&str> = stage.checkpoints.iter().map(|(name, _)| name.as_str()).collect();
        let flags: Vec<&str> = stage.flags.iter().map(|(name, _)| name.as_str()).collect();
        let set = |key: &str, all: &[&str]| -> Vec<bool> {
            let names = at.texts(key);
            if let Some(name) = names.iter().find(|name| !all.contains(&name.as_str())) {
                at.wrong(key, format!("the stage has no `{name}`", name = excerpt(name)));
            }
            all.iter().map(|known| names.iter().any(|name| name == known)).collect()
        };
        let end = |name: &str| match name {
            "" => Some(None),
            _ => Ended::ALL.iter().find(|(_, known)| *known == name).map(|(ended, _)| Some(*ended)),
        };
        let ended = at.name("ended", end, None);
        let mut vars = Vec::new();
        for ((name, variable), (key, value)) in stage.vars.iter().zip(at.numbers("vars")) {
            if key != name || !(variable.low..=variable.high).contains(&value) {
                let message = "is not a variable of the stage, or is outside its bounds";
                at.wrong(&format!("vars.{key}"), message);
            }
            vars.push(value);
        }
        let mut times = Vec::new();
        for (name, (key, count)) in self.asked().zip(at.numbers("times")) {
            let count = u32::try_from(count).ok().filter(|_| key == name);
            if count.is_none() {
                at.wrong(&format!("times.{key}"), "is not the count of a marker");
            }
            times.push(count.unwrap_or_default());
        }
        let readings: Vec<_> = at.list("readings").iter().map(measured).collect();
        let (actions, worlds) = (at.texts("actions"), at.texts("worlds"));
        let lengths = [
            ("worlds", worlds.len() == actions.len() + 1),
            ("readings", readings.len() == actions.len()),
            ("actions", actions.len() <= stage.envelope.max_turns as usize),
            ("vars", vars.len() == stage.vars.len()),
            ("times", times.len() == self.asked().len()),
        ];
        if let Some((key, _)) = lengths.into_iter().find(|(_, fits)| !fits) {
            at.wrong(key, "has too few or too many entries");
        }
        let said = |role: &str, content: String| Turn {
            role: Some(role.into()),
            content: content.into(),
            timestamp: None,
        };
        let mut talk = Vec::with_capacity(worlds.len() + actions.len());
        let mut actions = actions.into_iter();
        for world in worlds {
            talk.push(said(&stage.roles.world, world));
            talk.extend(actions.next().map(|action| said(&stage.roles.agent, action)));
        }
        State {
            scene: at.name("scene", |name| scenes.iter().position(|known| *known == name), 0),
            turns_here: at.count("turns_here", u32::MAX.into()) as u32,
            vars,
            reached: set("reached", &scenes),
            checkpoints: set("checkpoints", &checkpoints),
            flags: set("flags", &flags),
            times,
            ics: at.count("ics", MAX_SEED),
            readings,
            chain: chain(&at.text("chain")).unwrap_or_else(|| {
                at.wrong("chain", "is not a chain hash (64 hexadecimal digits)");
                [0; 32]
            }),
            ended,
            talk,
        }
    }
}

/// 64 hexadecimal digits as bytes.
fn chain(text: &str) -> Option<[u8; 32]> {
    let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect();
    if digits.len() == 64 { bytes.try_into().ok() } else { None }
}
