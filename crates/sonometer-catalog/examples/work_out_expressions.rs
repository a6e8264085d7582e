//! Writes what is known of the expressions of all published protocols (`expressions.bin`), so that no program parses them to read one.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let table = sonometer_catalog::work_out_expressions();
    println!("{} bytes", table.len());
    std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("expressions.bin"), table)
}
