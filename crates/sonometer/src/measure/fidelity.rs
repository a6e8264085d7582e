//! Information sufficiency: whether the input holds enough readable content for what the protocol measures.

use crate::evidence::Setting;
use crate::evidence::search::counted;
use crate::interaction::Interaction;
use crate::json::Json;
use crate::measure::counts::Counts;
use crate::measure::hearing::{self, Roles};
use crate::sensor::Plan;
use crate::unit::Unit;
use std::sync::Arc;

/// How far a reading can be trusted, and whether it is given at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fidelity {
    /// Density times clarity, 0 to 1.
    pub index: Unit,
    /// Whether the index reaches what the protocol asks for.
    pub sufficient: bool,
    /// The least satisfied need: words, turns, words of a role; 0 to 1.
    pub density: Unit,
    /// The readable share of the words (as far as a recogniser was sure of them), damped where they are of another language; 0 to 1.
    pub clarity: Unit,
    /// Whom the markers ask for and who speaks, if none of them could hear anybody: that is insufficient, and the index is 0.
    pub unheard: Option<Arc<Roles>>,
}

impl Fidelity {
    /// All of it as canonical JSON, whatever the version of SGM.
    pub fn to_json(&self) -> String {
        let mut json = Json::with_capacity(96);
        json.object(|json| {
            json.key("index").number(self.index);
            json.key("sufficient").bool(self.sufficient);
            json.key("density").number(self.density);
            json.key("clarity").number(self.clarity);
            self.write_roles(json);
        });
        json.into_text()
    }

    /// The roles as members of the result, if no marker could hear any turn.
    pub(crate) fn write_roles(&self, json: &mut Json) {
        if let Some(roles) = &self.unheard {
            json.key("roles_asked").list(|json| roles.asked.iter().for_each(|role| json.string(role)));
            json.key("roles_seen").list(|json| roles.seen.iter().for_each(|role| json.string(role)));
        }
    }
}

/// Section 6 of the semantics.
pub(crate) fn measure(plan: &Plan, setting: &Setting) -> Fidelity {
    of_counts(plan, &Counts::of(plan, setting), hearing::nobody(plan, setting))
}

fn of_counts(plan: &Plan, counts: &Counts, unheard: Option<Roles>) -> Fidelity {
    let unheard = unheard.map(Arc::new);
    let density = if unheard.is_some() { Unit::ZERO } else { counts.density() };
    let clarity = counts.clarity();
    let index = density.times(clarity);
    let sufficient = index >= plan.protocol.fidelity.sufficient && unheard.is_none();
    Fidelity { index, sufficient, density, clarity, unheard }
}

/// The fidelity of an interaction that still comes in, asked for again and again: turns that are complete are counted once.
#[derive(Clone, Debug, Default)]
pub(crate) struct SoFar {
    /// The turns that are complete, and what is in them.
    turns: usize,
    counts: Option<Counts>,
    /// Whether some marker could hear somebody, which further turns do not undo.
    is_heard: bool,
}

impl SoFar {
    /// As [`measure`]; turns are added to `setting` from call to call, and only the last one changes.
    pub(crate) fn measure(&mut self, plan: &Plan, setting: &Setting) -> Fidelity {
        let counts = self.counts.get_or_insert_with(|| Counts::none(plan));
        let complete = setting.turns.len().saturating_sub(1);
        counts.add(plan, &setting.turns[self.turns..complete]);
        self.turns = complete;
        let mut counts = counts.clone();
        counts.add(plan, &setting.turns[complete..]);
        let unheard = if self.is_heard { None } else { hearing::nobody(plan, setting) };
        self.is_heard = unheard.is_none();
        of_counts(plan, &counts, unheard)
    }
}

/// How much an interaction holds for each of several protocols.
pub(crate) fn of_interaction(plans: &[&Plan], interaction: &Interaction) -> Vec<Fidelity> {
    let settings = counted(plans, interaction);
    plans.iter().zip(&settings).map(|(plan, setting)| measure(plan, setting)).collect()
}

/// The fidelity of a whole: sufficient if every part is; the least index of the parts that are not, else of all.
pub(crate) fn together(parts: impl Iterator<Item = Fidelity>) -> Fidelity {
    // `false` is less than `true`: insufficient parts come first. Of equal ones the first protocol counts.
    let least = parts.min_by_key(|fidelity| (fidelity.sufficient, fidelity.index));
    least.unwrap_or(Fidelity {
        index: Unit::ZERO,
        sufficient: false,
        density: Unit::ZERO,
        clarity: Unit::ZERO,
        unheard: None,
    })
}
