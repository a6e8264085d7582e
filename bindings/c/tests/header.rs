//! The committed header is what the Rust source says. `BLESS=1` (or `cargo xtask header`) writes it anew.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The sources in the order in which their items stand in the header.
const SOURCES: [&str; 15] = [
    "abi",
    "status",
    "raw",
    "error",
    "target",
    "interaction",
    "options",
    "sense",
    "batch",
    "session",
    "stage",
    "dive",
    "card",
    "key",
    "result",
];

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn generate() -> String {
    let config = cbindgen::Config::from_file(home().join("cbindgen.toml")).expect("is a configuration");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for name in SOURCES {
        builder = builder.with_src(home().join(format!("src/{name}.rs")));
    }
    let mut bytes = Vec::new();
    builder.generate().expect("the sources can be read").write(&mut bytes);
    let header = String::from_utf8(bytes).expect("is UTF-8");
    let (head, tail) = header.split_once("#ifdef __cplusplus\nextern \"C\" {").expect("has functions");
    format!("{head}{}#ifdef __cplusplus\nextern \"C\" {{{tail}", MACROS)
}

/// What macros say and no Rust item can.
const MACROS: &str = "\
/**
 * Options at their defaults, with the size that this program knows.
 */
#define SNM_OPTIONS_INIT \\
    { sizeof(snm_options), SNM_PROFILE_RAW, SNM_OFFSETS_NONE, SNM_ASK_NO, SNM_ASK_NO, { NULL, 0 }, 0, 0, 0, { NULL, 0 }, { NULL, 0 } }

/**
 * What is known when a dive is closed, with the size that this program knows and nothing else.
 */
#define SNM_CLOSING_INIT \\
    { sizeof(snm_closing), { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } }

";

#[test]
fn the_header_says_what_the_source_says() {
    let path: PathBuf = home().join("include/sonometer.h");
    let fresh = generate();
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &fresh).expect("can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == fresh, "include/sonometer.h is not up to date: run `cargo xtask header`\n{fresh}");
}

#[test]
fn every_function_of_the_source_is_in_the_header_once() {
    let header = generate();
    let mut functions = 0;
    for entry in fs::read_dir(home().join("src")).expect("is a folder") {
        let text = fs::read_to_string(entry.expect("is there").path()).expect("can be read");
        for rest in text.split("extern \"C\" fn ").skip(1) {
            let name = rest.split('(').next().unwrap_or_default();
            assert_eq!(
                header.matches(&format!(" {name}(")).count() + header.matches(&format!("*{name}(")).count(),
                1,
                "{name}"
            );
            functions += 1;
        }
    }
    assert!(functions >= 12, "{functions}");
}

#[test]
fn the_name_of_the_shared_library_has_the_version_of_the_interface() {
    let build = fs::read_to_string(home().join("build.rs")).expect("can be read");
    let header = generate();
    let version = header.split("#define SNM_ABI_VERSION ").nth(1).and_then(|rest| rest.lines().next());
    let version = version.expect("the header has the version");
    assert!(build.contains(&format!("libsonometer.so.{version}\"")), "{version}");
}
