//! From judged matches to numbers: activations, the score, fidelity, weak signals; on SGM 1.5 signal, flow and development.

pub mod actant;
pub(crate) mod conclude;
pub(crate) mod counts;
pub(crate) mod fidelity;
pub(crate) mod found;
pub(crate) mod hearing;
pub(crate) mod ics;
pub(crate) mod options;
mod part;
pub(crate) mod resonance;
pub(crate) mod score;
pub mod signal;
pub mod temporal;
pub(crate) mod weak;

pub use actant::FlowOptions;
pub use found::{Evidence, Stretch};
pub use options::SenseOptions;
pub use temporal::TemporalOptions;

use crate::evidence::Candidate;
use crate::evidence::window::Joined;
use crate::interaction::Interaction;
use crate::mask::Cover;
use crate::protocol::Protocol;
use crate::sensor::Sensor;
use crate::text::compose::Ways;
use crate::unit::Unit;
use fidelity::Fidelity;
use resonance::{Asked, Basis, Resonance};
use std::sync::Arc;
use weak::Near;

/// What one protocol measured in an interaction: a part of a [`crate::Reading`].
#[derive(Clone, Debug)]
pub struct Measured {
    pub(crate) sensor: Sensor,
    pub(crate) interaction: Interaction,
    pub(crate) score: Unit,
    /// The markers that have candidates or a bias, in the order of the protocol; the others are silent.
    pub(crate) resonances: Vec<(u32, Resonance)>,
    /// All candidates, by marker, line and place.
    pub(crate) candidates: Vec<Candidate>,
    /// Where those over several turns go on.
    pub(crate) joined: Joined,
    /// Places of candidates are in composed turns; these lead back to the turns of the interaction.
    pub(crate) ways: Ways,
    /// Those of triggered markers that add something, in the order of the text.
    pub(crate) evidence: Vec<Candidate>,
    /// What each marker that did not trigger missed most narrowly, in the order of the protocol.
    pub(crate) near_misses: Vec<Near>,
    /// How the markers with `scope` were asked, in the order of the protocol.
    pub(crate) asked: Vec<(u32, Asked)>,
    /// What the rates are made of: of markers with `per` or `share`, then of those with `ratio`.
    pub(crate) bases: Vec<(u32, Basis)>,
    /// What is hidden wherever text is shown; `None` if nothing is.
    pub(crate) cover: Option<Arc<Cover>>,
    pub(crate) fidelity: Fidelity,
    /// Whether it was measured at all: the content is sufficient, or [`SenseOptions::ignore_fidelity`] is set.
    pub(crate) measured: bool,
    /// The words of each turn; only on SGM 1.5.
    pub(crate) turn_words: Vec<u64>,
    /// What each of `resonances` would be without a match; only on SGM 1.5.
    pub(crate) rests: Vec<Resonance>,
}

impl Measured {
    /// The protocol that measured; of a composition, that of this part.
    pub fn protocol(&self) -> &Protocol {
        self.sensor.protocol()
    }

    /// The interaction that was sensed.
    pub fn interaction(&self) -> &Interaction {
        &self.interaction
    }

    /// How far it can be trusted.
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity.clone()
    }

    /// The overall score, 0 to 1; `None` when the content is insufficient: nothing was measured.
    pub fn score(&self) -> Option<Unit> {
        self.measured.then_some(self.score)
    }

    /// Every marker's label with what it came to, in the order of the protocol.
    pub fn resonance(&self) -> impl Iterator<Item = (&str, Resonance)> {
        let mut worked = self.resonances.iter().peekable();
        (0..).zip(&self.protocol().markers).map(move |(number, marker)| {
            let found = worked.next_if(|(at, _)| *at == number);
            (marker.label.as_str(), found.map_or_else(Resonance::default, |(_, resonance)| *resonance))
        })
    }

    /// The protocol's name of who speaks in a turn; `None` for a plain text.
    pub fn actant(&self, turn: usize) -> Option<String> {
        let role = self.interaction.turns()[turn].role.as_deref();
        role.map(|role| self.sensor.plan().role_name(role))
    }
}
