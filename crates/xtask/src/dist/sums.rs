//! `SHA256SUMS`: one line for each file, as `sha256sum --check` reads them.

use super::archive::walk;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

pub(super) const FILE: &str = "SHA256SUMS";

/// The sum of each file in a folder, by its name there.
pub(super) fn of(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut sums = BTreeMap::new();
    for path in walk(folder)?.into_iter().filter(|path| path.is_file()) {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        if name != FILE {
            sums.insert(name, hex(&Sha256::digest(super::read(&path)?)));
        }
    }
    Ok(sums)
}

/// Names the files that were made twice and are not the same bytes.
pub(super) fn compare(
    first: &BTreeMap<String, String>,
    second: &BTreeMap<String, String>,
) -> Result<(), String> {
    let names: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    let differs: Vec<&str> =
        names.into_iter().filter(|name| first.get(*name) != second.get(*name)).map(String::as_str).collect();
    if differs.is_empty() {
        return Ok(());
    }
    Err(format!("made twice, these files differ: {}", differs.join(", ")))
}

/// Writes the sums of all files of a folder into it, and gives their number.
pub(super) fn write(folder: &Path) -> Result<usize, String> {
    let sums = of(folder)?;
    let lines: String = sums.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    super::write(&folder.join(FILE), lines)?;
    Ok(sums.len())
}

/// The names of the files, once each was compared with its sum.
pub(super) fn check(folder: &Path) -> Result<Vec<String>, String> {
    let missing = |_| format!("no {FILE} in {}; run `cargo xtask dist` first", folder.display());
    let text = std::fs::read_to_string(folder.join(FILE)).map_err(missing)?;
    let written: BTreeMap<String, String> = text
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(sum, name)| (name.into(), sum.into()))
        .collect();
    let found = of(folder)?;
    let wrong = |name: &&String| written.get(*name) != found.get(*name);
    match written.keys().chain(found.keys()).find(wrong) {
        Some(name) => Err(format!("{name} is not as {FILE} says; run `cargo xtask dist` again")),
        None => Ok(found.into_keys().collect()),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn a_file_that_is_made_once_only_differs_too() {
        let sums = |names: &[(&str, &str)]| {
            names.iter().map(|(name, sum)| ((*name).into(), (*sum).into())).collect()
        };
        let first = sums(&[("a", "1"), ("b", "2")]);
        assert_eq!(compare(&first, &first), Ok(()));
        let said = compare(&first, &sums(&[("a", "3"), ("c", "2")]));
        assert_eq!(said, Err("made twice, these files differ: a, b, c".into()));
    }
}
