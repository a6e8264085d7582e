//! Finds the workbench page, where `bindings/wasm/workbench/build` has made it, and writes the list of its files for
//! `include_bytes!`. Without a page the list is empty, and `sonometer workbench` says how to get one.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    // Cargo cannot watch a folder that does not exist yet, so the script that builds the page touches this file.
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=SONOMETER_WORKBENCH");
    println!("cargo:rerun-if-env-changed=CARGO_TARGET_DIR");
    let site = site();
    let mut files = Vec::new();
    if site.join("index.html").is_file() {
        println!("cargo:rerun-if-changed={}", site.display());
        collect(&site, &mut files);
    }
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&site).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let _ = writeln!(list, "    ({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("workbench.rs");
    fs::write(&out, list).expect("the folder of the build can be written");
}

/// Where the page is: as `SONOMETER_WORKBENCH` says, or in the folder of what is built.
fn site() -> PathBuf {
    if let Some(path) = env::var_os("SONOMETER_WORKBENCH") {
        return path.into();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |path| root.join(path));
    target.join("wasm/workbench/site")
}

/// The files to embed. What there is as gzip is embedded so, which every browser reads; brotli is for servers with https.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_packed = path.with_file_name(format!("{name}.gz")).is_file();
            if !is_packed && !name.ends_with(".br") {
                files.push(path);
            }
        }
    }
}
