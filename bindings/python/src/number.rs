//! Numbers: Python's are read as decimal text, and millionths become the float whose text is that decimal.

use crate::failure::{Failure, Outcome};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use sonometer::Unit;

/// The nearest float; its shortest text is that of the number wherever a float has digits enough.
pub(crate) fn float(unit: Unit) -> f64 {
    unit.0 as f64 / 1e6
}

/// A number from an `int`, a `float`, a `Decimal` or anything else that is a number, to the sixth decimal.
pub(crate) fn unit(value: &Bound<'_, PyAny>, place: &str, what: &str) -> Outcome<Unit> {
    let wrong = |fix: &str| {
        let kind = kind_of(value);
        Failure::wrong_type(place, format!("{what} is {kind}, not a number"), fix)
    };
    let text = if value.is_instance_of::<PyBool>() || value.is_instance_of::<PyString>() {
        return Err(wrong("give an int or a float"));
    } else if is_time(value) && place != "usd_per_ics" {
        return Err(wrong("give seconds, such as time.timestamp()"));
    } else if is_missing(value) && !value.is_instance_of::<PyFloat>() {
        return Err(wrong("give a number, or None where it is missing"));
    } else if value.hasattr("total_seconds")? {
        return Err(wrong("give its seconds: value.total_seconds()"));
    } else if value.is_instance_of::<PyInt>() {
        value.extract::<i128>().map(|whole| whole.to_string()).unwrap_or_default()
    } else if value.is_instance_of::<PyFloat>() {
        // Without a detour over Python's text, which subclasses may write as they like.
        format!("{:?}", value.extract::<f64>()?)
    } else if value.hasattr("as_tuple")? {
        value.str()?.to_string_lossy().into_owned()
    } else {
        format!("{:?}", value.extract::<f64>().map_err(|_| wrong("give an int or a float"))?)
    };
    Unit::parse(&text).ok_or_else(|| {
        let text = written(value);
        let fix = match is_missing(value) && place.ends_with("timestamp") {
            // As rows of tables have it.
            true => "give a finite number, or None where it is missing",
            false => "give a finite number within 9e12",
        };
        Failure::invalid(place, format!("{what} is {text}"), fix)
    })
}

/// A whole number within bounds, from an `int` or what can stand for one, such as an int64 of numpy.
pub(crate) fn whole(value: &Bound<'_, PyAny>, name: &str, least: usize, most: usize) -> Outcome<usize> {
    let py = value.py();
    let index = match value.is_instance_of::<PyBool>() {
        true => None,
        false => match py.import("operator")?.call_method1("index", (value,)) {
            Ok(index) => Some(index),
            Err(error) if error.is_instance_of::<PyTypeError>(py) => None,
            Err(error) => return Err(error.into()),
        },
    };
    let Some(index) = index else {
        return Err(Failure::wrong_type(name, format!("`{name}` is {}", kind_of(value)), "give an int"));
    };
    let number = index.extract().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| {
        let fix = match most {
            usize::MAX if index.lt(least).unwrap_or(true) => format!("give {least} or more"),
            usize::MAX => "give a smaller number".to_owned(),
            _ => format!("give {least} to {most}"),
        };
        Failure::invalid(name, format!("`{name}` is {}", written(&index)), &fix)
    })
}

/// A number as Python writes it.
fn written(value: &Bound<'_, PyAny>) -> String {
    // Python does not write whole numbers of thousands of digits.
    let text = value.repr().map(|text| text.to_string_lossy().into_owned());
    text.unwrap_or_else(|_| format!("{} too large to write", kind_of(value)))
}

/// Whether an object stands for a value that is not there: None, and what tables have in its place.
pub(crate) fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    let is_named = || value.get_type().name().is_ok_and(|name| name == "NAType" || name == "NaTType");
    value.is_none() || value.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan()) || is_named()
}

/// Whether an object is a moment of `datetime`, pandas or numpy.
pub(crate) fn is_time(value: &Bound<'_, PyAny>) -> bool {
    let names = ["datetime", "Timestamp", "datetime64"];
    !is_missing(value) && value.get_type().name().is_ok_and(|name| names.iter().any(|known| name == *known))
}

/// The type of an object, for people: `an int`, `a list`; of a value that is not there the value: `None`, `nan`.
pub(crate) fn kind_of(value: &Bound<'_, PyAny>) -> String {
    if is_missing(value) {
        return value.str().map_or_else(|_| "None".to_owned(), |text| text.to_string_lossy().into_owned());
    }
    let name = value.get_type().name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|_| "object".to_owned());
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {name}")
}
