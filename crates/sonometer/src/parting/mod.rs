//! Parting: where a turn can be read in pieces, each by itself, with nothing found but what the whole has.
//!
//! A session parts a turn that comes in, so that what is complete settles; a long turn is parted, so that it takes
//! little memory and only the pieces with a disguise are read a second time.

mod around;
mod classes;
mod frontier;
mod long;
#[cfg_attr(not(feature = "perf"), path = "no_reach.rs")]
mod reach;
mod twin;
mod watch;
mod ways;

pub(crate) use classes::{Classes, LOOK_BACK};
pub(crate) use frontier::{Cut, Frontier, Rules};
pub(crate) use long::each_piece;
pub(crate) use watch::Watch;
pub(crate) use ways::{Blind, Known, Ways};
