//! Everything that `check` finds in a file itself, whatever kind of file it is.

use crate::target::Source;
use crate::verb::dive::{StageSource, check};
use sonometer::stage::Stage;
use sonometer::{Diagnostic, Diagnostics, Document};
use sonometer_author::fix::{self, Fix};

/// The findings of a file, without those about what it names.
pub(crate) fn findings(source: &Source) -> Diagnostics {
    if Stage::is_meant(&source.text) {
        return check(&StageSource { source: source.clone() }).0;
    }
    match Document::read_with(&source.text, &|path| source.list_file(path)) {
        Ok((_, warnings)) => warnings,
        Err(error) => error.diagnostics,
    }
}

/// The changes that mend one of them.
pub(crate) fn fixes(source: &Source, all: &Diagnostics, finding: &Diagnostic) -> Vec<Fix> {
    fix::fixes(&source.text, all, finding, &read(source))
}

/// The text with all changes that can only be meant, and how many there were.
pub(crate) fn mend(source: &Source) -> (String, usize) {
    fix::mend(&source.text, &read(source))
}

/// Reads another text in the place of this file.
fn read(source: &Source) -> impl Fn(&str) -> Diagnostics + '_ {
    |text| findings(&Source { name: source.name.clone(), text: text.to_owned().into() })
}
