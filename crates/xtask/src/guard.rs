//! Counts the instructions of fixed workloads and compares them with the recorded ones: a slowdown shows on a busy
//! machine too, where no clock would show it.

use crate::lanes;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the counts are recorded, from the root of the repository.
const RECORD: &str = "benches/guard.txt";
/// Counts may grow or shrink by so many percent.
const TOLERANCE_PERCENT: u64 = 2;
/// A long text may take so many percent of the instructions of the same in messages of 1 KB.
const GROWTH_PERCENT: u64 = 120;
/// The function whose instructions count; see `benches/examples/guard.rs`.
const COUNTED: &str = "*counted_workload*";

/// Recorded counts and the compiler they hold for.
#[derive(Debug, PartialEq, Eq)]
struct Record {
    rustc: String,
    counts: BTreeMap<String, u64>,
}

/// Counts, and either records the counts or fails where one is off. Says so and passes where it cannot count, or where
/// the record is of another compiler.
pub(crate) fn run(update: bool) -> Result<(), String> {
    let rustc = first_line("rustc", &["--version"])?;
    if first_line("valgrind", &["--version"]).is_err() {
        println!("guard: skipped, there is no valgrind");
        return Ok(());
    }
    let path = root().join(RECORD);
    let recorded = std::fs::read_to_string(&path).ok().and_then(|text| Record::parse(&text));
    if !update
        && let Some(record) = &recorded
        && record.rustc != rustc
    {
        println!(
            "guard: skipped, the counts are of `{}` and this is `{rustc}`; `--update` records new ones",
            record.rustc
        );
        return Ok(());
    }
    let counts = count_all()?;
    let report = compare(recorded.as_ref(), &counts);
    print!("{}", report.text);
    // Not a matter of what is recorded: `--update` does not make it right.
    let growing = growing(&counts);
    if !growing.is_empty() {
        return Err(format!("growing faster than the text: {}", growing.join(", ")));
    }
    if update {
        let text = Record { rustc, counts }.to_text();
        return std::fs::write(&path, text).map_err(|e| format!("{RECORD}: {e}"));
    }
    if report.off.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} moved by more than {TOLERANCE_PERCENT} %; if that is meant: cargo xtask guard --update",
        report.off.join(", ")
    ))
}

fn count_all() -> Result<BTreeMap<String, u64>, String> {
    let binary = build()?;
    let names = Command::new(&binary).output().map_err(|e| format!("{}: {e}", binary.display()))?;
    let names = String::from_utf8_lossy(&names.stdout).into_owned();
    // Counts are the same whatever else runs, so that every core counts.
    let counted = lanes::side_by_side(lanes::of_cores(), names.lines(), |name| {
        Ok((name.to_owned(), count(&binary, name)?))
    })?;
    counted.into_iter().collect()
}

/// Builds the workloads and gives the path of their binary.
fn build() -> Result<PathBuf, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--quiet", "--package", "sonometer-bench", "--example", "guard"]);
    cargo.args(["--message-format", "json-render-diagnostics"]).current_dir(root()).stderr(Stdio::inherit());
    let output = cargo.output().map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err("the workloads do not build".into());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let executable = messages.lines().rev().find_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        Some(PathBuf::from(rest.split_once('"')?.0))
    });
    executable.ok_or_else(|| "cargo does not say where the workloads are".into())
}

/// The instructions of one workload.
fn count(binary: &Path, name: &str) -> Result<u64, String> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args([
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        &format!("--toggle-collect={COUNTED}"),
    ]);
    let output = valgrind.arg(binary).arg(name).output().map_err(|e| format!("valgrind: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    match parse_collected(&said) {
        Some(count) if count > 0 && output.status.success() => Ok(count),
        _ => Err(format!("valgrind counted nothing for `{name}`:\n{said}")),
    }
}

/// The number in `==1== Collected : 123`.
fn parse_collected(said: &str) -> Option<u64> {
    let (_, rest) = said.split_once("Collected :")?;
    rest.split_whitespace().next()?.parse().ok()
}

struct Report {
    text: String,
    off: Vec<String>,
}

fn compare(recorded: Option<&Record>, counts: &BTreeMap<String, u64>) -> Report {
    let mut report = Report { text: String::new(), off: Vec::new() };
    let gone = recorded
        .into_iter()
        .flat_map(|record| record.counts.keys())
        .filter(|name| !counts.contains_key(*name));
    report.off.extend(gone.map(|name| format!("{name} (gone)")));
    for (name, &count) in counts {
        let before = recorded.and_then(|record| record.counts.get(name).copied());
        let change = match before {
            Some(before) => {
                if before.abs_diff(count) * 100 > before * TOLERANCE_PERCENT {
                    report.off.push(name.clone());
                }
                let permille = (i128::from(count) - i128::from(before)) * 1000 / i128::from(before.max(1));
                let sign = if permille < 0 { '-' } else { '+' };
                format!("{sign}{}.{} %", permille.abs() / 10, permille.abs() % 10)
            }
            None => {
                report.off.push(format!("{name} (new)"));
                "new".to_owned()
            }
        };
        let _ = writeln!(report.text, "{name:<14} {count:>14} instructions  {change}");
    }
    report
}

/// The workloads `long_NAME`, one long text, that take more than [`GROWTH_PERCENT`] of `short_NAME`, the same in messages.
fn growing(counts: &BTreeMap<String, u64>) -> Vec<String> {
    let long = counts.iter().filter_map(|(name, long)| {
        let short = *counts.get(&format!("short_{}", name.strip_prefix("long_")?))?;
        (long * 100 > short * GROWTH_PERCENT)
            .then(|| format!("{name} ({} % of short)", long * 100 / short.max(1)))
    });
    long.collect()
}

impl Record {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let rustc = lines.next()?.to_owned();
        let counts = lines.map(|line| {
            let (name, count) = line.split_once(' ')?;
            Some((name.to_owned(), count.trim().parse().ok()?))
        });
        Some(Self { rustc, counts: counts.collect::<Option<_>>()? })
    }

    fn to_text(&self) -> String {
        let mut text = String::from(
            "# Instructions of the fixed workloads, by `cargo xtask guard --update`, and the compiler they hold for.\n",
        );
        let _ = writeln!(text, "{}", self.rustc);
        for (name, count) in &self.counts {
            let _ = writeln!(text, "{name} {count}");
        }
        text
    }
}

fn first_line(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|e| format!("{program}: {e}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(counts: &[(&str, u64)]) -> Record {
        let counts = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        Record { rustc: "rustc 1.0.0".into(), counts }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let record = record(&[("gaps", 12), ("scan", 3_000_000_000)]);
        assert_eq!(Record::parse(&record.to_text()), Some(record));
    }

    #[test]
    fn two_percent_pass_and_three_do_not() {
        let before = record(&[("gaps", 1000), ("gone", 1), ("scan", 1000)]);
        let now = record(&[("gaps", 1020), ("new", 1), ("scan", 970)]);
        let report = compare(Some(&before), &now.counts);
        assert_eq!(report.off, ["gone (gone)", "new (new)", "scan"]);
        assert!(report.text.contains("+2.0 %") && report.text.contains("-3.0 %"), "{}", report.text);
    }

    #[test]
    fn a_long_text_may_take_a_fifth_more() {
        let counts = [("long_a", 120), ("long_b", 121), ("short_a", 100), ("short_b", 100), ("long_c", 9)];
        assert_eq!(growing(&record(&counts).counts), ["long_b (121 % of short)"]);
    }

    #[test]
    fn reads_the_sum_of_the_counter() {
        assert_eq!(parse_collected("==7== Events    : Ir\n==7== Collected : 815\n"), Some(815));
        assert_eq!(parse_collected("==7== nothing"), None);
    }
}
