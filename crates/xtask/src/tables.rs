//! `cargo xtask tables`: the Unicode tables of the engine, as committed source.

mod class;
mod fold;
mod pack;

use std::path::PathBuf;

/// Writes the tables.
pub(crate) fn write() -> Result<(), String> {
    let path = fold_table_path();
    let table = pack::fold_table();
    std::fs::write(&path, &table.source).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{}: {} bytes compiled", path.display(), table.compiled_bytes);
    Ok(())
}

/// Fails when the committed tables are not what `write` would write.
pub(crate) fn check() -> Result<(), String> {
    let path = fold_table_path();
    let committed = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    // A checkout may have rewritten the line ends.
    if committed.replace("\r\n", "\n") == pack::fold_table().source {
        Ok(())
    } else {
        Err(format!("{} is out of date; run `cargo xtask tables`", path.display()))
    }
}

fn fold_table_path() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "sonometer", "src", "text", "fold_table.rs"].iter().collect()
}
