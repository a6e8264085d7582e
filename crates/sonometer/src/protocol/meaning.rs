//! What the score of a protocol means, in one line, and what finding a marker means for it.

use super::model::{Better, Importance, Marker, Pole, Protocol, ScoreKind};

/// Whether it is good news that a marker is found. What shows evidence in colours asks this, and not the pole: a marker of a
/// `risk` protocol speaks against whatever its pole is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It moves the score the good way.
    Improves,
    /// It moves the score the bad way.
    Worsens,
}

impl Effect {
    /// Its name: `improves` or `worsens`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Improves => "improves",
            Self::Worsens => "worsens",
        }
    }
}

impl Protocol {
    /// What finding one of its markers means, by its pole, by the kind of score and by which scores are the good ones.
    pub fn effect_of(&self, marker: &Marker) -> Effect {
        let has = |pole: Pole| self.markers.iter().any(|marker| marker.pole == pole);
        let raises = match (self.score, marker.pole) {
            (ScoreKind::Mean, pole) => pole == Pole::For,
            // Where all markers are of one pole, that is what the score counts: risks, or what is there.
            (ScoreKind::Risk, pole) => pole == Pole::For && has(Pole::Against),
            (ScoreKind::Any, pole) => pole == Pole::For || !has(Pole::For),
        };
        if raises == (self.better == Better::Higher) { Effect::Improves } else { Effect::Worsens }
    }

    /// The meaning of scores 0 and 1 and which is better, in one line without a full stop:
    /// `score 1 = no risk found, 0 = a critical risk found; higher is better`.
    pub fn score_meaning(&self) -> String {
        let of = |pole: Pole| self.markers.iter().filter(move |marker| marker.pole == pole);
        let (speaking_for, against) = (of(Pole::For).count() > 0, of(Pole::Against).count() > 0);
        let ends = match (self.score, speaking_for, against) {
            (ScoreKind::Mean, true, true) => {
                "score 1 = all that speaks for it found and nothing against it, 0 = nothing for it, or all against it".to_owned()
            }
            (ScoreKind::Mean, false, true) => "score 1 = nothing found, 0 = every marker found".to_owned(),
            (ScoreKind::Mean, ..) => "score 1 = every marker found, 0 = nothing found".to_owned(),
            (ScoreKind::Risk, true, true) => format!(
                "score 1 = no risk found, 0 = {} risk found; what mitigates it takes back at most half",
                heaviest(of(Pole::Against))
            ),
            (ScoreKind::Risk, ..) => {
                format!("score 1 = no risk found, 0 = {} risk found", heaviest(self.markers.iter()))
            }
            (ScoreKind::Any, true, true) => format!(
                "score 0 = nothing found, 1 = {} marker found; what speaks against it takes away at most half",
                heaviest(of(Pole::For))
            ),
            (ScoreKind::Any, ..) => {
                format!("score 0 = nothing found, 1 = {} marker found", heaviest(self.markers.iter()))
            }
        };
        let good = match self.better {
            Better::Higher => "higher is better",
            Better::Lower => "lower is better",
        };
        format!("{ends}; {good}")
    }
}

/// The importance that moves the score all the way by itself, with its article.
fn heaviest<'m>(markers: impl Iterator<Item = &'m Marker>) -> String {
    let importance = markers.map(|marker| marker.importance).max().unwrap_or(Importance::Medium);
    format!("a {}", importance.as_str())
}

#[cfg(test)]
mod tests {
    use super::Effect;
    use crate::{Interaction, Protocol, Sensor};
    use std::cmp::Ordering;

    /// A protocol with these keys and markers with these.
    fn meaning(keys: &str, markers: &[&str]) -> String {
        let markers: Vec<String> = (0..)
            .zip(markers)
            .map(|(at, keys)| format!("{{\"label\": \"m{at}\", \"strong\": \"x\", \"hit\": \"x\"{keys}}}"))
            .collect();
        let source = format!(
            "{{\"sonometer\": 1, \"id\": \"a\", \"version\": \"1\", \"taxonomy\": \"Signal\"{keys}, \"markers\": [{}]}}",
            markers.join(", ")
        );
        Protocol::read(&source).expect("is sound").0.score_meaning()
    }

    /// A protocol with a marker of each of these poles, each found by its own word: `m0`, `m1`, …
    fn of_poles(score: &str, better: &str, poles: &[&str]) -> Protocol {
        let markers: Vec<String> = (0..)
            .zip(poles)
            .map(|(at, pole)| {
                format!("{{\"label\": \"m{at}\", \"pole\": \"{pole}\", \"strong\": \"m{at}\", \"hit\": \"m{at}\"}}")
            })
            .collect();
        let source = format!(
            "{{\"sonometer\": 1, \"id\": \"a\", \"version\": \"1\", \"taxonomy\": \"Signal\", \"fidelity\": {{\"sufficient\": 0}}, \
             \"score\": \"{score}\", \"better\": \"{better}\", \"markers\": [{}]}}",
            markers.join(", ")
        );
        Protocol::read(&source).expect("is sound").0
    }

    #[test]
    fn an_effect_is_what_the_score_does() {
        for score in ["mean", "risk", "any"] {
            for better in ["higher", "lower"] {
                for poles in [&["for"][..], &["against"], &["for", "against"], &["against", "for", "for"]] {
                    let protocol = of_poles(score, better, poles);
                    let sensor = Sensor::new(protocol.clone()).expect("compiles");
                    let scored = |text: &str| {
                        let text = Interaction::text(text).expect("is short");
                        sensor.sense(&text).expect("is sensed").score().expect("is measured")
                    };
                    for (at, marker) in protocol.markers.iter().enumerate() {
                        // By itself, and beside each of the others: what mitigates needs a risk to mitigate.
                        let others = (0..poles.len()).filter(|n| *n != at).map(|n| format!("m{n}"));
                        let moved = |before: String| {
                            let (without, with) = (scored(&before), scored(&format!("{before} . m{at}")));
                            if better == "higher" { with.cmp(&without) } else { without.cmp(&with) }
                        };
                        let moves: Vec<Ordering> = others.chain([String::new()]).map(moved).collect();
                        let wanted = match protocol.effect_of(marker) {
                            Effect::Improves => Ordering::Greater,
                            Effect::Worsens => Ordering::Less,
                        };
                        let case = format!("{score} {better} {poles:?} {at}: {moves:?}");
                        assert!(moves.contains(&wanted) && !moves.contains(&wanted.reverse()), "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_ends_and_the_good_way_are_named() {
        let (speaks_for, against) =
            (", \"pole\": \"for\"", ", \"pole\": \"against\", \"importance\": \"critical\"");
        for (keys, markers, wanted) in [
            ("", vec![""], "score 1 = every marker found, 0 = nothing found; higher is better"),
            ("", vec![against], "score 1 = nothing found, 0 = every marker found; higher is better"),
            (
                "",
                vec![speaks_for, against],
                "score 1 = all that speaks for it found and nothing against it, 0 = nothing for it, or all against it; higher \
                 is better",
            ),
            (
                ", \"score\": \"risk\"",
                vec![""],
                "score 1 = no risk found, 0 = a medium risk found; higher is better",
            ),
            (
                ", \"score\": \"risk\"",
                vec![speaks_for, against],
                "score 1 = no risk found, 0 = a critical risk found; what mitigates it takes back at most half; higher is \
                 better",
            ),
            (
                ", \"score\": \"any\", \"better\": \"lower\"",
                vec![""],
                "score 0 = nothing found, 1 = a medium marker found; lower is better",
            ),
            (
                ", \"score\": \"any\"",
                vec![speaks_for, against],
                "score 0 = nothing found, 1 = a medium marker found; what speaks against it takes away at most half; higher is \
                 better",
            ),
        ] {
            assert_eq!(meaning(keys, &markers), wanted);
        }
    }
}
