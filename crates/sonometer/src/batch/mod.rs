//! Many interactions over threads.
//!
//! What comes out stands in the order of what goes in and has the bytes it would have alone, however many threads there
//! are: they share nothing but the sensor. What is wrong with one interaction is said at its place and costs the others
//! nothing.
//!
//! [`Instrument::batch`] is for interactions that are in memory, [`Instrument::batch_each`] for any number of them in memory that
//! stays the same, [`in_order`] for work of one's own around sensing.
//!
//! Without the feature `parallel` (as in wasm32, which has no threads) interactions are sensed one after the other, and the
//! two for streams are not there.

mod line;
#[cfg(feature = "parallel")]
mod order;

pub use line::line_json;
#[cfg(feature = "parallel")]
pub use order::{Sharing, in_order, in_order_counted};

use crate::error::{Error, ErrorCode};
use crate::instrument::Instrument;
use crate::interaction::Interaction;
use crate::measure::SenseOptions;
use crate::reading::Reading;
#[cfg(feature = "parallel")]
use rayon::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "parallel")]
use std::{num::NonZeroUsize, ops::ControlFlow};

/// What [`Instrument::batch_each`] takes at once: a short message costs less than handing it over.
#[cfg(feature = "parallel")]
const GROUP: usize = 32;

impl Instrument {
    /// Measures interactions over the threads of the current `rayon` pool. The outcomes stand in the order of the
    /// interactions; each is what [`Instrument::sense`] gives.
    ///
    /// # Errors
    /// Each as [`Instrument::sense`], with the place `interactions[n]`, from 0; `internal_error` as [`guarded`].
    pub fn batch(&self, interactions: &[Interaction]) -> Vec<Result<Reading, Error>> {
        self.batch_with(interactions, SenseOptions::default())
    }

    /// As [`Instrument::batch`], with options.
    ///
    /// # Errors
    /// Each as [`Instrument::batch`].
    pub fn batch_with(
        &self,
        interactions: &[Interaction],
        options: SenseOptions,
    ) -> Vec<Result<Reading, Error>> {
        let sense = |own: &Self, at, interaction| {
            guarded(|| own.sense_with(interaction, options)).map_err(|error| nth(at, error))
        };
        #[cfg(feature = "parallel")]
        let outcomes = interactions
            .par_iter()
            .enumerate()
            .map_init(|| self.apart(), |own, (at, interaction)| sense(own, at, interaction));
        #[cfg(not(feature = "parallel"))]
        let outcomes = interactions.iter().enumerate().map(|(at, interaction)| sense(self, at, interaction));
        outcomes.collect()
    }

    /// Measures any number of interactions over `threads` threads, in memory that does not grow with their number.
    /// `read` makes an interaction of an item (of a line, say); `each` gets the outcomes in the order of the items and
    /// may end the work with [`ControlFlow::Break`].
    ///
    /// Items are taken in groups. Where one must be answered before the next exists, use [`in_order`].
    ///
    /// ```
    /// use sonometer::{Instrument, Interaction, Protocol, Sensor};
    /// use std::num::NonZeroUsize;
    /// use std::ops::ControlFlow;
    ///
    /// let (protocol, _) = Protocol::read(r#"{
    ///     "sonometer": 1, "id": "thanks", "version": "1.0", "taxonomy": "Signal", "score": "any", "fidelity": {"sufficient": 0},
    ///     "markers": [{"label": "gratitude", "strong": "thank you", "hit": "thank you"}]
    /// }"#)?;
    /// let instrument = Instrument::from(Sensor::new(protocol)?);
    ///
    /// let lines = [r#"{"content": "Thank you!"}"#, r#"{"contents": "?"}"#, r#"{"content": "No."}"#];
    /// let mut told = Vec::new();
    /// let end = instrument.batch_each::<_, ()>(NonZeroUsize::MIN, lines.into_iter(), Interaction::from_json, |outcome| {
    ///     told.push(match outcome {
    ///         Ok(reading) => reading.score().map_or("none".to_owned(), |score| score.to_string()),
    ///         Err(error) => error.place,
    ///     });
    ///     ControlFlow::Continue(())
    /// });
    /// assert!(end.is_continue());
    /// assert_eq!(told, ["1", "interactions[1].contents", "0"]);
    /// # Ok::<(), sonometer::Error>(())
    /// ```
    ///
    /// # Errors
    /// Each as [`Instrument::batch`], or what `read` says, with `interactions[n]` before its place.
    #[cfg(feature = "parallel")]
    pub fn batch_each<T: Send, B>(
        &self,
        threads: NonZeroUsize,
        items: impl Iterator<Item = T> + Send,
        read: impl Fn(T) -> Result<Interaction, Error> + Sync,
        each: impl FnMut(Result<Reading, Error>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.batch_each_counted(threads, items, read, each).0
    }

    /// As [`Instrument::batch_each`], and what the threads took to share the groups.
    ///
    /// # Errors
    /// As there.
    #[cfg(feature = "parallel")]
    pub fn batch_each_counted<T: Send, B>(
        &self,
        threads: NonZeroUsize,
        items: impl Iterator<Item = T> + Send,
        read: impl Fn(T) -> Result<Interaction, Error> + Sync,
        mut each: impl FnMut(Result<Reading, Error>) -> ControlFlow<B>,
    ) -> (ControlFlow<B>, Sharing) {
        let mut items = items.enumerate().fuse();
        let groups = std::iter::from_fn(move || {
            let group: Vec<(usize, T)> = items.by_ref().take(GROUP).collect();
            (!group.is_empty()).then_some(group)
        });
        let work = |group: Vec<(usize, T)>| {
            let own = self.apart();
            let sense = |(at, item)| guarded(|| own.sense(&read(item)?)).map_err(|error| nth(at, error));
            group.into_iter().map(sense).collect::<Vec<_>>()
        };
        in_order_counted(threads, groups, work, |group| group.into_iter().try_for_each(&mut each))
    }
}

/// Does the work for one item of many. A panic would be a bug; it must not cost the other items their results, so it is
/// the error of this item, after the panic hook has told of it.
///
/// # Errors
/// What `work` says; `internal_error` with the message of the panic.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    // What `work` may leave half done is dropped with it: a sensor never changes, and a thread's desk is lent to it.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(internal(&*panic)))
}

fn internal(panic: &(dyn Any + Send)) -> Error {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no panic message");
    let message = format!("the engine failed on this interaction ({said}); please report it as a bug");
    Error::new(ErrorCode::Internal, "", message)
}

/// The error of an interaction as that of one of many, the `at`th from 0: its place begins with `interactions[at]`.
pub fn nth(at: usize, mut error: Error) -> Error {
    error.place = match error.place.as_str() {
        "" | "interaction" => format!("interactions[{at}]"),
        place if place.starts_with("line ") => format!("interactions[{at}], {place}"),
        place => format!("interactions[{at}].{place}"),
    };
    error
}

#[cfg(all(test, feature = "parallel"))]
mod tests;
