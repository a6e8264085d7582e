//! The files that the workbench may read and write: those that were named, and the lists that they name.

use crate::failure::Failure;
use crate::file;
use crate::target::Source;
use sonometer::Document;
use std::cell::RefCell;
use std::path::Path;
use std::time::SystemTime;

/// The most bytes of a file that the page reads: what a browser holds without trouble.
const MOST: usize = 64 << 20;

/// A file with what the page last heard of it.
#[derive(Clone, Debug)]
struct Known {
    /// As the page calls it.
    name: String,
    path: String,
    text: String,
    changed: Option<SystemTime>,
    /// Whether the page may write it: it was named by the user, and not by a file.
    is_own: bool,
}

/// The files, in the order in which they were named.
#[derive(Clone, Debug)]
pub(super) struct Files {
    known: Vec<Known>,
}

impl Files {
    /// Reads all of them, and the list files of protocols among them.
    pub(super) fn read(paths: &[String]) -> Result<Self, Failure> {
        let mut files = Self { known: Vec::new() };
        for path in paths {
            files.add(path.clone(), path.clone(), true)?;
            for (name, beside) in lists_of(path, files.known.last().map_or("", |known| &known.text)) {
                if Path::new(&beside).is_file() {
                    files.add(name, beside, false)?;
                }
            }
        }
        Ok(files)
    }

    fn add(&mut self, name: String, path: String, is_own: bool) -> Result<(), Failure> {
        let text = text(&path)?;
        self.known.push(Known { name, changed: changed(&path), path, text, is_own });
        Ok(())
    }

    /// Name and text of each.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.known.iter().map(|known| (known.name.as_str(), known.text.as_str()))
    }

    /// Reads what was changed since; whether anything was. A file that cannot be read for now stays as it was: editors put another in
    /// its place.
    pub(super) fn refresh(&mut self) -> bool {
        let mut any = false;
        for known in &mut self.known {
            let now = changed(&known.path);
            if now.is_none() || now == known.changed {
                continue;
            }
            if let Ok(text) = text(&known.path) {
                known.changed = now;
                any |= text != known.text;
                known.text = text;
            }
        }
        any
    }

    /// Writes a file that the user named.
    pub(super) fn write(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        let known = self.known.iter_mut().find(|known| known.is_own && known.name == name);
        let known = known
            .ok_or_else(|| Failure::unusable(format!("{name}: not one of the files of this workbench")))?;
        file::replace(&known.path, text.as_bytes())?;
        text.clone_into(&mut known.text);
        known.changed = changed(&known.path);
        Ok(())
    }
}

fn text(path: &str) -> Result<String, Failure> {
    Ok(file::utf8(path, &file::bytes(path, MOST)?, 0)?.to_owned())
}

fn changed(path: &str) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// The list files that a protocol names, as it names them and where they are.
fn lists_of(path: &str, text: &str) -> Vec<(String, String)> {
    if !(path.ends_with(".yaml") || path.ends_with(".yml")) {
        return Vec::new();
    }
    let source = Source { name: path.to_owned(), text: text.to_owned().into() };
    let named = RefCell::new(Vec::new());
    // What is wrong with it, the page says.
    let _ = Document::read_with(&source.text, &|list| {
        named.borrow_mut().push(list.to_owned());
        source.list_file(list)
    });
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    named
        .into_inner()
        .into_iter()
        .map(|list| (list.clone(), folder.join(list).display().to_string()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_seen_and_only_named_files_are_written() {
        let folder = std::env::temp_dir().join(format!("sonometer-workbench-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("names")).expect("a folder");
        let path = folder.join("own.yaml").display().to_string();
        let source = "sonometer: 1\nid: own\nversion: \"1\"\ntaxonomy: Signal\nlist_files: {first: names/first.txt}\nmarkers:\n  \
                      - label: name\n    strong: \"@first\"\n    hit: Ann\n";
        std::fs::write(&path, source).expect("a file");
        std::fs::write(folder.join("names/first.txt"), "ann\n").expect("a list");
        let mut files = Files::read(std::slice::from_ref(&path)).expect("both are there");
        let names: Vec<&str> = files.all().map(|(name, _)| name).collect();
        assert_eq!(names, [path.as_str(), "names/first.txt"]);
        assert!(!files.refresh());

        files.write(&path, "id: changed\n").expect("it was named");
        assert_eq!(std::fs::read_to_string(&path).expect("it is there"), "id: changed\n");
        assert!(!files.refresh(), "what the page wrote is no news to it");
        assert!(files.write("names/first.txt", "").is_err(), "only the protocol names it");
        assert!(files.write("/etc/hostname", "").is_err());

        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(&path, "id: again\n").expect("a file");
        assert!(files.refresh());
        assert_eq!(files.all().next().map(|(_, text)| text), Some("id: again\n"));
        std::fs::remove_dir_all(folder).expect("the folder is its own");
    }
}
