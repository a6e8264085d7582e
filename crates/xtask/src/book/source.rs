//! What mdbook is given: the pages at the same places as in the repository, so that links between them stay as they are. Links to what is
//! no page of the book (source files, folders) become their text, since the book has nothing to show there.

use super::SUMMARY;
use crate::pages::{Page, Target};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// No code is sent to a playground, nothing is fetched from another site, and quotes and dashes stay as they are typed.
const SETTINGS: &str = r#"[book]
title = "Sonometer"
language = "en"

[build]
create-missing = false
use-default-preprocessors = false

[output.html]
no-section-label = true
additional-css = ["wider.css"]
smart-punctuation = false
definition-lists = false

[output.html.playground]
runnable = false

[output.html.fold]
enable = true
level = 0

[output.html.print]
enable = false

[output.html.search]
limit-results = 20
heading-split-level = 3
"#;

/// Room for what the command prints: 100 columns.
const WIDER: &str = ":root { --content-max-width: 950px; }\n";

/// Writes the settings and the pages that mdbook reads into a folder, anew.
pub(super) fn write(root: &Path, folder: &Path, pages: &[Page]) -> Result<(), String> {
    let _ = std::fs::remove_dir_all(folder);
    put(&folder.join("book.toml"), SETTINGS)?;
    put(&folder.join("wider.css"), WIDER)?;
    let summary = pages.iter().find(|page| page.path == Path::new(SUMMARY));
    let summary = summary.ok_or_else(|| format!("{SUMMARY} is missing"))?;
    let chapters: BTreeSet<PathBuf> = chapters(summary).map(|(path, _)| path).collect();
    put(&folder.join("src/SUMMARY.md"), &from_the_root(summary))?;
    for page in pages.iter().filter(|page| chapters.contains(&page.path)) {
        put(&folder.join("src").join(&page.path), &for_the_book(page, &chapters))?;
    }
    let folders: BTreeSet<&Path> = chapters.iter().filter_map(|path| path.parent()).collect();
    folders
        .into_iter()
        .try_for_each(|pages| copy_pictures(&root.join(pages), &folder.join("src").join(pages)))
}

/// Copies the pictures (`.svg`) of a folder of pages, so that the links of the pages hold in the book.
fn copy_pictures(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", from.display());
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if let (Some("svg"), Some(name)) = (path.extension().and_then(|e| e.to_str()), path.file_name()) {
            let picture = std::fs::read_to_string(&path).map_err(failed)?;
            put(&to.join(name), &picture)?;
        }
    }
    Ok(())
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|e| format!("{}: {e}", path.display()))
}

/// The chapters in their order: where each is in the repository, and how the summary writes it.
pub(super) fn chapters(summary: &Page) -> impl Iterator<Item = (PathBuf, &str)> {
    summary.links.iter().filter_map(|link| match summary.target(link) {
        Target::Here { path, .. } => Some((path, link.to.as_str())),
        Target::Elsewhere | Target::Outside => None,
    })
}

/// The summary with links from the root of the repository, where that of the book is.
fn from_the_root(summary: &Page) -> String {
    replaced(
        &summary.text,
        summary.links.iter().map(|link| {
            let shown = &summary.text[link.shown.clone()];
            let to = match summary.target(link) {
                Target::Here { path, .. } => path.display().to_string().replace('\\', "/"),
                Target::Elsewhere | Target::Outside => link.to.clone(),
            };
            (link.place.clone(), format!("[{shown}]({to})"))
        }),
    )
}

/// A page without the links that the book cannot follow.
fn for_the_book(page: &Page, chapters: &BTreeSet<PathBuf>) -> String {
    let leads_nowhere = |target: Target| match target {
        Target::Here { path, .. } => !chapters.contains(&path),
        Target::Outside => true,
        Target::Elsewhere => false,
    };
    let dropped = page.links.iter().filter(|link| leads_nowhere(page.target(link)));
    replaced(&page.text, dropped.map(|link| (link.place.clone(), page.text[link.shown.clone()].to_owned())))
}

/// The text with some places, in their order, replaced.
fn replaced(text: &str, places: impl Iterator<Item = (std::ops::Range<usize>, String)>) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (place, by) in places {
        out.push_str(&text[at..place.start]);
        out.push_str(&by);
        at = place.end;
    }
    out + &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_book_become_their_text() {
        let text = "See [the *guide*](guide.md#one), [`run`](../.ci/run), [there](https://example.com), [a page](../left-out.md) and \
                    [here](#top).\n";
        let page = Page::new("docs/a.md".into(), text.into());
        let chapters = ["docs/a.md", "docs/guide.md"].map(PathBuf::from).into();
        assert_eq!(
            for_the_book(&page, &chapters),
            "See [the *guide*](guide.md#one), `run`, [there](https://example.com), a page and [here](#top).\n"
        );
    }

    #[test]
    fn the_summary_is_seen_from_the_root() {
        let text =
            "# Summary\n\n[Home](../README.md)\n\n- [What `check` says](../crates/x/y.md)\n    - [B](b.md)\n";
        let page = Page::new(SUMMARY.into(), text.into());
        assert_eq!(
            from_the_root(&page),
            "# Summary\n\n[Home](README.md)\n\n- [What `check` says](crates/x/y.md)\n    - [B](docs/b.md)\n"
        );
    }
}
