//! `--html FILE`: what was measured as a page.

use crate::failure::Failure;
use crate::file::expect_unread;
use sonometer_report::{Sheet, page};

/// The argument of every verb that has a page.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PageArgument {
    /// Also write a page for browsers, with the evidence in its place; it needs no network
    #[arg(long, value_name = "FILE", value_parser = page_file)]
    html: Option<String>,
}

fn page_file(name: &str) -> Result<String, String> {
    match name {
        "-" => Err("a page is written to a file; write the name of one, such as page.html".into()),
        _ => Ok(name.to_owned()),
    }
}

/// The file of `--out`: elsewhere `-` is standard input, so that nobody means a file of that name.
pub(crate) fn out_file(name: &str) -> Result<String, String> {
    match name {
        "-" => Err("leave it out to write to standard output, or write the name of a file".into()),
        _ => Ok(name.to_owned()),
    }
}

impl PageArgument {
    /// Whether a page is asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.html.is_some()
    }

    /// Writes the page, if it is asked for.
    pub(crate) fn write(&self, sheets: &[Sheet<'_>]) -> Result<(), Failure> {
        let Some(file) = &self.html else { return Ok(()) };
        expect_unread(file)?;
        std::fs::write(file, page(sheets)).map_err(|error| {
            Failure::unusable(format!(
                "{file}: the page cannot be written: {error}; name a file in an existing folder"
            ))
        })
    }
}
