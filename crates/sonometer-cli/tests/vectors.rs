//! Every test vector through the built command.

mod built;

use built::{command, command_in, folder, piped, text};
use sonometer_reference::vectors::{self, Outcome, Vector};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What one process can sense: vectors of one protocol and view, an interaction a line.
type Batches<'v> = BTreeMap<(&'v str, Vec<String>), Vec<&'v Vector>>;

/// Vectors that a process each senses, with their options.
type Alone<'v> = Vec<(Vec<String>, &'v Vector)>;

/// What can be sensed together, what is sensed alone, and metrics, blueprints and comparisons.
fn batches(vectors: &[Vector]) -> (Batches<'_>, Alone<'_>, Vec<&Vector>) {
    let (mut batches, mut alone, mut composed) = (Batches::new(), Vec::new(), Vec::new());
    for vector in vectors {
        let text = &vector.interaction;
        if vector.interaction_b.is_some() || !vector.shelf.is_empty() {
            composed.push(vector);
        } else if text.contains('\n') || text.trim().is_empty() || is_about_the_protocol(vector) {
            alone.push((vector.view.options("json"), vector));
        } else {
            batches.entry((&vector.target, vector.view.options("jsonl"))).or_default().push(vector);
        }
    }
    (batches, alone, composed)
}

/// Whether the protocol cannot be read: the command then answers once, whatever the interactions.
fn is_about_the_protocol(vector: &Vector) -> bool {
    matches!(&vector.expect, Some(Outcome::Error(error)) if error.code == "invalid_protocol")
}

/// The lines that the command writes.
fn sense(protocol: &str, options: &[String], input: &str) -> Vec<String> {
    // A process at a time, so that one file does.
    let extension = if protocol.starts_with('{') { "json" } else { "yaml" };
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("vectors.{extension}"));
    fs::write(&file, protocol).expect("can be written");
    let file = file.to_str().expect("is UTF-8");
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let output = piped(command(&[&["sense", file, "-"], &options[..]].concat()), input.as_bytes());
    text(&output.stdout).split_terminator('\n').map(str::to_owned).collect()
}

/// Runs a vector whose target or interactions need files of their own, in a folder of its own.
fn run_composed(vector: &Vector) -> Vec<String> {
    let folder = folder("composed", &[]);
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("can be written");
    vector.shelf.iter().enumerate().for_each(|(at, source)| write(&format!("named-{at}.json"), source));
    write("target.json", &vector.target);
    // Interactions beside protocols are none.
    fs::create_dir_all(folder.join("talks")).expect("can be made");
    write("talks/a.json", &vector.interaction);
    let mut command = command_in(&folder, &[]);
    match &vector.interaction_b {
        Some(other) => {
            write("talks/b.json", other);
            command.args(["compare", "target.json", "talks/a.json", "talks/b.json", "--json"]);
        }
        None => {
            command.args(["sense", "target.json", "talks/a.json"]).args(vector.view.options("json"));
        }
    }
    let output = command.output().expect("ends");
    text(&output.stdout).split_terminator('\n').map(str::to_owned).collect()
}

/// What is wrong with a line of output, if anything.
fn judge(vector: &Vector, line: Option<&String>) -> Option<String> {
    let line = line.map_or("", String::as_str);
    let right = match vector.expect.as_ref().expect("is filled in") {
        Outcome::Reading(reading) if reading.contains("\"sufficient\":false") => {
            line.contains("\"code\":\"insufficient_signal\"")
        }
        Outcome::Reading(reading) => line == reading,
        Outcome::Error(error) => {
            // The places in a protocol stand in the report for people.
            let place = if error.code == "invalid_protocol" { "" } else { &error.place };
            // An empty standard input is told without a place.
            let named = line.contains(place) || vector.interaction.trim().is_empty();
            line.contains(&format!("\"code\":\"{}\"", error.code)) && named
        }
    };
    (!right).then(|| {
        format!("{} `{}`\n expected {:?}\n found    {line}", vector.place, vector.name, vector.expect)
    })
}

#[test]
fn the_command_gives_what_every_vector_expects() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let vectors = vectors::all(&root).unwrap_or_else(|reason| panic!("{reason}"));
    let (batches, alone, composed) = batches(&vectors);
    let mut wrong = Vec::new();
    let mut ran = 0;
    for ((protocol, options), batch) in &batches {
        let lines: Vec<&str> = batch.iter().map(|vector| vector.interaction.as_str()).collect();
        let answers = sense(protocol, options, &lines.join("\n"));
        wrong.extend(batch.iter().enumerate().filter_map(|(at, vector)| judge(vector, answers.get(at))));
        ran += batch.len();
    }
    for (options, vector) in alone {
        let answers = sense(&vector.target, &options, &vector.interaction);
        wrong.extend(judge(vector, answers.first()));
        ran += 1;
    }
    for vector in composed {
        wrong.extend(judge(vector, run_composed(vector).first()));
        ran += 1;
    }
    println!("command: {ran} vectors ran");
    assert_eq!(ran, vectors.len());
    assert!(wrong.is_empty(), "{} of {ran} differ\n{}", wrong.len(), wrong.join("\n"));
}
