//! The JSON that is the service's own. Readings and comparisons are written by the engine.

use sonometer::{TargetKind, Unit};
pub(crate) use sonometer_report::json::{Sufficiency, number, optional_number, text};

/// A count of units as a number.
pub(crate) fn whole(units: u64) -> Unit {
    Unit(i64::try_from(units).unwrap_or(i64::MAX).saturating_mul(1_000_000))
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
