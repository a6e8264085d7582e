//! What a guard did: counts and scores, never text.

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
    /// What rules with `sense` measured, in their order: the target and its score; `None` where there was too little text.
    pub scores: Vec<(String, Option<Unit>)>,
    /// The tags that apply.
    pub tags: Vec<String>,
}

impl Report {
    /// The headers with what is known, by name.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![("x-sonometer-masked", self.to_string())];
        if !self.tags.is_empty() {
            headers.push(("x-sonometer-tags", self.tags.join(", ")));
        }
        if !self.scores.is_empty() {
            let scores = self.scores.iter().map(|(id, score)| match score {
                Some(score) => format!("{id}={score}"),
                None => format!("{id}=insufficient"),
            });
            headers.push(("x-sonometer-scores", scores.collect::<Vec<_>>().join(", ")));
        }
        headers
    }

    /// The counts as JSON.
    pub fn to_json(&self) -> String {
        format!(
            "{{\"masked_request\":{},\"masked_answer\":{},\"restored\":{},\"unknown\":{},\"ended\":{}}}",
            self.masked_request, self.masked_answer, self.restored, self.unknown, self.ended
        )
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
