//! The columns that a frame can have, with their types.

use arrow_schema::{DataType, Field, Fields};
use sonometer::{Error, Instrument};
use std::str::FromStr;

/// A column of what readings say. All are null for a row that is null or cannot be read; those of content are null, too, where it is
/// insufficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Column {
    /// `double`, 0 to 1; null where the content is insufficient.
    Score,
    /// `bool`: whether there is enough to measure.
    Sufficient,
    /// `double`, 0 to 1: the fidelity index.
    Fidelity,
    /// A struct of one `double` for each metamarker: its activation, 0 to 1.
    Resonance,
    /// `list<utf8>`: the metamarkers that triggered.
    Triggered,
    /// `list<struct<turn, start, end, metamarker, score, source>>`, in the order of the text. Of pieces over several turns, the place is
    /// that of the first.
    Evidence,
    /// `struct<spread, coherence, dominant_mode>`; of protocols on SGM 1.5.
    Signal,
    /// `struct<direction, balance, primary_driven, secondary_driven>`; of protocols on SGM 1.5.
    ActantFlow,
    /// `struct<trend, phase_shifts, levels>`; of protocols on SGM 1.5.
    Temporal,
    /// `struct<consumed, cost_usd>`: Interaction Computed Signals, the unit of billing, and their price.
    Ics,
    /// `utf8`: the canonical JSON of the reading, in the profile `detailed`.
    Json,
}

impl Column {
    /// Every column, in the order of this page.
    pub const ALL: [Self; 11] = [
        Self::Score,
        Self::Sufficient,
        Self::Fidelity,
        Self::Resonance,
        Self::Triggered,
        Self::Evidence,
        Self::Signal,
        Self::ActantFlow,
        Self::Temporal,
        Self::Ics,
        Self::Json,
    ];

    /// Its name in a table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Sufficient => "sufficient",
            Self::Fidelity => "fidelity",
            Self::Resonance => "resonance",
            Self::Triggered => "triggered",
            Self::Evidence => "evidence",
            Self::Signal => "signal",
            Self::ActantFlow => "actant_flow",
            Self::Temporal => "temporal",
            Self::Ics => "ics",
            Self::Json => "json",
        }
    }

    /// Its type for readings of an instrument.
    pub fn data_type(self, instrument: &Instrument) -> DataType {
        match self {
            Self::Score | Self::Fidelity => DataType::Float64,
            Self::Sufficient => DataType::Boolean,
            Self::Resonance => DataType::Struct(
                instrument.markers().map(|(key, _)| Field::new(key, DataType::Float64, true)).collect(),
            ),
            Self::Triggered => list(DataType::Utf8),
            Self::Evidence => list(DataType::Struct(evidence_fields())),
            Self::Signal => DataType::Struct(signal_fields()),
            Self::ActantFlow => DataType::Struct(flow_fields()),
            Self::Temporal => DataType::Struct(temporal_fields()),
            Self::Ics => DataType::Struct(ics_fields()),
            Self::Json => DataType::Utf8,
        }
    }

    pub(crate) fn field(self, instrument: &Instrument) -> Field {
        Field::new(self.as_str(), self.data_type(instrument), true)
    }
}

impl FromStr for Column {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|column| column.as_str() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            Error::invalid("columns", format!("there is no column `{name}`; columns are {names}"))
        })
    }
}

/// A list as the builders of arrow make it.
pub(crate) fn list(item: DataType) -> DataType {
    DataType::List(Field::new_list_field(item, true).into())
}

pub(crate) fn fields<const N: usize>(fields: [(&str, DataType); N]) -> Fields {
    fields.into_iter().map(|(name, kind)| Field::new(name, kind, true)).collect()
}

pub(crate) fn evidence_fields() -> Fields {
    fields([
        ("turn", DataType::UInt32),
        ("start", DataType::UInt32),
        ("end", DataType::UInt32),
        ("metamarker", DataType::Utf8),
        ("score", DataType::Float64),
        ("source", DataType::Utf8),
    ])
}

pub(crate) fn signal_fields() -> Fields {
    fields([
        ("spread", DataType::Float64),
        ("coherence", DataType::Float64),
        ("dominant_mode", DataType::Utf8),
    ])
}

pub(crate) fn flow_fields() -> Fields {
    fields([
        ("direction", DataType::Utf8),
        ("balance", DataType::Float64),
        ("primary_driven", list(DataType::Utf8)),
        ("secondary_driven", list(DataType::Utf8)),
    ])
}

pub(crate) fn temporal_fields() -> Fields {
    fields([
        ("trend", DataType::Utf8),
        ("phase_shifts", DataType::UInt64),
        ("levels", list(DataType::Float64)),
    ])
}

pub(crate) fn ics_fields() -> Fields {
    fields([("consumed", DataType::UInt64), ("cost_usd", DataType::Float64)])
}
