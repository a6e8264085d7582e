//! `cargo xtask tables`: the Unicode tables of the engine, as committed source; and all its tables as published files.

mod class;
mod compose;
mod fold;
mod grammar;
mod pack;
mod published;

use std::path::PathBuf;

/// Writes the tables.
pub(crate) fn write() -> Result<(), String> {
    let files = files()?;
    for (path, text) in &files {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    println!("{} bytes compiled", pack::fold_table().compiled_bytes);
    let bytes = files.iter().map(|(_, text)| text.len()).sum::<usize>();
    println!("{} files written: {bytes} bytes", files.len());
    Ok(())
}

/// Fails when the committed tables are not what `write` would write.
pub(crate) fn check() -> Result<(), String> {
    for (path, text) in files()? {
        let committed = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        // A checkout may have rewritten the line ends.
        if committed.replace("\r\n", "\n") != text {
            return Err(format!("{} is out of date; run `cargo xtask tables`", path.display()));
        }
    }
    Ok(())
}

/// Every file with its text: the source of the engine's tables, then what is published.
fn files() -> Result<Vec<(PathBuf, String)>, String> {
    let source = |name| [env!("CARGO_MANIFEST_DIR"), "..", "sonometer", "src", "text", name].iter().collect();
    let mut files = vec![
        (source("fold_table.rs"), pack::fold_table().source),
        (source("compose_table.rs"), compose::compose_table()),
    ];
    files.extend(published::files()?);
    Ok(files)
}
