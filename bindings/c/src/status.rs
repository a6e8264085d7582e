//! The numbered outcome of a call.

use sonometer::ErrorCode;

/// How a call ended. The numbers stay; new ones may be added.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// The input has the wrong shape.
    InvalidRequest = 1,
    /// No such protocol, metric, blueprint or stage.
    TargetNotFound = 2,
    /// The content lacks sufficient signal (only of comparisons: a reading says so itself).
    InsufficientSignal = 3,
    /// The source of a protocol, metric, blueprint or stage has errors.
    InvalidProtocol = 4,
    /// The input is larger than the engine reads.
    PayloadTooLarge = 5,
    /// The engine says that it failed, which is a bug.
    InternalError = 6,
    /// An argument that no caller may give: NULL where something is needed, a number that means nothing.
    InvalidArgument = 7,
    /// A text is not UTF-8; the place is the first byte that is wrong.
    InvalidUtf8 = 8,
    /// The engine panicked, which is a bug. The panic was caught; what the call worked on can only be freed.
    Panic = 9,
    /// A card, a log or a saved dive does not hold; the place says where: `totals.score`, `step 3`, `line 2`.
    CardMismatch = 10,
    /// A text holds no keys; the place is its line.
    InvalidKey = 11,
    /// The world of the dive has ended; the dive is as it was.
    DiveClosed = 12,
    /// The action is longer than the stage takes; the dive is as it was.
    ActionTooLong = 13,
}

impl From<ErrorCode> for Status {
    fn from(code: ErrorCode) -> Self {
        match code {
            ErrorCode::InvalidRequest => Self::InvalidRequest,
            ErrorCode::TargetNotFound => Self::TargetNotFound,
            ErrorCode::InsufficientSignal => Self::InsufficientSignal,
            ErrorCode::InvalidProtocol => Self::InvalidProtocol,
            ErrorCode::PayloadTooLarge => Self::PayloadTooLarge,
            ErrorCode::Internal => Self::InternalError,
        }
    }
}
