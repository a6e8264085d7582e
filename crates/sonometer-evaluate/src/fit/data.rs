//! The labelled items as examples.

use super::likeness::Clusters;
use super::measure::auc;
use super::{Example, FEWEST_EXAMPLES};
use crate::error::{Error, Place};
use crate::labels::{Item, Labelled, Path, Selector};
use serde_json::Value;
use sonometer::protocol::Modality;
use sonometer::text::{fold::Folded, tokens};
use sonometer::{Interaction, Turn};
use sonometer_report::counted;
use std::collections::BTreeSet;

/// Examples, and where they come from.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    /// The name of the file, without folders.
    pub(crate) name: String,
    /// SHA-256 of the file, in hexadecimal digits.
    pub(crate) digest: String,
    /// The label, the classes and the choice of items, as asked for.
    pub(crate) label: String,
    pub(crate) examples: Vec<Example>,
}

/// The examples among labelled items; with `turns` each labelled turn is one.
pub(crate) fn read(source: &Labelled, selector: &Selector, turns: bool) -> Result<Data, Error> {
    if source.holds_pairs() {
        let message =
            "holds pairs of interactions, but single interactions are needed; give each under `interaction`";
        return Err(Error::at(Place::of(&source.name), message));
    }
    let items = source.select(selector)?;
    let label = source.label(selector, &items)?;
    let group = selector.group.as_deref().map(Path::from);
    let key = |item: &Item| group.as_ref().map_or_else(|| item.id.clone(), |group| group.key(item));
    let mut examples = Vec::new();
    if turns {
        for item in &items {
            of_turns(source, selector, &label, item, &key(item), &mut examples)?;
        }
    } else {
        let truths = source.truths(selector, &label, &items)?;
        examples.extend(items.iter().zip(truths).filter_map(|(item, truth)| {
            let interaction = item.interaction.clone();
            Some(Example { group: key(item), interaction, positive: truth? })
        }));
    }
    let (name, digest) = (file_name(&source.name).to_owned(), source.digest());
    Ok(Data { name, digest, label: told(selector, &label, turns), examples })
}

/// The labelled turns of an item.
fn of_turns(
    source: &Labelled,
    selector: &Selector,
    label: &Path,
    item: &Item,
    group: &str,
    into: &mut Vec<Example>,
) -> Result<(), Error> {
    let values = match label.find(&item.labels) {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(values)) if values.len() == item.interaction.turns().len() => values,
        Some(Value::Array(values)) => {
            let turns = counted(item.interaction.turns().len(), "turn");
            let wrong = format!(
                "a list of {} values for {turns}; with --turns give one value for each turn",
                values.len()
            );
            return Err(source.wrong(item, label, &wrong));
        }
        Some(_) => {
            return Err(source.wrong(
                item,
                label,
                "not a list; remove --turns, or give one value for each turn",
            ));
        }
    };
    for (turn, value) in item.interaction.turns().iter().zip(values) {
        let truth = selector.truth(value).map_err(|wrong| source.wrong(item, label, &wrong))?;
        if let Some(positive) = truth {
            let interaction = alone(turn, item.interaction.modality())
                .map_err(|error| Error::engine(source.place(item), &error))?;
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

    /// What must stay in one fold: groups, and with `by_likeness` what is alike in the turns that are heard.
    pub(crate) fn clusters(
        &self,
        by_likeness: bool,
        is_heard: &dyn Fn(&Turn) -> bool,
    ) -> Result<Clusters, Error> {
        let clusters = Clusters::of(&self.examples, by_likeness, is_heard);
        if clusters.count() >= FEWEST_EXAMPLES {
            return Ok(clusters);
        }
        let message = format!(
            "all items are alike: only {} differ enough to be apart, and at least {FEWEST_EXAMPLES} are needed to measure on unseen \
             items; give more different items, or part them regardless with --no-likeness",
            counted(clusters.count(), "group")
        );
        Err(Error::at(Place::of(&self.name), message))
    }

    /// Fails unless both classes have enough examples, in enough groups.
    pub(crate) fn expect(&self, fewest: usize) -> Result<(), Error> {
        let positives = self.positives();
        let classes = [("positive", positives), ("negative", self.examples.len() - positives)];
        for (name, count) in classes {
            if count < fewest {
                let found = match count {
                    0 => "no item is".to_owned(),
                    1 => "1 item is".to_owned(),
                    _ => format!("{count} items are"),
                };
                let message = format!(
                    "{found} {name} by the label `{}`; at least {fewest} are needed; label more items, or choose the \
                     values with --positive and --negative",
                    self.label
                );
                return Err(Error::at(Place::of(&self.name), message));
            }
        }
        let groups: BTreeSet<&str> = self.examples.iter().map(|example| example.group.as_str()).collect();
        if groups.len() < fewest {
            let message = format!(
                "all items belong to {}; at least {fewest} are needed to measure on unseen items; choose another --group, or remove it",
                counted(groups.len(), "group")
            );
            return Err(Error::at(Place::of(&self.name), message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(text: &str, turns: bool) -> Result<Data, Error> {
        let positive = Some("yes".parse().expect("reads"));
        let selector = Selector { label: Some("l".into()), positive, ..Selector::default() };
        read(&Labelled::read_single("data.jsonl", text.as_bytes()).expect("reads"), &selector, turns)
    }

    #[test]
    fn turns_with_a_label_are_examples_of_their_own() {
        let talk = r#"{"id": "t", "interaction": {"segments": [{"role": "a", "content": "x"}, {"role": "b", "content": "y"}]}, "labels": {"l": [null, ["yes", "no"]]}}"#;
        let read = data(talk, true).expect("reads");
        assert_eq!(read.examples.len(), 1);
        assert_eq!((read.examples[0].group.as_str(), read.examples[0].positive), ("t", true));
        assert_eq!(&*read.examples[0].interaction.turns()[0].content, "y");
        let short = talk.replace("null, ", "");
        assert!(
            data(&short, true).expect_err("does not fit").to_string().contains("one value for each turn")
        );
    }

    #[test]
    fn few_examples_are_an_error_that_says_so() {
        let text = r#"{"id": 1, "interaction": {"content": "x"}, "labels": {"l": "no"}}"#;
        let told = data(text, false).and_then(|data| data.expect(10)).expect_err("too few").to_string();
        assert!(told.contains("no item is positive by the label `l, positive yes`"), "{told}");
    }
}
