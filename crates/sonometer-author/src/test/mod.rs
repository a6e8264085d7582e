//! The self tests of protocols, and what no self test needs.
//!
//! A [`Trial`] is one test; a [`Bench`] runs all of a protocol, then the protocol with one thing less at a time (a [`Mutant`]): what
//! every test passes without is what no test needs.

mod bench;
mod mutant;
mod place;
mod trial;
mod why;

pub use bench::{Bench, Outcome, Ran};
pub use mutant::{Change, Mutant, entries};
pub use place::Places;
pub use trial::{Broken, Trial};
pub use why::why;

use sonometer::{Error, Protocol};

/// How many tests a protocol has, and how many of them fail.
///
/// # Errors
/// Those of compiling and of sensing.
pub fn failures(protocol: &Protocol) -> Result<(usize, usize), Error> {
    let ran = Bench::of(protocol).run_tests()?;
    Ok((ran.len(), ran.iter().filter(|ran| !ran.broken.is_empty()).count()))
}
