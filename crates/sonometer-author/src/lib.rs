//! What authors of protocols work with, without a terminal: the tests inside a file and what no test needs ([`test`]), the changes that
//! mend findings ([`fix`]), what an editor shows at a place ([`assist`]), the one normal form of a file ([`format()`]), and whether what a
//! file names can still change ([`frozen`]).
//!
//! The command `sonometer` draws what is found here, editors and the workbench page show it. Nothing here reads files.

pub mod assist;
pub mod fix;
mod format;
pub mod frozen;
pub mod test;

pub use format::{Refusal, format};

/// The code of the README compiles and says what it says.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
