//! The labelled items as examples.

use super::Example;
use super::measure::auc;
use crate::failure::{Failure, counted};
use crate::file;
use crate::labels::{Item, Path, Selector, Source};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sonometer::protocol::Modality;
use sonometer::text::{fold::Folded, tokens};
use sonometer::{Interaction, Turn};
use std::collections::BTreeSet;

/// Examples, and where they come from.
#[derive(Debug)]
pub(crate) struct Data {
    /// The name of the file, without folders.
    pub(crate) name: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub(crate) digest: String,
    /// The label, the classes and the choice of items, as asked for.
    pub(crate) label: String,
    pub(crate) examples: Vec<Example>,
}

/// Reads the examples of a file; with `turns` each labelled turn is one.
pub(crate) fn read(path: &str, selector: &Selector, turns: bool) -> Result<Data, Failure> {
    if path == "-" {
        let fix = "give a file: its name and digest are written into the protocol";
        return Err(Failure::unusable(format!("standard input cannot be fitted to; {fix}")));
    }
    let digest =
        Sha256::digest(file::bytes(path, file::DATA)?).iter().map(|byte| format!("{byte:02x}")).collect();
    let source = Source::open(path)?;
    let items = source.select(selector)?;
    let label = source.label(selector, &items)?;
    let group = selector.group.as_deref().map(Path::from);
    let key = |item: &Item| group.as_ref().map_or_else(|| item.id.clone(), |group| group.key(item));
    let mut examples = Vec::new();
    if turns {
        for item in &items {
            of_turns(&source, selector, &label, item, &key(item), &mut examples)?;
        }
    } else {
        let truths = source.truths(selector, &label, &items)?;
        examples.extend(items.iter().zip(truths).filter_map(|(item, truth)| {
            let interaction = item.interaction.clone();
            Some(Example { group: key(item), interaction, positive: truth? })
        }));
    }
    Ok(Data { name: file_name(path).to_owned(), digest, label: told(selector, &label, turns), examples })
}

/// The labelled turns of an item.
fn of_turns(
    source: &Source,
    selector: &Selector,
    label: &Path,
    item: &Item,
    group: &str,
    into: &mut Vec<Example>,
) -> Result<(), Failure> {
    let values = match label.find(&item.labels) {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(values)) if values.len() == item.interaction.turns().len() => values,
        Some(Value::Array(values)) => {
            let turns = counted(item.interaction.turns().len(), "turn");
            let wrong =
                format!("a list of {} for {turns}; with --turns it has one value a turn", values.len());
            return Err(source.wrong(item, label, &wrong));
        }
        Some(_) => {
            return Err(source.wrong(item, label, "no list; leave --turns away, or give one value a turn"));
        }
    };
    for (turn, value) in item.interaction.turns().iter().zip(values) {
        let truth = selector.truth(value).map_err(|wrong| source.wrong(item, label, &wrong))?;
        if let Some(positive) = truth {
            let interaction = alone(turn, item.interaction.modality())
                .map_err(|error| Failure::engine(&source.name, &error))?;
            into.push(Example { group: group.to_owned(), interaction, positive });
        }
    }
    Ok(())
}

fn alone(turn: &Turn, modality: Modality) -> Result<Interaction, sonometer::Error> {
    match modality {
        Modality::Text => Interaction::text(&turn.content),
        _ => Interaction::transcript(vec![turn.clone()]),
    }
}

fn told(selector: &Selector, label: &Path, turns: bool) -> String {
    let mut text = label.to_string();
    for (name, class) in [("positive", &selector.positive), ("negative", &selector.negative)] {
        if let Some(class) = class {
            text.push_str(&format!(", {name} {class}"));
        }
    }
    for filter in &selector.filters {
        text.push_str(&format!(", where {filter}"));
    }
    if let Some(fold) = selector.fold {
        text.push_str(&format!(", fold {fold}"));
    }
    if let Some(group) = &selector.group {
        text.push_str(&format!(", group {group}"));
    }
    if turns {
        text.push_str(", each turn");
    }
    text
}

/// A path without its folders.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

impl Data {
    pub(crate) fn positives(&self) -> usize {
        self.examples.iter().filter(|example| example.positive).count()
    }

    /// How well the mere number of words tells the classes apart, as an AUC: far from one half, a list may find long texts
    /// and not what it is to find.
    pub(crate) fn auc_of_length(&self) -> Option<f64> {
        let words = |example: &Example| {
            let turns = example.interaction.turns().iter();
            turns.map(|turn| tokens(Folded::new(&turn.content).text(), None).len()).sum::<usize>()
        };
        auc(&self.examples.iter().map(|e| (words(e) as f64, e.positive)).collect::<Vec<_>>())
    }

    /// Fails unless both classes have enough examples, in enough groups.
    pub(crate) fn expect(&self, fewest: usize) -> Result<(), Failure> {
        let positives = self.positives();
        let classes = [("positive", positives), ("negative", self.examples.len() - positives)];
        for (name, count) in classes {
            if count < fewest {
                return Err(Failure::unusable(format!(
                    "{}: {} {name} by the label `{}`, at least {fewest} are needed; \
                     label more items, or say which values count with --positive and --negative",
                    self.name,
                    match count {
                        0 => "no item is".to_owned(),
                        1 => "1 item is".to_owned(),
                        _ => format!("{count} items are"),
                    },
                    self.label
                )));
            }
        }
        let groups: BTreeSet<&str> = self.examples.iter().map(|example| example.group.as_str()).collect();
        if groups.len() < fewest {
            return Err(Failure::unusable(format!(
                "{}: all items are of {}, at least {fewest} are needed to measure on what was not seen; \
                 choose another --group, or leave it away",
                self.name,
                counted(groups.len(), "group")
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selector(label: &str) -> Selector {
        Selector {
            label: Some(label.into()),
            positive: Some("yes".parse().expect("reads")),
            negative: None,
            filters: vec![],
            fold: None,
            group: None,
        }
    }

    fn data(name: &str, text: &str, turns: bool) -> Result<Data, Failure> {
        let path = std::env::temp_dir().join(format!("sonometer-fit-{}-{name}.jsonl", std::process::id()));
        std::fs::write(&path, text).expect("can be written");
        let read = read(path.to_str().expect("is UTF-8"), &selector("l"), turns);
        std::fs::remove_file(&path).expect("is there");
        read
    }

    fn message(failure: Failure) -> String {
        match failure {
            Failure::Told(told) => told.message,
            Failure::PipeClosed => unreachable!("nothing is written here"),
        }
    }

    #[test]
    fn turns_with_a_label_are_examples_of_their_own() {
        let talk = r#"{"id": "t", "interaction": {"segments": [{"role": "a", "content": "x"}, {"role": "b", "content": "y"}]}, "labels": {"l": [null, ["yes", "no"]]}}"#;
        let read = data("turns", talk, true).expect("reads");
        assert_eq!(read.examples.len(), 1);
        assert_eq!((read.examples[0].group.as_str(), read.examples[0].positive), ("t", true));
        assert_eq!(&*read.examples[0].interaction.turns()[0].content, "y");
        let short = talk.replace("null, ", "");
        assert!(message(data("short", &short, true).expect_err("does not fit")).contains("one value a turn"));
    }

    #[test]
    fn few_examples_are_an_error_that_says_so() {
        let text = r#"{"id": 1, "interaction": {"content": "x"}, "labels": {"l": "no"}}"#;
        let told = message(data("few", text, false).and_then(|data| data.expect(10)).expect_err("too few"));
        assert!(told.contains("no item is positive by the label `l, positive yes`"), "{told}");
    }
}
