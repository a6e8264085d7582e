//! Talks of customers and agents that a language model wrote, with labels: how many of each the markers of the same names find.

use super::measure::{Measurer, count, estimate};
use serde_json::Value;
use std::fmt::Write as _;

/// A protocol, and the labels that its markers are measured against.
struct Asked {
    id: &'static str,
    labels: &'static [&'static str],
    /// A label of several values, and the one that a score of 0.5 or more stands for.
    score: Option<(&'static str, &'static str)>,
    /// The talks that nothing was mended for, and those that were read, in `fixtures/labelled`.
    files: [&'static str; 2],
}

const ASKED: &[Asked] = &[
    Asked {
        id: "disclosure",
        labels: &[
            "recording_not_announced",
            "speaker_not_named",
            "identity_not_checked",
            "price_not_said",
            "term_not_said",
            "right_to_cancel_not_said",
            "risk_not_said",
            "machine_not_admitted",
        ],
        score: None,
        files: ["unseen-disclosures", "disclosures"],
    },
    Asked { id: "promise", labels: &["promise", "dated", "taken_back", "chased"], score: None, files: TALKS },
    Asked {
        id: "escalation",
        labels: &[
            "demand_superior",
            "threat_to_leave",
            "threat_of_law_or_public",
            "insult",
            "calming",
            "calmed",
        ],
        score: Some(("escalation", "strong")),
        files: TALKS,
    },
];

const TALKS: [&str; 2] = ["unseen-service-talks", "service-talks"];

/// What is told above the table of each file.
const TITLES: [&str; 2] = ["Talks that nothing was mended for", "Talks that were read and mended for"];

/// The tables of a protocol, if there are labels for it.
pub(crate) fn tables(measurer: &Measurer, id: &str) -> Result<Option<String>, String> {
    let Some(asked) = ASKED.iter().find(|asked| asked.id == id) else { return Ok(None) };
    let mut page = "\nThere are no labelled talks of real customers for it. A language model that did not know the lines wrote and labelled these; nobody\n\
                    else checked the labels. Figures in brackets are 95 % intervals.\n"
        .to_owned();
    for (name, title) in asked.files.iter().zip(TITLES) {
        let file = format!("fixtures/labelled/{name}.jsonl");
        let _ = write!(
            page,
            "\n### {title}\n\n`{file}`.\n\n| label | talks with it | found | reported without it | macro-F1 |\n|---|---:|---:|---:|---:|\n"
        );
        for label in asked.labels {
            let answer = measurer.evaluate_ours(id, &file, &["--label", label, "--marker", label])?;
            page.push_str(&row(label, &answer));
        }
        if let Some((label, value)) = asked.score {
            let answer = measurer.evaluate_ours(id, &file, &["--label", label, "--positive", value])?;
            page.push_str(&row(&format!("score of 0.5 or more, against {label} {value}"), &answer));
        }
    }
    Ok(Some(page))
}

/// A row of the table, from what `sonometer evaluate` says.
fn row(label: &str, answer: &Value) -> String {
    let figures = &answer["figures"];
    let count = |key: &str| count(&figures["counts"][key]);
    let (found, alarms) = (count("true_positives"), count("false_positives"));
    let with = found + count("false_negatives");
    let without = alarms + count("true_negatives");
    format!("| {label} | {with} | {found} | {alarms} of {without} | {} |\n", estimate(&figures["macro_f1"]))
}
