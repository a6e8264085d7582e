//! Replaying: whoever has the stage can compute a card again from its actions. That is stronger than a signature: it does
//! not say who vouches for the grade, it shows the grade.

use super::card::{Agent, Card, Closing, Measured};
use super::card_read::measured;
use super::dive::{Dive, Step, first_link, next_link};
use super::object::Object;
use super::world::World;
use crate::document::read_json;
use crate::interaction::Turn;
use crate::json::Json;
use crate::keys::canonical::hex;
use std::fmt;

/// What does not hold, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// A path on the card (`totals.score`), or a step or line of the log (`step 3`); empty where it is all of it.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

impl Mismatch {
    /// The machine-readable code.
    pub const CODE: &'static str = "card_mismatch";

    /// Something that does not hold.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.place, self.message)
        }
    }
}

impl std::error::Error for Mismatch {}

/// One line of a log: an action, and what a dive made of it where the line says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What was said.
    pub action: String,
    /// The line but for the action, to be compared.
    told: Vec<(&'static str, String)>,
}

impl Action {
    /// Nothing but an action.
    pub fn new(action: impl Into<String>) -> Self {
        Self { action: action.into(), told: Vec::new() }
    }

    /// Reads a log: one JSON object a line, `action` and any of `turn`, `world`, `reading`, `chain` as
    /// [`Step::log_line`] writes them. Blank lines are skipped.
    ///
    /// # Errors
    /// The first line that is not so, by its number.
    pub fn read_log(text: &str) -> Result<Vec<Self>, Mismatch> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(at, line)| {
                Self::read_line(line).map_err(|wrong| {
                    let place =
                        if wrong.place.is_empty() { String::new() } else { format!(": {}", wrong.place) };
                    Mismatch::new(format!("line {}{place}", at + 1), wrong.message)
                })
            })
            .collect()
    }

    fn read_line(line: &str) -> Result<Self, Mismatch> {
        let root = read_json(line)
            .map_err(|wrong| Mismatch::new("", format!("{}; {}", wrong.message, wrong.fix)))?;
        Object::read(&root, |at| {
            at.known(&["action", "chain", "reading", "turn", "world"]);
            let mut told = Vec::new();
            if at.get("turn").is_some() {
                told.push(("turn", at.count("turn", u32::MAX.into()).to_string()));
            }
            told.extend(at.optional("reading").map(|reading| ("reading", measured(&reading).to_json())));
            for key in ["world", "chain"] {
                told.extend(at.text_if(key).map(|text| (key, text)));
            }
            Self { action: at.text("action"), told }
        })
    }
}

impl Step {
    /// The line of a log: `action`, `chain`, `reading`, `turn` and `world`. `chain` is [`super::Dive::chain`] after the step.
    pub fn log_line(&self, action: &str, chain: &str) -> String {
        line(action, chain, self.measured, self.observation.turn, &self.observation.world)
    }
}

impl Dive {
    /// The log so far: for each action its [`Step::log_line`], without line feeds. A dive that was resumed has all of it.
    pub fn log(&self) -> Vec<String> {
        let mut chain = first_link(self.world.digest(), self.seed);
        let answers = self.state.talk.iter().skip(2).step_by(2);
        let steps = self.actions().zip(answers).zip(&self.state.readings);
        let write = |(turn, ((action, answer), measured)): (u32, ((&str, &Turn), &Measured))| {
            chain = next_link(&chain, action, *measured);
            line(action, &hex(&chain), *measured, turn, &answer.content)
        };
        (1..).zip(steps).map(write).collect()
    }
}

fn line(action: &str, chain: &str, measured: Measured, turn: u32, world: &str) -> String {
    let mut json = Json::default();
    json.object(|json| {
        json.key("action").string(action);
        json.key("chain").string(chain);
        json.key("reading").object(|json| measured.write(json));
        json.key("turn").count(turn.into());
        json.key("world").string(world);
    });
    json.into_text()
}

/// Computes a card again from its actions and compares every byte.
///
/// # Errors
/// The first thing that differs: what the dive was dived with (`stage.digest`), a step and what of it, a key of the card.
pub fn replay(world: &World, card: &Card, log: &[Action]) -> Result<(), Mismatch> {
    let wanted = world.target();
    for (place, is, wanted) in [
        ("engine", &card.engine, &crate::language::fingerprint::fingerprint()),
        ("stage.id", &card.stage.id, &world.stage().id),
        ("stage.version", &card.stage.version, &world.stage().version),
        ("stage.digest", &card.stage.digest, &world.digest().to_owned()),
        ("blueprint.digest", &card.blueprint.digest, &wanted.digest),
    ] {
        if is != wanted {
            return Err(Mismatch::new(place, format!("the card has `{is}`, the replay has `{wanted}`")));
        }
    }
    if card.blueprint != *wanted {
        return Err(Mismatch::new("blueprint", "the card was made with other protocols"));
    }
    let mut dive = world.open(card.seed);
    for (at, Action { action, told }) in log.iter().enumerate() {
        let place = format!("step {}", at + 1);
        let step = dive.act(action).map_err(|refused| Mismatch::new(&place, refused.to_string()))?;
        let chain = dive.chain();
        let facts = [
            ("turn", step.observation.turn.to_string()),
            ("reading", step.measured.to_json()),
            ("world", step.observation.world.clone()),
            ("chain", chain),
        ];
        for (key, value) in facts {
            if let Some((_, said)) = told.iter().find(|(known, said)| *known == key && *said != value) {
                let message = format!("`{key}` is `{said}`, the replay gives `{value}`");
                return Err(Mismatch::new(&place, message));
            }
        }
        let shown = card.readings.as_ref().map(|readings| readings.get(at).copied());
        if shown.is_some_and(|shown| shown != Some(step.measured)) {
            let said = shown.flatten().map_or("nothing".to_owned(), |reading| reading.to_json());
            let message = format!("the card has {said}, the replay gives {}", step.measured.to_json());
            return Err(Mismatch::new(format!("{place} (readings[{at}])"), message));
        }
    }
    let closing = Closing {
        dive_id: card.dive_id.clone(),
        mode: card.mode,
        seed_source: card.seed_source,
        attempt: card.attempt,
        agent: card
            .agent
            .as_ref()
            .map(|Agent { id, version }| Agent { id: id.clone(), version: version.clone() }),
        summary: card.summary.clone(),
    };
    let mut again = dive.close(&closing);
    again.signature.clone_from(&card.signature);
    compare(card, &again)
}

/// Names the first key by which two cards differ.
fn compare(card: &Card, again: &Card) -> Result<(), Mismatch> {
    let differs = |place: &str, is: String, wanted: String| {
        Err(Mismatch::new(place, format!("the card has {is}, the replay gives {wanted}")))
    };
    for ((place, is), (_, wanted)) in facts(card).into_iter().zip(facts(again)) {
        if is != wanted {
            return differs(place, is, wanted);
        }
    }
    match card.to_json() == again.to_json() {
        true => Ok(()),
        false => differs("readings", "other readings".into(), "these".into()),
    }
}

/// What a replay gives, by its key, in the order in which people want to hear of it.
fn facts(card: &Card) -> [(&'static str, String); 14] {
    let Card { totals, verdict, envelope, .. } = card;
    let names = |names: &[String]| format!("[{}]", names.join(", "));
    [
        ("totals.turns", totals.turns.to_string()),
        ("chain", card.chain.clone()),
        ("totals.score", totals.score.to_string()),
        ("totals.on_target", totals.on_target.to_string()),
        ("totals.ics", totals.ics.to_string()),
        ("verdict.passed", verdict.passed.to_string()),
        ("verdict.reason", verdict.reason.as_str().into()),
        ("verdict.checkpoints_hit", names(&verdict.checkpoints_hit)),
        ("verdict.flags_tripped", names(&verdict.flags_tripped)),
        ("envelope.access_mode", card.access_mode.as_str().into()),
        ("envelope.max_turns", envelope.max_turns.to_string()),
        ("envelope.ics_budget", envelope.ics_budget.to_string()),
        ("envelope.max_action_chars", envelope.max_action_chars.to_string()),
        ("envelope.share_scorecard", envelope.share_scorecard.to_string()),
    ]
}
