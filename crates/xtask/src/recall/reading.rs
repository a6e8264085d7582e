//! One file, read by us and by a reader of others.

use super::words::{Words, words};
use sonometer_ingest::apart::{self, Budget};
use sonometer_ingest::{Hints, ReadError};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// By whom a file is read beside us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    /// poppler's `pdftotext`, in its plain mode.
    Pdftotext,
    /// `pandoc`, of this format, from this file: a mail is compared with the page that it carries.
    Pandoc { format: &'static str, from: PathBuf },
}

impl Reference {
    /// The reader for a file of this name; `None` where neither program reads it.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let format = match extension.as_str() {
            "pdf" => return Some(Self::Pdftotext),
            "html" | "htm" | "xhtml" => "html",
            "docx" => "docx",
            "odt" => "odt",
            "rtf" => "rtf",
            "md" | "markdown" => "markdown",
            _ => return None,
        };
        Some(Self::Pandoc { format, from: path.to_owned() })
    }

    pub(super) fn program(&self) -> &'static str {
        match self {
            Self::Pdftotext => "pdftotext",
            Self::Pandoc { .. } => "pandoc",
        }
    }

    /// What this reader finds in the file.
    pub(super) fn words(&self, path: &Path) -> Result<Words, String> {
        let mut command = Command::new(self.program());
        match self {
            Self::Pdftotext => command.args(["-q", "-enc", "UTF-8"]).arg(path).arg("-"),
            Self::Pandoc { format, from } => {
                command.args(["--from", format, "--to", "plain", "--wrap", "none"]).arg(from)
            }
        };
        Ok(words(&said_by(&mut command)?))
    }
}

/// What a program prints.
pub(super) fn said_by(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{program} cannot do it"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program is there.
pub(super) fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok()
}

/// How many pages a PDF has.
pub(super) fn pages(path: &Path) -> Option<u64> {
    let said = said_by(Command::new("pdfinfo").arg(path)).ok()?;
    said.lines().find_map(|line| line.strip_prefix("Pages:"))?.trim().parse().ok()
}

/// What the reading processes take: ours, and `pdftotext` where it starts that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// Of the larger of them, at most.
    pub(super) memory_kib: u64,
    /// Work of both in hundredths of a second: how long one waits, the machine decides.
    pub(super) time: u64,
}

impl Cost {
    /// From what `time` reports: memory in KiB, seconds of the process, seconds of the system for it.
    fn read(report: &str) -> Option<Self> {
        // A line before may tell that the process was ended.
        let mut words = report.lines().last()?.split_whitespace();
        let memory_kib = words.next()?.parse().ok()?;
        let mut hundredths = || {
            let (seconds, rest) = words.next()?.split_once('.')?;
            Some(seconds.parse::<u64>().ok()? * 100 + rest.parse::<u64>().ok().filter(|_| rest.len() == 2)?)
        };
        Some(Self { memory_kib, time: hundredths()? + hundredths()? })
    }
}

/// What we find in a file, and what it costs.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) found: Result<Words, ReadError>,
    /// Unknown without the program `time`.
    pub(super) cost: Option<Cost>,
    pub(super) used_builtin: bool,
}

/// Reads a file in a process apart, as the command does, with the limits that the command has.
pub(super) fn read(command: &Path, path: &Path, builtin_pdf: bool) -> Result<Reading, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let hints = Hints { name, builtin_pdf, ..Hints::default() };
    // It answers to the end of the pipe that it shares with the process that it watches, so its report is complete then.
    let report = command.with_file_name("recall-time.txt");
    let mut helper = if is_there("time") {
        let mut time = Command::new("time");
        time.args(["--format", "%M %U %S", "--output"]).arg(&report).arg(command);
        time
    } else {
        Command::new(command)
    };
    helper.arg("read-apart");
    let read = apart::read(helper, &bytes, &hints, &Budget::default());
    let told = std::fs::read_to_string(&report).unwrap_or_default();
    let _ = std::fs::remove_file(&report);
    let used_builtin =
        read.as_ref().is_ok_and(|read| read.notes.iter().any(|note| note.contains("built-in reader")));
    let found = read.map(|read| {
        let turns = read.interaction.turns().iter();
        words(&turns.map(|turn| turn.content.to_string()).collect::<Vec<_>>().join("\n\n"))
    });
    Ok(Reading { found, cost: Cost::read(&told), used_builtin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_is_read_from_its_report() {
        assert_eq!(Cost::read("29184 3.04 0.17\n"), Some(Cost { memory_kib: 29_184, time: 321 }));
        let ended = "Command terminated by signal 6\n100 0.00 12.50\n";
        assert_eq!(Cost::read(ended), Some(Cost { memory_kib: 100, time: 1_250 }));
        assert_eq!(Cost::read(""), None);
    }

    #[test]
    fn names_tell_who_reads_beside_us() {
        let program = |name: &str| Reference::of(Path::new(name)).map(|reference| reference.program());
        assert_eq!(program("a.PDF"), Some("pdftotext"));
        assert_eq!(program("b.md"), Some("pandoc"));
        assert_eq!(program("c.eml"), None);
    }
}
