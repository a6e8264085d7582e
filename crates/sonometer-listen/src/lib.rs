#![doc = include_str!("../README.md")]

mod descriptors;
mod rest;
mod serve;
mod socket;
mod stalls;

pub use descriptors::make_room_for;
pub use rest::{announced, drain};
pub use serve::{Bounds, serve};
pub use socket::prepare;
pub use stalls::Stalls;

use std::time::Duration;

/// How long a client may take nothing of an answer unless somebody sets another time.
pub const STALLED: Duration = Duration::from_secs(60);
