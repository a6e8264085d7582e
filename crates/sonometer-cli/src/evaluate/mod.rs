//! Measuring a protocol on labelled interactions, in the order in which data passes:
//! what is asked, sensing, cases and their figures, markers, errors; then the forms in which all that is told.

pub(crate) mod question;
pub(crate) mod sensed;

pub(crate) mod breakdown;
pub(crate) mod cases;
pub(crate) mod errors;
pub(crate) mod interval;
pub(crate) mod markers;
pub(crate) mod measure;

pub(crate) mod spans;

mod chart;
pub(crate) mod excerpt;
pub(crate) mod html;
pub(crate) mod result;
pub(crate) mod span_html;
mod span_result;
pub(crate) mod span_text;
pub(crate) mod text;
