//! `cargo xtask equal`: whether readings are the same bytes one by one and by the batch, on one and on two threads, over
//! all of the data.

use crate::test::{self, build_command, root};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Where the data is expected, seen from the root of the repository.
const DATA: &str = "../shared/data";

/// Compares; `wished` is the folder of the data where it is not the usual one. Says so and passes where there is none.
pub(crate) fn run(wished: Option<&str>) -> Result<(), String> {
    let data = wished.map_or_else(|| root().join(DATA), PathBuf::from);
    let files = if data.is_dir() { test::files(&data, "jsonl")? } else { Vec::new() };
    if files.is_empty() {
        println!("equal: left out, there is no data at {}", wished.unwrap_or(DATA));
        return Ok(());
    }
    let command = build_command(&["--release"])?;
    let mut cargo = test::cargo();
    cargo.args(["run", "--release", "--quiet", "--package", "sonometer-bench", "--example", "equal", "--"]);
    run_to_end(cargo.arg(command).args(test::shipped()?).arg("--").args(files))
}

fn run_to_end(command: &mut Command) -> Result<(), String> {
    let status = command.stdin(Stdio::null()).status().map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err("the bytes differ, or could not be compared".into()) }
}
