//! Running a recogniser: a time limit, what it prints, and the end of what it complains about.

use crate::apart::{self, alone};
use crate::error::{ReadError, Reason};
use std::io::{ErrorKind, IsTerminal, Read};
#[cfg(unix)]
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The last bytes of its complaints that are kept.
const LAST: usize = 2_000;
/// How often it is looked at.
const PULSE: Duration = Duration::from_millis(20);

/// Runs a command to its end and gives what it printed, at most `most` bytes.
///
/// # Errors
/// `transcriber` if it cannot be started, fails, takes longer than `limit` or is told to stop; `too_large`.
pub(super) fn run(
    mut command: Command,
    limit: Duration,
    most: usize,
    stop: &AtomicBool,
) -> Result<Vec<u8>, ReadError> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Where a person watches, an interrupt reaches it too; else it ends with what it starts.
    if !std::io::stderr().is_terminal() {
        alone(&mut command);
    }
    let mut child = command.spawn().map_err(|error| {
        let fix = match error.kind() {
            ErrorKind::NotFound => "install it, or name it by its path",
            ErrorKind::PermissionDenied => "check its permissions",
            _ => "check the command",
        };
        ReadError::new(Reason::Transcriber, "", format!("`{name}` cannot be started ({error}); {fix}"))
    })?;
    let result = watched(&mut child, &name, limit, most, stop);
    apart::end(&mut child);
    // It has ended, or was ended just now.
    let _ = child.wait();
    result
}

/// Looks whether a program is there, as the system finds it: by its path, or in a folder of `PATH`.
///
/// # Errors
/// `transcriber` if it is not.
#[cfg(unix)]
pub(super) fn find(name: &str) -> Result<(), ReadError> {
    let is_there = if name.contains('/') {
        Path::new(name).is_file()
    } else {
        // Without the variable, the system has folders of its own.
        std::env::var_os("PATH")
            .is_none_or(|folders| std::env::split_paths(&folders).any(|folder| folder.join(name).is_file()))
    };
    if is_there {
        return Ok(());
    }
    let message = format!("there is no program `{name}`; install it, or name it by its path");
    Err(ReadError::new(Reason::Transcriber, "", message))
}

/// Elsewhere names of programs have ends that are left out.
#[cfg(not(unix))]
pub(super) fn find(_: &str) -> Result<(), ReadError> {
    Ok(())
}

/// Nobody wants to know any more.
pub(super) fn stopped(name: &str) -> ReadError {
    let message = format!("`{name}` was cancelled, because the caller is gone");
    ReadError::new(Reason::Transcriber, "", message)
}

/// Its time is over.
pub(super) fn too_slow(name: &str, limit: Duration) -> ReadError {
    let message = format!(
        "`{name}` took longer than {} seconds; give it more time, a smaller model or a shorter recording",
        limit.as_secs()
    );
    ReadError::new(Reason::Transcriber, "", message)
}

fn watched(
    child: &mut Child,
    name: &str,
    limit: Duration,
    most: usize,
    stop: &AtomicBool,
) -> Result<Vec<u8>, ReadError> {
    let (printed, complained) = (mpsc::channel(), mpsc::channel());
    if let Some(stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.take(most as u64 + 1).read_to_end(&mut bytes);
            // Nobody waits any more where time ran out.
            let _ = printed.0.send(read.map(|_| bytes));
        });
    }
    if let Some(mut stderr) = child.stderr.take() {
        thread::spawn(move || {
            let mut last = Vec::new();
            let mut block = [0; 4096];
            while let Ok(read @ 1..) = stderr.read(&mut block) {
                last.extend_from_slice(&block[..read]);
                last.drain(..last.len().saturating_sub(LAST));
            }
            let _ = complained.0.send(last);
        });
    }
    let end = Instant::now() + limit;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if stop.load(Ordering::Relaxed) => {
                return Err(stopped(name));
            }
            Ok(None) if Instant::now() >= end => {
                return Err(too_slow(name, limit));
            }
            // The more it prints than it may, the longer it waits; so it is asked here.
            Ok(None) => match printed.1.recv_timeout(PULSE) {
                Ok(read) => return ended(child, name, read, &complained.1, most, end),
                Err(_) => continue,
            },
            Err(error) => {
                let message = format!("`{name}` cannot be watched ({error}); try again");
                return Err(ReadError::new(Reason::Transcriber, "", message));
            }
        }
    };
    let _ = status;
    // What it started itself may still hold its pipes.
    let read = printed.1.recv_timeout(Duration::from_secs(1)).unwrap_or_else(|_| Ok(Vec::new()));
    ended(child, name, read, &complained.1, most, end)
}

/// What there is once its output has ended.
fn ended(
    child: &mut Child,
    name: &str,
    read: std::io::Result<Vec<u8>>,
    complained: &mpsc::Receiver<Vec<u8>>,
    most: usize,
    end: Instant,
) -> Result<Vec<u8>, ReadError> {
    let bytes = read.unwrap_or_default();
    if bytes.len() > most {
        return Err(ReadError::too_large("", format!("`{name}` printed too many bytes"), most));
    }
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < end => thread::sleep(PULSE),
            _ => {
                let message = format!("`{name}` closed its output but did not exit; check the command");
                return Err(ReadError::new(Reason::Transcriber, "", message));
            }
        }
    };
    if status.success() {
        return Ok(bytes);
    }
    let last = complained.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
    let last = String::from_utf8_lossy(&last);
    let lines: Vec<&str> = last.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let said = lines[lines.len().saturating_sub(3)..].join(" / ");
    let said: String = said.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let said = if said.is_empty() { "it printed no error".to_owned() } else { format!("it printed: {said}") };
    let message = format!("`{name}` failed ({status}); {said}");
    Err(ReadError::new(Reason::Transcriber, "", message))
}
