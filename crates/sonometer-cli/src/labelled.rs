//! Labelled data of arguments.

use crate::failure::Failure;
use crate::file;
use sonometer::Unit;
use sonometer_evaluate::{Background, Class, Filter, Fold, Labelled, Selector};

/// Which items of labelled data are meant, and what makes them positive.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Selection {
    /// The label, as a path below `labels`; optional if there is only one
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
        let Self { label, positive, negative, filters, fold, group } = self.clone();
        Selector { label, positive, negative, filters, fold, group }
    }
}

/// Ordinary interactions, and how many alarms on them are too many.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Ordinary {
    /// Ordinary interactions, without labels, to count false alarms on: .jsonl files, an interaction or {"interaction"} a line
    #[arg(long, value_name = "FILE", num_args = 1..)]
    background: Vec<String>,
    /// The share of ordinary turns that may be alarms, for which a threshold is chosen [default: 0.5%]
    #[arg(long, value_name = "SHARE", value_parser = share, requires = "background")]
    alarms: Option<Unit>,
}

impl Ordinary {
    /// The interactions, where files are named.
    pub(crate) fn read(&self) -> Result<Option<Background>, Failure> {
        if self.background.is_empty() {
            return Ok(None);
        }
        let mut files = Vec::new();
        for path in &self.background {
            files.push((file::name(path), file::bytes(path, file::DATA)?));
        }
        let files = files.iter().map(|(name, bytes)| (*name, &bytes[..]));
        Background::read(files).map(Some).map_err(Failure::evaluation)
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

/// Reads labelled items, or pairs of them, from a file; `-` is standard input.
pub(crate) fn read(path: &str) -> Result<Labelled, Failure> {
    Labelled::read(file::name(path), &file::bytes(path, file::DATA)?).map_err(Failure::evaluation)
}

/// The same, where pairs are of no use.
pub(crate) fn read_single(path: &str) -> Result<Labelled, Failure> {
    Labelled::read_single(file::name(path), &file::bytes(path, file::DATA)?).map_err(Failure::evaluation)
}
