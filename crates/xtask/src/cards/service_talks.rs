//! Talks of customers and agents by others, with labels: how many of each are found by the markers of the same names.

use super::measure::Measurer;
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
const TITLES: [&str; 2] =
    ["Talks by others that nothing was mended for", "Talks by others that were read and mended for"];

/// The tables of a protocol, if there are labels for it.
pub(crate) fn tables(measurer: &Measurer, id: &str) -> Result<Option<String>, String> {
    let Some(asked) = ASKED.iter().find(|asked| asked.id == id) else { return Ok(None) };
    let mut page = "\nThere are no labelled talks of real customers for it. These are written, by people who did not know the lines.\n"
        .to_owned();
    for (name, title) in asked.files.iter().zip(TITLES) {
        let file = format!("fixtures/labelled/{name}.jsonl");
        let path = crate::test::root().join(&file);
        let lines = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let read = |line| serde_json::from_str(line).map_err(|e| format!("{file}: {e}"));
        let items: Vec<Value> = lines.lines().map(read).collect::<Result<_, String>>()?;
        let interactions: Vec<Value> = items.iter().map(|item| item["interaction"].clone()).collect();
        let readings = measurer.batch(id, "service-talks", &interactions)?;
        let _ = write!(
            page,
            "\n### {title}\n\n`{file}`, {} talks.\n\n| label | talks with it | found | reported without it | macro-F1 |\n|---|---:|---:|---:|---:|\n",
            items.len()
        );
        for label in asked.labels {
            let pairs = items.iter().zip(&readings).map(|(item, reading)| {
                let is_triggered = reading["resonance"][label].as_f64().is_some_and(|value| value >= 0.5);
                (item["labels"][label] == true, is_triggered)
            });
            page.push_str(&row(label, pairs));
        }
        if let Some((label, value)) = asked.score {
            let pairs = items.iter().zip(&readings).map(|(item, reading)| {
                let is_high = reading["score"].as_f64().is_some_and(|score| score >= 0.5);
                (item["labels"][label] == value, is_high)
            });
            page.push_str(&row(&format!("score of 0.5 or more, against {label} {value}"), pairs));
        }
    }
    Ok(Some(page))
}

/// A row of the table, from pairs of what people and what the protocol say.
fn row(label: &str, pairs: impl Iterator<Item = (bool, bool)>) -> String {
    let [mut hits, mut missed, mut alarms, mut silent] = [0_u32; 4];
    for pair in pairs {
        *match pair {
            (true, true) => &mut hits,
            (true, false) => &mut missed,
            (false, true) => &mut alarms,
            (false, false) => &mut silent,
        } += 1;
    }
    let f1 = |right: u32| f64::from(2 * right) / f64::from((2 * right + missed + alarms).max(1));
    let [with, without] = [hits + missed, alarms + silent];
    format!("| {label} | {with} | {hits} | {alarms} of {without} | {:.3} |\n", f1(hits).midpoint(f1(silent)))
}
