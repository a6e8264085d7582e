//! Counts how many texts of each language are sufficient for protocols in each language.
//!
//! `count_languages [FOLDER]` reads the JSON lines of the folder (by default `../shared/data` beside the repository): `interaction`
//! or `interaction_a`, and `labels.lang` where a file has several languages. It prints one Markdown table: for each file
//! and language the share of the texts whose fidelity reaches 0.5, for a protocol that asks for no more than one word.

use sonometer::document::{Node, Value, read_json};
use sonometer::language::LANGUAGES;
use sonometer::{Interaction, Protocol, Sensor, Turn};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::args_os().nth(1).map_or_else(beside, PathBuf::from);
    let mut files: Vec<PathBuf> = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?,
        Err(error) => {
            println!("skipped: {}: {error}", folder.display());
            return Ok(());
        }
    };
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    let sensors: Vec<Sensor> = LANGUAGES.iter().map(|l| sensor(l.code)).collect::<Result<_, _>>()?;
    let codes: Vec<&str> = LANGUAGES.iter().map(|l| l.code).collect();
    println!("| texts | number | {} |\n|---|---:|{}", codes.join(" | "), "---:|".repeat(codes.len()));
    for path in files {
        let mut rows: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for line in std::fs::read_to_string(&path)?.lines() {
            let Some((language, talk)) = text_of(line) else { continue };
            let row = rows.entry(language).or_insert_with(|| vec![0; 1 + sensors.len()]);
            row[0] += 1;
            for (sensor, count) in sensors.iter().zip(&mut row[1..]) {
                *count += usize::from(sensor.sense(&talk)?.fidelity().sufficient);
            }
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        for (language, row) in rows {
            let shares = row[1..].iter().map(|count| tenths(*count, row[0]));
            println!("| {name} {language} | {} | {} |", row[0], shares.collect::<Vec<_>>().join(" | "));
        }
    }
    Ok(())
}

/// A part in percent, with one decimal.
fn tenths(part: usize, whole: usize) -> String {
    let permille = (2000 * part + whole) / (2 * whole);
    format!("{}.{}", permille / 10, permille % 10)
}

fn sensor(language: &str) -> Result<Sensor, Box<dyn Error>> {
    let source = format!(
        r#"{{"sonometer": 1, "id": "any", "version": "1.0", "taxonomy": "Signal", "language": "{language}",
             "markers": [{{"label": "found", "strong": "sonometer"}}]}}"#
    );
    let (protocol, _) = Protocol::read(&source)?;
    Ok(Sensor::new(protocol)?)
}

/// The language that the labels name (nothing where they name none), and the interaction.
fn text_of(line: &str) -> Option<(String, Interaction)> {
    let text = |node: Option<&Node>| node.and_then(Node::text).map(str::to_owned);
    let node = read_json(line).ok()?;
    let interaction = node.get("interaction").or_else(|| node.get("interaction_a"))?;
    let talk = match text(interaction.get("content")) {
        Some(content) => Interaction::text(&content).ok()?,
        None => {
            let Value::List(segments) = &interaction.get("segments")?.value else { return None };
            let turns = segments.iter().map(|segment| Turn {
                role: text(segment.get("role")).map(Into::into),
                content: text(segment.get("content")).unwrap_or_default().into(),
                timestamp: None,
            });
            Interaction::transcript(turns.collect()).ok()?
        }
    };
    let language = text(node.get("labels").and_then(|labels| labels.get("lang")));
    Some((language.unwrap_or_default(), talk))
}
