//! `explain`: how a reading came to its score, or what a code of `check` means.

use super::sense::measure;
use super::{Call, Used};
use crate::answer::{Answer, Refusal, decimal, quote};
use crate::content::{Content, Target};
use crate::limits::SHOWN;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sonometer::diagnostic::page;
use sonometer::{Ledger, Measured};
use sonometer_report::{Paint, Part, reasons, reference};

/// Arguments of `explain`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Explain {
    #[serde(flatten)]
    target: Target,
    #[serde(flatten)]
    content: Content,
    /// A code of `check`, such as SM0302; give it alone.
    code: Option<String>,
    /// Also return the ledger as canonical JSON in a second content block: the exact bytes of the engine.
    #[serde(default)]
    canonical: Option<bool>,
}

/// What `explain` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Explained {
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Used>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// The markers with matches; at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    markers: Vec<Marker>,
    /// Of a code: what it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Marker {
    marker: String,
    activation: f64,
    /// The activation from which it is triggered.
    trigger: f64,
    triggered: bool,
    /// Its matches; at most 20.
    matches: Vec<Match>,
    /// How many matches it has.
    matches_total: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Match {
    /// The pattern line.
    line: String,
    /// The words, masked where the protocol masks them.
    text: String,
    /// The turn, from 1.
    turn: usize,
    /// What it adds; 0 where it does not count.
    adds: f64,
    /// Why it does not count; empty where it does.
    dropped: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Code {
    code: String,
    title: String,
    meaning: String,
    /// What gives this finding.
    example: String,
    /// What `check` says to do.
    answer: String,
    /// The example, mended.
    corrected: String,
}

pub(crate) fn explain(call: &Call, arguments: Explain) -> Result<Answer, Refusal> {
    let Explain { target, content, code, canonical } = arguments;
    let has_more = target.target.is_some()
        || target.source.is_some()
        || content.text.is_some()
        || content.turns.is_some()
        || content.messages.is_some();
    match (code, has_more) {
        (None, true) => of_reading(call, &target, &content, canonical == Some(true)),
        (Some(code), false) => of_code(&code),
        (Some(_), true) => {
            Err(Refusal::invalid("code", "give `code` alone, or a target with something to measure"))
        }
        (None, false) => {
            let message = "there is nothing to explain; give `code`, such as `SM0302`, or a `target` with `text`, `turns` or `messages`";
            Err(Refusal::invalid("", message))
        }
    }
}

fn of_code(code: &str) -> Result<Answer, Refusal> {
    let section = page::section(&code.trim().to_uppercase()).ok_or_else(|| {
        // What does not look like a code may be private.
        let is_code = code.len() <= 8 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let code = if is_code { format!(" `{code}`") } else { String::new() };
        Refusal::invalid("code", format!("unknown code{code}; give one that `check` reports, such as SM0302"))
    })?;
    let text = format!(
        "{}: {}\n\n{}\n\n{}\n\n{}\n\nCorrected:\n\n{}",
        section.code,
        section.title,
        section.meaning,
        section.example.text.trim_end(),
        section.answer,
        section.mended.text.trim_end()
    );
    let code = Code {
        code: section.code.to_owned(),
        title: section.title.to_owned(),
        meaning: section.meaning.to_owned(),
        example: section.example.text.to_owned(),
        answer: section.answer.to_owned(),
        corrected: section.mended.text.to_owned(),
    };
    Ok(Answer::new(text, &Explained { target: None, score: None, markers: Vec::new(), code: Some(code) }))
}

fn of_reading(call: &Call, target: &Target, content: &Content, canonical: bool) -> Result<Answer, Refusal> {
    let (instrument, reading, _) = measure(call, target, content)?;
    let ledgers: Vec<Ledger<'_>> = reading.parts().iter().map(Measured::ledger).collect();
    let mut text = format!("{}: {}\n", reference(&instrument), instrument.score_meaning());
    for (part, ledger) in reading.parts().iter().zip(&ledgers) {
        if ledgers.len() > 1 {
            let protocol = part.protocol();
            text.push_str(&format!("\n{}@{}\n", protocol.id, protocol.version));
        }
        text.push_str(&Part::Ledger(Box::new(ledger.clone())).to_text(&Paint::default()));
    }
    if let (Some(score), false) = (reading.score(), instrument.sensor().is_some()) {
        text.push_str(&format!("\nscore {score}\n"));
    }
    let markers =
        ledgers.iter().flat_map(|ledger| &ledger.markers).filter(|marker| !marker.matches.is_empty());
    let markers = markers.take(SHOWN).map(|marker| Marker {
        marker: marker.label.to_owned(),
        activation: decimal(marker.resonance.activation),
        trigger: decimal(marker.trigger),
        triggered: marker.resonance.triggered,
        matches: marker
            .matches
            .iter()
            .take(SHOWN)
            .map(|found| Match {
                line: quote(found.line),
                text: quote(&found.source),
                turn: found.turn + 1,
                adds: decimal(found.contribution),
                dropped: reasons(found),
            })
            .collect(),
        matches_total: marker.matches.len(),
    });
    let explained = Explained {
        target: Some(Used::of(&instrument)),
        score: reading.score().map(decimal),
        markers: markers.collect(),
        code: None,
    };
    Answer::new(text.trim_end().to_owned(), &explained)
        .with_exact("canonical", canonical, || reading.ledger_json())
}
