//! What a guard did: counts and scores, never text.

use crate::policy::On;
use serde_json::Value;
use sonometer::Unit;
use std::fmt;

/// What was done in one exchange so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Stretches of the request that were masked or replaced.
    pub masked_request: u64,
    /// Stretches of the answer that were masked or replaced.
    pub masked_answer: u64,
    /// Placeholders of the answer that were restored.
    pub restored: u64,
    /// Events, items, parts or blocks of unknown types that were left out or passed, as the policy says.
    pub unknown: u64,
    /// Choices of the answer that a rule ended.
    pub ended: u64,
    /// What rules with `sense` measured, in the order in which it was known: a request as a whole, of an answer each text; the
    /// first 256.
    pub sensed: Vec<Sensed>,
    /// The tags that apply.
    pub tags: Vec<String>,
    /// The provider's id of the answer, where a rule measures or the conversation may go on by it, and the answer has one.
    pub response_id: Option<String>,
}

/// What a rule with `sense` measured. It holds names and places, no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensed {
    /// Of the request or of the answer.
    pub on: On,
    /// The id of the target.
    pub target: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of a protocol; of a metric or a blueprint only the policy has a digest.
    pub digest: Option<String>,
    /// The score; `None` where there was too little text.
    pub score: Option<Unit>,
    /// The metamarkers that triggered.
    pub triggered: Vec<String>,
    /// Where the evidence is, as [`sonometer::Reading::places`] writes it.
    pub places: String,
}

impl Report {
    /// The headers with what is known, by name.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![("x-sonometer-masked", self.to_string())];
        if !self.tags.is_empty() {
            headers.push(("x-sonometer-tags", self.tags.join(", ")));
        }
        if !self.sensed.is_empty() {
            let scores = self.sensed.iter().map(|Sensed { target, score, .. }| match score {
                Some(score) => format!("{target}={score}"),
                None => format!("{target}=insufficient"),
            });
            headers.push(("x-sonometer-scores", scores.collect::<Vec<_>>().join(", ")));
        }
        headers
    }

    /// The counts as JSON, with tags and scores where there are any.
    pub fn to_json(&self) -> String {
        let mut json = format!(
            "{{\"masked_request\":{},\"masked_answer\":{},\"restored\":{},\"unknown\":{},\"ended\":{}",
            self.masked_request, self.masked_answer, self.restored, self.unknown, self.ended
        );
        if !self.tags.is_empty() {
            json += &format!(",\"tags\":{}", Value::from(self.tags.clone()));
        }
        if !self.sensed.is_empty() {
            let scores = self.sensed.iter().map(|Sensed { on, target, score, .. }| {
                let score = score.map_or_else(|| "null".to_owned(), |score| score.to_string());
                format!(
                    "{{\"on\":\"{}\",\"target\":{},\"score\":{score}}}",
                    on.as_str(),
                    Value::from(target.as_str())
                )
            });
            json += &format!(",\"scores\":[{}]", scores.collect::<Vec<_>>().join(","));
        }
        json + "}"
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "request={}, answer={}, restored={}",
            self.masked_request, self.masked_answer, self.restored
        )
    }
}
