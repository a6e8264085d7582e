//! Section 3: candidates, and the four conditions that are judged of each.

use crate::fold::fold_name;
use crate::language::Language;
use crate::matching::{Match, exclusions, matches};
use crate::negation::{Negation, is_negated, negation};
use crate::number::{Number, U};
use crate::occurrence::near_misses;
use crate::turn::Turn;
use sonometer::protocol::phrase::{Class, Pattern};
use sonometer::protocol::{Actants, End, Extent, HintKind, Line, Marker, NegationMode, Place, Protocol};
use std::collections::BTreeSet;
use std::ops::Range;

/// A match of a line that gives evidence, or a near miss of one.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The turn.
    pub(crate) turn: usize,
    /// The line, by its index in the marker.
    pub(crate) line: usize,
    /// Where it is.
    pub(crate) found: Match,
    /// What one match of the line is worth.
    pub(crate) strength: Number,
    /// The conditions it fails; none of them: it counts.
    pub(crate) failed: BTreeSet<HintKind>,
}

/// Everything that judging needs to see.
pub(crate) struct Scene<'a> {
    /// The protocol.
    pub(crate) protocol: &'a Protocol,
    /// Its language.
    pub(crate) language: &'a Language,
    /// The interaction.
    pub(crate) turns: &'a [Turn],
}

impl Scene<'_> {
    /// The candidates of a marker, in the order of its lines and of the text, all conditions judged.
    pub(crate) fn candidates(&self, marker: &Marker) -> Vec<Candidate> {
        self.judge_all(marker, |turn, line| matches(turn, &line.pattern, self.language))
    }

    /// The places that look like a card or account number to a line that is a single `<pan>` or `<iban>`, but have
    /// wrong check digits; all conditions judged.
    pub(crate) fn checksum_misses(&self, marker: &Marker) -> Vec<Candidate> {
        self.judge_all(marker, |turn, line| match line.pattern {
            Pattern::Class(
                class @ Class::Detected(sonometer::class::Class::Pan | sonometer::class::Class::Iban),
            ) => {
                let misses = near_misses(turn, class);
                misses
                    .iter()
                    .map(|miss| Match {
                        tokens: miss.tokens.clone(),
                        place: crate::matching::place(turn, &miss.tokens, std::slice::from_ref(miss)),
                    })
                    .collect()
            }
            _ => Vec::new(),
        })
    }

    fn judge_all(&self, marker: &Marker, find: impl Fn(&Turn, &Line) -> Vec<Match>) -> Vec<Candidate> {
        let against: Vec<Against> = self.turns.iter().map(|turn| self.against(marker, turn)).collect();
        let mut candidates = Vec::new();
        for (index, line) in marker.lines.iter().enumerate() {
            for turn in self.turns {
                for found in find(turn, line) {
                    candidates.push(Candidate {
                        turn: turn.index,
                        line: index,
                        strength: Number::from(line.strength.0),
                        failed: self.failed(marker, line, turn, &found, &against[turn.index]),
                        found,
                    });
                }
            }
        }
        candidates
    }

    fn failed(
        &self,
        marker: &Marker,
        line: &Line,
        turn: &Turn,
        found: &Match,
        against: &Against,
    ) -> BTreeSet<HintKind> {
        let negated = marker.negation == NegationMode::Drop
            && is_negated(turn, found, &line.pattern, &against.negation, self.language);
        [
            (HintKind::Role, !self.passes_role(&marker.by, turn)),
            (HintKind::Where, !self.passes_where(marker.place, turn)),
            (HintKind::Except, is_excluded(against, &found.place)),
            (HintKind::Negated, negated),
        ]
        .into_iter()
        .filter_map(|(condition, fails)| fails.then_some(condition))
        .collect()
    }

    /// *role*: the turn's role is one of these; without any, every turn passes.
    pub(crate) fn passes_role(&self, by: &[String], turn: &Turn) -> bool {
        by.is_empty()
            || turn.role.as_ref().is_some_and(|role| {
                let role = same_role(&self.protocol.actants, role);
                by.iter().any(|wanted| same_role(&self.protocol.actants, wanted) == role)
            })
    }

    /// *where*: the turn lies in the part of the interaction that counts.
    pub(crate) fn passes_where(&self, place: Option<Place>, turn: &Turn) -> bool {
        let Some(Place { from, extent }) = place else { return true };
        let times = || self.turns.iter().filter_map(|turn| turn.time);
        match (from, extent) {
            (End::First, Extent::Turns(n)) => turn.index < n as usize,
            (End::Last, Extent::Turns(n)) => turn.index + n as usize >= self.turns.len(),
            (End::First, Extent::Seconds(n)) => turn
                .time
                .zip(times().min())
                .is_some_and(|(time, earliest)| time - earliest <= Number::from(n.0)),
            (End::Last, Extent::Seconds(n)) => {
                turn.time.zip(times().max()).is_some_and(|(time, latest)| latest - time <= Number::from(n.0))
            }
        }
    }

    fn against(&self, marker: &Marker, turn: &Turn) -> Against {
        let exclusions = marker.except.iter().flat_map(|line| exclusions(turn, &line.pattern, self.language));
        Against {
            exclusions: exclusions.map(|exclusion| exclusion.place).collect(),
            negation: negation(turn, &self.protocol.negation, self.language),
        }
    }

    /// The turns that pass *role* (of these roles) and *where*.
    pub(crate) fn side(&self, by: &[String], place: Option<Place>) -> Vec<&Turn> {
        self.turns
            .iter()
            .filter(|turn| self.passes_role(by, turn) && self.passes_where(place, turn))
            .collect()
    }
}

/// What a turn holds against the candidates of a marker.
struct Against {
    /// The places of the exclusions.
    exclusions: Vec<Range<usize>>,
    /// The cues and stops.
    negation: Negation,
}

/// *except*: an exclusion of the marker overlaps the place.
fn is_excluded(against: &Against, place: &Range<usize>) -> bool {
    against.exclusions.iter().any(|exclusion| exclusion.start < place.end && place.start < exclusion.end)
}

/// The name under which two spellings of a role are the same: folded, in lower case, aliases resolved.
pub(crate) fn same_role(actants: &Actants, role: &str) -> String {
    let folded = fold_name(role);
    let named =
        actants.aliases.iter().find(|(_, others)| others.iter().any(|other| fold_name(other) == folded));
    named.map_or(folded, |(name, _)| fold_name(name))
}

/// The counted candidates of each line contribute by their order in the text.
pub(crate) fn contributions(marker: &Marker, candidates: &[Candidate]) -> Vec<Number> {
    let mut counted = vec![0_u32; marker.lines.len()];
    candidates
        .iter()
        .map(|candidate| {
            if !candidate.failed.is_empty() {
                return 0;
            }
            let k = counted[candidate.line];
            counted[candidate.line] += 1;
            crate::marker::contribution(candidate.strength, k, marker.repeat)
        })
        .collect()
}

/// The number of tokens a candidate consumed, at least 1, as n ÷ (n+1).
pub(crate) fn nearly(candidate: &Candidate) -> Number {
    let n = candidate.found.tokens.len().max(1) as Number;
    crate::number::divide(n, n + 1).min(U)
}
