//! `cargo xtask book`: the pages of the repository as a book with search, in `target/book`. Built by mdbook, which is installed once into
//! `target/tools`; where it cannot be had, the book is skipped with a notice, and the pages are checked all the same.

mod source;

use crate::pages::{Page, all, broken_links};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The order of the chapters. A page of its own, too: on a code host it is the table of contents.
const SUMMARY: &str = "docs/SUMMARY.md";
/// Pages that describe a folder of test data. They may be chapters, and need not be.
const MAY_BE_LEFT_OUT: &str = "fixtures";

/// The version that the look of the book was checked with.
const MDBOOK: &str = "0.5.4";

/// Checks the pages, builds the book twice and compares: the same pages give the same bytes.
pub(crate) fn run() -> Result<(), String> {
    let root = crate::test::root();
    let pages = all(&root)?;
    let mut wrong = broken_links(&root, &pages);
    wrong.extend(not_in_order(&pages));
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    let target = root.join("target");
    let source = target.join("book-source");
    source::write(&root, &source, &pages)?;
    let Some(mdbook) = mdbook(&target.join("tools"))? else { return Ok(()) };
    let (book, again) = (target.join("book"), target.join("book-again"));
    for folder in [&book, &again] {
        let _ = std::fs::remove_dir_all(folder);
        let mut build = Command::new(&mdbook);
        build.arg("build").arg(&source).arg("--dest-dir").arg(folder).env("MDBOOK_LOG", "warn");
        succeed(&mut build)?;
    }
    let files = contents(&book)?;
    if files != contents(&again)? {
        return Err(
            "mdbook wrote other bytes the second time: compare target/book and target/book-again".into()
        );
    }
    std::fs::remove_dir_all(&again).map_err(|e| format!("{}: {e}", again.display()))?;
    let chapters = files.keys().filter(|path| path.extension().is_some_and(|e| e == "html")).count();
    println!("{chapters} pages of HTML, the same bytes twice: {}", book.join("index.html").display());
    Ok(())
}

/// What is wrong with the summary: pages it lacks, and entries that are no page or stand twice.
fn not_in_order(pages: &[Page]) -> Vec<String> {
    let Some(summary) = pages.iter().find(|page| page.path == Path::new(SUMMARY)) else {
        return vec![format!("{SUMMARY} is missing")];
    };
    let mut wrong = Vec::new();
    let mut listed: Vec<PathBuf> = Vec::new();
    for (path, to) in source::chapters(summary) {
        if !pages.iter().any(|page| page.path == path) {
            wrong.push(format!("{SUMMARY}: `{to}` is no page"));
        }
        if listed.contains(&path) {
            wrong.push(format!("{SUMMARY}: `{to}` stands twice"));
        }
        listed.push(path);
    }
    let lacking = pages.iter().map(|page| &page.path).filter(|path| {
        *path != Path::new(SUMMARY) && !path.starts_with(MAY_BE_LEFT_OUT) && !listed.contains(path)
    });
    wrong.extend(lacking.map(|path| format!("{SUMMARY} lacks {}", path.display())));
    wrong
}

/// The program, installed where it is not there yet. `None` where it cannot be had: no network, say.
fn mdbook(tools: &Path) -> Result<Option<PathBuf>, String> {
    let program = tools.join("bin").join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    let version = Command::new(&program).arg("--version").output();
    if version.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).trim().ends_with(MDBOOK)) {
        return Ok(Some(program));
    }
    println!("installing mdbook {MDBOOK} into {}: some minutes, once", tools.display());
    let mut install = crate::test::cargo();
    install.args(["install", "--quiet", "--locked", "mdbook", "--version", MDBOOK]);
    install.args(["--no-default-features", "--features", "search", "--root"]).arg(tools);
    // What it is built from is of no further use.
    let build = tools.join("build");
    let done = succeed(install.arg("--target-dir").arg(&build));
    let _ = std::fs::remove_dir_all(&build);
    match done {
        Ok(()) => Ok(Some(program)),
        Err(why) => {
            println!("skipped: the book (mdbook {MDBOOK} cannot be installed: {why})");
            Ok(None)
        }
    }
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| format!("{name}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} ended with {status}")) }
}

/// Every file below a folder with its bytes.
fn contents(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).map_err(|e| format!("{}: {e}", next.display()))? {
            let path = entry.map_err(|e| format!("{}: {e}", next.display()))?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                files.insert(path.strip_prefix(folder).unwrap_or(&path).to_path_buf(), bytes);
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_the_summary_lacks_is_named() {
        let page = |path: &str, text: &str| Page::new(path.into(), text.into());
        let summary = "# Summary\n\n- [A](a.md)\n- [B](../b.md)\n- [A](./a.md)\n- [C](c.md)\n";
        let pages = [
            page("b.md", "# B\n"),
            page("docs/SUMMARY.md", summary),
            page("docs/a.md", "# A\n"),
            page("docs/d.md", "# D\n"),
            page("fixtures/e/README.md", "# E\n"),
        ];
        assert_eq!(
            not_in_order(&pages),
            [
                "docs/SUMMARY.md: `./a.md` stands twice",
                "docs/SUMMARY.md: `c.md` is no page",
                "docs/SUMMARY.md lacks docs/d.md"
            ]
        );
        assert_eq!(not_in_order(&pages[2..]), ["docs/SUMMARY.md is missing"]);
    }

    #[test]
    fn every_page_has_its_place_in_the_book() {
        let pages = all(&crate::test::root()).expect("can be read");
        let wrong = not_in_order(&pages);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
