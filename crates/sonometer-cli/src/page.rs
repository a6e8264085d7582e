//! `--html FILE`: what was measured as a page.

use crate::failure::Failure;
use sonometer_report::{Sheet, page};

/// The argument of every verb that has a page.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PageArgument {
    /// Also write a page for browsers, with the evidence in its place; it needs no network
    #[arg(long, value_name = "FILE")]
    html: Option<String>,
}

impl PageArgument {
    /// Whether a page is asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.html.is_some()
    }

    /// Writes the page, if it is asked for.
    pub(crate) fn write(&self, sheets: &[Sheet<'_>]) -> Result<(), Failure> {
        let Some(file) = &self.html else { return Ok(()) };
        std::fs::write(file, page(sheets)).map_err(|error| {
            Failure::unusable(format!(
                "{file}: the page cannot be written: {error}; name a file in an existing folder"
            ))
        })
    }
}
