//! The tests of the doors, each with a script of its own: `bindings/DOOR/test`.

use crate::test::root;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a script says in its last line and in lines that begin with `skipped: `.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: Vec<String>,
    /// Whether the script ended by itself, with a sum and a status that agree.
    pub(crate) sound: bool,
}

/// The doors that have a script, with it.
pub(crate) fn scripts() -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(root().join("bindings")).into_iter().flatten().flatten();
    let named =
        entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path().join("test")));
    let mut scripts: Vec<_> = named.filter(|(_, script)| script.is_file()).collect();
    scripts.sort();
    scripts
}

/// Runs a script and shows what it says.
pub(crate) fn run(script: &PathBuf) -> Result<Said, String> {
    let output =
        Command::new(script).current_dir(root()).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("{}: {e}", script.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    print!("{text}");
    Ok(read(&text, output.status.success()))
}

fn read(text: &str, ended_well: bool) -> Said {
    let skipped = text.lines().filter_map(|line| line.strip_prefix("skipped: ")).map(str::to_owned).collect();
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let counts = last.strip_suffix(" failed").and_then(|line| {
        let (passed, failed) = line.split_once(" passed, ")?;
        Some((passed.parse::<u64>().ok()?, failed.parse::<u64>().ok()?))
    });
    let (passed, failed) = counts.unwrap_or_default();
    Said { passed, failed, skipped, sound: counts.is_some() && ended_well == (failed == 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_believed_if_sum_and_status_agree() {
        let said = read("ok a\nskipped: clang (not there)\n12 passed, 0 failed\n", true);
        let skipped = vec!["clang (not there)".to_owned()];
        assert_eq!(said, Said { passed: 12, failed: 0, skipped, sound: true });
        assert!(!read("12 passed, 0 failed\n", false).sound);
        assert!(!read("11 passed, 1 failed\n", true).sound);
        assert!(!read("12 passed, 0 failed\nand then it went on\n", true).sound);
        assert!(!read("", true).sound);
        assert!(read("11 passed, 1 failed", false).sound);
    }

    #[test]
    fn the_c_door_has_a_script() {
        assert!(scripts().iter().any(|(door, _)| door == "c"));
    }
}
