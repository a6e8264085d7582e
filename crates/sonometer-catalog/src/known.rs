//! What is known of the protocols that ship, so that reading one parses no expression and looks for no faults again.

use crate::{Entry, PROTOCOLS, STAGE_PROTOCOLS};
use sonometer::known_expressions as expressions;
use sonometer::protocol::{ListFiles, checked};

/// Written by `cargo run --release -p sonometer-catalog --example work_out_known`, as the other.
static EXPRESSIONS: &[u8] = include_bytes!("../expressions.bin");
static CHECKED: &[u8] = include_bytes!("../checked.bin");

/// Uses it for everything that is read from now on.
pub(crate) fn use_known() {
    expressions::take(EXPRESSIONS);
    checked::take(CHECKED);
}

/// Works the tables out again, by the name of their file, for published protocols only: drafts change while they are written.
pub fn work_out() -> [(&'static str, Vec<u8>); 2] {
    let is_published = |entry: &&Entry| !entry.source.lines().any(|line| line.trim_end() == "status: draft");
    let published: Vec<&Entry> = PROTOCOLS.iter().chain(STAGE_PROTOCOLS).filter(is_published).collect();
    let read = || published.iter().for_each(|entry| drop(entry.document()));
    let lists: Vec<_> = published.iter().map(|entry| |path: &str| entry.list_file(path)).collect();
    let files = published.iter().zip(&lists).map(|(entry, lists)| (entry.source, lists as &ListFiles<'_>));
    [("expressions.bin", expressions::work_out(read)), ("checked.bin", checked::work_out(files))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_of_these_protocols() {
        let again = "run `cargo run --release -p sonometer-catalog --example work_out_known`";
        let [expressions, checked] = work_out().map(|(_, table)| table);
        assert!(expressions == EXPRESSIONS, "expressions.bin is not of these protocols; {again}");
        assert!(checked == CHECKED, "checked.bin is not of these protocols; {again}");
        assert!(expressions::take(EXPRESSIONS), "expressions.bin is of another version; {again}");
        assert!(checked::take(CHECKED), "checked.bin is of another version; {again}");
    }

    #[test]
    fn no_published_protocol_has_a_finding() {
        let published = PROTOCOLS
            .iter()
            .chain(STAGE_PROTOCOLS)
            .filter(|entry| !entry.source.lines().any(|line| line.trim_end() == "status: draft"));
        assert_eq!(CHECKED.len(), 8 + 16 * published.count());
    }
}
