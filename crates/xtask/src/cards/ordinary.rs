//! How often a protocol speaks in ordinary talk: counted by turn, and by talk beside it.

use super::measure::{Measurer, list, thousandths};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Files in which nothing, or next to nothing, is to be found by the protocol of a card.
#[derive(Debug)]
pub(crate) struct Ordinary {
    pub(crate) file: &'static str,
    /// Only what this role says, each text once; all turns without one.
    pub(crate) role: Option<&'static str>,
    /// Only items with this label.
    pub(crate) only: Option<(&'static str, bool)>,
}

/// All turns of all items.
pub(crate) const fn all_of(file: &'static str) -> Ordinary {
    Ordinary { file, role: None, only: None }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    talks: u64,
    turns: u64,
    talks_with: u64,
    turns_with: u64,
}

impl Tally {
    /// Counts a talk of so many turns. A turn is an alarm if evidence stands in it: readings list that of triggered markers only.
    fn count(&mut self, turns: u64, reading: &Value) {
        self.talks += 1;
        self.turns += turns;
        self.talks_with += u64::from(reading["ics"]["consumed"].as_u64().unwrap_or(0) > 0);
        let places = list(&reading["evidence"]);
        let spoken: BTreeSet<u64> =
            places.iter().map(|place| place["segment"].as_u64().unwrap_or(0)).collect();
        self.turns_with += spoken.len() as u64;
    }

    fn add(&mut self, other: &Self) {
        self.talks += other.talks;
        self.turns += other.turns;
        self.talks_with += other.talks_with;
        self.turns_with += other.turns_with;
    }

    fn row(&self, name: &str) -> String {
        let Self { talks, turns, talks_with, turns_with } = self;
        format!(
            "| {name} | {turns} | {turns_with} | {} | {talks} | {talks_with} | {} |\n",
            share(*turns_with, *turns),
            share(*talks_with, *talks)
        )
    }
}

/// `0.031 %`.
fn share(part: u64, whole: u64) -> String {
    format!("{} %", thousandths(part * 100, whole))
}

/// The table of alarms, and its last row with all files together.
pub(crate) fn table(measurer: &Measurer, id: &str, files: &[Ordinary]) -> Result<String, String> {
    let mut page = "### Alarms in ordinary talk\n\n\
         A turn counts if evidence of a triggered marker stands in it, a talk if any marker is triggered. The false finds were read when the\n\
         patterns were mended, so these figures are no independent proof.\n\n\
         | file | turns | alarms | per turn | talks | with an alarm | per talk |\n|---|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    let mut sum = Tally::default();
    for ordinary in files {
        let items = interactions(ordinary, &measurer.text(ordinary.file)?)?;
        let readings = measurer.batch(id, ordinary.file, &items)?;
        let mut tally = Tally::default();
        for (item, reading) in items.iter().zip(&readings) {
            tally.count(list(&item["segments"]).len().max(1) as u64, reading);
        }
        let part = ordinary.role.map(|role| format!(", {role} only"));
        page.push_str(&tally.row(&format!("`{}`{}", ordinary.file, part.unwrap_or_default())));
        sum.add(&tally);
    }
    let _ = write!(page, "{}", sum.row("all"));
    Ok(page)
}

/// The interactions of a file: both of a pair; of one role, each of its turns as a text, once.
fn interactions(ordinary: &Ordinary, lines: &str) -> Result<Vec<Value>, String> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    for (number, line) in (1..).zip(lines.lines()) {
        let item: Value =
            serde_json::from_str(line).map_err(|e| format!("{}, line {number}: {e}", ordinary.file))?;
        if ordinary.only.is_some_and(|(label, wanted)| item["labels"][label] != Value::Bool(wanted)) {
            continue;
        }
        let sides = ["interaction", "interaction_a", "interaction_b"];
        for interaction in sides.iter().filter_map(|side| item.get(side)) {
            match ordinary.role {
                None => found.push(interaction.clone()),
                Some(role) => {
                    let said = list(&interaction["segments"]).iter().filter(|turn| turn["role"] == role);
                    for content in said.filter_map(|turn| turn["content"].as_str()) {
                        if known.insert(content.to_owned()) {
                            found.push(serde_json::json!({ "content": content }));
                        }
                    }
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn turns_and_talks_are_counted_apart() {
        let mut tally = Tally::default();
        let places = json!([{"segment": 2}, {"segment": 2}, {"segment": 5}]);
        tally.count(8, &json!({"ics": {"consumed": 1}, "evidence": places}));
        tally.count(2, &json!({"ics": {"consumed": 0}, "evidence": []}));
        assert_eq!(tally, Tally { talks: 2, turns: 10, talks_with: 1, turns_with: 2 });
        assert_eq!(tally.row("a"), "| a | 10 | 2 | 20.000 % | 2 | 1 | 50.000 % |\n");
        assert_eq!(share(0, 0), "– %");
    }

    #[test]
    fn a_role_gives_each_of_its_texts_once_and_a_pair_both_sides() {
        let ask = |label: bool| {
            json!({"labels": {"dark": label}, "interaction": {"segments": [
                {"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}
            ]}})
        };
        let lines = format!("{}\n{}\n", ask(true), ask(false));
        let user = Ordinary { file: "f", role: Some("user"), only: None };
        assert_eq!(interactions(&user, &lines), Ok(vec![json!({"content": "Why?"})]));
        let fair = Ordinary { file: "f", role: None, only: Some(("dark", false)) };
        assert_eq!(interactions(&fair, &lines).map(|found| found.len()), Ok(1));
        let pair = json!({"interaction_a": {"content": "a"}, "interaction_b": {"content": "b"}}).to_string();
        assert_eq!(interactions(&all_of("f"), &pair).map(|found| found.len()), Ok(2));
        assert!(interactions(&all_of("f"), "{").is_err());
    }
}
