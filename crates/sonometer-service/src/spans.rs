//! Where the time of a request goes, as spans of `tracing`: who wants them sent somewhere takes those of this target. They hold
//! names, counts and ids; never texts of callers, tokens or keys.
//!
//! - `queue.wait`: waiting for a place in a queue, which `queue` names.
//! - `engine`: reading or measuring; `steps` is what it takes at worst.
//! - `store.token`, `store.answer`, `store.charge`: asking the database for a token or a former answer, and charging.
//! - `job`: one job, by its `id`, in a trace of its own.

/// The target of all spans.
pub const SPANS: &str = "sonometer_spans";
