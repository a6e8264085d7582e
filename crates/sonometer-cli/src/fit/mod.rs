//! Weighted lists from labelled interactions, and the tuning of protocols that people wrote.
//!
//! The modules stand in the order in which data passes: candidate patterns, how often the engine finds each in every
//! interaction, a linear model fitted to that, the folds on which its settings are chosen and its figures measured, the
//! marker in millionths, the file.
//!
//! The same data and settings give the same file: orders are fixed, and models are made of additions, subtractions,
//! multiplications and divisions of IEEE 754 doubles only, which are the same on every machine.

pub(crate) mod data;

pub(crate) mod candidates;
pub(crate) mod export;
pub(crate) mod matrix;

pub(crate) mod learn;
mod solver;

pub(crate) mod folds;
pub(crate) mod measure;

pub(crate) mod scale;
pub(crate) mod write;

mod edit;
pub(crate) mod tune;

pub(crate) mod change;
pub(crate) mod report;

use sonometer::Interaction;

/// One labelled interaction.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    /// What is kept together on one side of every fold.
    pub(crate) group: String,
    pub(crate) interaction: Interaction,
    pub(crate) positive: bool,
}
