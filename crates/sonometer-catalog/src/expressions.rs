//! What is known of the expressions of everything that ships, so that reading a protocol parses none of them.

use crate::{PROTOCOLS, STAGE_PROTOCOLS};
use sonometer::known_expressions as known;

/// Written by `cargo run --release -p sonometer-catalog --example work_out_expressions`.
static WORKED_OUT: &[u8] = include_bytes!("../expressions.bin");

/// Has what is read from now on use them.
pub(crate) fn use_known() {
    known::take(WORKED_OUT);
}

/// The table, made anew: of what is published, since drafts change while somebody writes them.
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
    fn the_table_tells_what_parsing_tells() {
        let again = "run `cargo run --release -p sonometer-catalog --example work_out_expressions`";
        assert!(work_out() == WORKED_OUT, "expressions.bin is not of these protocols; {again}");
        assert!(known::take(WORKED_OUT), "expressions.bin is of another version; {again}");
    }
}
