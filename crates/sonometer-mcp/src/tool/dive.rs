//! `dive_open`, `dive_act`, `dive_close`.

use super::Call;
use crate::answer::{Answer, Refusal, decimal};
use crate::limits::{CHARACTERS, too_large, work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sonometer::stage::{Agent, Closing, Dive, MAX_SEED, Refused, Verdict};
use sonometer_report::counted;
use std::fmt::Write;
use std::sync::PoisonError;

/// The most characters of a closing note, as the service has it.
const MAX_SUMMARY: usize = 4_000;
/// The most characters of the tag of an agent.
const MAX_AGENT: usize = 128;

/// Arguments of `dive_open`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Open {
    /// A stage by its id, such as `billing-dispute`; the tool `protocols` lists them.
    stage: Option<String>,
    /// The text of a stage in place of `stage`, to try one that is being written.
    source: Option<String>,
    /// The seed of all random choices; the same seed and actions give the same dive. Without it, 0.
    seed: Option<u64>,
}

/// What `dive_open` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Opened {
    /// The name of the dive for `dive_act` and `dive_close`.
    dive_id: String,
    /// id@version of the stage.
    stage: String,
    objective: String,
    /// What is to be reached.
    checkpoints: Vec<String>,
    /// What is to be avoided.
    flags: Vec<String>,
    max_turns: u32,
    max_action_chars: u32,
    ics_budget: u32,
    seed: u64,
    /// What the world says first.
    world: String,
    done: bool,
}

pub(crate) fn open(call: &Call, arguments: Open) -> Result<Answer, Refusal> {
    let Open { stage, source, seed } = arguments;
    let world = call.bench.world(stage.as_deref(), source.as_deref())?;
    let seed = seed.unwrap_or(0);
    if seed > MAX_SEED {
        return Err(Refusal::invalid(
            "seed",
            format!("the seed is larger than {MAX_SEED}; give a smaller one"),
        ));
    }
    let dive = world.open(seed);
    let first = dive.observation();
    let dive_id = call.bench.dives.add(call.client.number(), dive)?;
    let stage = world.stage();
    let names = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect::<Vec<_>>();
    let opened = Opened {
        dive_id,
        stage: format!("{}@{}", stage.id, stage.version),
        objective: stage.objective.clone(),
        checkpoints: names(&mut stage.checkpoints.iter().map(|(name, _)| name)),
        flags: names(&mut stage.flags.iter().map(|(name, _)| name)),
        max_turns: stage.envelope.max_turns,
        max_action_chars: stage.envelope.max_action_chars,
        ics_budget: stage.envelope.ics_budget,
        seed,
        world: first.world,
        done: first.done,
    };
    let mut text =
        format!("{} is open as {}\nobjective: {}\n", opened.stage, opened.dive_id, opened.objective);
    let _ = writeln!(text, "you speak as {}; the world is {}", stage.roles.agent, stage.roles.world);
    if !opened.checkpoints.is_empty() {
        let _ = writeln!(text, "reach: {}", opened.checkpoints.join(", "));
    }
    if !opened.flags.is_empty() {
        let _ = writeln!(text, "avoid: {}", opened.flags.join(", "));
    }
    let turns = counted(opened.max_turns as usize, "turn");
    let _ = writeln!(
        text,
        "within: {turns}, {} ICS, {} characters an action",
        opened.ics_budget, opened.max_action_chars
    );
    let _ = write!(text, "\n{}", opened.world);
    Ok(Answer::new(text, &opened))
}

/// Arguments of `dive_act`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Act {
    /// The name that `dive_open` gave.
    dive_id: String,
    /// What you say.
    action: String,
    /// The turn that this action is for, from 1. With it, a call that is sent again gets its answer again.
    turn: Option<u32>,
}

/// What `dive_act` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Acted {
    /// The turn that was taken, from 1.
    turn: u32,
    /// What the world answers.
    world: String,
    /// Whether the world has ended; then close the dive.
    done: bool,
    /// What was measured in the action, where the stage shares it: score, on_target, fidelity, ics.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<Shared>,
    turns_left: u32,
    ics_left: u64,
    /// Whether this is the answer to a call that was sent before.
    repeated: bool,
}

/// What a stage shares of a reading.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Shared {
    score: f64,
    on_target: bool,
    fidelity: f64,
    ics: u64,
}

pub(crate) fn act(call: &Call, arguments: Act) -> Result<Answer, Refusal> {
    let Act { dive_id, action, turn } = arguments;
    let open = call.bench.dives.get(&dive_id)?;
    let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
    let next = open.dive.turn() + 1;
    if let Some(turn) = turn.filter(|turn| *turn != next) {
        let repeated = open.last.as_ref().filter(|(said, _)| turn + 1 == next && *said == action);
        return match repeated {
            Some((_, step)) => acted(&open.dive, step, true),
            None => {
                let message = format!("turn {turn} is not the next one; the next turn is {next}");
                Err(Refusal::new("turn_conflict", "turn", message))
            }
        };
    }
    let said = open.said + action.len();
    if said > CHARACTERS {
        let fix = "close this dive with `dive_close`, and open a new one with shorter actions";
        return Err(too_large("action", said, CHARACTERS, "bytes of actions in this dive", fix));
    }
    work("action", open.dive.world().instrument(), said)?;
    let step = open.dive.act(&action).map_err(|refused| {
        let refusal = Refusal::new(refused.code(), "action", refused.to_string());
        match refused {
            Refused::TooLong { most, .. } => refusal.with_limit(most as usize),
            Refused::Closed => refusal,
        }
    })?;
    let step = step.to_json();
    open.said = said;
    open.last = Some((action, step));
    let step = open.last.as_ref().map_or("", |(_, step)| step);
    acted(&open.dive, step, false)
}

/// The answer to a step. What a stage does not share is not in the step's JSON, and not here.
fn acted(dive: &Dive, step: &str, repeated: bool) -> Result<Answer, Refusal> {
    let bug = |error: serde_json::Error| Refusal::new("internal_error", "", error.to_string());
    let step: Value = serde_json::from_str(step).map_err(bug)?;
    let reading = step.get("reading").map(|reading| Shared::deserialize(reading).map_err(bug)).transpose()?;
    let observation = dive.observation();
    let envelope = &dive.world().stage().envelope;
    let acted = Acted {
        turn: dive.turn(),
        world: observation.world,
        done: observation.done,
        reading,
        turns_left: envelope.max_turns.saturating_sub(dive.turn()),
        ics_left: u64::from(envelope.ics_budget).saturating_sub(dive.totals().ics),
        repeated,
    };
    let mut text = String::new();
    if let Some(Shared { score, on_target, fidelity, ics }) = &acted.reading {
        let target = if *on_target { "on target" } else { "off target" };
        let _ =
            writeln!(text, "turn {}: score {score}, {target}, fidelity {fidelity}, {ics} ICS", acted.turn);
    }
    let _ = writeln!(text, "{}", acted.world);
    let _ = match acted.done {
        true => write!(text, "\nThe world has ended; close the dive with `dive_close`."),
        false => {
            write!(text, "\n{} and {} ICS left", counted(acted.turns_left as usize, "turn"), acted.ics_left)
        }
    };
    Ok(Answer::new(text, &acted))
}

/// Arguments of `dive_close`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Close {
    /// The name that `dive_open` gave.
    dive_id: String,
    /// The tag of the agent that played, for the card.
    agent: Option<String>,
    /// A closing note for the card, of at most 4,000 characters.
    summary: Option<String>,
    /// Also return the log of the actions in a third content block, which `verify_card` takes as `actions`.
    #[serde(default)]
    log: Option<bool>,
}

/// What `dive_close` answers. The card itself is the second content block, as exact bytes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Closed {
    passed: bool,
    /// passed, flag_tripped, max_turns, ics_budget, checkpoint_missing or closed_early.
    reason: &'static str,
    checkpoints_hit: Vec<String>,
    flags_tripped: Vec<String>,
    turns: u64,
    /// The mean score of the actions.
    score: f64,
    /// The share of actions on target.
    on_target: f64,
    ics: u64,
}

pub(crate) fn close(call: &Call, arguments: Close) -> Result<Answer, Refusal> {
    let Close { dive_id, agent, summary, log } = arguments;
    let longer = |text: &Option<String>| text.as_ref().map_or(0, |text| text.chars().count());
    for (place, size, most) in
        [("agent", longer(&agent), MAX_AGENT), ("summary", longer(&summary), MAX_SUMMARY)]
    {
        if size > most {
            return Err(too_large(place, size, most, "characters", "shorten it"));
        }
    }
    let open = call.bench.dives.get(&dive_id)?;
    let open = open.lock().unwrap_or_else(PoisonError::into_inner);
    let dive = &open.dive;
    // As the command names it, so that the same dive has the same card.
    let closing = Closing {
        agent: agent.map(|id| Agent { id, version: None }),
        summary,
        ..Closing::practice(format!("{}-{}", dive.world().stage().id, dive.seed()))
    };
    let card = dive.close(&closing);
    let Verdict { passed, reason, checkpoints_hit, flags_tripped } = card.verdict.clone();
    let totals = card.totals;
    let closed = Closed {
        passed,
        reason: reason.as_str(),
        checkpoints_hit,
        flags_tripped,
        turns: totals.turns,
        score: decimal(totals.score),
        on_target: decimal(totals.on_target),
        ics: totals.ics,
    };
    let turns = counted(usize::try_from(totals.turns).unwrap_or(usize::MAX), "turn");
    let mut text = format!(
        "{} ({}): {turns}, score {}, on target {}, {} ICS\n",
        if passed { "PASSED" } else { "FAILED" },
        closed.reason,
        totals.score,
        totals.on_target,
        totals.ics
    );
    for (what, names) in [("reached", &closed.checkpoints_hit), ("tripped", &closed.flags_tripped)] {
        if !names.is_empty() {
            let _ = writeln!(text, "{what}: {}", names.join(", "));
        }
    }
    text.push_str("The card follows; the tool `verify_card` checks it.");
    let log_of = || dive.log().iter().map(|line| format!("{line}\n")).collect();
    let answer = Answer::new(text, &closed).with_exact("summary", true, || card.to_json())?;
    let answer = answer.with_exact("log", log == Some(true), log_of)?;
    // Only now, so that a dive whose log is too long to be sent can be closed without it.
    call.bench.dives.remove(&dive_id)?;
    Ok(answer)
}
