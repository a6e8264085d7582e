//! Measuring a protocol on labelled interactions, in the order in which data passes:
//! what is asked, sensing, cases and their figures, markers, errors; then the forms in which all that is told.

pub(crate) mod gauge;
pub(crate) mod question;
pub(crate) mod sensed;
pub(crate) mod subject;

pub(crate) mod breakdown;
pub(crate) mod cases;
pub(crate) mod errors;
pub(crate) mod interval;
pub(crate) mod markers;
pub(crate) mod measure;

pub(crate) mod graded;
pub(crate) mod pairs;
pub(crate) mod spans;
mod spearman;

mod chart;
mod cited;
pub(crate) mod excerpt;
pub(crate) mod graded_html;
mod graded_result;
pub(crate) mod graded_text;
pub(crate) mod html;
pub(crate) mod pair_html;
mod pair_result;
pub(crate) mod pair_text;
pub(crate) mod result;
pub(crate) mod span_html;
mod span_result;
pub(crate) mod span_text;
mod talk;
pub(crate) mod text;
