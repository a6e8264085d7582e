//! What of a stage can never happen, whatever an agent says.
//!
//! Everything here errs on one side: what it reports is certain. It knows which scenes lead where and in how many actions,
//! which variables are ever changed, and between which numbers scores lie; it does not know what people say.

use super::guard::{Bounds, Fact, Outcome, Quantity, outcome};
use super::model::*;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::document::{Node, Value};
use crate::unit::Unit;

/// Looks at a stage that was read without errors from `root`.
pub(super) fn look(stage: &Stage, root: &Node, found: &mut Diagnostics) {
    let key = |path: &[&str]| key_span(root, path);
    let at_all = Reach::of(stage, u32::MAX);
    for (place, (name, scene)) in stage.scenes.iter().enumerate() {
        if at_all.distance[place].is_none() {
            let message = format!("no action leads to the scene `{name}`");
            found.push(Diagnostic::warning(
                "SM0651",
                key(&["scenes", name]),
                message,
                "add a `go` that leads there, or remove the scene",
            ));
            continue;
        }
        let last = scene
            .entries
            .iter()
            .position(|entry| entry.when.as_ref().is_none_or(|when| outcome(when, &at_all).must));
        match last {
            None if !scene.end => {
                let message = format!("the scene `{name}` does not say what happens when no condition holds");
                let fix = "end `do` with `otherwise: stay`";
                found.push(Diagnostic::warning("SM0654", key(&["scenes", name]), message, fix));
            }
            Some(last) if last + 1 < scene.entries.len() => {
                let entry = &scene.entries[last + 1];
                let span = Span::new(entry.span.start, entry.span.start);
                let message = format!("this entry of `{name}` never applies: one before it always does");
                found.push(Diagnostic::warning("SM0659", span, message, "put `otherwise` last"));
            }
            _ => {}
        }
    }
    let in_time = Reach::of(stage, stage.envelope.max_turns);
    for (name, guard) in &stage.checkpoints {
        if !outcome(guard, &at_all).can {
            let message = format!("the checkpoint `{name}` can never be reached");
            let fix = "check its condition: scenes must be reachable and numbers within their bounds";
            found.push(Diagnostic::warning("SM0652", key(&["checkpoints", name]), message, fix));
        }
    }
    let pass = if root.get("pass").is_some() { key(&["pass"]) } else { key(&["checkpoints"]) };
    if !outcome(&stage.pass, &at_all).can {
        let fix = "check the checkpoints and flags that `pass` requires";
        found.push(Diagnostic::warning("SM0653", pass, "no dive can pass", fix));
    } else if !outcome(&stage.pass, &in_time).can {
        let message = format!("no dive can pass within {} turns", stage.envelope.max_turns);
        found.push(Diagnostic::warning("SM0653", pass, message, "raise `max_turns`, or shorten the way"));
    }
    walkthroughs(stage, root, found);
}

/// A stage is tested by a run that passes and by the two ways in which agents game rules.
fn walkthroughs(stage: &Stage, root: &Node, found: &mut Diagnostics) {
    let span = match root.get("walkthroughs") {
        Some(_) => key_span(root, &["walkthroughs"]),
        None => key_span(root, &["id"]),
    };
    let fails = |name: &str| stage.walkthroughs.iter().any(|(known, run)| known == name && !run.passes);
    let mut missing = Vec::new();
    if !stage.walkthroughs.iter().any(|(_, run)| run.passes) {
        missing.push("one that passes");
    }
    if !fails("silence") {
        missing.push("`silence` (says nothing, fails)");
    }
    if !fails("parrot") {
        missing.push("`parrot` (says the words without their meaning, fails)");
    }
    if !missing.is_empty() {
        let message = format!("the walkthroughs lack {}", missing.join(" and "));
        let fix = "add `silence: {expect: fail, say: [\".\"]}` and its like under `walkthroughs`";
        found.push(Diagnostic::warning("SM0655", span, message, fix));
    }
}

/// The key at the end of a path.
fn key_span(root: &Node, path: &[&str]) -> Span {
    let mut node = root;
    let mut span = Span::new(root.span.start, root.span.start);
    for step in path {
        let Value::Map(entries) = &node.value else { break };
        let Some((key, inner)) = entries.iter().find(|(key, _)| key.text == *step) else { break };
        (span, node) = (key.span, inner);
    }
    span
}

/// Which scenes can be reached, and in how many actions at least.
struct Reach<'s> {
    stage: &'s Stage,
    /// By scene; `None`: never, or not within the turns.
    distance: Vec<Option<u32>>,
    /// By variable: whether an entry that can apply changes it.
    changes: Vec<bool>,
    /// By checkpoint: whether it can be reached.
    checkpoints: Vec<bool>,
    turns: u32,
}

impl<'s> Reach<'s> {
    /// Goes from what is surely there to all that can follow from it, until nothing is added.
    fn of(stage: &'s Stage, turns: u32) -> Self {
        let mut reach = Self {
            stage,
            distance: vec![None; stage.scenes.len()],
            changes: vec![false; stage.vars.len()],
            checkpoints: vec![false; stage.checkpoints.len()],
            turns,
        };
        reach.distance[stage.start] = Some(0);
        while reach.grow() {}
        reach
    }

    fn grow(&mut self) -> bool {
        let mut grown = false;
        for place in 0..self.stage.scenes.len() {
            let Some(own) = self.distance[place].filter(|own| *own < self.turns) else { continue };
            for entry in &self.stage.scenes[place].1.entries {
                let now = entry.when.as_ref().map_or(Outcome::surely(true), |when| outcome(when, self));
                if !now.can {
                    continue;
                }
                for change in &entry.set {
                    grown |= !std::mem::replace(&mut self.changes[change.variable], true);
                }
                if let Some(to) = entry.go
                    && self.distance[to].is_none_or(|known| own + 1 < known)
                {
                    self.distance[to] = Some(own + 1);
                    grown = true;
                }
                if now.must {
                    break;
                }
            }
        }
        for place in 0..self.stage.checkpoints.len() {
            let can = outcome(&self.stage.checkpoints[place].1, self).can;
            grown |= can && !std::mem::replace(&mut self.checkpoints[place], true);
        }
        grown
    }
}

impl Bounds for Reach<'_> {
    fn range(&self, quantity: &Quantity) -> (Unit, Unit) {
        let turns = Variable::unit(self.stage.envelope.max_turns.into());
        match quantity {
            Quantity::Number(number) => (*number, *number),
            Quantity::Count(_) => (Unit::ZERO, Unit(i64::MAX)),
            Quantity::Times(_) => (Unit::ZERO, turns),
            Quantity::Resonance(_) | Quantity::Score | Quantity::Fidelity | Quantity::OnTarget => {
                (Unit::ZERO, Unit::ONE)
            }
            Quantity::Turn => (Unit::ZERO, turns),
            Quantity::TurnsHere => (Unit::ONE, turns),
            Quantity::Variable(name) => {
                let place = self.stage.vars.iter().position(|(known, _)| known == name).unwrap_or_default();
                let Variable { start, low, high } = self.stage.vars[place].1;
                let (low, high) = if self.changes[place] { (low, high) } else { (start, start) };
                (Variable::unit(low), Variable::unit(high))
            }
        }
    }

    fn fact(&self, fact: &Fact) -> Outcome {
        let open_if = |can| if can { Outcome::OPEN } else { Outcome::surely(false) };
        match fact {
            Fact::Fired(_) => Outcome::OPEN,
            Fact::Reached(name) => {
                let place = self.stage.scenes.iter().position(|(known, _)| known == name);
                match place {
                    Some(place) if place == self.stage.start => Outcome::surely(true),
                    Some(place) => open_if(self.distance[place].is_some()),
                    None => Outcome::OPEN,
                }
            }
            Fact::Checkpoint(name) => {
                let place = self.stage.checkpoints.iter().position(|(known, _)| known == name);
                open_if(place.is_none_or(|place| self.checkpoints[place]))
            }
            Fact::Flag(_) => Outcome::OPEN,
            Fact::AllCheckpoints => open_if(self.checkpoints.iter().all(|can| *can)),
            Fact::AnyCheckpoint => open_if(self.checkpoints.iter().any(|can| *can)),
            Fact::AnyFlag => open_if(!self.stage.flags.is_empty()),
            Fact::NoFlag => {
                if self.stage.flags.is_empty() {
                    Outcome::surely(true)
                } else {
                    Outcome::OPEN
                }
            }
        }
    }
}
