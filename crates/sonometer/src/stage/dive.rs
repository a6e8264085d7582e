//! A dive: the step function of a world.

use super::card::{Card, Closing, Measured, Totals, Verdict};
use super::choice::Urn;
use super::guard::{Fact, Facts, Quantity};
use super::model::{Change, Reason, Variable};
use super::template::Template;
use super::world::{Heard, World};
use crate::interaction::Turn;
use crate::json::Json;
use crate::reading::Reading;
use crate::unit::Unit;
use sha2::{Digest, Sha256};
use std::fmt;

/// A dive that is under way, or whose world has ended.
#[derive(Clone, Debug)]
pub struct Dive {
    pub(super) world: World,
    pub(super) seed: u64,
    pub(super) state: State,
}

/// Everything that a dive is besides its world and its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) scene: usize,
    /// Actions taken in the scene.
    pub(super) turns_here: u32,
    pub(super) vars: Vec<i64>,
    /// By scene: whether the dive has been there.
    pub(super) reached: Vec<bool>,
    pub(super) checkpoints: Vec<bool>,
    pub(super) flags: Vec<bool>,
    /// By marker that guards ask for: in how many actions it has fired.
    pub(super) times: Vec<u32>,
    pub(super) ics: u64,
    pub(super) readings: Vec<Measured>,
    pub(super) chain: [u8; 32],
    pub(super) ended: Option<Ended>,
    /// The arrival of the world, then action and answer by turns.
    pub(super) talk: Vec<Turn>,
}

/// Why the world has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Scene,
    Flag,
    MaxTurns,
    IcsBudget,
}

impl Ended {
    pub(super) const ALL: [(Self, &'static str); 4] = [
        (Self::Scene, "scene"),
        (Self::Flag, "flag"),
        (Self::MaxTurns, "max_turns"),
        (Self::IcsBudget, "ics_budget"),
    ];
}

/// What the world shows after an action, and on arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// How many actions there were.
    pub turn: u32,
    /// What the world says.
    pub world: String,
    /// Whether it has ended.
    pub done: bool,
}

/// What an action came to.
#[derive(Clone, Debug)]
pub struct Step {
    /// What the world answers.
    pub observation: Observation,
    /// The reading of the action, as on a card with shared readings.
    pub measured: Measured,
    /// All that was sensed in the action, for people: evidence, resonance. Its score counts only if its fidelity suffices.
    pub sensed: Reading,
    /// The checkpoints that this action reached, in the order of the file.
    pub checkpoints: Vec<String>,
    /// The flags that this action tripped, in the order of the file.
    pub flags: Vec<String>,
    /// The dive so far.
    pub totals: Totals,
    /// Whether the stage lets readings be seen.
    shared: bool,
}

/// Why an action was not taken. The dive is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The world has ended: `dive_closed`.
    Closed,
    /// The action is too long: `action_too_long`.
    TooLong {
        /// Its code points.
        chars: usize,
        /// The most that the stage takes.
        most: u32,
    },
}

impl Refused {
    /// The machine-readable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Closed => "dive_closed",
            Self::TooLong { .. } => "action_too_long",
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the dive has ended; close it to get its card"),
            Self::TooLong { chars, most } => {
                write!(
                    f,
                    "the action has {chars} characters, but the limit of the stage is {most}; shorten it"
                )
            }
        }
    }
}

impl std::error::Error for Refused {}

impl Dive {
    pub(super) fn open(world: World, seed: u64) -> Self {
        let stage = world.stage();
        let mut reached = vec![false; stage.scenes.len()];
        reached[stage.start] = true;
        let state = State {
            scene: stage.start,
            turns_here: 0,
            vars: stage.vars.iter().map(|(_, variable)| variable.start).collect(),
            reached,
            checkpoints: vec![false; stage.checkpoints.len()],
            flags: vec![false; stage.flags.len()],
            times: vec![0; world.asked().len()],
            ics: 0,
            readings: Vec::new(),
            chain: first_link(world.digest(), seed),
            // A stage that begins where it ends is odd, and over.
            ended: stage.scenes[stage.start].1.end.then_some(Ended::Scene),
            talk: Vec::new(),
        };
        let mut dive = Self { world, seed, state };
        let arrival = dive.scene_text();
        dive.hear(arrival);
        dive
    }

    /// The world of the dive.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Its seed, 0 to [`super::MAX_SEED`].
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// What the world has shown last.
    pub fn observation(&self) -> Observation {
        let world = self.state.talk.last().map_or_else(String::new, |turn| turn.content.to_string());
        Observation { turn: self.turn(), world, done: self.state.ended.is_some() }
    }

    /// How many actions there were.
    pub fn turn(&self) -> u32 {
        self.state.readings.len() as u32
    }

    /// Why the world has ended: `scene`, `flag`, `max_turns` or `ics_budget`; `None` as long as it goes on.
    pub fn ended_by(&self) -> Option<&'static str> {
        Ended::ALL.into_iter().find(|(ended, _)| Some(*ended) == self.state.ended).map(|(_, name)| name)
    }

    /// The actions so far.
    pub fn actions(&self) -> impl Iterator<Item = &str> {
        self.state.talk.iter().skip(1).step_by(2).map(|turn| &*turn.content)
    }

    /// All that was said: the arrival of the world, then action and answer by turns.
    pub fn talk(&self) -> &[Turn] {
        &self.state.talk
    }

    /// The head of the hash chain, as hexadecimal digits.
    pub fn chain(&self) -> String {
        crate::keys::canonical::hex(&self.state.chain)
    }

    /// Takes one action. See [the order of a step](super#a-step).
    ///
    /// # Errors
    /// [`Refused`] if the world has ended or the action is too long; the dive is as it was.
    pub fn act(&mut self, action: &str) -> Result<Step, Refused> {
        if self.state.ended.is_some() {
            return Err(Refused::Closed);
        }
        let world = self.world.clone();
        let stage = world.stage();
        let (chars, most) = (action.chars().count(), stage.envelope.max_action_chars);
        if chars > most as usize {
            return Err(Refused::TooLong { chars, most });
        }
        let role = Some(stage.roles.agent.as_str().into());
        self.state.talk.push(Turn { role, content: action.into(), timestamp: None });
        let (sensed, heard) = match world.sense(&self.state.talk) {
            Ok(sensed) => sensed,
            // Beyond what an interaction may hold, which the limits of a stage stay below.
            Err(_) => {
                self.state.talk.pop();
                return Err(Refused::TooLong { chars, most });
            }
        };
        for (times, heard) in self.state.times.iter_mut().zip(&heard) {
            *times += u32::from(heard.fired);
        }
        let fidelity = sensed.fidelity();
        let score = sensed.score().filter(|_| fidelity.sufficient).unwrap_or(Unit::ZERO);
        let mut measured =
            Measured { score, on_target: false, fidelity: fidelity.index, ics: sensed.ics().consumed };
        let turns_here = self.state.turns_here + 1;
        let now = Now { heard: &heard, measured, turn: self.turn() + 1, turns_here };
        measured.on_target = stage.on_target.holds(&Asked { dive: self, now: Some(&now) });
        self.state.ics = self.state.ics.saturating_add(measured.ics);

        let tripped: Vec<bool> = stage
            .flags
            .iter()
            .map(|(_, flag)| flag.when.holds(&Asked { dive: self, now: Some(&now) }))
            .collect();
        let flags = newly(&mut self.state.flags, &tripped);

        let entries = &stage.scenes[self.state.scene].1.entries;
        let applies = entries.iter().position(|entry| {
            entry.when.as_ref().is_none_or(|when| when.holds(&Asked { dive: self, now: Some(&now) }))
        });
        let mut answer = Vec::new();
        self.state.turns_here = turns_here;
        if let Some(place) = applies {
            let entry = &entries[place];
            entry.set.iter().for_each(|change| self.change(*change));
            let name = format!("scenes.{}.do[{place}].world", stage.scene_name(self.state.scene));
            answer.extend(self.say(&entry.world, &name, now.turn));
            if let Some(scene) = entry.go {
                self.state.scene = scene;
                self.state.turns_here = 0;
                self.state.reached[scene] = true;
                answer.extend(self.scene_text_at(now.turn));
            }
        }
        let reached: Vec<bool> = stage
            .checkpoints
            .iter()
            .map(|(_, guard)| guard.holds(&Asked { dive: self, now: Some(&now) }))
            .collect();
        let checkpoints = newly(&mut self.state.checkpoints, &reached);

        let by_flag =
            stage.flags.iter().zip(&self.state.flags).any(|((_, flag), tripped)| *tripped && flag.end);
        self.state.ended = if stage.scenes[self.state.scene].1.end {
            Some(Ended::Scene)
        } else if by_flag {
            Some(Ended::Flag)
        } else if now.turn >= stage.envelope.max_turns {
            Some(Ended::MaxTurns)
        } else if self.state.ics >= u64::from(stage.envelope.ics_budget) {
            Some(Ended::IcsBudget)
        } else {
            None
        };
        self.state.chain = next_link(&self.state.chain, action, measured);
        self.state.readings.push(measured);
        if answer.is_empty() {
            answer.extend(self.scene_text_at(now.turn));
        }
        self.hear(answer.join("\n"));
        Ok(Step {
            observation: self.observation(),
            measured,
            sensed,
            checkpoints: named(&checkpoints, &stage.checkpoints),
            flags: named(&flags, &stage.flags),
            totals: self.totals(),
            shared: stage.envelope.share_scorecard,
        })
    }

    /// The sums so far.
    pub fn totals(&self) -> Totals {
        Totals::of(&self.state.readings, self.state.ics)
    }

    /// How the dive would be judged if it were closed now.
    pub fn verdict(&self) -> Verdict {
        let stage = self.world.stage();
        let passed = stage.pass.holds(&Asked { dive: self, now: None });
        let reason = match self.state.ended {
            _ if passed => Reason::Passed,
            _ if self.state.flags.contains(&true) => Reason::FlagTripped,
            Some(Ended::MaxTurns) => Reason::MaxTurns,
            Some(Ended::IcsBudget) => Reason::IcsBudget,
            Some(Ended::Scene | Ended::Flag) => Reason::CheckpointMissing,
            None => Reason::ClosedEarly,
        };
        Verdict {
            passed,
            reason,
            checkpoints_hit: named(&places(&self.state.checkpoints), &stage.checkpoints),
            flags_tripped: named(&places(&self.state.flags), &stage.flags),
        }
    }

    /// Closes the dive: its card, unsigned. The same dive and the same `closing` give the same bytes, as often as it is asked.
    pub fn close(&self, closing: &Closing) -> Card {
        Card::of(self, closing)
    }

    /// The world speaks.
    fn hear(&mut self, text: String) {
        let role = Some(self.world.stage().roles.world.as_str().into());
        self.state.talk.push(Turn { role, content: text.into(), timestamp: None });
    }

    fn change(&mut self, change: Change) {
        let Variable { low, high, .. } = self.world.stage().vars[change.variable].1;
        let value = &mut self.state.vars[change.variable];
        let wanted = if change.add { *value + change.amount } else { change.amount };
        *value = wanted.clamp(low, high);
    }

    fn scene_text(&self) -> String {
        self.scene_text_at(0).unwrap_or_default()
    }

    fn scene_text_at(&self, turn: u32) -> Option<String> {
        let (name, scene) = &self.world.stage().scenes[self.state.scene];
        self.say(&scene.world, &format!("scenes.{name}.world"), turn)
    }

    /// One of several texts, filled in; `None` if there is nothing to say.
    fn say(&self, texts: &[Template], name: &str, turn: u32) -> Option<String> {
        let stage = self.world.stage();
        let urn = Urn { stage: self.world.digest(), seed: self.seed };
        let text = texts.get(urn.draw(name, turn, texts.len()))?;
        Some(text.fill(|name| {
            let list = stage.lists.iter().find(|(known, _)| known == name);
            let variable = stage.vars.iter().position(|(known, _)| known == name);
            match (list, variable) {
                (Some((_, words)), _) => words[urn.draw(name, 0, words.len())].clone(),
                (None, Some(place)) => self.state.vars[place].to_string(),
                (None, None) => String::new(),
            }
        }))
    }
}

/// The head of the chain before the first action.
pub(super) fn first_link(digest: &str, seed: u64) -> [u8; 32] {
    Sha256::digest(format!("sonometer-dive-1\n{digest}\n{seed}\n")).into()
}

/// The head of the chain after an action.
pub(super) fn next_link(before: &[u8; 32], action: &str, measured: Measured) -> [u8; 32] {
    let mut chain = Sha256::new();
    chain.update(before);
    chain.update(Sha256::digest(action));
    chain.update(measured.to_json());
    chain.finalize().into()
}

/// The places that were not set and are now.
fn newly(known: &mut [bool], now: &[bool]) -> Vec<usize> {
    let mut places = Vec::new();
    for (place, (known, now)) in known.iter_mut().zip(now).enumerate() {
        if *now && !*known {
            *known = true;
            places.push(place);
        }
    }
    places
}

fn places(set: &[bool]) -> Vec<usize> {
    set.iter().enumerate().filter(|(_, set)| **set).map(|(place, _)| place).collect()
}

fn named<T>(places: &[usize], all: &[(String, T)]) -> Vec<String> {
    places.iter().map(|place| all[*place].0.clone()).collect()
}

/// The action that guards are asked about.
struct Now<'n> {
    heard: &'n [Heard],
    measured: Measured,
    turn: u32,
    turns_here: u32,
}

/// What guards ask, of a dive after an action or when it is closed.
struct Asked<'d> {
    dive: &'d Dive,
    now: Option<&'d Now<'d>>,
}

impl Asked<'_> {
    fn heard(&self, label: &str) -> Heard {
        let place = self.dive.world.place(label);
        self.now.zip(place).and_then(|(now, place)| now.heard.get(place)).copied().unwrap_or_default()
    }
}

impl Facts for Asked<'_> {
    fn value(&self, quantity: &Quantity) -> Unit {
        let whole = |count: u64| Variable::unit(i64::try_from(count).unwrap_or(i64::MAX / 1_000_000));
        let state = &self.dive.state;
        match quantity {
            Quantity::Number(number) => *number,
            Quantity::Count(label) => whole(self.heard(label).count),
            Quantity::Resonance(label) => self.heard(label).activation,
            Quantity::Times(label) => {
                whole(self.dive.world.place(label).map_or(0, |place| state.times[place].into()))
            }
            Quantity::Score => self.now.map_or_else(|| self.dive.totals().score, |now| now.measured.score),
            Quantity::Fidelity => self.now.map_or(Unit::ZERO, |now| now.measured.fidelity),
            Quantity::OnTarget => self.dive.totals().on_target,
            Quantity::Turn => whole(self.now.map_or_else(|| self.dive.turn(), |now| now.turn).into()),
            Quantity::TurnsHere => whole(self.now.map_or(state.turns_here, |now| now.turns_here).into()),
            Quantity::Variable(name) => {
                let place = self.dive.world.stage().vars.iter().position(|(known, _)| known == name);
                Variable::unit(place.map_or(0, |place| state.vars[place]))
            }
        }
    }

    fn is(&self, fact: &Fact) -> bool {
        let (state, stage) = (&self.dive.state, self.dive.world.stage());
        match fact {
            Fact::Fired(label) => self.heard(label).fired,
            Fact::Reached(name) => {
                stage.scenes.iter().zip(&state.reached).any(|((known, _), reached)| known == name && *reached)
            }
            Fact::Checkpoint(name) => stage
                .checkpoints
                .iter()
                .zip(&state.checkpoints)
                .any(|((known, _), set)| known == name && *set),
            Fact::Flag(name) => {
                stage.flags.iter().zip(&state.flags).any(|((known, _), set)| known == name && *set)
            }
            Fact::AllCheckpoints => !state.checkpoints.contains(&false),
            Fact::AnyCheckpoint => state.checkpoints.contains(&true),
            Fact::AnyFlag => state.flags.contains(&true),
            Fact::NoFlag => !state.flags.contains(&true),
        }
    }
}

impl Observation {
    pub(super) fn write(&self, json: &mut Json) {
        json.key("done").bool(self.done);
        json.key("turn").count(self.turn.into());
        json.key("world").string(&self.world);
    }

    /// `{"done":…,"turn":…,"world":…}`
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        json.object(|json| self.write(json));
        json.into_text()
    }
}

impl Step {
    /// `observation`, `reading` and `totals`, as the service answers an action. Where the stage does not share readings there
    /// is no `reading`, and the totals tell turns and ICS alone.
    pub fn to_json(&self) -> String {
        let mut json = Json::default();
        json.object(|json| {
            json.key("observation").object(|json| self.observation.write(json));
            if self.shared {
                json.key("reading").object(|json| self.measured.write(json));
            }
            json.key("totals").object(|json| self.totals.write(json, self.shared));
        });
        json.into_text()
    }
}
