//! Stages by name or file; what `check` and `test` say of them.

use crate::failure::{Exit, Failure, counted};
use crate::file;
use crate::screen::Screen;
use crate::target::{Source, is_path};
use sonometer::document;
use sonometer::stage::{Stage, Walk, World};
use sonometer::{Diagnostics, Error, ErrorCode};
use sonometer_catalog::{Entry, Shelf, stage_named};

/// The text of a stage, and the stage made ready.
#[derive(Debug)]
pub(crate) struct StageSource {
    pub(crate) source: Source,
}

impl StageSource {
    /// A file if it is named like one, else a stage that ships.
    pub(crate) fn find(target: &str) -> Result<Self, Failure> {
        if is_path(target) {
            let bytes = file::bytes(target, file::PROTOCOL)?;
            let text = file::utf8(target, &bytes, 0)?.to_owned();
            if let Some(kind) = other_kind(&text) {
                return Err(Failure::told(
                    ErrorCode::InvalidProtocol,
                    format!(
                        "{target}: this is a {kind}, not a stage; measure by it with `sonometer sense {target} FILE`"
                    ),
                ));
            }
            return Ok(Self { source: Source { name: target.to_owned(), text: text.into() } });
        }
        stage_named(target).map(Self::of).map_err(|none| {
            let files = "; the name of a stage file ends in .yaml, .yml or .json";
            let is_unlike = none.versions.is_empty() && none.suggestion().is_none();
            Failure::told(ErrorCode::TargetNotFound, format!("{none}{}", if is_unlike { files } else { "" }))
        })
    }

    fn of(entry: &'static Entry) -> Self {
        Self { source: Source::of(entry) }
    }

    /// The stage file that a target of another verb is, if it is one.
    pub(crate) fn meant(target: &str) -> Option<Self> {
        match is_path(target) {
            true => Self::find(target).ok().filter(|found| Stage::is_meant(&found.source.text)),
            false => stage_named(target).ok().map(Self::of),
        }
    }

    /// Where it finds what senses it: the files beside it, what ships, what ships for stages.
    pub(crate) fn shelf(&self) -> Shelf {
        self.source.beside().for_stages()
    }

    /// The stage with what senses it: found beside its file, then in the catalogue.
    pub(crate) fn world(&self) -> Result<World, Failure> {
        let own = |error: Error| Failure::protocol(self.source.clone(), error.diagnostics);
        let (stage, _) = Stage::read(&self.source.text).map_err(own)?;
        World::new(stage, &self.shelf()).map_err(|error| match is_own(&error) {
            true => own(error),
            false => Failure::engine(&self.source.name, &error),
        })
    }
}

/// What a file is that is meant as a protocol, metric or blueprint.
fn other_kind(text: &str) -> Option<&'static str> {
    let (root, _) = document::read(text).ok()?;
    let has = |key: &str| root.get(key).is_some();
    let kinds =
        [("sonometer", "protocol"), ("sonometer_metric", "metric"), ("sonometer_blueprint", "blueprint")];
    kinds.iter().find(|(key, _)| has(key) && !has("sonometer_stage")).map(|(_, kind)| *kind)
}

/// Whether an error is about the stage file, and not about a protocol that it names.
fn is_own(error: &Error) -> bool {
    error.place.is_empty() && !error.diagnostics.is_empty()
}

/// Everything that `check` says of a stage; the error if its target is not there.
pub(crate) fn check(source: &StageSource) -> (Diagnostics, Result<Option<World>, Failure>) {
    let (stage, mut found) = match Stage::read(&source.source.text) {
        Ok(read) => read,
        Err(error) => return (error.diagnostics, Ok(None)),
    };
    match World::new(stage, &source.shelf()) {
        Ok(world) => {
            for more in [world.lint(), world.lint_walkthroughs()] {
                more.iter().for_each(|finding| found.push(finding.clone()));
            }
            found.sort();
            (found, Ok(Some(world)))
        }
        Err(error) if !is_own(&error) => (found, Err(Failure::engine(&source.source.name, &error))),
        Err(error) => {
            error.diagnostics.iter().for_each(|finding| found.push(finding.clone()));
            (found, Ok(None))
        }
    }
}

/// Runs the walkthroughs of a stage, and the runs that no stage may let pass.
pub(crate) fn test(source: &StageSource, json: bool, screen: &mut Screen) -> Result<Exit, Failure> {
    let world = source.world()?;
    let stage = world.stage();
    let walks: Vec<(&str, bool, Walk)> =
        stage.walkthroughs.iter().map(|(name, run)| (name.as_str(), run.passes, world.walk(run))).collect();
    let (passed, runs) = world.degenerate();
    let wrong = walks.iter().filter(|(.., walk)| !walk.as_expected).count();
    if json {
        let of = |(name, expected, walk): &(&str, bool, Walk)| {
            serde_json::json!({
                "name": name, "expected": if *expected { "pass" } else { "fail" }, "as_expected": walk.as_expected,
                "passed": walk.verdict.passed, "reason": walk.verdict.reason.as_str(), "turns": walk.totals.turns,
            })
        };
        let walks: Vec<_> = walks.iter().map(of).collect();
        let line = serde_json::json!({
            "stage": format!("{}@{}", stage.id, stage.version), "walkthroughs": walks, "degenerate_runs": runs,
            "degenerate_passed": passed,
        });
        screen.print_bytes(&format!("{line}\n"))?;
    } else {
        let paint = &screen.paint;
        let width = walks.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (name, expected, Walk { verdict, totals, as_expected }) in &walks {
            let sign = if *as_expected { "ok   " } else { "WRONG" };
            let sign = if *as_expected { paint.dim(sign) } else { paint.bold(sign) };
            let wanted = if *as_expected {
                String::new()
            } else {
                format!("; expected to {}", if *expected { "pass" } else { "fail" })
            };
            let outcome = if verdict.passed { "passes" } else { "fails " };
            let missing = stage.checkpoints.iter().map(|(name, _)| name.as_str());
            let missing: Vec<&str> =
                missing.filter(|name| verdict.checkpoints_hit.iter().all(|hit| hit != name)).collect();
            let more = match (verdict.passed, verdict.flags_tripped.is_empty(), missing.is_empty()) {
                (true, ..) => String::new(),
                (_, false, _) => format!(" ({})", verdict.flags_tripped.join(", ")),
                (_, _, false) => format!(" (missing: {})", missing.join(", ")),
                _ => String::new(),
            };
            text.push_str(&format!(
                "{sign}  {name:<width$}  {outcome}  {} in {}, score {}{more}{wanted}\n",
                verdict.reason.as_str(),
                counted(totals.turns as usize, "turn"),
                totals.score
            ));
        }
        for what in &passed {
            text.push_str(&format!("{}  passes, but must fail: {what}\n", paint.bold("WRONG")));
        }
        text.push_str(&format!(
            "{}: {}: {} as expected, {} not; {} of silence and repetition, {} passed\n",
            source.source.name,
            counted(walks.len(), "walkthrough"),
            walks.len() - wrong,
            wrong,
            counted(runs, "run"),
            passed.len()
        ));
        screen.print(&text)?;
    }
    Ok(if wrong > 0 || !passed.is_empty() { Exit::Finding } else { Exit::Done })
}
