//! How a reading is asked to be shown.

use crate::failure::{Failure, Outcome};
use crate::number::{kind_of, unit};
use crate::value::text;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use sonometer::{FlowOptions, OffsetUnit, Profile, TemporalOptions, Unit, View};

/// A view with texts of its own.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    profile: Profile,
    offsets: Option<OffsetUnit>,
    flow: Option<Option<String>>,
    temporal: Option<Option<Unit>>,
}

impl Asked {
    pub(crate) fn new(profile: &str, offsets: Option<&str>) -> Outcome<Self> {
        let profile = Profile::from_name(profile).ok_or_else(|| {
            let names = Profile::NAMES.join(", ");
            Failure::invalid("profile", format!("unknown profile `{profile}`"), &format!("one of {names}"))
        })?;
        let offsets = offsets.map(offset_unit).transpose()?;
        Ok(Self { profile, offsets, ..Self::default() })
    }

    /// `flow`: whether it is asked for, or the primary role; `temporal`: whether, or the seconds of a window.
    pub(crate) fn with_more(
        self,
        flow: Option<&Bound<'_, PyAny>>,
        temporal: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Self> {
        let flow = match flow {
            None => None,
            Some(value) => match (value.cast::<PyBool>(), value.cast::<PyString>()) {
                (Ok(asked), _) => asked.is_true().then_some(None),
                (_, Ok(role)) => Some(Some(text(role, "flow")?.to_owned())),
                _ => {
                    let message = format!("`flow` is {}", kind_of(value));
                    return Err(Failure::wrong_type(
                        "flow",
                        message,
                        "give True, or the primary role as a str",
                    ));
                }
            },
        };
        let temporal = match temporal {
            None => None,
            Some(value) => match value.cast::<PyBool>() {
                Ok(asked) => asked.is_true().then_some(None),
                Err(_) => Some(Some(unit(value, "temporal", "`temporal`")?)),
            },
        };
        Ok(Self { flow, temporal, ..self })
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            profile: self.profile,
            offsets: self.offsets,
            flow: self.flow.as_ref().map(|primary| FlowOptions { primary: primary.as_deref() }),
            temporal: self.temporal.map(|window| TemporalOptions { window }),
        }
    }
}

/// The unit of that name.
pub(crate) fn offset_unit(name: &str) -> Outcome<OffsetUnit> {
    OffsetUnit::from_name(name).ok_or_else(|| {
        let message = format!("unknown offset unit `{name}`");
        Failure::invalid("offsets", message, "one of bytes, chars (Python's own), utf16")
    })
}
