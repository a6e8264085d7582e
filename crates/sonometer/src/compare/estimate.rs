//! What sensing will cost, before it is done: ICS for a length and a modality.
//!
//! All three figures come out of the target. The least is 0: content in which nothing is found, or that is insufficient,
//! costs nothing. The most is the number of markers that can trigger in that modality at all. The typical one is the
//! number expected from how often each marker triggered in texts that were measured ([`Rates`]); without such a
//! measurement it is the most, so that nobody is surprised by a bill.

use crate::error::Error;
use crate::instrument::Instrument;
use crate::json::Json;
use crate::protocol::{Marker, Modality, Protocol};
use crate::sensor::Sensor;
use crate::unit::Unit;

/// How often markers triggered in texts that were measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// The code points of all these texts together.
    pub characters: u64,
    /// By label, in how many texts the marker triggered; a label that is missing: in none.
    pub triggered: Vec<(String, u64)>,
}

/// ICS to be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The least.
    pub min: u64,
    /// The most.
    pub max: u64,
    /// What is usual, from 0 to the most.
    pub typical: Unit,
    /// Whether `typical` was measured; if not, it is the most.
    pub measured: bool,
}

impl Instrument {
    /// What content of so many code points will cost; `rates` gives for a protocol how often its markers trigger, where that
    /// was measured. A marker that several parts share counts once.
    ///
    /// # Errors
    /// `invalid_request` if one of the protocols does not support the modality.
    pub fn estimate(
        &self,
        characters: u64,
        modality: Modality,
        rates: impl Fn(&Protocol) -> Option<Rates>,
    ) -> Result<Estimate, Error> {
        let sensors = self.sensors();
        sensors.iter().try_for_each(|sensor| sensor.plan().check_modality(modality))?;
        let mut sum = Estimate { min: 0, max: 0, typical: Unit::ZERO, measured: true };
        // One that is certainly insufficient for a protocol costs nothing at all.
        if !sensors.iter().all(|sensor| may_suffice(sensor, characters)) {
            return Ok(sum);
        }
        for sensor in sensors {
            let rates = rates(sensor.protocol());
            sum.measured &= rates.is_some();
            for marker in sensor.protocol().markers.iter().filter(|marker| is_reachable(marker, modality)) {
                sum.max += 1;
                sum.typical.0 += match &rates {
                    Some(rates) => rates.expected(&marker.label, characters).0,
                    None => Unit::ONE.0,
                };
            }
        }
        Ok(sum)
    }
}

impl Rates {
    /// How probable it is that a marker triggers in so many code points: in proportion to the length, at most 1.
    fn expected(&self, label: &str, characters: u64) -> Unit {
        let count = self.triggered.iter().find(|(of, _)| of == label).map_or(0, |(_, count)| *count);
        if self.characters == 0 {
            return Unit::ZERO;
        }
        // So long a text that the product leaves the range has long reached 1.
        let expected = i128::from(count).saturating_mul(characters.into()).min(1 << 90);
        if expected >= i128::from(self.characters) {
            return Unit::ONE;
        }
        Unit::ratio(expected, self.characters.into())
    }
}

/// Whether content of this length can hold enough: every word has at least one character.
fn may_suffice(sensor: &Sensor, characters: u64) -> bool {
    let needs = &sensor.protocol().fidelity;
    let density = Unit::ratio(characters.min(u64::from(u32::MAX)).into(), needs.words.into()).clamp_to_one();
    characters > 0 && density >= needs.sufficient
}

/// Whether a marker can trigger in content of this kind: in a text nobody has a role.
fn is_reachable(marker: &Marker, modality: Modality) -> bool {
    if matches!(modality, Modality::Transcript | Modality::Audio) {
        return true;
    }
    let companions = [&marker.after, &marker.before].into_iter().flatten();
    let mut roles = companions
        .map(|companion| &companion.by)
        .chain(marker.share.iter().map(|share| &share.by))
        .chain(marker.absence.iter().filter_map(|absence| absence.when.as_ref()).map(|when| &when.by))
        .chain(marker.ratio.iter().map(|ratio| &ratio.by));
    // Of something not said, `by` names who does not say it.
    (marker.by.is_empty() || marker.absence.is_some()) && roles.all(|by| by.is_empty())
}

impl Estimate {
    /// The canonical JSON of the ICS and what they cost at `usd_per_ics`: `estimated_ics` and `estimated_cost_usd`, each
    /// with `min`, `max`, `typical`.
    pub fn to_json(&self, usd_per_ics: Unit) -> String {
        let cost = |ics: Unit| ics.times(usd_per_ics);
        let whole = |count: u64| Unit(i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(1_000_000));
        let (min, max) = (whole(self.min), whole(self.max));
        let mut json = Json::default();
        let three = |json: &mut Json, [min, max, typical]: [Unit; 3]| {
            json.object(|json| {
                json.key("min").number(min);
                json.key("max").number(max);
                json.key("typical").number(typical);
            });
        };
        json.object(|json| {
            three(json.key("estimated_ics"), [min, max, self.typical]);
            three(json.key("estimated_cost_usd"), [min, max, self.typical].map(cost));
        });
        json.into_text()
    }
}
