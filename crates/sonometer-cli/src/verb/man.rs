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
    let page = typed(&folder.join("sonometer.1").display().to_string());
    screen.print(&format!("manual pages are in {}; read one with `man -l {page}`\n", folder.display()))?;
    Ok(Exit::Done)
}

/// A path as it is typed in a shell.
pub(crate) fn typed(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._/-+,:@%".contains(c);
    if path.chars().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_would_part_them() {
        assert_eq!(typed("man/sonometer.1"), "man/sonometer.1");
        assert_eq!(typed("man pages/sonometer.1"), "'man pages/sonometer.1'");
        assert_eq!(typed("Ann's/sonometer.1"), r"'Ann'\''s/sonometer.1'");
    }
}
