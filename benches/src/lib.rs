//! What the engine is measured on, and against.
//!
//! The text is real dialogue where the data folder is at hand and text of our own grammar elsewhere ([`corpus`]); the
//! pattern sets are drawn from that text ([`patterns`]); the reference is a plain multi-pattern search over the same
//! phrases ([`baseline`]) whose answer is checked against the evidence ([`agreement`]), and so are those of other
//! engines ([`peers`], [`vectorscan`]). [`table`] has the parts of the table of speed.

pub mod agreement;
pub mod baseline;
pub mod corpus;
pub mod gap_regex;
pub mod grammar;
pub mod growth;
pub mod patterns;
pub mod peers;
pub mod plot;
pub mod process;
pub mod random;
pub mod row;
pub mod table;
pub mod timing;
pub mod vectorscan;
pub mod workload;
