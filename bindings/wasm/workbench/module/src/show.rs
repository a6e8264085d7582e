//! A reading for people: how it came about, and as a page of its own.

use sonometer::{Error, SenseOptions};
use sonometer_report::{Corpus, Heard, Paint, Part, Picked, of_talk};
use sonometer_wasm::{Instrument, interaction, thrown};
use wasm_bindgen::prelude::*;

/// How the reading of a text (or of an interaction as JSON, with `json`) came about: for each protocol its reference, then the
/// computation as `sonometer sense --explain` prints it.
///
/// # Errors
/// Those of reading the interaction and of sensing.
#[wasm_bindgen(skip_typescript)]
pub fn ledger(instrument: &Instrument, input: &str, json: bool) -> Result<Vec<String>, JsValue> {
    let told = || -> Result<Vec<String>, Error> {
        let reading = instrument.inner().sense_with(&interaction(input, json)?, SenseOptions::default())?;
        let of_part = |part: &sonometer::Measured| {
            let protocol = part.protocol();
            let reference = format!("{}@{}", protocol.id, protocol.version);
            [reference, Part::Ledger(Box::new(part.ledger())).to_text(&Paint::default())]
        };
        Ok(reading.parts().iter().flat_map(of_part).collect())
    };
    told().map_err(thrown)
}

/// The report of a reading as one page of HTML that needs no network: what `sonometer report` writes, without the accuracy card.
///
/// # Errors
/// Those of reading the interaction and of sensing.
#[wasm_bindgen(skip_typescript)]
pub fn page(instrument: &Instrument, input: &str, json: bool) -> Result<String, JsValue> {
    let made = || -> Result<String, Error> {
        let reading = instrument.inner().sense_with(&interaction(input, json)?, SenseOptions::default())?;
        Ok(of_talk(&reading, "", None, Vec::new()).to_html())
    };
    made().map_err(thrown)
}

/// The report of many talks, an interaction as JSON in each of `lines`: what they came to, with the best, worst and median of them.
/// `names` has one for each line, `name` is that of the file.
#[wasm_bindgen(skip_typescript)]
pub fn overview(instrument: &Instrument, name: &str, lines: &str, names: Vec<String>) -> String {
    let own = instrument.inner();
    let sensed = |line: &str| own.sense_with(&interaction(line, true)?, SenseOptions::default());
    let mut corpus = Corpus::new(own, name, None);
    for (line, name) in lines.lines().zip(&names) {
        let outcome = sensed(line);
        corpus.add(Heard { name, group: None, outcome: outcome.as_ref() });
    }
    let wanted = corpus.wanted();
    let again = (0..).zip(lines.lines().zip(&names)).filter(|(number, _)| wanted.contains(number));
    let picked: Vec<Picked> = again
        .filter_map(|(number, (line, name))| {
            Some(Picked { number, name: name.clone(), reading: sensed(line).ok()? })
        })
        .collect();
    corpus.sheet(&picked, Vec::new()).to_html()
}
