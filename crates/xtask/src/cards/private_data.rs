//! What the card of `personal-data` says beside the figures of `sonometer evaluate`: characters that stay readable, addresses as one
//! place, and alarms for each turn of ordinary talk; all of it beside the version before.

use super::halves::{HALVES, Split};
use super::measure::Measurer;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

pub(super) const ID: &str = "personal-data";
/// The version before, and the newest.
const VERSIONS: [&str; 2] = ["personal-data@2.1", ID];
/// The version before, as headings name it.
const BEFORE: &str = "2.1";

/// Each type of label that the protocol claims to find, and the markers that may find it.
const CLAIMED: [(&str, &[&str]); 12] = [
    ("CREDIT_CARD", &["payment_card", "card_security_code"]),
    ("IBAN_CODE", &["bank_account"]),
    ("US_SSN", &["social_security_number"]),
    ("US_DRIVER_LICENSE", &["driver_license"]),
    ("EMAIL_ADDRESS", &["email_address"]),
    ("PHONE_NUMBER", &["phone_number"]),
    ("IP_ADDRESS", &["ip_address"]),
    ("DOMAIN_NAME", &["web_address"]),
    ("AGE", &["age"]),
    ("ADDRESS", ADDRESS_MARKERS),
    ("STREET_ADDRESS", ADDRESS_MARKERS),
    ("ZIP_CODE", ADDRESS_MARKERS),
];
const ADDRESS_MARKERS: &[&str] = &["postal_address", "postal_code"];
/// Labels of parts of an address, and labels that count as part of one only beside another part.
const ADDRESS_PARTS: [&str; 3] = ["ADDRESS", "STREET_ADDRESS", "ZIP_CODE"];
const PLACES: [&str; 2] = ["LOCATION", "GPE"];

/// Ordinary talk, and sets in which personal data is not what was looked for.
const ORDINARY: [&str; 14] = [
    "background.jsonl",
    "adhominem.jsonl",
    "casino.jsonl",
    "convarg.jsonl",
    "darkpattern.jsonl",
    "goemotions.jsonl",
    "hatecheck.jsonl",
    "hatecheck_ml.jsonl",
    "injection.jsonl",
    "offense_de.jsonl",
    "offense_zh.jsonl",
    "politeness.jsonl",
    "refusal.jsonl",
    "uptake.jsonl",
];

/// A place: its beginning and end in characters, and its type or marker.
pub(super) type Place = (usize, usize, String);

/// All sections.
pub(super) fn sections(measurer: &Measurer) -> Result<String, String> {
    Ok(format!("{}\n{}", hidden(measurer)?, alarms(measurer)?))
}

/// What stays readable of the labelled data.
fn hidden(measurer: &Measurer) -> Result<String, String> {
    let mut page = "### Characters that are hidden, and addresses as one place\n\n\
         `pii.jsonl`, types that the protocol claims to find. *Hidden*: characters of the labels, spaces aside, that lie in some place\n\
         of evidence. *Exact, addresses whole*: house number, street, flat, code and the towns and countries beside them are one place.\n\
         Aims: 0.95 hidden, 0.85 exact.\n\n\
         | half | version | labels | characters | hidden | labels hidden as a whole | places | found | exact, addresses whole (F1) |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for (half, is_tuned) in HALVES {
        let lines = Split::Template.half(&measurer.text("pii.jsonl")?, is_tuned)?;
        let items = values(&lines)?;
        let interactions: Vec<Value> = items.iter().map(|item| item["interaction"].clone()).collect();
        for version in VERSIONS {
            let found = measurer.evidence(version, &interactions)?;
            let mut sums = Sums::default();
            for (item, found) in items.iter().zip(&found) {
                sums.add(item, found);
            }
            let _ = writeln!(page, "| {half} | {} | {} |", shown(version), sums.row());
        }
    }
    let _ = write!(
        page,
        "\nBoth parts together, by type:\n\n| type of label | labels | characters | hidden, {BEFORE} | hidden, this |\n|---|---:|---:|---:|---:|\n"
    );
    let items = values(&measurer.text("pii.jsonl")?)?;
    let interactions: Vec<Value> = items.iter().map(|item| item["interaction"].clone()).collect();
    let found = VERSIONS
        .map(|version| measurer.evidence(version, &interactions))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    for (kind, _) in CLAIMED {
        let mut of_versions = [Sums::default(), Sums::default()];
        for (number, item) in items.iter().enumerate() {
            let mut item = item.clone();
            if let Some(spans) = item["labels"]["spans"].as_array_mut() {
                spans.retain(|span| span["type"] == kind);
            }
            of_versions.iter_mut().zip(&found).for_each(|(sums, found)| sums.add(&item, &found[number]));
        }
        let [before, now] = of_versions.each_ref().map(|sums| share(sums.hidden, sums.characters));
        let [_, Sums { labels, characters, .. }] = of_versions;
        let _ = writeln!(page, "| {kind} | {labels} | {characters} | {before} | {now} |");
    }
    Ok(page)
}

fn shown(version: &str) -> &str {
    version.split_once('@').map_or("this", |(_, number)| number)
}

/// Counts over items.
#[derive(Default)]
struct Sums {
    labels: u32,
    characters: u32,
    hidden: u32,
    wholly_hidden: u32,
    /// Places with the parts of an address as one.
    places: u32,
    found: u32,
    exact: u32,
    evidence: u32,
}

impl Sums {
    fn add(&mut self, item: &Value, found: &[Place]) {
        let content: Vec<char> =
            item["interaction"]["content"].as_str().unwrap_or_default().chars().collect();
        let labels = labels(item);
        let claimed = labels.iter().filter(|label| markers_of(&label.2).is_some());
        for (start, end, _) in claimed.clone() {
            let readable = |at: &usize| {
                !content[*at].is_whitespace() && !found.iter().any(|(s, e, _)| (s..e).contains(&at))
            };
            let all = content[*start..*end].iter().filter(|c| !c.is_whitespace()).count() as u32;
            let left = (*start..*end).filter(readable).count() as u32;
            self.labels += 1;
            self.characters += all;
            self.hidden += all - left;
            self.wholly_hidden += u32::from(left == 0);
        }
        let mut places: Vec<Place> =
            claimed.filter(|label| !ADDRESS_PARTS.contains(&label.2.as_str())).cloned().collect();
        places.extend(addresses(&content, &labels));
        let counted = |marker: &str| CLAIMED.iter().any(|(_, markers)| markers.contains(&marker));
        let found: BTreeSet<&Place> = found.iter().filter(|place| counted(&place.2)).collect();
        self.evidence += found.len() as u32;
        for (start, end, kind) in &places {
            let markers = markers_of(kind).unwrap_or_default();
            let mut of_kind = found.iter().filter(|place| markers.contains(&place.2.as_str()));
            self.places += 1;
            self.found += u32::from(of_kind.clone().any(|(s, e, _)| s < end && start < e));
            self.exact += u32::from(of_kind.any(|(s, e, _)| (s, e) == (start, end)));
        }
    }

    fn row(&self) -> String {
        format!(
            "{} | {} | {} | {} | {} | {} | {}",
            self.labels,
            self.characters,
            share(self.hidden, self.characters),
            share(self.wholly_hidden, self.labels),
            self.places,
            share(self.found, self.places),
            share(2 * self.exact, self.evidence + self.places)
        )
    }
}

/// Three places after the point, in whole numbers so that they are the same everywhere.
pub(super) fn share(part: u32, whole: u32) -> String {
    let thousandths = (part * 2000 + whole) / (whole * 2).max(1);
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

fn markers_of(kind: &str) -> Option<&'static [&'static str]> {
    CLAIMED.iter().find(|(name, _)| *name == kind).map(|(_, markers)| *markers)
}

fn labels(item: &Value) -> Vec<Place> {
    let spans = item["labels"]["spans"].as_array().map_or(&[][..], Vec::as_slice);
    let mut labels: Vec<Place> = spans.iter().filter_map(|span| place(span, "type")).collect();
    labels.sort();
    labels
}

/// The place of a label or of evidence, with what `key` says of it.
pub(super) fn place(value: &Value, key: &str) -> Option<Place> {
    let number = |key: &str| usize::try_from(value[key].as_u64()?).ok();
    Some((number("start")?, number("end")?, value[key].as_str()?.to_owned()))
}

/// Parts of an address, and towns and countries, with nothing but spaces, commas and marks of quotation between them are one.
fn addresses(content: &[char], labels: &[Place]) -> Vec<Place> {
    let mut groups: Vec<(usize, usize, bool)> = Vec::new();
    for (start, end, kind) in labels {
        let is_part = ADDRESS_PARTS.contains(&kind.as_str());
        if !is_part && !PLACES.contains(&kind.as_str()) {
            continue;
        }
        match groups.last_mut() {
            Some(last) if start - last.1 <= 8 && content[last.1..*start].iter().all(|c| is_between(*c)) => {
                (last.1, last.2) = (*end, last.2 || is_part);
            }
            _ => groups.push((*start, *end, is_part)),
        }
    }
    groups
        .into_iter()
        .filter(|group| group.2)
        .map(|(start, end, _)| (start, end, "ADDRESS".to_owned()))
        .collect()
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '>' | '?')
}

pub(super) fn values(lines: &str) -> Result<Vec<Value>, String> {
    lines.lines().map(|line| serde_json::from_str(line).map_err(|e| e.to_string())).collect()
}

/// What is found in talk that nobody labelled: for each turn, and for each talk with such a turn.
#[derive(Clone, Default)]
struct Alarms {
    turns: u32,
    talks: u32,
    /// For each version.
    turns_with: [u32; 2],
    talks_with: [u32; 2],
    /// Turns with each marker of the newest.
    markers: BTreeMap<String, u32>,
}

fn alarms(measurer: &Measurer) -> Result<String, String> {
    let mut page = format!(
        "### Alarms on ordinary talk\n\n\
         Each turn is sensed by itself. Half of the `sgd` talks name the telephone number or address of a business: found is right there.\n\
         The patterns were mended on all of these texts, so the figures are no independent proof.\n\n\
         | file | turns | with a find | share, {BEFORE} | share, this | talks | share, {BEFORE} | share, this | turns by marker |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---|\n"
    );
    for file in ORDINARY {
        let items = values(&measurer.text(file)?)?;
        let mut sources: BTreeMap<String, Alarms> = BTreeMap::new();
        let (mut turns, mut talks) = (Vec::new(), Vec::new());
        for item in &items {
            for key in ["interaction", "interaction_a", "interaction_b"] {
                let talk = &item[key];
                if talk.is_null() {
                    continue;
                }
                talks.push(source(file, item));
                let one = std::slice::from_ref(talk);
                let said = talk["segments"].as_array().map_or(one, Vec::as_slice);
                let said = said
                    .iter()
                    .filter_map(|turn| turn["content"].as_str())
                    .filter(|text| !text.trim().is_empty());
                turns.extend(said.map(|text| (talks.len() - 1, json!({ "content": text }))));
            }
        }
        talks.iter().for_each(|name| sources.entry(name.clone()).or_default().talks += 1);
        let said: Vec<Value> = turns.iter().map(|(_, turn)| turn.clone()).collect();
        for (number, version) in VERSIONS.into_iter().enumerate() {
            let found = measurer.evidence(version, &said)?;
            let mut hit = BTreeSet::new();
            for ((talk, _), found) in turns.iter().zip(&found) {
                let alarms = sources.entry(talks[*talk].clone()).or_default();
                alarms.turns += u32::from(number == 0);
                alarms.turns_with[number] += u32::from(!found.is_empty());
                alarms.talks_with[number] += u32::from(!found.is_empty() && hit.insert(*talk));
                let markers: BTreeSet<&String> = found.iter().map(|(_, _, marker)| marker).collect();
                if number == 1 {
                    markers
                        .into_iter()
                        .for_each(|marker| *alarms.markers.entry(marker.clone()).or_default() += 1);
                }
            }
        }
        for (name, alarms) in sources {
            let _ = writeln!(page, "| {name} | {} |", alarms.row());
        }
    }
    Ok(page)
}

/// The file, and for files of several sources the beginning of the id.
fn source(file: &str, item: &Value) -> String {
    match item["id"].as_str().and_then(|id| id.split_once('-')) {
        Some((source, _)) if file == "background.jsonl" => format!("`{file}`, `{source}`"),
        _ => format!("`{file}`"),
    }
}

impl Alarms {
    fn row(&self) -> String {
        let percent = |part: u32, whole: u32| {
            let hundredths = (u64::from(part) * 20_000 + u64::from(whole)) / (u64::from(whole) * 2).max(1);
            format!("{}.{:02} %", hundredths / 100, hundredths % 100)
        };
        let markers: Vec<String> =
            self.markers.iter().map(|(marker, count)| format!("{marker} {count}")).collect();
        let [turns, talks] = [(self.turns_with, self.turns), (self.talks_with, self.talks)]
            .map(|(with, all)| format!("{} | {}", percent(with[0], all), percent(with[1], all)));
        format!(
            "{} | {} | {turns} | {} | {talks} | {}",
            self.turns,
            self.turns_with[1],
            self.talks,
            markers.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item() -> Value {
        json!({
            "interaction": {"content": "Ann, 5 Elm St\n> Leeds 12345 in Rome"},
            "labels": {"spans": [
                {"start": 0, "end": 3, "type": "PERSON"},
                {"start": 5, "end": 13, "type": "ADDRESS"},
                {"start": 16, "end": 21, "type": "GPE"},
                {"start": 22, "end": 27, "type": "ADDRESS"},
                {"start": 31, "end": 35, "type": "GPE"},
            ]}
        })
    }

    #[test]
    fn parts_of_an_address_are_one_place_and_a_town_elsewhere_is_none() {
        let item = item();
        let content: Vec<char> = item["interaction"]["content"].as_str().expect("is text").chars().collect();
        assert_eq!(addresses(&content, &labels(&item)), [(5, 27, "ADDRESS".to_owned())]);
    }

    #[test]
    fn characters_outside_of_evidence_are_readable() {
        let mut sums = Sums::default();
        sums.add(&item(), &[(5, 13, "postal_address".to_owned())]);
        // `5 Elm St` has six characters without its spaces, the code five; the whole address is found, not exactly.
        assert_eq!((sums.labels, sums.characters, sums.hidden, sums.wholly_hidden), (2, 11, 6, 1));
        assert_eq!((sums.places, sums.found, sums.exact, sums.evidence), (1, 1, 0, 1));
        sums.add(&item(), &[(5, 27, "postal_address".to_owned()), (0, 3, "person_name".to_owned())]);
        assert_eq!((sums.hidden, sums.characters, sums.exact, sums.evidence), (17, 22, 1, 2));
        assert!(sums.row().ends_with("| 0.500"), "{}", sums.row());
    }
}
