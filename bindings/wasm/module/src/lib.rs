//! The WebAssembly module: `sonometer-wasm`, linked, and nothing else.
//!
//! Whole programs are optimised where they are linked, at the level of the crate that is linked last. That is level 2, so that the
//! functions under `optimize(speed)` get loops over 16 bytes at a time; all others say themselves that they are to be small, and so
//! must those of `sonometer-wasm`. A crate has one level, hence this one.

pub use sonometer_wasm::*;
