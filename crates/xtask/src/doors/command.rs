//! The command `sonometer` as a door. A process for each case would mostly measure processes, so cases of one target and view
//! share one: `batch` where it can show what is asked for, `sense` with a line for each interaction otherwise.
//!
//! `sense` tells insufficient content as an error, and errors in its own words around the engine's; there the code is compared,
//! and that the place is named. `batch` gives the engine's bytes and words.

mod dive;

use super::case::{Answer, Case, Feed, Sense, Task};
use serde_json::Value;
use sonometer_reference::vectors::Vector;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How many cases were compared to the last byte, and in how many only the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Depth {
    pub(super) bytes: usize,
    pub(super) codes: usize,
}

/// What the command said of one case, and how it is compared.
pub(super) struct Said {
    line: String,
    verb: Verb,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Batch,
    Sense,
    Dive,
}

/// Whether the command is asked for this: whole interactions (what it streams is tested with its verb), and what of dives its
/// verb can do.
pub(super) fn takes((case, answer): &(Case, Answer)) -> bool {
    match &case.task {
        Task::Sense(sense) => sense.feed == Feed::Whole,
        Task::Dive(task, _) => dive::takes(task, answer),
    }
}

impl Said {
    /// Whether it is what the engine answers.
    pub(super) fn is(&self, case: &Case, answer: &Answer, depth: &mut Depth) -> bool {
        let Task::Sense(Sense { vector, .. }) = &case.task else {
            match answer {
                Answer::Error { code, .. } if dive::is_by_code(code) => depth.codes += 1,
                _ => depth.bytes += 1,
            }
            return dive::is(&self.line, answer);
        };
        if let (Verb::Batch, Some(line)) = (self.verb, unwrap(&self.line)) {
            depth.bytes += 1;
            return answer.is_said_by(&line);
        }
        let Answer::Error { code, place, .. } = answer else {
            if answer.is_insufficient() && vector.interaction_b.is_none() {
                depth.codes += 1;
                return self.line.contains("\"code\":\"insufficient_signal\"");
            }
            depth.bytes += 1;
            return answer.is_said_by(&self.line);
        };
        depth.codes += 1;
        // The places in a protocol stand in the report for people; an empty input has none.
        let told = code == "invalid_protocol" || vector.interaction.trim().is_empty();
        self.line.contains(&format!("\"code\":\"{code}\""))
            && (told || self.line.contains(escaped(place).as_str()))
    }

    pub(super) fn line(&self) -> &str {
        &self.line
    }
}

fn escaped(text: &str) -> String {
    Value::from(text).to_string().trim_matches('"').to_owned()
}

/// The reading or the error within a line of `batch`; the bytes of a reading are not touched.
fn unwrap(line: &str) -> Option<String> {
    let (head, rest) = line.split_once(",\"id\":null,")?;
    if !head.starts_with("{\"line\":") {
        return None;
    }
    if let Some(reading) = rest.strip_prefix("\"result\":") {
        return Some(reading.strip_suffix('}')?.to_owned());
    }
    let error: Value = serde_json::from_str(rest.strip_prefix("\"error\":")?.strip_suffix('}')?).ok()?;
    let place = error["details"]["place"].as_str().unwrap_or_default();
    // A line is one line, so `batch` leaves that out.
    let place = if place.starts_with("column ") { format!("line 1, {place}") } else { place.to_owned() };
    Some(
        serde_json::json!({ "code": error["code"], "message": error["message"], "place": place }).to_string(),
    )
}

/// Runs all cases; what was said stands in their order.
pub(super) fn run(command: &Path, folder: &Path, cases: &[&(Case, Answer)]) -> Result<Vec<Said>, String> {
    let door = Door { command: command.to_owned(), folder: folder.to_owned() };
    let mut said: Vec<Option<Said>> = Vec::new();
    said.resize_with(cases.len(), || None);
    let mut groups: BTreeMap<(&str, Vec<String>), Vec<usize>> = BTreeMap::new();
    for (at, (case, answer)) in cases.iter().enumerate() {
        let Task::Sense(Sense { vector, .. }) = &case.task else {
            said[at] = Some(Said { line: door.dive(case)?, verb: Verb::Dive });
            continue;
        };
        let text = &vector.interaction;
        let is_composed =
            vector.interaction_b.is_some() || !vector.shelf.is_empty() || names_others(&vector.target);
        if is_composed {
            said[at] = Some(Said { line: door.composed(vector)?, verb: Verb::Sense });
        } else if text.contains(['\n', '\r']) || text.trim().is_empty() || is_about_the_target(answer) {
            let line = door.sense(&vector.target, &vector.view.options("json"), text)?.into_iter().next();
            said[at] = Some(Said { line: line.unwrap_or_default(), verb: Verb::Sense });
        } else {
            groups.entry((&vector.target, vector.view.options("jsonl"))).or_default().push(at);
        }
    }
    for ((target, options), places) in groups {
        let vectors: Vec<&Vector> =
            places.iter().filter_map(|at| cases[*at].0.sense()).map(|sense| &sense.vector).collect();
        let lines: Vec<&str> = vectors.iter().map(|vector| vector.interaction.as_str()).collect();
        let asks_more = vectors[0].view.flow.is_some() || vectors[0].view.temporal.is_some();
        // `batch` takes an object with the key `id` apart.
        let verb = if asks_more || lines.iter().any(|line| line.contains("\"id\"")) {
            Verb::Sense
        } else {
            Verb::Batch
        };
        let answers = match verb {
            Verb::Sense => door.sense(target, &options, &lines.join("\n"))?,
            _ => door.batch(target, vectors[0], &lines.join("\n"))?,
        };
        for (nth, at) in places.into_iter().enumerate() {
            said[at] = Some(Said { line: answers.get(nth).cloned().unwrap_or_default(), verb });
        }
    }
    Ok(said.into_iter().flatten().collect())
}

fn names_others(target: &str) -> bool {
    target.contains("sonometer_metric") || target.contains("sonometer_blueprint")
}

/// Whether the target cannot be read: the command then answers once, whatever the interactions.
fn is_about_the_target(answer: &Answer) -> bool {
    matches!(answer, Answer::Error { code, .. } if code == "invalid_protocol")
}

struct Door {
    command: PathBuf,
    folder: PathBuf,
}

impl Door {
    fn sense(&self, target: &str, options: &[String], input: &str) -> Result<Vec<String>, String> {
        let file = self.target(target)?;
        let mut command = Command::new(&self.command);
        command.arg("sense").arg(file).arg("-").args(options);
        lines(command, input)
    }

    fn batch(&self, target: &str, vector: &Vector, input: &str) -> Result<Vec<String>, String> {
        let file = self.target(target)?;
        let mut command = Command::new(&self.command);
        command.arg("batch").arg(file).args(["-", "--profile", vector.view.profile.as_str()]);
        command.args(vector.view.offsets.iter().flat_map(|unit| ["--offsets", unit]));
        lines(command, input)
    }

    /// A process at a time, so that one file does.
    fn target(&self, source: &str) -> Result<PathBuf, String> {
        let extension = if source.starts_with('{') { "json" } else { "yaml" };
        let file = self.folder.join(format!("target.{extension}"));
        write(&file, source)?;
        Ok(file)
    }

    /// A target or interactions that need files of their own, in a folder of its own.
    fn composed(&self, vector: &Vector) -> Result<String, String> {
        let folder = self.folder.join("composed");
        let _ = fs::remove_dir_all(&folder);
        // Interactions beside protocols are none.
        fs::create_dir_all(folder.join("talks")).map_err(|e| format!("{}: {e}", folder.display()))?;
        for (at, source) in vector.shelf.iter().enumerate() {
            write(&folder.join(format!("named-{at}.json")), source)?;
        }
        write(&folder.join("target.json"), &vector.target)?;
        write(&folder.join("talks/a.json"), &vector.interaction)?;
        let mut command = Command::new(&self.command);
        command.current_dir(&folder);
        match &vector.interaction_b {
            Some(other) => {
                write(&folder.join("talks/b.json"), other)?;
                command.args(["compare", "target.json", "talks/a.json", "talks/b.json", "--json"]);
            }
            None => {
                command.args(["sense", "target.json", "talks/a.json"]).args(vector.view.options("json"));
            }
        }
        Ok(lines(command, "")?.into_iter().next().unwrap_or_default())
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The lines that a command writes.
fn lines(mut command: Command, input: &str) -> Result<Vec<String>, String> {
    let told = |error: std::io::Error| format!("the command `sonometer`: {error}");
    command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(told)?;
    let stdin = child.stdin.take();
    let input = input.to_owned();
    // In a thread of its own: the command may write before it has read everything, or want no input at all.
    let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().map_err(told)?;
    let _ = writer.join();
    let text = String::from_utf8(output.stdout).map_err(|e| format!("the command writes no UTF-8: {e}"))?;
    Ok(text.split_terminator('\n').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_batch_holds_the_bytes_of_a_reading() {
        let line = r#"{"line":1,"id":null,"result":{"target":{},"score":0.480121}}"#;
        assert_eq!(unwrap(line).as_deref(), Some(r#"{"target":{},"score":0.480121}"#));
        let line = r#"{"line":2,"id":null,"error":{"code":"invalid_request","message":"m","details":{"place":"column 3"}}}"#;
        let error = Answer::Error {
            code: "invalid_request".into(),
            message: "m".into(),
            place: "line 1, column 3".into(),
        };
        assert!(unwrap(line).is_some_and(|said| error.is_said_by(&said)));
        assert_eq!(unwrap("{\"error\":{}}"), None);
    }
}
