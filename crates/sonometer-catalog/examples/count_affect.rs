//! Counts how well the protocol `affect` finds the feelings that people found in comments.
//!
//! `count_affect [COMMENTS [PROTOCOL]]` reads comments as JSON lines (`id`, `interaction.content`, `labels.emotions`;
//! the emotions of GoEmotions, by default `../shared/data/goemotions.jsonl` beside the repository) and prints, for each
//! half of them, precision, recall and F1 of each marker, then the errors that are made most often. The halves are by a
//! hash of the id: the patterns were tuned on the even half, the odd half shows what that is worth. Every number is
//! a whole one or a fraction of whole ones, so the output is the same everywhere.

use sonometer::protocol::source::{Node, Value, read_json};
use sonometer::{Interaction, Protocol, Reading, Sensor, Unit};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

/// Which emotions each marker stands for.
const MAPPING: &[(&str, &[&str])] = &[
    ("gratitude", &["gratitude"]),
    ("admiration", &["admiration", "pride"]),
    ("approval", &["approval"]),
    ("love", &["love"]),
    ("caring", &["caring"]),
    ("hope", &["optimism", "desire"]),
    ("joy", &["joy", "excitement", "relief"]),
    ("amusement", &["amusement"]),
    ("curiosity", &["curiosity"]),
    ("confusion", &["confusion"]),
    ("surprise", &["surprise"]),
    ("anger", &["anger", "annoyance"]),
    ("disapproval", &["disapproval"]),
    ("disgust", &["disgust"]),
    ("embarrassment", &["embarrassment"]),
    ("sadness", &["sadness", "disappointment", "grief"]),
    ("fear", &["fear", "nervousness"]),
    ("remorse", &["remorse"]),
    (POSITIVE.0, POSITIVE.1),
    (NEGATIVE.0, NEGATIVE.1),
];

/// The sides, as the authors of GoEmotions group the emotions. Confusion, curiosity, realization and surprise are on
/// neither.
const POSITIVE: (&str, &[&str]) = (
    "positive",
    &[
        "admiration",
        "amusement",
        "approval",
        "caring",
        "desire",
        "excitement",
        "gratitude",
        "joy",
        "love",
        "optimism",
        "pride",
        "relief",
    ],
);
const NEGATIVE: (&str, &[&str]) = (
    "negative",
    &[
        "anger",
        "annoyance",
        "disappointment",
        "disapproval",
        "disgust",
        "embarrassment",
        "fear",
        "grief",
        "nervousness",
        "remorse",
        "sadness",
    ],
);

/// How many errors of each sign are shown, and how many ids of each.
const ERRORS_SHOWN: usize = 25;
const IDS_SHOWN: usize = 4;

/// A labelled comment and what the sensor says about it.
struct Item {
    id: String,
    emotions: BTreeSet<String>,
    reading: Reading,
}

impl Item {
    fn is_labelled(&self, emotions: &[&str]) -> bool {
        emotions.iter().any(|emotion| self.emotions.contains(*emotion))
    }

    /// Nothing is triggered where the content is insufficient, so that counts as a negative.
    fn is_triggered(&self, marker: &str) -> bool {
        self.reading.resonance().any(|(label, resonance)| label == marker && resonance.triggered)
    }

    /// The words of the evidence for a marker, each once.
    fn evidence(&self, marker: &str) -> String {
        let of_marker = self.reading.evidence().filter(|evidence| evidence.metamarker == marker);
        let words: BTreeSet<String> = of_marker.map(|evidence| evidence.source.to_lowercase()).collect();
        words.into_iter().collect::<Vec<_>>().join(" + ")
    }
}

/// What a marker said (found or not) against what people said (there or not).
#[derive(Default)]
struct Count {
    found_there: u32,
    found_absent: u32,
    missed_there: u32,
    missed_absent: u32,
}

impl Count {
    fn of(items: &[&Item], marker: &str, emotions: &[&str]) -> Self {
        let mut count = Self::default();
        for item in items {
            let cell = match (item.is_triggered(marker), item.is_labelled(emotions)) {
                (true, true) => &mut count.found_there,
                (true, false) => &mut count.found_absent,
                (false, true) => &mut count.missed_there,
                (false, false) => &mut count.missed_absent,
            };
            *cell += 1;
        }
        count
    }

    fn precision(&self) -> Unit {
        share(self.found_there, self.found_there + self.found_absent)
    }

    fn recall(&self) -> Unit {
        share(self.found_there, self.found_there + self.missed_there)
    }

    fn f1(&self) -> Unit {
        share(2 * self.found_there, 2 * self.found_there + self.found_absent + self.missed_there)
    }

    /// The mean of the F1 of *there* and of *absent*.
    fn macro_f1(&self) -> Unit {
        let absent =
            share(2 * self.missed_absent, 2 * self.missed_absent + self.found_absent + self.missed_there);
        Unit((self.f1().0 + absent.0) / 2)
    }
}

/// A share; 0 of nothing.
fn share(part: u32, whole: u32) -> Unit {
    if whole == 0 { Unit::ZERO } else { Unit::ratio(part.into(), whole.into()) }
}

/// Three places, rounded half up.
fn places(value: Unit) -> String {
    let thousandths = (value.0 + 500) / 1_000;
    format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000)
}

/// Whether the FNV-1a hash of the id is even.
fn is_even(id: &str) -> bool {
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash % 2 == 0
}

fn main() -> Result<(), Box<dyn Error>> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let comments = arguments.next().unwrap_or_else(|| home.join("../../../shared/data/goemotions.jsonl"));
    let protocol = arguments.next().unwrap_or_else(|| home.join("protocols/affect.yaml"));
    let Ok(comments) = std::fs::read_to_string(&comments) else {
        println!("No comments at {}; give their path as the first argument.", comments.display());
        return Ok(());
    };
    let (protocol, _) = Protocol::read(&std::fs::read_to_string(protocol)?)?;
    let sensor = Sensor::new(protocol)?;
    let items = comments
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| read_item(line, &sensor))
        .collect::<Result<Vec<_>, _>>()?;
    for (name, wanted) in [("even ids (tuned on)", true), ("odd ids (verified on)", false)] {
        let half: Vec<&Item> = items.iter().filter(|item| is_even(&item.id) == wanted).collect();
        print_table(name, &half);
    }
    let all: Vec<&Item> = items.iter().collect();
    print_table("all", &all);
    print_errors(&all);
    Ok(())
}

fn read_item(line: &str, sensor: &Sensor) -> Result<Item, Box<dyn Error>> {
    let root = read_json(line).map_err(|finding| finding.to_string())?;
    let text = |node: Option<&Node>| node.and_then(Node::text).map(str::to_owned);
    let id = text(root.get("id")).ok_or("a comment without id")?;
    let content = text(root.get("interaction").and_then(|interaction| interaction.get("content")))
        .ok_or_else(|| format!("{id} has no content"))?;
    let emotions = match root.get("labels").and_then(|labels| labels.get("emotions")).map(|node| &node.value)
    {
        Some(Value::List(emotions)) => emotions.iter().filter_map(|emotion| text(Some(emotion))).collect(),
        _ => return Err(format!("{id} has no emotions").into()),
    };
    let reading = sensor.sense(&Interaction::text(&content)?)?;
    Ok(Item { id, emotions, reading })
}

fn print_table(name: &str, items: &[&Item]) {
    let insufficient = items.iter().filter(|item| !item.reading.fidelity().sufficient).count();
    println!("{name}: {} comments, {insufficient} of them insufficient", items.len());
    println!(
        "{:<13} {:>6} {:>6}  {:>9} {:>6} {:>6}",
        "marker", "people", "found", "precision", "recall", "F1"
    );
    for (marker, emotions) in MAPPING {
        let count = Count::of(items, marker, emotions);
        println!(
            "{marker:<13} {:>6} {:>6}  {:>9} {:>6} {:>6}",
            count.found_there + count.missed_there,
            count.found_there + count.found_absent,
            places(count.precision()),
            places(count.recall()),
            places(count.f1()),
        );
    }
    for (marker, emotions) in [POSITIVE, NEGATIVE] {
        println!("macro-F1 {marker}: {}", places(Count::of(items, marker, emotions).macro_f1()));
    }
    println!();
}

/// The errors made most often: `+` evidence where people found nothing, `-` an emotion that was not found.
fn print_errors(items: &[&Item]) {
    let mut found: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    let mut missed: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    for (marker, emotions) in MAPPING {
        for item in items {
            match (item.is_triggered(marker), item.is_labelled(emotions)) {
                (true, false) => found.entry((marker, item.evidence(marker))).or_default().push(&item.id),
                (false, true) => {
                    let labels = emotions.iter().filter(|emotion| item.emotions.contains(**emotion));
                    let labels = labels.copied().collect::<Vec<_>>().join(" + ");
                    missed.entry((marker, labels)).or_default().push(&item.id);
                }
                _ => {}
            }
        }
    }
    print_frequent("found most often where people did not (marker: evidence)", '+', found);
    print_frequent("missed most often (marker: emotion)", '-', missed);
}

fn print_frequent(title: &str, sign: char, errors: BTreeMap<(&str, String), Vec<&str>>) {
    let mut errors: Vec<_> = errors.into_iter().collect();
    // The sort is stable: what is as frequent stays in the order of marker and words.
    errors.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    println!("{title}:");
    for ((marker, what), ids) in errors.iter().take(ERRORS_SHOWN) {
        let more = if ids.len() > IDS_SHOWN { ", …" } else { "" };
        let shown = ids[..ids.len().min(IDS_SHOWN)].join(", ");
        println!("{:>4} {sign} {marker}: {what} ({shown}{more})", ids.len());
    }
    println!();
}
