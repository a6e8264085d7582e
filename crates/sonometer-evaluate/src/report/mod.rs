//! What evaluations and fits came to, as values and in every form: JSON, text, a page.

mod chart;
mod choices;
mod classes;
mod common;
mod fitted;
mod grades;
mod languages;
mod pairs;
mod spans;

use crate::evaluate::choices::{self as of_choices, ChoiceEvaluation};
use crate::evaluate::graded::GradedEvaluation;
use crate::evaluate::measure::{self, Estimate};
use crate::evaluate::pairs::{self as of_pairs, PairEvaluation};
use crate::evaluate::question::Scope;
use crate::evaluate::result::{Data, Evaluation};
use crate::evaluate::spans::{self as of_places, SpanEvaluation};
pub(crate) use common::places;
use serde::Serialize;
use sonometer_report::{Paint, Sheet, json};

/// What an evaluation found. [`Serialize`] writes what `sonometer evaluate --json` prints.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Report(pub(crate) Found);

/// The five kinds.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Found {
    /// Items by the marker that holds.
    Choices(ChoiceEvaluation),
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
    /// What was judged: `whole`, `segments`, `spans`, `choice`, `graded` or `pairs`.
    pub fn kind(&self) -> &'static str {
        match &self.0 {
            Found::Choices(_) => "choice",
            Found::Classes(own) => own.question.scope.as_str(),
            Found::Grades(_) => "graded",
            Found::Pairs(_) => "pairs",
            Found::Places(_) => Scope::Spans.as_str(),
        }
    }

    /// What was evaluated on what.
    pub fn data(&self) -> &Data {
        match &self.0 {
            Found::Choices(own) => &own.data,
            Found::Classes(own) => &own.data,
            Found::Grades(own) => &own.data,
            Found::Pairs(own) => &own.data,
            Found::Places(own) => &own.data,
        }
    }

    /// A figure on all cases by its name in JSON: `f1`, `auc`, `exact_recall`, `spearman`, `accuracy`; `None` where it is not
    /// defined, or none of this kind of evaluation.
    pub fn figure(&self, name: &str) -> Option<Estimate> {
        let at = |names: &[&str], all: &[Option<Estimate>]| all[names.iter().position(|own| *own == name)?];
        match &self.0 {
            Found::Choices(own) => at(&of_choices::FIGURES, &own.figures.estimates),
            Found::Classes(own) => at(&measure::FIGURES, &own.figures.estimates),
            Found::Grades(own) => own.correlation.filter(|_| name == "spearman"),
            Found::Pairs(own) => at(&of_pairs::FIGURES, &own.figures.estimates),
            Found::Places(own) => at(&of_places::FIGURES, &own.all.1),
        }
    }

    /// What the reader should know before trusting the figures.
    pub fn notes(&self) -> &[String] {
        match &self.0 {
            Found::Choices(own) => &own.notes,
            Found::Classes(own) => &own.notes,
            Found::Grades(own) => &own.notes,
            Found::Pairs(own) => &own.notes,
            Found::Places(own) => &own.notes,
        }
    }

    /// One line of JSON, without its line break. Keys always stand in the same order.
    pub fn to_json(&self) -> String {
        json::text(self)
    }

    /// What text and page show.
    pub fn sheet(&self) -> Sheet<'_> {
        match &self.0 {
            Found::Choices(own) => choices::sheet(own),
            Found::Classes(own) => classes::sheet(own),
            Found::Grades(own) => grades::sheet(own),
            Found::Pairs(own) => pairs::sheet(own),
            Found::Places(own) => spans::sheet(own),
        }
    }

    /// Tables for people.
    pub fn to_text(&self, paint: &Paint) -> String {
        self.sheet().to_text(paint)
    }

    /// A page with curves, tables and the errors with their evidence; it needs no network.
    pub fn to_html(&self) -> String {
        self.sheet().to_html()
    }
}
