//! The error object.

use crate::door::Failure;
use crate::raw;
use crate::status::Status;
#[cfg(test)]
use std::ffi::CStr;
use std::ffi::{CString, c_char};

/// What went wrong: a code, a message that says how to mend it, and a place in the input. Free it with `snm_error_free`.
#[derive(Debug)]
pub struct Error {
    status: Status,
    code: CString,
    message: CString,
    place: CString,
    json: CString,
}

impl Error {
    pub(crate) fn of(failure: &Failure) -> Self {
        let Failure { status, code, message, place } = failure;
        Self {
            status: *status,
            code: ended((*code).to_owned()),
            // What a message quotes from the input may hold a NUL, which would end the text for C.
            message: ended(message.replace('\0', "\u{2400}")),
            place: ended(place.replace('\0', "\u{2400}")),
            json: ended(sonometer::error::to_json(code, message, place)),
        }
    }

    #[cfg(test)]
    pub(crate) fn message(&self) -> &CStr {
        &self.message
    }

    #[cfg(test)]
    pub(crate) fn code(&self) -> &CStr {
        &self.code
    }
}

fn ended(text: String) -> CString {
    // Nobody gives a NUL: codes have none, JSON escapes it, and the others are cleared of it.
    CString::new(text).unwrap_or_default()
}

/// The status that the call returned; `SNM_STATUS_OK` for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_error_status(error: *const Error) -> Status {
    // SAFETY: NULL or a live error, by the rules of the header.
    unsafe { error.as_ref() }.map_or(Status::Ok, |error| error.status)
}

/// The machine-readable code, such as `invalid_request`. Ended by a NUL, valid until the error is freed; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_error_code(error: *const Error) -> *const c_char {
    // SAFETY: NULL or a live error, by the rules of the header.
    said(unsafe { error.as_ref() }, |error| &error.code)
}

/// What is wrong and how to fix it, for people. Ended by a NUL (one in the text is shown as U+2400), valid until the error
/// is freed; empty for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_error_message(error: *const Error) -> *const c_char {
    // SAFETY: NULL or a live error, by the rules of the header.
    said(unsafe { error.as_ref() }, |error| &error.message)
}

/// Where: a path in the input such as `segments[3].role`, `line 4, column 7`, `byte 17`, or the name of an argument; empty
/// where there is no place. Otherwise as `snm_error_message`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_error_place(error: *const Error) -> *const c_char {
    // SAFETY: NULL or a live error, by the rules of the header.
    said(unsafe { error.as_ref() }, |error| &error.place)
}

/// The same as one object, `{"code":…,"message":…,"place":…}`, written by the engine. Otherwise as `snm_error_message`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_error_json(error: *const Error) -> *const c_char {
    // SAFETY: NULL or a live error, by the rules of the header.
    said(unsafe { error.as_ref() }, |error| &error.json)
}

/// Frees an error. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_error_free(error: *mut Error) {
    // SAFETY: NULL or an error that the caller gives back, by the rules of the header.
    unsafe { raw::free(error) }
}

fn said(error: Option<&Error>, part: fn(&Error) -> &CString) -> *const c_char {
    error.map_or(c"", |error| part(error)).as_ptr()
}
