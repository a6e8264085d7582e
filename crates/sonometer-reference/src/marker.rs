//! Section 4: the numbers of a marker.

use crate::candidate::{Candidate, Scene};
use crate::number::{Number, U, divide, fraction};
use crate::strength::strength;
use crate::turn::Turn;
use crate::{absent, ratio};
use sonometer::protocol::{HintKind, Marker, Repeat, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// What a marker comes to.
pub(crate) struct MarkerReading {
    /// Every candidate, counted or dropped.
    pub(crate) candidates: Vec<Candidate>,
    /// What each of them contributes.
    pub(crate) contributions: Vec<Number>,
    /// **E**.
    pub(crate) evidence: Number,
    /// The activation.
    pub(crate) activation: Number,
    /// Whether the activation reaches the trigger.
    pub(crate) triggered: bool,
    /// What the activation is worked out from; `None` for an absent marker and a ratio.
    pub(crate) basis: Option<Basis>,
    /// How near the deadline is, of an absent marker whose clock runs.
    pub(crate) deadline: Option<Number>,
    /// With `scope`, the stretches that it is asked of.
    pub(crate) stretches: Option<Vec<Stretch>>,
    /// The candidate that started the clock of an absent marker.
    pub(crate) started: Option<usize>,
}

/// Turns that a marker with `scope` is asked of by themselves.
pub(crate) struct Stretch {
    /// The turns.
    pub(crate) turns: Vec<usize>,
    /// What counts in them.
    basis: Basis,
    /// The activation there.
    activation: Number,
}

/// What an activation is worked out from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis {
    /// The sum of contributions.
    pub(crate) sum: Number,
    /// The words of the turns that pass *role* and *where*.
    pub(crate) words: usize,
    /// The turns of the share's side.
    pub(crate) side: usize,
    /// Those of them with a positive contribution.
    pub(crate) with_evidence: usize,
}

/// The k-th (k = 0, 1, …) counted candidate of a line.
pub(crate) fn contribution(strength: Number, k: u32, repeat: Repeat) -> Number {
    match repeat {
        Repeat::Halve if k < 40 => strength / (1 << k), // `/` cuts towards zero
        Repeat::Halve => 0,
        Repeat::Once if k == 0 => strength,
        Repeat::Once => 0,
        Repeat::All => strength,
    }
}

/// **E** = max(0, bias + Σ contributions), per so many words where the marker asks for it.
fn evidence(marker: &Marker, basis: Basis) -> Number {
    let e = (Number::from(marker.bias.0) + basis.sum).max(0);
    match marker.per {
        Some(n) => fraction(e, Number::from(n), Number::from(n).max(basis.words as Number)),
        None => e,
    }
}

/// **Activation**.
pub(crate) fn activation(marker: &Marker, basis: Basis) -> Number {
    match &marker.share {
        Some(share) => {
            if basis.side == 0 {
                return 0;
            }
            let rate = divide(basis.with_evidence as Number, basis.side as Number);
            U.min(divide(rate, Number::from(share.full.0)))
        }
        None => {
            let e = evidence(marker, basis);
            let h = Number::from(marker.half.0);
            if e == 0 { 0 } else { U.min(fraction(e, U + h, e + h)) }
        }
    }
}

/// Whether the marker triggers on this basis.
pub(crate) fn triggers(marker: &Marker, basis: Basis) -> bool {
    activation(marker, basis) >= Number::from(marker.trigger.0)
}

impl MarkerReading {
    /// **E₀** and **a₀**: what the bias alone gives.
    pub(crate) fn at_rest(&self, marker: &Marker) -> (Number, Number) {
        match self.basis {
            Some(basis) => {
                let nothing = Basis { sum: 0, with_evidence: 0, ..basis };
                (evidence(marker, nothing), activation(marker, nothing))
            }
            None => (0, 0),
        }
    }
}

/// Candidates, contributions, activation of one marker.
pub(crate) fn read(scene: &Scene<'_>, marker: &Marker) -> MarkerReading {
    match (&marker.absence, &marker.ratio) {
        (Some(absence), _) => absent::read(scene, marker, absence),
        (None, Some(ratio)) => ratio::read(scene, marker, ratio),
        (None, None) => match marker.scope {
            Some(scope) => scoped(scene, marker, scope),
            None => of_evidence(scene, marker),
        },
    }
}

/// A marker with evidence lines.
fn of_evidence(scene: &Scene<'_>, marker: &Marker) -> MarkerReading {
    let candidates = scene.candidates(marker);
    let contributions = contributions(scene, marker, &candidates);
    let side = share_side(scene, marker);
    let positive: BTreeSet<usize> = candidates
        .iter()
        .zip(&contributions)
        .filter(|(_, c)| **c > 0)
        .map(|(candidate, _)| candidate.hit.turn())
        .collect();
    let basis = Basis {
        sum: contributions.iter().sum(),
        words: scene.side(&marker.by, marker.place).iter().map(|turn| turn.words()).sum(),
        side: side.len(),
        with_evidence: side.iter().filter(|turn| positive.contains(&turn.index)).count(),
    };
    MarkerReading {
        evidence: evidence(marker, basis),
        activation: activation(marker, basis),
        triggered: triggers(marker, basis),
        candidates,
        contributions,
        basis: Some(basis),
        deadline: None,
        started: None,
        stretches: None,
    }
}

/// A marker with `scope`: asked of each stretch by itself, and the strongest counts.
fn scoped(scene: &Scene<'_>, marker: &Marker, scope: Scope) -> MarkerReading {
    let candidates = scene.candidates(marker);
    let counts = |turn: usize| candidates.iter().any(|c| c.failed.is_empty() && c.hit.turn() == turn);
    let asked: Vec<usize> = scene
        .side(&marker.by, marker.place)
        .iter()
        .filter(|turn| turn.words() > 0 || counts(turn.index))
        .map(|turn| turn.index)
        .collect();
    let n = (scope.turns as usize).min(asked.len());
    let mut stretches: Vec<Vec<usize>> = Vec::new();
    if n > 0 {
        stretches = (0..=asked.len() - n).map(|from| asked[from..from + n].to_vec()).collect();
    }
    if scope.is_last {
        stretches = stretches.pop().into_iter().collect();
    }
    // In each stretch, what every candidate adds there.
    let inside = |turns: &[usize]| -> Vec<Number> {
        let mut own = candidates.clone();
        for candidate in own.iter_mut().filter(|candidate| !turns.contains(&candidate.hit.turn())) {
            candidate.failed.insert(HintKind::Where);
        }
        contributions(scene, marker, &own)
    };
    let worked: Vec<(Stretch, Vec<Number>)> = stretches
        .into_iter()
        .map(|turns| {
            let added = inside(&turns);
            let basis = Basis { sum: added.iter().sum(), words: 0, side: 0, with_evidence: 0 };
            (Stretch { activation: activation(marker, basis), turns, basis }, added)
        })
        .collect();
    let top = worked.iter().map(|(stretch, _)| stretch.activation).max().unwrap_or(0);
    let strongest = worked.iter().find(|(stretch, _)| stretch.activation == top);
    let least = top.min(Number::from(marker.trigger.0));
    let best = |at: usize| {
        let holds = worked.iter().filter(|(stretch, _)| stretch.turns.contains(&candidates[at].hit.turn()));
        let mut best: Option<&(Stretch, Vec<Number>)> = None;
        for one in holds {
            if best.is_none_or(|known| one.0.activation > known.0.activation) {
                best = Some(one);
            }
        }
        best.filter(|(stretch, _)| stretch.activation >= least).map_or(0, |(_, added)| added[at])
    };
    MarkerReading {
        contributions: (0..candidates.len()).map(best).collect(),
        evidence: strongest.map_or(0, |(stretch, _)| evidence(marker, stretch.basis)),
        activation: top,
        triggered: top >= Number::from(marker.trigger.0),
        basis: Some(Basis { sum: 0, words: 0, side: 0, with_evidence: 0 }),
        stretches: Some(worked.into_iter().map(|(stretch, _)| stretch).collect()),
        candidates,
        deadline: None,
        started: None,
    }
}

impl Stretch {
    /// Whether the marker triggers here if so much more had counted.
    pub(crate) fn triggers_with(&self, marker: &Marker, strength: Number) -> bool {
        triggers(marker, Basis { sum: self.basis.sum + strength, ..self.basis })
    }
}

/// The counted candidates of each line contribute by their order in the text.
fn contributions(scene: &Scene<'_>, marker: &Marker, candidates: &[Candidate]) -> Vec<Number> {
    let mut counted: BTreeMap<usize, u32> = BTreeMap::new();
    candidates
        .iter()
        .map(|candidate| {
            if !candidate.failed.is_empty() {
                return 0;
            }
            let before = counted.entry(candidate.line).or_default();
            *before += 1;
            contribution(strength(scene, marker, candidate), *before - 1, marker.repeat)
        })
        .collect()
}

/// The share's `by`, else the marker's `by`, else every turn; of these the turns that pass *where*.
fn share_side<'a>(scene: &'a Scene<'_>, marker: &Marker) -> Vec<&'a Turn> {
    match &marker.share {
        Some(share) if !share.by.is_empty() => scene.side(&share.by, marker.place),
        _ => scene.side(&marker.by, marker.place),
    }
}
