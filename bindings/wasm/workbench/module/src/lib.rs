//! The WebAssembly module of the workbench page. It is the package's own (`sonometer-wasm`), linked, and beside it what only authors
//! of protocols need: completion and explanations, the ledger, the tests of a file, the changes that mend its findings, its normal form,
//! reports, evaluations and talks from files.
//!
//! It is a module of its own so that pages which only sense do not fetch all that. The level at which it is linked is that of
//! `sonometer-wasm-module`, for the reason that stands there.

mod assist;
mod judge;
mod mend;
mod show;
mod talk;
mod trials;

pub use assist::{complete, explain, section};
pub use judge::evaluate;
pub use mend::fixes;
pub use show::{ledger, overview, page};
pub use sonometer_wasm::*;
pub use talk::turns;
pub use trials::{format, tests};
