//! What to measure: protocol files, their phrase language, and the model they become.

pub mod model;
pub mod phrase;

pub use model::*;
