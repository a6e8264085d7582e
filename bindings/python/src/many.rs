//! Many interactions: taken with the interpreter attached, measured over threads without it.
//!
//! The threads live as long as one chunk, so that a process may fork between any two calls.

use crate::failure::{Failure, Outcome};
use crate::interaction::{Interaction, interaction};
use crate::number::kind_of;
use crate::reading::Reading;
use crate::target::Target;
use pyo3::PyTraverseError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyMapping, PyString, PyType};
use sonometer::batch::{guarded, in_order};
use sonometer::{Instrument, Reading as Sensed, SenseOptions};
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Mutex, OnceLock, PoisonError, TryLockError};

/// What `batch` takes at once.
const CHUNK: usize = 4096;
/// A chunk ends where it holds so many bytes of content, whatever the number of its interactions.
const CHUNK_BYTES: usize = 8 << 20;
/// What a thread takes at once: handing over costs more than measuring a short message.
const GROUP: usize = 32;
const GROUP_BYTES: usize = 32 << 10;

/// What becomes of interactions that cannot be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnError {
    Raise,
    Return,
}

impl OnError {
    pub(crate) fn read(name: &str) -> Outcome<Self> {
        match name {
            "raise" => Ok(Self::Raise),
            "return" => Ok(Self::Return),
            _ => Err(Failure::invalid("errors", format!("`errors` is `{name}`"), "give raise or return")),
        }
    }
}

/// How many threads: as many as there are cores, unless the caller says.
pub(crate) fn threads(asked: Option<usize>) -> NonZeroUsize {
    static CORES: OnceLock<NonZeroUsize> = OnceLock::new();
    let cores = || *CORES.get_or_init(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    asked.and_then(NonZeroUsize::new).unwrap_or_else(cores)
}

/// The iterator over interactions; one interaction in their place is a mistake that is easily made.
pub(crate) fn items<'py>(interactions: &Bound<'py, PyAny>) -> Outcome<Bound<'py, PyIterator>> {
    let is_one = interactions.is_instance_of::<PyString>()
        || interactions.is_instance_of::<PyBytes>()
        || interactions.is_instance_of::<Interaction>()
        || interactions.cast::<PyMapping>().is_ok();
    // To iterate over a table gives the names of its columns, or columns.
    if !is_one && interactions.hasattr("columns")? {
        let message = format!("{} is not a list of interactions", kind_of(interactions));
        let fix = "give one of its columns, such as frame[\"text\"]";
        return Err(Failure::wrong_type("interactions", message, fix));
    }
    match interactions.try_iter() {
        Ok(items) if !is_one => Ok(items),
        _ => {
            let message = format!("{} is not a list of interactions", kind_of(interactions));
            let fix = match interactions.hasattr("__aiter__")? {
                true => "take it in first: [one async for one in …]",
                false => "give a list, or anything else to iterate over",
            };
            Err(Failure::wrong_type("interactions", message, fix))
        }
    }
}

/// How the items of a chunk ended.
enum End {
    /// There may be more.
    More,
    /// There are no more.
    Over,
    /// The iterable raised this.
    Broken(PyErr),
}

/// Takes the next interactions, each or why it is none.
fn take(items: &Bound<'_, PyIterator>, most: usize) -> (Vec<Outcome<sonometer::Interaction>>, End) {
    let (mut taken, mut bytes) = (Vec::new(), 0);
    let mut items = items.clone();
    while taken.len() < most && bytes < CHUNK_BYTES {
        match items.next() {
            None => return (taken, End::Over),
            Some(Err(error)) => return (taken, End::Broken(error)),
            Some(Ok(item)) => {
                let read = interaction(&item);
                bytes += read.as_ref().map_or(0, size);
                taken.push(read);
            }
        }
    }
    (taken, End::More)
}

fn size(interaction: &sonometer::Interaction) -> usize {
    interaction.turns().iter().map(|turn| turn.content.len()).sum()
}

/// A few interactions that a thread takes at once, and the place of the first of them in the chunk.
struct Group {
    first: usize,
    items: Vec<Outcome<sonometer::Interaction>>,
}

/// Measures a chunk whose first interaction is the `first` of all; each thread makes with `keep` of the outcomes of a group what is
/// wanted of them.
fn measure<R: Send>(
    instrument: &Instrument,
    chunk: Vec<Outcome<sonometer::Interaction>>,
    first: usize,
    threads: NonZeroUsize,
    options: SenseOptions,
    keep: &(impl Fn(Vec<Outcome<Sensed>>) -> R + Sync),
) -> Vec<R> {
    let groups = grouped(chunk);
    let mut made = Vec::with_capacity(groups.len());
    let threads = threads.min(NonZeroUsize::new(groups.len()).unwrap_or(NonZeroUsize::MIN));
    let work = |group: Group| -> R {
        let (first, own) = (first + group.first, instrument.apart());
        let sense = |(at, read): (usize, Outcome<sonometer::Interaction>)| {
            let sensed = read.and_then(|interaction| Ok(guarded(|| own.sense_with(&interaction, options))?));
            sensed.map_err(|failure| failure.nth(first + at))
        };
        keep(group.items.into_iter().enumerate().map(sense).collect())
    };
    let give: ControlFlow<()> = in_order(threads, groups.into_iter(), work, |group| {
        made.push(group);
        ControlFlow::Continue(())
    });
    debug_assert!(give.is_continue());
    made
}

fn grouped(chunk: Vec<Outcome<sonometer::Interaction>>) -> Vec<Group> {
    let (mut groups, mut first, mut bytes) = (Vec::new(), 0, 0);
    let mut items = Vec::new();
    for item in chunk {
        bytes += item.as_ref().map_or(0, size);
        items.push(item);
        if items.len() == GROUP || bytes >= GROUP_BYTES {
            let group = Group { first, items: std::mem::take(&mut items) };
            first += group.items.len();
            groups.push(group);
            bytes = 0;
        }
    }
    if !items.is_empty() {
        groups.push(Group { first, items });
    }
    groups
}

/// An outcome as what is given out for it.
fn object<'py>(
    target: &Bound<'py, Target>,
    outcome: Outcome<Sensed>,
    on_error: OnError,
    options: SenseOptions,
) -> PyResult<Bound<'py, PyAny>> {
    match outcome {
        Ok(reading) => Reading::object(target, reading, options),
        Err(failure) => exception(target.py(), failure, on_error),
    }
}

/// A failure as an object, or raised where it must be: if the caller wants that, and if it is an exception of Python's own.
pub(crate) fn exception(py: Python<'_>, failure: Failure, on_error: OnError) -> PyResult<Bound<'_, PyAny>> {
    match (failure, on_error) {
        (failure @ Failure::Told(_), OnError::Return) => {
            Ok(PyErr::from(failure).into_value(py).into_bound(py).into_any())
        }
        (failure, _) => Err(failure.into()),
    }
}

/// Measures all interactions, chunk after chunk, and gives out what threads `keep` of each group, in their order.
pub(crate) fn each_group<R: Send>(
    target: &Bound<'_, Target>,
    items: &Bound<'_, PyIterator>,
    threads: NonZeroUsize,
    options: SenseOptions,
    keep: impl Fn(Vec<Outcome<Sensed>>) -> R + Sync,
    mut give: impl FnMut(R) -> PyResult<()>,
) -> PyResult<()> {
    let (py, mut first) = (target.py(), 0);
    loop {
        let (chunk, end) = take(items, CHUNK);
        let taken = chunk.len();
        let instrument = &target.get().instrument;
        for made in py.detach(|| measure(instrument, chunk, first, threads, options, &keep)) {
            give(made)?;
        }
        first += taken;
        match end {
            End::Over => return Ok(()),
            End::Broken(error) => return Err(error),
            End::More => py.check_signals()?,
        }
    }
}

/// All readings as a list.
pub(crate) fn all<'py>(
    target: &Bound<'py, Target>,
    items: &Bound<'py, PyIterator>,
    on_error: OnError,
    threads: NonZeroUsize,
    options: SenseOptions,
) -> PyResult<Bound<'py, PyList>> {
    let all = PyList::empty(target.py());
    each_group(
        target,
        items,
        threads,
        options,
        |group| group,
        |group| {
            group.into_iter().try_for_each(|outcome| all.append(object(target, outcome, on_error, options)?))
        },
    )?;
    Ok(all)
}

/// The readings that `map` gives, one after the other.
#[pyclass(frozen, name = "Readings", module = "sonometer")]
pub(crate) struct Readings {
    target: Py<Target>,
    on_error: OnError,
    threads: NonZeroUsize,
    chunk: usize,
    options: SenseOptions,
    state: Mutex<State>,
}

struct State {
    items: Option<Py<PyIterator>>,
    taken: usize,
    ready: VecDeque<Outcome<Sensed>>,
    /// What the iterable raised; it is raised after everything before it was handed out.
    broken: Option<PyErr>,
}

impl Readings {
    pub(crate) fn new(
        target: &Bound<'_, Target>,
        items: &Bound<'_, PyIterator>,
        on_error: OnError,
        threads: NonZeroUsize,
        chunk: usize,
        options: SenseOptions,
    ) -> Self {
        let items = Some(items.clone().unbind());
        let state = Mutex::new(State { items, taken: 0, ready: VecDeque::new(), broken: None });
        Self { target: target.clone().unbind(), on_error, threads, chunk, options, state }
    }
}

#[pymethods]
impl Readings {
    /// A generator that refers to what iterates over it is still found by Python's collector.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.target)?;
        match self.state.try_lock() {
            Ok(state) => visit.call(&state.items),
            // Somebody iterates, and so nothing of it is garbage.
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let taken = self.state.try_lock().ok().and_then(|mut state| state.items.take());
        // Its end may run code of Python, which must not find the state locked.
        drop(taken);
    }

    /// For annotations: `Readings[Reading]`.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        cls: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::generic_alias(cls, item)
    }

    /// An iterator over what is yet to come has no lasting form.
    fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
        let fix = "pickle its readings";
        Err(Failure::wrong_type("", "an iterator over readings cannot be pickled", fix).into())
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // The iterable may call this iterator, or another thread may: neither waits for itself.
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
            Err(TryLockError::WouldBlock) => {
                return Err(PyRuntimeError::new_err(
                    "this iterator is in use by another thread; use one for each thread",
                ));
            }
        };
        let target = self.target.bind(py);
        while state.ready.is_empty() {
            if let Some(error) = state.broken.take() {
                return Err(error);
            }
            let Some(items) = state.items.as_ref().map(|items| items.bind(py).clone()) else {
                return Ok(None);
            };
            py.check_signals()?;
            let first = state.taken;
            let (chunk, end) = take(&items, self.chunk);
            state.taken += chunk.len();
            match end {
                End::More => {}
                End::Over => state.items = None,
                End::Broken(error) => {
                    state.items = None;
                    state.broken = Some(error);
                }
            }
            let (instrument, threads, options) = (&target.get().instrument, self.threads, self.options);
            let groups = py.detach(|| measure(instrument, chunk, first, threads, options, &|group| group));
            state.ready.extend(groups.into_iter().flatten());
        }
        let Some(outcome) = state.ready.pop_front() else { return Ok(None) };
        object(target, outcome, self.on_error, self.options).map(Some)
    }
}
