//! Views of a reading: how much of it is shown. No view changes a number.

use crate::error::Error;
use crate::measure::{FlowOptions, TemporalOptions};
use crate::names::named;
use crate::protocol::{Protocol, Sgm};
use crate::reading::offset::OffsetUnit;
use crate::unit::Unit;

/// The output detail level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// Scores and evidence.
    #[default]
    Raw,
    /// With the segment around each piece of evidence and who said it.
    Detailed,
    /// With near-threshold activations.
    Discovery,
}

impl Profile {
    /// Every profile, in the order of the interface document.
    pub const ALL: [Self; 3] = [Self::Raw, Self::Detailed, Self::Discovery];
}

named!(Profile { Raw = "raw", Detailed = "detailed", Discovery = "discovery" });

/// A view: a profile, and what is asked for besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View<'v> {
    /// How much is shown.
    pub profile: Profile,
    /// Adds `start` and `end` (and `segment` in transcripts) to evidence.
    pub offsets: Option<OffsetUnit>,
    /// Adds `actant_flow` (SGM 1.5; shown for no other).
    pub flow: Option<FlowOptions<'v>>,
    /// Adds `temporal` (SGM 1.5; shown for no other).
    pub temporal: Option<TemporalOptions>,
}

impl View<'_> {
    /// Whether a reading of this protocol can be shown so. Doors ask before they sense.
    ///
    /// # Errors
    /// `invalid_request` with the place in a request: actant flow or temporal analysis of a protocol on SGM 1.0, an empty
    /// name of the primary role, a window that is not above 0.
    pub fn check(&self, protocol: &Protocol) -> Result<(), Error> {
        let asked = [
            (self.flow.is_some(), "v1_5.actant.analyze_flow", "actant flow"),
            (self.temporal.is_some(), "v1_5.temporal.analyze_dynamics", "temporal analysis"),
        ];
        if let Some((_, place, what)) =
            asked.into_iter().find(|(asked, ..)| *asked && protocol.sgm < Sgm::V1_5)
        {
            let Protocol { id, version, .. } = protocol;
            let message = format!(
                "`{id}@{version}` uses SGM {}, which has no {what}; use a protocol version with SGM 1.5",
                protocol.sgm.as_str()
            );
            return Err(Error::invalid(place, message));
        }
        if self.flow.and_then(|flow| flow.primary).is_some_and(|role| role.trim().is_empty()) {
            return Err(Error::invalid("v1_5.actant.primary", "the primary role is empty; name a role"));
        }
        if self.temporal.and_then(|temporal| temporal.window).is_some_and(|window| window <= Unit::ZERO) {
            let message = "the window must be longer than 0 seconds; write for example `60`";
            return Err(Error::invalid("v1_5.temporal.window_seconds", message));
        }
        Ok(())
    }

    /// Whether a reading of a metric or a blueprint can be shown so, as [`View::check`].
    ///
    /// # Errors
    /// `invalid_request` with the place in a request: actant flow and temporal analysis are of one protocol.
    pub fn check_composed(&self) -> Result<(), Error> {
        let (place, what) = match (self.flow, self.temporal) {
            (Some(_), _) => ("v1_5.actant.analyze_flow", "actant flow"),
            (None, Some(_)) => ("v1_5.temporal.analyze_dynamics", "temporal analysis"),
            (None, None) => return Ok(()),
        };
        let message = format!("{what} works with a protocol, not with a metric or blueprint");
        Err(Error::invalid(place, message))
    }
}
