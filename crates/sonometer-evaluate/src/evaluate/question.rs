//! What is asked of a protocol: which of its numbers ranks the items, and from where on an item is predicted positive.

use super::measure::Case;
use super::sensed::Outcome;
use crate::Error;
use sonometer::Unit;
use sonometer::document::suggest;
use sonometer::protocol::{Pole, Protocol, ScoreKind};

/// What is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The interaction as a whole.
    Whole,
    /// Each segment: the label is a list parallel to the segments.
    Segments,
    /// Places: the label is a list of `{type, start, end}`.
    Spans,
}

/// The number that ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The score.
    Score,
    /// What the score lacks to 1: low scores are positive.
    Complement,
    /// The largest resonance of the markers; of a segment, the sum of its evidence.
    Markers,
}

/// From where on something is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// A marker is triggered; in a segment, there is evidence of one.
    Triggered,
    /// The ranking value reaches this.
    From(Unit),
}

/// The whole question.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) scope: Scope,
    /// Whether each marker of the protocol, in its order, is asked.
    pub(crate) asked: Vec<bool>,
    /// Whether the caller named the markers.
    pub(crate) named: bool,
    pub(crate) basis: Basis,
    pub(crate) decision: Decision,
}

/// The markers that the score rests on: those whose silence is the negative end. With them, whether that end is 1.
///
/// A text in which nothing is found has the score 0 (`any`; `mean` with markers *for*) or 1 (`risk`; `mean` without).
/// What a protocol finds is the positive class, so low scores are positive where silence gives 1.
pub(super) fn side(protocol: &Protocol) -> (Vec<bool>, bool) {
    let of = |pole| protocol.markers.iter().map(|marker| marker.pole == pole).collect::<Vec<_>>();
    let (speaking_for, against) = (of(Pole::For), of(Pole::Against));
    let all = vec![true; protocol.markers.len()];
    let any = |side: &[bool]| side.contains(&true);
    match protocol.score {
        ScoreKind::Mean if any(&speaking_for) => (speaking_for, false),
        ScoreKind::Mean => (against, true),
        ScoreKind::Risk => (if any(&against) { against } else { all }, true),
        ScoreKind::Any => (if any(&speaking_for) { speaking_for } else { all }, false),
    }
}

impl Scope {
    /// Its name in options and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Segments => "segments",
            Self::Spans => "spans",
        }
    }
}

impl Question {
    /// `markers`: those the caller names; `low`: whether low scores are positive, where the caller says so;
    /// `from`: the caller's threshold.
    pub(crate) fn of(
        protocol: &Protocol,
        scope: Scope,
        markers: &[String],
        low: Option<bool>,
        from: Option<Unit>,
    ) -> Result<Self, Error> {
        let (side, silence_is_one) = side(protocol);
        let named = !markers.is_empty();
        if named && low.is_some() {
            return Err(Error::unusable(
                "--lower and --higher apply to the score; with --marker the resonance is used, so remove them",
            ));
        }
        let mut asked = side;
        if named {
            asked = vec![false; protocol.markers.len()];
            for name in markers {
                asked[marker(protocol, name)?] = true;
            }
        }
        let basis = match (named || scope != Scope::Whole, low.unwrap_or(silence_is_one)) {
            (true, _) => Basis::Markers,
            (false, true) => Basis::Complement,
            (false, false) => Basis::Score,
        };
        let decision = match from {
            Some(from) => Decision::From(from),
            // Silence is certain there, and one finding of little weight is a finding.
            None if basis == Basis::Complement && silence_is_one => Decision::Triggered,
            None if basis == Basis::Markers => Decision::Triggered,
            None => Decision::From(Unit(500_000)),
        };
        Ok(Self { scope, asked, named, basis, decision })
    }

    /// What an item as a whole is worth and what is predicted. What is insufficient is predicted negative and ranks last.
    pub(crate) fn whole(&self, outcome: &Outcome) -> (Unit, bool) {
        if !outcome.sufficient {
            return (Unit::ZERO, false);
        }
        let own = || outcome.markers.iter().filter(|(marker, _)| self.asked[*marker]);
        let value = match self.basis {
            Basis::Score => outcome.score,
            Basis::Complement => outcome.score.complement(),
            Basis::Markers => own().map(|(_, resonance)| resonance.activation).max().unwrap_or_default(),
        };
        let predicted = match self.decision {
            Decision::Triggered => own().any(|(_, resonance)| resonance.triggered),
            Decision::From(from) => value >= from,
        };
        (value, predicted)
    }

    /// The same of a segment: ranked by the scores of the evidence in it, at most 1.
    pub(crate) fn segment(&self, outcome: &Outcome, segment: usize) -> (Unit, bool) {
        let own = outcome.evidence.iter().filter(|found| found.turn == segment && self.asked[found.marker]);
        let value = own.map(|found| found.score).sum::<Unit>().clamp_to_one();
        let predicted = match self.decision {
            Decision::Triggered => value > Unit::ZERO,
            Decision::From(from) => value >= from && outcome.sufficient,
        };
        (value, predicted)
    }

    /// The prediction of a case under another threshold.
    pub(crate) fn decide(&mut self, from: Unit, cases: &mut [Case]) {
        self.decision = Decision::From(from);
        for case in cases {
            case.predicted = case.sufficient && case.value >= from;
        }
    }

    /// What a case is called.
    pub(crate) fn noun(&self) -> &'static str {
        if self.scope == Scope::Segments { "segment" } else { "item" }
    }

    /// What ranks, in words.
    pub(crate) fn ranked_by(&self) -> &'static str {
        match (self.scope, self.basis) {
            (Scope::Segments | Scope::Spans, _) => "evidence",
            (_, Basis::Score) => "score",
            (_, Basis::Complement) => "1 − score",
            (_, Basis::Markers) => "resonance",
        }
    }

    /// The rule in words: `score ≥ 0.5`.
    pub(crate) fn rule(&self, protocol: &Protocol) -> String {
        let names = protocol.markers.iter().zip(&self.asked).filter(|(_, asked)| **asked);
        let names: Vec<&str> = names.map(|(marker, _)| marker.label.as_str()).collect();
        let which = if self.named { names.join(" or ") } else { "a marker".to_owned() };
        match (self.decision, self.scope) {
            (Decision::Triggered, Scope::Whole) => format!("{which} is triggered"),
            (Decision::Triggered, _) => format!("evidence of {which} stands in it"),
            (Decision::From(from), Scope::Whole) if self.named => format!("resonance of {which} ≥ {from}"),
            (Decision::From(from), Scope::Whole) => format!("{} ≥ {from}", self.ranked_by()),
            (Decision::From(from), _) => format!("evidence of {which} adds up to {from}"),
        }
    }
}

/// Whether a marker has the name of a label: names differ between data and protocols by case, hyphens and spaces at most.
pub(super) fn same_name(marker: &str, label: &str) -> bool {
    let plain = |name: &str| name.to_ascii_lowercase().replace(['-', ' '], "_");
    plain(marker) == plain(label)
}

/// The place of a marker in the protocol.
pub(crate) fn marker(protocol: &Protocol, name: &str) -> Result<usize, Error> {
    protocol.markers.iter().position(|marker| marker.label == name).ok_or_else(|| {
        let labels: Vec<&str> = protocol.markers.iter().map(|marker| marker.label.as_str()).collect();
        let fix = match suggest(name, &labels) {
            None => format!("its markers are {}", labels.join(", ")),
            Some(near) => format!("did you mean `{near}`?"),
        };
        Error::unusable(format!("`{}` has no marker `{name}`; {fix}", protocol.id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Resonance;

    fn protocol(score: &str, poles: &[&str]) -> Protocol {
        let markers: Vec<String> = poles
            .iter()
            .enumerate()
            .map(|(n, pole)| {
                format!(r#"{{"label": "m{n}", "pole": "{pole}", "strong": "a{n}", "hit": "a{n}"}}"#)
            })
            .collect();
        let text = format!(
            r#"{{"sonometer": 1, "id": "p", "version": "1", "taxonomy": "Policy", "score": "{score}", "markers": [{}]}}"#,
            markers.join(", ")
        );
        Protocol::read(&text).expect("is sound").0
    }

    fn outcome(score: i64, markers: &[(usize, i64, bool)]) -> Outcome {
        let resonance = |(marker, activation, triggered): &(usize, i64, bool)| {
            (
                *marker,
                Resonance { activation: Unit(*activation), triggered: *triggered, evidence: Unit::ZERO },
            )
        };
        Outcome {
            sufficient: true,
            score: Unit(score),
            markers: markers.iter().map(resonance).collect(),
            evidence: Vec::new(),
            unheard: None,
        }
    }

    fn of(protocol: &Protocol, markers: &[&str], low: Option<bool>, from: Option<Unit>) -> Question {
        let markers: Vec<String> = markers.iter().map(|&marker| marker.to_owned()).collect();
        Question::of(protocol, Scope::Whole, &markers, low, from).expect("can be asked")
    }

    #[test]
    fn what_a_protocol_finds_is_positive() {
        let cases = [
            ("mean", &["for", "against"][..], Basis::Score, Decision::From(Unit(500_000)), vec![true, false]),
            ("mean", &["against"], Basis::Complement, Decision::Triggered, vec![true]),
            ("risk", &["for", "against"], Basis::Complement, Decision::Triggered, vec![false, true]),
            ("risk", &["for"], Basis::Complement, Decision::Triggered, vec![true]),
            ("any", &["for", "against"], Basis::Score, Decision::From(Unit(500_000)), vec![true, false]),
        ];
        for (score, poles, basis, decision, asked) in cases {
            let question = of(&protocol(score, poles), &[], None, None);
            assert_eq!(
                (question.basis, question.decision, question.asked),
                (basis, decision, asked),
                "{score}"
            );
        }
    }

    #[test]
    fn insufficient_content_is_negative_and_last_whatever_the_rule() {
        let protocol = protocol("risk", &["for"]);
        let insufficient = Outcome { sufficient: false, ..outcome(0, &[]) };
        for question in [of(&protocol, &[], None, None), of(&protocol, &[], Some(true), Some(Unit::ZERO))] {
            assert_eq!(question.whole(&insufficient), (Unit::ZERO, false));
        }
    }

    #[test]
    fn named_markers_rank_by_their_largest_resonance() {
        let protocol = protocol("mean", &["for", "for", "against"]);
        let found = outcome(900_000, &[(0, 700_000, true), (2, 400_000, false)]);
        assert_eq!(of(&protocol, &["m2"], None, None).whole(&found), (Unit(400_000), false));
        assert_eq!(of(&protocol, &["m2", "m0"], None, None).whole(&found), (Unit(700_000), true));
        assert_eq!(of(&protocol, &["m2"], None, Some(Unit(400_000))).whole(&found), (Unit(400_000), true));
        assert_eq!(of(&protocol, &[], Some(true), None).whole(&found), (Unit(100_000), false));
        assert!(Question::of(&protocol, Scope::Whole, &["m9".into()], None, None).is_err());
    }
}
