//! The Markdown pages of the repository: which there are, their headings and links, and whether every link leads somewhere.

#[cfg(test)]
mod prose;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

/// Folders of other people's files and of what is built.
const NOT_OURS: [&str; 4] = ["target", "node_modules", "build", "dist"];

/// One page.
pub(crate) struct Page {
    /// Seen from the root of the repository.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// What `#…` can lead to, as code hosts and mdbook name the headings.
    pub(crate) anchors: BTreeSet<String>,
    pub(crate) links: Vec<Link>,
}

/// A link as it is written.
pub(crate) struct Link {
    /// What it leads to: `../guide.md#first`.
    pub(crate) to: String,
    /// Bytes of the whole link, `[text](to)`.
    pub(crate) place: Range<usize>,
    /// Bytes of what is shown of it.
    pub(crate) shown: Range<usize>,
}

/// Where a link of a page leads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// To another site.
    Elsewhere,
    /// To a file or folder of the repository, and perhaps to a heading of it.
    Here { path: PathBuf, anchor: Option<String> },
    /// Out of the repository.
    Outside,
}

/// Every page of the repository, in the order of their paths.
pub(crate) fn all(root: &Path) -> Result<Vec<Page>, String> {
    let mut paths = Vec::new();
    find(root, root, &mut paths)?;
    paths.sort();
    let read = |path: PathBuf| {
        let text =
            std::fs::read_to_string(root.join(&path)).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Page::new(path, text))
    };
    paths.into_iter().map(read).collect()
}

fn find(root: &Path, folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let entry = entry.map_err(|e| format!("{}: {e}", folder.display()))?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let kind = entry.file_type().map_err(|e| format!("{}: {e}", path.display()))?;
        if kind.is_dir() && !name.starts_with('.') && !NOT_OURS.contains(&&*name) {
            find(root, &path, paths)?;
        } else if kind.is_file() && name.ends_with(".md") {
            paths.extend(path.strip_prefix(root).map(Path::to_path_buf));
        }
    }
    Ok(())
}

impl Page {
    pub(crate) fn new(path: PathBuf, text: String) -> Self {
        let (anchors, links) = parts(&text);
        Self { path, text, anchors, links }
    }

    /// Where one of its links leads.
    pub(crate) fn target(&self, link: &Link) -> Target {
        if link.to.contains("://") || link.to.starts_with("mailto:") {
            return Target::Elsewhere;
        }
        let (file, anchor) = match link.to.split_once('#') {
            Some((file, anchor)) => (file, Some(anchor.to_owned())),
            None => (link.to.as_str(), None),
        };
        if file.is_empty() {
            return Target::Here { path: self.path.clone(), anchor };
        }
        let mut path = self.path.parent().map(Path::to_path_buf).unwrap_or_default();
        for part in Path::new(file).components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => path.push(name),
                // `pop` is false where nothing is left to leave.
                Component::ParentDir if path.pop() => {}
                _ => return Target::Outside,
            }
        }
        Target::Here { path, anchor }
    }
}

/// The headings and the links of a page.
fn parts(text: &str) -> (BTreeSet<String>, Vec<Link>) {
    let (mut anchors, mut links) = (BTreeSet::new(), Vec::new());
    let mut heading: Option<String> = None;
    let mut open: Option<Link> = None;
    for (event, place) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let id = heading.take().map(|title| anchor(&title)).unwrap_or_default();
                let repeated = (1..).map(|n| format!("{id}-{n}"));
                let free = std::iter::once(id.clone()).chain(repeated).find(|id| !anchors.contains(id));
                anchors.extend(free);
            }
            Event::Start(Tag::Link { link_type, dest_url, .. })
                if !matches!(link_type, LinkType::Autolink | LinkType::Email) =>
            {
                open = Some(Link { to: dest_url.into_string(), shown: place.start..place.start, place });
            }
            Event::End(TagEnd::Link) => links.extend(open.take()),
            _ => {
                if let (Some(title), Event::Text(text) | Event::Code(text)) = (&mut heading, &event) {
                    title.push_str(text);
                }
                if let Some(link) = &mut open {
                    let first = link.shown.is_empty();
                    link.shown = if first { place } else { link.shown.start..place.end };
                }
            }
        }
    }
    (anchors, links)
}

/// What code hosts and mdbook make of a heading: small letters, hyphens for spaces, no punctuation.
fn anchor(title: &str) -> String {
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Every link that leads nowhere, as a line for each.
pub(crate) fn broken_links(root: &Path, pages: &[Page]) -> Vec<String> {
    let anchors: BTreeMap<&Path, &BTreeSet<String>> =
        pages.iter().map(|page| (page.path.as_path(), &page.anchors)).collect();
    let mut broken = Vec::new();
    for page in pages {
        for link in &page.links {
            let why = match page.target(link) {
                Target::Elsewhere => continue,
                Target::Outside => "leads out of the repository",
                Target::Here { path, .. } if !root.join(&path).exists() => "leads to no file",
                Target::Here { path, anchor: Some(anchor) } => match anchors.get(path.as_path()) {
                    Some(there) if there.contains(&anchor) => continue,
                    Some(_) => "names no heading of that page",
                    None => "has an anchor, and leads to no page",
                },
                Target::Here { .. } => continue,
            };
            let line = 1 + page.text[..link.place.start].matches('\n').count();
            broken.push(format!("{}:{line}: the link `{}` {why}", page.path.display(), link.to));
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, text: &str) -> Page {
        Page::new(path.into(), text.into())
    }

    #[test]
    fn headings_are_named_as_code_hosts_name_them() {
        let page = page(
            "a.md",
            "# A `key`, and *more*\n\n## 2. Größe\n\n## 2. Größe\n\n```text\n# no heading\n```\n",
        );
        assert_eq!(Vec::from_iter(&page.anchors), ["2-größe", "2-größe-1", "a-key-and-more"]);
    }

    #[test]
    fn a_link_leads_where_a_reader_gets_to() {
        let text = "[a](../b.md#c) [`d`](e/./f) [g](#h) [i](https://example.com/#x) [j](../../../k) <https://example.com>\n\n\
                    `[no](link)`\n\n| [t](u.md) |\n|---|\n";
        let page = page("docs/x/a.md", text);
        let targets: Vec<Target> = page.links.iter().map(|link| page.target(link)).collect();
        let here = |path: &str, anchor: Option<&str>| Target::Here {
            path: path.into(),
            anchor: anchor.map(str::to_owned),
        };
        assert_eq!(
            targets,
            [
                here("docs/b.md", Some("c")),
                here("docs/x/e/f", None),
                here("docs/x/a.md", Some("h")),
                Target::Elsewhere,
                Target::Outside,
                here("docs/x/u.md", None),
            ]
        );
        assert_eq!(&text[page.links[1].place.clone()], "[`d`](e/./f)");
        assert_eq!(&text[page.links[1].shown.clone()], "`d`");
    }

    #[test]
    fn a_link_that_leads_nowhere_is_named_with_its_line() {
        let root = crate::test::root();
        let pages = [page(
            "docs/guide.md",
            "# X\n\n[a](#x) [b](#y)\n[c](../nothing.md) [d](../Cargo.toml#e) [f](../fixtures)\n",
        )];
        assert_eq!(
            broken_links(&root, &pages),
            [
                "docs/guide.md:3: the link `#y` names no heading of that page",
                "docs/guide.md:4: the link `../nothing.md` leads to no file",
                "docs/guide.md:4: the link `../Cargo.toml#e` has an anchor, and leads to no page",
            ]
        );
    }

    #[test]
    fn every_link_of_every_page_leads_somewhere() {
        let root = crate::test::root();
        let pages = all(&root).expect("can be read");
        assert!(pages.len() > 40, "{} pages", pages.len());
        let broken = broken_links(&root, &pages);
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }
}
