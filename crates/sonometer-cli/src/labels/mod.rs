//! Labelled interactions: one JSON object a line, `{id, interaction, labels}`, and what its labels say; or pairs of them,
//! `{id, interaction_a, interaction_b, labels}`.
//!
//! A label is named by its path below `labels` (`offensive`, `outcome.a.satisfaction`). Which of its values are the
//! positive class is told by a [`Class`]. An item without the label, or with null there, is not labelled and left out.

mod class;
mod fold;
mod path;
mod span;

pub(crate) use class::Class;
pub(crate) use fold::Fold;
pub(crate) use path::Path;
pub(crate) use span::{Span, spans};

use crate::failure::Failure;
use crate::file;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use sonometer::Interaction;
use sonometer::diagnostic::some_of;
use std::collections::BTreeSet;
use std::fmt;

/// Which items of labelled data are meant, and what makes them positive.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Selector {
    /// The label, as a path below `labels`; may be left away where there is one only
    #[arg(long, value_name = "PATH")]
    pub(crate) label: Option<String>,
    /// The positive class: a value (`true`), several (`a,b`), or numbers (`>=0.5`, `<0`, `1..3`) [default: true or 1]
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) positive: Option<Class>,
    /// The negative class, where it is not all the rest: items in neither class are left out
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) negative: Option<Class>,
    /// Only items whose label PATH is so (`lang=de`); may be repeated
    #[arg(long = "where", value_name = "PATH=SPEC", value_parser = Filter::parse)]
    pub(crate) filters: Vec<Filter>,
    /// Only part I of K of the items (`1/2`), or parts I to J (`2-5/5`), by SHA-256 of their id or group
    #[arg(long, value_name = "I/K")]
    pub(crate) fold: Option<Fold>,
    /// The label that names the group (thread, author, template) of an item: folds keep groups together
    #[arg(long, value_name = "PATH")]
    pub(crate) group: Option<String>,
}

/// `PATH=SPEC`: a condition on another label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filter {
    path: Path,
    class: Class,
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.class.values() {
            [] => write!(f, "{}{}", self.path, self.class),
            _ => write!(f, "{}={}", self.path, self.class),
        }
    }
}

impl Filter {
    fn parse(text: &str) -> Result<Self, String> {
        let (path, class) = text.split_once('=').ok_or("write a label and its value, such as `lang=de`")?;
        // `score>=0.5`: the sign belongs to the range.
        let (path, class) = match path.strip_suffix(['<', '>']) {
            Some(bare) => (bare, &text[bare.len()..]),
            None => (path, class),
        };
        Ok(Self { path: Path::from(path), class: class.parse()? })
    }
}

/// A file of labelled interactions, read and not yet taken apart.
#[derive(Debug)]
pub(crate) struct Source {
    /// The path, or `standard input`.
    pub(crate) name: String,
    text: String,
    /// Whether each line is to hold two interactions.
    pairs: bool,
}

/// One labelled interaction.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its line in the file, from 1.
    pub(crate) line: usize,
    /// Its own id, else `line N`.
    pub(crate) id: String,
    /// Of a pair, the first.
    pub(crate) interaction: Interaction,
    /// The second of a pair.
    pub(crate) other: Option<Interaction>,
    /// The object under `labels`.
    pub(crate) labels: Value,
}

impl Source {
    /// Reads a file; `-` is standard input.
    pub(crate) fn open(path: &str) -> Result<Self, Failure> {
        let name = if path == "-" { "standard input".to_owned() } else { path.to_owned() };
        let bytes = file::bytes(path, file::DATA)?;
        let text = file::utf8(&name, &bytes, 0)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(Failure::unusable(format!(
                "{name}: holds no labelled items; write one JSON object a line, \
                 {{\"id\": …, \"interaction\": {{\"content\": …}}, \"labels\": {{…}}}}"
            )));
        }
        Ok(Self { name, text: text.to_owned(), pairs: false })
    }

    /// The same, read as pairs if the first line holds one.
    pub(crate) fn with_pairs(self) -> Self {
        let first = self.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let first: Option<Written<'_>> = serde_json::from_str(first).ok();
        let pairs = first.is_some_and(|first| first.interaction_a.is_some() || first.interaction_b.is_some());
        Self { pairs, ..self }
    }

    /// Whether each line holds two interactions.
    pub(crate) fn holds_pairs(&self) -> bool {
        self.pairs
    }

    /// Lines that are at hand.
    #[cfg(test)]
    pub(crate) fn from_text(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned(), pairs: false }
    }

    /// The items in their order; blank lines are none.
    pub(crate) fn items(&self) -> impl Iterator<Item = Result<Item, Failure>> {
        let lines = self.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(at, line)| self.item(at + 1, line))
    }

    /// All items that pass the filters and the fold of a selector, whether they have the label or not.
    pub(crate) fn select(&self, selector: &Selector) -> Result<Vec<Item>, Failure> {
        let group = selector.group.as_deref().map(Path::from);
        let mut chosen = Vec::new();
        let mut seen = path::Seen::default();
        for item in self.items() {
            let item = item?;
            seen.add(&item.labels);
            let mut wanted = true;
            for filter in &selector.filters {
                wanted &= match filter.path.find(&item.labels) {
                    Some(value) => {
                        filter.class.holds(value).map_err(|wrong| self.wrong(&item, &filter.path, &wrong))?
                    }
                    None => false,
                };
            }
            if let Some(fold) = selector.fold {
                wanted &=
                    fold.holds(&group.as_ref().map_or_else(|| item.id.clone(), |group| group.key(&item)));
            }
            if wanted {
                chosen.push(item);
            }
        }
        for path in selector.filters.iter().map(|filter| &filter.path).chain(&group) {
            seen.expect(&self.name, path)?;
        }
        if chosen.is_empty() {
            return Err(Failure::unusable(format!(
                "{}: no item passes --where and --fold; choose more of them",
                self.name
            )));
        }
        Ok(chosen)
    }

    /// A path that some item must have.
    pub(crate) fn path(&self, text: &str, items: &[Item]) -> Result<Path, Failure> {
        let mut seen = path::Seen::default();
        items.iter().for_each(|item| seen.add(&item.labels));
        let path = Path::from(text);
        seen.expect(&self.name, &path)?;
        Ok(path)
    }

    /// The path of the label: the one asked for, which some item must have, or the only one there is.
    pub(crate) fn label(&self, selector: &Selector, items: &[Item]) -> Result<Path, Failure> {
        if let Some(label) = &selector.label {
            return self.path(label, items);
        }
        let mut seen = path::Seen::default();
        items.iter().for_each(|item| seen.add(&item.labels));
        seen.only(&self.name)
    }

    /// Whether each item is positive by the label at `path`; `None`: not labelled.
    pub(crate) fn truths(
        &self,
        selector: &Selector,
        path: &Path,
        items: &[Item],
    ) -> Result<Vec<Option<bool>>, Failure> {
        let truth = |item: &Item| match path.find(&item.labels) {
            Some(value) => selector.truth(value).map_err(|wrong| self.wrong(item, path, &wrong)),
            None => Ok(None),
        };
        items.iter().map(truth).collect()
    }

    /// What is said where a class names values that no item has: most likely they are misspelt.
    pub(crate) fn unseen(&self, selector: &Selector, path: &Path, items: &[Item]) -> Option<String> {
        let mut seen = BTreeSet::new();
        items
            .iter()
            .filter_map(|item| path.find(&item.labels))
            .for_each(|value| class::scalars(value, &mut seen));
        let named = [&selector.positive, &selector.negative].into_iter().flatten().flat_map(Class::values);
        let unseen: Vec<String> =
            named.filter(|value| !seen.contains(*value)).map(|v| format!("`{v}`")).collect();
        let there: Vec<&str> = seen.iter().map(String::as_str).collect();
        (!unseen.is_empty()).then(|| {
            format!("no item has {} as `{path}`; its values are {}", unseen.join(" or "), some_of(&there))
        })
    }

    /// What a label is, where it is not what it should be: with its place, and with what `wrong` says to do.
    pub(crate) fn wrong(&self, item: &Item, path: &dyn fmt::Display, wrong: &str) -> Failure {
        Failure::unusable(format!("{}:{}: labels.{path} is {wrong}", self.name, item.line))
    }

    fn item(&self, line: usize, text: &str) -> Result<Item, Failure> {
        let place = format!("{}:{line}", self.name);
        let written: Written<'_> = serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            Failure::unusable(format!(
                "{place}:{}: {message}; each line must be one JSON object",
                error.column()
            ))
        })?;
        let (first, second, name) = match self.pairs {
            true => (written.interaction_a, written.interaction_b, "interaction_a: "),
            false => (written.interaction, None, ""),
        };
        if self.pairs && (first.is_none() || second.is_none()) {
            let key = if first.is_none() { "interaction_a" } else { "interaction_b" };
            return Err(Failure::unusable(format!(
                "{place}: has no `{key}`; where one line holds a pair, each holds `interaction_a` and `interaction_b`"
            )));
        }
        let Some(interaction) = first else {
            return Err(Failure::unusable(
                match (written.interaction_a, written.content, written.segments) {
                    (Some(_), ..) => {
                        format!(
                            "{place}: holds a pair of interactions where one is wanted; give it under `interaction`"
                        )
                    }
                    (_, None, None) => {
                        format!(
                            "{place}: has no `interaction`; put `content` or `segments` into an object of that name"
                        )
                    }
                    _ => format!(
                        "{place}: is a bare interaction; write {{\"interaction\": {{…}}, \"labels\": {{…}}}}"
                    ),
                },
            ));
        };
        let read = |json: &RawValue, name: &str| {
            let place = format!("{place}: {name}");
            let place = place.trim_end_matches([':', ' ']);
            Interaction::from_json(json.get()).map_err(|error| Failure::engine(place, &error))
        };
        let interaction = read(interaction, name)?;
        let other = second.map(|second| read(second, "interaction_b: ")).transpose()?;
        let labels = match written.labels {
            Some(labels @ Value::Object(_)) => labels,
            None => Value::Object(serde_json::Map::new()),
            Some(other) => {
                let kind = path::kind(&other);
                return Err(Failure::unusable(format!(
                    "{place}: `labels` is {kind}; write an object, such as {{\"labels\": {{\"positive\": true}}}}"
                )));
            }
        };
        let id = match written.id {
            Some(Value::String(id)) => id,
            None | Some(Value::Null) => format!("line {line}"),
            Some(other) => other.to_string(),
        };
        Ok(Item { line, id, interaction, other, labels })
    }
}

impl Selector {
    /// Whether a label's value is positive; `None`: in neither class, or null.
    ///
    /// # Errors
    /// What the value is and what to do, where it can be in no class of this kind.
    pub(crate) fn truth(&self, value: &Value) -> Result<Option<bool>, String> {
        if value.is_null() {
            return Ok(None);
        }
        let positive = match &self.positive {
            Some(class) => class.holds(value)?,
            None => Class::truth(value)?,
        };
        Ok(match &self.negative {
            _ if positive => Some(true),
            Some(class) => class.holds(value)?.then_some(false),
            None => Some(false),
        })
    }
}

/// A line as it is written. Other keys (`split`, …) are of no concern.
#[derive(Deserialize)]
struct Written<'a> {
    id: Option<Value>,
    #[serde(borrow)]
    interaction: Option<&'a RawValue>,
    labels: Option<Value>,
    #[serde(borrow)]
    interaction_a: Option<&'a RawValue>,
    #[serde(borrow)]
    interaction_b: Option<&'a RawValue>,
    // Only for what can be said where `interaction` is missing.
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    segments: Option<&'a RawValue>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::from_text("data.jsonl", text)
    }

    fn told(failure: Failure) -> String {
        match failure {
            Failure::Told(told) => told.message,
            Failure::PipeClosed => unreachable!("nothing is written here"),
        }
    }

    fn selector() -> Selector {
        Selector { label: None, positive: None, negative: None, filters: vec![], fold: None, group: None }
    }

    const THREE: &str = r#"{"id": "a", "interaction": {"content": "x"}, "labels": {"mood": "glad", "n": 1}}

{"id": 2, "interaction": {"content": "y"}, "labels": {"mood": "sad", "n": 0}, "split": "dev"}
{"interaction": {"content": "z"}, "labels": {"mood": null}}"#;

    #[test]
    fn items_keep_their_lines_and_ids() {
        let items: Vec<Item> = source(THREE).items().collect::<Result<_, _>>().expect("reads");
        let names: Vec<(usize, &str)> = items.iter().map(|item| (item.line, item.id.as_str())).collect();
        assert_eq!(names, [(1, "a"), (3, "2"), (4, "line 4")]);
    }

    #[test]
    fn labels_are_in_a_class_or_left_out() {
        let source = source(THREE);
        let truths = |label: &str, positive: Option<&str>, negative: Option<&str>| {
            let selector = Selector {
                label: Some(label.into()),
                positive: positive.map(|class| class.parse().expect("reads")),
                negative: negative.map(|class| class.parse().expect("reads")),
                ..selector()
            };
            let items = source.select(&selector)?;
            let path = source.label(&selector, &items)?;
            source.truths(&selector, &path, &items)
        };
        assert_eq!(truths("mood", Some("glad"), None).expect("reads"), [Some(true), Some(false), None]);
        assert_eq!(truths("mood", Some("glad"), Some("angry")).expect("reads"), [Some(true), None, None]);
        assert_eq!(truths("n", None, None).expect("reads"), [Some(true), Some(false), None]);
        let message = told(truths("mood", None, None).expect_err("texts are neither true nor false"));
        assert_eq!(
            message,
            "data.jsonl:1: labels.mood is a text, `glad`; say which values are positive with --positive"
        );
        let message = told(truths("mod", None, None).expect_err("is not there"));
        assert_eq!(
            message,
            "data.jsonl: no item has the label `mod`; the labels are mood, n; did you mean `mood`?"
        );
    }

    #[test]
    fn filters_choose_items_by_other_labels() {
        let source = source(THREE);
        let chosen = |filter: &str| {
            let filters = vec![Filter::parse(filter).expect("reads")];
            source.select(&Selector { filters, ..selector() }).map(|items| items.len())
        };
        assert_eq!(chosen("mood=glad,sad").expect("reads"), 2);
        assert_eq!(chosen("n>=1").expect("reads"), 1);
        assert!(told(chosen("n=7").expect_err("chooses nothing")).contains("no item passes"));
        assert!(told(chosen("x=7").expect_err("is not there")).contains("the labels are mood, n"));
        assert!(Filter::parse("mood").is_err());
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, part) in [
            ("{\"id\": 1,}", "data.jsonl:1:10: "),
            ("\n[1]", "data.jsonl:2:"),
            ("{\"labels\": {}}", "data.jsonl:1: has no `interaction`"),
            ("{\"interaction_a\": {}}", "data.jsonl:1: holds a pair"),
            ("{\"content\": \"x\"}", "data.jsonl:1: is a bare interaction"),
            ("{\"interaction\": {\"contant\": \"x\"}}", "data.jsonl:1: contant: unknown key"),
            ("{\"interaction\": {\"content\": \"x\"}, \"labels\": [1]}", "data.jsonl:1: `labels` is a list"),
        ] {
            let found = source(text).items().collect::<Result<Vec<_>, _>>();
            let message = told(found.expect_err("is refused"));
            assert!(message.starts_with(part), "{text}: {message}");
        }
    }
}
