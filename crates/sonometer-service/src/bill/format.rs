//! Rows of the ledger as bytes: CSV, JSON lines, Parquet.

use super::entry::Entry;
use crate::json::text;
use crate::period::iso;
use crate::refusal::Refusal;
use crate::store::LedgerRow;
use crate::token::Mode;

/// What an export is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// RFC 4180, with a head; no value where something is not known.
    Csv,
    /// An object in each line, as on the pages.
    JsonLines,
    /// Columns; only in builds with the feature `parquet`.
    Parquet,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Csv, Self::JsonLines, Self::Parquet];
    /// Their names.
    pub const NAMES: [&'static str; 3] = ["csv", "jsonl", "parquet"];

    /// The one of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// Its name, which is also how its files end.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Its media type.
    #[must_use]
    pub fn media(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::JsonLines => "application/jsonl",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }

    /// Whether this build can write it.
    ///
    /// # Errors
    /// `invalid_request` if it cannot.
    pub fn check(self) -> Result<(), Refusal> {
        if self == Self::Parquet && !cfg!(feature = "parquet") {
            let message = "this build of the service does not write Parquet; write `csv` or `jsonl`";
            return Err(Refusal::invalid("format", message));
        }
        Ok(())
    }
}

/// The columns of a table, in their order.
pub(super) const COLUMNS: [&str; 17] = [
    "timestamp",
    "period",
    "request_id",
    "charge_id",
    "line",
    "token_id",
    "mode",
    "kind",
    "target_type",
    "target_id",
    "target_version",
    "target_digest",
    "ics_consumed",
    "metamarkers",
    "overage_ics",
    "cost_usd",
    "idempotency_key",
];

/// Writes an export piece by piece.
pub struct Writer {
    mode: Mode,
    inner: Inner,
}

enum Inner {
    Csv {
        headed: bool,
    },
    JsonLines,
    #[cfg(feature = "parquet")]
    Parquet(Box<super::columns::Columns>),
}

fn broken(error: impl std::fmt::Display) -> Refusal {
    Refusal::internal(&format!("an export cannot be written: {error}"))
}

impl Writer {
    /// For an account of a mode.
    ///
    /// # Errors
    /// As [`Format::check`].
    pub fn new(format: Format, mode: Mode) -> Result<Self, Refusal> {
        format.check()?;
        let inner = match format {
            Format::Csv => Inner::Csv { headed: false },
            Format::JsonLines => Inner::JsonLines,
            #[cfg(feature = "parquet")]
            Format::Parquet => Inner::Parquet(Box::new(super::columns::Columns::new().map_err(broken)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(Refusal::internal("Parquet is not in this build")),
        };
        Ok(Self { mode, inner })
    }

    /// The bytes of the next rows; may be none, where they wait for more.
    ///
    /// # Errors
    /// `internal`.
    pub fn rows(&mut self, rows: &[LedgerRow]) -> Result<Vec<u8>, Refusal> {
        let mode = self.mode;
        match &mut self.inner {
            Inner::Csv { headed } => csv(rows, mode, !std::mem::replace(headed, true)).map_err(broken),
            Inner::JsonLines => {
                let lines = rows.iter().map(|row| text(&Entry::of(row, mode)) + "\n");
                Ok(lines.collect::<String>().into_bytes())
            }
            #[cfg(feature = "parquet")]
            Inner::Parquet(columns) => columns.rows(rows, mode).map_err(broken),
        }
    }

    /// The bytes behind the last row.
    ///
    /// # Errors
    /// `internal`.
    pub fn end(self) -> Result<Vec<u8>, Refusal> {
        match self.inner {
            // An export without rows has a head all the same.
            Inner::Csv { headed: false } => csv(&[], self.mode, true).map_err(broken),
            Inner::Csv { headed: true } | Inner::JsonLines => Ok(Vec::new()),
            #[cfg(feature = "parquet")]
            Inner::Parquet(columns) => columns.end().map_err(broken),
        }
    }
}

fn csv(rows: &[LedgerRow], mode: Mode, head: bool) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    if head {
        writer.write_record(COLUMNS)?;
    }
    for row in rows {
        let [line, units, overage] = [row.line, row.units, row.overage].map(|number| number.to_string());
        let (at, cost) = (iso(row.at_ms), row.cost_usd.to_string());
        writer.write_record([
            &*at,
            &row.period,
            &row.request,
            &row.charge,
            &line,
            &row.token,
            mode.as_str(),
            &row.kind,
            &row.target_type,
            &row.target_id,
            &row.target_version,
            &row.target_digest,
            &units,
            &row.markers,
            &overage,
            &cost,
            &row.key,
        ])?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
