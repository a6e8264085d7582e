//! Sensing one interaction.

use crate::door;
use crate::error::Error;
use crate::interaction::Talk;
use crate::options::{self, Options};
use crate::raw;
use crate::result::Outcome;
use crate::status::Status;
use crate::target::Target;

/// Whether there is enough to measure. Numbers are in millionths.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Sufficiency {
    /// Density times clarity, 0 to 1,000,000.
    pub index: i64,
    /// The least satisfied need: words, turns, words of a role; 0 to 1,000,000.
    pub density: i64,
    /// The readable share of the words, damped where they are of another language; 0 to 1,000,000.
    pub clarity: i64,
    /// Whether the index reaches what the target asks for.
    pub sufficient: bool,
}

/// Measures an interaction. The result is the canonical JSON of the reading. Content that is insufficient gives a reading
/// too, which says so and reports nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_sense(
    target: *const Target,
    interaction: *const Talk,
    options: *const Options,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let target = unsafe { raw::borrow(target, "target") }?;
        // SAFETY: as above.
        let talk = unsafe { raw::borrow(interaction, "interaction") }?;
        // SAFETY: options of the caller or NULL, by the rules of the header.
        let wanted = unsafe { options::read(options) }?;
        Ok(target.sense(&talk.interaction, &wanted)?.into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Whether an interaction holds enough for a reliable reading; costs no ICS.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_fidelity(
    target: *const Target,
    interaction: *const Talk,
    out: *mut Sufficiency,
    error: *mut *mut Error,
) -> Status {
    // SAFETY: a place for the struct or NULL, by the rules of the header.
    unsafe { raw::write(out, Sufficiency::default()) };
    let work = || {
        if out.is_null() {
            return Err(door::Failure::argument("out", "`out` is NULL; give a place for the result"));
        }
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let target = unsafe { raw::borrow(target, "target") }?;
        // SAFETY: as above.
        let talk = unsafe { raw::borrow(interaction, "interaction") }?;
        Ok(target.instrument.fidelity(&talk.interaction)?)
    };
    let keep = |found: sonometer::Fidelity| {
        let sonometer::Fidelity { index, sufficient, density, clarity, .. } = found;
        let found = Sufficiency { index: index.0, density: density.0, clarity: clarity.0, sufficient };
        // SAFETY: as above.
        unsafe { raw::write(out, found) };
    };
    // SAFETY: a place for a handle or NULL, by the rules of the header.
    unsafe { door::settle(error, work, keep) }
}

/// Measures two interactions and what lies between them. The result is the canonical JSON of the comparison; of the options
/// only the price counts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_compare(
    target: *const Target,
    a: *const Talk,
    b: *const Talk,
    options: *const Options,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let target = unsafe { raw::borrow(target, "target") }?;
        // SAFETY: as above.
        let a = unsafe { raw::borrow(a, "a") }?;
        // SAFETY: as above.
        let b = unsafe { raw::borrow(b, "b") }?;
        // SAFETY: options of the caller or NULL, by the rules of the header.
        let wanted = unsafe { options::read(options) }?;
        let compared = target.instrument.compare(&a.interaction, &b.interaction, wanted.sense)?;
        Ok(compared.to_json().into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}
