//! `sonometer man`: manual pages, one for the command and one for each verb.

use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::Command;
use std::fs;
use std::path::PathBuf;

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder into which the pages are written; it is made if it does not exist
    #[arg(value_name = "FOLDER", value_hint = clap::ValueHint::DirPath, value_parser = folder)]
    folder: PathBuf,
}

fn folder(name: &str) -> Result<PathBuf, String> {
    match name {
        "-" => Err("the pages are files; write the name of a folder".into()),
        _ => Ok(name.into()),
    }
}

pub(crate) fn run(arguments: &Arguments, command: Command, screen: &mut Screen) -> Result<Exit, Failure> {
    let folder = &arguments.folder;
    let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(|error| {
        let message = format!("{}: manual pages cannot be written there: {error}", folder.display());
        Failure::unusable(message)
    })?;
    screen.print(&format!(
        "manual pages are in {0}; read one with `man -l {0}/sonometer.1`\n",
        folder.display()
    ))?;
    Ok(Exit::Done)
}
