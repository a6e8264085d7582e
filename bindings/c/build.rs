//! Gives the shared library the name that programs are bound to when they are linked.

use std::env;

/// Moves with `SNM_ABI_VERSION`; a test compares the two.
const SONAME: &str = "libsonometer.so.1";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{SONAME}");
    }
}
