//! Talks that a language model wrote, with labels of the talk or of its turns: how many of each the markers find.

use super::measure::{Measurer, count, estimate};
use serde_json::Value;
use std::fmt::Write as _;

/// A protocol, and the labels that its markers are measured against.
struct Asked {
    id: &'static str,
    labels: &'static [&'static str],
    /// A label of several values, and the one that a score of 0.5 or more stands for.
    score: Option<(&'static str, &'static str)>,
    /// Of turns: the marker, the label, whose list runs beside the segments, and the value that it stands for.
    moves: &'static [[&'static str; 3]],
    /// Files in `fixtures/labelled`: talks that nothing was mended for, each with the heading of its table, and talks that were read.
    unread: &'static [(&'static str, &'static str)],
    read: &'static [&'static str],
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
        moves: &[],
        unread: &[("unseen-disclosures", UNREAD)],
        read: &["disclosures", "more-disclosures"],
    },
    Asked {
        id: "counselling",
        labels: &[],
        score: None,
        moves: &[
            ["open_question", "counsellor", "open_question"],
            ["closed_question", "counsellor", "closed_question"],
            ["reflection", "counsellor", "reflection"],
            ["affirmation", "counsellor", "affirmation"],
            ["asks_permission", "counsellor", "permission"],
            ["autonomy", "counsellor", "autonomy"],
            ["pushing", "counsellor", "advice"],
            ["judging", "counsellor", "confront"],
            ["change_talk", "client", "change_talk"],
            ["sustain_talk", "client", "sustain_talk"],
        ],
        unread: &[("unseen-counselling-talks", "Talks that nothing was fitted to")],
        read: &[],
    },
    Asked {
        id: "promise",
        labels: &["promise", "dated", "taken_back", "chased"],
        score: None,
        moves: &[],
        unread: SERVICE_UNREAD,
        read: &["service-talks"],
    },
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
        moves: &[],
        unread: SERVICE_UNREAD,
        read: &["service-talks"],
    },
];

const UNREAD: &str = "Talks that nothing was mended for";
const READ: &str = "Talks that were read and mended for";
const SERVICE_UNREAD: &[(&str, &str)] = &[
    ("unseen-service-talks", UNREAD),
    ("more-service-talks", "Others, of more irony and stranger words, that nothing was mended for"),
];

/// The tables of a protocol, if there are labels for it.
pub(crate) fn tables(measurer: &Measurer, id: &str) -> Result<Option<String>, String> {
    let Some(asked) = ASKED.iter().find(|asked| asked.id == id) else { return Ok(None) };
    let mut page = "\nThere are no labelled talks of real people for it. A language model that did not know the lines wrote and labelled these; nobody\n\
                    else checked the labels. Figures in brackets are 95 % intervals.\n"
        .to_owned();
    let read = asked.read.iter().map(|name| (*name, READ));
    for (name, title) in asked.unread.iter().copied().chain(read) {
        let file = format!("fixtures/labelled/{name}.jsonl");
        let _ = write!(
            page,
            "\n### {title}\n\n`{file}`.\n\n| label | {} with it | found | reported without it | macro-F1 |\n|---|---:|---:|---:|---:|\n",
            if asked.moves.is_empty() { "talks" } else { "turns" }
        );
        for label in asked.labels {
            let answer = measurer.evaluate_ours(id, &file, &["--label", label, "--marker", label])?;
            page.push_str(&row(label, &answer));
        }
        for [marker, label, value] in asked.moves {
            let arguments = ["--label", label, "--positive", value, "--marker", marker, "--unit", "segments"];
            let answer = measurer.evaluate_ours(id, &file, &arguments)?;
            page.push_str(&row(value, &answer));
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
