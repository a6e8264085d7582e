//! Arguments of methods, read so that a wrong one is said in the one error shape, by its name. PyO3's own errors have no name, and are no
//! `SonometerError`.
//!
//! PyO3 hands a reader no name either, so each argument has one of its own here, for `from_py_with`.

use crate::card::SigningKey;
use crate::failure::{Failure, Outcome};
use crate::number::{kind_of, whole};
use crate::value;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyMapping, PyString};

/// An iterator over what an argument holds.
pub(crate) fn items<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    fix: &str,
) -> Outcome<Bound<'py, PyIterator>> {
    value.try_iter().map_err(|error| match error.is_instance_of::<PyTypeError>(value.py()) {
        true => wrong(value, name, fix),
        false => error.into(),
    })
}

/// What an argument is read as.
pub(crate) trait Argument<'v, 'py>: Sized {
    fn read(value: &'v Bound<'py, PyAny>, name: &str) -> Outcome<Self>;
}

fn wrong(value: &Bound<'_, PyAny>, name: &str, fix: &str) -> Failure {
    Failure::wrong_type(name, format!("`{name}` is {}", kind_of(value)), fix)
}

impl<'v, 'py> Argument<'v, 'py> for &'v str {
    fn read(value: &'v Bound<'py, PyAny>, name: &str) -> Outcome<Self> {
        value::text(value.cast::<PyString>().map_err(|_| wrong(value, name, "give a str"))?, name)
    }
}

impl<'v, 'py> Argument<'v, 'py> for String {
    fn read(value: &'v Bound<'py, PyAny>, name: &str) -> Outcome<Self> {
        <&str>::read(value, name).map(str::to_owned)
    }
}

impl<'v, 'py> Argument<'v, 'py> for bool {
    fn read(value: &'v Bound<'py, PyAny>, name: &str) -> Outcome<Self> {
        // Those of numpy too.
        value.extract().map_err(|_| wrong(value, name, "give True or False"))
    }
}

impl<'v, 'py> Argument<'v, 'py> for &'v Bound<'py, PyBytes> {
    fn read(value: &'v Bound<'py, PyAny>, name: &str) -> Outcome<Self> {
        value.cast().map_err(|_| wrong(value, name, "give bytes"))
    }
}

impl<'v, 'py> Argument<'v, 'py> for &'v Bound<'py, PyDict> {
    fn read(value: &'v Bound<'py, PyAny>, name: &str) -> Outcome<Self> {
        value.cast().map_err(|_| wrong(value, name, "give a dict"))
    }
}

impl<'v, 'py> Argument<'v, 'py> for &'v Bound<'py, SigningKey> {
    fn read(value: &'v Bound<'py, PyAny>, name: &str) -> Outcome<Self> {
        value.cast().map_err(|_| wrong(value, name, "give a SigningKey"))
    }
}

/// Texts by their names.
impl<'v, 'py> Argument<'v, 'py> for Vec<(String, String)> {
    fn read(value: &'v Bound<'py, PyAny>, name: &str) -> Outcome<Self> {
        let items =
            value.cast::<PyMapping>().map_err(|_| wrong(value, name, "give a dict of texts"))?.items()?;
        let pair = |item: Bound<'py, PyAny>| {
            let (key, text): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item.extract()?;
            let key = String::read(&key, name)?;
            let place = format!("{name}[\"{key}\"]");
            Ok((key, String::read(&text, &place)?))
        };
        items.iter().map(pair).collect()
    }
}

impl<'v, 'py, T: Argument<'v, 'py>> Argument<'v, 'py> for Option<T> {
    fn read(value: &'v Bound<'py, PyAny>, name: &str) -> Outcome<Self> {
        if value.is_none() { Ok(None) } else { T::read(value, name).map(Some) }
    }
}

/// A reader for each argument, by its name.
macro_rules! readers {
    ($($name:ident)*) => { $(
        pub(crate) fn $name<'v, 'py, T: Argument<'v, 'py>>(value: &'v Bound<'py, PyAny>) -> PyResult<T> {
            Ok(T::read(value, stringify!($name))?)
        }
    )* };
}

readers! {
    apart body bytes catalog column dive_id errors explain files form ignore_fidelity input is_answer key kind label language mask message method
    modality name offsets path policy primary profile quoted release role role_column saved sheet source summary targets turns
}

/// A week.
const MOST_SECONDS: usize = 7 * 24 * 3600;

pub(crate) fn chunk(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(value, "chunk", 1, usize::MAX)?)
}

pub(crate) fn length(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(value, "length", 0, usize::MAX)?)
}

pub(crate) fn memory_bytes(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    optional(value, "memory_bytes", usize::MAX)
}

pub(crate) fn seconds(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    optional(value, "seconds", MOST_SECONDS)
}

pub(crate) fn segment(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(value, "segment", 0, usize::MAX)?)
}

pub(crate) fn status(value: &Bound<'_, PyAny>) -> PyResult<u16> {
    Ok(whole(value, "status", 100, 999)? as u16)
}

pub(crate) fn threads(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    optional(value, "threads", 1024)
}

pub(crate) fn transcriber_seconds(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    optional(value, "transcriber_seconds", MOST_SECONDS)
}

/// A number from 1, or None.
fn optional(value: &Bound<'_, PyAny>, name: &str, most: usize) -> PyResult<Option<usize>> {
    Ok(if value.is_none() { None } else { Some(whole(value, name, 1, most)?) })
}
