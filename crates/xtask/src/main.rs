//! Repository tasks: `cargo xtask NAME`.
fn main() {}
