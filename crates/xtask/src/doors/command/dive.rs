//! Dives and cards through `sonometer dive`, a process each.
//!
//! The verb names the dive itself, knows an agent by its id alone, ends with the world, and cannot be paused: what asks for
//! more is left to the other doors. Files with mistakes and names that do not ship it tells in its own words; there the code is
//! compared.

use super::super::case::{Answer, Case, Task};
use super::{Door, lines, write};
use crate::dives::{self, Play, Proof};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether the verb can be asked for this.
pub(super) fn takes(task: &dives::Task, answer: &Answer) -> bool {
    // What it says of keys and seeds, and of actions that are refused, is about its options and files.
    let refused = |code: &str| matches!(answer, Answer::Error { code: known, .. } if known == code);
    // A file beside the stage that cannot be read is passed over.
    let beside = matches!(answer, Answer::Error { place, .. } if place.starts_with("shelf["));
    if refused("invalid_key") || beside {
        return false;
    }
    match task {
        dives::Task::Card(_) => true,
        dives::Task::Dive(play) => {
            let agent = play.closing.agent.as_ref();
            // An argument of a command holds no zero byte.
            let nameable = agent.is_none_or(|agent| agent.version.is_none() && !agent.id.contains('\0'));
            let is_refused = match answer {
                Answer::Bytes(bytes) => bytes.contains(r#"{"code":"#),
                Answer::Error { .. } => refused("invalid_request"),
            };
            !play.pause && !is_refused && nameable && play.closing.summary.is_none() && is_named(play, answer)
        }
    }
}

/// Whether the dive has the id that the verb gives.
fn is_named(play: &Play, answer: &Answer) -> bool {
    let Answer::Bytes(bytes) = answer else { return true };
    let read: Value = serde_json::from_str(bytes).unwrap_or_default();
    let stage = read["card"]["stage_id"].as_str().unwrap_or_default();
    play.closing.dive_id == format!("{stage}-{}", play.seed)
}

/// What is compared of a line of the verb.
pub(super) fn is(line: &str, answer: &Answer) -> bool {
    match answer {
        Answer::Bytes(_) => answer.is_said_by(line),
        Answer::Error { code, .. } if is_by_code(code) => line.contains(&format!("\"code\":\"{code}\"")),
        Answer::Error { .. } => answer.is_said_by(line),
    }
}

/// Errors that the verb tells in its own words.
pub(super) fn is_by_code(code: &str) -> bool {
    matches!(code, "invalid_protocol" | "target_not_found")
}

impl Door {
    pub(super) fn dive(&self, case: &Case) -> Result<String, String> {
        let folder = self.folder.join("dive");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        match &case.task {
            Task::Dive(dives::Task::Dive(play), _) => self.play(&folder, play),
            Task::Dive(dives::Task::Card(proof), _) => self.prove(&folder, proof),
            Task::Sense(_) => Ok(String::new()),
        }
    }

    fn play(&self, folder: &Path, play: &Play) -> Result<String, String> {
        let mut command = Command::new(&self.command);
        command.current_dir(folder).arg("dive").arg(stage(folder, &play.stage, &play.shelf)?);
        let action = |action: &String| serde_json::json!({ "action": action }).to_string() + "\n";
        write(&folder.join("said.jsonl"), &play.actions.iter().map(action).collect::<String>())?;
        command.args(["--json", "--actions", "said.jsonl", "--log", "log.jsonl", "--card", "card.txt"]);
        command.args(["--seed", &play.seed]);
        if let Some(agent) = &play.closing.agent {
            command.arg(format!("--agent={}", agent.id));
        }
        if let Some(key) = &play.key {
            write(&folder.join("key.txt"), key)?;
            command.args(["--key", "key.txt"]);
        }
        let said = lines(command, "")?;
        let (Some((opened, rest)), true) = (said.split_first(), folder.join("log.jsonl").is_file()) else {
            return Ok(said.join("\n"));
        };
        let Some((card, steps)) = rest.split_last() else { return Ok(opened.clone()) };
        let log = fs::read_to_string(folder.join("log.jsonl")).map_err(|e| e.to_string())?;
        let written = fs::read_to_string(folder.join("card.txt")).map_err(|e| e.to_string())?;
        if written.trim_end_matches('\n') != card {
            return Ok(format!("another card in the file: {written}"));
        }
        let steps = steps.join(",");
        let log = log.split_terminator('\n').collect::<Vec<_>>().join(",");
        let read: Value = serde_json::from_str(card).unwrap_or_default();
        let chain = read["chain"].as_str().unwrap_or_default().trim_start_matches("sha256:");
        Ok(format!(
            r#"{{"opened":{opened},"steps":[{steps}],"log":[{log}],"chain":"{chain}","card":{card}}}"#
        ))
    }

    fn prove(&self, folder: &Path, proof: &Proof) -> Result<String, String> {
        let mut command = Command::new(&self.command);
        write(&folder.join("card.txt"), &proof.text)?;
        command.current_dir(folder).args(["dive", "verify", "card.txt", "--json"]);
        if let Some(keys) = &proof.keys {
            write(&folder.join("keys.txt"), keys)?;
            command.args(["--keys", "keys.txt"]);
        }
        if let Some(log) = &proof.log {
            write(&folder.join("log.jsonl"), log)?;
            command.args(["--actions", "log.jsonl"]);
            if let Some(source) = &proof.stage {
                command.arg("--stage").arg(stage(folder, source, &proof.shelf)?);
            }
        }
        let line = lines(command, "")?.into_iter().next().unwrap_or_default();
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        Ok(match (said["holds"].as_bool(), &said["place"], &said["message"]) {
            (Some(true), ..) => r#"{"holds":true}"#.to_owned(),
            (Some(false), place, message) => {
                serde_json::json!({ "code": "card_mismatch", "message": message, "place": place }).to_string()
            }
            (None, ..) => line,
        })
    }
}

/// The stage as an argument: its name, or a file beside which lies what it may name.
fn stage(folder: &Path, stage: &str, shelf: &[String]) -> Result<PathBuf, String> {
    for (at, source) in shelf.iter().enumerate() {
        let extension = if source.starts_with('{') { "json" } else { "yaml" };
        write(&folder.join(format!("named-{at}.{extension}")), source)?;
    }
    if !stage.contains('\n') && !stage.starts_with('{') {
        return Ok(stage.into());
    }
    let file = if stage.starts_with('{') { "stage.json" } else { "stage.yaml" };
    write(&folder.join(file), stage)?;
    Ok(file.into())
}
