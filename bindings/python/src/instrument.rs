//! What is set around sensing, and small values as objects of Python.

use crate::failure::{Failure, Outcome};
use crate::number::{float, kind_of, unit};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use sonometer::{Estimate, Fidelity, Mask, MaskKey, SenseOptions, Unit};

/// What a caller sets around sensing.
pub(crate) struct Options;

impl Options {
    pub(crate) fn read(
        usd_per_ics: Option<&Bound<'_, PyAny>>,
        ignore_fidelity: bool,
        masks: Masks<'_>,
    ) -> Outcome<SenseOptions> {
        let price = usd_per_ics.map(|price| unit(price, "usd_per_ics", "the price of an ICS"));
        let mask = masks.0.map(Mask::read).transpose()?;
        let mask_key = masks.1.map(key_of).transpose()?;
        let usd_per_ics = price.transpose()?.unwrap_or_default();
        if usd_per_ics < Unit::ZERO {
            let message = "the price must not be below 0";
            return Err(Failure::invalid("usd_per_ics", message.to_owned(), "give 0 or more"));
        }
        Ok(SenseOptions { usd_per_ics, ignore_fidelity, mask, mask_key })
    }
}

/// The kind of masks, and their key, `bytes`.
#[derive(Clone, Copy)]
pub(crate) struct Masks<'a>(pub(crate) Option<&'a str>, pub(crate) Option<&'a Bound<'a, PyAny>>);

fn key_of(given: &Bound<'_, PyAny>) -> Outcome<MaskKey> {
    let Ok(key) = given.extract::<&[u8]>() else {
        let kind = kind_of(given);
        let fix = "write b\"…\", or encode a text: key.encode()";
        return Err(Failure::wrong_type("mask_key", format!("a key of masks is bytes, not {kind}"), fix));
    };
    Ok(MaskKey::new(key)?)
}

/// `sonometer.model.Estimate`.
pub(crate) fn estimate_object<'py>(
    py: Python<'py>,
    estimate: Estimate,
    options: SenseOptions,
) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("sonometer.model")?.getattr("Estimate")?;
    let Estimate { min, max, typical, measured } = estimate;
    class.call1((min, max, float(typical), measured, estimate.to_json(options.usd_per_ics)))
}

/// `sonometer.model.Fidelity`.
pub(crate) fn fidelity_object(py: Python<'_>, fidelity: Fidelity) -> PyResult<Bound<'_, PyAny>> {
    let class = py.import("sonometer.model")?.getattr("Fidelity")?;
    let Fidelity { index, sufficient, density, clarity, unheard } = fidelity;
    let (asked, seen) = match &unheard {
        Some(roles) => (roles.asked.as_slice(), roles.seen.as_slice()),
        None => Default::default(),
    };
    let (asked, seen) = (PyTuple::new(py, asked)?, PyTuple::new(py, seen)?);
    class.call1((float(index), sufficient, float(density), float(clarity), asked, seen))
}
