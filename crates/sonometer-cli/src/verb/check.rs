//! `sonometer check`: errors and warnings of protocol files, each with its place and what to do.

use crate::failure::{Exit, Failure, counted};
use crate::findings::{self, Format};
use crate::screen::Screen;
use crate::target::Source;
use sonometer::Protocol;
use sonometer::diagnostic::Severity;
use sonometer::protocol::Status;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Protocol files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Warnings fail the check too
    #[arg(long)]
    strict: bool,
    /// How findings are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Arguments {
    pub(crate) fn json(&self) -> bool {
        self.format == Format::Json
    }
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let (mut errors, mut warnings) = (0, 0);
    let mut exit = Exit::Done;
    let mut first_code = None;
    for file in &arguments.files {
        let source = match Source::find(file) {
            Ok(source) => source,
            Err(failure) => {
                exit = exit.or(screen.fail(&failure, arguments.json()));
                continue;
            }
        };
        let (protocol, found) = match Protocol::read(&source.text) {
            Ok((protocol, warnings)) => (Some(protocol), warnings),
            Err(error) => (None, error.diagnostics),
        };
        errors += found.iter().filter(|finding| finding.severity == Severity::Error).count();
        warnings += found.iter().filter(|finding| finding.severity == Severity::Warning).count();
        first_code = first_code.or(found.iter().next().map(|finding| finding.code));
        screen.print(&findings::written(arguments.format, &screen.paint, &source, &found))?;
        let published = protocol.filter(|protocol| protocol.status == Status::Published);
        if let (Some(protocol), Format::Full) = (published, arguments.format) {
            let Protocol { id, version, .. } = &protocol;
            screen.print(&format!("{id}@{version} is published: {}\n", protocol.digest()))?;
        }
    }
    if arguments.format == Format::Full {
        let files = counted(arguments.files.len(), "file");
        let summary = match (errors, warnings) {
            (0, 0) if exit == Exit::Done => format!("{files} checked, nothing to report\n"),
            _ => format!("{files} checked: {}, {}\n", counted(errors, "error"), counted(warnings, "warning")),
        };
        let more = first_code.map(|code| format!("`sonometer explain {code}` says more about a code\n"));
        screen.print(&(summary + &more.unwrap_or_default()))?;
    }
    let failed = errors > 0 || arguments.strict && warnings > 0;
    Ok(if failed { exit.or(Exit::Finding) } else { exit })
}
