//! The licences of what others wrote and an artifact holds: MIT and its like ask that their text goes along.

use super::metadata::{Metadata, Tree};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The name under which the text is in every artifact with a program or a library. npm and Python take `LICENSE-*` along.
pub(super) const FILE: &str = "LICENSE-THIRD-PARTY.txt";

/// The licences of every part of a tree that is not of this repository, each text once, with the parts it holds for.
pub(super) fn of(metadata: &Metadata, tree: &Tree) -> Result<String, String> {
    let mut names = String::new();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for part in tree.parts() {
        let package = metadata.find(part)?;
        if metadata.is_member(package) {
            continue;
        }
        let name = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref().unwrap_or("see the text below");
        let _ = writeln!(names, "  {name}: {licence}");
        let folder = package.manifest_path.parent().ok_or("a manifest without a folder")?;
        for path in licences(folder, package.license.as_deref())? {
            let text = String::from_utf8_lossy(&super::read(&path)?).replace("\r\n", "\n");
            let text = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
            texts.entry(text.trim_matches('\n').to_owned()).or_default().push(name.clone());
        }
    }
    // By the first part that each holds for, since the order of the texts themselves tells nobody anything.
    let mut texts: Vec<(String, Vec<String>)> = texts.into_iter().collect();
    texts.sort_by(|(one, of_one), (other, of_other)| (of_one, one).cmp(&(of_other, other)));
    let mut all = format!(
        "Sonometer is licensed under MIT or Apache-2.0. It holds these crates, unchanged; the source of each is on crates.io under \
         its name and version:\n\n{names}"
    );
    for (text, mut parts) in texts {
        parts.sort();
        parts.dedup();
        let _ = write!(all, "\n{}\n{}\n\n{text}\n", "-".repeat(80), parts.join(", "));
    }
    Ok(all)
}

/// The files of licences in a folder. Where MIT and Apache are a choice, MIT is taken: its text is a tenth as long.
fn licences(folder: &Path, expression: Option<&str>) -> Result<Vec<PathBuf>, String> {
    let files = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?.flatten();
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let mut paths: Vec<PathBuf> =
        files.map(|file| file.path()).filter(|path| path.is_file() && is_licence(&name(path))).collect();
    let is_choice = expression.is_some_and(|expression| !expression.contains(" AND "));
    if is_choice && paths.iter().any(|path| name(path).contains("mit")) {
        paths.retain(|path| !name(path).contains("apache"));
    }
    paths.sort();
    Ok(paths)
}

fn is_licence(name: &str) -> bool {
    let begins = ["license", "licence", "copying", "notice", "unlicense", "copyright"];
    begins.iter().any(|begin| name.starts_with(begin)) && !name.ends_with(".rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_named_and_texts_stand_once() {
        let metadata = Metadata::read().expect("cargo knows its packages");
        let tree = Tree::of("sonometer", "x86_64-unknown-linux-gnu").expect("the engine has parts");
        let text = of(&metadata, &tree).expect("can be written");
        for (name, version) in tree.parts() {
            assert!(text.contains(&format!("  {name} {version}: ")), "{name}");
        }
        let texts: Vec<&str> =
            text.split(&"-".repeat(80)).filter_map(|part| Some(part.split_once("\n\n")?.1)).collect();
        let different: std::collections::BTreeSet<&&str> = texts.iter().collect();
        assert!(texts.len() > 5 && texts.len() == different.len(), "a text stands twice");
        assert!(text.contains("The Rust Project Developers") && !text.contains("  sonometer "), "{text}");
    }
}
