//! Talks of tables, batch by batch.

use super::Arguments;
use super::source::Item;
use crate::advice::is_spoken;
use crate::failure::Failure;
use crate::spoken;
use crate::tables::content::{Content, Piece};
use crate::tables::files::{self, Format};
use crate::tables::read::Tables;
use crate::tables::turns::{column, texts};
use arrow_array::Array;
use sonometer::Error;
use sonometer_arrow::{Input, interactions};
use std::ops::ControlFlow;

/// A table, of one or more files.
#[derive(Debug)]
pub(super) struct Tabled {
    input: String,
    format: Option<Format>,
    content: Content,
    by: Option<String>,
    /// The column of ids, where there is one.
    id: Option<String>,
}

impl Tabled {
    /// Looks for the columns that are asked for.
    pub(super) fn open(input: &str, arguments: &Arguments) -> Result<Self, Failure> {
        if input == "-" {
            return Err(Failure::unusable(
                "standard input: a report reads tables twice; save the table as a file and name it",
            ));
        }
        let format = arguments.input_format;
        let tables = tables(input, format)?;
        let content = Content::of(&arguments.talks, arguments.turns, &tables)?;
        if let Some(by) = &arguments.by {
            tables.find(by, "--by")?;
        }
        let id = tables.names().into_iter().find(|name| *name == "id").map(str::to_owned);
        Ok(Self { input: input.to_owned(), format, content, by: arguments.by.clone(), id })
    }

    /// Reads all rows.
    pub(super) fn read(
        &self,
        add: &mut dyn FnMut(Item) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Failure> {
        let tables = tables(&self.input, self.format)?;
        let mut wanted = self.content.columns();
        for name in self.by.iter().chain(&self.id) {
            if !wanted.contains(name) {
                wanted.push(name.clone());
            }
        }
        let mut grouper = self.content.grouper(tables.is_csv());
        let mut flow = ControlFlow::Continue(());
        tables.read(&wanted, 0, &mut |path, first, rows| {
            let pieces = match &mut grouper {
                Some(grouper) => grouper.add(path, first, &rows)?,
                None => vec![self.content.piece(path, first, rows)?],
            };
            for piece in pieces {
                if flow.is_continue() {
                    flow = self.items(piece, add)?;
                }
            }
            Ok(flow)
        })?;
        if flow.is_continue()
            && let Some(piece) = grouper.as_mut().map(|grouper| grouper.finish()).transpose()?.flatten()
        {
            flow = self.items(piece, add)?;
        }
        Ok(flow)
    }

    fn items(
        &self,
        piece: Piece,
        add: &mut dyn FnMut(Item) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Failure> {
        let read = interactions(&piece.content, Input::Text)
            .map_err(|error| Failure::unusable(format!("{}: {}", self.input, error.message)))?;
        let of = |name: &Option<String>| {
            name.as_ref().map(|name| texts(&self.input, name, column(&piece.rows, name))).transpose()
        };
        let (groups, ids) = (of(&self.by)?, of(&self.id)?);
        let is_text = matches!(self.content, Content::Column(_));
        for (row, interaction) in read.into_iter().enumerate() {
            let value = |values: &Option<arrow_array::StringArray>| {
                let values = values.as_ref()?;
                values.is_valid(row).then(|| values.value(row).to_owned())
            };
            let interaction = interaction
                .and_then(|own| own.ok_or_else(|| Error::invalid("", "the row has no content (it is null)")));
            let place = piece.place.of(row);
            let name = value(&ids).unwrap_or_else(|| place.clone());
            let is_talk =
                is_text && interaction.as_ref().is_ok_and(|own| spoken::text(own).is_some_and(is_spoken));
            if add(Item { name, place, group: value(&groups), interaction, origin: None, is_talk }).is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn tables(input: &str, format: Option<Format>) -> Result<Tables, Failure> {
    Tables::open(files::expand(&[input.to_owned()], format)?)
}
