//! Python's dicts and lists as JSON text, for the engine's own strict readers. Nothing is accepted and changed.

use crate::failure::{Failure, Outcome};
use crate::number::{is_missing, is_time, kind_of};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use std::fmt::Write as _;

/// Deeper ones are refused; the engine's readers take far less.
const MOST_NESTED: usize = 64;

/// A value as JSON text; `place` is where it stands, such as `segments[3]`, or empty.
pub(crate) fn json(value: &Bound<'_, PyAny>, place: &str) -> Outcome<String> {
    let mut text = String::new();
    write(&mut text, value, place, 0)?;
    Ok(text)
}

/// A Python text as UTF-8, which lone surrogates do not have.
pub(crate) fn text<'t>(value: &'t Bound<'_, PyString>, place: &str) -> Outcome<&'t str> {
    value.to_str().map_err(|error| {
        let at =
            Python::attach(|py| error.value(py).getattr("start").and_then(|at| at.extract::<usize>()).ok());
        let at = at.map_or_else(String::new, |at| format!(" at character {at}"));
        Failure::invalid(
            place,
            format!("the text has a lone surrogate{at}, which is not valid in UTF-8"),
            "replace it: text.encode(\"utf-16\", \"surrogatepass\").decode(\"utf-16\", \"replace\")",
        )
    })
}

fn write(json: &mut String, value: &Bound<'_, PyAny>, place: &str, depth: usize) -> Outcome<()> {
    if depth > MOST_NESTED {
        let message = "lists and dicts are nested too deep, or one contains itself";
        return Err(Failure::invalid(place, message, "use fewer levels"));
    }
    if let Ok(value) = value.cast::<PyString>() {
        string(json, text(value, place)?);
    } else if value.is_none() {
        json.push_str("null");
    } else if let Ok(value) = value.cast::<PyBool>() {
        json.push_str(if value.is_true() { "true" } else { "false" });
    } else if value.is_instance_of::<PyInt>() {
        let whole = value.py().get_type::<PyInt>().call_method1("__repr__", (value,));
        let whole = whole.map_err(|_| {
            Failure::invalid(place, "a whole number is too large to write as JSON", "give a smaller number")
        })?;
        json.push_str(&whole.str()?.to_string_lossy());
    } else if value.is_instance_of::<PyFloat>() {
        json.push_str(&finite(value.extract()?, place)?);
    } else if let Ok(value) = value.cast::<PyDict>() {
        // A copy: what stands in it may be a mapping of somebody's own, whose `items` changes it meanwhile.
        let items = value.items();
        let entries = items.iter().map(|item| item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>());
        members(json, entries, place, depth)?;
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        json.push('[');
        for (at, item) in value.try_iter()?.enumerate() {
            if at > 0 {
                json.push(',');
            }
            write(json, &item?, &format!("{place}[{at}]"), depth + 1)?;
        }
        json.push(']');
    } else if let Ok(value) = value.cast::<PyMapping>() {
        let items = value.items()?;
        let entries = items.iter().map(|item| item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>());
        members(json, entries, place, depth)?;
    } else if let Some(digits) = number(value, place)? {
        json.push_str(&digits);
    } else {
        let message = format!("{} cannot be written as JSON", kind_of(value));
        let fix = match is_time(value) {
            true => "give a str, or seconds, such as time.timestamp()",
            false if is_missing(value) => "give None",
            false => "give a str, a number, a bool, None, a list or a dict",
        };
        return Err(Failure::wrong_type(place, message, fix));
    }
    Ok(())
}

/// A number of another library, such as an int64 of numpy, or a `Decimal`. What holds several values is none, and neither is a truth value.
fn number(value: &Bound<'_, PyAny>, place: &str) -> Outcome<Option<String>> {
    let is_truth = value.get_type().name().is_ok_and(|name| name.to_string_lossy().starts_with("bool"));
    if is_truth || is_missing(value) || value.hasattr("__len__")? {
        return Ok(None);
    }
    if let Ok(whole) = value.extract::<i128>() {
        return Ok(Some(whole.to_string()));
    }
    let Ok(float) = value.extract::<f64>() else { return Ok(None) };
    let near = finite(float, place)?;
    // A `Decimal` has digits that a float has not.
    let exact = if value.hasattr("as_tuple")? { value.call_method1("__format__", ("f",)).ok() } else { None };
    Ok(Some(exact.map_or(near, |text| text.to_string())))
}

fn finite(number: f64, place: &str) -> Outcome<String> {
    if !number.is_finite() {
        let message = format!("{number} is not a JSON number");
        return Err(Failure::invalid(place, message, "give a finite number, or None where it is missing"));
    }
    Ok(format!("{number:?}"))
}

fn members<'py>(
    json: &mut String,
    entries: impl Iterator<Item = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>>,
    place: &str,
    depth: usize,
) -> Outcome<()> {
    json.push('{');
    for (at, entry) in entries.enumerate() {
        let (key, value) = entry?;
        let Ok(key) = key.cast::<PyString>() else {
            let message = format!("a key of the dict is {}", kind_of(&key));
            return Err(Failure::wrong_type(place, message, "keys must be str"));
        };
        let key = text(key, place)?;
        if at > 0 {
            json.push(',');
        }
        string(json, key);
        json.push(':');
        let inner = if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
        write(json, &value, &inner, depth + 1)?;
    }
    json.push('}');
    Ok(())
}

fn string(json: &mut String, value: &str) {
    json.push('"');
    for c in value.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\0'..='\x1f' => {
                let _ = write!(json, "\\u{:04x}", u32::from(c));
            }
            _ => json.push(c),
        }
    }
    json.push('"');
}
