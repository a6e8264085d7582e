//! The file of settings: TOML. A message names the line and column of the key or value that is wrong.

use super::keys::{KEYS, Key, Kind, Value};
use super::{Settings, Source, unknown};
use crate::failure::Failure;
use crate::file;
use sonometer::diagnostic::line_and_column;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// More than any file of settings has.
const MOST_BYTES: usize = 1 << 20;

/// A file that is being read.
struct Reading<'r> {
    path: &'r str,
    text: &'r str,
    settings: &'r mut Settings,
    /// With line and column.
    wrong: Vec<(usize, usize, String)>,
}

impl Settings {
    /// Takes what a file says; what is wrong in it is added to `wrong`.
    ///
    /// # Errors
    /// If the file cannot be read at all.
    pub(super) fn take_file(&mut self, path: &str, wrong: &mut Vec<String>) -> Result<(), Failure> {
        let bytes = file::bytes(path, MOST_BYTES)?;
        let text = file::utf8(path, &bytes, 0)?;
        let mut reading = Reading { path, text, settings: self, wrong: Vec::new() };
        match DeTable::parse(text) {
            Ok(table) => reading.table(table.get_ref(), ""),
            Err(error) => {
                let at = error.span().unwrap_or_default();
                let message = format!("not valid TOML: {}", error.message().replace('\n', "; "));
                reading.refuse(at, message);
            }
        }
        // The table is in another order than the file.
        reading.wrong.sort();
        let told = |(line, column, message)| format!("{path}:{line}:{column}: {message}");
        wrong.extend(reading.wrong.into_iter().map(told));
        Ok(())
    }
}

impl Reading<'_> {
    fn line(&self, at: &Range<usize>) -> (usize, usize) {
        line_and_column(self.text, at.start.min(self.text.len()))
    }

    fn refuse(&mut self, at: Range<usize>, message: String) {
        let (line, column) = self.line(&at);
        self.wrong.push((line, column, message));
    }

    fn table(&mut self, table: &DeTable<'_>, inside: &str) {
        for (name, value) in table {
            let written: &str = name.get_ref();
            let path = if inside.is_empty() { written.to_owned() } else { format!("{inside}.{written}") };
            if let Some(key) = KEYS.iter().find(|key| key.name == path) {
                self.value(key, value);
                continue;
            }
            let section = format!("{path}.");
            match value.get_ref() {
                DeValue::Table(inner) if KEYS.iter().any(|key| key.name.starts_with(&section)) => {
                    self.table(inner, &path);
                }
                _ => {
                    self.refuse(name.span(), format!("{path}: {}", unknown(&path)));
                }
            }
        }
    }

    fn value(&mut self, key: &'static Key, value: &Spanned<DeValue<'_>>) {
        let read = typed(key.kind, value.get_ref()).ok_or_else(|| {
            let wrong = match (key.kind, value.get_ref()) {
                (Kind::Whole(..), DeValue::Integer(number)) => format!("{number} is out of range"),
                (_, other) => format!("this is {}", described(other)),
            };
            format!("{wrong}; write {}", key.kind.wanted())
        });
        match read.and_then(|read| key.check(&read).map(|()| read)) {
            Ok(read) => {
                let (line, _) = self.line(&value.span());
                let source = Source::File(self.path.to_owned(), line);
                self.settings.put(key.id, read, source);
            }
            Err(message) => self.refuse(value.span(), format!("{}: {message}", key.name)),
        }
    }
}

/// The type of a value, with its article.
fn described(value: &DeValue<'_>) -> String {
    let name = value.type_str();
    let article = if name.starts_with(['a', 'i']) { "an" } else { "a" };
    format!("{article} {name}")
}

fn typed(kind: Kind, value: &DeValue<'_>) -> Option<Value> {
    match (kind, value) {
        (Kind::Text(_) | Kind::Secret, DeValue::String(text)) => Some(Value::Text(text.to_string())),
        (Kind::Switch, DeValue::Boolean(on)) => Some(Value::Switch(*on)),
        (Kind::Whole(..), DeValue::Integer(number)) => {
            u64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::Whole)
        }
        (Kind::List(_), DeValue::Array(items)) => {
            let text = |item: &Spanned<DeValue<'_>>| match item.get_ref() {
                DeValue::String(text) => Some(text.to_string()),
                _ => None,
            };
            items.iter().map(text).collect::<Option<_>>().map(Value::List)
        }
        _ => None,
    }
}
