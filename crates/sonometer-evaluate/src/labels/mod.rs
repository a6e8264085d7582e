//! Labelled interactions, and which of them are meant.
//!
//! A label is named by its path below `labels` (`offensive`, `outcome.a.satisfaction`). Which of its values are the
//! positive class is said by a [`Class`]. An item without the label, or with null there, is not labelled and left out.

mod background;
mod chat;
mod class;
mod file;
mod fold;
mod path;
mod read;
mod rows;
mod span;
mod table;

pub use background::Background;
pub(crate) use background::{Ordinary, Voice, usual_turns};
pub use class::Class;
pub(crate) use class::holds_number;
pub use file::{DataFile, not_utf8};
pub use fold::Fold;
pub(crate) use path::Path;
pub use rows::Columns;
pub(crate) use span::{Span, spans};
pub use table::Table;

use crate::error::{Error, Place};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sonometer::Interaction;
use sonometer::diagnostic::some_of;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// Which items of labelled data are meant, and what makes them positive.
#[derive(Clone, Debug, Default)]
pub struct Selector {
    /// The label, as a path below `labels`; may be left away where there is one only.
    pub label: Option<String>,
    /// The positive class; without one, true and 1.
    pub positive: Option<Class>,
    /// The negative class, where it is not all the rest: items in neither class are left out.
    pub negative: Option<Class>,
    /// Only items that meet all of these conditions.
    pub filters: Vec<Filter>,
    /// Only these parts of the items, by their id or group.
    pub fold: Option<Fold>,
    /// The label that names the group (thread, author, template) of an item: folds keep groups together.
    pub group: Option<String>,
}

/// A condition on another label: `lang=de`, `score>=0.5`, `score>0.5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    path: Path,
    class: Class,
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = self.class.to_string();
        let is_bound = self.class.values().is_empty() && class.starts_with(['<', '>']);
        write!(f, "{}{}{class}", self.path, if is_bound { "" } else { "=" })
    }
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const HOW: &str = "write a label and its value, such as `lang=de`, or a range, such as `score>0.5`";
        // `score>=0.5`: the sign belongs to the range. In `note=a>b` it belongs to the value.
        let at = text.find(['=', '<', '>']).ok_or(HOW)?;
        let (path, rest) = text.split_at(at);
        let class = rest.strip_prefix('=').unwrap_or(rest);
        if path.trim().is_empty() || class.starts_with('=') {
            return Err(HOW.into());
        }
        Ok(Self { path: Path::from(path), class: class.parse()? })
    }
}

impl Filter {
    /// The condition that the label at `path` is in `class`.
    pub fn new(path: &str, class: Class) -> Self {
        Self { path: Path::from(path), class }
    }
}

/// One labelled interaction, or a labelled pair of them.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its line in the file, or its number among the items, from 1.
    pub(crate) line: usize,
    /// Its own id, else `line N`, `items[N]`.
    pub(crate) id: String,
    /// Of a pair, the first.
    pub(crate) interaction: Interaction,
    /// The second of a pair.
    pub(crate) other: Option<Interaction>,
    /// The labels, an object.
    pub(crate) labels: Value,
}

impl Item {
    /// An interaction with its labels, by their names.
    pub fn new(interaction: Interaction, labels: serde_json::Map<String, Value>) -> Self {
        Self { line: 0, id: String::new(), interaction, other: None, labels: Value::Object(labels) }
    }

    /// Two interactions with labels that say which of them is more of something.
    pub fn pair(a: Interaction, b: Interaction, labels: serde_json::Map<String, Value>) -> Self {
        Self { other: Some(b), ..Self::new(a, labels) }
    }

    /// The same with an id, which reports show and by which folds part items.
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Self { id: id.into(), ..self }
    }

    /// What was said; of a pair, in its first interaction.
    pub fn interaction(&self) -> &Interaction {
        &self.interaction
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its line in the file, or its number among the items, from 1.
    pub fn line(&self) -> usize {
        self.line
    }
}

/// Labelled items, all single interactions or all pairs.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// The path of the file, `standard input`, or `items`.
    pub(crate) name: String,
    items: Vec<Item>,
    /// SHA-256 of the file, in hexadecimal digits; `None`: the items are of no file.
    digest: Option<String>,
}

impl Labelled {
    /// Items that are at hand.
    ///
    /// # Errors
    /// If there are none, or single interactions beside pairs.
    pub fn new(items: impl IntoIterator<Item = Item>) -> Result<Self, Error> {
        let mut all = Self { name: "items".to_owned(), items: Vec::new(), digest: None };
        for mut item in items {
            let at = all.items.len();
            item.line = at + 1;
            if item.id.is_empty() {
                item.id = format!("items[{at}]");
            }
            if let Some(first) = all.items.first()
                && first.other.is_some() != item.other.is_some()
            {
                let fix = "give only single interactions, or only pairs";
                return Err(Error::at(
                    all.place(&item),
                    format!("pairs and single interactions are mixed; {fix}"),
                ));
            }
            all.items.push(item);
        }
        match all.items.is_empty() {
            true => Err(Error::at(Place::of(&all.name), "there are no labelled items; give at least one")),
            false => Ok(all),
        }
    }

    /// What the items come from: the path of a file, or `items`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The items in their order.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The same items, each interaction made anew; of pairs both.
    ///
    /// # Errors
    /// The first that `remake` gives, at its item.
    pub fn map(
        mut self,
        remake: impl Fn(&Interaction) -> Result<Interaction, sonometer::Error>,
    ) -> Result<Self, Error> {
        let mut items = std::mem::take(&mut self.items);
        for item in &mut items {
            let place = self.place(item);
            for own in [Some(&mut item.interaction), item.other.as_mut()].into_iter().flatten() {
                *own = remake(own).map_err(|error| Error::engine(place.clone(), &error))?;
            }
        }
        Ok(Self { items, ..self })
    }

    /// Whether each item holds two interactions.
    pub fn holds_pairs(&self) -> bool {
        self.items.first().is_some_and(|item| item.other.is_some())
    }

    /// Some of the items.
    pub(crate) fn with_items(&self, items: Vec<Item>) -> Self {
        Self { items, name: self.name.clone(), digest: self.digest.clone() }
    }

    /// SHA-256 of the file; of items that are of no file, of a line of JSON for each.
    pub(crate) fn digest(&self) -> String {
        if let Some(digest) = &self.digest {
            return digest.clone();
        }
        let mut digest = Sha256::new();
        for item in &self.items {
            let turns =
                [Some(&item.interaction), item.other.as_ref()].into_iter().flatten().map(|interaction| {
                    let turns = interaction.turns().iter();
                    turns.map(|turn| (turn.role.as_deref(), &*turn.content)).collect::<Vec<_>>()
                });
            let line = serde_json::json!([item.id, turns.collect::<Vec<_>>(), item.labels]);
            digest.update(format!("{line}\n"));
        }
        hexadecimal(&digest.finalize())
    }

    /// Where an item stands.
    pub(crate) fn place(&self, item: &Item) -> Place {
        let own = Place::of(&self.name);
        match self.digest {
            Some(_) => Place { line: Some(item.line), ..own },
            None => Place { item: Some(item.line.saturating_sub(1)), ..own },
        }
    }

    /// All items that pass the filters and the fold of a selector, whether they have the label or not.
    pub(crate) fn select(&self, selector: &Selector) -> Result<Vec<Item>, Error> {
        let group = selector.group.as_deref().map(Path::from);
        let mut chosen = Vec::new();
        let mut seen = path::Seen::default();
        for item in &self.items {
            seen.add(&item.labels);
            let mut wanted = true;
            for filter in &selector.filters {
                wanted &= match filter.path.find(&item.labels) {
                    Some(value) => {
                        filter.class.holds(value).map_err(|wrong| self.wrong(item, &filter.path, &wrong))?
                    }
                    None => false,
                };
            }
            if let Some(fold) = selector.fold {
                wanted &=
                    fold.holds(&group.as_ref().map_or_else(|| item.id.clone(), |group| group.key(item)));
            }
            if wanted {
                chosen.push(item.clone());
            }
        }
        for path in selector.filters.iter().map(|filter| &filter.path).chain(&group) {
            seen.expect(&self.name, path)?;
        }
        if chosen.is_empty() {
            let misspelt = selector.filters.iter().find_map(|Filter { path, class }| {
                let (told, is_all) = unseen(class.values(), path, &self.items)?;
                is_all.then(|| format!("{told}; name some of them with --where"))
            });
            let message =
                misspelt.unwrap_or_else(|| "no item passes --where and --fold; choose more of them".into());
            return Err(Error::at(Place::of(&self.name), message));
        }
        Ok(chosen)
    }

    /// A path that some item must have.
    pub(crate) fn path(&self, text: &str, items: &[Item]) -> Result<Path, Error> {
        let mut seen = path::Seen::default();
        items.iter().for_each(|item| seen.add(&item.labels));
        let path = Path::from(text);
        seen.expect(&self.name, &path)?;
        Ok(path)
    }

    /// The path of the label: the one asked for, which some item must have, or the only one there is.
    pub(crate) fn label(&self, selector: &Selector, items: &[Item]) -> Result<Path, Error> {
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
    ) -> Result<Vec<Option<bool>>, Error> {
        let truth = |item: &Item| match path.find(&item.labels) {
            Some(value) => selector.truth(value).map_err(|wrong| self.wrong(item, path, &wrong)),
            None => Ok(None),
        };
        items.iter().map(truth).collect()
    }

    /// What is said where a class names values that no item has: most likely they are misspelt.
    pub(crate) fn unseen(&self, selector: &Selector, path: &Path, items: &[Item]) -> Option<String> {
        let named = [&selector.positive, &selector.negative].into_iter().flatten().flat_map(Class::values);
        unseen(named, path, items).map(|(told, _)| told)
    }

    /// What is said where an item has a value of the positive class but for its case, which is another value.
    pub(crate) fn otherwise_written(
        &self,
        selector: &Selector,
        path: &Path,
        items: &[Item],
    ) -> Option<String> {
        let positive = selector.positive.as_ref()?;
        let named: Vec<&String> =
            selector.negative.iter().chain([positive]).flat_map(Class::values).collect();
        let mut seen = BTreeSet::new();
        items
            .iter()
            .filter_map(|item| path.find(&item.labels))
            .for_each(|value| class::scalars(value, &mut seen));
        let (meant, other) = positive.values().iter().find_map(|meant| {
            let is_other =
                |value: &&String| !named.contains(value) && value.to_lowercase() == meant.to_lowercase();
            Some((meant, seen.iter().find(is_other)?))
        })?;
        let all: Vec<&str> = seen.iter().map(String::as_str).collect();
        Some(format!(
            "`{other}` is another value than `{meant}` and not positive; the values of `{path}` are {}; name all that are positive, such \
             as --positive {meant},{other}",
            some_of(&all)
        ))
    }

    /// Refuses a class, of values or a range, of which no item of the file has any value: every figure would be of the other class alone.
    pub(crate) fn expect_classes(&self, selector: &Selector, path: &Path) -> Result<(), Error> {
        for (option, class) in [("--positive", &selector.positive), ("--negative", &selector.negative)] {
            let Some(class) = class else { continue };
            if let Some((told, true)) = unseen(class.values(), path, &self.items) {
                return Err(Error::at(
                    Place::of(&self.name),
                    format!("{told}; name some of them with {option}"),
                ));
            }
            let mut seen = BTreeSet::new();
            let there = self.items.iter().filter_map(|item| path.find(&item.labels));
            there.for_each(|value| class::scalars(value, &mut seen));
            if !seen.is_empty() && class.is_beyond(seen.iter().map(String::as_str)) {
                let there = some_of(&seen.iter().map(String::as_str).collect::<Vec<_>>());
                return Err(Error::at(
                    Place::of(&self.name),
                    format!(
                        "no item has a number in `{class}` as `{path}`; its values are {there}; write a range with some of them \
                         as {option}"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// What a label is, where it is not what it should be: with its place, and with what `wrong` says to do.
    pub(crate) fn wrong(&self, item: &Item, path: &dyn fmt::Display, wrong: &str) -> Error {
        let field = format!("labels.{path}");
        Error::at(self.place(item).field(&field), format!("{field} is {wrong}"))
    }
}

/// What is said of those of the values that no item has, and whether that is all of them.
fn unseen<'v>(
    named: impl IntoIterator<Item = &'v String>,
    path: &Path,
    items: &[Item],
) -> Option<(String, bool)> {
    let mut seen = BTreeSet::new();
    items
        .iter()
        .filter_map(|item| path.find(&item.labels))
        .for_each(|value| class::scalars(value, &mut seen));
    let is_seen = |value: &String| {
        // As `2.0` names the number 2.
        let number =
            || sonometer::Unit::parse(value).is_some_and(|number| seen.contains(&number.to_string()));
        seen.contains(value) || number()
    };
    let named: Vec<&String> = named.into_iter().collect();
    let unseen: Vec<String> =
        named.iter().filter(|value| !is_seen(value)).map(|value| format!("`{value}`")).collect();
    // A value with a comma in it would look like two.
    let mark = if seen.iter().any(|value| value.contains(',')) { "`" } else { "" };
    let there: Vec<String> = seen.iter().map(|value| format!("{mark}{value}{mark}")).collect();
    (!unseen.is_empty()).then(|| {
        let told =
            format!("no item has {} as `{path}`; its values are {}", unseen.join(" or "), some_of(&there));
        (told, unseen.len() == named.len())
    })
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
        let Some(class) = &self.negative else { return Ok(Some(positive)) };
        let negative = class.holds(value)?;
        // A list may hold a value of each class, and is positive; one value is in one of them.
        if positive && negative && !value.is_array() {
            return Err(format!(
                "`{}`, in both classes; choose values for --positive and --negative that do not overlap",
                class::plain(value)
            ));
        }
        Ok(if positive { Some(true) } else { negative.then_some(false) })
    }
}

/// The values of a label, or of a list of labels, each as it is written in a class; none of null.
pub(crate) fn values(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    class::scalars(value, &mut found);
    found
}

/// Bytes in hexadecimal digits.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Labelled {
        Labelled::read_single("data.jsonl", text.as_bytes()).expect("reads")
    }

    fn told(error: Error) -> String {
        error.to_string()
    }

    const THREE: &str = r#"{"id": "a", "interaction": {"content": "x"}, "labels": {"mood": "glad", "n": 1}}

{"id": 2, "interaction": {"content": "y"}, "labels": {"mood": "sad", "n": 0}, "split": "dev"}
{"interaction": {"content": "z"}, "labels": {"mood": null}}"#;

    #[test]
    fn items_keep_their_lines_and_ids() {
        let source = source(THREE);
        let names: Vec<(usize, &str)> =
            source.items().iter().map(|item| (item.line, item.id.as_str())).collect();
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
                ..Selector::default()
            };
            let items = source.select(&selector)?;
            let path = source.label(&selector, &items)?;
            source.truths(&selector, &path, &items)
        };
        assert_eq!(truths("mood", Some("glad"), None).expect("reads"), [Some(true), Some(false), None]);
        assert_eq!(truths("mood", Some("glad"), Some("angry")).expect("reads"), [Some(true), None, None]);
        assert_eq!(truths("n", None, None).expect("reads"), [Some(true), Some(false), None]);
        let message = told(truths("n", Some(">=0"), Some("<=0")).expect_err("0 is in both"));
        assert_eq!(
            message,
            "data.jsonl:3: labels.n is `0`, in both classes; choose values for --positive and --negative that do not overlap"
        );
        assert_eq!(truths("n", Some(">0"), Some("<=0")).expect("reads"), [Some(true), Some(false), None]);
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
            let filters = vec![filter.parse().expect("reads")];
            source.select(&Selector { filters, ..Selector::default() }).map(|items| items.len())
        };
        assert_eq!(chosen("mood=glad,sad").expect("reads"), 2);
        assert_eq!(chosen("n>=1").expect("reads"), 1);
        assert!(told(chosen("n>=7").expect_err("chooses nothing")).contains("no item passes"));
        assert_eq!(
            told(chosen("n=7").expect_err("chooses nothing")),
            "data.jsonl: no item has `7` as `n`; its values are 0, 1; name some of them with --where"
        );
        assert!(told(chosen("x=7").expect_err("is not there")).contains("the labels are mood, n"));
        assert_eq!(chosen("n>0").expect("reads"), 1);
        assert_eq!(chosen("n<1").expect("reads"), chosen("n<=0").expect("reads"));
        for filter in ["n>0", "n<1", "n>=1", "mood=glad,sad", "n=0..1"] {
            assert_eq!(filter.parse::<Filter>().expect("reads").to_string(), filter);
        }
        for wrong in ["mood", "=glad", ">0", "mood==glad", "n>", "n>high", ""] {
            assert!(wrong.parse::<Filter>().is_err(), "{wrong}");
        }
        assert_eq!(
            "mood==glad".parse::<Filter>().expect_err("is doubled"),
            "write a label and its value, such as `lang=de`, or a range, such as `score>0.5`"
        );
    }

    #[test]
    fn a_class_of_values_that_no_item_has_is_refused() {
        let source = source(THREE);
        let checked = |label: &str, positive: &str, negative: Option<&str>| {
            let selector = Selector {
                positive: Some(positive.parse().expect("reads")),
                negative: negative.map(|class| class.parse().expect("reads")),
                ..Selector::default()
            };
            source.expect_classes(&selector, &Path::from(label)).map_err(told)
        };
        for (label, positive, negative) in [
            ("mood", "glad", Some("sad,angry")),
            ("mood", "glad,happy", None),
            ("n", "1.0", None),
            ("n", ">0", None),
        ] {
            assert_eq!(checked(label, positive, negative), Ok(()), "{positive}");
        }
        assert_eq!(
            checked("mood", "Glad,happy", None),
            Err("data.jsonl: no item has `Glad` or `happy` as `mood`; its values are glad, sad; name some of them with \
                 --positive"
                .to_owned())
        );
        let beyond = checked("n", "5..9", None).expect_err("no item is in it");
        assert!(
            beyond.starts_with("data.jsonl: no item has a number in `5..9` as `n`; its values are "),
            "{beyond}"
        );
        assert!(checked("mood", "glad", Some("angry")).is_err_and(|told| told.ends_with("with --negative")));
    }

    #[test]
    fn a_table_is_told_what_to_write_instead() {
        for name in ["calls.csv", "calls.TSV", "calls.parquet"] {
            let message = told(Labelled::read(name, b"id,text,label\n").expect_err("is refused"));
            assert!(
                message.starts_with(&format!("{name}: is a table; write one JSON object for each row")),
                "{message}"
            );
            assert!(
                Background::read([(name, &b"text\n"[..])])
                    .is_err_and(|error| told(error).contains("is a table"))
            );
        }
        let workbook = told(Labelled::read("calls.XLSX", b"PK").expect_err("is refused"));
        assert!(workbook.starts_with("calls.XLSX: is a workbook; save it as CSV in UTF-8"), "{workbook}");
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, part) in [
            ("{\"id\": 1,}", "data.jsonl:1:10: "),
            ("\n[1]", "data.jsonl:2: is a list; each line must be one JSON object"),
            ("[\"a\", {\"content\": \"x\"}]", "data.jsonl:1: is a list"),
            ("\n", "data.jsonl: holds no labelled items"),
            ("{\"labels\": {}}", "data.jsonl:1: has neither `interaction` nor `text`"),
            ("{\"interaction_a\": {}}", "data.jsonl:1: holds a pair"),
            ("{\"content\": \"x\"}", "data.jsonl:1: is an interaction without labels"),
            ("{\"interaction\": {\"contant\": \"x\"}}", "data.jsonl:1: contant: unknown key"),
            ("{\"interaction\": {\"content\": \"x\"}, \"labels\": [1]}", "data.jsonl:1: `labels` is a list"),
        ] {
            let found = Labelled::read_single("data.jsonl", text.as_bytes());
            let message = told(found.expect_err("is refused"));
            assert!(message.starts_with(part), "{text}: {message}");
        }
    }

    #[test]
    fn ordinary_talk_is_objects_and_needs_no_labels() {
        for (text, part) in [
            ("\n", "talk.jsonl: holds no interactions; write one JSON object a line"),
            (
                "[{\"content\": \"x\"}]",
                "talk.jsonl: is one list of JSON, and one JSON object a line is read; type `jq -c '.[]'",
            ),
            ("[7]", "talk.jsonl:1: is a list; each line must be one JSON object"),
        ] {
            let message = told(Background::read([("talk.jsonl", text.as_bytes())]).expect_err("is refused"));
            assert!(message.starts_with(part), "{text}: {message}");
        }
    }
}
