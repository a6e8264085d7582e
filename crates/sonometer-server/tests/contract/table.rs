//! The table of the interface: every row with the tests that cover it, written to `docs/interface.md`.
//!
//! `BLESS=1 cargo test -p sonometer-server --test contract` writes the page anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

const ROWS: &str = include_str!("rows.txt");

const SOURCES: [(&str, &str); 25] = [
    ("sense", include_str!("sense.rs")),
    ("compare", include_str!("compare.rs")),
    ("batch", include_str!("batch.rs")),
    ("catalogue", include_str!("catalogue.rs")),
    ("jobs", include_str!("jobs.rs")),
    ("stream", include_str!("stream.rs")),
    ("callbacks", include_str!("callbacks.rs")),
    ("nodes", include_str!("nodes.rs")),
    ("files", include_str!("files.rs")),
    ("files_outside", include_str!("files_outside.rs")),
    ("recordings", include_str!("recordings.rs")),
    ("usage", include_str!("usage.rs")),
    ("bill", include_str!("bill.rs")),
    ("upgrade", include_str!("upgrade.rs")),
    ("metering", include_str!("metering.rs")),
    ("fair", include_str!("fair.rs")),
    ("operate", include_str!("operate.rs")),
    ("administration", include_str!("administration.rs")),
    ("secrets", include_str!("secrets.rs")),
    ("wire", include_str!("wire.rs")),
    ("texts", include_str!("texts.rs")),
    ("dives", include_str!("dives.rs")),
    ("dive_rules", include_str!("dive_rules.rs")),
    ("dive_metering", include_str!("dive_metering.rs")),
    ("dive_stages", include_str!("dive_stages.rs")),
];

/// By row: the tests that name it.
fn covered() -> BTreeMap<&'static str, Vec<String>> {
    let mut covered: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (module, source) in SOURCES {
        let mut named: Vec<&str> = Vec::new();
        for line in source.lines() {
            if let Some(rows) = line.strip_prefix("// covers: ") {
                named.extend(rows.split(',').map(str::trim).filter(|row| !row.is_empty()));
            } else if let Some(rest) =
                line.trim_start_matches("async ").strip_prefix("fn ").filter(|_| !named.is_empty())
            {
                let test = rest.split('(').next().unwrap_or_default();
                for row in named.drain(..) {
                    covered.entry(row).or_default().push(format!("{module}::{test}"));
                }
            }
        }
    }
    covered
}

#[test]
fn every_row_has_a_test_and_every_test_a_row() {
    let covered = covered();
    let mut page = String::from(
        "# The interface, row by row\n\nWritten by `BLESS=1 cargo test -p sonometer-server --test contract`. Each row is tested by the \
         tests beside it, over a real server\n(`crates/sonometer-server/tests/contract`). ICS (Interaction Computed Signal) is the unit of \
         billing ([glossary](glossary.md)).\n",
    );
    let (mut known, mut missing, mut open) = (BTreeSet::new(), Vec::new(), Vec::new());
    for line in ROWS.lines().filter(|line| !line.is_empty()) {
        if let Some(title) = line.strip_prefix("# ") {
            let _ = write!(page, "\n## {title}\n\n| row | what | test |\n|---|---|---|\n");
            continue;
        }
        let (row, what) = line.split_once(" | ").unwrap_or_else(|| panic!("{line}"));
        let (row, is_open) = row.strip_prefix("- ").map_or((row, false), |row| (row, true));
        assert!(known.insert(row), "{row} stands twice");
        let tests = covered.get(row);
        match (tests, is_open) {
            (None, true) => open.push(row),
            (Some(_), true) => panic!("{row} has a test and is no longer open"),
            (None, false) => missing.push(row),
            (Some(_), false) => {}
        }
        let tests = tests.map_or("not offered yet".to_owned(), |tests| format!("`{}`", tests.join("`, `")));
        let _ = writeln!(page, "| `{row}` | {what} | {tests} |");
    }
    let unknown: Vec<_> = covered.keys().filter(|row| !known.contains(*row)).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "without a test: {missing:?}\nwithout a row: {unknown:?}"
    );
    let _ = match open.len() {
        0 => write!(page, "\n{} rows.\n", known.len()),
        open => write!(page, "\n{} rows, {open} of them not offered yet.\n", known.len()),
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/interface.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).expect("can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/interface.md is not as the tests are; BLESS=1 writes it anew");
}
