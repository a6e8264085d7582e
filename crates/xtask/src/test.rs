//! `cargo xtask test`: every test of the repository, what was left out by name, and one line with the sum.

use crate::{doors, lanes, scripts};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Texts that are not part of the repository; checks that need them are left out where they are absent.
const DATA: &str = "../shared/data";
/// Conversations of the data whose readings are compared byte by byte.
const CONVERSATIONS: &str = "casino.jsonl";

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    skipped: Vec<String>,
}

pub(crate) fn run() -> Result<(), String> {
    let mut tally = Tally::default();
    let mut broken = Vec::new();
    // Tests of the service break databases with it.
    let installed = command(root().join(".ci/install-packages")).arg("sqlite3").status();
    if !installed.is_ok_and(|status| status.success()) {
        tally
            .skipped
            .push("databases of the service that are broken by other means (there is no sqlite3)".to_owned());
    }
    for (name, arguments) in [
        ("all crates", &["test", "--workspace", "--no-fail-fast"][..]),
        (
            "without YAML",
            &["test", "--package", "sonometer", "--no-default-features", "--test", "*_without_yaml"],
        ),
        // As the module for browsers is built.
        (
            "without the feature `perf`",
            &["test", "--package", "sonometer", "--no-default-features", "--features", "yaml", "--lib"],
        ),
    ] {
        let (sum, sound) = cargo_test(arguments)?;
        tally.passed += sum.passed;
        tally.failed += sum.failed;
        tally.skipped.extend(sum.skipped);
        // A test binary that does not build, or dies, gives no result line.
        if !sound && sum.failed == 0 {
            broken.push(name.to_owned());
        }
    }
    let command = whole_command()?;
    tally.note("self tests of the shipped protocols", self_tests(&command)?);
    tally.note("shipped conversations, sensed twice", same_bytes_everywhere(&command, &fixtures()?)?);
    let conversations = root().join(DATA).join(CONVERSATIONS);
    if conversations.is_file() {
        tally.note(CONVERSATIONS, same_bytes_everywhere(&command, &[conversations])?);
    } else {
        tally.skipped.push(format!("readings of {CONVERSATIONS} compared byte by byte (no {DATA})"));
    }
    for (name, said) in scripts::run_all(scripts::all(), &command)? {
        tally.passed += said.passed;
        tally.failed += said.failed;
        tally.skipped.retain(|left_out| !said.made_up.contains(left_out));
        tally.skipped.extend(said.skipped.into_iter().map(|what| format!("{name}: {what}")));
        if !said.sound {
            broken.push(name);
        }
    }
    println!("== every door");
    let doors = doors::run(doors::Which::Vectors);
    if let Err(why) = &doors {
        println!("{why}");
    }
    tally.note("every door gives the same bytes", doors.is_ok());
    tally.skipped.extend(doors.unwrap_or_default());
    for skipped in &tally.skipped {
        println!("skipped: {skipped}");
    }
    let failed = tally.failed + broken.len() as u64;
    println!("{} passed, {failed} failed", tally.passed);
    match (failed, broken.is_empty()) {
        (0, _) => Ok(()),
        (_, true) => Err("tests failed".into()),
        (_, false) => Err(format!("did not run to the end: {}", broken.join(", "))),
    }
}

impl Tally {
    fn note(&mut self, what: &str, passed: bool) {
        println!("{what}: {}", if passed { "ok" } else { "FAILED" });
        if passed {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }

    /// Adds what one line of `cargo test` says.
    pub(crate) fn read(&mut self, line: &str) {
        if let Some(result) = line.strip_prefix("test result: ") {
            let counts = result.split_once(". ").map_or("", |(_, counts)| counts);
            for part in counts.split("; ") {
                match part.trim().split_once(' ') {
                    Some((count, "passed")) => self.passed += count.parse::<u64>().unwrap_or(0),
                    Some((count, "failed")) => self.failed += count.parse::<u64>().unwrap_or(0),
                    _ => {}
                }
            }
        } else if let Some(name) = line.strip_prefix("test ").and_then(|l| l.split_once(" ... ignored")) {
            self.skipped.push(name.0.to_owned());
        }
    }
}

/// Runs cargo, shows what it says, and counts; the second value is whether it ended well.
fn cargo_test(arguments: &[&str]) -> Result<(Tally, bool), String> {
    let mut cargo = with_threads(cargo());
    let output =
        cargo.args(arguments).stderr(Stdio::inherit()).output().map_err(|e| format!("cargo: {e}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    let mut tally = Tally::default();
    said.lines().for_each(|line| tally.read(line));
    Ok((tally, output.status.success()))
}

/// The command as the tests of crates have it, with all features: a copy, since what is built later with less takes its place. One command
/// for all that needs one costs one build: each choice of features is one of its own, down to the libraries of others.
pub(crate) fn whole_command() -> Result<PathBuf, String> {
    let mut build = cargo();
    build.args(["test", "--quiet", "--workspace", "--test", "serve", "--no-run"]);
    let status = build.status().map_err(|e| format!("cargo: {e}"))?;
    if !status.success() {
        return Err("the command `sonometer` cannot be built".into());
    }
    let name = format!("sonometer{}", std::env::consts::EXE_SUFFIX);
    let (built, kept) = (doors::target().join("debug").join(&name), doors::target().join("whole"));
    let failed = |e: std::io::Error| format!("{}: {e}", built.display());
    std::fs::create_dir_all(&kept).map_err(failed)?;
    std::fs::copy(&built, kept.join(&name)).map_err(failed)?;
    Ok(kept.join(name))
}

/// Builds the command without the service, with further arguments of `cargo build`, and gives its path.
pub(crate) fn build_command(more: &[&str]) -> Result<PathBuf, String> {
    let mut build = cargo();
    build.args([
        "build",
        "--quiet",
        "--package",
        "sonometer-cli",
        "--no-default-features",
        "--message-format",
        "json-render-diagnostics",
    ]);
    build.args(more);
    let output = build.stderr(Stdio::inherit()).output().map_err(|e| format!("cargo: {e}"))?;
    let messages = String::from_utf8_lossy(&output.stdout);
    let path = messages.lines().rev().find_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        rest.split_once('"').map(|(path, _)| path.replace("\\\\", "\\"))
    });
    path.map(PathBuf::from).ok_or_else(|| "the command `sonometer` cannot be built".into())
}

/// `sonometer test` over everything that ships.
fn self_tests(command: &Path) -> Result<bool, String> {
    let status = Command::new(command).arg("test").args(shipped()?).current_dir(root()).status();
    Ok(status.map_err(|e| format!("{}: {e}", command.display()))?.success())
}

/// Whether readings are the same bytes whatever the surroundings say of language, time zone and threads.
fn same_bytes_everywhere(command: &Path, inputs: &[PathBuf]) -> Result<bool, String> {
    let (mut same, mut interactions) = (true, 0);
    let surroundings = [
        [("LANG", "C"), ("TZ", "UTC"), ("RAYON_NUM_THREADS", "1")],
        [("LANG", "tr_TR.UTF-8"), ("TZ", "Asia/Kathmandu"), ("RAYON_NUM_THREADS", "7")],
    ];
    for protocol in ["affect", "courtesy", "personal-data", "pressure-tactics"] {
        for input in inputs {
            let sense = |variables: &[(&str, &str)]| {
                let mut sense = Command::new(command);
                sense.args(["sense", protocol]).arg(input).args(["--json", "--profile", "discovery"]);
                sense
                    .args(["--offsets", "bytes", "--flow", "--temporal"])
                    .envs(variables.iter().copied())
                    .current_dir(root());
                sense.output().map(|output| output.stdout).map_err(|e| format!("{}: {e}", command.display()))
            };
            let (one, other) = (sense(&surroundings[0])?, sense(&surroundings[1])?);
            if one.is_empty() || one != other {
                println!("{protocol} on {}: the bytes differ, or there are none", input.display());
                same = false;
            }
            interactions += one.iter().filter(|byte| **byte == b'\n').count();
        }
    }
    println!("compared byte by byte: {interactions} readings");
    Ok(same)
}

/// The protocol files that ship.
pub(crate) fn shipped() -> Result<Vec<PathBuf>, String> {
    files(&root().join("crates/sonometer-catalog/protocols"), "yaml")
}

/// The conversations that ship.
fn fixtures() -> Result<Vec<PathBuf>, String> {
    files(&root().join("fixtures/interactions"), "json")
}

pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    Ok(files)
}

pub(crate) fn cargo() -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// A command that runs tests of cargo. Two for each core: those of the service wait for others half of the time.
pub(crate) fn with_threads(mut command: Command) -> Command {
    const THREADS: &str = "RUST_TEST_THREADS";
    if std::env::var_os(THREADS).is_none() {
        command.env(THREADS, (2 * lanes::of_cores()).to_string());
    }
    command
}

/// A command without what `cargo run` tells of this package: build scripts that look at it (that of ring does) would run
/// again, and with them what depends on them be built again, whenever cargo is called from here and then from elsewhere.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    const OF_THIS_PACKAGE: [&str; 6] =
        ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_", "OUT_DIR"];
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| OF_THIS_PACKAGE.iter().any(|prefix| name.starts_with(prefix))) {
            command.env_remove(name);
        }
    }
    command
}

pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap_or(manifest).to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_result_lines_and_names_what_is_ignored() {
        let mut tally = Tally::default();
        for line in [
            "test a ... ok",
            "test slow_one ... ignored, needs data",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.00s",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0s",
            "a line that says 9 passed; 9 failed",
        ] {
            tally.read(line);
        }
        assert_eq!(tally, Tally { passed: 15, failed: 2, skipped: vec!["slow_one".into()] });
    }

    #[test]
    fn what_ships_is_found() {
        assert!(shipped().is_ok_and(|files| files.len() >= 3));
        assert!(fixtures().is_ok_and(|files| !files.is_empty()));
    }
}
