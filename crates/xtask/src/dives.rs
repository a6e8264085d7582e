//! The vectors of dives and cards: files of stages, actions and the exact bytes that every door must answer.
//!
//! The format is described in `fixtures/dives/README.md`.

mod answer;

pub(crate) use answer::{Engine, Wrong};

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of vector files, seen from the root of the repository.
const FOLDER: &str = "fixtures/dives";

/// One vector.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(try_from = "Written", into = "Written")]
pub(crate) struct Line {
    /// What it shows, unique in the file.
    pub(crate) name: String,
    pub(crate) task: Task,
    /// What every door must answer; `None` as long as nobody has filled it in.
    pub(crate) expect: Option<String>,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    Dive(Play),
    Card(Proof),
}

/// A vector as its line, the keys in the order in which they are written.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    dive: Option<Play>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card: Option<Proof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expect: Option<String>,
}

impl TryFrom<Written> for Line {
    type Error = &'static str;

    fn try_from(Written { name, dive, card, expect }: Written) -> Result<Self, Self::Error> {
        let task = match (dive, card) {
            (Some(play), None) => Task::Dive(play),
            (None, Some(proof)) => Task::Card(proof),
            _ => return Err("not one of `dive`, `card`"),
        };
        Ok(Self { name, task, expect })
    }
}

impl From<Line> for Written {
    fn from(Line { name, task, expect }: Line) -> Self {
        let (dive, card) = match task {
            Task::Dive(play) => (Some(play), None),
            Task::Card(proof) => (None, Some(proof)),
        };
        Self { name, dive, card, expect }
    }
}

/// A dive from its opening to its card.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Play {
    /// The source of a stage, or its name in the catalogue.
    pub(crate) stage: String,
    /// What it may name besides the catalogue.
    pub(crate) shelf: Vec<String>,
    /// Decimal digits.
    pub(crate) seed: String,
    pub(crate) actions: Vec<String>,
    /// Whether the dive is saved and resumed after its opening and after every action.
    pub(crate) pause: bool,
    pub(crate) closing: Closing,
    /// The seed of the key that signs the card.
    pub(crate) key: Option<String>,
}

/// What only the caller knows when a dive is closed.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Closing {
    pub(crate) dive_id: String,
    pub(crate) agent: Option<Agent>,
    pub(crate) summary: Option<String>,
}

/// The caller's tag for its agent.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agent {
    pub(crate) id: String,
    pub(crate) version: Option<String>,
}

/// A card that somebody hands in, and by what it is checked.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Proof {
    pub(crate) text: String,
    /// The public keys that may have signed it; `None`: the signature is not looked at.
    pub(crate) keys: Option<String>,
    /// The log by which it is computed again.
    pub(crate) log: Option<String>,
    /// The stage for that, as in [`Play::stage`]; `None`: what the card names, from the catalogue.
    pub(crate) stage: Option<String>,
    pub(crate) shelf: Vec<String>,
}

/// The files below the root of the repository, in the order of their names.
pub(crate) fn files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = root.join(FOLDER);
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    Ok(files)
}

/// The vectors of one file.
pub(crate) fn read(path: &Path) -> Result<Vec<Line>, String> {
    let shown = path.file_name().unwrap_or_default().to_string_lossy();
    let text = fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
    let mut names = BTreeSet::new();
    let lines = text.split_terminator('\n').enumerate();
    lines
        .map(|(at, line)| {
            let fail = |reason: String| format!("{shown}:{}: {reason}", at + 1);
            let line: Line = serde_json::from_str(line).map_err(|error| fail(error.to_string()))?;
            match names.insert(line.name.clone()) {
                true => Ok(line),
                false => Err(fail(format!("two vectors are called `{}`", line.name))),
            }
        })
        .collect()
}

/// All vectors below the root of the repository; before each name stand file and line.
pub(crate) fn all(root: &Path) -> Result<Vec<Line>, String> {
    let mut all = Vec::new();
    for path in files(root)? {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        for (at, line) in read(&path)?.into_iter().enumerate() {
            all.push(Line { name: format!("{file}:{} {}", at + 1, line.name), ..line });
        }
    }
    Ok(all)
}

/// Fills in the answers that are missing, from the engine.
pub(crate) fn fill(root: &Path) -> Result<(), String> {
    let engine = Engine::default();
    for path in files(root)? {
        let mut count = 0;
        let mut text = String::new();
        for mut line in read(&path)? {
            if line.expect.is_none() {
                line.expect = Some(engine.line(&line.task));
                count += 1;
            }
            text.push_str(&serde_json::to_string(&line).map_err(|error| error.to_string())?);
            text.push('\n');
        }
        if count > 0 {
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
            println!("{}: {count} filled in", path.file_name().unwrap_or_default().to_string_lossy());
        }
    }
    Ok(())
}

/// Works every answer out again: how many there are, and which are missing or different.
pub(crate) fn check(root: &Path) -> Result<(usize, Vec<String>), String> {
    let engine = Engine::default();
    let all = all(root)?;
    let wrong = all.iter().filter(|line| line.expect.as_ref() != Some(&engine.line(&line.task)));
    let wrong = wrong.map(|line| format!("{} is missing or different", line.name)).collect();
    Ok((all.len(), wrong))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::root;

    #[test]
    fn the_engine_answers_what_the_vectors_expect() {
        let (count, wrong) = check(&root()).expect("vectors");
        assert!(count >= 100 && wrong.is_empty(), "{count} vectors, {wrong:?}");
    }

    /// What the vectors are to show is shown by at least one.
    #[test]
    fn every_outcome_stands_among_the_vectors() {
        let all = all(&root()).expect("vectors");
        let answers: Vec<&str> = all.iter().filter_map(|line| line.expect.as_deref()).collect();
        let reasons =
            ["passed", "flag_tripped", "max_turns", "ics_budget", "checkpoint_missing", "closed_early"];
        let codes = [
            "dive_closed",
            "action_too_long",
            "card_mismatch",
            "invalid_key",
            "invalid_protocol",
            "target_not_found",
            "invalid_request",
        ];
        let mut wanted: Vec<String> = reasons.map(|reason| format!("\"reason\":\"{reason}\"")).into();
        wanted.extend(codes.map(|code| format!("\"code\":\"{code}\"")));
        wanted.push("\"signature\":\"ed25519:".into());
        wanted.push("{\"holds\":true}".into());
        for what in wanted {
            assert!(answers.iter().any(|answer| answer.contains(&what)), "no vector answers {what}");
        }
        for stage in sonometer_catalog::stages() {
            let (stage, _) = sonometer::stage::Stage::read(stage.source).expect("ships");
            for (name, walk) in &stage.walkthroughs {
                let plays = |line: &Line| matches!(&line.task, Task::Dive(play) if play.actions == walk.say);
                assert!(all.iter().any(plays), "no vector plays `{name}` of `{}`", stage.id);
            }
        }
    }
}
