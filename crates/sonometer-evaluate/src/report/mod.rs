//! What evaluations and fits came to, as values and in every form: JSON, text, a page.

mod bar;
mod chart;
mod evidence;
mod fit_text;
mod graded_html;
mod graded_text;
mod html;
mod ledger;
mod paint;
mod pair_html;
mod pair_text;
mod span_html;
mod span_text;
mod talk;
mod text;

pub use crate::evaluate::cited::{Cited, cited, full_name, named_resonance};
pub use crate::evaluate::subject::reference;
pub use bar::bar_parts;
pub use ledger::{reasons, render as ledger, signed};
pub use paint::{Paint, Tone, columns, fit, one_line, safe};

use crate::evaluate::graded::GradedEvaluation;
use crate::evaluate::pairs::PairEvaluation;
use crate::evaluate::result::Evaluation;
use crate::evaluate::spans::SpanEvaluation;
use crate::json;
use serde::Serialize;

/// What an evaluation found. Its [`Serialize`] writes what `sonometer evaluate --json` prints.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// Whole items or segments, by classes.
    Classes(Evaluation),
    /// Items by grades.
    Grades(GradedEvaluation),
    /// Pairs.
    Pairs(PairEvaluation),
    /// Places in texts.
    Places(SpanEvaluation),
}

impl Report {
    /// One line of JSON, without its line break. Keys always stand in the same order.
    pub fn to_json(&self) -> String {
        json::text(self)
    }

    /// Tables for people.
    pub fn to_text(&self, paint: &Paint) -> String {
        match self {
            Self::Classes(own) => text::render(paint, own),
            Self::Grades(own) => graded_text::render(paint, own),
            Self::Pairs(own) => pair_text::render(paint, own),
            Self::Places(own) => span_text::render(paint, own),
        }
    }

    /// A page with curves, tables and the errors with their evidence; it needs no network.
    pub fn to_html(&self) -> String {
        match self {
            Self::Classes(own) => html::page(own),
            Self::Grades(own) => graded_html::page(own),
            Self::Pairs(own) => pair_html::page(own),
            Self::Places(own) => span_html::page(own),
        }
    }

    /// What the reader should know before trusting the figures.
    pub fn notes(&self) -> &[String] {
        match self {
            Self::Classes(own) => &own.notes,
            Self::Grades(own) => &own.notes,
            Self::Pairs(own) => &own.notes,
            Self::Places(own) => &own.notes,
        }
    }
}
