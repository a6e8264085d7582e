//! Reports to hand on: of one reading, and of many.

use crate::failure::Failure;
use crate::reading::Reading;
use crate::target::Target;
use pyo3::prelude::*;
use sonometer::{Error, ErrorCode, Instrument};
use sonometer_report::{Card, Corpus, Heard, Picked, Sheet, of_talk};

/// Page, Markdown and figures as JSON.
type Forms = (String, String, String);

fn forms(sheet: &Sheet<'_>) -> Forms {
    (sheet.to_html(), sheet.to_markdown(), sheet.data.clone())
}

/// The accuracy cards of what measures.
fn cards(instrument: &Instrument) -> Vec<Card> {
    let of = |sensor: &sonometer::Sensor| {
        sonometer_catalog::card(&sensor.protocol().id, &sensor.protocol().version).map(Card::of)
    };
    instrument.sensors().iter().filter_map(of).collect()
}

/// The report of a reading.
#[pyfunction]
pub(crate) fn _report_talk(py: Python<'_>, reading: &Bound<'_, Reading>, name: &str) -> Forms {
    let reading = &reading.get().inner;
    py.detach(|| forms(&of_talk(reading, name, None, cards(reading.instrument()))))
}

/// The report of many readings, in their order; in the place of some may stand why they are none, as code and message.
#[pyfunction]
pub(crate) fn _report(
    target: &Bound<'_, Target>,
    readings: Vec<Bound<'_, PyAny>>,
    names: Vec<Option<String>>,
    groups: Vec<Option<String>>,
    by: Option<&str>,
    data: &str,
) -> PyResult<Forms> {
    let instrument = &target.get().instrument;
    let mut outcomes: Vec<Result<sonometer::Reading, Error>> = Vec::with_capacity(readings.len());
    for (at, item) in readings.iter().enumerate() {
        let Ok(reading) = item.cast::<Reading>() else {
            let (code, message): (String, String) = item.extract()?;
            let known = [
                ErrorCode::InvalidRequest,
                ErrorCode::TargetNotFound,
                ErrorCode::InsufficientSignal,
                ErrorCode::InvalidProtocol,
                ErrorCode::PayloadTooLarge,
            ];
            let code = known.into_iter().find(|own| own.as_str() == code).unwrap_or(ErrorCode::Internal);
            outcomes.push(Err(Error::new(code, "", message)));
            continue;
        };
        let reading = reading.get();
        if !reading.target(target.py()).get().is_same(target.get()) {
            let fix = "make a report for each target";
            return Err(Failure::invalid(
                format!("readings[{at}]"),
                "the readings are of different targets",
                fix,
            )
            .into());
        }
        outcomes.push(Ok(reading.inner.clone()));
    }
    let made = target.py().detach(|| {
        let mut corpus = Corpus::new(instrument, data, by);
        let named = |at: usize| names.get(at).and_then(Option::as_deref).unwrap_or_default();
        for (at, outcome) in outcomes.iter().enumerate() {
            let group = groups.get(at).and_then(Option::as_deref);
            corpus.add(Heard { name: named(at), group, outcome: outcome.as_ref() });
        }
        let picked = corpus.wanted().into_iter().filter_map(|number| {
            let at = usize::try_from(number).ok()?;
            let reading = outcomes.get(at)?.as_ref().ok()?.clone();
            Some(Picked { number, name: named(at).to_owned(), reading })
        });
        let picked: Vec<Picked> = picked.collect();
        forms(&corpus.sheet(&picked, cards(instrument)))
    });
    Ok(made)
}

/// Each role of a reading with what it is called where it is shown.
#[pyfunction]
pub(crate) fn _shown_roles(reading: &Bound<'_, Reading>) -> Vec<(String, String)> {
    let reading = &reading.get().inner;
    let roles = sonometer_report::Roles::of(reading);
    let turns = reading.interaction().turns().iter().filter_map(|turn| turn.role.as_deref());
    let all: std::collections::BTreeSet<&str> = turns.collect();
    all.into_iter().map(|role| (role.to_owned(), roles.shown(role).to_owned())).collect()
}
