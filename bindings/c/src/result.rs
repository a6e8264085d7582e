//! Results: the engine's own bytes.

use crate::door;
use crate::error::Error;
use crate::raw::{self, Ended};
use crate::status::Status;
use sonometer::session::Released;
use std::ffi::c_char;

/// A result: the canonical JSON of a reading, a comparison or a step, or what else a call gives out as text. Free it with
/// `snm_result_free`.
#[derive(Debug)]
pub struct Outcome {
    bytes: Ended,
    /// What a step lets go.
    released: Vec<Released>,
}

impl From<String> for Outcome {
    fn from(json: String) -> Self {
        Self::of_step(json, Vec::new())
    }
}

impl Outcome {
    pub(crate) fn of_step(json: String, released: Vec<Released>) -> Self {
        Self { bytes: json.into(), released }
    }
}

/// The bytes of a result, valid until it is freed; their number goes to `len` unless that is NULL. A NUL, which is not
/// counted, follows them; JSON has none in it. NULL and 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_result_bytes(result: *const Outcome, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a live result, by the rules of the header.
    let bytes = unsafe { result.as_ref() }.map(|result| &result.bytes);
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(bytes, len) }
}

/// The text that a step of a session lets go, masked where it is private: `at` counts its parts from 0, one for each segment
/// that has any. Its bytes, not ended by a NUL and valid until the result is freed; their number goes to `len`, the segment to
/// `segment`, unless these are NULL. NULL and 0 where there is no such part.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_result_released(
    result: *const Outcome,
    at: usize,
    segment: *mut usize,
    len: *mut usize,
) -> *const c_char {
    // SAFETY: NULL or a live result, by the rules of the header.
    let part = unsafe { result.as_ref() }.and_then(|result| result.released.get(at));
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::write(segment, part.map_or(0, |part| part.segment)) };
    // SAFETY: as above.
    unsafe { raw::write(len, part.map_or(0, |part| part.text.len())) };
    part.map_or(std::ptr::null(), |part| part.text.as_ptr().cast())
}

/// Frees a result. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_result_free(result: *mut Outcome) {
    // SAFETY: NULL or a result that the caller gives back, by the rules of the header.
    unsafe { raw::free(result) }
}

/// The engine's fingerprint: its version and that of every table that can move a result. Equal fingerprints give equal bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_fingerprint(out: *mut *mut Outcome, error: *mut *mut Error) -> Status {
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, || Ok(sonometer::fingerprint().into())) }
}
