//! `sonometer check`: errors and warnings of protocol, metric, blueprint and stage files, each with its place and what to do.

mod cost;

use super::dive::StageSource;
use crate::failure::{Exit, Failure, counted};
use crate::file;
use crate::findings::{self, Checked, Format};
use crate::screen::Screen;
use crate::target::{Source, is_path};
use crate::watch::watch;
use sonometer::diagnostic::Severity;
use sonometer::protocol::Status;
use sonometer::{Document, Protocol, Sensor};
use std::path::PathBuf;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Protocol, metric, blueprint or stage files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Also fail on warnings
    #[arg(long)]
    strict: bool,
    /// Also say what the lines of a protocol cost: at worst for any text, and for a talk of 1 KB on this machine
    #[arg(long, conflicts_with = "format")]
    cost: bool,
    /// The format of findings
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Mend what can only be meant in one way, such as a misspelled key, in the files themselves
    #[arg(long)]
    fix: bool,
    /// Check again whenever a file changes
    #[arg(long)]
    watch: bool,
}

impl Arguments {
    pub(crate) fn json(&self) -> bool {
        self.format == Format::Json
    }
}

/// What a guard with a protocol that masks something holds back.
fn guarding(protocol: &Protocol) -> Option<String> {
    if protocol.markers.iter().all(|marker| marker.mask.is_none()) {
        return None;
    }
    let bound = Sensor::new(protocol.clone()).ok()?.guard_bound();
    Some(match bound {
        Ok(most) => format!("a guard holds back at most {most} characters outside of a match in progress"),
        Err(reason) => format!("a guard has no bound: {reason}"),
    })
}

/// Tells of a failure without a place, also in the file that was checked last.
fn fail(failure: &Failure, arguments: &Arguments, screen: &mut Screen, checked: &mut [Checked]) -> Exit {
    if let (Failure::Told(told), Some(last)) = (failure, checked.last_mut()) {
        last.failure = Some(told.message.clone());
        let line = findings::unplaced(arguments.format, &last.source.name, told);
        // An output that is gone is noticed at the next line.
        let _ = screen.print(&line);
    }
    screen.fail(failure, arguments.json())
}

/// Mends the files themselves.
fn mend(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    for file in arguments.files.iter().filter(|file| is_path(file)) {
        // The check reports what cannot be read.
        let Ok(source) = Source::find(file) else { continue };
        let (text, mended) = findings::mend(&source);
        if mended > 0 {
            file::replace(file, text.as_bytes())?;
            screen.note(&format!("{file}: {} mended", counted(mended, "finding")));
        }
    }
    Ok(())
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    if !arguments.watch {
        return check(arguments, screen);
    }
    let files: Vec<PathBuf> =
        arguments.files.iter().filter(|file| is_path(file)).map(PathBuf::from).collect();
    watch(&files, screen, arguments.json(), |screen| check(arguments, screen))
}

fn check(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    if arguments.fix {
        mend(arguments, screen)?;
    }
    let mut checked: Vec<Checked> = Vec::new();
    let (mut errors, mut warnings, mut unread) = (0, 0, 0);
    let mut exit = Exit::Done;
    let mut first_code = None;
    for file in &arguments.files {
        if let Some(stage) = StageSource::meant(file) {
            let (found, ended) = super::dive::check(&stage);
            errors += found.iter().filter(|finding| finding.severity == Severity::Error).count();
            warnings += found.iter().filter(|finding| finding.severity == Severity::Warning).count();
            first_code = first_code.or(found.iter().next().map(|finding| finding.code));
            screen.print(&findings::written(arguments.format, &screen.paint, &stage.source, &found))?;
            checked.push(Checked::of(stage.source, found));
            match ended {
                Ok(Some(world)) if arguments.format == Format::Full => {
                    let stage = world.stage();
                    screen.print(&format!("{}@{}: {}\n", stage.id, stage.version, world.digest()))?;
                }
                Ok(_) => {}
                Err(failure) => {
                    errors += 1;
                    fail(&failure, arguments, screen, &mut checked);
                }
            }
            continue;
        }
        let source = match Source::find(file) {
            Ok(source) => source,
            Err(failure) => {
                checked.push(Checked::unread(file, String::new()));
                exit = exit.or(fail(&failure, arguments, screen, &mut checked));
                unread += 1;
                continue;
            }
        };
        let (document, found) = match Document::read_with(&source.text, &|path| source.list_file(path)) {
            Ok((document, warnings)) => (Some(document), warnings),
            Err(error) => (None, error.diagnostics),
        };
        errors += found.iter().filter(|finding| finding.severity == Severity::Error).count();
        warnings += found.iter().filter(|finding| finding.severity == Severity::Warning).count();
        first_code = first_code.or(found.iter().next().map(|finding| finding.code));
        screen.print(&findings::written(arguments.format, &screen.paint, &source, &found))?;
        checked.push(Checked::of(source.clone(), found));
        match document {
            Some(Document::Protocol(protocol)) if arguments.format == Format::Full => {
                let Protocol { id, version, .. } = &*protocol;
                if protocol.status == Status::Published {
                    screen.print(&format!("{id}@{version} is published: {}\n", protocol.digest()))?;
                }
                screen.print(&format!("{id}@{version}: {}\n", protocol.score_meaning()))?;
                if let Some(line) = guarding(&protocol) {
                    screen.print(&format!("{id}@{version}: {line}\n"))?;
                }
                if arguments.cost {
                    screen.print(&cost::report(&protocol))?;
                }
            }
            Some(Document::Protocol(_)) | None => {}
            // What it names must be there, and fit together.
            Some(composition) => {
                let digest = composition.digest();
                match source.compose(composition) {
                    Ok(whole) if arguments.format == Format::Full => {
                        let (id, version) = (whole.id(), whole.version());
                        screen.print(&format!("{id}@{version}: {digest}\n"))?;
                        screen.print(&format!("{id}@{version}: {}\n", whole.score_meaning()))?;
                        if arguments.cost {
                            let reports =
                                whole.sensors().iter().map(|sensor| cost::report(sensor.protocol()));
                            screen.print(&reports.collect::<String>())?;
                        }
                    }
                    Ok(_) => {}
                    Err(error) => {
                        errors += 1;
                        fail(&Failure::engine(&source.name, &error), arguments, screen, &mut checked);
                    }
                }
            }
        }
    }
    match arguments.format {
        Format::Sarif => screen.print_bytes(&findings::sarif(&checked))?,
        Format::Junit => {
            let cases = findings::cases(&checked, arguments.strict);
            screen.print_bytes(&findings::junit("sonometer check", &cases))?;
        }
        Format::Full | Format::Short | Format::Json | Format::Github => {}
    }
    let read = arguments.files.len() - unread;
    if arguments.format == Format::Full && read > 0 {
        let files = counted(read, "file");
        let summary = match (errors, warnings) {
            (0, 0) if exit == Exit::Done => format!("{files} checked, nothing to report\n"),
            _ => format!("{files} checked: {}, {}\n", counted(errors, "error"), counted(warnings, "warning")),
        };
        let more = first_code.map(|code| format!("`sonometer explain {code}` explains a code\n"));
        screen.print(&(summary + &more.unwrap_or_default()))?;
    }
    let failed = errors > 0 || arguments.strict && warnings > 0;
    Ok(if failed { exit.or(Exit::Finding) } else { exit })
}
