//! Writes what is known of all published protocols (`expressions.bin`, `checked.bin`), so that no program works it out to read one.

use std::path::Path;

fn main() -> std::io::Result<()> {
    for (file, table) in sonometer_catalog::work_out_known() {
        println!("{file}: {} bytes", table.len());
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(file), table)?;
    }
    Ok(())
}
