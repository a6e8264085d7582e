//! What fidelity counts: everything that section 6 of the semantics needs, so that density and clarity can be worked out
//! again from a ledger.

use crate::evidence::search::counted;
use crate::evidence::{Setting, TurnFacts};
use crate::interaction::Interaction;
use crate::json::Json;
use crate::sensor::Plan;
use crate::text::fold::fold_role;
use crate::unit::Unit;

/// The counts of one interaction, with what the protocol asks of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Tokens that are words.
    pub words: u64,
    /// As many words as the protocol asks for.
    pub words_needed: u32,
    /// Turns with a word.
    pub turns: u64,
    /// As many of them as the protocol asks for.
    pub turns_needed: u32,
    /// The words of each role that must have spoken, in the order of the protocol.
    pub roles: Vec<RoleCount>,
    /// The words that can be read, those of a turn weighted by how sure its recogniser was.
    pub readable: Unit,
    /// Runs of replacement and control characters.
    pub noise: u64,
    /// Words that show the language. `None` if the protocol has no language, or one without data.
    pub language: Option<LanguageCounts>,
}

/// The words of one role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleCount {
    /// The role as the protocol writes it.
    pub role: String,
    /// The words of its turns.
    pub words: u64,
    /// As many as the protocol asks for.
    pub needed: u32,
}

/// What shows whether a text is in the language of its protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageCounts {
    /// The code of the language's tables, such as `en`.
    pub code: &'static str,
    /// Words that are function words of the language.
    pub function_words: u64,
    /// Foreign words: everyday words of other languages.
    pub foreign_words: u64,
}

/// What a text in another language keeps, so that a protocol that asks for next to nothing (card numbers are card numbers
/// in every language) still measures it.
const LEAST_IN_LANGUAGE: Unit = Unit(10_000);

impl Counts {
    /// The counts of an interaction, worked out anew: a ledger is asked for rarely, and a reading stays small.
    pub(crate) fn anew(plan: &Plan, interaction: &Interaction) -> Self {
        Self::of(plan, &counted(&[plan], interaction)[0])
    }

    pub(crate) fn of(plan: &Plan, setting: &Setting) -> Self {
        let mut counts = Self::none(plan);
        counts.add(plan, &setting.turns);
        counts
    }

    /// The counts of no turn.
    pub(crate) fn none(plan: &Plan) -> Self {
        let needs = &plan.protocol.fidelity;
        Self {
            words: 0,
            words_needed: needs.words,
            turns: 0,
            turns_needed: needs.turns,
            roles: needs
                .roles
                .iter()
                .map(|(role, needed)| RoleCount { role: role.clone(), words: 0, needed: *needed })
                .collect(),
            readable: Unit::ZERO,
            noise: 0,
            language: plan.language.map(|language| LanguageCounts {
                code: language.code,
                function_words: 0,
                foreign_words: 0,
            }),
        }
    }

    /// Adds turns.
    pub(crate) fn add(&mut self, plan: &Plan, turns: &[TurnFacts]) {
        let sum = |of: fn(&crate::matcher::Count) -> u64| turns.iter().map(|t| of(&t.count)).sum::<u64>();
        self.words += sum(|c| c.words);
        self.turns += turns.iter().filter(|t| t.count.words > 0).count() as u64;
        for count in &mut self.roles {
            let role = plan.role_name(&fold_role(&count.role));
            let own = turns.iter().filter(|t| t.role.as_deref() == Some(&*role));
            count.words += own.map(|t| t.count.words).sum::<u64>();
        }
        // What a recogniser heard counts as far as it is sure of it.
        let sure = |turn: &TurnFacts| {
            let readable = i64::try_from(turn.count.words - turn.count.unreadable).unwrap_or(i64::MAX);
            readable.saturating_mul(turn.confidence.unwrap_or(Unit::ONE).0)
        };
        self.readable = Unit(self.readable.0 + turns.iter().map(sure).sum::<i64>());
        self.noise += sum(|c| c.noise);
        if let Some(language) = &mut self.language {
            language.function_words += sum(|c| c.function_words);
            language.foreign_words += sum(|c| c.foreign_words);
        }
    }

    /// The least satisfied need.
    pub(crate) fn density(&self) -> Unit {
        let met = |have: u64, need: u32| Unit::ratio(have.into(), need.into()).clamp_to_one();
        let roles = self.roles.iter().map(|role| met(role.words, role.needed));
        let density = met(self.words, self.words_needed).min(met(self.turns, self.turns_needed));
        if self.words == 0 { Unit::ZERO } else { roles.fold(density, Unit::min) }
    }

    /// The readable share, damped where the words are of another language.
    pub(crate) fn clarity(&self) -> Unit {
        if self.words == 0 {
            return Unit::ZERO;
        }
        let all = i128::from(self.words + self.noise) * i128::from(Unit::ONE.0);
        let readable = Unit::ratio(self.readable.0.into(), all);
        readable.times(self.language.as_ref().map_or(Unit::ONE, |told| told.share(self.words)))
    }

    pub(crate) fn write(&self, json: &mut Json) {
        let counted = |json: &mut Json, have: u64, needed: u32| {
            json.object(|json| {
                json.key("counted").count(have);
                json.key("needed").count(needed.into());
            });
        };
        counted(json.key("words"), self.words, self.words_needed);
        counted(json.key("turns"), self.turns, self.turns_needed);
        json.key("roles").object(|json| {
            for role in &self.roles {
                counted(json.key(&role.role), role.words, role.needed);
            }
        });
        json.key("readable").number(self.readable);
        json.key("noise").count(self.noise);
        match &self.language {
            Some(told) => json.key("language").object(|json| {
                json.key("code").string(told.code);
                json.key("function_words").count(told.function_words);
                json.key("foreign_words").count(told.foreign_words);
            }),
            None => json.key("language").null(),
        }
    }
}

impl LanguageCounts {
    /// How far so many words are in the language, 0.01 to 1: a quarter of function words is enough, each foreign word takes back one
    /// and a half of these, and a grace of six lets a short message without any function word pass.
    fn share(&self, words: u64) -> Unit {
        let told = (4 * self.function_words + 6).saturating_sub(6 * self.foreign_words);
        Unit::ratio(told.into(), words.into()).clamp_to_one().max(LEAST_IN_LANGUAGE)
    }
}
