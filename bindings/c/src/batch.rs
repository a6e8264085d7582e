//! Many interactions over threads.

use crate::door::{self, Failure, guarded};
use crate::error::Error;
use crate::interaction::Talk;
use crate::options::{self, Options};
use crate::raw;
use crate::result::Outcome;
use crate::status::Status;
use crate::target::Target;
use sonometer::batch::in_order;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::thread;

/// How many interactions a thread takes at once: a short message costs less than handing it over.
const GROUP: usize = 32;

/// Measures `count` interactions over `threads` threads (0: one for each core). `results` has `count` places, which get what
/// `snm_sense` gives for each, in their order; so has `errors`, unless it is NULL. For each interaction one of the two is
/// NULL. What is wrong with one costs the others nothing and does not show in the status, which is of the whole.
///
/// Every place of `results` and `errors` is set to NULL first. Free what they hold afterwards one by one.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments)] // C has no other way to say them.
pub unsafe extern "C" fn snm_batch(
    target: *const Target,
    interactions: *const *const Talk,
    count: usize,
    options: *const Options,
    threads: usize,
    results: *mut *mut Outcome,
    errors: *mut *mut Error,
    error: *mut *mut Error,
) -> Status {
    let work = || {
        // SAFETY: a list of places or NULL, by the rules of the header.
        let results = unsafe { raw::places(results, count, "results") }?;
        let mut errors = match errors.is_null() {
            true => None,
            // SAFETY: as above; nobody gives the same list twice.
            false => Some(unsafe { raw::places(errors, count, "errors") }?),
        };
        // SAFETY: a handle of the caller or NULL, by the rules of the header.
        let target = unsafe { raw::borrow(target, "target") }?;
        // SAFETY: options of the caller or NULL, by the rules of the header.
        let wanted = unsafe { options::read(options) }?;
        // SAFETY: a list of the caller, by the rules of the header.
        let handles = unsafe { raw::list(interactions, count, "interactions") }?;
        let talk = |(at, handle): (usize, &*const Talk)| {
            // SAFETY: a handle of the caller or NULL, by the rules of the header.
            unsafe { raw::borrow(*handle, &format!("interactions[{at}]")) }
        };
        // All are there, or nothing is measured.
        let talks = handles.iter().enumerate().map(talk).collect::<Result<Vec<&Talk>, Failure>>()?;
        let work = |range: Range<usize>| {
            let sense = |talk: &&Talk| guarded(|| Ok(target.sense(&talk.interaction, &wanted)?));
            (range.start, talks[range].iter().map(sense).collect::<Vec<_>>())
        };
        let groups = (0..count).step_by(GROUP).map(|from| from..(from + GROUP).min(count));
        let keep = |(from, outcomes): (usize, Vec<Result<String, Failure>>)| {
            for (at, outcome) in (from..).zip(outcomes) {
                match outcome {
                    Ok(json) => results[at] = Box::into_raw(Box::new(json.into())),
                    Err(failure) => {
                        if let Some(errors) = &mut errors {
                            errors[at] = Box::into_raw(Box::new(Error::of(&failure)));
                        }
                    }
                }
            }
            ControlFlow::<()>::Continue(())
        };
        let _ = in_order(workers(threads, count), groups, work, keep);
        Ok(())
    };
    // SAFETY: a place for a handle or NULL, by the rules of the header.
    unsafe { door::settle(error, work, |()| ()) }
}

/// More threads than this only cost.
const MOST_WORKERS: NonZeroUsize = NonZeroUsize::new(512).unwrap();

/// No more threads than there are groups to take.
fn workers(wanted: usize, count: usize) -> NonZeroUsize {
    let wanted = NonZeroUsize::new(wanted).or_else(|| thread::available_parallelism().ok());
    let useful = NonZeroUsize::new(count.div_ceil(GROUP)).unwrap_or(NonZeroUsize::MIN);
    wanted.unwrap_or(NonZeroUsize::MIN).min(useful).min(MOST_WORKERS)
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_thread_is_idle() {
        let one_for_each_group = [(1000, 1, 1), (1000, 33, 2), (2, 1000, 2), (1, 1000, 1), (7, 0, 1)];
        for (wanted, count, workers) in one_for_each_group {
            assert_eq!(super::workers(wanted, count).get(), workers);
        }
    }
}
