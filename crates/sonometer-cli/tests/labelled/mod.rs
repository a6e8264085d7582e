//! What tests of `sonometer evaluate` share.

#[path = "../built/mod.rs"]
mod built;

pub(crate) use built::{Ran, golden, root, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// `sonometer evaluate` with these arguments.
pub(crate) fn evaluate(arguments: &[&str]) -> Ran {
    run(&[&["evaluate"], arguments].concat())
}

/// What it prints where all is well.
pub(crate) fn text(arguments: &[&str]) -> String {
    let ran = evaluate(arguments);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments:?}");
    ran.out
}

pub(crate) fn json(arguments: &[&str]) -> Value {
    let out = text(&[arguments, &["--json"]].concat());
    assert!(out.ends_with("}\n") && out.lines().count() == 1, "{out}");
    serde_json::from_str(&out).expect("is JSON")
}

pub(crate) fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

pub(crate) fn written(name: &str, lines: &str) -> String {
    let path = scratch(name);
    fs::write(&path, lines).expect("can be written");
    path.to_str().expect("is UTF-8").to_owned()
}

pub(crate) fn page(name: &str, arguments: &[&str]) -> String {
    let path = scratch(name);
    text(&[arguments, &["--html", path.to_str().expect("is UTF-8")]].concat());
    fs::read_to_string(path).expect("is written")
}

/// A page as goldens hold it: the style sheet and the script, which are the same on every page, are left out.
pub(crate) fn bare(page: &str) -> String {
    let without = |page: &str, tag: &str| {
        let (begin, end) = (format!("<{tag}>"), format!("</{tag}>"));
        let (before, rest) = page.split_once(&begin).expect("has one");
        let (inside, after) = rest.split_once(&end).expect("is closed");
        assert!(inside.len() > 100, "{tag}: {inside}");
        format!("{before}{begin}\u{2026}{end}{after}")
    };
    let page = without(page, "style");
    // Only a page with a slider has one.
    if page.contains("<script>") { without(&page, "script") } else { page }
}
