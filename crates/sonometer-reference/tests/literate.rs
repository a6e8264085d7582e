//! The executable pages of `fixtures/literate`: prose, with blocks that are run.
//!
//! | block | holds |
//! |---|---|
//! | `yaml` | a protocol; it measures everything below it |
//! | `text` | a text; the checks below it are about this |
//! | `talk` | a conversation in its place: a line `role: what is said` for each turn |
//! | `expect` | checks, one a line |
//!
//! | check | holds if |
//! |---|---|
//! | `evidence: label "source" 0.6` | the block's lines of this kind are all the evidence there is, in the order of the text; line breaks in it are written ` / ` |
//! | `silent: label` | the marker has no evidence and no resonance |
//! | `resonance label 0.75` | that is the marker's resonance |
//! | `triggered label`, `not triggered label` | the resonance reaches the trigger, or does not |
//! | `score 0.5` | that is the score |
//! | `weak label 0.75 "hint"` | the block's lines of this kind are all the weak signals there are, the nearest first |
//! | `fidelity 0.35 insufficient`, `fidelity 1 sufficient` | that is the fidelity |
//! | `signal label spread 1 coherence 0.5` | that is the signal; `none` where no mode dominates |
//! | `primary drives label label`, `secondary drives nothing` | these markers are driven by that side |
//! | `flow mutual balance 0.5` | those are direction and balance of the actant flow |
//! | `levels 0 0.5 1` | those are the levels of the windows |
//! | `temporal rising shifts 1` | that is the temporal analysis |
//!
//! Other blocks, and indented text, are prose.

use sonometer::{FlowOptions, Interaction, Protocol, Reading, Sensor, TemporalOptions, Turn};
use std::fs;
use std::path::{Path, PathBuf};

/// A block between two fences.
struct Block {
    kind: String,
    /// The number of its first line, from 1.
    line: usize,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (at, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(kind), None) => {
                open = Some(Block { kind: kind.trim().to_owned(), line: at + 2, text: String::new() });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

fn talk(text: &str) -> Result<Interaction, String> {
    let turns = text.lines().map(|line| {
        let (role, said) = line.split_once(": ").ok_or_else(|| format!("no role in `{line}`"))?;
        Ok(Turn { role: Some(role.into()), content: said.into(), timestamp: None })
    });
    let turns: Vec<Turn> = turns.collect::<Result<_, String>>()?;
    Interaction::transcript(turns).map_err(|error| error.to_string())
}

/// What a reading says about the checks of one block, and the checks in the same words.
struct Checks<'r> {
    reading: &'r Reading,
    evidence: Vec<(usize, &'r str)>,
    weak: Vec<(usize, &'r str)>,
    /// Line and reason of what does not hold.
    wrong: Vec<Finding>,
}

impl<'r> Checks<'r> {
    fn all(reading: &'r Reading, block: &'r Block) -> Vec<Finding> {
        let mut checks = Checks { reading, evidence: Vec::new(), weak: Vec::new(), wrong: Vec::new() };
        for (at, line) in block.text.lines().enumerate() {
            checks.one(block.line + at, line);
        }
        let evidence: Vec<String> = reading
            .evidence()
            .map(|found| {
                let source = found.source.replace('\n', " / ");
                format!("evidence: {} \"{source}\" {}", found.metamarker, found.score)
            })
            .collect();
        let weak: Vec<String> = reading
            .weak_signals()
            .map(|weak| format!("weak {} {} \"{}\"", weak.metamarker, weak.proximity, weak.hint))
            .collect();
        let (asked_evidence, asked_weak) = (checks.evidence.clone(), checks.weak.clone());
        checks.lists(&asked_evidence, &evidence);
        checks.lists(&asked_weak, &weak);
        checks.wrong
    }

    /// The lines of one kind are the whole truth, if there are any.
    fn lists(&mut self, asked: &[(usize, &str)], found: &[String]) {
        let Some((first, _)) = asked.first() else { return };
        if !asked.iter().map(|(_, line)| *line).eq(found.iter().map(String::as_str)) {
            self.wrong.push((*first, format!("found\n    {}", found.join("\n    "))));
        }
    }

    fn one(&mut self, at: usize, line: &'r str) {
        let reading = self.reading;
        let words: Vec<&str> = line.split_whitespace().collect();
        let of = |label: &str| reading.resonance().find(|(name, _)| *name == label).map(|(_, found)| found);
        let result = match words[..] {
            ["evidence:", ..] => return self.evidence.push((at, line)),
            ["weak", ..] => return self.weak.push((at, line)),
            ["silent:", label] => of(label).map(|found| {
                let evidence = reading.evidence().filter(|found| found.metamarker == label).count();
                (
                    found.activation.0 == 0 && evidence == 0,
                    format!("resonance {}, evidence {evidence}", found.activation),
                )
            }),
            ["resonance", label, number] => {
                of(label).map(|found| (found.activation.to_string() == number, found.activation.to_string()))
            }
            ["triggered", label] => of(label).map(|found| (found.triggered, found.activation.to_string())),
            ["not", "triggered", label] => {
                of(label).map(|found| (!found.triggered, found.activation.to_string()))
            }
            ["score", number] => {
                let score = reading.score().map_or_else(|| "none".to_owned(), |score| score.to_string());
                Some((score == number, score))
            }
            ["fidelity", number, verdict] => {
                let fidelity = reading.fidelity();
                let said = if fidelity.sufficient { "sufficient" } else { "insufficient" };
                let found = format!("{} {said}", fidelity.index);
                Some((found == format!("{number} {verdict}"), found))
            }
            ["signal", ..] => reading.signal().map(|signal| {
                let mode = signal.dominant_mode.unwrap_or("none");
                let found = format!("signal {mode} spread {} coherence {}", signal.spread, signal.coherence);
                (found == line, found)
            }),
            ["flow", ..] => reading.actant_flow(FlowOptions::default()).map(|flow| {
                let found = format!("flow {} balance {}", flow.direction.as_str(), flow.balance);
                (found == line, found)
            }),
            [side @ ("primary" | "secondary"), "drives", ..] => {
                reading.actant_flow(FlowOptions::default()).map(|flow| {
                    let driven = if side == "primary" { flow.primary_driven } else { flow.secondary_driven };
                    let driven = if driven.is_empty() { "nothing".to_owned() } else { driven.join(" ") };
                    let found = format!("{side} drives {driven}");
                    (found == line, found)
                })
            }
            ["temporal", ..] => reading.temporal(TemporalOptions::default()).map(|temporal| {
                let found = format!("temporal {} shifts {}", temporal.trend.as_str(), temporal.phase_shifts);
                (found == line, found)
            }),
            ["levels", ..] => reading.temporal(TemporalOptions::default()).map(|temporal| {
                let levels: Vec<String> = temporal.levels.iter().map(|l| l.level.to_string()).collect();
                let found = format!("levels {}", levels.join(" "));
                (found == line, found)
            }),
            _ => None,
        };
        match result {
            Some((true, _)) => {}
            Some((false, found)) => self.wrong.push((at, format!("found {found}"))),
            None => self.wrong.push((at, "no such check, or no such marker".into())),
        }
    }
}

/// A line of a page, and what is wrong there.
type Finding = (usize, String);

/// Runs a page; gives the number of checks and what does not hold.
fn run(page: &str) -> Result<(usize, Vec<Finding>), Finding> {
    let (mut sensor, mut reading): (Option<Sensor>, Option<Reading>) = (None, None);
    let (mut count, mut wrong) = (0, Vec::new());
    for block in blocks(page) {
        let fail = |reason: String| (block.line, reason);
        match block.kind.as_str() {
            "yaml" => {
                let (protocol, _) = Protocol::read(&block.text).map_err(|error| fail(error.to_string()))?;
                sensor = Some(Sensor::new(protocol).map_err(|error| fail(error.to_string()))?);
                reading = None;
            }
            kind @ ("text" | "talk") => {
                let interaction = match kind {
                    "talk" => talk(&block.text).map_err(fail)?,
                    _ => Interaction::text(block.text.trim_end()).map_err(|error| fail(error.to_string()))?,
                };
                let sensor = sensor.as_ref().ok_or_else(|| fail("no protocol above".into()))?;
                reading = Some(sensor.sense(&interaction).map_err(|error| fail(error.to_string()))?);
            }
            "expect" => {
                let reading = reading.as_ref().ok_or_else(|| fail("nothing to measure above".into()))?;
                count += block.text.lines().count();
                wrong.extend(Checks::all(reading, &block));
            }
            _ => {}
        }
    }
    Ok((count, wrong))
}

#[test]
fn every_page_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/literate");
    let entries = fs::read_dir(&folder).expect("the folder of pages");
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    pages.sort();
    let (mut total, mut wrong) = (0, Vec::new());
    for path in &pages {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let page = fs::read_to_string(path).expect("a page");
        match run(&page) {
            Ok((count, failed)) => {
                println!("{name}: {count} checks ran");
                assert!(count > 0, "{name} checks nothing");
                total += count;
                wrong.extend(failed.into_iter().map(|(line, reason)| format!("{name}:{line}: {reason}")));
            }
            Err((line, reason)) => wrong.push(format!("{name}:{line}: {reason}")),
        }
    }
    println!("{total} checks of {} pages", pages.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_page_that_does_not_hold_fails() {
    let protocol = "```yaml\nsonometer: 1\nid: x\nversion: \"1\"\ntaxonomy: Signal\nfidelity: {sufficient: 0}\nmarkers:\n  - label: a\n    clear: yes please\n```\n";
    let check = |line: &str| {
        run(&format!("{protocol}```text\nyes please\n```\n```expect\n{line}\n```\n")).expect("runs").1.len()
    };
    for right in [
        "evidence: a \"yes please\" 0.6",
        "resonance a 0.75",
        "triggered a",
        "score 0.75",
        "fidelity 1 sufficient",
    ] {
        assert_eq!(check(right), 0, "{right}");
    }
    for wrong in [
        "evidence: a \"yes\" 0.6",
        "silent: a",
        "resonance a 0.7",
        "resonance b 0",
        "not triggered a",
        "score 1",
        "weak a 0.5 \"more\"",
        "fidelity 1 insufficient",
        "nonsense",
    ] {
        assert_eq!(check(wrong), 1, "{wrong}");
    }
}
