//! Measures how often the markers of the published protocols trigger in what people wrote to each other.
//!
//! `measure_rates [FOLDER]` reads the English sets of conversations, requests, comments and arguments of the labelled data
//! (by default `../shared/data` beside the repository) and prints the contents of `rates.txt`. Sets that were built to hold
//! what a protocol looks for are left out: they would say how often people look for it, not how often it is said.

use sonometer::document::{Node, Value, read_json};
use sonometer::protocol::Status;
use sonometer::{Interaction, Sensor, Turn};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

const SETS: [&str; 6] = ["adhominem", "casino", "convarg", "goemotions", "politeness", "uptake"];

fn main() -> Result<(), Box<dyn Error>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::args_os().nth(1).map_or_else(beside, PathBuf::from);
    let mut talks = Vec::new();
    for set in SETS {
        let path = folder.join(format!("{set}.jsonl"));
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("# skipped: {}: {error}", path.display());
                return Ok(());
            }
        };
        for line in text.lines() {
            let root = read_json(line).map_err(|found| found.to_string())?;
            let keys = ["interaction", "interaction_a", "interaction_b"];
            talks.extend(keys.into_iter().filter_map(|key| root.get(key)).filter_map(talk));
        }
    }
    println!("# {} interactions of {}", talks.len(), SETS.join(", "));
    for entry in sonometer_catalog::protocols() {
        let (protocol, _) = entry.protocol()?;
        if protocol.status != Status::Published {
            continue;
        }
        let sensor = Sensor::new(protocol)?;
        let mut characters = 0;
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for talk in &talks {
            characters += talk.turns().iter().map(|turn| turn.content.chars().count()).sum::<usize>();
            let Ok(reading) = sensor.sense(talk) else { continue };
            for (label, _) in reading.resonance().filter(|(_, resonance)| resonance.triggered) {
                *counts.entry(label.to_owned()).or_default() += 1;
            }
        }
        println!("{} {} {characters}", entry.id, entry.version);
        counts.iter().for_each(|(label, count)| println!("  {label} {count}"));
    }
    Ok(())
}

/// The content or the segments of an interaction.
fn talk(node: &Node) -> Option<Interaction> {
    if let Some(content) = node.get("content").and_then(Node::text) {
        return Interaction::text(content).ok();
    }
    let Value::List(segments) = &node.get("segments")?.value else { return None };
    let turn = |segment: &Node| {
        let text = |key| segment.get(key).and_then(Node::text);
        Some(Turn { role: Some(text("role")?.into()), content: text("content")?.into(), timestamp: None })
    };
    Interaction::transcript(segments.iter().filter_map(turn).collect()).ok()
}
