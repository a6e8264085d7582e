//! `sonometer fmt`: protocol, metric, blueprint and stage files in their one normal form.

use crate::diff;
use crate::failure::{Exit, Failure, counted};
use crate::file;
use crate::screen::Screen;
use crate::target::Source;
use sonometer::ErrorCode;
use sonometer_author::{Refusal, format};

/// Arguments of `fmt`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Protocol, metric, blueprint or stage files in YAML, or `-` to filter standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Write nothing; show what would change, and exit with 1 if anything would
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments, screen: &mut Screen) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    let mut changed = 0;
    for name in &arguments.files {
        match of_file(name, arguments.check, screen) {
            Ok(true) => changed += 1,
            Ok(false) => {}
            Err(Failure::PipeClosed) => return Err(Failure::PipeClosed),
            Err(failure) => exit = exit.or(screen.fail(&failure, false)),
        }
    }
    if arguments.check && changed > 0 {
        screen.print(&format!("{} would change\n", counted(changed, "file")))?;
        return Ok(exit.or(Exit::Finding));
    }
    Ok(exit)
}

/// Whether the file is not in its normal form, or was not.
fn of_file(name: &str, check: bool, screen: &mut Screen) -> Result<bool, Failure> {
    let source = match name {
        "-" => {
            let bytes = file::bytes(name, file::PROTOCOL)?;
            let name = "standard input".to_owned();
            Source { text: file::utf8(&name, &bytes, 0)?.to_owned().into(), name }
        }
        path => Source {
            text: file::utf8(path, &file::bytes(path, file::PROTOCOL)?, 0)?.to_owned().into(),
            name: path.to_owned(),
        },
    };
    let tidy =
        format(&source.text, &|path| source.list_file(path)).map_err(|refusal| refused(&source, refusal))?;
    let differs = tidy != source.text;
    match (name, check) {
        (_, true) if differs => {
            screen.print(&diff::render(&screen.paint, &source.name, &source.text, &tidy))?
        }
        ("-", false) => screen.print_bytes(&tidy)?,
        (path, false) if differs => file::replace(path, tidy.as_bytes())?,
        _ => {}
    }
    Ok(differs)
}

fn refused(source: &Source, refusal: Refusal) -> Failure {
    let name = &source.name;
    match refusal {
        Refusal::Findings(found) => Failure::protocol(source.clone(), found),
        Refusal::Json => {
            Failure::unusable(format!("{name}: this is JSON; `fmt` formats YAML only; use a JSON tool"))
        }
        Refusal::Changed(why) => Failure::told(
            ErrorCode::InvalidProtocol,
            format!("{name}: not changed, because {why}; please report this as a bug, with the file"),
        ),
    }
}
