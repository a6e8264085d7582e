//! `cargo xtask doors`: one set of cases through every door, and one table of what came out.

mod case;
mod command;
mod engine;
mod random;
mod runner;

use crate::test::{build_command, root};
use case::{Answer, Case, Feed};
use sonometer_reference::vectors;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Which cases are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// All vectors of the repository.
    Vectors,
    /// So many random ones.
    Random { count: usize, seed: u64 },
}

/// One row of the table.
struct Row {
    door: String,
    version: String,
    outcome: Outcome,
}

enum Outcome {
    Ran { equal: usize, time: Duration },
    Skipped(String),
}

/// The folder of everything that is built.
fn target() -> PathBuf {
    let set = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    set.map_or_else(|| root().join("target"), |folder| std::path::absolute(&folder).unwrap_or(folder))
}

/// Writes the cases and gives the file.
pub(crate) fn write(which: Which) -> Result<(), String> {
    let cases = cases(which)?;
    println!("{}", file(&cases)?.display());
    Ok(())
}

/// Runs the cases through every door.
pub(crate) fn run(which: Which) -> Result<(), String> {
    let cases = cases(which)?;
    let file = file(&cases)?;
    let folder = target().join("doors");
    let start = Instant::now();
    let answers: Vec<Answer> = cases.iter().map(engine::answer).collect();
    let time = start.elapsed();
    let expected =
        |case: &Case, answer: &Answer| case.vector.expect.as_ref().is_none_or(|line| answer.is(line));
    let right = |(case, answer): (&Case, &Answer)| expected(case, answer);
    let equal = cases.iter().zip(&answers).filter(|(case, answer)| right((case, answer))).count();
    let mut first: Option<String> = None;
    let mut differ = |door: &str, case: &Case, answer: &Answer, said: &str| {
        first.get_or_insert_with(|| difference(door, case, answer, said));
    };
    for (case, answer) in cases.iter().zip(&answers) {
        if let Some(line) = case.vector.expect.as_ref().filter(|line| !answer.is(line)) {
            differ("Rust", case, answer, &format!("(the vector expects) {line:?}"));
        }
    }
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let mut rows =
        vec![Row { door: "Rust".into(), version: version.clone(), outcome: Outcome::Ran { equal, time } }];
    let pairs: Vec<(Case, Answer)> = cases.into_iter().zip(answers).collect();

    let mut depth = command::Depth::default();
    let program = build_command(&[])?;
    let start = Instant::now();
    let said = command::run(&program, &folder, &pairs)?;
    let time = start.elapsed();
    let mut equal = 0;
    for ((case, answer), said) in pairs.iter().zip(&said) {
        if said.is(case, answer, &mut depth) {
            equal += 1;
        } else {
            differ("command", case, answer, said.line());
        }
    }
    rows.push(Row { door: "command".into(), version, outcome: Outcome::Ran { equal, time } });

    for door in runner::doors(&target()) {
        let start = Instant::now();
        let out = folder.join("answers.jsonl");
        let ran = door.runner.and_then(|runner| {
            // Building is not running.
            let start = Instant::now();
            Ok((runner.run(&file, &out)?, runner.version, start.elapsed()))
        });
        let row = match ran {
            Err(why) => {
                Row { door: door.name.into(), version: String::new(), outcome: Outcome::Skipped(why) }
            }
            Ok((lines, version, time)) => {
                let mut equal = 0;
                for (at, (case, answer)) in pairs.iter().enumerate() {
                    let line = lines.get(at).map_or("", String::as_str);
                    if lines.len() == pairs.len() && answer.is_said_by(line) {
                        equal += 1;
                    } else {
                        differ(door.name, case, answer, line);
                    }
                }
                Row { door: door.name.into(), version, outcome: Outcome::Ran { equal, time } }
            }
        };
        let _ = start;
        rows.push(row);
    }
    report(&rows, pairs.len(), depth, first)
}

fn report(rows: &[Row], count: usize, depth: command::Depth, first: Option<String>) -> Result<(), String> {
    println!("{:<12} {:<10} {:>8} {:>8} {:>9}", "door", "version", "cases", "equal", "seconds");
    let (mut ran, mut skipped, mut different) = (0, 0, 0);
    for Row { door, version, outcome } in rows {
        match outcome {
            Outcome::Ran { equal, time } => {
                println!("{door:<12} {version:<10} {count:>8} {equal:>8} {:>9.2}", time.as_secs_f64());
                ran += 1;
                different += count - equal;
            }
            Outcome::Skipped(why) => {
                println!("{door:<12} skipped: {why}");
                skipped += 1;
            }
        }
    }
    let command::Depth { bytes, codes } = depth;
    println!(
        "command: {bytes} compared byte by byte; of {codes} (errors and insufficient content in its own words) the code"
    );
    println!("{ran} doors ran, {skipped} skipped; {count} cases, {different} different answers");
    match first {
        None if different == 0 => Ok(()),
        None => Err("answers differ".into()),
        Some(first) => Err(first),
    }
}

/// The first case that differs, as a person can look at it.
fn difference(door: &str, case: &Case, answer: &Answer, said: &str) -> String {
    let expected = answer.line();
    let at = expected.bytes().zip(said.bytes()).take_while(|(a, b)| a == b).count();
    format!(
        "{door} differs, first in `{}`, from byte {at}\n  expected {expected}\n  found    {said}\n  case     {}",
        case.name,
        case.to_json()
    )
}

fn cases(which: Which) -> Result<Vec<Case>, String> {
    match which {
        Which::Random { count, seed } => random::cases(count, seed),
        Which::Vectors => {
            let vectors = vectors::all(&root())?;
            let case = |vector: vectors::Vector| Case {
                name: format!("{} {}", vector.place, vector.name),
                vector,
                feed: Feed::Whole,
            };
            Ok(vectors.into_iter().map(case).collect())
        }
    }
}

fn file(cases: &[Case]) -> Result<PathBuf, String> {
    let folder = target().join("doors");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = folder.join("cases.jsonl");
    let mut text = String::new();
    for case in cases {
        text.push_str(&case.to_json());
        text.push('\n');
    }
    write_file(&path, &text)?;
    Ok(path)
}

fn write_file(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Reads `--random N [--seed S]`.
pub(crate) fn which(arguments: &[&str]) -> Option<Which> {
    match arguments {
        [] => Some(Which::Vectors),
        ["--random", count] => Some(Which::Random { count: count.parse().ok()?, seed: 1 }),
        ["--random", count, "--seed", seed] => {
            Some(Which::Random { count: count.parse().ok()?, seed: seed.parse().ok()? })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_answers_what_vectors_expect() {
        let cases = cases(Which::Vectors).expect("vectors");
        let wrong: Vec<&str> = cases
            .iter()
            .filter(|case| case.vector.expect.as_ref().is_some_and(|line| !engine::answer(case).is(line)))
            .map(|case| case.name.as_str())
            .collect();
        assert!(cases.len() > 500 && wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn arguments_say_which() {
        assert_eq!(which(&[]), Some(Which::Vectors));
        assert_eq!(which(&["--random", "9"]), Some(Which::Random { count: 9, seed: 1 }));
        assert_eq!(which(&["--random", "9", "--seed", "4"]), Some(Which::Random { count: 9, seed: 4 }));
        assert_eq!(which(&["--random", "many"]), None);
    }
}
