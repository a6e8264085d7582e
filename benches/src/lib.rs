//! What the engine is measured on, and against.
//!
//! The text is real dialogue where the data folder is at hand and text of our own grammar elsewhere ([`corpus`]); the
//! pattern sets are drawn from that text ([`patterns`]); the reference is a plain multi-pattern search over the same
//! phrases ([`baseline`]) whose answer is checked against the evidence ([`agreement`]).

pub mod agreement;
pub mod baseline;
pub mod corpus;
pub mod grammar;
pub mod patterns;
pub mod random;
pub mod workload;
