//! What of a table is a talk: a column of texts, a turn in each row, or the rows with one key.

use super::read::Tables;
use super::talks::Grouper;
use super::turns::{TurnColumns, column, of_lines};
use crate::failure::Failure;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::DataType;
use sonometer::document::suggest;
use std::sync::Arc;

/// Rows that are sensed at once.
#[derive(Debug)]
pub(crate) struct Piece {
    /// Texts or conversations.
    pub(crate) content: ArrayRef,
    /// The rows with the columns that were read; of a conversation of several rows, its first.
    pub(crate) rows: RecordBatch,
    pub(crate) place: Place,
    /// Whether nothing of the batch that it was read with comes behind it.
    pub(crate) ends: bool,
}

impl Piece {
    /// The same rows in up to so many pieces, which no row is in two of.
    pub(crate) fn cut(self, most: usize) -> impl Iterator<Item = Self> {
        let rows = self.content.len();
        let size = rows.div_ceil(most).max(1);
        (0..rows).step_by(size).map(move |from| {
            let length = size.min(rows - from);
            Self {
                content: self.content.slice(from, length),
                rows: self.rows.slice(from, length),
                place: self.place.part(from, length),
                ends: self.ends && from + length == rows,
            }
        })
    }
}

/// Where the rows of a piece come from, for errors.
#[derive(Debug)]
pub(crate) enum Place {
    /// The file, and the number of the first row there.
    Rows(Arc<str>, u64),
    /// The keys of the conversations.
    Talks(Vec<String>),
}

impl Place {
    /// The place of a row: `talks.csv: row 7`.
    pub(crate) fn of(&self, row: usize) -> String {
        match self {
            Self::Rows(path, first) => format!("{path}: row {}", first + row as u64),
            Self::Talks(keys) => format!("conversation `{}`", keys[row]),
        }
    }

    /// The place of some of the rows.
    fn part(&self, from: usize, length: usize) -> Self {
        match self {
            Self::Rows(path, first) => Self::Rows(Arc::clone(path), first + from as u64),
            Self::Talks(keys) => Self::Talks(keys[from..from + length].to_vec()),
        }
    }

    /// The piece without its first rows.
    pub(crate) fn skip(&mut self, rows: usize) {
        match self {
            Self::Rows(_, first) => *first += rows as u64,
            Self::Talks(keys) => drop(keys.drain(..rows)),
        }
    }
}

/// Which columns hold what of talks.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct TalkArguments {
    /// The column of the texts, or of conversations as lists of role, content and timestamp [default: text, content or
    /// segments]
    #[arg(long, alias = "column", value_name = "COLUMN")]
    text_column: Option<String>,
    /// The column that says who speaks, where a row is a turn
    #[arg(long, value_name = "COLUMN")]
    role_column: Option<String>,
    /// The column that says when a turn is said: seconds, or dates with times
    #[arg(long, value_name = "COLUMN")]
    time_column: Option<String>,
    /// Rows with one value in this column are the turns of one conversation; they must stand together
    #[arg(long, value_name = "COLUMN")]
    group_by: Option<String>,
    /// The order of the turns of a conversation [default: that of the rows]
    #[arg(long, value_name = "COLUMN", requires = "group_by")]
    order_by: Option<String>,
}

impl TalkArguments {
    /// Whether some column is named.
    pub(crate) fn any(&self) -> bool {
        let names = [&self.text_column, &self.role_column, &self.time_column, &self.group_by, &self.order_by];
        names.iter().any(|name| name.is_some())
    }
}

/// Where the content of a row is.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A column of texts or conversations.
    Column(String),
    /// A column of texts whose lines are turns.
    Lines(String),
    /// A conversation of one turn.
    Turn(TurnColumns),
    /// A conversation of the rows with one key.
    Talk { turns: TurnColumns, key: String, order: Option<String> },
}

impl Content {
    /// As the arguments say, or as columns are usually called. With `turns`, the lines of a cell are turns.
    pub(crate) fn of(arguments: &TalkArguments, turns: bool, tables: &Tables) -> Result<Self, Failure> {
        let names = tables.names();
        let find = |name: &Option<String>, option: &str| match name {
            Some(name) => tables.find(name, option).map(|()| Some(name.clone())),
            None => Ok(None),
        };
        let text = match find(&arguments.text_column, "--text-column")? {
            Some(name) => name,
            None => {
                let usual: Vec<&str> = names
                    .iter()
                    .copied()
                    .filter(|name| ["text", "content", "segments"].contains(name))
                    .collect();
                match usual[..] {
                    [one] => one.to_owned(),
                    _ => {
                        expect_no_interactions(tables, None)?;
                        return Err(Failure::unusable(format!(
                            "{}: name the column of the texts or conversations with --text-column; columns: {}",
                            tables.name(),
                            names.join(", ")
                        )));
                    }
                }
            }
        };
        expect_no_interactions(tables, Some(&text))?;
        if turns {
            let other = [
                ("--role-column", &arguments.role_column),
                ("--time-column", &arguments.time_column),
                ("--group-by", &arguments.group_by),
            ];
            return match other.iter().find(|(_, name)| name.is_some()) {
                None => Ok(Self::Lines(text)),
                Some((option, _)) => Err(Failure::unusable(format!(
                    "{}: with --turns each cell is a conversation, and {option} makes them of several columns or rows; leave out one of \
                     the two",
                    tables.name()
                ))),
            };
        }
        let mut role = find(&arguments.role_column, "--role-column")?;
        let time = find(&arguments.time_column, "--time-column")?;
        let order = find(&arguments.order_by, "--order-by")?;
        if let (Some(time), None, None) = (&time, &role, &arguments.group_by) {
            return Err(Failure::unusable(format!(
                "{}: --time-column {time} gives turns times, and no column says who speaks; name it with --role-column, or \
                 leave --time-column out",
                tables.name()
            )));
        }
        let Some(key) = find(&arguments.group_by, "--group-by")? else {
            return Ok(match role {
                Some(role) => Self::Turn(TurnColumns { text, role, time }),
                None => Self::Column(text),
            });
        };
        if role.is_none() && names.contains(&"role") {
            role = Some("role".to_owned());
        }
        let role = role.ok_or_else(|| {
            Failure::unusable(format!(
                "{}: --group-by makes conversations, whose turns have roles; name their column with --role-column; \
                 columns: {}",
                tables.name(),
                names.join(", ")
            ))
        })?;
        Ok(Self::Talk { turns: TurnColumns { text, role, time }, key, order })
    }

    /// What makes conversations of rows, where they are made.
    pub(crate) fn grouper(&self, is_csv: bool) -> Option<Grouper> {
        match self {
            Self::Talk { turns, key, order } => {
                Some(Grouper::new(turns.clone(), key.clone(), order.clone(), is_csv))
            }
            _ => None,
        }
    }

    /// Rows as they were read, as a piece.
    pub(crate) fn piece(&self, path: &str, first: u64, rows: RecordBatch) -> Result<Piece, Failure> {
        let content = match self {
            Self::Turn(turns) => turns.single(path, first, &rows)?,
            Self::Lines(name) => of_lines(path, name, first, column(&rows, name))?,
            Self::Column(name) | Self::Talk { key: name, .. } => Arc::clone(column(&rows, name)),
        };
        Ok(Piece { content, rows, place: Place::Rows(path.into(), first), ends: true })
    }

    /// The column of what is said.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Column(text) | Self::Lines(text) => text,
            Self::Turn(turns) | Self::Talk { turns, .. } => &turns.text,
        }
    }

    /// The columns that it is read from.
    pub(crate) fn columns(&self) -> Vec<String> {
        let mut names = match self {
            Self::Column(text) | Self::Lines(text) => vec![text.clone()],
            Self::Turn(turns) => turns.names(),
            Self::Talk { turns, key, order } => {
                turns.names().into_iter().chain([key.clone()]).chain(order.clone()).collect()
            }
        };
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Refuses a column of whole interactions: the one named, or `interaction`.
fn expect_no_interactions(tables: &Tables, named: Option<&str>) -> Result<(), Failure> {
    let is_one = |field: &&arrow_schema::FieldRef| {
        let DataType::Struct(fields) = field.data_type() else { return false };
        named.unwrap_or("interaction") == field.name()
            && fields.iter().any(|inner| ["segments", "content"].contains(&inner.name().as_str()))
    };
    match tables.schema.fields().iter().find(is_one) {
        None => Ok(()),
        Some(field) => Err(Failure::unusable(format!(
            "{}: the column `{}` holds whole interactions, which are not read as a table; unpack the file, and give it as one \
             file whose name ends in .jsonl, with results in .jsonl and without options for tables",
            tables.name(),
            field.name()
        ))),
    }
}

impl TurnColumns {
    fn names(&self) -> Vec<String> {
        [self.text.clone(), self.role.clone()].into_iter().chain(self.time.clone()).collect()
    }
}

impl Tables {
    /// Looks for a column that an option names.
    pub(crate) fn find(&self, name: &str, option: &str) -> Result<(), Failure> {
        let names = self.names();
        match names.iter().filter(|own| **own == name).count() {
            1 => Ok(()),
            0 => {
                let near = suggest(name.trim(), &names);
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                Err(Failure::unusable(format!(
                    "{}: no column `{name}` for {option}; columns: {}{near}",
                    self.name(),
                    names.join(", ")
                )))
            }
            count => Err(Failure::unusable(format!(
                "{}: {count} columns are named `{name}`; rename all but one",
                self.name()
            ))),
        }
    }
}
