//! Labelled data of arguments.

use crate::failure::Failure;
use crate::screen::Screen;
#[cfg(feature = "columns")]
use crate::tables::{files::Format, rows::rows};
use crate::{advice, file, spoken};
use sonometer::{Error, Unit};
#[cfg(feature = "columns")]
use sonometer_evaluate::not_utf8;
use sonometer_evaluate::{Background, Class, Columns, DataFile, Filter, Fold, Labelled, Selector};

/// Which items of labelled data are meant, and what makes them positive.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Selection {
    /// The column of the texts, where lines are rows such as {"text", "polite"}, and in .csv and .tsv files; twice for pairs
    /// [default: text, content or segments]
    #[arg(long, alias = "column", value_name = "COLUMN")]
    text_column: Vec<String>,
    /// Texts consist of lines such as `agent: Good morning.`: each is a turn
    #[arg(long)]
    text_turns: bool,
    /// The format of the data, where its name does not say it: csv or jsonl
    #[cfg(feature = "columns")]
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    input_format: Option<Format>,
    /// The label: a path below `labels`, or a column [default: `label`, or the only one]
    #[arg(long, value_name = "PATH")]
    label: Option<String>,
    /// The positive class: a value (`true`), several (`a,b`), or numbers (`>=0.5`, `<0`, `1..3`) [default: true or 1]
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    positive: Option<Class>,
    /// The negative class, if it is not all others; items in neither class are skipped
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    negative: Option<Class>,
    /// Only items with this label value (`lang=de`, `score>0.5`); may be repeated
    #[arg(long = "where", value_name = "PATH=SPEC")]
    filters: Vec<Filter>,
    /// Only part I of K of the items (`1/2`), or parts I to J (`2-5/5`), by SHA-256 of their id or group
    #[arg(long, value_name = "I/K")]
    fold: Option<Fold>,
    /// The label that names the group (thread, author, template) of an item: folds keep groups together
    #[arg(long, value_name = "PATH")]
    group: Option<String>,
}

impl Selection {
    pub(crate) fn selector(&self) -> Selector {
        let Self { label, positive, negative, filters, fold, group, .. } = self.clone();
        Selector { label, positive, negative, filters, fold, group }
    }

    /// Where rows have what is said.
    pub(crate) fn columns(&self) -> Result<Columns, Failure> {
        let (text, second) = match &self.text_column[..] {
            [] => (None, None),
            [text] => (Some(text.clone()), None),
            [text, second] if text != second => (Some(text.clone()), Some(second.clone())),
            _ => {
                return Err(Failure::unusable(
                    "--text-column: name one column, or the two different ones of pairs",
                ));
            }
        };
        Ok(Columns { text, second, id: None })
    }

    /// Whether the data is a table, as an option or its name says it.
    fn is_csv(&self, path: &str) -> bool {
        #[cfg(feature = "columns")]
        if let Some(format) = self.input_format {
            return format == Format::Csv;
        }
        is_csv(path)
    }

    /// Reads labelled items, or pairs of them, from a file; `-` is standard input.
    pub(crate) fn read(&self, path: &str, screen: &Screen) -> Result<Labelled, Failure> {
        self.read_by(path, Labelled::of, screen)
    }

    /// The same, where pairs are of no use.
    pub(crate) fn read_single(&self, path: &str, screen: &Screen) -> Result<Labelled, Failure> {
        self.read_by(path, Labelled::single_of, screen)
    }

    fn read_by(
        &self,
        path: &str,
        read: fn(DataFile<'_>, &Columns) -> Result<Labelled, sonometer_evaluate::Error>,
        screen: &Screen,
    ) -> Result<Labelled, Failure> {
        let bytes = file::bytes(path, file::DATA)?;
        let read = read(data_file(path, &bytes, self.is_csv(path))?, &self.columns()?);
        let labelled = read.map_err(Failure::evaluation)?;
        if self.text_turns {
            let turned = labelled.map(|said| {
                spoken::as_turns(said).map_err(|error| Error {
                    message: format!("{}, or leave out --text-turns", error.message),
                    ..error
                })
            });
            return turned.map_err(Failure::evaluation);
        }
        if spoken::are_talks(labelled.items().iter().map(|item| spoken::text(item.interaction()))) {
            screen.note(&format!("{}: {}", file::name(path), advice::LABELLED_TURNS));
        }
        Ok(labelled)
    }

    /// Ordinary talk beside the items: texts that tell who speaks are read as the items are.
    pub(crate) fn background(&self, ordinary: &Ordinary) -> Result<Option<Background>, Failure> {
        let background = ordinary.read(&self.columns()?)?;
        Ok(match self.text_turns {
            true => background.map(|talks| {
                talks.map(|talk| match spoken::text(talk).is_some_and(advice::is_spoken) {
                    true => spoken::as_turns(talk).unwrap_or_else(|_| talk.clone()),
                    false => talk.clone(),
                })
            }),
            false => background,
        })
    }
}

/// Ordinary interactions, and how many alarms on them are too many.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Ordinary {
    /// Ordinary interactions, without labels, to count false alarms on: .jsonl files, an interaction, {"interaction"} or {"text"} a
    /// line, or .csv and .tsv files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    background: Vec<String>,
    /// The share of ordinary turns that may be alarms, for which a threshold is chosen [default: 0.5%]
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "background")]
    alarms: Option<Unit>,
}

impl Ordinary {
    /// The interactions, where files are named; rows may have them in the columns of the items.
    fn read(&self, columns: &Columns) -> Result<Option<Background>, Failure> {
        if self.background.is_empty() {
            return Ok(None);
        }
        let mut files = Vec::new();
        for path in &self.background {
            files.push((path, file::bytes(path, file::DATA)?));
        }
        let files = files
            .iter()
            .map(|(path, bytes)| data_file(path, bytes, is_csv(path)))
            .collect::<Result<Vec<_>, _>>()?;
        Background::of(files, columns).map(Some).map_err(Failure::evaluation)
    }

    pub(crate) fn alarms(&self) -> Option<Unit> {
        self.alarms
    }

    pub(crate) fn is_given(&self) -> bool {
        !self.background.is_empty()
    }
}

/// `0.5%` or `0.005`.
fn share(text: &str) -> Result<Unit, String> {
    let share = match text.strip_suffix('%') {
        Some(hundred) => Unit::parse(hundred.trim()).map(|Unit(hundredths)| Unit(hundredths / 100)),
        None => Unit::parse(text),
    };
    share
        .filter(|share| share.clamp_to_one() == *share)
        .ok_or_else(|| "write a share, such as 0.5% or 0.005".into())
}

/// `csv` or `jsonl`.
#[cfg(feature = "columns")]
fn format(name: &str) -> Result<Format, String> {
    match Format::named(name) {
        Ok(format @ (Format::Csv | Format::Jsonl)) => Ok(format),
        _ => Err("write csv or jsonl".into()),
    }
}

/// Whether the name says that it is a table of CSV.
fn is_csv(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["csv", "tsv"].iter().any(|table| ending.eq_ignore_ascii_case(table))
}

/// A file with what it is: a table, or lines.
fn data_file<'b>(path: &'b str, bytes: &'b [u8], is_csv: bool) -> Result<DataFile<'b>, Failure> {
    let name = file::name(path);
    #[cfg(feature = "columns")]
    if is_csv {
        return match not_utf8(bytes) {
            Some(told) => Err(Failure::unusable(format!("{name}: {told}"))),
            None => Ok(DataFile::table(name, bytes, rows(name, bytes)?)),
        };
    }
    // Without the feature the reader of lines says what to do with a table.
    #[cfg(not(feature = "columns"))]
    let _ = is_csv;
    Ok(DataFile::lines(name, bytes))
}
