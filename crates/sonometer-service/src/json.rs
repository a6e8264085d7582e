//! The JSON that is the service's own. Readings and comparisons are written by the engine.

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;
use sonometer::{Fidelity, TargetKind, Unit};

/// A number as the engine prints it, never by way of a float.
pub(crate) fn number<S: Serializer>(value: &Unit, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(value.to_string()).map_err(S::Error::custom)?.serialize(serializer)
}

pub(crate) fn optional_number<S: Serializer>(value: &Option<Unit>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// A JSON text without white space.
pub(crate) fn text(value: &impl Serialize) -> String {
    // Plain structs of texts and numbers always have a JSON form.
    serde_json::to_string(value).unwrap_or_default()
}

/// A count of units as a number.
pub(crate) fn whole(units: u64) -> Unit {
    Unit(i64::try_from(units).unwrap_or(i64::MAX).saturating_mul(1_000_000))
}

/// Whether content holds enough.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Sufficiency {
    /// Density times clarity, 0 to 1.
    #[serde(serialize_with = "number")]
    pub index: Unit,
    /// Whether that is enough for the target.
    pub sufficient: bool,
    /// How much there is of what is needed; on SGM 1.5.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    pub density: Option<Unit>,
    /// How much of it can be read; on SGM 1.5.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_number")]
    pub clarity: Option<Unit>,
    /// The roles that metamarkers ask for, if nobody has one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles_asked: Option<Vec<String>>,
    /// The roles that speak then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles_seen: Option<Vec<String>>,
}

impl From<Fidelity> for Sufficiency {
    fn from(fidelity: Fidelity) -> Self {
        let roles = fidelity.unheard.as_deref().cloned();
        let (roles_asked, roles_seen) = roles.map(|roles| (roles.asked, roles.seen)).unzip();
        let Fidelity { index, sufficient, .. } = fidelity;
        Self { index, sufficient, density: None, clarity: None, roles_asked, roles_seen }
    }
}

/// What was used (`target` in answers).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct TargetUsed {
    /// `protocol`, `metric` or `blueprint`.
    pub r#type: &'static str,
    /// Its id.
    pub id: String,
    /// The version that was used.
    pub version: String,
}

impl TargetUsed {
    pub(crate) fn new(kind: TargetKind, id: &str, version: &str) -> Self {
        Self { r#type: kind.as_str(), id: id.to_owned(), version: version.to_owned() }
    }
}

/// What an answer consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Price {
    pub(crate) consumed: u64,
    #[serde(serialize_with = "number")]
    pub(crate) cost_usd: Unit,
}
