//! What the engine reads in examples and ordinary talk with the models that have not seen them.

use super::Example;
use super::folds::Crossed;
use super::measure::{self, Aim, Outcome};
use crate::Error;
use crate::evaluate::alarms::{Alarms, Rate};
use crate::evaluate::thresholds::{Piece, Proposal, Scored, proposals};
use crate::labels::{Background, Ordinary};
use crate::watch::Steps;
use sonometer::{Interaction, Protocol, Unit};

/// Outcomes by fold.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldOut {
    pub(crate) examples: Vec<Vec<Outcome>>,
    /// Pieces of ordinary talk, with the number of their talk.
    pieces: Vec<Vec<(usize, Outcome)>>,
    talks: Vec<Outcome>,
}

impl HeldOut {
    /// Senses what is in a fold with the protocol that was made without it.
    #[expect(clippy::too_many_arguments, reason = "each is another thing, and there is one caller")]
    pub(crate) fn measure(
        &mut self,
        protocol: &Protocol,
        label: &str,
        fold: usize,
        examples: &[&Example],
        ordinary: Option<&Ordinary>,
        crossed: &Crossed,
        steps: &mut Steps<'_>,
    ) -> Result<(), Error> {
        self.examples.push(measure::outcomes(protocol, label, examples, steps)?);
        let Some(ordinary) = ordinary else { return Ok(()) };
        let is_own = |talk: usize| crossed.beside.of_talk[talk] == fold;
        let own: Vec<&(usize, Interaction)> =
            ordinary.pieces.iter().filter(|(talk, _)| is_own(*talk)).collect();
        let pieces: Vec<&Interaction> = own.iter().map(|(_, piece)| piece).collect();
        let found = measure::ordinary(protocol, label, &pieces, steps)?;
        self.pieces.push(own.iter().map(|(talk, _)| *talk).zip(found).collect());
        let talks = ordinary.talks.iter().enumerate().filter(|(talk, _)| is_own(*talk));
        let talks: Vec<&Interaction> = talks.map(|(_, talk)| talk).collect();
        self.talks.extend(measure::ordinary(protocol, label, &talks, steps)?);
        Ok(())
    }

    /// How often ordinary talk triggered.
    pub(crate) fn alarms(&self, background: &Background, ordinary: &Ordinary, limit: Unit) -> Alarms {
        let hits = self.pieces.iter().flatten().map(|(talk, outcome)| (*talk, outcome.triggered));
        Alarms {
            name: background.name.clone(),
            digest: background.digest.clone(),
            turns: ordinary.turns,
            pieces: Rate::within(&hits.collect::<Vec<_>>()),
            talks: Rate::of(self.talks.iter().map(|outcome| outcome.triggered)),
            limit: Some(limit),
        }
    }

    /// What other triggers would cost.
    pub(crate) fn proposals(&self, limit: Unit, aim: Aim) -> Vec<Proposal> {
        let mut cases = Vec::new();
        for (fold, outcomes) in self.examples.iter().enumerate() {
            let case = |own: &Outcome| Scored { value: own.activation, truth: own.positive, now: None, fold };
            cases.extend(outcomes.iter().map(case));
        }
        let mut pieces = Vec::new();
        for (fold, outcomes) in self.pieces.iter().enumerate() {
            let piece = |(talk, own): &(usize, Outcome)| Piece { value: own.activation, talk: *talk, fold };
            pieces.extend(outcomes.iter().map(piece));
        }
        proposals(&cases, &pieces, limit, self.examples.len(), &|counts| Some(aim.of(counts)))
    }
}
