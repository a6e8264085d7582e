//! Dives: one run through a stage.

use crate::card::Card;
use crate::door::{self, Failure};
use crate::error::Error;
use crate::raw::{self, Ended, Text};
use crate::result::Outcome;
use crate::stage::Stage;
use crate::status::Status;
use sonometer::stage::{self, Agent, read_seed};
use std::ffi::c_char;
use std::mem::offset_of;

/// The largest seed, 2^53 − 1: every client of JSON keeps it.
pub const SNM_MAX_SEED: u64 = 9_007_199_254_740_991;

/// One run through a stage. It belongs to one thread at a time. Free it with `snm_dive_free`, at its end or not.
#[derive(Debug)]
pub struct Dive {
    /// Nothing when the engine panicked in the middle of an action.
    live: Option<Box<stage::Dive>>,
    observation: Ended,
    chain: Ended,
    /// Of the last action, if there was one.
    log_line: Option<Ended>,
}

/// What only the caller knows when a dive is closed. Begin with `snm_closing closing = SNM_CLOSING_INIT;`. A text whose `data`
/// is NULL is not there.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Closing {
    /// `sizeof(snm_closing)`, by which the library knows what the program was built with.
    pub size: usize,
    /// The id under which the dive is known; needed.
    pub dive_id: Text,
    /// The caller's tag for its agent.
    pub agent: Text,
    /// The version of the agent; only with `agent`.
    pub agent_version: Text,
    /// The closing note of the diver.
    pub summary: Text,
}

/// The bytes that the first version had: no program knows fewer.
const FIRST: usize = offset_of!(Closing, summary) + size_of::<Text>();

impl Closing {
    /// # Safety
    /// `closing` is NULL or points at a struct of `size` bytes, as it says itself, and its texts live during the call.
    unsafe fn read(closing: *const Self) -> Result<stage::Closing, Failure> {
        if closing.is_null() {
            return Err(Failure::argument("closing", "`closing` is NULL; begin with SNM_CLOSING_INIT"));
        }
        // SAFETY: not NULL; the rest as the caller says. Every field may hold any bytes.
        let own = unsafe { raw::grown(closing, FIRST, "closing", "SNM_CLOSING_INIT") }?;
        // SAFETY: as the caller says of its texts.
        let dive_id = unsafe { said(own.dive_id, "closing.dive_id") }?;
        let missing = || Failure::argument("closing.dive_id", "`dive_id` is NULL; give the dive an id");
        let dive_id = dive_id.ok_or_else(missing)?;
        // SAFETY: as above.
        let id = unsafe { said(own.agent, "closing.agent") }?;
        // SAFETY: as above.
        let version = unsafe { said(own.agent_version, "closing.agent_version") }?;
        // SAFETY: as above.
        let summary = unsafe { said(own.summary, "closing.summary") }?;
        if id.is_none() && version.is_some() {
            let message = "`version` is set without `agent`; set `agent` as well";
            return Err(Failure::argument("closing.agent_version", message));
        }
        let agent = id.map(|id| Agent { id, version });
        Ok(stage::Closing { agent, summary, ..stage::Closing::practice(dive_id) })
    }
}

/// A text that may be missing.
///
/// # Safety
/// As [`raw::text`].
unsafe fn said(text: Text, name: &str) -> Result<Option<String>, Failure> {
    // SAFETY: as the caller says.
    let read = unsafe { raw::text(text.data, text.len, name) }?;
    Ok((!text.data.is_null()).then(|| read.to_owned()))
}

impl Dive {
    fn of(live: stage::Dive) -> Self {
        Self {
            observation: live.observation().to_json().into(),
            chain: live.chain().into(),
            log_line: None,
            live: Some(Box::new(live)),
        }
    }

    fn over() -> Failure {
        Failure::argument("dive", "the engine panicked in this dive; free it and resume from what was saved")
    }

    fn live(&self) -> Result<&stage::Dive, Failure> {
        self.live.as_deref().ok_or_else(Self::over)
    }

    /// Does something with the dive. It is away meanwhile, so that nobody finds one that a panic left half done.
    fn step<T>(&mut self, work: impl FnOnce(&mut stage::Dive) -> T) -> Result<T, Failure> {
        let mut live = self.live.take().ok_or_else(Self::over)?;
        let done = work(&mut live);
        self.live = Some(live);
        Ok(done)
    }

    fn act(&mut self, action: &str) -> Result<Outcome, Failure> {
        let (step, chain) = self.step(|live| live.act(action).map(|step| (step, live.chain())))??;
        self.observation = step.observation.to_json().into();
        self.log_line = Some(step.log_line(action, &chain).into());
        self.chain = chain.into();
        Ok(step.to_json().into())
    }
}

/// Opens a dive in a stage, which may be freed before the dive. The same stage, seed (0 to `SNM_MAX_SEED`) and actions give
/// the same bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_open(
    stage: *const Stage,
    seed: u64,
    out: *mut *mut Dive,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let stage = unsafe { raw::borrow(stage, "stage") }?;
        let seed = read_seed(&seed.to_string())?;
        Ok(Dive::of(stage.world.open(seed)))
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Goes on with a dive that `snm_dive_save` wrote, in the stage in which it was opened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_resume(
    stage: *const Stage,
    saved: *const c_char,
    saved_len: usize,
    out: *mut *mut Dive,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let stage = unsafe { raw::borrow(stage, "stage") }?;
        // SAFETY: a text of the caller, by the rules of the header.
        let saved = unsafe { raw::text(saved, saved_len, "saved") }?;
        Ok(Dive::of(stage.world.resume(saved)?))
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Takes one action of the agent. The result is a step: its JSON has the `observation`, the `totals` so far and, where the
/// stage shares it, the `reading` of the action. An action that is refused (`SNM_STATUS_DIVE_CLOSED`,
/// `SNM_STATUS_ACTION_TOO_LONG`) leaves the dive as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_act(
    dive: *mut Dive,
    action: *const c_char,
    action_len: usize,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle that only this thread uses, or NULL, by the rules of the header.
        let dive = unsafe { raw::borrow_mut(dive, "dive") }?;
        // SAFETY: a text of the caller, by the rules of the header.
        let action = unsafe { raw::text(action, action_len, "action") }?;
        dive.act(action)
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// What the world has shown last, as JSON: `done`, `turn`, `world`. The bytes are valid until the next action is taken or the
/// dive is freed; their number goes to `len` unless that is NULL. A NUL, which is not counted, follows them. NULL and 0 for
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_observation(dive: *const Dive, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a dive that only this thread uses, by the rules of the header.
    let text = unsafe { dive.as_ref() }.map(|dive| &dive.observation);
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// The head of the hash chain over actions and readings: 64 hexadecimal digits. Otherwise as `snm_dive_observation`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_chain(dive: *const Dive, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a dive that only this thread uses, by the rules of the header.
    let text = unsafe { dive.as_ref() }.map(|dive| &dive.chain);
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// The line of a log for the action that was taken last, as JSON without the line feed: these lines are what
/// `snm_card_replay` computes a card again from. NULL and 0 where no action was taken since the dive was opened or resumed.
/// Otherwise as `snm_dive_observation`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_log_line(dive: *const Dive, len: *mut usize) -> *const c_char {
    // SAFETY: NULL or a dive that only this thread uses, by the rules of the header.
    let text = unsafe { dive.as_ref() }.and_then(|dive| dive.log_line.as_ref());
    // SAFETY: NULL or a place for a number, by the rules of the header.
    unsafe { raw::show(text, len) }
}

/// Whether the world has ended and takes no action any more; true for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_done(dive: *const Dive) -> bool {
    // SAFETY: NULL or a dive that only this thread uses, by the rules of the header.
    let live = unsafe { dive.as_ref() }.and_then(|dive| dive.live.as_deref());
    live.is_none_or(|live| live.observation().done)
}

/// How many actions were taken; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_turn(dive: *const Dive) -> u32 {
    // SAFETY: NULL or a dive that only this thread uses, by the rules of the header.
    let live = unsafe { dive.as_ref() }.and_then(|dive| dive.live.as_deref());
    live.map_or(0, stage::Dive::turn)
}

/// The whole dive as JSON, from which `snm_dive_resume` goes on. It holds every text of the dive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_save(
    dive: *const Dive,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle that only this thread uses, or NULL, by the rules of the header.
        let dive = unsafe { raw::borrow(dive, "dive") }?;
        Ok(dive.live()?.to_json().into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Closes the dive, at its end or before: its card, unsigned. The same dive and the same `closing` give the same bytes, as
/// often as it is asked; the dive itself stays as it is and is freed as always.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_close(
    dive: *const Dive,
    closing: *const Closing,
    out: *mut *mut Card,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle that only this thread uses, or NULL, by the rules of the header.
        let dive = unsafe { raw::borrow(dive, "dive") }?;
        // SAFETY: a struct of the caller or NULL, by the rules of the header.
        let closing = unsafe { Closing::read(closing) }?;
        Ok(dive.live()?.close(&closing).into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Frees a dive. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_dive_free(dive: *mut Dive) {
    // SAFETY: NULL or a dive that the caller gives back, by the rules of the header.
    unsafe { raw::free(dive) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::stage::MAX_SEED;
    use sonometer_catalog::Shelf;

    const PROTOCOL: &str = r#"{"sonometer": 1, "id": "thanks", "version": "1.0", "taxonomy": "Signal",
        "status": "published", "language": "en", "fidelity": {"words": 1, "sufficient": 0.1},
        "markers": [{"label": "thanks", "strong": "thank you", "hit": "Thank you."}]}"#;
    const STAGE: &str = r#"{"sonometer_stage": 1, "id": "door", "version": "1.0", "protocol": "thanks",
        "objective": "Thank the porter.", "start": "hall", "checkpoints": {"thanked": "fired(thanks)"},
        "scenes": {"hall": {"world": "A porter holds the door.", "do": [
            {"when": "fired(thanks)", "go": "out", "world": "He nods."}, {"otherwise": "stay", "world": "He waits."}]},
            "out": {"end": true}}}"#;

    fn open() -> Dive {
        let shelf = Shelf::default().for_stages().read(&[PROTOCOL]).expect("reads");
        Dive::of(Stage::read(STAGE, &shelf).expect("reads").world.open(0))
    }

    #[test]
    fn the_largest_seed_is_the_engine_s() {
        assert_eq!(SNM_MAX_SEED, MAX_SEED);
    }

    #[test]
    fn a_panic_leaves_a_dive_that_is_over() {
        let mut dive = open();
        assert!(dive.act("Hello there.").is_ok());
        let panicked = door::guarded(|| dive.step(|_| panic!("in the middle")));
        assert_eq!(panicked.err().map(|failure| failure.status), Some(Status::Panic));
        let after = dive.act("Thank you.").expect_err("is over");
        assert_eq!((after.status, after.place.as_str()), (Status::InvalidArgument, "dive"));
        assert!(dive.live().is_err());
        // SAFETY: the dive is on this stack.
        assert!(unsafe { snm_dive_done(&dive) });
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut dive = open();
        dive.act("Thank you.").expect("is taken");
        let (chain, line) = (format!("{:?}", dive.chain), format!("{:?}", dive.log_line));
        let refused = dive.act("And again.").expect_err("is refused");
        assert_eq!((refused.status, refused.place.as_str()), (Status::DiveClosed, "action"));
        assert_eq!((format!("{:?}", dive.chain), format!("{:?}", dive.log_line)), (chain, line));
    }
}
