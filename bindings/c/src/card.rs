//! Cards: what a dive came to, for whoever wants to check it.

use crate::door;
use crate::error::Error;
use crate::key::Key;
use crate::raw::{self, Ended};
use crate::result::Outcome;
use crate::stage::Stage;
use crate::status::Status;
use sonometer::stage::{self, Action, replay};
use sonometer_card::{Keys, check, envelope, sign, statement};
use std::ffi::c_char;

/// The card of a closed dive. It never changes: any number of threads may use one at the same time. Free it with
/// `snm_card_free`.
#[derive(Debug)]
pub struct Card {
    card: stage::Card,
    json: Ended,
}

impl From<stage::Card> for Card {
    fn from(card: stage::Card) -> Self {
        Self { json: card.to_json().into(), card }
    }
}

/// Reads a card, strictly: every key, its canonical form, its sums. Whether it was signed and whether it is true is asked with
/// `snm_card_verify` and `snm_card_replay`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_card_read(
    text: *const c_char,
    text_len: usize,
    out: *mut *mut Card,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a text of the caller, by the rules of the header.
        let text = unsafe { raw::text(text, text_len, "text") }?;
        Ok(stage::Card::read(text)?.into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// The canonical JSON of a card, with its signature if there is one. The bytes are valid until the card is freed; their number
/// goes to `len` unless that is NULL. A NUL, which is not counted, follows them. NULL and 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_card_json(card: *const Card, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a live card, by the rules of the header.
    let text = unsafe { card.as_ref() }.map(|card| &card.json);
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// Whether the card says that the dive was passed; false for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_card_passed(card: *const Card) -> bool {
    // SAFETY: NULL or a live card, by the rules of the header.
    unsafe { card.as_ref() }.is_some_and(|card| card.card.verdict.passed)
}

/// The card with a signature by a key. A signature that is there is replaced. The same card and key give the same bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_card_sign(
    card: *const Card,
    key: *const Key,
    out: *mut *mut Card,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let card = unsafe { raw::borrow(card, "card") }?;
        // SAFETY: as above.
        let key = unsafe { raw::borrow(key, "key") }?;
        Ok(sign(&card.card, &key.key).into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Checks the signature of a card against the public keys that may have signed it: a text with one a line, 64 hexadecimal
/// digits; blank lines and lines that begin with `#` are skipped. `SNM_STATUS_CARD_MISMATCH` says that it does not hold.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_card_verify(
    card: *const Card,
    keys: *const c_char,
    keys_len: usize,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let card = unsafe { raw::borrow(card, "card") }?;
        // SAFETY: a text of the caller, by the rules of the header.
        let keys = unsafe { raw::text(keys, keys_len, "keys") }?;
        Ok(check(&card.card, &Keys::read(keys)?)?)
    };
    // SAFETY: a place for a handle or NULL, by the rules of the header.
    unsafe { door::settle(error, work, |()| ()) }
}

/// Computes a card again from the log of its dive, one line an action as `snm_dive_log_line` gives them, and compares every
/// byte. `stage` is the one that was dived; NULL: the one that the card names, of those that ship.
/// `SNM_STATUS_CARD_MISMATCH` says that it does not hold; the place is the step or the key that differs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_card_replay(
    card: *const Card,
    stage: *const Stage,
    log: *const c_char,
    log_len: usize,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let card = &unsafe { raw::borrow(card, "card") }?.card;
        // SAFETY: a text of the caller, by the rules of the header.
        let log = Action::read_log(unsafe { raw::text(log, log_len, "log") }?)?;
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        match unsafe { stage.as_ref() } {
            Some(stage) => replay(&stage.world, card, &log)?,
            None => {
                let shipped = Stage::shipped(&format!("{}@{}", card.stage.id, card.stage.version))?;
                replay(&shipped.world, card, &log)?;
            }
        }
        Ok(())
    };
    // SAFETY: a place for a handle or NULL, by the rules of the header.
    unsafe { door::settle(error, work, |()| ()) }
}

/// The card for those who collect attestations: an in-toto statement, with a key in a DSSE envelope under its signature; bare
/// where `key` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_card_export(
    card: *const Card,
    key: *const Key,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let card = &unsafe { raw::borrow(card, "card") }?.card;
        // SAFETY: as above.
        let key = unsafe { key.as_ref() };
        Ok(key.map_or_else(|| statement(card), |key| envelope(card, &key.key)).into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Frees a card. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_card_free(card: *mut Card) {
    // SAFETY: NULL or a card that the caller gives back, by the rules of the header.
    unsafe { raw::free(card) }
}
