//! Tests that have a script of their own: `bindings/DOOR/test` of the doors, `bindings/DOOR/PART/test` of what stands in them, and `crates/CRATE/tests/NAME.sh` for what needs
//! a program from elsewhere.

use crate::lanes;
use crate::test::{Tally, command, root, with_threads};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

/// Scripts that run side by side. What the longest of them wait for, links of whole programs and valgrind, keeps one core busy;
/// more than two would make the limits of time in them doubtful on a machine with two cores.
const LANES: usize = 2;

/// The scripts that take longest (docs/measured/development.md), the longest first: begun last, one would run alone at the end.
const LONGEST: [&str; 3] =
    ["bindings/wasm/workbench/test", "bindings/python/test", "crates/sonometer-server/tests/postgres.sh"];

/// What a script says in its last line and in lines that begin with `skipped: `.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: Vec<String>,
    /// The tests of cargo that it ran although they are left out elsewhere.
    pub(crate) made_up: Vec<String>,
    /// Whether the script ended by itself, with a sum and a status that agree.
    pub(crate) sound: bool,
}

/// Every script, by its path from the root of the repository: the longest first, the others in the order of their names.
pub(crate) fn all() -> Vec<(String, PathBuf)> {
    let inside = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let doors = inside(root().join("bindings"));
    let parts = doors.iter().flat_map(|door| inside(door.clone()));
    let doors: Vec<_> = doors.iter().cloned().chain(parts).map(|door| door.join("test")).collect();
    let crates = inside(root().join("crates")).into_iter().flat_map(|a_crate| inside(a_crate.join("tests")));
    let of_crates = crates.filter(|path| path.extension().is_some_and(|extension| extension == "sh"));
    let name = |script: &PathBuf| script.strip_prefix(root()).unwrap_or(script).display().to_string();
    let scripts = doors.into_iter().chain(of_crates).filter(|script| script.is_file());
    let mut scripts: Vec<_> = scripts.map(|script| (name(&script), script)).collect();
    let is_later = |name: &str| LONGEST.iter().position(|long| *long == name).unwrap_or(LONGEST.len());
    scripts.sort_by_cached_key(|(name, _)| (is_later(name), name.clone()));
    scripts
}

/// Runs scripts, in their order where more are left than there are lanes, and shows what each says as a whole when it ends. Those
/// that need the command find it by `SONOMETER_COMMAND`, so that none builds one over that of another.
pub(crate) fn run_all(
    scripts: Vec<(String, PathBuf)>,
    sonometer: &Path,
) -> Result<Vec<(String, Said)>, String> {
    lanes::side_by_side(LANES, scripts, |(name, script)| {
        let said = run(&name, &script, sonometer).unwrap_or_else(|why| {
            println!("{why}");
            Said::default()
        });
        (name, said)
    })
}

/// Runs a script and shows what it says.
fn run(name: &str, script: &Path, sonometer: &Path) -> Result<Said, String> {
    let begin = Instant::now();
    let mut script_of = with_threads(command(script));
    script_of.current_dir(root()).env("SONOMETER_COMMAND", sonometer);
    let output = script_of.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|e| format!("{}: {e}", script.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    // In one piece: another script may end at the same time.
    print!("== {name}\n{text}== {name} took {:.0} s\n", begin.elapsed().as_secs_f64());
    Ok(read(&text, output.status.success()))
}

/// What a script says: a sum in its last line, or what cargo says of the tests that the script lets it run.
fn read(text: &str, ended_well: bool) -> Said {
    let skipped: Vec<String> =
        text.lines().filter_map(|line| line.strip_prefix("skipped: ")).map(str::to_owned).collect();
    let ran = |line: &str| Some(line.strip_prefix("test ")?.strip_suffix(" ... ok")?.to_owned());
    let made_up = text.lines().filter_map(ran).collect();
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let sum = last.strip_suffix(" failed").and_then(|line| {
        let (passed, failed) = line.split_once(" passed, ")?;
        Some((passed.parse::<u64>().ok()?, failed.parse::<u64>().ok()?))
    });
    let of_cargo = || {
        let mut tally = Tally::default();
        text.lines().filter(|line| line.starts_with("test result: ")).for_each(|line| tally.read(line));
        (tally.passed + tally.failed > 0).then_some((tally.passed, tally.failed))
    };
    let was_left_out = || (!skipped.is_empty()).then_some((0, 0));
    let counts = sum.or_else(of_cargo).or_else(was_left_out);
    let (passed, failed) = counts.unwrap_or_default();
    Said { passed, failed, skipped, made_up, sound: counts.is_some() && ended_well == (failed == 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_believed_if_sum_and_status_agree() {
        let said = read("ok a\nskipped: clang (not there)\n12 passed, 0 failed\n", true);
        let skipped = vec!["clang (not there)".to_owned()];
        assert_eq!(said, Said { passed: 12, failed: 0, skipped, made_up: vec![], sound: true });
        let ran = read("test a_test ... ok\ntest b ... FAILED\ntest result: ok. 1 passed; 0 failed\n", true);
        assert_eq!(ran.made_up, ["a_test"]);
        assert!(!read("12 passed, 0 failed\n", false).sound);
        assert!(!read("11 passed, 1 failed\n", true).sound);
        assert!(!read("12 passed, 0 failed\nand then it went on\n", true).sound);
        let of_cargo = "test result: ok. 2 passed; 0 failed; 1 ignored\ntest result: ok. 3 passed; 0 failed; 0 ignored\n";
        assert_eq!((read(of_cargo, true).passed, read(of_cargo, true).sound), (5, true));
        assert!(!read(of_cargo, false).sound, "something else went wrong");
        assert!(read("skipped: a server (not there)\n", true).sound);
        assert!(!read("", true).sound);
        assert!(read("11 passed, 1 failed", false).sound);
    }

    #[test]
    fn scripts_are_found_and_the_longest_come_first() {
        let names: Vec<String> = all().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names[..LONGEST.len()], LONGEST);
        for name in ["bindings/c/test", "crates/sonometer-server/tests/schemathesis.sh"] {
            assert!(names.iter().any(|script| script == name), "{name}");
        }
    }

    /// What scripts share stands in a folder below: here, everything is run.
    #[cfg(unix)]
    #[test]
    fn scripts_may_be_run() {
        use std::os::unix::fs::PermissionsExt;
        for (name, script) in all() {
            let mode = script.metadata().expect("is there").permissions().mode();
            assert!(mode & 0o111 != 0, "{name} is not executable");
        }
    }
}
