//! The `sonometer` command.
fn main() {}
