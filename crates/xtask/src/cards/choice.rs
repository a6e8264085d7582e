//! Several classes of which one holds, each told by the markers that are triggered together.

use super::measure::{Measurer, list, thousandths};
use super::plan::Card;
use serde_json::Value;
use std::fmt::Write as _;

/// A label with several values, and what the protocol has to say for each.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) title: &'static str,
    pub(crate) file: &'static str,
    pub(crate) label: &'static str,
    /// Value and markers: the first whose markers are all triggered is the choice. The last has none.
    pub(crate) classes: &'static [(&'static str, &'static [&'static str])],
    /// The aim for the macro-F1.
    pub(crate) aim: &'static str,
}

impl Choice {
    /// The class of a reading.
    fn chosen(&self, reading: &Value) -> usize {
        let triggered = |marker: &str| list(&reading["ics"]["markers"]).iter().any(|label| label == marker);
        let said = |(_, markers): &(&str, &[&str])| markers.iter().all(|marker| triggered(marker));
        self.classes.iter().position(said).unwrap_or(self.classes.len() - 1)
    }
}

/// How often people's class (rows) met the protocol's (columns).
type Counts = Vec<Vec<u64>>;

/// F1 of a class, in thousandths.
fn f1(counts: &Counts, class: usize) -> u64 {
    let right = counts[class][class];
    let said: u64 = counts.iter().map(|row| row[class]).sum();
    let true_ones: u64 = counts[class].iter().sum();
    ratio(2 * right, said + true_ones)
}

fn ratio(part: u64, whole: u64) -> u64 {
    (part * 2000 + whole) / (whole * 2).max(1)
}

/// The F1 of every class and their mean, on both parts of the data.
pub(crate) fn table(measurer: &Measurer, card: &Card, choice: &Choice) -> Result<String, String> {
    let mut page = format!("### {}\n\n`{}`. The mean is the macro-F1", choice.title, choice.file);
    if !choice.aim.is_empty() {
        let _ = write!(page, " (aim {})", choice.aim);
    }
    let word = card.split.word();
    let _ = write!(
        page,
        ".\n\n| F1 | tuned {word} | items | other {word} | items |\n|---|---:|---:|---:|---:|\n"
    );
    let lines = measurer.lines(choice.file)?;
    let mut both = Vec::new();
    for tuned in [true, false] {
        let mut counts: Counts = vec![vec![0; choice.classes.len()]; choice.classes.len()];
        let half = card.split.half(&lines, tuned)?;
        let read = |line| serde_json::from_str(line).map_err(|e| format!("{}: {e}", choice.file));
        let items: Vec<Value> = half.lines().map(read).collect::<Result<_, String>>()?;
        let interactions: Vec<Value> = items.iter().map(|item| item["interaction"].clone()).collect();
        let readings = measurer.batch(card.id, choice.file, &interactions)?;
        for (item, reading) in items.iter().zip(&readings) {
            let value = &item["labels"][choice.label];
            let people = choice.classes.iter().position(|(name, _)| value == name);
            let people = people.ok_or_else(|| format!("{}: no class for {value}", choice.file))?;
            counts[people][choice.chosen(reading)] += 1;
        }
        both.push(counts);
    }
    let figure = |thousandth: u64| thousandths(thousandth, 1000);
    for (class, (name, _)) in choice.classes.iter().enumerate() {
        let cells = both.iter().map(|counts| {
            let items: u64 = counts[class].iter().sum();
            format!(" {} | {items} |", figure(f1(counts, class)))
        });
        let _ = writeln!(page, "| {name} |{}", cells.collect::<String>());
    }
    let means = both.iter().map(|counts| {
        let sum: u64 = (0..counts.len()).map(|class| f1(counts, class)).sum();
        let items: u64 = counts.iter().flatten().sum();
        format!(" {} | {items} |", figure(ratio(sum, 1000 * counts.len() as u64)))
    });
    let _ = writeln!(page, "| mean |{}", means.collect::<String>());
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ANSWER: Choice = Choice {
        title: "",
        file: "",
        label: "answer",
        classes: &[("part", &["declines", "helps"]), ("no", &["declines"]), ("yes", &[])],
        aim: "",
    };

    #[test]
    fn the_first_class_whose_markers_are_all_triggered_is_chosen() {
        let with = |markers: Value| ANSWER.chosen(&json!({"ics": {"markers": markers}}));
        assert_eq!(with(json!(["declines", "helps"])), 0);
        assert_eq!(with(json!(["declines"])), 1);
        assert_eq!(with(json!(["helps"])), 2);
        assert_eq!(with(json!([])), 2);
    }

    #[test]
    fn f1_is_twice_what_is_right_by_what_is_said_and_what_is_true() {
        // Class 0: 3 right of 4 true ones and 5 said ones: 6 ÷ 9.
        let counts = vec![vec![3, 1], vec![2, 4]];
        assert_eq!((f1(&counts, 0), f1(&counts, 1)), (667, 727));
        assert_eq!(f1(&vec![vec![0, 0], vec![0, 5]], 0), 0);
    }
}
