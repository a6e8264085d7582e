//! Built-in classes (placeholder until the detectors land).
/// A class.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Number,
    Money,
    Percent,
    Date,
    Year,
    Ordinal,
    Time,
    Email,
    Url,
    Phone,
    Pan,
    Iban,
    Ip,
    Ssn,
    Zip,
}
