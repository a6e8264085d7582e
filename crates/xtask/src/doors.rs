//! `cargo xtask doors`: one set of cases through every door, and one table of what came out.

mod case;
mod command;
mod engine;
mod random;
mod runner;

use crate::dives;
use crate::test::{build_command, root, whole_command};
use case::{Answer, Case, Feed, Sense, Task};
use runner::Why;
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
    Ran { cases: usize, equal: usize, time: Duration },
    Skipped(String),
    Broken(String),
}

/// The rows so far, and the first case that came out differently.
#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    first: Option<String>,
}

impl Table {
    /// Adds a door by what it said of each case; `None` is what it should have said.
    fn add(&mut self, door: &str, version: &str, time: Duration, said: &[(&Pair, Option<&str>)]) {
        let wrong = said.iter().filter_map(|((case, answer), said)| said.map(|said| (case, answer, said)));
        let different = wrong.clone().count();
        if let (None, Some((case, answer, said))) = (&self.first, wrong.clone().next()) {
            self.first = Some(difference(door, case, answer, said));
        }
        let outcome = Outcome::Ran { cases: said.len(), equal: said.len() - different, time };
        self.rows.push(Row { door: door.into(), version: version.into(), outcome });
    }

    fn without(&mut self, door: &str, outcome: Outcome) {
        self.rows.push(Row { door: door.into(), version: String::new(), outcome });
    }
}

/// A case and the engine's answer.
type Pair = (Case, Answer);

/// The folder of everything that is built.
pub(crate) fn target() -> PathBuf {
    let set = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    set.map_or_else(|| root().join("target"), |folder| std::path::absolute(&folder).unwrap_or(folder))
}

/// Writes the cases and gives the file.
pub(crate) fn write(which: Which) -> Result<(), String> {
    let cases = cases(which)?;
    println!("{}", file(&cases)?.display());
    Ok(())
}

/// Runs the cases through every door and prints the table. Gives what was left out, by name.
pub(crate) fn run(which: Which) -> Result<Vec<String>, String> {
    let cases = cases(which)?;
    let file = file(&cases)?;
    let mut table = Table::default();
    let pairs = by_engine(cases, &mut table);
    let depth = by_command(&pairs, &mut table)?;
    let out = target().join("doors/answers.jsonl");
    for runner::Door { name, runner } in runner::doors(&target()) {
        let ran = runner.and_then(|runner| {
            let start = Instant::now();
            Ok((runner.run(&file, &out, pairs.len())?, start.elapsed(), runner.version))
        });
        match ran {
            Err(Why::Missing(why)) => table.without(name, Outcome::Skipped(why)),
            Err(Why::Broken(why)) => table.without(name, Outcome::Broken(why)),
            Ok((lines, time, version)) => {
                let judge = |(pair, line): (&Pair, &'_ String)| !pair.1.is_said_by(line);
                let wrong: Vec<bool> = pairs.iter().zip(&lines).map(judge).collect();
                let lines = wrong.iter().zip(&lines).map(|(wrong, line)| wrong.then_some(line.as_str()));
                let judged: Vec<_> = pairs.iter().zip(lines).collect();
                table.add(name, &version, time, &judged);
            }
        }
    }
    report(&table, depth)
}

/// The engine itself: what vectors expect, and in sessions the same as at once.
fn by_engine(cases: Vec<Case>, table: &mut Table) -> Vec<Pair> {
    let start = Instant::now();
    let engine = engine::Engine::default();
    let answers: Vec<Answer> = cases.iter().map(|case| engine.answer(case)).collect();
    let time = start.elapsed();
    let mut wrong: Vec<Option<String>> = Vec::new();
    let mut pairs: Vec<Pair> = Vec::new();
    for (case, said) in cases.into_iter().zip(answers) {
        // A case at once stands before the same in sessions.
        let expected = match (case.is_whole(), pairs.iter().rev().find(|(case, _)| case.is_whole())) {
            (true, _) | (_, None) => said.clone(),
            (_, Some((_, at_once))) => at_once.clone(),
        };
        wrong.push(match case.missed_by(&said) {
            Some(line) => Some(format!("{}\n  vector   {line}", said.line())),
            None => (said != expected).then(|| said.line()),
        });
        pairs.push((case, expected));
    }
    let judged: Vec<_> = pairs.iter().zip(wrong.iter().map(Option::as_deref)).collect();
    table.add("Rust", env!("CARGO_PKG_VERSION"), time, &judged);
    pairs
}

/// The command, with what it can be asked for.
fn by_command(pairs: &[Pair], table: &mut Table) -> Result<command::Depth, String> {
    // Built as this program is: with optimisation where many cases are to be run.
    let program = if cfg!(debug_assertions) { whole_command()? } else { build_command(&["--release"])? };
    let at_once: Vec<&Pair> = pairs.iter().filter(|pair| command::takes(pair)).collect();
    let start = Instant::now();
    let said = command::run(&program, &target().join("doors"), &at_once)?;
    let time = start.elapsed();
    let mut depth = command::Depth::default();
    let judge = |(pair, said): (&&'_ Pair, &command::Said)| !said.is(&pair.0, &pair.1, &mut depth);
    let wrong: Vec<bool> = at_once.iter().zip(&said).map(judge).collect();
    let lines = wrong.iter().zip(&said).map(|(wrong, said)| wrong.then(|| said.line()));
    let judged: Vec<_> = at_once.iter().copied().zip(lines).collect();
    table.add("command", env!("CARGO_PKG_VERSION"), time, &judged);
    Ok(depth)
}

fn report(table: &Table, depth: command::Depth) -> Result<Vec<String>, String> {
    println!("{:<10} {:<8} {:>8} {:>8} {:>9}", "door", "version", "cases", "equal", "seconds");
    let (mut ran, mut broken, mut all, mut different) = (0, 0, 0, 0);
    let mut skipped = Vec::new();
    for Row { door, version, outcome } in &table.rows {
        match outcome {
            Outcome::Ran { cases, equal, time } => {
                println!("{door:<10} {version:<8} {cases:>8} {equal:>8} {:>9.2}", time.as_secs_f64());
                ran += 1;
                all += cases;
                different += cases - equal;
            }
            Outcome::Skipped(why) => {
                println!("{door:<10} skipped: {why}");
                skipped.push(format!("vectors through {door} ({why})"));
            }
            Outcome::Broken(why) => {
                println!("{door:<10} BROKEN: {why}");
                broken += 1;
            }
        }
    }
    let command::Depth { bytes, codes } = depth;
    println!(
        "command: whole interactions, and dives that its verb can play (no pause, no refused action, an agent by its id \
         alone); {bytes} compared byte by byte, {codes} (errors and insufficient content in its own words) by their code"
    );
    println!(
        "{ran} doors ran, {} skipped, {broken} broken; {all} answers, {different} different",
        skipped.len()
    );
    match &table.first {
        None if broken == 0 => Ok(skipped),
        None => Err("a door that should run does not".into()),
        Some(first) => Err(first.clone()),
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

/// The cases at once, and behind each the same through a session.
fn cases(which: Which) -> Result<Vec<Case>, String> {
    let at_once = match which {
        Which::Random { count, seed } => random::cases(count, seed),
        Which::Vectors => {
            let sense = |vector: vectors::Vector| Case {
                name: format!("{} {}", vector.place, vector.name),
                task: Task::Sense(Sense { vector, feed: Feed::Whole }),
            };
            let dive = |line: dives::Line| Case { name: line.name, task: Task::Dive(line.task, line.expect) };
            let vectors = vectors::all(&root())?.into_iter().map(sense);
            Ok(vectors.chain(dives::all(&root())?.into_iter().map(dive)).collect::<Vec<Case>>())
        }
    }?;
    let with_sessions = |case: Case| {
        let fed = case.in_sessions();
        std::iter::once(case).chain(fed)
    };
    Ok(at_once.into_iter().flat_map(with_sessions).collect())
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
        let engine = engine::Engine::default();
        let wrong: Vec<&str> = cases
            .iter()
            .filter(|case| case.missed_by(&engine.answer(case)).is_some())
            .map(|case| case.name.as_str())
            .collect();
        assert!(cases.len() > 600 && wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn arguments_say_which() {
        assert_eq!(which(&[]), Some(Which::Vectors));
        assert_eq!(which(&["--random", "9"]), Some(Which::Random { count: 9, seed: 1 }));
        assert_eq!(which(&["--random", "9", "--seed", "4"]), Some(Which::Random { count: 9, seed: 4 }));
        assert_eq!(which(&["--random", "many"]), None);
    }
}
