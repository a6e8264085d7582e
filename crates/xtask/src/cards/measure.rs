//! Asks `sonometer` and writes its answers as Markdown.

use super::halves::Split;
use super::plan::{Card, FILES, Part, Question, Table};
use super::private_data;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the command on the data.
#[derive(Debug)]
pub(crate) struct Measurer {
    command: PathBuf,
    data: PathBuf,
    /// Where the halves are written.
    scratch: PathBuf,
}

impl Measurer {
    /// `data` is the folder of the labelled data; `card` names the card, which has a scratch folder of its own.
    pub(crate) fn new(command: &Path, data: &Path, card: &str) -> Result<Self, String> {
        let scratch = command.with_file_name("cards").join(card);
        std::fs::create_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
        Ok(Self { command: command.to_path_buf(), data: data.to_path_buf(), scratch })
    }

    /// The figures of a question on both halves, and its table.
    pub(crate) fn question(&self, card: &Card, question: &Question) -> Result<String, String> {
        let mut answers = Vec::new();
        for (name, tuned) in card.split.halves() {
            answers.push((name, self.evaluate(card, tuned, question.file, question.arguments)?));
        }
        let mut page = format!("### {}\n\n`{}`", question.title, question.file);
        // A threshold does not matter where only ranks are compared.
        let ranks = question.figures.iter().all(|(key, _)| matches!(*key, "auc" | "average_precision"));
        match answers[0].1["rule"]["positive_if"].as_str() {
            Some(rule) if !ranks => drop(write!(page, ", positive if {rule}")),
            _ => {}
        }
        page.push_str(".\n\n| figure | aim |");
        for (name, answer) in &answers {
            let figures = &answer["figures"];
            let cases = figures.get("cases").or(figures.get("items")).or(figures.get("pairs"));
            let _ = write!(page, " {name} {} ({}) |", card.split.word(), cases.unwrap_or(&Value::Null));
        }
        page.push_str("\n|---|---:|---:|---:|\n");
        for (key, aim) in question.figures {
            let _ = write!(page, "| {} | {aim} |", name(key));
            for (_, answer) in &answers {
                let _ = write!(page, " {} |", estimate(&answer["figures"][key]));
            }
            page.push('\n');
        }
        page.push_str("| coverage | |");
        for (_, answer) in &answers {
            let _ = write!(page, " {} |", places(&answer["coverage"]));
        }
        page.push('\n');
        let [_, (_, other)] = &answers[..] else { return Err("two halves".into()) };
        match question.table {
            Table::Nothing => {}
            Table::Markers => page.push_str(&marker_table(other, card.split)),
            Table::Types => page.push_str(&type_table(other, card.split)),
            Table::By => page.push_str(&by_table(&answers)),
        }
        Ok(page)
    }

    /// Each part's markers against their own label, on both halves.
    pub(crate) fn parts(&self, card: &Card) -> Result<String, String> {
        let word = card.split.word();
        let [(tuned, _), (other, _)] = card.split.halves();
        let mut page = format!(
            "### Each marker against the label it is about\n\n\
             | markers | label | people, {other} {word} | precision | recall | F1 | macro-F1 | macro-F1 of the {tuned} {word} |\n\
             |---|---|---:|---:|---:|---:|---:|---:|\n"
        );
        let mut measured = [Vec::new(), Vec::new()];
        for Part { markers, file, label, positive } in card.parts {
            let arguments = ["--marker", markers, "--label", label, "--positive", positive];
            // Null for a half without a single positive item: no figure has a meaning there.
            let answer = |is_tuned| match self.has_one_of(card, is_tuned, file, positive) {
                Ok(true) => self.evaluate(card, is_tuned, file, &arguments),
                other => other.map(|_| Value::Null),
            };
            let [tuned, other] = [answer(true)?, answer(false)?];
            let counts = &other["figures"]["counts"];
            let people = count(&counts["true_positives"]) + count(&counts["false_negatives"]);
            let figure = |key: &str| estimate(&other["figures"][key]);
            let _ = writeln!(
                page,
                "| {} | {} | {people} | {} | {} | {} | {} | {} |",
                markers.replace(',', ", "),
                positive.replace(',', ", "),
                figure("precision"),
                figure("recall"),
                figure("f1"),
                figure("macro_f1"),
                estimate(&tuned["figures"]["macro_f1"]),
            );
            for (half, answer) in measured.iter_mut().zip([&other, &tuned]) {
                half.extend(answer["figures"]["macro_f1"]["value"].as_f64());
            }
        }
        let [other, tuned] = measured.map(|half| half.iter().sum::<f64>() / half.len().max(1) as f64);
        let _ = writeln!(page, "| mean | | | | | | {other:.3} | {tuned:.3} |");
        Ok(page)
    }

    /// Whether an item of one half has one of the labels: rare ones may all be in the other.
    fn has_one_of(&self, card: &Card, tuned: bool, file: &str, labels: &str) -> Result<bool, String> {
        let half = card.split.half(&self.text(file)?, tuned).map_err(|e| format!("{file}: {e}"))?;
        Ok(labels.split(',').any(|label| half.contains(&format!("\"{label}\""))))
    }

    /// How often the protocol speaks on texts that were labelled for other questions.
    pub(crate) fn elsewhere(&self, card: &Card) -> Result<String, String> {
        let mut page = "### On texts made for other questions\n\n\
             What was found here was read on all items when the patterns were mended, so these figures are no independent proof.\n\n\
             | file | items | enough to measure | a marker triggered | share |\n|---|---:|---:|---:|---:|\n"
            .to_owned();
        let own = |file: &str| {
            card.questions.iter().any(|question| question.file == file)
                || card.parts.iter().any(|part| part.file == file)
        };
        for file in FILES.iter().filter(|file| !own(file)) {
            let path = self.data.join(file);
            if !path.is_file() {
                return Err(format!("{} is missing", path.display()));
            }
            let answers = self.run(&["sense", card.id], &path, &["--json"])?;
            let (mut items, mut measured, mut triggered) = (0_u32, 0_u32, 0_u32);
            for line in answers.lines() {
                let reading: Value = serde_json::from_str(line).map_err(|e| format!("{file}: {e}"))?;
                items += 1;
                measured += u32::from(reading["fidelity"]["sufficient"] == Value::Bool(true));
                triggered += u32::from(reading["ics"]["consumed"].as_u64().is_some_and(|number| number > 0));
            }
            let per_mille = (triggered * 2000 + items) / (items * 2).max(1);
            let share = format!("{}.{} %", per_mille / 10, per_mille % 10);
            let _ = writeln!(page, "| `{file}` | {items} | {measured} | {triggered} | {share} |");
        }
        Ok(page)
    }

    /// The places of evidence in each interaction, in characters, with their markers.
    pub(crate) fn evidence(
        &self,
        target: &str,
        interactions: &[Value],
    ) -> Result<Vec<Vec<private_data::Place>>, String> {
        let path = self.scratch.join("interactions.jsonl");
        let lines: String = interactions.iter().map(|interaction| format!("{interaction}\n")).collect();
        std::fs::write(&path, lines).map_err(|e| format!("{}: {e}", path.display()))?;
        let answers = self.run(&["batch", target], &path, &["--offsets", "chars"])?;
        let places = |line: &str| {
            let answer: Value = serde_json::from_str(line).map_err(|e| format!("{target}: {e}"))?;
            let found = list(&answer["result"]["evidence"]).iter();
            Ok(found.filter_map(|evidence| private_data::place(evidence, "metamarker")).collect())
        };
        answers.lines().map(places).collect()
    }

    /// One evaluation on one half.
    fn evaluate(&self, card: &Card, tuned: bool, file: &str, arguments: &[&str]) -> Result<Value, String> {
        let half = self.half(card, tuned, file)?;
        let lines = std::fs::read_to_string(&half).map_err(|e| format!("{}: {e}", half.display()))?;
        let more: Vec<&str> =
            asked_of(&lines, arguments).into_iter().chain(["--errors", "0", "--json"]).collect();
        let answer = self.run(&["evaluate", card.id], &half, &more)?;
        serde_json::from_str(&answer).map_err(|e| format!("{}, {file}: {e}", card.id))
    }

    /// One evaluation on a file of the repository.
    pub(crate) fn evaluate_ours(&self, id: &str, file: &str, arguments: &[&str]) -> Result<Value, String> {
        let more: Vec<&str> = arguments.iter().copied().chain(["--errors", "0", "--json"]).collect();
        let answer = self.run(&["evaluate", id], &crate::test::root().join(file), &more)?;
        serde_json::from_str(&answer).map_err(|e| format!("{id}, {file}: {e}"))
    }

    /// The file of one half.
    fn half(&self, card: &Card, tuned: bool, file: &str) -> Result<PathBuf, String> {
        let lines = self.text(file)?;
        let half = card.split.half(&lines, tuned).map_err(|e| format!("{file}: {e}"))?;
        let name = format!("{:?}-{}-{file}", card.split, if tuned { "tuned" } else { "other" });
        let path = self.scratch.join(name);
        std::fs::write(&path, half).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }

    /// A file of the labelled data.
    pub(crate) fn text(&self, file: &str) -> Result<String, String> {
        let path = self.data.join(file);
        std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// The readings of interactions, in their order, in the profile `detailed`. `name` is that of the file that is written.
    pub(crate) fn batch(&self, id: &str, name: &str, interactions: &[Value]) -> Result<Vec<Value>, String> {
        let path = self.scratch.join(format!("batch-{name}"));
        let lines: String = interactions.iter().map(|interaction| format!("{interaction}\n")).collect();
        std::fs::write(&path, lines).map_err(|e| format!("{}: {e}", path.display()))?;
        let answers = self.run(&["batch", id], &path, &["--profile", "detailed", "--offsets", "bytes"])?;
        let read = |line| {
            let answer: Value = serde_json::from_str(line).map_err(|e| format!("{name}: {e}"))?;
            answer.get("result").cloned().ok_or_else(|| format!("{name}: no reading in {line}"))
        };
        let readings: Vec<Value> = answers.lines().map(read).collect::<Result<_, String>>()?;
        if readings.len() != interactions.len() {
            return Err(format!("{name}: {} readings of {}", readings.len(), interactions.len()));
        }
        Ok(readings)
    }

    fn run(&self, before: &[&str], file: &Path, after: &[&str]) -> Result<String, String> {
        let output = Command::new(&self.command).args(before).arg(file).args(after).output();
        let output = output.map_err(|e| format!("{}: {e}", self.command.display()))?;
        // 3: some content holds too little to be measured; that is told in the answer.
        if !matches!(output.status.code(), Some(0 | 3)) {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("sonometer {} on {}: {said}", before.join(" "), file.display()));
        }
        String::from_utf8(output.stdout).map_err(|e| e.to_string())
    }
}

/// The arguments without `--map` of types that the lines lack: halves by template do not have every type.
fn asked_of<'a>(lines: &str, arguments: &[&'a str]) -> Vec<&'a str> {
    let is_there = |kind: &str| lines.contains(&format!("\"{kind}\""));
    let mut asked: Vec<&str> = Vec::new();
    for argument in arguments.iter().copied() {
        let kinds = argument.split_once('=').map_or(argument, |(kinds, _)| kinds);
        match asked.last() {
            Some(&"--map") if !kinds.split(',').any(is_there) => drop(asked.pop()),
            _ => asked.push(argument),
        }
    }
    asked
}

/// What each marker contributes.
fn marker_table(answer: &Value, split: Split) -> String {
    let mut page = format!(
        "\nWhat each marker contributes, on the {} {} (*right*: on a positive item; *alone*: no other marker speaks):\n\n\
         | marker | triggered | right | alone, right | alone, wrong |\n|---|---:|---:|---:|---:|\n",
        split.halves()[1].0,
        split.word()
    );
    for marker in list(&answer["markers"]) {
        let against = if marker["pole"] == "against" { " (against)" } else { "" };
        let _ = writeln!(
            page,
            "| {}{against} | {} | {} | {} | {} |",
            text(&marker["metamarker"]),
            marker["triggered"],
            marker["right"],
            marker["alone_right"],
            marker["alone_wrong"]
        );
    }
    page
}

/// How many items of each value of the label after `--by` are found, of both halves together.
fn by_table(answers: &[(&str, Value)]) -> String {
    let mut counts: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    for part in answers.iter().flat_map(|(_, answer)| list(&answer["by"]["parts"])) {
        let of = |key: &str| count(&part["counts"][key]);
        let here = ["true_positives", "false_positives", "false_negatives", "true_negatives"].map(of);
        for (sum, number) in counts.entry(text(&part["value"])).or_default().iter_mut().zip(here) {
            *sum += number;
        }
    }
    let mut page =
        "\nOf both together:\n\n| | items | positive | found | right |\n|---|---:|---:|---:|---:|\n"
            .to_owned();
    for (value, [found, alarms, missed, silent]) in counts {
        let items = found + alarms + missed + silent;
        let right = thousandths(found + silent, items);
        let _ = writeln!(page, "| {value} | {items} | {} | {} | {right} |", found + missed, found + alarms);
    }
    page
}

/// How each type of place is found.
fn type_table(answer: &Value, split: Split) -> String {
    let mut page = format!(
        "\nOn the {} {} (*found*: some evidence overlaps the label; *exact*: it has its very place):\n\n\
         | type of label | markers | labels | found | exact |\n|---|---|---:|---:|---:|\n",
        split.halves()[1].0,
        split.word()
    );
    for kind in list(&answer["types"]) {
        let markers: Vec<&str> = list(&kind["metamarkers"]).iter().map(text).collect();
        let counts = &kind["counts"];
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} |",
            text(&kind["type"]),
            markers.join(", "),
            counts["labels"],
            counts["labels_found"],
            counts["labels_exact"]
        );
    }
    page.push_str("\n| marker | evidence | right |\n|---|---:|---:|\n");
    for marker in list(&answer["markers"]) {
        let counts = &marker["counts"];
        let _ = writeln!(
            page,
            "| {} | {} | {} |",
            text(&marker["metamarker"]),
            counts["evidence"],
            counts["evidence_right"]
        );
    }
    page
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

pub(crate) fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// The name of a figure in the tables.
fn name(key: &str) -> String {
    match key {
        "auc" => "AUC".into(),
        "f1" => "F1".into(),
        "macro_f1" => "macro-F1".into(),
        "exact_f1" => "F1, exact places".into(),
        "exact_precision" => "precision, exact places".into(),
        "exact_recall" => "recall, exact places".into(),
        key => key.replace('_', " "),
    }
}

/// Three places; a dash where a figure is not defined.
fn places(value: &Value) -> String {
    value.as_f64().map_or_else(|| "–".into(), |value| format!("{value:.3}"))
}

/// A share with three places, rounded half up; a dash where there is nothing to share.
pub(crate) fn thousandths(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".into();
    }
    let thousandth = (part * 2000 + whole) / (whole * 2);
    format!("{}.{:03}", thousandth / 1000, thousandth % 1000)
}

/// `0.912 [0.890, 0.934]`.
pub(crate) fn estimate(estimate: &Value) -> String {
    let value = places(&estimate["value"]);
    match (estimate["low"].as_f64(), estimate["high"].as_f64()) {
        (Some(low), Some(high)) => format!("{value} [{low:.3}, {high:.3}]"),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_are_rounded_and_undefined_ones_are_dashes() {
        assert_eq!(estimate(&json!({"value": 0.9124, "low": 0.89, "high": 1})), "0.912 [0.890, 1.000]");
        assert_eq!(estimate(&json!({"value": 0.5, "low": null, "high": null})), "0.500");
        assert_eq!(estimate(&Value::Null), "–");
        assert_eq!((thousandths(2, 3), thousandths(0, 0)), ("0.667".to_owned(), "–".to_owned()));
    }

    #[test]
    fn types_that_a_half_lacks_are_not_asked_of_it() {
        let asked = asked_of(
            "{\"type\": \"A\"}",
            &["--unit", "spans", "--map", "A,B=x", "--map", "B=y", "--map", "A=z"],
        );
        assert_eq!(asked, ["--unit", "spans", "--map", "A,B=x", "--map", "A=z"]);
    }

    #[test]
    fn what_both_halves_hold_of_a_value_is_added() {
        let half = |found: u64, missed: u64| {
            let counts = json!({"true_positives": found, "false_positives": 1, "false_negatives": missed, "true_negatives": 2});
            json!({"by": {"parts": [{"value": "v", "counts": counts}]}})
        };
        let table = by_table(&[("tuned", half(3, 0)), ("other", half(1, 4))]);
        assert!(table.ends_with("| v | 14 | 8 | 6 | 0.571 |\n"), "{table}");
    }

    #[test]
    fn tables_hold_a_row_for_each_marker_and_type() {
        let answer = json!({"markers": [
            {"metamarker": "a", "pole": "against", "triggered": 3, "right": 2, "alone_right": 1, "alone_wrong": 0}
        ]});
        assert!(marker_table(&answer, Split::Sha).ends_with("| a (against) | 3 | 2 | 1 | 0 |\n"));
        let answer = json!({
            "types": [{"type": "T", "metamarkers": ["a", "b"], "counts": {"labels": 4, "labels_found": 3, "labels_exact": 1}}],
            "markers": [{"metamarker": "a", "counts": {"evidence": 5, "evidence_right": 4}}]
        });
        let table = type_table(&answer, Split::Sha);
        assert!(
            table.contains("| T | a, b | 4 | 3 | 1 |\n") && table.ends_with("| a | 5 | 4 |\n"),
            "{table}"
        );
    }
}
