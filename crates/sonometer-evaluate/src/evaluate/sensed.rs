//! Sensing many items at once: what comes out stands in the order of the items, however many threads there are.

use crate::error::{Error, Place};
use crate::labels::{Item, Labelled};
use crate::watch::{Steps, Watch};
#[cfg(feature = "fast")]
use sonometer::batch::in_order;
use sonometer::{Interaction, Reading, Resonance, Roles, SenseOptions, Sensor, Unit};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::thread;

/// One after the other, where there are no threads.
#[cfg(not(feature = "fast"))]
fn in_order<T, R, B>(
    _threads: NonZeroUsize,
    items: impl Iterator<Item = T>,
    work: impl Fn(T) -> R,
    each: impl FnMut(R) -> ControlFlow<B>,
) -> ControlFlow<B> {
    items.map(work).try_for_each(each)
}

/// What is kept of a reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) sufficient: bool,
    pub(crate) score: Unit,
    /// The markers that are not silent, by their place in the protocol.
    pub(crate) markers: Vec<(usize, Resonance)>,
    /// The evidence, in the order of the text.
    pub(crate) evidence: Vec<Found>,
    /// Whom the markers ask for, if nobody speaks whom they listen to.
    pub(crate) unheard: Option<Arc<Roles>>,
}

/// A piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) marker: usize,
    pub(crate) turn: usize,
    /// Bytes of the turn's content.
    pub(crate) range: Range<usize>,
    pub(crate) score: Unit,
}

/// Items that a thread takes at once.
const BATCH: usize = 32;

/// Senses all items of `labels` that were chosen; the first of them that cannot be sensed is the failure.
pub(crate) fn sense_all(
    sensor: &Sensor,
    labels: &Labelled,
    items: &[Item],
    watch: Watch<'_>,
) -> Result<Vec<Outcome>, Error> {
    let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    sense_with(threads, sensor, labels, items, watch)
}

fn sense_with(
    threads: NonZeroUsize,
    sensor: &Sensor,
    labels: &Labelled,
    items: &[Item],
    watch: Watch<'_>,
) -> Result<Vec<Outcome>, Error> {
    let numbers = numbers(sensor);
    let steps = &mut Steps::new(watch, "sensing", items.len());
    each_with(threads, items, steps, |item| Ok(outcome(&sense(sensor, labels, item)?, &numbers)))
}

/// Senses ordinary talk, each interaction a step.
pub(crate) fn sense_ordinary(
    sensor: &Sensor,
    name: &str,
    interactions: &[&Interaction],
    steps: &mut Steps<'_>,
) -> Result<Vec<Outcome>, Error> {
    let numbers = numbers(sensor);
    let options = SenseOptions::default().without_key(std::slice::from_ref(sensor));
    in_steps(interactions, steps, |interaction| {
        let sensed = sensor.sense_with(interaction, options);
        Ok(outcome(&sensed.map_err(|error| Error::engine(Place::of(name), &error))?, &numbers))
    })
}

/// Does something with all items on all cores, each of them a step of sensing; what comes out is in their order, the first
/// failure ends it.
pub(crate) fn each<T: Send>(
    items: &[Item],
    watch: Watch<'_>,
    work: impl Fn(&Item) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    in_steps(items, &mut Steps::new(watch, "sensing", items.len()), work)
}

/// The same with anything, as steps of any work.
pub(crate) fn in_steps<I: Sync, T: Send>(
    items: &[I],
    steps: &mut Steps<'_>,
    work: impl Fn(&I) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    each_with(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN), items, steps, work)
}

/// The same where each step is long: threads take one at a time.
pub(crate) fn one_by_one<I: Sync, T: Send>(
    items: &[I],
    steps: &mut Steps<'_>,
    work: impl Fn(&I) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let mut outcomes = Vec::with_capacity(items.len());
    let end = in_order(threads, items.iter(), work, |outcome| {
        let step = outcome.and_then(|outcome| {
            outcomes.push(outcome);
            steps.advance(1)
        });
        match step {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    });
    match end {
        ControlFlow::Continue(()) => Ok(outcomes),
        ControlFlow::Break(failure) => Err(failure),
    }
}

fn each_with<I: Sync, T: Send>(
    threads: NonZeroUsize,
    items: &[I],
    steps: &mut Steps<'_>,
    work: impl Fn(&I) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let mut outcomes = Vec::with_capacity(items.len());
    let work = |batch: &[I]| -> Result<Vec<T>, Error> { batch.iter().map(&work).collect() };
    let end = in_order(threads, items.chunks(BATCH), work, |batch| match batch {
        Ok(batch) => {
            let done = batch.len();
            outcomes.extend(batch);
            match steps.advance(done) {
                Ok(()) => ControlFlow::Continue(()),
                Err(stopped) => ControlFlow::Break(stopped),
            }
        }
        Err(failure) => ControlFlow::Break(failure),
    });
    match end {
        ControlFlow::Continue(()) => Ok(outcomes),
        ControlFlow::Break(failure) => Err(failure),
    }
}

/// Senses one item again, for showing it.
pub(crate) fn sense(sensor: &Sensor, labels: &Labelled, item: &Item) -> Result<Reading, Error> {
    let options = SenseOptions::default().without_key(std::slice::from_ref(sensor));
    let sensed = sensor.sense_with(&item.interaction, options);
    sensed.map_err(|error| Error::engine(labels.place(item), &error))
}

/// The place of each marker in the protocol, by its label.
fn numbers(sensor: &Sensor) -> BTreeMap<&str, usize> {
    sensor.protocol().markers.iter().enumerate().map(|(at, marker)| (marker.label.as_str(), at)).collect()
}

fn outcome(reading: &Reading, numbers: &BTreeMap<&str, usize>) -> Outcome {
    let loud = |(_, (_, resonance)): &(usize, (&str, Resonance))| resonance.activation > Unit::ZERO;
    Outcome {
        sufficient: reading.fidelity().sufficient,
        score: reading.score().unwrap_or(Unit::ZERO),
        markers: reading
            .resonance()
            .enumerate()
            .filter(loud)
            .map(|(at, (_, resonance))| (at, resonance))
            .collect(),
        evidence: reading
            .evidence()
            .map(|found| Found {
                marker: numbers.get(found.metamarker).copied().unwrap_or_default(),
                turn: found.turn,
                range: found.range,
                score: found.score,
            })
            .collect(),
        unheard: reading.fidelity().unheard.clone(),
    }
}

/// What is said of items in which nobody was listened to: their figures say nothing of the words.
pub(crate) fn unheard(outcomes: &[Outcome]) -> Option<String> {
    let all: Vec<&Arc<Roles>> = outcomes.iter().filter_map(|outcome| outcome.unheard.as_ref()).collect();
    let asked: Vec<String> = all.first()?.asked.iter().map(|role| format!("`{role}`")).collect();
    Some(format!(
        "in {} of {} items nobody speaks in a role that the markers listen to ({}), so nothing is found there; give conversations with \
         roles, not texts, or add the names of their roles to `aliases`",
        all.len(),
        outcomes.len(),
        asked.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::unwatched;
    use sonometer::Protocol;

    #[test]
    fn threads_do_not_change_the_order() {
        let protocol = r#"{"sonometer": 1, "id": "p", "version": "1", "taxonomy": "Signal", "score": "any", "markers": [
            {"label": "even", "strong": "even", "hit": "even"}]}"#;
        let sensor = Sensor::new(Protocol::read(protocol).expect("is sound").0).expect("compiles");
        let line = |n: usize| {
            format!(
                "{{\"interaction\": {{\"content\": \"{}\"}}}}\n",
                if n.is_multiple_of(2) { "even" } else { "odd" }
            )
        };
        let text: String = (0..500).map(line).collect();
        let labels = Labelled::read("data", text.as_bytes()).expect("reads");
        let sensed = |threads, items| {
            let threads = NonZeroUsize::new(threads).expect("is not 0");
            sense_with(threads, &sensor, &labels, items, &mut unwatched).expect("is sensed")
        };
        let outcomes = sensed(1, labels.items());
        assert!(
            outcomes
                .iter()
                .enumerate()
                .all(|(n, outcome)| (outcome.score == Unit::ONE) == n.is_multiple_of(2))
        );
        assert_eq!(sensed(4, labels.items()), outcomes);
        assert_eq!(sensed(4, &[]), []);
    }
}
