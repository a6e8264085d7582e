//! What every call does: clears what it gives out, works behind a wall that panics do not pass, tells what went wrong.

use crate::error::Error;
use crate::raw;
use crate::status::Status;
use sonometer::ErrorCode;
use sonometer::stage::{Mismatch, Refused};
use sonometer_card::BadKey;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a call came to nothing: what the engine says, with the number of this door.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) place: String,
}

impl From<sonometer::Error> for Failure {
    fn from(error: sonometer::Error) -> Self {
        let sonometer::Error { code, message, place, .. } = error;
        Self { status: code.into(), code: code.as_str(), message, place }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        let status = match refused {
            Refused::Closed => Status::DiveClosed,
            Refused::TooLong { .. } => Status::ActionTooLong,
        };
        Self { status, code: refused.code(), message: refused.to_string(), place: "action".into() }
    }
}

impl From<Mismatch> for Failure {
    fn from(wrong: Mismatch) -> Self {
        let Mismatch { place, message } = wrong;
        Self { status: Status::CardMismatch, code: Mismatch::CODE, message, place }
    }
}

impl From<BadKey> for Failure {
    fn from(wrong: BadKey) -> Self {
        let place = wrong.place();
        Self { status: Status::InvalidKey, code: BadKey::CODE, message: wrong.message, place }
    }
}

impl Failure {
    /// A mistake in the call itself, at the argument `place`.
    pub(crate) fn argument(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(Status::InvalidArgument, place, message)
    }

    /// An input of the wrong shape, at `place`; `status` says more than the engine's code.
    pub(crate) fn invalid(status: Status, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { status, ..sonometer::Error::invalid(place, message).into() }
    }

    fn panic(said: &str) -> Self {
        let message = format!("the engine panicked ({said}); please report it as a bug");
        Self { status: Status::Panic, ..sonometer::Error::new(ErrorCode::Internal, "", message).into() }
    }
}

/// Does the work; a panic in it is a failure like others.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // Targets and interactions never change, so a panic cannot leave one half done.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Failure::panic(said.unwrap_or("no panic message")))
    })
}

/// A call that gives out one handle.
///
/// # Safety
/// `out` and `error` are NULL or may be written to.
pub(crate) unsafe fn give<T>(
    out: *mut *mut T,
    error: *mut *mut Error,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Status {
    // SAFETY: as the caller says.
    let there = unsafe { raw::clear(out) };
    let work = || {
        if there {
            work()
        } else {
            Err(Failure::argument("out", "`out` is NULL; give a place for the result"))
        }
    };
    let keep = |made| {
        // SAFETY: as the caller says.
        unsafe { raw::put(out, made) }
    };
    // SAFETY: as the caller says.
    unsafe { settle(error, work, keep) }
}

/// A call that gives what it makes to `keep`.
///
/// # Safety
/// `error` is NULL or may be written to.
pub(crate) unsafe fn settle<T>(
    error: *mut *mut Error,
    work: impl FnOnce() -> Result<T, Failure>,
    keep: impl FnOnce(T),
) -> Status {
    // SAFETY: as the caller says.
    unsafe { raw::clear(error) };
    match guarded(work) {
        Ok(made) => {
            keep(made);
            Status::Ok
        }
        Err(failure) => {
            let status = failure.status;
            // SAFETY: as the caller says.
            unsafe { raw::put(error, Error::of(&failure)) };
            status
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn a_panic_becomes_a_status_and_a_message() {
        let mut out: *mut u32 = ptr::dangling_mut();
        let mut error: *mut Error = ptr::dangling_mut();
        let none: Option<u32> = std::env::args().nth(1_000_000).map(|_| 7);
        // SAFETY: both are places on this stack.
        let status = unsafe { give(&mut out, &mut error, || Ok(none.expect("no number"))) };
        assert_eq!(status, Status::Panic);
        assert!(out.is_null());
        // SAFETY: `give` has put an error there.
        let told = unsafe { Box::from_raw(error) };
        assert!(told.message().to_string_lossy().contains("no number"), "{told:?}");
        assert_eq!(told.code().to_str(), Ok("internal_error"));
    }

    #[test]
    fn without_a_place_for_the_error_there_is_still_a_status() {
        let mut out: *mut u32 = ptr::null_mut();
        // SAFETY: `out` is a place on this stack, NULL is allowed.
        let status = unsafe { give(&mut out, ptr::null_mut(), || Err(Failure::argument("x", "wrong"))) };
        assert_eq!((status, out.is_null()), (Status::InvalidArgument, true));
    }
}
