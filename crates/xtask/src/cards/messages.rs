//! Messages that a language model wrote, with labelled places of personal data: how much of each type the newest version finds and hides,
//! compared with the version before if there is one.

use super::measure::Measurer;
use super::private_data::{Place, place, share, values};
use serde_json::Value;
use std::fmt::Write as _;

/// A protocol, and what its markers are measured against.
struct Asked {
    id: &'static str,
    /// The version before, where the newest was mended for the messages that were read.
    before: Option<&'static str>,
    /// The files that were read and mended for.
    read: &'static [&'static str],
    /// Each type of label, and the markers that may find it.
    types: &'static [(&'static str, &'static [&'static str])],
}

const ASKED: [Asked; 2] = [
    Asked {
        id: "personal-data",
        before: Some("personal-data@2.1"),
        read: &["private-messages", "answers-in-markdown", "more-answers"],
        types: &[
            ("EMAIL", &["email_address"]),
            ("PHONE", &["phone_number"]),
            ("ADDRESS", &["postal_address", "postal_code"]),
            ("POSTCODE", &["postal_address", "postal_code"]),
            ("BIRTH", &["date_of_birth"]),
            ("AGE", &["age"]),
            ("CARD", &["payment_card"]),
            ("CVV", &["card_security_code"]),
            ("IBAN", &["bank_account"]),
            ("ACCOUNT", &["bank_account"]),
            ("SSN", &["social_security_number"]),
            ("NATIONALID", &["national_id", "social_security_number"]),
            ("DRIVER", &["driver_license"]),
            ("CREDENTIAL", &["credential"]),
            ("IP", &["ip_address"]),
            ("WEB", &["web_address"]),
        ],
    },
    Asked {
        id: "names-and-places",
        before: Some("names-and-places@1.0"),
        read: &["private-messages"],
        types: &[
            ("PERSON", &["person", "introduced_person", "person_in_small_letters"]),
            ("PLACE", &["place", "introduced_place"]),
            ("ORG", &["organisation"]),
            ("NATIONALITY", &["nationality"]),
        ],
    },
];

/// Files in `fixtures/labelled` that have one table together, and what they hold.
const FILES: [(&[&str], &str); 4] = [
    (&["unseen-private-messages"], "Messages by a language model"),
    (&["unseen-answers-in-markdown"], "Answers of assistants by a language model"),
    (&["private-messages"], "Messages by a language model"),
    (&["answers-in-markdown", "more-answers"], "Answers of assistants by a language model"),
];

/// What a version does about labels of one type.
#[derive(Clone, Copy, Default)]
struct Found {
    labels: u32,
    found: u32,
    characters: u32,
    hidden: u32,
}

/// The tables of a protocol, if there are such labels for it.
pub(crate) fn tables(measurer: &Measurer, id: &str) -> Result<Option<String>, String> {
    let Some(asked) = ASKED.iter().find(|asked| asked.id == id) else { return Ok(None) };
    let mut page = String::new();
    for (names, what) in FILES {
        let read = names.iter().all(|name| asked.read.contains(name));
        let title = if read { "that were read and mended for" } else { "that nothing was mended for" };
        let files: Vec<String> = names.iter().map(|name| format!("fixtures/labelled/{name}.jsonl")).collect();
        let mut items = Vec::new();
        for file in &files {
            let text = std::fs::read_to_string(crate::test::root().join(file))
                .map_err(|e| format!("{file}: {e}"))?;
            items.extend(values(&text)?);
        }
        let heading = format!("### {what} {title}\n\n`{}`", files.join("`, `"));
        page.push_str(&table(measurer, asked, &heading, &items)?);
    }
    Ok(Some(page))
}

fn table(measurer: &Measurer, asked: &Asked, title: &str, items: &[Value]) -> Result<String, String> {
    let versions: Vec<&str> = asked.before.into_iter().chain([asked.id]).collect();
    let interactions: Vec<Value> = items.iter().map(|item| item["interaction"].clone()).collect();
    let mut rows = vec![vec![Found::default(); versions.len()]; asked.types.len()];
    let mut elsewhere = Vec::new();
    for (number, version) in versions.iter().enumerate() {
        let found = measurer.evidence(version, &interactions)?;
        for (item, found) in items.iter().zip(&found) {
            for (row, kind) in rows.iter_mut().zip(asked.types) {
                row[number].add(item, found, *kind);
            }
        }
        elsewhere.push(beside(items, &found, asked));
    }
    let mut page = format!("\n{title}: {} texts.\n", items.len());
    for (version, (all, wrong)) in versions.iter().zip(&elsewhere) {
        let shown = version.split_once('@').map_or("this version", |(_, number)| number);
        let _ = writeln!(page, "Of {all} finds of {shown} {wrong} lie on no label of their kind.");
    }
    page.truncate(page.trim_end().len());
    page.push_str("\n\n| type of label | labels |");
    let heads = ["found", "characters hidden"];
    for head in heads {
        for version in &versions {
            let shown = version.split_once('@').map_or("this", |(_, number)| number);
            let _ = if versions.len() > 1 {
                write!(page, " {head}, {shown} |")
            } else {
                write!(page, " {head} |")
            };
        }
    }
    page.push_str("\n|---|---:|");
    page.push_str(&"---:|".repeat(2 * versions.len()));
    let mut sums = vec![Found::default(); versions.len()];
    for (row, (kind, _)) in rows.iter().zip(asked.types) {
        let _ = write!(page, "\n| {kind} {}", cells(row));
        sums.iter_mut().zip(row).for_each(|(sum, one)| sum.plus(*one));
    }
    let _ = writeln!(page, "\n| all {}", cells(&sums));
    Ok(page)
}

fn cells(row: &[Found]) -> String {
    let labels = row.first().map_or(0, |first| first.labels);
    let found = row.iter().map(|one| one.found.to_string());
    let hidden = row.iter().map(|one| share(one.hidden, one.characters));
    let cells: Vec<String> = [labels.to_string()].into_iter().chain(found).chain(hidden).collect();
    format!("| {} |", cells.join(" | "))
}

impl Found {
    fn add(&mut self, item: &Value, found: &[Place], (kind, markers): (&str, &[&str])) {
        let content: Vec<char> =
            item["interaction"]["content"].as_str().unwrap_or_default().chars().collect();
        for (start, end, _) in labels(item).into_iter().filter(|label| label.2 == kind) {
            let shown: Vec<usize> = (start..end).filter(|at| !content[*at].is_whitespace()).collect();
            let is_hidden = |at: &&usize| found.iter().any(|(s, e, _)| (s..e).contains(at));
            let overlaps =
                |(s, e, marker): &&Place| *s < end && start < *e && markers.contains(&marker.as_str());
            self.labels += 1;
            self.found += u32::from(found.iter().any(|place| overlaps(&place)));
            self.characters += shown.len() as u32;
            self.hidden += shown.iter().filter(is_hidden).count() as u32;
        }
    }

    fn plus(&mut self, other: Self) {
        self.labels += other.labels;
        self.found += other.found;
        self.characters += other.characters;
        self.hidden += other.hidden;
    }
}

/// How many finds there are of the markers that are asked for, and how many of them overlap no label of their type.
fn beside(items: &[Value], found: &[Vec<Place>], asked: &Asked) -> (usize, usize) {
    let (mut all, mut wrong) = (0, 0);
    for (item, found) in items.iter().zip(found) {
        let labels = labels(item);
        for (start, end, marker) in found {
            let of = |kind: &str| {
                asked.types.iter().any(|(name, markers)| *name == kind && markers.contains(&marker.as_str()))
            };
            if !asked.types.iter().any(|(_, markers)| markers.contains(&marker.as_str())) {
                continue;
            }
            all += 1;
            wrong += usize::from(!labels.iter().any(|(s, e, kind)| s < end && start < e && of(kind)));
        }
    }
    (all, wrong)
}

fn labels(item: &Value) -> Vec<Place> {
    let places = item["labels"]["places"].as_array().map_or(&[][..], Vec::as_slice);
    places.iter().filter_map(|label| place(label, "type")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn characters_without_spaces_count_and_other_kinds_of_find_hide_too() {
        let item = json!({
            "interaction": {"content": "Age 41, 5 Elm St"},
            "labels": {"places": [
                {"type": "AGE", "start": 4, "end": 6},
                {"type": "ADDRESS", "start": 8, "end": 16},
            ]}
        });
        let found = vec![(4, 6, "phone_number".to_owned()), (8, 13, "postal_address".to_owned())];
        let [mut age, mut address] = [Found::default(); 2];
        age.add(&item, &found, ASKED[0].types[5]);
        address.add(&item, &found, ASKED[0].types[2]);
        assert_eq!((age.labels, age.found, age.characters, age.hidden), (1, 0, 2, 2));
        assert_eq!((address.labels, address.found, address.characters, address.hidden), (1, 1, 6, 4));
        assert_eq!(beside(&[item], &[found], &ASKED[0]), (2, 1));
    }
}
