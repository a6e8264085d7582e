//! What leaves the service.

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// 200, or 202 for what is answered later.
    pub status: u16,
    /// The body: JSON.
    pub body: String,
    /// ICS consumed by this request; 0 for a repeated answer.
    pub consumed: u64,
    /// ICS left of the quota of the period.
    pub remaining: u64,
    /// Whether it was given before, under the same `Idempotency-Key`.
    pub replayed: bool,
}
