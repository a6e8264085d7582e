//! What is known of the expressions of everything that ships, so that reading a protocol parses none of them.

use crate::{PROTOCOLS, STAGE_PROTOCOLS};
use sonometer::known_expressions as known;

/// Written by `cargo run --release -p sonometer-catalog --example work_out_expressions`.
static WORKED_OUT: &[u8] = include_bytes!("../expressions.bin");

/// Uses them for everything that is read from now on.
pub(crate) fn use_known() {
    known::take(WORKED_OUT);
}

/// Works the table out again, for published protocols only: drafts change while they are written.
pub fn work_out() -> Vec<u8> {
    known::work_out(|| {
        for entry in PROTOCOLS.iter().chain(STAGE_PROTOCOLS) {
            if !entry.source.lines().any(|line| line.trim_end() == "status: draft") {
                drop(entry.document());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_facts_of_parsing() {
        let again = "run `cargo run --release -p sonometer-catalog --example work_out_expressions`";
        assert!(work_out() == WORKED_OUT, "expressions.bin is not of these protocols; {again}");
        assert!(known::take(WORKED_OUT), "expressions.bin is of another version; {again}");
    }
}
