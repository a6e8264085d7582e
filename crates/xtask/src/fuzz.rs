//! `cargo xtask fuzz`: every reader of files under bytes that libFuzzer makes up, guided by what they reach in the code.
//!
//! The fuzzer is built apart, with the instrumentation that a stable compiler has (`-Cpasses=sancov-module`) and with every check
//! of numbers. What it learnt stays in the folder of what is built, so that a second run begins where the first one ended.

mod told;

use crate::doors::target;
use crate::test::root;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use told::Told;

/// What a compiler on a stable channel adds to each edge of the code: a counter, its place, and what numbers were compared.
const FLAGS: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];
/// Seconds for each reader, where nobody says otherwise.
const SECONDS: u64 = 60;
/// Seconds for one input.
const SLOW: u64 = 10;
/// Mebibytes of memory.
const MEMORY: u64 = 1024;
/// A reader with so many findings is not fuzzed any further.
const MOST_FINDINGS: usize = 12;

/// Fuzzes the readers of these names, or all.
pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    let (wanted, seconds) = read(arguments)?;
    let binary = build()?;
    let folder = target().join("fuzz").join("readers");
    let prepared = Command::new(&binary).env("SONOMETER_FUZZ_PREPARE", &folder).output();
    let prepared = prepared.map_err(|error| format!("{}: {error}", binary.display()))?;
    if !prepared.status.success() {
        let said = String::from_utf8_lossy(&prepared.stderr).into_owned();
        return Err(format!("the files to begin with cannot be written:\n{said}"));
    }
    let known = readers(&folder)?;
    if let Some(unknown) = wanted.iter().find(|name| !known.contains(name)) {
        return Err(format!("there is no reader `{unknown}`; there are {}", known.join(", ")));
    }
    let wanted = if wanted.is_empty() { known } else { wanted };
    println!(
        "reader        seconds        runs   runs/s    edges at start -> end   corpus  tolerated  findings"
    );
    let mut found = Vec::new();
    for name in &wanted {
        let fuzzed = Fuzzer { binary: &binary, own: &folder.join(name), name, seconds }.run()?;
        println!("{}", fuzzed.line(name));
        fuzzed.tolerated.iter().for_each(|(place, count)| println!("    tolerated: {count} times {place}"));
        for (what, file) in fuzzed.findings {
            println!(
                "    finding: {what}\n        SONOMETER_FUZZ={name} {} {}",
                binary.display(),
                file.display()
            );
            found.push(what);
        }
    }
    match found.len() {
        0 => Ok(()),
        count => {
            Err(format!("{count} findings; mend each and keep its file in fixtures/regressions/files/READER"))
        }
    }
}

/// Names of readers, and seconds.
fn read(arguments: &[&str]) -> Result<(Vec<String>, u64), String> {
    let (mut wanted, mut seconds) = (Vec::new(), SECONDS);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if *argument == "--seconds" {
            let number = rest.next().and_then(|number| number.parse().ok()).filter(|number| *number > 0);
            seconds = number.ok_or("`--seconds` takes a number of seconds, such as `--seconds 300`")?;
        } else if argument.starts_with('-') {
            return Err(crate::USAGE.to_owned());
        } else {
            wanted.push((*argument).to_owned());
        }
    }
    Ok((wanted, seconds))
}

/// Builds the fuzzer and gives its path.
fn build() -> Result<PathBuf, String> {
    let host = host()?;
    let folder = target().join("fuzz");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "build",
        "--quiet",
        "--package",
        "sonometer-fuzz",
        "--features",
        "libfuzzer",
        "--profile",
        "fuzz",
    ]);
    // With a target named, what runs while building is built without the flags.
    cargo.args(["--target", &host]).arg("--target-dir").arg(&folder).current_dir(root());
    cargo.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}")).env_remove("RUSTFLAGS");
    let status = cargo.status().map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err(
            "the fuzzer does not build; libFuzzer needs a C++ compiler, such as the package `g++`".into()
        );
    }
    Ok(folder.join(host).join("fuzz").join("sonometer-fuzz"))
}

/// The machine for which the compiler builds.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say for which machine it builds".into())
}

/// The readers, by the folders that were prepared.
fn readers(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let own = |entry: fs::DirEntry| {
        entry.path().join("seeds").is_dir().then(|| entry.file_name().to_string_lossy().into_owned())
    };
    let mut names: Vec<String> = entries.filter_map(Result::ok).filter_map(own).collect();
    names.sort();
    Ok(names)
}

/// One reader being fuzzed.
struct Fuzzer<'f> {
    binary: &'f Path,
    own: &'f Path,
    name: &'f str,
    seconds: u64,
}

/// How it ended.
#[derive(Debug, Default)]
struct Fuzzed {
    seconds: u64,
    runs: u64,
    edges: (u64, u64),
    corpus: u64,
    tolerated: Vec<(String, u64)>,
    findings: Vec<(String, PathBuf)>,
}

impl Fuzzed {
    fn line(&self, name: &str) -> String {
        let Self { seconds, runs, edges, corpus, tolerated, findings } = self;
        let (rate, tolerated) = (runs / (*seconds).max(1), tolerated.len());
        let (start, end, found) = (edges.0, edges.1, findings.len());
        format!(
            "{name:<12} {seconds:>8} {runs:>11} {rate:>8} {start:>16} -> {end:<6} {corpus:>8} {tolerated:>10} {found:>9}"
        )
    }
}

impl Fuzzer<'_> {
    /// Runs libFuzzer until its time is over; after a finding again, with that one passed over.
    fn run(&self) -> Result<Fuzzed, String> {
        let wrong = |error: std::io::Error| format!("{}: {error}", self.own.display());
        for folder in ["corpus", "findings"] {
            fs::create_dir_all(self.own.join(folder)).map_err(wrong)?;
        }
        let (begun, all) = (Instant::now(), Duration::from_secs(self.seconds));
        let mut fuzzed = Fuzzed::default();
        while fuzzed.findings.len() < MOST_FINDINGS {
            let left = all.saturating_sub(begun.elapsed()).as_secs();
            if left == 0 {
                break;
            }
            let (status, told) = self.once(left, &fuzzed.findings).map_err(wrong)?;
            fuzzed.runs += told.runs;
            if fuzzed.edges.0 == 0 {
                fuzzed.edges.0 = told.edges.0;
            }
            fuzzed.edges.1 = fuzzed.edges.1.max(told.edges.1);
            fuzzed.corpus = told.corpus;
            for (place, count) in told.tolerated {
                match fuzzed.tolerated.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, sum)) => *sum += count,
                    None => fuzzed.tolerated.push((place, count)),
                }
            }
            if status.success() {
                break;
            }
            let file = match told.file {
                Some(file) => file,
                None => self
                    .last()
                    .ok_or_else(|| format!("{}: it died, see `log` in {}", self.name, self.own.display()))?,
            };
            let what = told.finding.unwrap_or_else(|| format!("it died ({status})"));
            // What is met again although it is known ends the run: it cannot be passed over.
            let is_known = fuzzed.findings.iter().any(|(known, _)| *known == what);
            fuzzed.findings.push((what, file));
            if is_known {
                break;
            }
        }
        fuzzed.seconds = begun.elapsed().as_secs();
        Ok(fuzzed)
    }

    fn once(&self, seconds: u64, findings: &[(String, PathBuf)]) -> std::io::Result<(ExitStatus, Told)> {
        let longest = fs::read_to_string(self.own.join("length"))?;
        let path = |name: &str| self.own.join(name).display().to_string();
        let known: Vec<&str> = findings.iter().map(|(what, _)| what.as_str()).collect();
        let mut command = Command::new(self.binary);
        command.env("SONOMETER_FUZZ", self.name).env("SONOMETER_FUZZ_LAST", self.own.join("last"));
        command.env("SONOMETER_FUZZ_KNOWN", known.join("\n"));
        command.args([
            format!("-max_total_time={seconds}"),
            format!("-max_len={longest}"),
            format!("-timeout={SLOW}"),
            format!("-rss_limit_mb={MEMORY}"),
            format!("-artifact_prefix={}/", path("findings")),
            "-print_final_stats=1".to_owned(),
            "-reload=0".to_owned(),
        ]);
        // A reader whose format has no words of its own has none.
        if fs::metadata(self.own.join("words")).is_ok_and(|words| words.len() > 0) {
            command.arg(format!("-dict={}", path("words")));
        }
        command.args([path("corpus"), path("seeds")]);
        let log = File::create(self.own.join("log"))?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        let status = command.status()?;
        let said = String::from_utf8_lossy(&fs::read(self.own.join("log"))?).into_owned();
        let told = Told::read(&said);
        if !status.success() {
            let _ = fs::copy(self.own.join("log"), self.own.join(format!("log-{}", findings.len() + 1)));
        }
        Ok((status, told))
    }

    /// The bytes that were read when the process died without a word, as a finding of its own.
    fn last(&self) -> Option<PathBuf> {
        let kept = fs::read(self.own.join("last")).ok()?;
        let (length, rest) = kept.split_at_checked(8)?;
        let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
        let folder = self.own.join("findings");
        let count = fs::read_dir(&folder).map_or(0, Iterator::count);
        let file = folder.join(format!("death-{count}"));
        fs::write(&file, rest.get(..length)?).ok()?;
        Some(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_readers_and_seconds() {
        assert_eq!(read(&["rtf", "--seconds", "5", "html"]), Ok((vec!["rtf".into(), "html".into()], 5)));
        assert_eq!(read(&[]), Ok((vec![], SECONDS)));
        assert!(read(&["--seconds", "0"]).is_err() && read(&["--fast"]).is_err());
    }
}
