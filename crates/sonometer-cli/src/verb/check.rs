//! `sonometer check`: errors and warnings of protocol files, each with its place and what to do.

use crate::failure::{Exit, Failure, counted};
use crate::findings;
use crate::screen::Screen;
use crate::target::Source;
use sonometer::Protocol;
use sonometer::diagnostic::Severity;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Protocol files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Warnings fail the check too
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let (mut errors, mut warnings) = (0, 0);
    let mut exit = Exit::Done;
    for file in &arguments.files {
        let source = match Source::find(file) {
            Ok(source) => source,
            Err(failure) => {
                exit = exit.or(screen.fail(&failure, false));
                continue;
            }
        };
        let found = match Protocol::read(&source.text) {
            Ok((_, warnings)) => warnings,
            Err(error) => error.diagnostics,
        };
        errors += found.iter().filter(|finding| finding.severity == Severity::Error).count();
        warnings += found.iter().filter(|finding| finding.severity == Severity::Warning).count();
        screen.print(&findings::render(&screen.paint, &source, &found))?;
    }
    let files = counted(arguments.files.len(), "file");
    let summary = match (errors, warnings) {
        (0, 0) if exit == Exit::Done => format!("{files} checked, nothing to report\n"),
        _ => format!("{files} checked: {}, {}\n", counted(errors, "error"), counted(warnings, "warning")),
    };
    screen.print(&summary)?;
    let failed = errors > 0 || arguments.strict && warnings > 0;
    Ok(if failed { exit.or(Exit::Finding) } else { exit })
}
