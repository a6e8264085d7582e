//! Sessions: an interaction that comes in bit by bit.

use crate::door::{self, Failure};
use crate::error::Error;
use crate::interaction::{Segment, time};
use crate::options::{self, Options, Wanted, placed};
use crate::raw;
use crate::result::Outcome;
use crate::status::Status;
use crate::target::Target;
use sonometer::session::{Place, SessionOptions, Step};
use sonometer::{FlowOptions, OffsetUnit, Session as Live, View};
use std::ffi::c_char;

/// One interaction that comes in. It belongs to one thread at a time. Free it with `snm_session_free`, finished or not.
#[derive(Debug)]
pub struct Session {
    /// Nothing when it is finished, or when the engine panicked in the middle of a call.
    live: Option<Box<Live>>,
    shown: Shown,
}

/// The view of what comes at the end, with a text of its own.
#[derive(Debug)]
struct Shown {
    view: View<'static>,
    flow: Option<Option<String>>,
}

impl Shown {
    fn of(view: View<'_>) -> Self {
        let View { profile, offsets, flow, temporal } = view;
        let flow = flow.map(|flow| flow.primary.map(str::to_owned));
        Self { view: View { profile, offsets, flow: None, temporal }, flow }
    }

    fn view(&self) -> View<'_> {
        let flow = self.flow.as_ref().map(|primary| FlowOptions { primary: primary.as_deref() });
        View { flow, ..self.view }
    }
}

/// A place in an interaction that comes in.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Settled {
    /// The segment, from 0; 0 in a plain text.
    pub segment: usize,
    /// How far into its content, in the unit of the session.
    pub offset: usize,
}

impl Session {
    fn open(target: &Target, wanted: &Wanted<'_>) -> Result<Self, sonometer::Error> {
        let unit = wanted.view.offsets.unwrap_or(OffsetUnit::Bytes);
        let options = SessionOptions { sense: wanted.sense, unit, release: wanted.release };
        target.instrument.check(wanted.view).map_err(placed)?;
        let live = target.instrument.session(options);
        Ok(Self { live: Some(Box::new(live)), shown: Shown::of(wanted.view) })
    }

    fn take(&mut self) -> Result<Box<Live>, Failure> {
        self.live
            .take()
            .ok_or_else(|| Failure::argument("session", "the session has ended; free it and open a new one"))
    }

    /// Does something with the session. It is away meanwhile, so that nobody finds one that a panic left half done.
    fn step(
        &mut self,
        work: impl FnOnce(&mut Live) -> Result<Step, sonometer::Error>,
    ) -> Result<Outcome, Failure> {
        let mut live = self.take()?;
        let step = work(&mut live);
        self.live = Some(live);
        Ok(step.map_err(placed)?.into())
    }
}

impl From<Step> for Outcome {
    fn from(step: Step) -> Self {
        let json = step.to_json();
        Self::of_step(json, step.released)
    }
}

/// Begins to sense an interaction that comes in bit by bit. Of the options, `offsets` is also the unit of all places in steps
/// (bytes where it is none), and `release` asks for the text that may be shown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_session_open(
    target: *const Target,
    options: *const Options,
    out: *mut *mut Session,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let target = unsafe { raw::borrow(target, "target") }?;
        // SAFETY: options of the caller or NULL, by the rules of the header.
        let wanted = unsafe { options::read(options) }?;
        Ok(Session::open(target, &wanted)?)
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Takes the next bytes of the text, or of the segment that was begun last. They may be cut anywhere, within a character too.
/// The result is a step: its JSON says how far everything is settled (`settled_to`: nothing before it can change any more), up to
/// where text may be shown (`released_to`), and what is new. Bytes that are refused are not taken, and the session goes on as if
/// they had not come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_session_push(
    session: *mut Session,
    bytes: *const c_char,
    len: usize,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle that only this thread uses, or NULL, by the rules of the header.
        let session = unsafe { raw::borrow_mut(session, "session") }?;
        // SAFETY: bytes of the caller, by the rules of the header.
        let chunk = unsafe { raw::list(bytes.cast::<u8>(), len, "bytes") }?;
        session.step(|live| live.push(chunk))
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Ends the segment that came in, if there is one, and begins another, at `timestamp` (millionths of a second, or
/// `SNM_NO_TIME`). The result is a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_session_begin_segment(
    session: *mut Session,
    role: *const c_char,
    role_len: usize,
    timestamp: i64,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle that only this thread uses, or NULL, by the rules of the header.
        let session = unsafe { raw::borrow_mut(session, "session") }?;
        // SAFETY: a text of the caller, by the rules of the header.
        let role = unsafe { raw::text(role, role_len, "role") }?;
        let timestamp = time(timestamp, "timestamp")?;
        session.step(|live| live.begin_segment(role, timestamp))
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Takes a whole segment. The result is a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_session_push_segment(
    session: *mut Session,
    segment: *const Segment,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle that only this thread uses, or NULL, by the rules of the header.
        let session = unsafe { raw::borrow_mut(session, "session") }?;
        // SAFETY: a struct of the caller or NULL, by the rules of the header.
        let segment = unsafe { segment.as_ref() };
        let segment =
            segment.ok_or_else(|| Failure::argument("segment", "`segment` is NULL; give a `snm_segment`"))?;
        // SAFETY: its texts are the caller's, by the rules of the header.
        let turn = unsafe { segment.read("segment") }?;
        session.step(|live| live.push_segment(turn))
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Says that nothing more comes: everything settles. The result is the last step. `snm_session_finish` need not wait for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_session_end(
    session: *mut Session,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle that only this thread uses, or NULL, by the rules of the header.
        let session = unsafe { raw::borrow_mut(session, "session") }?;
        session.step(Live::end)
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// How far everything is settled; the beginning of a session that is over or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_session_settled_to(session: *const Session) -> Settled {
    // SAFETY: NULL or a session that only this thread uses, by the rules of the header.
    let session = unsafe { session.as_ref() };
    let place = session.and_then(|session| session.live.as_ref()).map(|live| live.settled_to());
    place.map_or_else(Settled::default, |Place { segment, offset }| Settled { segment, offset })
}

/// Up to where text may be shown with the masks reported so far: with `release` it runs ahead of what is settled, as soon as no
/// masked pattern can reach the text any more. The beginning of a session that is over or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_session_released_to(session: *const Session) -> Settled {
    // SAFETY: NULL or a session that only this thread uses, by the rules of the header.
    let session = unsafe { session.as_ref() };
    let place = session.and_then(|session| session.live.as_ref()).map(|live| live.released_to());
    place.map_or_else(Settled::default, |Place { segment, offset }| Settled { segment, offset })
}

/// The reading as if the interaction ended here. The session goes on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_session_so_far(
    session: *const Session,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle that only this thread uses, or NULL, by the rules of the header.
        let session = unsafe { raw::borrow(session, "session") }?;
        let over = || Failure::argument("session", "the session has ended; free it and open a new one");
        let live = session.live.as_deref().ok_or_else(over)?;
        Ok(live.so_far().map_err(placed)?.to_json(session.shown.view()).into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Ends the interaction: the reading that `snm_sense` gives for all of it, byte for byte. The session has ended then, whatever
/// came of it, and is freed as always.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_session_finish(
    session: *mut Session,
    out: *mut *mut Outcome,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a handle that only this thread uses, or NULL, by the rules of the header.
        let session = unsafe { raw::borrow_mut(session, "session") }?;
        let live = session.take()?;
        Ok(live.finish().map_err(placed)?.to_json(session.shown.view()).into())
    };
    // SAFETY: places for handles or NULL, by the rules of the header.
    unsafe { door::give(out, error, work) }
}

/// Frees a session. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn snm_session_free(session: *mut Session) {
    // SAFETY: NULL or a session that the caller gives back, by the rules of the header.
    unsafe { raw::free(session) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sonometer::Instrument;

    #[test]
    fn a_panic_leaves_a_session_that_is_over() {
        fn moves<T: Send>() {}
        moves::<Session>();
        let (protocol, _) =
            sonometer::Protocol::read(sonometer_catalog::find("courtesy", None).expect("ships").source)
                .expect("reads");
        let instrument = Instrument::from(sonometer::Sensor::new(protocol).expect("compiles"));
        let mut session = Session::open(&Target { instrument }, &Wanted::default()).expect("opens");
        assert!(session.step(|live| live.push(b"Thank you so ")).is_ok());
        let panicked = door::guarded(|| session.step(|_| panic!("in the middle")));
        assert_eq!(panicked.err().map(|failure| failure.status), Some(Status::Panic));
        let after = session.step(|live| live.push(b"much."));
        assert_eq!(after.err().map(|failure| failure.place).as_deref(), Some("session"));
    }

    #[test]
    fn the_end_of_a_session_is_the_whole_reading() {
        let source = sonometer_catalog::find("courtesy", None).expect("ships").source;
        let instrument = || {
            let (protocol, _) = sonometer::Protocol::read(source).expect("reads");
            Instrument::from(sonometer::Sensor::new(protocol).expect("compiles"))
        };
        let target = Target { instrument: instrument() };
        let text =
            "Thank you so much for the patience – could you please tell me which version it is? Grüße!";
        let mut session = Session::open(&target, &Wanted::default()).expect("opens");
        for chunk in text.as_bytes().chunks(3) {
            session.step(|live| live.push(chunk)).expect("is taken");
        }
        let whole = target
            .sense(&sonometer::Interaction::text(text).expect("short"), &Wanted::default())
            .expect("a reading");
        let finished = session.take().expect("goes on").finish().expect("a reading");
        assert_eq!(finished.to_json(session.shown.view()), whole);
    }
}
