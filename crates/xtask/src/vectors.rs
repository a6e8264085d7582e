//! The test vectors: `vectors` fills in what is missing, `vectors --check` works everything out again.
//!
//! Expectations come from the reference engine; those of dives, which it does not know, from the engine itself. To have one worked out anew,
//! remove its `expect` or `error` first: a filled expectation is never written over.

use crate::dives;
use sonometer_reference::vectors::{self, Line, Outcome};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Fills in the expectations that are missing.
pub(crate) fn fill() -> Result<(), String> {
    for path in vectors::files(&root()).map_err(|error| error.to_string())? {
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let mut all = vectors::read(&file, &text)?.into_iter();
        let mut filled = String::new();
        let mut count = 0;
        for line in text.lines() {
            let read: Option<Line> = serde_json::from_str(line).ok();
            let vector =
                if read.as_ref().is_some_and(|line| line.name.is_some()) { all.next() } else { None };
            match (read, vector) {
                (Some(mut line), Some(vector)) if vector.expect.is_none() => {
                    match vector.by_reference() {
                        Outcome::Reading(reading) => line.expect = Some(reading),
                        Outcome::Error(error) => line.error = Some(error),
                    }
                    filled.push_str(&serde_json::to_string(&line).map_err(|error| error.to_string())?);
                    count += 1;
                }
                _ => filled.push_str(line),
            }
            filled.push('\n');
        }
        if filled != text {
            fs::write(&path, filled).map_err(|error| error.to_string())?;
            println!("{file}: {count} filled in");
        }
    }
    dives::fill(&root())
}

/// Works every expectation out again.
pub(crate) fn check() -> Result<(), String> {
    let all = vectors::all(&root())?;
    let mut wrong: Vec<String> = all
        .iter()
        .filter(|vector| vector.expect.as_ref() != Some(&vector.by_reference()))
        .map(|vector| format!("{}: `{}` is missing or different", vector.place, vector.name))
        .collect();
    let (played, differ) = dives::check(&root())?;
    wrong.extend(differ);
    println!("{} vectors, {played} of dives and cards", all.len());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}
