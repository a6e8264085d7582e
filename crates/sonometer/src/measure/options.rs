//! What a deployment sets around sensing.

use crate::error::Error;
use crate::mask::MaskKey;
use crate::protocol::{Mask, Modality, Protocol};
use crate::sensor::{Plan, Sensor};
use crate::unit::Unit;

/// What a deployment sets around sensing; nothing here changes what is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenseOptions {
    /// The price of one ICS in US dollars.
    pub usd_per_ics: Unit,
    /// Senses whatever the fidelity is (self tests of single lines).
    pub ignore_fidelity: bool,
    /// How masked places are shown, in the place of what their markers say. What has no mask stays as it is.
    pub mask: Option<Mask>,
    /// The key of `keyed` masks.
    pub mask_key: Option<MaskKey>,
}

impl SenseOptions {
    /// The same for tools that have no key: where a marker asks for one, every mask shows the label.
    #[must_use]
    pub fn without_key(self, sensors: &[Sensor]) -> Self {
        let asks = sensors.iter().any(|sensor| self.keyed_marker(sensor.protocol()).is_some());
        Self { mask: if asks { Some(Mask::Label) } else { self.mask }, ..self }
    }

    /// How a marker with this mask is hidden.
    pub(crate) fn mask_of(&self, mask: Mask) -> Mask {
        self.mask.unwrap_or(mask)
    }

    /// An error if a protocol cannot sense an interaction so: it does not read it, or a mask asks for a key that is not there.
    pub(crate) fn check(self, plan: &Plan, modality: Modality) -> Result<(), Error> {
        plan.check_modality(modality)?;
        // Most protocols mask nothing, and are not looked through for each message.
        if plan.has_masks || self.mask.is_some() { self.check_key(&plan.protocol) } else { Ok(()) }
    }

    /// An error if a mask asks for a key that is not there.
    fn check_key(&self, protocol: &Protocol) -> Result<(), Error> {
        let by = match (self.mask_key, self.mask, self.keyed_marker(protocol)) {
            (None, Some(Mask::Keyed), _) => "the mask `keyed`".to_owned(),
            (None, None, Some(label)) => format!("the mask `keyed` of `{label}` in `{}`", protocol.id),
            _ => return Ok(()),
        };
        let message = format!(
            "{by} needs a key; give one of 16 bytes or more, or ask for another mask, such as `label`"
        );
        Err(Error::invalid("mask_key", message))
    }

    /// A marker whose mask asks for a key that is not there.
    fn keyed_marker<'p>(&self, protocol: &'p Protocol) -> Option<&'p str> {
        let asks = |mask| self.mask_key.is_none() && self.mask_of(mask) == Mask::Keyed;
        let marker = protocol.markers.iter().find(|marker| marker.mask.is_some_and(asks));
        marker.map(|marker| marker.label.as_str())
    }
}
