//! One test of a protocol, and whether it passes.

use sonometer::protocol::{Dialogue, Marker, Modality, NegationMode, Protocol, RatioTo, TestLine};
use sonometer::{Error, FlowOptions, Interaction, Reading, SenseOptions, Sensor, Turn, Unit};

/// A test.
#[derive(Clone, Copy, Debug)]
pub enum Trial<'p> {
    /// A line of `hit`, which must trigger its marker, or of `miss`, which must not.
    Line {
        /// Its marker.
        marker: &'p Marker,
        /// The line.
        line: &'p TestLine,
        /// Whether it must trigger the marker.
        wanted: bool,
    },
    /// A dialogue of `tests`.
    Dialogue(&'p Dialogue),
}

impl Trial<'_> {
    pub(super) fn sense(&self, sensor: &Sensor) -> Result<Reading, Error> {
        let (interaction, ignore_fidelity) = match self {
            Self::Line { line, .. } => (of_line(line)?, true),
            Self::Dialogue(dialogue) => (of_talk(&dialogue.talk)?, dialogue.sufficient.is_none()),
        };
        let options = SenseOptions { ignore_fidelity, ..SenseOptions::default() };
        sensor.sense_with(&interaction, options.without_key(std::slice::from_ref(sensor)))
    }

    /// What of it does not hold in a reading of a part of the protocol: only what concerns markers of that part.
    pub(super) fn broken(&self, reading: &Reading) -> Vec<Broken> {
        let triggered = |label: &str| {
            reading.resonance().find(|(name, _)| *name == label).map(|(_, resonance)| resonance.triggered)
        };
        let not = |label: &str, wanted: bool| {
            (triggered(label) == Some(!wanted)).then(|| Broken::Marker { label: label.to_owned(), wanted })
        };
        match self {
            Self::Line { marker, wanted, .. } => not(&marker.label, *wanted).into_iter().collect(),
            Self::Dialogue(dialogue) => {
                let fires = dialogue.fires.iter().filter_map(|label| not(label, true));
                let silent = dialogue.silent.iter().filter_map(|label| not(label, false));
                let driven = dialogue
                    .driven
                    .iter()
                    .filter(|(label, role)| triggered(label).is_some() && !is_driven(reading, label, role));
                let driven =
                    driven.map(|(label, role)| Broken::Driven { label: label.clone(), role: role.clone() });
                let mut broken: Vec<Broken> = fires.chain(silent).chain(driven).collect();
                let found = reading.fidelity().sufficient;
                broken
                    .extend(dialogue.sufficient.filter(|wanted| *wanted != found).map(|_| Broken::Fidelity));
                broken
            }
        }
    }

    /// The same, and the score, which only the whole protocol has.
    pub(super) fn broken_in_whole(&self, reading: &Reading) -> Vec<Broken> {
        let mut broken = self.broken(reading);
        if let Self::Dialogue(dialogue) = self {
            let (least, most) = dialogue.score;
            let holds = reading.score().is_some_and(|score| (least..=most).contains(&score));
            broken.extend((!holds).then_some(Broken::Score));
        }
        broken
    }

    /// Whether it says anything about a marker of these.
    pub(super) fn concerns(&self, labels: &[&str]) -> bool {
        let among = |label: &String| labels.contains(&label.as_str());
        match self {
            Self::Line { marker, .. } => labels.contains(&marker.label.as_str()),
            Self::Dialogue(dialogue) => {
                let driven = dialogue.driven.iter().map(|(label, _)| label);
                dialogue.fires.iter().chain(&dialogue.silent).chain(driven).any(among)
            }
        }
    }

    /// Whether it asks for a score.
    pub(super) fn asks_for_score(&self) -> bool {
        matches!(self, Self::Dialogue(dialogue) if dialogue.score != (Unit::ZERO, Unit::ONE))
    }
}

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The marker is triggered or not, against what is wanted.
    Marker {
        /// The marker.
        label: String,
        /// Whether it should be triggered.
        wanted: bool,
    },
    /// The marker is not driven by the side of that role.
    Driven {
        /// The marker.
        label: String,
        /// The role that should drive it.
        role: String,
    },
    /// Sufficiency is not as expected.
    Fidelity,
    /// The score lies outside what is expected.
    Score,
}

/// Whether a marker is driven by the side of a role, which is the primary one for this question.
fn is_driven(reading: &Reading, label: &str, role: &str) -> bool {
    let flow = reading.actant_flow(FlowOptions { primary: Some(role) });
    flow.is_some_and(|flow| flow.primary_driven.contains(&label))
}

/// A text, or a transcript of one turn, which is the first and the last, in seconds too.
fn of_line(line: &TestLine) -> Result<Interaction, Error> {
    match &line.role {
        Some(role) => Interaction::transcript(vec![turn(role, &line.text)]),
        None => Interaction::text(&line.text),
    }
}

/// A transcript; a text where no line names a role.
fn of_talk(talk: &[TestLine]) -> Result<Interaction, Error> {
    if talk.iter().all(|line| line.role.is_none()) {
        let lines: Vec<&str> = talk.iter().map(|line| line.text.as_str()).collect();
        return Interaction::text(&lines.join("\n"));
    }
    let role = |line: &TestLine| line.role.clone().unwrap_or_else(|| "somebody".to_owned());
    let mut turns: Vec<Turn> = talk.iter().map(|line| turn(&role(line), &line.text)).collect();
    // A written dialogue has no clock.
    turns.iter_mut().for_each(|turn| turn.timestamp = None);
    Interaction::transcript(turns)
}

fn turn(role: &str, content: &str) -> Turn {
    Turn { role: Some(role.into()), content: content.into(), timestamp: Some(Unit::ZERO) }
}

/// The markers that a marker needs around it: those that it names; with `all`, those that name it too, and so on.
pub(super) fn family<'p>(protocol: &'p Protocol, marker: &'p Marker, all: bool) -> Vec<&'p Marker> {
    let mut labels = vec![marker.label.as_str()];
    loop {
        let known = labels.len();
        for other in &protocol.markers {
            let names = named(other);
            if labels.contains(&other.label.as_str()) {
                labels.extend(names);
            } else if all && names.iter().any(|label| labels.contains(label)) {
                labels.push(&other.label);
            }
            labels.sort_unstable();
            labels.dedup();
        }
        if labels.len() == known {
            break;
        }
    }
    protocol.markers.iter().filter(|other| labels.contains(&other.label.as_str())).collect()
}

/// The labels that a marker speaks of.
fn named(marker: &Marker) -> Vec<&str> {
    let flip = match &marker.negation {
        NegationMode::Flip(label) => Some(label.as_str()),
        NegationMode::Keep | NegationMode::Drop => None,
    };
    let related = marker.named_markers().map(|(_, label)| label.as_str());
    let ratio = marker.ratio.iter().flat_map(|ratio| {
        let to = match &ratio.to {
            RatioTo::Marker(label) => Some(label.as_str()),
            RatioTo::Lines(_) => None,
        };
        [Some(ratio.of.as_str()), to]
    });
    flip.into_iter().chain(related).chain(ratio.flatten()).collect()
}

/// The protocol without its markers: a test is a text or a transcript, whatever the protocol is used on.
pub(super) fn bare(protocol: &Protocol) -> Protocol {
    let modalities = vec![Modality::Text, Modality::Transcript];
    Protocol { modalities, markers: Vec::new(), tests: Vec::new(), ..protocol.clone() }
}
