//! The labelled items as examples.

use super::likeness::Clusters;
use super::measure::auc;
use super::{Example, FEWEST_EXAMPLES};
use crate::error::{Error, Place};
use crate::labels::{Item, Labelled, Path, Selector};
use crate::watch::Watch;
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
    expect_single(source)?;
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

/// Examples with the classes that hold of each.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    /// The examples; whether one is positive means nothing here.
    pub(crate) data: Data,
    /// The values of the label, in the order of their text.
    pub(crate) classes: Vec<String>,
    /// Of each example the numbers of its classes, at least one.
    pub(crate) of: Vec<BTreeSet<usize>>,
}

/// The examples among labelled items with the values of their label; with `turns` each labelled turn is one.
pub(crate) fn read_choices(source: &Labelled, selector: &Selector, turns: bool) -> Result<Choices, Error> {
    for (option, given) in [("--positive", &selector.positive), ("--negative", &selector.negative)] {
        if given.is_some() {
            return Err(Error::unusable(format!(
                "{option} does not apply to --choice, where each value of the label is a class; remove it, or leave items out with --where"
            )));
        }
    }
    expect_single(source)?;
    let items = source.select(selector)?;
    let label = source.label(selector, &items)?;
    let group = selector.group.as_deref().map(Path::from);
    let mut examples = Vec::new();
    let mut values: Vec<BTreeSet<String>> = Vec::new();
    for item in &items {
        let key = group.as_ref().map_or_else(|| item.id.clone(), |group| group.key(item));
        let mut add = |interaction: Interaction, value: &Value| {
            let own = crate::labels::values(value);
            if !own.is_empty() {
                examples.push(Example { group: key.clone(), interaction, positive: false });
                values.push(own);
            }
        };
        if turns {
            for (turn, value) in turn_values(source, &label, item)? {
                let interaction = alone(turn, item.interaction.modality())
                    .map_err(|error| Error::engine(source.place(item), &error))?;
                add(interaction, value);
            }
        } else if let Some(value) = label.find(&item.labels) {
            if let Value::Object(_) = value {
                let wrong = format!("an object; choose a label in it, such as `{label}.…`");
                return Err(source.wrong(item, &label, &wrong));
            }
            add(item.interaction.clone(), value);
        }
    }
    let classes: Vec<String> =
        values.iter().flatten().cloned().collect::<BTreeSet<_>>().into_iter().collect();
    let number = |value: &String| classes.iter().position(|own| own == value);
    let of = values.iter().map(|own| own.iter().filter_map(number).collect()).collect();
    let (name, digest) = (file_name(&source.name).to_owned(), source.digest());
    let data = Data { name, digest, label: told(selector, &label, turns), examples };
    let choices = Choices { data, classes, of };
    choices.expect()?;
    Ok(choices)
}

impl Choices {
    /// How many examples have each class.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        (0..self.classes.len())
            .map(|class| self.of.iter().filter(|own| own.contains(&class)).count())
            .collect()
    }

    /// Of each example the rarest of its classes: by that they are parted into folds.
    pub(crate) fn rarest(&self) -> Vec<usize> {
        let sizes = self.sizes();
        let rarest =
            |own: &BTreeSet<usize>| own.iter().copied().min_by_key(|class| sizes[*class]).unwrap_or(0);
        self.of.iter().map(rarest).collect()
    }

    fn expect(&self) -> Result<(), Error> {
        let wrong = |message: String| Err(Error::at(Place::of(&self.data.name), message));
        let label = &self.data.label;
        if self.classes.len() < 2 {
            let found =
                self.classes.first().map_or("no value".to_owned(), |own| format!("only the value `{own}`"));
            return wrong(format!("the label `{label}` has {found}; a choice needs at least two values"));
        }
        let few = self.classes.iter().zip(self.sizes()).find(|(_, size)| *size < FEWEST_EXAMPLES);
        if let Some((class, size)) = few {
            let items = counted(size, "item");
            return wrong(format!(
                "`{class}` is the label `{label}` of {items}; at least {FEWEST_EXAMPLES} are needed of each value; label more, or leave \
                 these out with --where"
            ));
        }
        Ok(())
    }
}

fn expect_single(source: &Labelled) -> Result<(), Error> {
    if source.holds_pairs() {
        let message =
            "holds pairs of interactions, but single interactions are needed; give each under `interaction`";
        return Err(Error::at(Place::of(&source.name), message));
    }
    Ok(())
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
    for (turn, value) in turn_values(source, label, item)? {
        let truth = selector.truth(value).map_err(|wrong| source.wrong(item, label, &wrong))?;
        if let Some(positive) = truth {
            let interaction = alone(turn, item.interaction.modality())
                .map_err(|error| Error::engine(source.place(item), &error))?;
            into.push(Example { group: group.to_owned(), interaction, positive });
        }
    }
    Ok(())
}

/// The turns of an item with the values of its label, a list as long as they are many.
fn turn_values<'i>(
    source: &Labelled,
    label: &Path,
    item: &'i Item,
) -> Result<Vec<(&'i Turn, &'i Value)>, Error> {
    let values = match label.find(&item.labels) {
        None | Some(Value::Null) => return Ok(Vec::new()),
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
    Ok(item.interaction.turns().iter().zip(values).collect())
}

fn alone(turn: &Turn, modality: Modality) -> Result<Interaction, sonometer::Error> {
    match modality {
        Modality::Text => Interaction::text(&turn.content),
        _ => Interaction::transcript(vec![turn.clone()]),
    }
}

pub(crate) fn told(selector: &Selector, label: &Path, turns: bool) -> String {
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
        watch: Watch<'_>,
    ) -> Result<Clusters, Error> {
        let clusters = Clusters::of(&self.examples, by_likeness, is_heard, watch)?;
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
