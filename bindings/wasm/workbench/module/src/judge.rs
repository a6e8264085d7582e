//! Labelled talks: what `sonometer evaluate` finds on them.

use sonometer::{Error, ErrorCode};
use sonometer_evaluate::{
    Error as Trouble, Labelled, Options, Selector, Threshold, evaluate as judge, unwatched,
};
use sonometer_wasm::{Instrument, thrown};
use wasm_bindgen::prelude::*;

/// Evaluates a protocol, metric or blueprint on labelled interactions, `{"id", "interaction", "labels"}` a line: the figures as JSON,
/// and the report as a page.
///
/// `label` is the path of a label; `threshold` a number, `best` or empty for the rule of the protocol.
///
/// # Errors
/// `invalid_request` with the line that cannot be read, or with what does not fit together.
#[wasm_bindgen(skip_typescript)]
pub fn evaluate(
    instrument: &Instrument,
    name: &str,
    lines: &[u8],
    label: &str,
    threshold: &str,
) -> Result<Vec<String>, JsValue> {
    let threshold = match threshold {
        "" => None,
        text => {
            Some(text.parse::<Threshold>().map_err(|fix| thrown(Error::invalid("options.threshold", fix)))?)
        }
    };
    let selector = Selector { label: Some(label.to_owned()), ..Selector::default() };
    let options = Options { selector, threshold, ..Options::default() };
    let judged = || judge(instrument.inner(), &Labelled::read(name, lines)?, &options, &mut unwatched);
    let report = judged().map_err(|trouble| thrown(told(trouble)))?;
    Ok(vec![report.to_json(), report.to_html()])
}

/// In the engine's shape.
fn told(trouble: Trouble) -> Error {
    match trouble {
        Trouble::Stopped => Error::new(ErrorCode::Internal, "", "the evaluation was stopped"),
        Trouble::Failed(failure) => Error::new(failure.code, failure.place.to_string(), failure.message),
    }
}
