//! Sonometer for Python: a thin door. The engine computes and writes its own JSON; nothing here does either.
//!
//! What a reading holds becomes the dataclasses of `python/sonometer/model.py`, what goes wrong the exceptions of
//! `python/sonometer/errors.py`.

mod argument;
mod capsule;
mod card;
mod catalogue;
mod comparison;
mod dive;
mod evaluate;
mod extract;
mod extracted;
mod failure;
mod frame;
mod guard;
#[cfg(feature = "audio")]
mod hearing;
mod held;
mod helper;
mod instrument;
mod interaction;
mod kinds;
mod many;
mod model;
mod number;
mod offsets;
mod once;
mod places;
mod reading;
mod report;
mod session;
#[cfg(feature = "audio")]
mod sound;
mod source;
mod stage;
mod table;
mod target;
mod value;
mod view;

use pyo3::prelude::*;
use pyo3::types::PyType;

/// A class with what annotations write in brackets behind it.
fn generic_alias<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    class.py().import("types")?.getattr("GenericAlias")?.call1((class, item))
}

/// The native half of `sonometer`.
#[pymodule(name = "_sonometer", gil_used = false)]
mod native {
    #[pymodule_export]
    use super::card::{SigningKey, StageCard};
    #[pymodule_export]
    use super::catalogue::{blueprints, check, fingerprint, metrics, protocols, stages};
    #[pymodule_export]
    use super::comparison::{_restore_comparison, Comparison};
    #[pymodule_export]
    use super::dive::{_dive_talk, _restore_dive, Dive};
    #[pymodule_export]
    use super::evaluate::{_evaluate, _fit, _spelt};
    #[pymodule_export]
    use super::extract::extract;
    #[pymodule_export]
    use super::extracted::{_restore_extract, Extract};
    #[pymodule_export]
    use super::frame::Frame;
    #[pymodule_export]
    use super::guard::{Exchange, ModelGuard};
    #[pymodule_export]
    use super::helper::_read_apart;
    #[pymodule_export]
    use super::interaction::{_read_messages, _restore_interaction, Interaction};
    #[pymodule_export]
    use super::kinds::{_restore_target, Blueprint, Metric, Sensor, load};
    #[pymodule_export]
    use super::many::Readings;
    #[pymodule_export]
    use super::places::{Further, Places};
    #[pymodule_export]
    use super::reading::{_restore_reading, Reading};
    #[pymodule_export]
    use super::report::{_report, _report_talk, _shown_roles};
    #[pymodule_export]
    use super::session::Session;
    #[pymodule_export]
    use super::stage::{_restore_stage, Stage};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::target::Target;
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
