//! The licences of what others wrote and an artifact holds: MIT and its like ask that their text goes along.

use super::metadata::{Metadata, Tree};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

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
        let files = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?.flatten();
        for file in
            files.filter(|file| is_licence(&file.file_name().to_string_lossy()) && file.path().is_file())
        {
            let text = String::from_utf8_lossy(&super::read(&file.path())?).replace("\r\n", "\n");
            texts.entry(text.trim_end().to_owned()).or_default().push(name.clone());
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

fn is_licence(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
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
        assert_eq!(text.matches("Version 2.0, January 2004").count(), distinct(&text), "a text stands twice");
        assert!(text.contains("The Rust Project Developers") && !text.contains("  sonometer "), "{text}");
    }

    /// How many different texts of the Apache licence there are: crates copy it with small changes.
    fn distinct(text: &str) -> usize {
        let sections =
            text.split(&"-".repeat(80)).filter(|section| section.contains("Version 2.0, January 2004"));
        let bodies = sections.filter_map(|section| section.split_once("\n\n").map(|(_, body)| body.trim()));
        bodies.collect::<std::collections::BTreeSet<_>>().len()
    }
}
