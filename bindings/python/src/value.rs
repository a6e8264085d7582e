//! Python's dicts and lists as JSON text, for the engine's own strict readers. Nothing is accepted and changed.

use crate::failure::{Failure, Outcome};
use crate::number::kind_of;
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
        let whole = value.py().get_type::<PyInt>().call_method1("__repr__", (value,))?;
        json.push_str(&whole.str()?.to_string_lossy());
    } else if value.is_instance_of::<PyFloat>() {
        let number: f64 = value.extract()?;
        if !number.is_finite() {
            let message = format!("{number} is not a JSON number");
            return Err(Failure::invalid(place, message, "give a finite number"));
        }
        let _ = write!(json, "{number:?}");
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
    } else {
        let message = format!("{} cannot be written as JSON", kind_of(value));
        return Err(Failure::wrong_type(
            place,
            message,
            "give a str, a number, a bool, None, a list or a dict",
        ));
    }
    Ok(())
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
