//! Every reader of `sonometer-ingest` under any bytes at all: what must hold of each, the files to begin with, and the words of
//! its format. `cargo xtask fuzz` builds the program of this package, in which libFuzzer makes up the bytes.
//!
//! Nothing of it is in any other program, and only the feature `libfuzzer` asks for C++.

mod check;
#[path = "../../sonometer-ingest/tests/files/hostile_cases.rs"]
#[allow(dead_code, missing_docs)]
mod hostile_cases;
mod panics;
mod readers;
mod repeated;
mod seeds;
mod words;
mod wrapped;

pub use check::check;
pub use panics::{Tolerance, watch};
pub use readers::{READERS, Reader, limits, named};
pub use repeated::slow;
pub use seeds::seeds;
pub use words::dictionary;

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes what libFuzzer needs for every reader: `READER/seeds`, `READER/words` and `READER/length`.
///
/// # Errors
/// Where a file cannot be written.
pub fn prepare(folder: &Path) -> std::io::Result<()> {
    for reader in READERS {
        let own = folder.join(reader.name);
        let files = own.join("seeds");
        std::fs::create_dir_all(&files)?;
        for (name, bytes) in seeds(reader) {
            let name: String =
                name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            std::fs::write(files.join(name), bytes)?;
        }
        std::fs::write(own.join("words"), dictionary(reader))?;
        std::fs::write(own.join("length"), reader.longest.to_string())?;
    }
    Ok(())
}
