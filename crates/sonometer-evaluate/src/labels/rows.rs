//! Rows, such as `{"text": "…", "polite": true}`: one column or two hold what is said, the others are labels.

use super::chat::{self, Talk};
use super::{Item, path};
use crate::error::{Error, Place};
use serde_json::{Map, Value, json};
use sonometer::diagnostic::some_of;
use sonometer::document::suggest;
use sonometer::{Interaction, MessageForm};

/// Columns that hold what is said, of which the first that is there counts.
const SAID: [&str; 7] =
    ["interaction", "text", "content", "segments", "messages", "contents", "conversations"];
/// Those of them that hold chats as other programs write them, or their JSON.
const CHATS: [&str; 3] = ["messages", "contents", "conversations"];
/// The columns of a pair.
const PAIR: [&str; 2] = ["interaction_a", "interaction_b"];
/// The column of ids.
const ID: &str = "id";

/// Which columns of rows hold what. All others are labels, unless the row has an object `labels`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// What is said. `None`: `interaction_a` and `interaction_b`, or the first of `interaction`, `text`, `content`, `segments`,
    /// `messages`, `contents` and `conversations` that the first row has.
    pub text: Option<String>,
    /// What is said by the second of a pair.
    pub second: Option<String>,
    /// The id. `None`: `id`.
    pub id: Option<String>,
}

impl Columns {
    /// Whether the cells of a column are texts in any case; `all` are the columns of its table.
    pub(super) fn is_text(&self, name: &str, all: &[String]) -> bool {
        let is_said = match &self.text {
            // Ordinary talk may lack the column of the items.
            Some(text) if all.contains(text) => name == text || self.second.as_deref() == Some(name),
            _ => SAID.contains(&name) || PAIR.contains(&name),
        };
        is_said || name == self.id()
    }

    fn id(&self) -> &str {
        self.id.as_deref().unwrap_or(ID)
    }

    /// The same for ordinary talk, which may have its text in the column of the items, or in one of the usual ones.
    fn of_ordinary(&self, row: &Map<String, Value>) -> Self {
        let text = self.text.clone().filter(|text| self.second.is_none() && row.contains_key(text));
        Self { text, ..Self::default() }
    }
}

/// Whether a line without a named column is a row: it has a text, or what is said beside labels.
pub(super) fn is_row(row: &Map<String, Value>) -> bool {
    let says = |name: &str| name == "content" || name == "segments";
    row.contains_key("text")
        || row.keys().any(|name| says(name)) && row.keys().any(|name| name != ID && !says(name))
}

/// The rows of one file.
pub(super) struct Rows<'c> {
    columns: &'c Columns,
    /// The columns of what is said, which the first row decides.
    said: Vec<String>,
}

impl<'c> Rows<'c> {
    pub(super) fn new(columns: &'c Columns) -> Self {
        Self { columns, said: Vec::new() }
    }

    /// Decides by the first row which columns are of what is said.
    pub(super) fn choose(&mut self, first: &Map<String, Value>, place: &Place) -> Result<(), Error> {
        if self.said.is_empty() {
            self.said = said(self.columns, first, place)?;
        }
        Ok(())
    }

    /// A row as an item, or as a pair.
    pub(super) fn item(
        &mut self,
        mut row: Map<String, Value>,
        place: Place,
        line: usize,
    ) -> Result<Item, Error> {
        self.choose(&row, &place)?;
        let own = self.columns.id();
        for name in self.said.iter().chain(&self.columns.id) {
            if !row.contains_key(name) {
                let names = names(&row);
                return Err(Error::at(place, format!("the row has no `{name}`; its columns are {names}")));
            }
        }
        let mut talks = self.said.iter().map(|name| talk(name, &row[name], &place));
        let (first, second) = (talks.next().transpose()?, talks.next().transpose()?);
        let first = first.ok_or_else(|| Error::at(place.clone(), "the row says nothing"))?;
        let id = match row.get(own) {
            None | Some(Value::Null) => format!("line {line}"),
            Some(Value::String(id)) if id.is_empty() => format!("line {line}"),
            Some(Value::String(id)) => id.clone(),
            Some(other) => other.to_string(),
        };
        let mut labels = match row.get_mut("labels") {
            Some(labels @ Value::Object(_)) => labels.take(),
            _ => {
                row.retain(|name, _| name != own && !self.said.contains(name));
                Value::Object(row)
            }
        };
        first.align(&mut labels);
        let other = second.map(|talk| talk.interaction);
        Ok(Item { line, id, interaction: first.interaction, other, labels })
    }
}

/// Fails where rows of ordinary talk have no column of what is said.
pub(super) fn expect_said(columns: &Columns, row: &Map<String, Value>, place: &Place) -> Result<(), Error> {
    said(&columns.of_ordinary(row), row, place).map(drop)
}

/// What a row says that nobody labelled.
pub(super) fn ordinary(
    columns: &Columns,
    row: &Map<String, Value>,
    place: &Place,
) -> Result<Interaction, Error> {
    let columns = said(&columns.of_ordinary(row), row, place)?;
    let name = &columns[0];
    Ok(talk(name, &row[name], place)?.interaction)
}

/// The columns of what is said.
fn said(columns: &Columns, row: &Map<String, Value>, place: &Place) -> Result<Vec<String>, Error> {
    if let Some(text) = &columns.text {
        for name in [Some(text), columns.second.as_ref()].into_iter().flatten() {
            if !row.contains_key(name) {
                let all: Vec<&str> = row.keys().map(String::as_str).collect();
                let near = suggest(name.trim(), &all).map(|near| format!("; did you mean `{near}`?"));
                let (names, near) = (names(row), near.unwrap_or_default());
                let told =
                    format!("there is no column `{name}` for --text-column; the columns are {names}{near}");
                return Err(Error::at(place.clone(), told));
            }
        }
        return Ok([Some(text), columns.second.as_ref()].into_iter().flatten().cloned().collect());
    }
    if PAIR.iter().any(|name| row.contains_key(*name)) {
        return Ok(PAIR.map(str::to_owned).to_vec());
    }
    let found = SAID.iter().find(|name| row.contains_key(**name));
    found.map(|name| vec![(*name).to_owned()]).ok_or_else(|| {
        let told = format!(
            "there is no column `text`; name the column of the texts with --text-column; the columns are {}",
            names(row)
        );
        Error::at(place.clone(), told)
    })
}

/// The names of the columns, for messages.
pub(super) fn names(row: &Map<String, Value>) -> String {
    some_of(&row.keys().map(String::as_str).collect::<Vec<_>>())
}

/// What is said in a column: a text, a list of turns, or a chat as other programs write it.
fn talk(name: &str, value: &Value, place: &Place) -> Result<Talk, Error> {
    if let Some(value) = of_cell(name, value) {
        return talk(name, &value, place);
    }
    let found = match value {
        Value::String(json) if CHATS.contains(&name) && json.trim_start().starts_with(['[', '{']) => {
            chat::talk(json)
        }
        Value::String(text) => Interaction::text(text).map(Talk::from),
        Value::Array(_) if CHATS.contains(&name) => chat::talk(&json!({ name: value }).to_string()),
        Value::Array(turns) => turns_of(turns),
        Value::Object(_) => chat::talk(&value.to_string()),
        other => {
            let told =
                format!("`{name}` is {}; write a text in quotes, or a list of turns", path::kind(other));
            return Err(Error::at(place.clone().field(name), told));
        }
    };
    found.map_err(|mut error| {
        error.place =
            if error.place.is_empty() { name.to_owned() } else { format!("{name}: {}", error.place) };
        Error::engine(place.clone(), &error)
    })
}

/// Turns or an interaction of which a table has the JSON, as it has no type of its own for them.
fn of_cell(name: &str, value: &Value) -> Option<Value> {
    let json = value.as_str()?;
    let begins = match name {
        "segments" => '[',
        "interaction" | "interaction_a" | "interaction_b" => '{',
        _ => return None,
    };
    json.trim_start().starts_with(begins).then(|| serde_json::from_str(json).ok())?
}

/// A list of turns: objects, or lists of role, content and time.
fn turns_of(turns: &[Value]) -> Result<Talk, sonometer::Error> {
    let turn = |turn: &Value| match turn {
        Value::Array(parts) => {
            let named = ["role", "content", "timestamp"].into_iter().zip(parts);
            named.map(|(name, part)| (name.to_owned(), part.clone())).collect()
        }
        other => other.clone(),
    };
    let segments = json!({ "segments": turns.iter().map(turn).collect::<Vec<Value>>() }).to_string();
    Interaction::from_json(&segments).map(Talk::from).or_else(|error| {
        let chat = json!(turns).to_string();
        if MessageForm::of_others(&chat).is_some() { chat::talk(&chat) } else { Err(error) }
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Background, DataFile, Item, Labelled, Table};
    use super::*;

    fn columns(text: &str) -> Columns {
        Columns { text: Some(text.to_owned()), ..Columns::default() }
    }

    fn read(lines: &str, columns: &Columns) -> Result<Labelled, String> {
        Labelled::of(DataFile::lines("a.jsonl", lines.as_bytes()), columns).map_err(|error| error.to_string())
    }

    fn one(line: &str, columns: &Columns) -> (String, Vec<String>, Value) {
        let read = read(line, columns).unwrap_or_else(|told| panic!("{line}: {told}"));
        let [Item { id, interaction, labels, .. }] = read.items() else { panic!("{line}") };
        let turns = interaction.turns().iter().map(|turn| turn.content.to_string()).collect();
        (id.clone(), turns, labels.clone())
    }

    #[test]
    fn what_stands_beside_a_text_is_its_labels() {
        let usual = Columns::default();
        for (line, id, said, labels) in [
            (r#"{"text": "hi", "label": true}"#, "line 1", "hi", json!({"label": true})),
            (r#"{"id": 7, "text": "hi", "kind": "a", "n": 1}"#, "7", "hi", json!({"kind": "a", "n": 1})),
            (r#"{"text": "hi", "labels": {"kind": 1}, "split": "dev"}"#, "line 1", "hi", json!({"kind": 1})),
            (r#"{"text": "hi", "labels": ["a", "b"]}"#, "line 1", "hi", json!({"labels": ["a", "b"]})),
            (
                r#"{"text": "hi", "content": "note", "ok": 1}"#,
                "line 1",
                "hi",
                json!({"content": "note", "ok": 1}),
            ),
            (r#"{"content": "hi", "kind": null}"#, "line 1", "hi", json!({"kind": null})),
            (r#"{"segments": [["user", "hi"]], "kind": [1]}"#, "line 1", "hi", json!({"kind": [1]})),
            (r#"{"text": [{"role": "user", "content": "hi"}], "k": 1}"#, "line 1", "hi", json!({"k": 1})),
            (r#"{"segments": "[[\"user\", \"hi\"]]", "k": 1}"#, "line 1", "hi", json!({"k": 1})),
            (r#"{"segments": "[sic] hi", "k": 1}"#, "line 1", "[sic] hi", json!({"k": 1})),
            (r#"{"text": {"content": "hi"}, "k": 1}"#, "line 1", "hi", json!({"k": 1})),
        ] {
            assert_eq!(one(line, &usual), (id.to_owned(), vec![said.to_owned()], labels), "{line}");
        }
        let chat = r#"{"chat": [{"role": "user", "content": "a"}, {"role": "tool", "tool_call_id": "1", "content": "t"}], "kind": [1, 2]}"#;
        assert_eq!(one(chat, &columns("chat")).2, json!({"kind": [1]}));
    }

    #[test]
    fn columns_may_be_named() {
        let line = r#"{"who": "a", "said": "hi", "text": "note", "polite": true}"#;
        let named = Columns { id: Some("who".to_owned()), ..columns("said") };
        let labels = json!({"text": "note", "polite": true});
        assert_eq!(one(line, &named), ("a".to_owned(), vec!["hi".to_owned()], labels));
        let pairs = Columns { second: Some("b".to_owned()), ..columns("a") };
        let pair = read(r#"{"a": "one", "b": "two", "more": "a"}"#, &pairs).expect("reads");
        assert!(pair.holds_pairs());
        let single = Labelled::single_of(DataFile::lines("a.jsonl", br#"{"a": "one", "b": "two"}"#), &pairs);
        assert!(single.is_err_and(|error| error.to_string().starts_with("a.jsonl:1: holds a pair")));
    }

    #[test]
    fn rows_that_cannot_be_read_are_told_with_their_lines() {
        for (lines, named, told) in [
            (
                "{\"text\": \"hi\"}\n\n{\"txt\": \"hi\"}",
                None,
                "a.jsonl:3: has neither `interaction` nor `text`; write {\"text\": …, \"label\": …}, or name the column of the texts with \
                 --text-column; the columns are txt",
            ),
            (
                "{\"text\": \"hi\"}\n{\"content\": \"hi\", \"n\": 1}",
                None,
                "a.jsonl:2: the row has no `text`; its columns are content, n",
            ),
            (
                "{\"text\": null}",
                None,
                "a.jsonl:1: `text` is null; write a text in quotes, or a list of turns",
            ),
            (
                "{\"text\": 7}",
                None,
                "a.jsonl:1: `text` is a number; write a text in quotes, or a list of turns",
            ),
            ("{\"text\": {\"contant\": 7}}", None, "a.jsonl:1: text: contant: unknown key"),
            (
                "{\"said\": \"hi\", \"n\": 1}",
                Some("siad"),
                "a.jsonl:1: there is no column `siad` for --text-column; the columns are n, said; did you mean `said`?",
            ),
        ] {
            let found = read(lines, &named.map(columns).unwrap_or_default()).expect_err(lines);
            assert!(found.starts_with(told), "{lines}: {found}");
        }
    }

    #[test]
    fn ordinary_talk_may_be_rows() {
        let count = |lines: &str, columns: &Columns| {
            let read = Background::of([DataFile::lines("b.jsonl", lines.as_bytes())], columns);
            read.map(|read| read.talks.len()).map_err(|error| error.to_string())
        };
        let lines = "{\"text\": \"a\", \"label\": 0}\n{\"interaction\": {\"content\": \"b\"}}\n{\"content\": \"c\"}\n";
        assert_eq!(count(lines, &Columns::default()), Ok(3));
        assert_eq!(count(lines, &columns("said")), Ok(3));
        assert_eq!(count("{\"said\": \"a\", \"n\": 1}", &columns("said")), Ok(1));
        let told = count("{\"said\": \"a\"}", &Columns::default()).expect_err("says nothing known");
        assert!(
            told.starts_with("b.jsonl:1: has neither `content` nor `text`; write {\"text\": …}, or name"),
            "{told}"
        );
    }

    #[test]
    fn tables_are_rows() {
        let mut table = Table::new(["text", "label"]);
        table.add(2, vec!["hi".to_owned(), "true".to_owned()]);
        table.add(5, vec!["ho".to_owned(), String::new()]);
        let found =
            Labelled::of(DataFile::table("a.csv", b"", table.clone()), &Columns::default()).expect("reads");
        let items: Vec<_> = found.items().iter().map(|item| (item.line(), item.id(), &item.labels)).collect();
        assert_eq!(items, [(2, "line 2", &json!({"label": true})), (5, "line 5", &json!({"label": null}))]);
        let error = Labelled::of(DataFile::table("a.csv", b"", table.clone()), &columns("said"));
        assert!(
            error.is_err_and(|error| error.to_string().starts_with("a.csv:1: there is no column `said`"))
        );
        let ordinary = Background::of([DataFile::table("a.csv", b"", table)], &columns("said"));
        assert_eq!(ordinary.map(|read| read.talks.len()).ok(), Some(2));
        let mut odd = Table::new(["txt"]);
        odd.add(2, vec!["hi".to_owned()]);
        let told =
            Background::of([DataFile::table("b.csv", b"", odd)], &columns("said")).expect_err("has no text");
        assert!(told.to_string().starts_with("b.csv:1: there is no column `text`"), "{told}");
    }
}
